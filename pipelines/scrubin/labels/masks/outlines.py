"""The outline of a mask as one polygon along the edges of its pixels: drawn by the rule of COCO it is the same mask again.

A mask of several parts, or with holes, has several outlines. They are joined by lines that are walked forth and back: by the even-odd rule,
by which a polygon of COCO is filled, these enclose nothing.
"""

from __future__ import annotations

import numpy as np

from scrubin.labels.masks import rle
from scrubin.labels.masks.rle import IntArray


def outline(runs: IntArray, height: int, width: int) -> IntArray:
    """Return the corners of a polygon around a mask, (corners, 2), x and y in px from the left top corner; none for an empty mask.

    >>> outline(np.array([4, 2, 3]), 3, 3).tolist()
    [[1, 1], [2, 1], [2, 3], [1, 3]]
    """
    return joined(outlines(runs, height, width))


def joined(loops: list[IntArray]) -> IntArray:
    """Return outlines as one polygon, (corners, 2): after each it goes back to the first corner of the first."""
    if len(loops) < 2:
        return loops[0] if loops else np.zeros((0, 2), np.int64)
    begin = loops[0][:1]
    return np.concatenate([*loops[:1], begin, *(part for loop in loops[1:] for part in (loop, loop[:1], begin))])


def outlines(runs: IntArray, height: int, width: int) -> list[IntArray]:
    """Return the corners of the outline of each part of a mask and of each hole, (corners, 2) each, in px.

    >>> len(outlines(np.array([0, 4, 1, 4]), 3, 3))
    2
    """
    return _loops(*_corners(runs, height, width))


def _corners(runs: IntArray, height: int, width: int) -> tuple[IntArray, IntArray]:
    """Return x and y of the corners of pixels at which an outline turns, row by row; where two pixels meet by a corner, it stands twice."""
    pixels = np.pad(rle.picture(runs, height, width), 1)
    here, right, below, across = pixels[:-1, :-1], pixels[:-1, 1:], pixels[1:, :-1], pixels[1:, 1:]
    turns = here ^ right ^ below ^ across
    crosses = (here == across) & (right == below) & (here != right)
    y, x = np.nonzero(turns | crosses)
    times = 1 + crosses[y, x].astype(np.int64)
    return np.repeat(x, times), np.repeat(y, times)


def _loops(x: IntArray, y: IntArray) -> list[IntArray]:
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
