"""Panoptic quality against a count written out on pixels, and what empty classes count."""

import math

import numpy as np
import pytest

from mask_cases import CLASSES, HEIGHT, LENGTHS, WIDTH, Instance, drawn, study
from scrubin.evaluate.metrics.masks import panoptic


def by_hand(truth, found, confidence):
    """PQ, SQ and RQ of each class on pixels: instances of a class do not overlap, so above one half a partner is unique."""
    values = []
    for class_ in range(CLASSES):
        sum_, hits, misses, alarms = 0.0, 0, 0, 0
        for place in range(sum(LENGTHS)):
            true = [one for one in truth if (one.place, one.class_) == (place, class_)]
            guessed = [one.pixels for one in found if (one.place, one.class_) == (place, class_) and one.score >= confidence]
            crowd = np.any([np.zeros((HEIGHT, WIDTH), bool), *(one.pixels for one in true if one.crowd)], axis=0)
            single = [one.pixels for one in true if not one.crowd]
            with_partner = set()
            for pixels in single:
                partner = [k for k, guess in enumerate(guessed) if (pixels & guess).sum() > (pixels | guess).sum() / 2]
                assert len(partner) < 2
                if partner:
                    with_partner.add(partner[0])
                    sum_ += (pixels & guessed[partner[0]]).sum() / (pixels | guessed[partner[0]]).sum()
            hits += len(with_partner)
            misses += len(single) - len(with_partner)
            alarms += sum(k not in with_partner and 2 * (guess & crowd).sum() <= guess.sum() for k, guess in enumerate(guessed))
        below = hits + misses / 2 + alarms / 2
        values.append([sum_ / below if below else math.nan, sum_ / hits if hits else math.nan, hits / below if below else math.nan])
    return np.array(values)


def largest_difference(cases, seed):
    apart = 0.0
    for case in range(cases):
        truth, found = drawn(seed + case, overlapping=False)
        results = panoptic.counted(study(truth, found), "i", 0.3).results()
        ours = np.array([[one.classes[str(class_)].value for one in results] for class_ in range(CLASSES)])
        expected = by_hand(truth, found, 0.3)
        assert (np.isnan(ours) == np.isnan(expected)).all()
        apart = max(apart, float(np.nanmax(np.abs(ours - expected))))
        means = [np.mean(of[~np.isnan(of)]) if not np.isnan(of).all() else math.nan for of in expected.T]
        assert [one.overall.value for one in results] == pytest.approx(means, abs=1e-12, nan_ok=True)
    return apart


@pytest.mark.parametrize(("cases", "seed"), [(6, 20), pytest.param(200, 2000, marks=pytest.mark.slow)])
def test_panoptic_quality_is_what_is_counted_by_hand(cases, seed):
    assert largest_difference(cases, seed) < 1e-12


def square(left, size=20, place=0, class_=0, score=1.0):
    pixels = np.zeros((HEIGHT, WIDTH), bool)
    pixels[10 : 10 + size, left : left + size] = True
    return Instance(place, class_, score, pixels)


def qualities(truth, found, confidence=0.5):
    return panoptic.counted(study(truth, found), "i", confidence).results()


def test_empty_classes_are_undefined_a_missed_one_is_0_and_its_segmentation_undefined():
    pq, sq, rq = qualities([square(10)], [square(10, class_=1)])
    assert [pq.classes[str(class_)].value for class_ in range(2)] == [0, 0]
    assert math.isnan(pq.classes["2"].value)
    assert pq.classes["2"].n == 0
    assert math.isnan(sq.classes["0"].value)
    assert (rq.overall.value, rq.overall.n) == (0, 2)
    assert math.isnan(sq.overall.value)


def test_detections_below_the_confidence_do_not_count():
    truth = [square(10)]
    sure, unsure = square(10, score=0.9), square(80, score=0.4)
    assert qualities(truth, [sure, unsure])[0].classes["0"].value == 1
    assert qualities(truth, [sure, unsure], 0.1)[0].classes["0"].value == pytest.approx(1 / 1.5)


def test_of_overlapping_detections_the_nearest_is_the_partner():
    pq, _, rq = qualities([square(10)], [square(13), square(11)])
    assert rq.classes["0"].value == pytest.approx(1 / 1.5)
    assert pq.classes["0"].value == pytest.approx(19 / 21 / 1.5)


def test_a_video_has_the_mean_of_its_own_classes_and_draws_repeat_videos():
    found = panoptic.counted(study([square(10), square(10, place=5)], [square(10)]), "i", 0.5)
    assert [one.value for one in found.results()[0].videos.values()] == [pytest.approx(1), 0, pytest.approx(math.nan, nan_ok=True)]
    assert found.results(np.array([0, 0, 1]))[0].overall.value == pytest.approx(2 / 2.5)
