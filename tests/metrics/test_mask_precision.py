"""Average precision and recall of masks: the twelve numbers of pycocotools on random masks with crowds and stated areas."""

import numpy as np
import pytest

from mask_cases import HEIGHT, WIDTH, Instance, drawn, published, study
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.masks import MaskRows, average_precision


def ours(truth, found):
    values = [one.overall.value for one in average_precision.results(average_precision.matched(study(truth, found), "i"))]
    return np.where(np.isnan(values), -1, values)


def largest_difference(cases, seed):
    return max(float(np.abs(ours(*one) - published(*one)).max()) for one in (drawn(seed + case) for case in range(cases)))


@pytest.mark.parametrize(("cases", "seed"), [(6, 10), pytest.param(150, 1000, marks=pytest.mark.slow)])
def test_the_twelve_numbers_are_those_of_pycocotools(cases, seed):
    assert largest_difference(cases, seed) < 1e-12


def test_annotations_as_predictions_are_perfect_and_no_predictions_find_nothing():
    truth, _ = drawn(3, crowds=False)
    truth = [one for one in truth if one.pixels.any()]
    perfect = ours(truth, truth)
    assert perfect[0] == pytest.approx(1)
    assert set(ours(truth, [])) <= {0.0, -1.0}


def test_a_draw_of_every_video_once_is_no_draw_and_one_of_others_repeats_them():
    decided = average_precision.matched(study(*drawn(5)), "i")
    every = [one.overall.value for one in average_precision.results(decided)]
    assert [one.overall.value for one in average_precision.results(decided, np.array([2, 0, 1]))] == pytest.approx(every, nan_ok=True)
    repeated = average_precision.results(decided, np.array([1, 1, 1]))
    assert repeated[0].classes["0"].n == 3 * int(decided.positives[1, 0, 0])


def test_a_mask_that_does_not_cover_its_picture_is_refused_with_video_and_frame():
    truth, found = drawn(7)
    whole = study(truth, found)
    short = MaskRows(**{**vars(whole.predictions), "masks": [*whole.predictions.masks[:-1], "5"]})
    wrong = type(whole)(**{**vars(whole), "predictions": short})
    with pytest.raises(MetricsError, match=r"c, frame \d of the predictions: the runs of a mask cover 5 px, its picture of 160 x 120 px"):
        average_precision.matched(wrong, "i")


def test_a_crowd_takes_any_number_of_detections():
    pixels = np.zeros((HEIGHT, WIDTH), bool)
    pixels[10:60, 10:60] = True
    part = np.zeros_like(pixels)
    part[10:40, 10:40] = True
    alone = [Instance(0, 0, 1.0, pixels, crowd=True), Instance(1, 0, 1.0, part)]
    found = [Instance(0, 0, 0.9, part), Instance(0, 0, 0.8, part), Instance(1, 0, 0.7, part)]
    assert ours(alone, found)[0] == pytest.approx(1)
