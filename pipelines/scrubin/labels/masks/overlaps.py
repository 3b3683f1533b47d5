"""What masks share, computed on their runs: no picture is decoded.

Of a mask, the number of foreground pixels before pixel q is a line that rises within foreground and is level elsewhere. What two masks
share is the sum over the spans of one of the rise of that line of the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scrubin.labels.masks import rle
from scrubin.labels.masks.counts import IntArray

FloatArray = npt.NDArray[np.float64]
MOST_QUERIES = 2_000_000
"""Looked up at once: 16 MB an array."""


def areas(masks: Sequence[IntArray]) -> IntArray:
    """Return the number of foreground pixels of each mask, (masks,)."""
    return np.array([rle.area(runs) for runs in masks], np.int64)


def intersections(ones: Sequence[IntArray], others: Sequence[IntArray]) -> IntArray:
    """Return how many pixels each of some masks shares with each of others of the same picture, (ones, others).

    >>> intersections([np.array([1, 3, 2])], [np.array([3, 2, 1]), np.array([6])]).tolist()
    [[1, 0]]
    """
    shared = np.zeros((len(ones), len(others)), np.int64)
    of_ones = [rle.spans(runs) for runs in ones]
    lengths = [len(starts) for starts, _ in of_ones]
    kept = np.flatnonzero(lengths)
    if not len(kept) or not len(others):
        return shared
    bounds = np.concatenate([side for at in kept for side in of_ones[at]])
    # Of a mask first all starts, then all ends: what lies before an end less what lies before a start.
    signs = np.concatenate([np.repeat([-1, 1], lengths[at]) for at in kept])
    firsts = np.concatenate([[0], np.cumsum([2 * lengths[at] for at in kept])[:-1]])
    at_once = max(1, MOST_QUERIES // len(bounds))
    for first in range(0, len(others), at_once):
        covered = _covered(others[first : first + at_once], bounds)
        shared[kept, first : first + at_once] = np.add.reduceat(covered * signs, firsts, axis=1).T
    return shared


def ious(found: Sequence[IntArray], truth: Sequence[IntArray], crowds: npt.ArrayLike | None = None) -> FloatArray:
    """Return the IoU of each detection with each annotated mask of the same picture, (detections, annotated).

    Parameters
    ----------
    found, truth
        Run lengths.
    crowds
        (annotated,), whether it is of many that nobody drew one by one: then the share of the detection that lies inside.
    """
    shared = intersections(found, truth)
    own, whole = areas(found)[:, None], areas(truth)[None, :]
    is_crowd = np.zeros(len(truth), np.bool_) if crowds is None else np.asarray(crowds, np.bool_)
    below = np.where(is_crowd[None, :], own, own + whole - shared)
    values: FloatArray = np.divide(shared, below, out=np.zeros(shared.shape), where=below > 0)
    return values


def _covered(masks: Sequence[IntArray], bounds: IntArray) -> IntArray:
    """Return how many foreground pixels of each mask lie before each bound, (masks, bounds).

    The masks are laid one behind the other, so that all are looked up at once.
    """
    pixels = int(masks[0].sum()) + 1
    # Behind each one pixel of background, and as many runs that the next begins with background, too.
    behind = (np.array([1, 0], np.int64), np.array([0, 1, 0], np.int64))
    runs = np.concatenate([part for mask in masks for part in (mask, behind[len(mask) % 2])])
    ends = np.cumsum(runs)
    is_foreground = np.arange(len(runs)) % 2 == 1
    before = np.concatenate([[0], np.cumsum(np.where(is_foreground, runs, 0))])
    starts = np.arange(len(masks)) * pixels
    queries = bounds[None, :] + starts[:, None]
    at = np.searchsorted(ends, queries, side="right")
    inside = np.where(is_foreground[at], queries - (ends[at] - runs[at]), 0)
    covered: IntArray = before[at] + inside
    return covered
