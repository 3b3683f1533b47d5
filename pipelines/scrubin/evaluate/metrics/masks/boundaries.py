"""Boundaries of masks and how far they lie apart: pixels, exact Euclidean distances, by *Metrics Reloaded*.

A pixel of a mask is on its boundary when one of its four neighbours is none of the mask; beyond the picture is none. The distance of a
boundary pixel to the other boundary is that between the centres of pixels, to the nearest one. That is what MetricsReloaded's and MONAI's
programs take with their first kind of neighbours; surface-distance of DeepMind weighs pieces of an outline between pixels instead, which
gives other numbers.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Squares = npt.NDArray[np.int32]
FAR = 1 << 15
"""Larger than any picture in px; its square twice fits into 32 bits, which are quicker than 64."""
AT_ONCE = 100_000
"""Distances computed together: so many stay near the processor."""


def boundary(pixels: BoolArray) -> BoolArray:
    """Return which pixels of a mask are on its boundary, (height, width).

    >>> boundary(np.ones((3, 4), bool)).astype(int).tolist()
    [[1, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]]
    """
    inner = np.zeros_like(pixels)
    middle = pixels[1:-1, 1:-1]
    inner[1:-1, 1:-1] = middle & pixels[:-2, 1:-1] & pixels[2:, 1:-1] & pixels[1:-1, :-2] & pixels[1:-1, 2:]
    edge: BoolArray = pixels & ~inner
    return edge


def distances(truth: BoolArray, found: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return how far each boundary pixel of either mask is from the boundary of the other, in px.

    Parameters
    ----------
    truth, found
        Masks of one picture, (height, width), neither empty.

    Returns
    -------
    tuple of FloatArray
        (boundary pixels of the truth,) and (boundary pixels of the prediction,).
    """
    both = truth | found
    rows, columns = np.flatnonzero(both.any(axis=1)), np.flatnonzero(both.any(axis=0))
    # What is cut off is none of either mask, as is what lies beyond the picture.
    part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    ones, others = (boundary(np.ascontiguousarray(mask[part])) for mask in (truth, found))
    return _to_nearest(ones, others), _to_nearest(others, ones)


def within(distances_px: tuple[FloatArray, FloatArray], tolerance_px: float) -> float:
    """Return the share of both boundaries that is at most so far from the other: the normalised surface distance."""
    near = sum(int((one <= tolerance_px).sum()) for one in distances_px)
    return near / sum(len(one) for one in distances_px)


def percentile_95(distances_px: tuple[FloatArray, FloatArray]) -> float:
    """Return the larger one of the 95th percentiles of both directions in px, between two values on the line through them."""
    return max(float(np.percentile(one, 95)) for one in distances_px)


def diagonal(height: int, width: int) -> float:
    """Return the length of the diagonal of a picture in px: no two pixels are as far apart."""
    return math.hypot(height, width)


def _to_nearest(ones: BoolArray, others: BoolArray) -> FloatArray:
    """Return the distance of each pixel of one set to the nearest of the other, which has some."""
    rows, columns = (numbers.astype(np.int32) for numbers in np.nonzero(ones))
    own = np.flatnonzero(others.any(axis=0)).astype(np.int32)
    upright = _in_columns(others[:, own])
    nearest = np.empty(len(rows), np.int32)
    at_once = max(1, AT_ONCE // len(own))
    for first in range(0, len(rows), at_once):
        part = slice(first, first + at_once)
        aside = columns[part, None] - own[None, :]
        aside *= aside
        aside += upright[rows[part]]
        nearest[part] = aside.min(axis=1)
    lengths: FloatArray = np.sqrt(nearest)
    return lengths


def _in_columns(pixels: BoolArray) -> Squares:
    """Return the squared distance of every pixel to the nearest one that is set in its column, (height, columns)."""
    numbers = np.arange(len(pixels), dtype=np.int32)[:, None]
    above = np.maximum.accumulate(np.where(pixels, numbers, np.int32(-FAR)), axis=0)
    below = np.minimum.accumulate(np.where(pixels, numbers, np.int32(FAR))[::-1], axis=0)[::-1]
    away: Squares = np.minimum(numbers - above, below - numbers)
    return np.ascontiguousarray(away * away)
