"""Dice, IoU, surface distance and HD95 of classes: against definitions written out on lists of pixels, with empty classes and draws."""

import itertools
import json
import math
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mask_cases import CLASSES, LENGTHS, Instance, by_hand, drawn, outline, study
from scrubin.evaluate.metrics.masks import pixels
from scrubin.labels.masks import rle

SMALL = (40, 50)


def union(side, place, class_, least=0.0):
    masks = [one.pixels for one in side if (one.place, one.class_) == (place, class_) and one.score >= least]
    return np.any([np.zeros(SMALL, bool), *masks], axis=0)


def case(seed):
    truth, found = drawn(seed, sized=SMALL)
    expected = np.array(
        [
            [by_hand(union(truth, place, class_), union(found, place, class_, 0.3), 2.0) for class_ in range(CLASSES)]
            for place in range(sum(LENGTHS))
        ]
    )
    measured = pixels.measured(study(truth, found, sized=SMALL), "i", tolerance_px=2.0, confidence=0.3, empty="left-out")
    return measured, np.moveaxis(expected, 2, 0)


def largest_difference(cases, seed):
    apart = 0.0
    for number in range(cases):
        measured, expected = case(seed + number)
        assert (np.isnan(measured.values) == np.isnan(expected)).all()
        apart = max(apart, float(np.nanmax(np.abs(measured.values - expected))))
    return apart


@pytest.mark.parametrize(("cases", "seed"), [(2, 30), pytest.param(100, 3000, marks=pytest.mark.slow)])
def test_values_of_frames_are_those_of_the_definitions(cases, seed):
    assert largest_difference(cases, seed) < 1e-12


MONAI = json.loads((Path(__file__).parents[1] / "data/metrics/pixels_monai.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("one", MONAI["cases"], ids=range(len(MONAI["cases"])))
def test_two_masks_are_as_far_apart_as_monai_says(one):
    size = one["height"], one["width"]
    sides = (rle.runs_of_text(one[side], *size) for side in ("truth", "found"))
    # MONAI computes in 32 bits.
    assert pixels.of_class(*sides, *size, one["tolerance_px"]) == pytest.approx(one["values"], abs=2e-7, rel=2e-6)


def test_means_are_over_frames_then_videos_then_classes():
    measured, expected = case(40)
    starts = np.concatenate([[0], np.cumsum(LENGTHS)])
    of_videos = np.array(
        [[[mean(of[first:last, class_]) for class_ in range(CLASSES)] for first, last in itertools.pairwise(starts)] for of in expected]
    )
    every = measured.results(["video-wise", "global"])
    for at, metric in enumerate(pixels.METRICS):
        wise, together = (one for one in every if one.variant.metric == metric)
        assert [one.value for one in wise.classes.values()] == pytest.approx([mean(of) for of in of_videos[at].T], nan_ok=True)
        assert [one.value for one in together.classes.values()] == pytest.approx([mean(of) for of in expected[at].T], nan_ok=True)
        assert wise.overall.value == pytest.approx(mean([mean(of) for of in of_videos[at].T]))
        assert [one.value for one in wise.videos.values()] == pytest.approx([mean(of) for of in of_videos[at]], nan_ok=True)


def mean(values):
    defined = [one for one in values if not math.isnan(one)]
    return sum(defined) / len(defined) if defined else math.nan


def test_draws_repeat_videos():
    measured, _ = case(41)
    drawn_twice = measured.results(["global"], np.array([1, 1]))[0]
    once = pixels.Measured(measured.values[:, 4:7], np.array([0, 3]), ("b",), "i", measured.options).results(["global"])[0]
    assert drawn_twice.overall.value == pytest.approx(once.overall.value)
    assert drawn_twice.classes["0"].n == 2 * once.classes["0"].n


def test_a_class_on_neither_side_is_left_out_or_perfect_and_on_one_side_the_worst():
    mask = np.zeros(SMALL, bool)
    mask[5:9, 5:9] = True
    of = study([Instance(0, 0, 1.0, mask), Instance(1, 2, 1.0, mask)], [Instance(0, 1, 1.0, mask)], (2,), SMALL)
    left_out, counted = (pixels.measured(of, "i", tolerance_px=1, confidence=0.5, empty=empty).values for empty in ("left-out", "counted"))
    assert left_out[:, 0, :2].T.tolist() == [[0, 0, 0, math.hypot(*SMALL)]] * 2
    assert np.isnan(left_out[:, 0, 2]).all()
    assert counted[:, 0, 2].tolist() == [1, 1, 1, 0]


def test_a_class_that_no_frame_has_is_not_perfect_but_not_there():
    """A file's categories are those of a known vocabulary where it has their names: the others of that say nothing about the masks."""
    mask = np.zeros(SMALL, bool)
    mask[5:9, 5:9] = True
    of = study([Instance(0, 0, 1.0, mask)], [Instance(0, 0, 1.0, mask)], (2,), SMALL)
    counted = pixels.measured(of, "i", tolerance_px=1, confidence=0.5, empty="counted").values
    assert counted[:, :, 0].T.tolist() == [[1, 1, 1, 0]] * 2
    assert np.isnan(counted[:, :, 1:]).all()


def test_a_class_that_only_predictions_have_is_0_where_it_is_predicted_and_nowhere_perfect():
    mask, ignored = np.zeros(SMALL, bool), np.zeros((3, *SMALL), bool)
    mask[5:9, 5:9], ignored[2, :20] = True, True
    truth = [Instance(0, 0, 1.0, mask), Instance(2, 2, 1.0, mask)]
    # Of class 2 there are labels in pixels that are not counted, and of class 3 a detection without confidence.
    invented = [Instance(1, 1, 0.9, mask), Instance(1, 2, 0.9, mask), Instance(1, 3, 0.1, mask)]
    of = study(truth, [truth[0], *invented], (3,), SMALL, classes=4, void=ignored)
    counted, left_out = (pixels.measured(of, "i", tolerance_px=1, confidence=0.5, empty=empty) for empty in ("counted", "left-out"))
    for one in (counted, left_out):
        assert one.values[:, 1, 1:3].T.tolist() == [[0, 0, 0, math.hypot(*SMALL)]] * 2
        assert np.isnan(one.values[:, [0, 2], 1:]).all()
        assert one.further == (1, 2)
    assert counted.values[0, :, 0].tolist() == [1, 1, 1]
    assert [one.overall.value for one in counted.results(["global"])] == [1 / 3, 1 / 3, 1 / 3, pytest.approx(math.hypot(*SMALL) * 2 / 3)]


MASKS = arrays.arrays(np.bool_, (7, 9)).filter(np.any)


@given(MASKS, MASKS, st.floats(0, 5))
def test_distances_are_symmetric_none_to_itself_and_at_most_the_diagonal(one, other, tolerance):
    there, back = pixels.boundary_distances(one, other), pixels.boundary_distances(other, one)
    assert pixels.percentile_95(there) == pixels.percentile_95(back) <= pixels.diagonal(7, 9)
    assert pixels.share_within(there, tolerance) == pixels.share_within(back, tolerance)
    assert pixels.percentile_95(pixels.boundary_distances(one, one)) == 0
    assert pixels.share_within(pixels.boundary_distances(one, one), 0) == 1
    assert {tuple(place) for place in np.argwhere(pixels.boundary(one)).tolist()} == set(outline(one))


def test_the_frames_are_added_once_for_all_draws():
    measured, _ = case(5)
    measured.results(["global"])
    with mock.patch.object(pixels.np, "isnan", side_effect=AssertionError("the frames are read again")):
        assert measured._by_video is measured._by_video
