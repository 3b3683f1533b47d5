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

BoolArray = npt.NDArray[np.bool_]
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
    if not len(ones) or not len(others):
        return shared
    starts, ends, numbers = _spans(ones)
    kept = np.flatnonzero(numbers)
    if not len(kept):
        return shared
    firsts = np.concatenate([[0], np.cumsum(numbers[kept])[:-1]])
    bounds = np.concatenate([starts, ends])
    at_once = max(1, MOST_QUERIES // len(bounds))
    for first in range(0, len(others), at_once):
        some = others[first : first + at_once]
        covered = _covered(some, bounds)
        rises = covered[:, len(starts) :] - covered[:, : len(starts)]
        shared[kept, first : first + at_once] = np.add.reduceat(rises, firsts, axis=1).T
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


def _spans(masks: Sequence[IntArray]) -> tuple[IntArray, IntArray, IntArray]:
    """Return where foreground begins and ends, (spans of all masks,) each, and the number of spans of each mask, (masks,)."""
    runs, is_foreground, ends, lengths = _joined(masks)
    kept = is_foreground & (runs > 0)
    return ends[kept] - runs[kept], ends[kept], np.add.reduceat(kept, np.cumsum(lengths) - lengths, dtype=np.int64)


def _joined(masks: Sequence[IntArray]) -> tuple[IntArray, BoolArray, IntArray, IntArray]:
    """Return the runs of all masks, which of them are foreground, where each ends in its picture, and how many each mask has."""
    runs = np.concatenate(masks)
    lengths = np.array([len(one) for one in masks])
    firsts = np.cumsum(lengths) - lengths
    is_foreground = (np.arange(len(runs)) - np.repeat(firsts, lengths)) % 2 == 1
    total = np.cumsum(runs)
    ends = total - np.repeat(total[firsts] - runs[firsts], lengths)
    return runs, is_foreground, ends, lengths


def _covered(masks: Sequence[IntArray], bounds: IntArray) -> IntArray:
    """Return how many foreground pixels of each mask, and of those before, lie before each bound, (masks, bounds).

    The masks are laid one behind the other, with a pixel between them, so that all are looked up at once.
    """
    runs, is_foreground, ends, lengths = _joined(masks)
    places = np.arange(len(masks)) * (int(masks[0].sum()) + 1)
    ends = ends + np.repeat(places, lengths)
    # Foreground before a run, less its beginning where it is foreground itself; behind the last run nothing rises.
    slopes = np.zeros(len(runs) + 1, np.int64)
    slopes[:-1] = is_foreground
    levels = np.zeros(len(runs) + 1, np.int64)
    np.cumsum(runs * slopes[:-1], out=levels[1:])
    levels[:-1] -= slopes[:-1] * (ends - runs)
    queries = bounds[None, :] + places[:, None]
    at = np.searchsorted(ends, queries, side="right")
    covered: IntArray = levels[at] + slopes[at] * queries
    return covered
