"""Polygons as masks, by the rule of COCO: the very pixels of pycocotools' ``frPyObjects`` and ``merge``.

Source: pycocotools' ``maskApi.c``, ``rleFrPoly``. The outline is walked in steps of a fifth of a pixel; where it goes over from one column
of centres to the next it turns the pixels below it over, so that a polygon that crosses itself is filled by the even-odd rule. Corners
count from the left top corner of the picture, in px; the part outside of the picture is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import error
from scrubin.labels.masks import rle
from scrubin.labels.masks.counts import IntArray

FloatArray = npt.NDArray[np.float64]
STEPS = 5
"""Of the outline in a pixel."""
FARTHEST = 100_000.0
"""No picture is as large in px: what lies beyond is no pixel."""
FEWEST = 3


def runs_of_polygons(polygons: Sequence[npt.ArrayLike], height: int, width: int) -> IntArray:
    """Return the mask of one or several polygons together, (runs,); an instance may be cut into parts.

    Parameters
    ----------
    polygons
        Of each its corners, ``x, y, x, y ...`` or (corners, 2), in px.
    height, width
        Of the picture in px.

    Raises
    ------
    AnnotationError
        For a polygon of fewer than three corners, an odd number of coordinates, or a coordinate that is no number; the fault names the
        polygon, no file and no place.

    >>> runs_of_polygons([[0, 0, 2, 0, 2, 2, 0, 2]], 3, 3).tolist()
    [0, 2, 1, 2, 4]
    """
    if not len(polygons):
        raise AnnotationError([error("", "mask-form", "a mask has no polygon", "give at least one, or leave the mask out")])
    masks = [_filled(corners_of(polygon, number), height, width) for number, polygon in enumerate(polygons)]
    return masks[0] if len(masks) == 1 else rle.union(masks, height * width)


def corners_of(polygon: npt.ArrayLike, number: int = 0) -> FloatArray:
    """Return the corners of a polygon, (corners, 2), in px; errors as of `runs_of_polygons`."""
    wrong = f"polygon {number} of a mask"
    try:
        given = np.asarray(polygon)
        corners = given.astype(np.float64) if given.dtype.kind in "iuf" or not given.size else None
    except (ValueError, TypeError, OverflowError):
        corners = None
    if corners is None:
        raise AnnotationError([error("", "mask-form", f"{wrong} is no list of numbers", "give x, y, x, y ... in px")])
    if corners.size % 2 or (corners.ndim > 1 and corners.shape[1:] != (2,)):
        raise AnnotationError([error("", "mask-form", f"{wrong} has {corners.size} coordinates", "give an x and a y of every corner")])
    corners = corners.reshape(-1, 2)
    if len(corners) < FEWEST:
        raise AnnotationError([error("", "mask-form", f"{wrong} has {len(corners)} corners", "draw at least three, or give a box")])
    far = np.flatnonzero(~(np.abs(corners) <= FARTHEST).all(axis=1))
    if len(far):
        what = f"corner {int(far[0])} of {wrong} is {corners[far[0]].tolist()}"
        raise AnnotationError([error("", "mask-form", what, "give pixels of the picture")])
    return corners


def _filled(corners: FloatArray, height: int, width: int) -> IntArray:
    """Return the mask of one polygon."""
    u, v = _outline(corners)
    crosses = np.flatnonzero(u[1:] != u[:-1])
    # The lower number of the two columns of steps; only some lie between two pixels' centres.
    between = np.minimum(u[crosses], u[crosses + 1])
    columns, rest = np.divmod(between - STEPS // 2, STEPS)
    kept = (rest == 0) & (columns >= 0) & (columns < width)
    rows = (np.minimum(v[crosses], v[crosses + 1])[kept] + 0.5) / STEPS - 0.5
    tops = np.ceil(np.clip(rows, 0, height)).astype(np.int64)
    changes, times = np.unique(columns[kept] * height + tops, return_counts=True)
    inside = changes[(times % 2 == 1) & (changes < height * width)]
    return np.diff(np.concatenate([[0], inside, [height * width]])).astype(np.int64)


def _outline(corners: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the points of the outline in steps, x and y, (points,) each, edge by edge with both ends."""
    # Towards 0, as C turns numbers into whole ones: below 0 that is up.
    x, y = ((STEPS * side + 0.5).astype(np.int64) for side in corners.T)
    dx, dy = np.roll(x, -1) - x, np.roll(y, -1) - y
    steep = np.abs(dx) < np.abs(dy)
    length = np.maximum(np.abs(dx), np.abs(dy))
    back = np.where(steep, dy, dx) < 0
    # An edge is walked from its left (or upper) end on, so that it is the same in both directions.
    from_x, from_y = np.where(back, np.roll(x, -1), x), np.where(back, np.roll(y, -1), y)
    slope = np.where(steep, dx, dy) * np.where(back, -1, 1) / np.maximum(length, 1)
    edges = np.repeat(np.arange(len(x)), length + 1)
    walked = np.arange(len(edges)) - np.repeat(np.cumsum(length + 1) - length - 1, length + 1)
    at = np.where(back[edges], length[edges] - walked, walked)
    of_steep = steep[edges]
    short = (np.where(of_steep, from_x[edges], from_y[edges]) + slope[edges] * at + 0.5).astype(np.int64)
    long = np.where(of_steep, from_y[edges], from_x[edges]) + at
    return np.where(of_steep, short, long), np.where(of_steep, long, short)
