"""Calibration error and Brier score: against plain implementations and scikit-learn, on random probabilities with ties."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.recognition import TripletVideo, calibration, triplet_map


def plain_width(labels, probabilities, bins):
    held = {}
    for there, value in zip(labels.tolist(), probabilities.tolist(), strict=True):
        number = next(m for m in range(1, bins + 1) if value <= m / bins)
        held.setdefault(number, []).append((Fraction(value), there))
    return float(sum(abs(sum(p for p, _ in of) - sum(y for _, y in of)) for of in held.values()) / len(labels))


def plain_mass(labels, probabilities, bins):
    """Frame by frame, in order: a bin is full when it holds its share, and equal probabilities go on in it."""
    pairs = sorted(zip(probabilities.tolist(), labels.tolist(), strict=True))
    held, filled = [[]], 0
    for at, (value, there) in enumerate(pairs):
        reached = [m for m in range(1, bins) if at >= math.ceil(m * len(pairs) / bins)]
        if len(reached) > filled and held[-1] and value != pairs[at - 1][0]:
            held.append([])
            filled = len(reached)
        held[-1].append((Fraction(value), there))
    return float(sum(abs(sum(p for p, _ in of) - sum(y for _, y in of)) for of in held) / len(pairs))


@pytest.fixture(scope="module")
def random_classes():
    rng = np.random.default_rng(17)
    drawn = []
    for number in range(80):
        frames = int(rng.integers(1, 60))
        probabilities = rng.random(frames) if number % 2 else rng.integers(0, 11, frames) / 10
        drawn.append(((rng.random(frames) < probabilities).astype(int), probabilities, int(rng.integers(1, 18))))
    return drawn


def test_calibration_error_is_that_of_plain_implementations(random_classes):
    for labels, probabilities, bins in random_classes:
        found = calibration.expected_error(labels, probabilities, bins, "equal width")
        assert found == pytest.approx(plain_width(labels, probabilities, bins), abs=1e-12)
        found = calibration.expected_error(labels, probabilities, bins, "equal mass")
        assert found == pytest.approx(plain_mass(labels, probabilities, bins), abs=1e-12)


def test_brier_score_is_that_of_scikit_learn(random_classes):
    for labels, probabilities, _ in random_classes:
        assert calibration.brier(labels, probabilities) == pytest.approx(brier_score_loss(labels, probabilities, pos_label=1), abs=1e-14)


def test_a_probability_on_an_edge_is_below_it():
    # 0.2 * 15 is a little more than 3 in floating point.
    assert calibration.expected_error([1, 0], [0.2, 0.19], 15, "equal width") == pytest.approx(abs(0.39 - 1) / 2)
    assert calibration.expected_error([0, 0], [0.0, 1.0], 10, "equal width") == 0.5


TRIPLETS = triplet_map([[0, 0, 0], [0, 1, 0], [1, 0, 0]], null=(2,))


def videos(rng, names=("a", "b", "c"), shift=0.0):
    scores = {name: rng.random((int(rng.integers(5, 12)), 3)) + shift for name in names}
    return [TripletVideo(name, (rng.random(of.shape) < 0.4).astype(int), of) for name, of in scores.items()]


def test_classes_are_summarised_and_taken_together():
    drawn = videos(np.random.default_rng(2))
    labels, scores = (np.concatenate([np.asarray(getattr(one, side)) for one in drawn]) for side in ("targets", "scores"))
    found = calibration.Calibration(drawn, TRIPLETS, 5).results("ivt")
    over, together = found[0], found[1]
    by_class = [plain_width(labels[:, at], scores[:, at], 5) for at in range(3)]
    assert [one.value for one in over.classes.values()] == pytest.approx(by_class, abs=1e-12)
    assert over.overall.value == pytest.approx(np.mean(by_class), abs=1e-12)
    assert (over.overall.n, over.classes["0"].n, together.overall.n) == (3, len(labels), labels.size)
    assert together.overall.value == pytest.approx(plain_width(labels.ravel(), scores.ravel(), 5), abs=1e-12)
    # The probability of an instrument is the largest of its triplets.
    of_tool = calibration.Calibration(drawn, TRIPLETS, 5).results("i")[0].classes["0"]
    assert of_tool.value == pytest.approx(plain_width(labels[:, :2].max(axis=1), scores[:, :2].max(axis=1), 5), abs=1e-12)
    without = calibration.Calibration(drawn, TRIPLETS, 5).results("ivt", ignore_null=True)[0]
    assert list(without.classes) == ["0", "1"]


def test_the_order_of_videos_changes_no_bit_and_draws_repeat_videos():
    drawn = videos(np.random.default_rng(8))
    forward, backward = (calibration.Calibration(order, TRIPLETS).results("ivt") for order in (drawn, drawn[::-1]))
    assert [one.overall for one in forward] == [one.overall for one in backward]
    twice = calibration.Calibration(drawn, TRIPLETS).results("ivt", draw=np.array([1, 1]))
    once = calibration.Calibration([drawn[1]], TRIPLETS).results("ivt")
    assert [one.overall.value for one in twice] == pytest.approx([one.overall.value for one in once], abs=1e-12)


def test_logits_are_refused_by_name():
    with pytest.raises(MetricsError, match=r"video b: the score of row 1, class 0 is 1.5; calibration is of probabilities in 0..1: apply"):
        calibration.Calibration([TripletVideo("b", [[0, 0, 1], [1, 0, 0]], [[0.5, 1, 0], [1.5, 0, 0]])], TRIPLETS)


@pytest.mark.parametrize("bins", [0, -1, 2.5, True, calibration.MOST_BINS + 1, 10**9])
def test_bins_are_a_whole_number_that_ends(bins):
    for asked in (
        lambda: calibration.Calibration(videos(np.random.default_rng(1)), TRIPLETS, bins),
        lambda: calibration.expected_error([1, 0], [0.3, 0.4], bins, "equal width"),
    ):
        with pytest.raises(MetricsError, match="bins; give a whole number from 1 to 10000"):
            asked()


@pytest.mark.parametrize(
    ("labels", "probabilities", "sentence"),
    [
        ([1, 0], [0.3], r"labels have the shape \(2,\) and the probabilities \(1,\)"),
        ([[1, 0], [0, 1]], [0.3, 0.2], r"labels have the shape \(2, 2\) and the probabilities \(2,\)"),
        ([1, 0], [1.3, 0.1], r"the probability of row 0 is 1\.3; a probability is in 0\.\.1"),
        ([1, 0], [0.3, -0.1], r"the probability of row 1 is -0\.1"),
        ([1, 0], [math.nan, 0.1], "the probability of row 0 is nan"),
        ([0.5, 0], [0.3, 0.1], r"the label of row 0 is 0\.5; labels are 0 or 1"),
        ([1, math.nan], [0.3, 0.1], "the label of row 1 is nan"),
        (["a", "b"], [0.3, 0.1], "the labels are not all numbers"),
        ([1, 0], np.ma.array([0.3, 0.1], mask=[0, 1]), "the probabilities: some values are masked"),
    ],
)
def test_what_are_no_labels_and_probabilities_is_refused(labels, probabilities, sentence):
    for asked in (
        lambda: calibration.brier(labels, probabilities),
        lambda: calibration.expected_error(labels, probabilities, 5, "equal mass"),
    ):
        with pytest.raises(MetricsError, match=sentence):
            asked()


def test_bins_of_a_kind_that_there_is_not_are_refused():
    with pytest.raises(MetricsError, match="no bins of 'quantile'; choose one of equal width, equal mass"):
        calibration.expected_error([1, 0], [0.3, 0.4], 5, "quantile")


def test_numbers_of_any_kind_are_numbers_and_a_fault_shows_all_of_its_digits():
    thirds = [Fraction(1, 3), Fraction(2, 3)]
    assert calibration.brier([1, 0], thirds) == calibration.brier([1, 0], np.array([1 / 3, 2 / 3]))
    with pytest.raises(MetricsError, match=r"row 0 is 1\.0000001;"):
        calibration.brier([1], [1.0000001])


def test_without_frames_calibration_is_undefined():
    assert math.isnan(calibration.brier([], []))
    assert math.isnan(calibration.expected_error([], [], 5, "equal width"))


def test_a_part_takes_part_where_any_of_its_triplets_does_and_another_one_adds_its_error():
    triplets = replace(triplet_map([(0, 0, 0), (0, 1, 0), (1, 0, 0)], verbs=2, targets=1, null=()), there=(0,))
    videos = [TripletVideo("v", [[1, 0, 0], [0, 0, 0]], [[0.5, 0.0, 0.25], [0.5, 0.0, 0.25]])]
    every = calibration.Calibration(videos, triplets, 10).results("i")
    assert [list(one.classes) for one in every] == [["0"], []] * 3
    assert [one.overall.n for one in every] == [1, 2] * 3
    # The first instrument errs by 0 on the mean, and by 0.25 squared; the second is never there.
    assert [one.overall.value for one in every] == [0.25] * 4 + [0.25 + 0.0625] * 2
