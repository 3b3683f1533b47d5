"""What can be said of a frame's usefulness without a model. Whole-number arithmetic: equal on every processor.

OpenCV counts and adds bytes exactly; its sum of squares of 16-bit values is not exact and not used.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Grey = npt.NDArray[np.uint8]
ALMOST_BLACK = 5
ALMOST_WHITE = 250
HASH_ROWS, HASH_COLUMNS = 8, 9
# OpenCV's histogram counts in 32-bit floats, which are exact up to here.
EXACT_COUNT = 1 << 24
VALUES = np.arange(256, dtype=np.int64)


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
    counts = histogram(grey)
    total, squares = int(counts @ VALUES), int(counts @ (VALUES * VALUES))
    edges = np.asarray(cv2.Laplacian(grey, cv2.CV_16S, ksize=1), np.int32)
    edge_squares = int(np.sum(edges * edges, dtype=np.int64))
    return Quality(
        sharpness=_variance(int(np.sum(edges, dtype=np.int64)), edge_squares, grey.size),
        brightness=total / grey.size,
        contrast=_variance(total, squares, grey.size) ** 0.5,
        saturated_share=int(counts[: ALMOST_BLACK + 1].sum() + counts[ALMOST_WHITE:].sum()) / grey.size,
        difference=None if previous is None else int(cv2.norm(grey, previous, cv2.NORM_L1)) / grey.size,
        perceptual_hash=perceptual_hash(grey),
    )


def histogram(grey: Grey) -> npt.NDArray[np.int64]:
    """Return how often each value occurs, shape (256,)."""
    counts = np.zeros(256, np.int64)
    for part in np.array_split(grey, 1 + grey.size // EXACT_COUNT):
        counts += cv2.calcHist([part], [0], None, [256], [0, 256]).ravel().astype(np.int64)
    return counts


def perceptual_hash(grey: Grey) -> str:
    """Return a difference hash: 64 bits, whether each cell of an 8x9 grid is darker than its right neighbour."""
    rows = np.arange(HASH_ROWS + 1) * grey.shape[0] // HASH_ROWS
    columns = np.arange(HASH_COLUMNS + 1) * grey.shape[1] // HASH_COLUMNS
    cells = [[grey[top:bottom, left:right] for left, right in _pairs(columns)] for top, bottom in _pairs(rows)]
    sums = np.array([[int(cv2.sumElems(cell)[0]) for cell in row] for row in cells], np.int64)
    widths = np.diff(columns)
    # Means compared as products of sums and widths, so that nothing is rounded.
    darker = sums[:, :-1] * widths[1:] < sums[:, 1:] * widths[:-1]
    return np.packbits(darker.ravel()).tobytes().hex()


def _pairs(edges: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _variance(total: int, squares: int, count: int) -> float:
    return (squares * count - total * total) / (count * count)
