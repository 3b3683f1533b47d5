"""Polygons to masks by the rule of COCO, or back: the very pixels of pycocotools' ``frPyObjects`` and ``merge``.

Also read is all else that COCO may say instead of polygons. Source: pycocotools' ``maskApi.c``, ``rleFrPoly``. The outline is walked in
steps of a fifth of a pixel; where it goes over from one column of centres to the next it turns the pixels below it over, so that a polygon
that crosses itself is filled by the even-odd rule. Corners count from the left top corner of the picture, in px; the part outside of the
picture is left out.

Back, the outline of a mask is one polygon along the edges of its pixels: drawn by the same rule it is the same mask again. A mask of
several parts, or with holes, has several outlines. They are joined by lines that are walked forth and back: by the even-odd rule these
enclose nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import error
from scrubin.labels.masks import rle
from scrubin.labels.masks.rle import IntArray

FloatArray = npt.NDArray[np.float64]
STEPS = 5
"""Of the outline in a pixel."""
FARTHEST = 100_000.0
"""No picture is as large in px: what lies beyond is no pixel."""
FEWEST = 3
NOTHING: tuple[Any, ...] = (None, "", [], {})


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


def runs_of_segmentation(value: Any, height: int, width: int) -> IntArray | None:
    """Return the run lengths of what JSON says of an instance, (runs,); None where it says nothing.

    Parameters
    ----------
    value
        ``[[x, y, x, y ...], ...]`` in px, or ``{"size": [height, width], "counts": text or list}``.
    height, width
        Of the picture in px.

    Raises
    ------
    AnnotationError
        For what is none of these, or is of another size; the fault names no file and no place.

    >>> runs_of_segmentation({"size": [2, 3], "counts": "132"}, 2, 3).tolist()
    [1, 3, 2]
    """
    if value in NOTHING:
        return None
    if isinstance(value, list):
        if any(isinstance(one, Mapping) for one in value):
            what = f"there is a list of {len(value)} with run lengths"
            raise AnnotationError([error("", "mask-form", what, "give one object {size, counts} of all pixels together, in no list")])
        return runs_of_polygons(value if isinstance(value[0], list) else [value], height, width)
    if not isinstance(value, Mapping) or "counts" not in value:
        what = f"a segmentation is a {type(value).__name__}, no polygons and no counts"
        raise AnnotationError([error("", "mask-form", what, "give [[x, y, ...]], or size and counts")])
    size = value.get("size", [height, width])
    if size != [height, width]:
        what = f"a mask has the size {size}, its picture is {height} px high and {width} px wide"
        raise AnnotationError([error("", "mask-size", what, "give height and width of the picture, and a mask of that size")])
    given = value["counts"]
    return rle.runs_of_text(given, height, width) if isinstance(given, str | bytes) else rle.checked_runs(given, height, width)


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


def outline(runs: IntArray, height: int, width: int) -> IntArray:
    """Return the corners of a polygon around a mask, (corners, 2), x and y in px from the left top corner; none for an empty mask.

    >>> outline(np.array([4, 2, 3]), 3, 3).tolist()
    [[1, 1], [2, 1], [2, 3], [1, 3]]
    """
    return joined_outlines(outlines(runs, height, width))


def outlines(runs: IntArray, height: int, width: int) -> list[IntArray]:
    """Return the corners of the outline of each part of a mask and of each hole, (corners, 2) each, in px.

    >>> len(outlines(np.array([0, 4, 1, 4]), 3, 3))
    2
    """
    return _outline_loops(*_outline_corners(runs, height, width))


def joined_outlines(loops: list[IntArray]) -> IntArray:
    """Return outlines as one polygon, (corners, 2): after each it goes back to the first corner of the first."""
    if len(loops) < 2:
        return loops[0] if loops else np.zeros((0, 2), np.int64)
    begin = loops[0][:1]
    return np.concatenate([*loops[:1], begin, *(part for loop in loops[1:] for part in (loop, loop[:1], begin))])


def _filled(corners: FloatArray, height: int, width: int) -> IntArray:
    """Return the mask of one polygon."""
    columns, v = _crossings(corners, width)
    rows = (v + 0.5) / STEPS - 0.5
    tops = np.ceil(np.clip(rows, 0, height)).astype(np.int64)
    changes = np.sort(columns * height + tops)
    if (changes[1:] == changes[:-1]).any():
        # Where two parts of the outline cross at one place, nothing changes.
        changes, times = np.unique(changes, return_counts=True)
        changes = changes[times % 2 == 1]
    inside = changes[: np.searchsorted(changes, height * width)]
    return np.diff(np.concatenate([[0], inside, [height * width]])).astype(np.int64)


def _crossings(corners: FloatArray, width: int) -> tuple[IntArray, IntArray]:
    """Return where the outline goes over from step 5 c + 2 to the next one in x, which is between the centres of two columns of pixels.

    Only these steps are walked: the others change nothing.

    Returns
    -------
    tuple of IntArray
        The column c and the upper one of both points in steps, (crossings,) each, in no order.
    """
    # Towards 0, as C turns numbers into whole ones: below 0 that is up.
    x, y = (STEPS * corners + 0.5).astype(np.int64).T
    next_x, next_y = np.concatenate([x[1:], x[:1]]), np.concatenate([y[1:], y[:1]])
    dx, dy = next_x - x, next_y - y
    steep = np.abs(dx) < np.abs(dy)
    # An edge is walked from its left (or upper) end on, so that it is the same in both directions.
    back = np.where(steep, dy, dx) < 0
    from_x, from_y = np.where(back, next_x, x), np.where(back, next_y, y)
    length = np.maximum(np.maximum(np.abs(dx), np.abs(dy)), 1)
    slope = np.where(steep, dx, dy) * np.where(back, -1, 1) / length
    first = np.maximum(-((STEPS // 2 - np.minimum(x, next_x)) // STEPS), 0)
    last = np.minimum((np.maximum(x, next_x) - STEPS // 2 - 1) // STEPS, width - 1)
    numbers = np.maximum(last - first + 1, 0)
    edges = np.repeat(np.arange(len(x)), numbers)
    columns = np.arange(len(edges)) + np.repeat(first - np.cumsum(numbers) + numbers, numbers)
    steps = STEPS * columns + STEPS // 2
    begin_x, begin_y, rises, of_steep = from_x[edges], from_y[edges], slope[edges], steep[edges]
    v = np.empty(len(edges), np.int64)
    flat = np.flatnonzero(~of_steep)
    along, level, rise = steps[flat] - begin_x[flat], begin_y[flat], rises[flat]
    v[flat] = np.minimum((level + rise * along + 0.5).astype(np.int64), (level + rise * (along + 1) + 0.5).astype(np.int64))
    sharp = np.flatnonzero(of_steep)
    v[sharp] = begin_y[sharp] + _last_before(steps[sharp], begin_x[sharp], rises[sharp])
    return columns, v


def _last_before(steps: IntArray, begin: IntArray, rises: FloatArray) -> IntArray:
    """Return how many points of a steep edge lie before the first one beyond a step in x, less 1, (crossings,).

    Parameters
    ----------
    steps
        The step that is left, or reached where x falls.
    begin, rises
        Where the edge begins in x, and what x is more at each point.
    """
    upward = rises > 0

    def is_beyond(at: IntArray) -> npt.NDArray[np.bool_]:
        beyond: npt.NDArray[np.bool_] = ((begin + rises * at + 0.5).astype(np.int64) > steps) == upward
        return beyond

    about = (steps + 0.5 - begin) / rises
    at = np.where(upward, np.ceil(about), np.floor(about) + 1).astype(np.int64)
    # A division may be off by a rounding; what counts is the point itself.
    at = np.where(is_beyond(at - 1), at - 1, at)
    found: IntArray = np.where(is_beyond(at), at, at + 1) - 1
    return found


def _outline_corners(runs: IntArray, height: int, width: int) -> tuple[IntArray, IntArray]:
    """Return x and y of the corners of pixels at which an outline turns, row by row; where two pixels meet by a corner, it stands twice."""
    pixels = np.pad(rle.picture(runs, height, width), 1)
    here, right, below, across = pixels[:-1, :-1], pixels[:-1, 1:], pixels[1:, :-1], pixels[1:, 1:]
    turns = here ^ right ^ below ^ across
    crosses = (here == across) & (right == below) & (here != right)
    y, x = np.nonzero(turns | crosses)
    times = 1 + crosses[y, x].astype(np.int64)
    return np.repeat(x, times), np.repeat(y, times)


def _outline_loops(x: IntArray, y: IntArray) -> list[IntArray]:
    """Return closed ways along rows and columns in turn: in each, the first corner is joined to the second, the third to the fourth."""
    order = np.lexsort((y, x))
    in_column = np.empty_like(order)
    in_column[order[0::2]], in_column[order[1::2]] = order[1::2], order[0::2]
    partner = in_column.tolist()
    seen = [False] * len(x)
    loops = []
    for start in range(0, len(x), 2):
        at, way = start, []
        while not seen[at]:
            # Corners stand row by row, so that the other end in the row is the next one, or the one before.
            way += [at, at ^ 1]
            seen[at] = seen[at ^ 1] = True
            at = partner[at ^ 1]
        if way:
            loops.append(np.stack([x[way], y[way]], axis=1))
    return loops
