"""Masks as run lengths, polygons and outlines: the very text, pixels and overlaps of pycocotools, and what is wrong with counts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pycocotools import mask as published
from pycocotools import mask as reference

from scrubin.base.errors import AnnotationError
from scrubin.labels.masks import polygons, rle
from scrubin.labels.masks.polygons import outline, runs_of_segmentation

PIXELS = arrays.arrays(np.bool_, st.tuples(st.integers(1, 40), st.integers(1, 40)))


def drawn(rng, height, width):
    """Noise, or blocks of ten pixels, of any share of foreground."""
    share = rng.random() ** 2
    if rng.random() < 0.5:
        return rng.random((height, width)) < share
    blocks = rng.random((-(-height // 10), -(-width // 10))) < share
    return np.kron(blocks, np.ones((10, 10)))[:height, :width] > 0


def encoded(pixels):
    return published.encode(np.asfortranarray(pixels.astype(np.uint8)))


def decoded(theirs):
    with warnings.catch_warnings():  # pycocotools 2.0.11 is older than this rule of numpy
        warnings.simplefilter("ignore", DeprecationWarning)
        return published.decode(theirs) > 0


def differences_of_masks(cases, seed):
    """Masks that differ in text, runs, pixels, box or area from pycocotools."""
    rng, different = np.random.default_rng(seed), 0
    for _ in range(cases):
        height, width = (int(side) for side in rng.integers(1, 90, 2))
        pixels = drawn(rng, height, width)
        theirs, runs = encoded(pixels), rle.runs_of_picture(pixels)
        back = rle.runs_of_text(theirs["counts"], height, width)
        same = rle.text_of_runs(runs) == theirs["counts"].decode() and np.array_equal(back, runs)
        same &= np.array_equal(rle.picture(back, height, width), pixels) and rle.area(runs) == published.area(theirs)
        different += not (same and rle.box_xywh_px(runs, height) == tuple(published.toBbox(theirs)))
    return different


def pixels_apart(cases, seed):
    """Pixels in which random polygons differ: crossing themselves, outside of the picture, tiny, on whole pixels, of equal corners."""
    rng, apart = np.random.default_rng(seed), 0
    for case in range(cases):
        height, width = (int(side) for side in rng.integers(1, 90, 2))
        parts = [corners(rng, (case + part) % 5) for part in range(int(rng.integers(1, 4)))]
        theirs = published.merge(published.frPyObjects([part.ravel().tolist() for part in parts], height, width))
        runs = polygons.runs_of_polygons(parts, height, width)
        apart += int((rle.picture(runs, height, width) != decoded(theirs)).sum())
        apart += rle.text_of_runs(runs) != theirs["counts"].decode()
    return apart


def corners(rng, kind):
    number = (int(rng.integers(3, 14)), 2)
    if kind == 0:
        return rng.uniform(-30, 120, number)
    if kind == 1:
        return rng.uniform(0, 3, number) + rng.uniform(-2, 80, 2)
    if kind == 2:
        return rng.integers(-5, 95, number).astype(float)
    if kind == 3:
        return np.repeat(rng.integers(0, 90, number) / 2, 2, axis=0)
    angles = np.sort(rng.uniform(0, 2 * np.pi, number[0]))
    return 45 + np.stack([np.cos(angles), np.sin(angles)], axis=1) * rng.uniform(5, 60)


def overlaps_apart(cases, seed):
    """The largest difference of the IoU of random masks, some of them crowds, and how many were compared."""
    rng, apart, compared = np.random.default_rng(seed), 0.0, 0
    for _ in range(cases):
        height, width = (int(side) for side in rng.integers(1, 60, 2))
        found, truth = ([drawn(rng, height, width) for _ in range(int(rng.integers(1, 5)))] for _ in "ft")
        crowds = rng.random(len(truth)) < 0.3
        theirs = published.iou([encoded(one) for one in found], [encoded(one) for one in truth], crowds.astype(np.uint8).tolist())
        ours = rle.ious([rle.runs_of_picture(one) for one in found], [rle.runs_of_picture(one) for one in truth], crowds)
        apart, compared = max(apart, float(np.abs(ours - theirs).max())), compared + ours.size
    return apart, compared


def test_masks_are_those_of_pycocotools():
    assert differences_of_masks(200, seed=1) == 0


def test_polygons_fill_the_pixels_that_pycocotools_fills():
    assert pixels_apart(300, seed=2) == 0


def test_the_overlap_of_masks_is_that_of_pycocotools_with_crowds():
    apart, compared = overlaps_apart(60, seed=3)
    assert apart == 0
    assert compared > 200


@pytest.mark.slow
def test_many_masks_polygons_and_overlaps_are_those_of_pycocotools():
    assert differences_of_masks(3000, seed=4) == 0
    assert pixels_apart(5000, seed=5) == 0
    assert overlaps_apart(500, seed=6)[0] == 0


@given(PIXELS)
def test_a_mask_comes_back_from_its_text(pixels):
    height, width = pixels.shape
    runs = rle.runs_of_picture(pixels)
    assert np.array_equal(rle.picture(rle.runs_of_text(rle.text_of_runs(runs), height, width), height, width), pixels)
    assert not (runs[1:] == 0).any()


@given(PIXELS, st.data())
def test_a_union_is_that_of_the_pixels_and_many_texts_are_read_as_one_by_one(pixels, data):
    more = data.draw(st.lists(arrays.arrays(np.bool_, pixels.shape), max_size=3))
    masks = [rle.runs_of_picture(one) for one in (pixels, *more)]
    together = rle.union(masks, pixels.size)
    assert np.array_equal(rle.picture(together, *pixels.shape), np.any([pixels, *more], axis=0))
    assert np.array_equal(together, rle.runs_of_picture(np.any([pixels, *more], axis=0)))
    texts = [rle.text_of_runs(one) for one in masks]
    assert all(np.array_equal(*pair) for pair in zip(rle.runs_of_texts(texts), masks, strict=True))


@given(PIXELS, st.integers(-9, 50), st.integers(-9, 50), st.integers(1, 50), st.integers(1, 50))
def test_a_cut_mask_is_the_part_of_its_picture(pixels, x, y, w, h):
    height, width = pixels.shape
    padded = np.zeros((160, 160), bool)
    padded[50 : 50 + height, 50 : 50 + width] = pixels
    part = rle.cut(rle.runs_of_picture(pixels), height, width, (x, y, w, h))
    assert np.array_equal(rle.picture(part, h, w), padded[50 + y : 50 + y + h, 50 + x : 50 + x + w])


def test_a_scaled_mask_takes_the_nearest_pixel():
    pixels = np.arange(24).reshape(4, 6) % 5 == 0
    runs = rle.runs_of_picture(pixels)
    assert np.array_equal(rle.picture(rle.scaled(runs, 4, 6, 8, 12), 8, 12), np.kron(pixels, np.ones((2, 2))) > 0)
    assert np.array_equal(rle.scaled(rle.scaled(runs, 4, 6, 12, 18), 12, 18, 4, 6), runs)


def test_a_mask_of_nothing_has_no_box_and_no_area():
    runs = rle.runs_of_picture(np.zeros((3, 4), bool))
    assert (rle.area(runs), rle.box_xywh_px(runs, 3), runs.tolist()) == (0, (0, 0, 0, 0), [12])
    assert rle.ious([runs], [runs]).tolist() == [[0.0]]


@pytest.mark.parametrize(
    ("segmentation", "message"),
    [
        ({"size": [2, 3], "counts": "1"}, "the runs of a mask cover 1 px, its picture of 3 x 2 px has 6"),
        ({"size": [3, 2], "counts": "132"}, r"a mask has the size \[3, 2\], its picture is 2 px high and 3 px wide"),
        ({"size": [2, 3], "counts": [7, -1]}, "run 1 of a mask is -1 px long"),
        ({"size": [2, 3], "counts": [1.5, 4.5]}, "no list of whole numbers"),
        ({"size": [2, 3], "counts": "13\x7f"}, "character 2 of the counts of a mask is none of '0' to 'o'"),
        ({"size": [2, 3], "counts": "13é"}, "none of '0' to 'o'"),
        ({"size": [2, 3], "counts": "13P"}, "end within a number; give the whole text"),
        ({"size": [2, 3]}, "a segmentation is a dict, no polygons and no counts"),
        ({"size": [2, 3], "counts": "PPPPPPPPP0"}, "a number in the counts of a mask has 10 characters"),
        ([[0, 0, 1, 1]], "polygon 0 of a mask has 2 corners; draw at least three"),
        ([[]], "polygon 0 of a mask has 0 corners"),
        ([[0, 0, 1, 1, 2, 0], [0, 0, 1, 1, 2]], "polygon 1 of a mask has 5 coordinates; give an x and a y of every corner"),
        ([[0, 0, 1, float("nan"), 2, 0]], "corner 1 of polygon 0 of a mask is"),
        ([[0, 0, 1, 1e9, 2, 0]], "corner 1 of polygon 0 of a mask is"),
        ([["a", "b", "c"]], "polygon 0 of a mask is no list of numbers"),
        ([[[0, 1], [1]]], "polygon 0 of a mask is no list of numbers"),
        ([{"size": [2, 3], "counts": "132"}] * 2, "there is a list of 2 with run lengths; give one object"),
        ("[[1, 2]]", "a segmentation is a str, no polygons and no counts"),
    ],
)
def test_a_segmentation_that_cannot_be_used_is_refused_with_what_is_wrong(segmentation, message):
    with pytest.raises(AnnotationError, match=message):
        runs_of_segmentation(segmentation, 2, 3)


def test_a_large_picture_is_neither_drawn_nor_copied_to_be_compared():
    height, width = 4320, 7680
    masks = [polygons.runs_of_polygons([[x, 10, x + 3000, 20, x + 1500, 4000]], height, width) for x in (0, 1000)]
    theirs = [{"size": [height, width], "counts": rle.text_of_runs(runs).encode()} for runs in masks]
    assert rle.ious(masks, masks).tolist() == published.iou(theirs, theirs, [0, 0]).tolist()
    assert max(len(runs) for runs in masks) < 8 * width


pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def drawn_again(mask):
    height, width = mask.shape
    corners = outline(rle.runs_of_picture(mask), height, width)
    return polygons.runs_of_polygons([corners], height, width), reference.frPyObjects([corners.ravel().tolist()], height, width)[0]


@given(arrays.arrays(np.bool_, st.tuples(st.integers(1, 9), st.integers(1, 9))))
def test_the_outline_of_any_pixels_is_filled_with_them(mask):
    if not mask.any():
        assert outline(rle.runs_of_picture(mask), *mask.shape).shape == (0, 2)
        return
    ours, theirs = drawn_again(mask)
    assert (rle.picture(ours, *mask.shape) == mask).all()
    assert (reference.decode(theirs) == mask).all()


def test_islands_holes_and_pixels_that_touch_by_a_corner_are_one_polygon():
    mask = np.zeros((40, 60), np.bool_)
    mask[3:30, 4:33] = True
    mask[8:20, 9:21] = False
    mask[12:15, 12:16] = True
    mask[30:36, 33:50] = True
    mask[0, 59] = mask[39, 0] = True
    ours, theirs = drawn_again(mask)
    assert (rle.picture(ours, *mask.shape) == mask).all()
    assert (reference.decode(theirs) == mask).all()


def test_corners_that_were_rounded_as_shares_of_a_large_image_are_filled_alike():
    rng = np.random.default_rng(1)
    mask = np.zeros((1080, 1920), np.bool_)
    for _ in range(30):
        x, y, w, h = rng.integers(0, [1800, 1000, 300, 200])
        mask[y : y + h, x : x + w] ^= True
    corners = np.round(outline(rle.runs_of_picture(mask), *mask.shape) / [1920, 1080], 6) * [1920, 1080]
    assert (rle.picture(polygons.runs_of_polygons([corners], *mask.shape), *mask.shape) == mask).all()
