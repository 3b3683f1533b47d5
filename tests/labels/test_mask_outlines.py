"""The outline of any mask, drawn by pycocotools, is the mask again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pycocotools import mask as reference

from scrubin.labels.masks import polygons, rle
from scrubin.labels.masks.outlines import outline

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
