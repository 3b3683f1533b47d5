"""Strokes: thin things brighter or darker than their surroundings, as letters are; and where many of them stand side by side.

Three samples a second are measured. What stands still has its strokes at the same pixels in three
samples, while tissue moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.core.pixels import Box

AROUND_PX = 15
LEVELS = 14
"""A stroke differs by so much from the mean of its surroundings: twice the noise of a dark scene."""
CELL_W, CELL_H = 16, 8
CROSSINGS = 18.0
"""The 8 rows of a cell with text go into or out of a stroke at least so often: letters do it 20 to 50 times, a straight edge 8
times; of the cells of tissue that stand still one in five hundred does."""
BORDER_CELLS = 1
Map = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Strokes:
    """Bright and dark strokes of one picture: 1 where there is one, each of shape (height, width)."""

    bright: Map
    dark: Map

    def __and__(self, other: Strokes) -> Strokes:
        return Strokes(self.bright & other.bright, self.dark & other.dark)

    def __ior__(self, other: Strokes) -> Self:
        self.bright[:] |= other.bright
        self.dark[:] |= other.dark
        return self

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> Self:
        """Return a picture without any."""
        return cls(np.zeros(shape, np.uint8), np.zeros(shape, np.uint8))

    def without(self, others: Strokes) -> Strokes:
        """Return the strokes that are none of the others."""
        return Strokes(self.bright & (1 - others.bright), self.dark & (1 - others.dark))

    def wider(self) -> Strokes:
        """Return them two pixels wider on every side."""
        square = np.ones((5, 5), np.uint8)
        return Strokes(*(cv2.dilate(one, square).astype(np.uint8, copy=False) for one in (self.bright, self.dark)))

    def crop(self, box_xywh: Box) -> Strokes:
        """Return a part of both maps."""
        x, y, w, h = box_xywh
        return Strokes(self.bright[y : y + h, x : x + w], self.dark[y : y + h, x : x + w])

    @property
    def either(self) -> Map:
        """1 where there is a stroke of either kind."""
        return self.bright | self.dark

    @property
    def count(self) -> int:
        """Number of their pixels."""
        return int(cv2.countNonZero(self.bright)) + int(cv2.countNonZero(self.dark))


def strokes(gray: Map) -> Strokes:
    """Return the strokes of a picture of shape (height, width)."""
    mean = cv2.boxFilter(gray, -1, (AROUND_PX, AROUND_PX))
    bright = cv2.threshold(cv2.subtract(gray, mean), LEVELS, 1, cv2.THRESH_BINARY)[1]
    dark = cv2.threshold(cv2.subtract(mean, gray), LEVELS, 1, cv2.THRESH_BINARY)[1]
    return Strokes(bright.astype(np.uint8, copy=False), dark.astype(np.uint8, copy=False))


def text_cells(stroke_map: Map, crossings: float = CROSSINGS) -> Map:
    """Return which cells of 16x8 px look like text: 1 or 0, shape (rows, columns); the last ones may reach beyond the picture.

    Letters twice as large and more are recognised at half the size.
    """
    cells = _crossed(stroke_map, crossings)
    half = _crossed(stroke_map[::2, ::2], crossings)
    large: Map = half.repeat(2, axis=0).repeat(2, axis=1)[: cells.shape[0], : cells.shape[1]]
    return cells | large


def _crossed(stroke_map: Map, crossings: float) -> Map:
    height, width = stroke_map.shape
    down, right = -height % CELL_H, -width % CELL_W
    whole = cv2.copyMakeBorder(stroke_map, 0, down, 0, right + 1, cv2.BORDER_REPLICATE)
    crossing = cv2.bitwise_xor(whole[:, 1:], whole[:, :-1]) * np.uint8(255)
    # Whole cells: only then the mean is quick.
    share = cv2.resize(crossing, (crossing.shape[1] // CELL_W, crossing.shape[0] // CELL_H), interpolation=cv2.INTER_AREA)
    return (share >= crossings / (CELL_W * CELL_H) * 255).astype(np.uint8)


def regions(cells: Map, size_px: tuple[int, int]) -> list[tuple[Box, int]]:
    """Return rectangles around cells that hang together, in pixels, and how many cells each holds; a single cell is none.

    Neighbouring words and lines are one region.
    """
    near = cv2.dilate(cells, np.ones((3, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(near, connectivity=8)
    held = np.bincount(labels[cells > 0], minlength=count) if count > 1 else np.zeros(1, int)
    boxes = []
    for number in range(1, count):
        if held[number] > 1:
            x, y, w, h = (int(value) for value in stats[number][:4])
            left, top = (x - BORDER_CELLS) * CELL_W, (y - BORDER_CELLS) * CELL_H
            right, bottom = (x + w + BORDER_CELLS) * CELL_W, (y + h + BORDER_CELLS) * CELL_H
            left, top = max(left, 0), max(top, 0)
            boxes.append(((left, top, min(right, size_px[0]) - left, min(bottom, size_px[1]) - top), int(held[number])))
    return sorted(boxes, key=lambda one: (-one[1], one[0]))
