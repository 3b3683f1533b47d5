"""What can be said of a frame's usefulness without a model. Whole-number arithmetic: equal on every processor."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Grey = npt.NDArray[np.uint8]
ALMOST_BLACK = 5
ALMOST_WHITE = 250
HASH_ROWS, HASH_COLUMNS = 8, 9


@dataclass(frozen=True)
class Quality:
    """Quality of one frame; see the table `frames` for meanings and units."""

    sharpness: float
    brightness: float
    contrast: float
    saturated_share: float
    difference: float | None
    perceptual_hash: str


def quality(grey: Grey, previous: Grey | None) -> Quality:
    """Return the quality of a grey image, shape (height, width), values 0 to 255.

    ``previous`` is the extracted frame before it, of the same shape, or None.
    """
    values = grey.astype(np.int64)
    edges = cv2.Laplacian(grey, cv2.CV_16S, ksize=1).astype(np.int64)
    saturated = (values <= ALMOST_BLACK) | (values >= ALMOST_WHITE)
    return Quality(
        sharpness=_variance(edges),
        brightness=int(values.sum()) / values.size,
        contrast=_variance(values) ** 0.5,
        saturated_share=int(saturated.sum()) / values.size,
        difference=None if previous is None else int(np.abs(values - previous.astype(np.int64)).sum()) / values.size,
        perceptual_hash=perceptual_hash(grey),
    )


def perceptual_hash(grey: Grey) -> str:
    """Return a difference hash: 64 bits, whether each cell of an 8x9 grid is darker than its right neighbour."""
    rows = np.arange(HASH_ROWS) * grey.shape[0] // HASH_ROWS
    columns = np.arange(HASH_COLUMNS) * grey.shape[1] // HASH_COLUMNS
    sums = np.add.reduceat(np.add.reduceat(grey.astype(np.int64), rows, axis=0), columns, axis=1)
    widths = np.diff(np.append(columns, grey.shape[1]))
    # Means compared as products of sums and widths, so that nothing is rounded.
    darker = sums[:, :-1] * widths[1:] < sums[:, 1:] * widths[:-1]
    return np.packbits(darker.ravel()).tobytes().hex()


def _variance(values: npt.NDArray[np.int64]) -> float:
    total, squares = int(values.sum()), int((values * values).sum())
    return (squares * values.size - total * total) / (values.size * values.size)
