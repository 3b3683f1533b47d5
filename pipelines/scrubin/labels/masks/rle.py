"""Masks as run lengths: drawn as pictures and read from them, measured, joined, cut, scaled; none decodes more than one picture.

A mask is its run lengths (runs,), pixels column by column, the first run counts background. It is of a picture of a height and width in px;
pixel (x, y) has the number ``x * height + y``. A run of no length says nothing: masks may have some, none is made here but the first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scrubin.labels.masks.counts import IntArray

BoolArray = npt.NDArray[np.bool_]
RUN_AS_PIXELS = 64
"""Filling one run takes as long as copying so many pixels."""


def picture(runs: IntArray, height: int, width: int) -> BoolArray:
    """Return a mask as pixels, (height, width), in the memory order of columns.

    >>> picture(np.array([1, 3, 2]), 2, 3).astype(int).tolist()
    [[0, 1, 0], [1, 1, 0]]
    """
    if len(runs) * RUN_AS_PIXELS < height * width:
        pixels = np.zeros(height * width, np.bool_)
        for start, end in zip(*(side.tolist() for side in spans(runs)), strict=True):
            pixels[start:end] = True
    else:
        pixels = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return pixels.reshape(width, height).T


def runs_of_picture(pixels: npt.ArrayLike) -> IntArray:
    """Return the run lengths of a mask of pixels, (height, width), all but 0 being foreground.

    >>> runs_of_picture([[0, 1, 0], [1, 1, 0]]).tolist()
    [1, 3, 2]
    """
    flat = np.asarray(pixels).astype(np.bool_, copy=False).ravel(order="F")
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    return _runs_of_changes(np.concatenate([[0] if flat[0] else [], changes]).astype(np.int64), len(flat))


def runs_of_part(pixels: BoolArray, left_top: tuple[int, int], height: int, width: int) -> IntArray:
    """Return the run lengths of a mask whose foreground is a part of its picture, without the whole picture.

    Parameters
    ----------
    pixels
        Of the part, (part's height, part's width); it lies inside of the picture.
    left_top
        Where its left top pixel is.
    height, width
        Of the picture.

    >>> runs_of_part(np.ones((2, 1), bool), (1, 0), 2, 3).tolist()
    [2, 2, 2]
    """
    left, top = left_top
    edges = np.diff(np.pad(pixels.T, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    starts, ends = (np.stack(np.nonzero(edges == kind)) for kind in (1, -1))
    bounds = np.stack([(column + left) * height + row + top for column, row in (starts, ends)], axis=1)
    # Spans that go over from one column to the next are one.
    return union([np.diff(np.concatenate([[0], bounds.ravel(), [height * width]]))], height * width)


def spans(runs: IntArray) -> tuple[IntArray, IntArray]:
    """Return where foreground begins and ends, half open, (spans,) each, in numbers of pixels; an empty span is left out."""
    ends = np.cumsum(runs)
    lengths = runs[1::2]
    kept = lengths > 0
    return (ends[1::2] - lengths)[kept], ends[1::2][kept]


def area(runs: IntArray) -> int:
    """Return the number of foreground pixels."""
    return int(runs[1::2].sum())


def box_xywh_px(runs: IntArray, height: int) -> tuple[int, int, int, int]:
    """Return left, top, width and height of the smallest box around the foreground in px; four times 0 where there is none.

    >>> box_xywh_px(np.array([3, 1, 2]), height=2)
    (1, 1, 1, 1)
    """
    starts, ends = spans(runs)
    if not len(starts):
        return 0, 0, 0, 0
    lasts = ends - 1
    left, right = int(starts[0]) // height, int(lasts[-1]) // height
    # Who goes over to the next column reaches its bottom and the next one's top.
    if (starts // height != lasts // height).any():
        return left, 0, right - left + 1, height
    top, bottom = int((starts % height).min()), int((lasts % height).max())
    return left, top, right - left + 1, bottom - top + 1


def union(masks: Sequence[IntArray], pixels: int) -> IntArray:
    """Return the mask of what is foreground in any of several masks of one picture.

    Parameters
    ----------
    masks
        Run lengths; none gives background.
    pixels
        Height times width.

    >>> union([np.array([1, 3, 2]), np.array([3, 2, 1])], 6).tolist()
    [1, 4, 1]
    """
    of_masks = [spans(runs) for runs in masks]
    starts = np.sort(np.concatenate([np.zeros(0, np.int64), *(first for first, _ in of_masks)]))
    ends = np.sort(np.concatenate([np.zeros(0, np.int64), *(last for _, last in of_masks)]))
    # Sorted each by itself: a gap is where as many have ended as have begun.
    is_gap = ends[:-1] < starts[1:]
    bounds = np.stack([starts[np.concatenate([[True], is_gap])], ends[np.concatenate([is_gap, [True]])]], axis=1) if len(starts) else starts
    return _runs_of_changes(bounds.ravel(), pixels)


def without(runs: IntArray, others: IntArray) -> IntArray:
    """Return the mask of what is foreground in one mask and not in another of the same picture.

    >>> without(np.array([1, 3, 2]), np.array([3, 2, 1])).tolist()
    [1, 2, 3]
    """
    # What is left is what is neither background of the one nor foreground of the other.
    return _turned(union([_turned(runs), others], int(runs.sum())))


def _turned(runs: IntArray) -> IntArray:
    """Return the mask of the background of another."""
    turned: IntArray = runs[1:] if len(runs) and not runs[0] else np.concatenate([[0], runs])
    return turned


def cut(runs: IntArray, height: int, width: int, box_xywh: tuple[int, int, int, int]) -> IntArray:
    """Return the mask of a part of the picture; what of the box is outside of the picture is background.

    Parameters
    ----------
    runs, height, width
        The mask and its picture.
    box_xywh
        Left, top, width and height of the part in px.
    """
    x, y, w, h = box_xywh
    part = np.zeros((h, w), np.bool_)
    left, top, right, bottom = max(x, 0), max(y, 0), min(x + w, width), min(y + h, height)
    if left < right and top < bottom:
        part[top - y : bottom - y, left - x : right - x] = picture(runs, height, width)[top:bottom, left:right]
    return runs_of_picture(part)


def scaled(runs: IntArray, height: int, width: int, to_height: int, to_width: int) -> IntArray:
    """Return the mask in another size: a pixel is what the one is in which its centre lies."""
    rows = (2 * np.arange(to_height) + 1) * height // (2 * to_height)
    columns = (2 * np.arange(to_width) + 1) * width // (2 * to_width)
    return runs_of_picture(picture(runs, height, width)[np.ix_(rows, columns)])


def _runs_of_changes(changes: IntArray, pixels: int) -> IntArray:
    """Return runs of increasing numbers of pixels from which on it is the other; the last may be the end of the picture."""
    inside = changes[changes < pixels]
    return np.diff(np.concatenate([[0], inside, [pixels]])).astype(np.int64)
