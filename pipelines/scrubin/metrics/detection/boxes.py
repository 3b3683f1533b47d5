"""Overlap of boxes, and whether boxes are what they should be.

No function changes its input: the published conversion to corners in place makes perfect predictions score 0.73 (see
`quirks`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scrubin.errors import MetricsError
from scrubin.metrics.detection.rows import FloatArray

# Annotation tools round: a box may end this much beyond the image before it is taken for something else.
SLACK = 1e-3


def corners(boxes: npt.ArrayLike) -> FloatArray:
    """Return left, top, right, bottom (..., 4) of left, top, width, height (..., 4) as a new array."""
    given = np.asarray(boxes, dtype=np.float64)
    if given.shape[-1:] != (4,):
        msg = f"boxes have the shape {given.shape}; the last axis must be left, top, width, height"
        raise MetricsError(msg)
    return np.concatenate([given[..., :2], given[..., :2] + given[..., 2:]], axis=-1)


def iou(one: npt.ArrayLike, other: npt.ArrayLike) -> FloatArray:
    """Return the intersection over union of boxes, pair by pair.

    Parameters
    ----------
    one, other
        (..., 4), left, top, width, height; broadcast against each other.

    Returns
    -------
    FloatArray
        (...), 0 to 1; 1 for equal boxes exactly. A degenerate box, whose width or height is not positive, overlaps nothing: 0.

    Raises
    ------
    MetricsError
        When the last axis is not 4 long.

    >>> iou([0, 0, 2, 2], [[1, 0, 2, 2], [0, 0, 2, 2], [0, 0, 2, 0]]).round(4).tolist()
    [0.3333, 1.0, 0.0]
    """
    return of_corners(corners(one), corners(other))


def of_corners(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the intersection over union of boxes given by their corners (..., 4)."""
    # All sizes are differences of corners, so that equal boxes have equal areas to the last bit.
    inside = np.minimum(one[..., 2:], other[..., 2:]) - np.maximum(one[..., :2], other[..., :2])
    shared = np.maximum(inside[..., 0], 0) * np.maximum(inside[..., 1], 0)
    union = _area(one) + _area(other) - shared
    overlap = np.zeros(shared.shape)
    np.divide(shared, union, out=overlap, where=shared > 0)
    return overlap


def check_normalised(boxes: npt.ArrayLike, what: str = "boxes") -> None:
    """Refuse boxes that are not left, top, width, height as shares of the image.

    Parameters
    ----------
    boxes
        (rows, 4).
    what
        What messages call them.

    Raises
    ------
    MetricsError
        With the first row, and what it looks like: undefined numbers, pixels, corners, or a degenerate box.

    >>> check_normalised([[0.1, 0.1, 0.4, 0.4]])
    >>> check_normalised([[0.5, 0.5, 0.9, 0.8]])
    Traceback (most recent call last):
    scrubin.errors.MetricsError: row 0 of the boxes is [0.5, 0.5, 0.9, 0.8], which reaches beyond the image: these look like corners; ...
    """
    given = np.asarray(boxes, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != 4:
        msg = f"the {what} have the shape {given.shape}; give left, top, width and height of each"
        raise MetricsError(msg)
    beyond = given[:, :2] + given[:, 2:] > 1 + SLACK
    rules = (
        (~np.isfinite(given).all(axis=1), "which is not finite; leave boxes without coordinates out"),
        (
            (given > 1 + SLACK).any(axis=1),
            "but shares of the image are at most 1: these look like pixels; divide by width and height of the image",
        ),
        ((given[:, 2:] <= 0).any(axis=1), "whose width or height is not positive; leave degenerate boxes out"),
        ((given[:, :2] < -SLACK).any(axis=1), "which begins before the image; clip it to 0..1"),
        (beyond.any(axis=1), "which reaches beyond the image: these look like corners; subtract left and top from right and bottom"),
    )
    for wrong, why in rules:
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            msg = f"row {at} of the {what} is {given[at].tolist()}, {why}"
            raise MetricsError(msg)


def _area(box: FloatArray) -> FloatArray:
    sides = np.maximum(box[..., 2:] - box[..., :2], 0)
    area: FloatArray = sides[..., 0] * sides[..., 1]
    return area
