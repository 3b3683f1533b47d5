"""How much of a planted picture's detail a released picture still shows.

Detail is a picture without its local mean. In each tile the detail of the released picture is fitted by
least squares as ``share`` x planted detail + ``other`` x clean detail; ``likeness`` is the partial correlation
of released and planted detail with the clean one held fixed. A copy has share and likeness 1, a black tile 0,
a blurred one a small share. Contrast and brightness that a tool or an encoder changed matter little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Luma = npt.NDArray[np.float32]
"""Brightness 0 to 255, shape (height, width)."""


@dataclass(frozen=True)
class Limits:
    """From which likeness and which share of detail on a tile is shown; how they were chosen stands in docs/deid.md."""

    likeness: float
    share: float


PICTURE, LETTERS = Limits(0.5, 0.2), Limits(0.4, 0.06)
"""Letters are read as long as a faint trace of each stroke is left; what is seen in a picture is not."""
SMALLEST_DETAIL = 2.0
"""Standard deviation of detail, in levels of brightness, below which a tile has nothing to show."""


@dataclass(frozen=True)
class Tiles:
    """What each tile of a picture shows; arrays of shape (rows, columns).

    Parameters
    ----------
    counted
        Whether there is any planted detail.
    shown
        Whether it is still to be seen.
    """

    counted: npt.NDArray[np.bool_]
    shown: npt.NDArray[np.bool_]

    @property
    def share(self) -> float:
        """Share of the counted tiles that are shown; NaN when none counts."""
        total = int(self.counted.sum())
        return float(self.shown.sum()) / total if total else float("nan")


def luma(bgr: npt.NDArray[np.uint8]) -> Luma:
    """Return the brightness of a picture, blue first."""
    return cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY).astype(np.float32)


def detail(picture: Luma, side_px: int) -> Luma:
    """Return a picture without its mean over squares of so many pixels."""
    return np.asarray(picture - cv2.blur(picture, (side_px, side_px)), np.float32)


def tiles(
    released: Luma, planted: Luma, clean: Luma | None, row_edges: Sequence[int], column_edges: Sequence[int], limits: Limits = PICTURE
) -> Tiles:
    """Return which tiles of a picture still show what was planted.

    Parameters
    ----------
    released, planted, clean
        Details, as of `detail`, of one shape; ``clean`` is what is in the picture anyway, None: nothing.
    row_edges, column_edges
        Where tiles begin, from 0.
    """

    def summed(values: Luma) -> npt.NDArray[np.float64]:
        rows = np.add.reduceat(values.astype(np.float64), row_edges, axis=0)
        return np.asarray(np.add.reduceat(rows, column_edges, axis=1))

    size = summed(np.ones_like(planted))
    rr, pp, rp = summed(released * released), summed(planted * planted), summed(released * planted)
    if clean is not None:
        cc = summed(clean * clean) + 1e-6
        rc, pc = summed(released * clean), summed(planted * clean)
        rr, pp, rp = rr - rc * rc / cc, pp - pc * pc / cc, rp - rc * pc / cc
    counted = pp >= SMALLEST_DETAIL**2 * size
    safe = np.maximum(pp, 1e-6)
    likeness = rp / np.sqrt(np.maximum(rr, 1e-6) * safe)
    return Tiles(counted, counted & (likeness >= limits.likeness) & (rp / safe >= limits.share))


def edges(length: int, count: int) -> list[int]:
    """Return where ``count`` parts of about the same length begin.

    >>> edges(10, 3)
    [0, 3, 6]
    """
    return [length * part // count for part in range(count)]
