"""A thumbnail as a small vector: how often each colour, brightness and texture occurs in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.core.full_range import LEVELS
from scrubin.screen.thumbnails import Thumbnail

# 8x8 cells of the colour plane, 16 of brightness, 8 of texture: coarse, so that moving instruments change little.
COLOUR_CELLS = 8
LUMA_CELLS = 16
TEXTURE_CELLS = 8
GROUPS = (
    slice(0, COLOUR_CELLS**2),
    slice(COLOUR_CELLS**2, COLOUR_CELLS**2 + LUMA_CELLS),
    slice(COLOUR_CELLS**2 + LUMA_CELLS, COLOUR_CELLS**2 + LUMA_CELLS + TEXTURE_CELLS),
)
"""Where colour, brightness and texture stand in a histogram."""
CELLS = GROUPS[-1].stop
Histograms = npt.NDArray[np.unsignedinteger[Any]]
# Chroma of tissue and plastics lies near grey, so its middle half is resolved twice as finely.
V_CELL = np.clip((LEVELS - 64) * COLOUR_CELLS // 128, 0, COLOUR_CELLS - 1).astype(np.uint8)
U_CELL = V_CELL * COLOUR_CELLS
LUMA_CELL = (LEVELS * LUMA_CELLS // 256).astype(np.uint8)
# Steps between neighbouring points double from cell to cell: 0, 1, 2-3, 4-7 ... 64 and more.
TEXTURE_CELL = np.minimum(np.ceil(np.log2(LEVELS + 1)), TEXTURE_CELLS - 1).astype(np.uint8)


def histogram(thumbnail: Thumbnail, luma: npt.NDArray[np.int16]) -> npt.NDArray[np.int64]:
    """Return the counts of a thumbnail's cells, shape (88,); ``luma`` is its luma as wider integers."""
    colours = np.bincount((U_CELL[thumbnail.u] + V_CELL[thumbnail.v]).ravel(), minlength=COLOUR_CELLS**2)
    brightness = np.bincount(LUMA_CELL[thumbnail.y].ravel(), minlength=LUMA_CELLS)
    steps = np.abs(luma[:, 1:] - luma[:, :-1])
    return np.concatenate([colours, brightness, np.bincount(TEXTURE_CELL[steps].ravel(), minlength=TEXTURE_CELLS)])
