"""Edges that stand still in a moving picture, as burned-in text does: where reading is worth its price.

Text has strokes in every one of several neighbouring cells. Cells are compared with what stood there when they were last read, so that
each text is read once, and again when it changes.
"""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.core.pixels import Box

EVERY_S = 0.5
STANDS = 3
"""So many pictures one after the other, EVERY_S apart."""
SIDE_PX = 960
EDGE = 20
"""Step of luma over two pixels; noise has more here and there, but not three times at the same place."""
CELL_PX, ROW_STEP = 8, 2
"""Every second row says as much, for half the price."""
STROKES, CHANGED = 0.05, 0.5
"""Share of a cell in which luma rises, and in which it falls; share of a cell's edges, then and now, that are not the same."""
WIDE_CELLS = 3
"""The shortest text: 24 px."""
AROUND_PX = (40, 12)
"""Margin across and down: the letters on a pale ground beside a word that stands out belong to it."""
Mask = npt.NDArray[np.uint8]


class Standing:
    """Follows the edges of a video's pictures.

    Parameters
    ----------
    width, height
        Of the pictures, in px.
    """

    def __init__(self, width: int, height: int) -> None:
        self._scale = min(1.0, SIDE_PX / max(width, height))
        self.size_px = (width, height)
        self._size = (max(CELL_PX, round(width * self._scale)), max(CELL_PX, round(height * self._scale)))
        self._cells = (self._size[0] // CELL_PX, self._size[1] // CELL_PX)
        rows = (self._size[1] + ROW_STEP - 1) // ROW_STEP
        self._before: deque[tuple[Mask, Mask]] = deque(maxlen=STANDS - 1)
        nothing = np.zeros((rows, self._size[0]), np.uint8)
        self._rises, self._falls, self._read = nothing, nothing, nothing.copy()

    def see(self, luma: npt.NDArray[np.uint8]) -> None:
        """Take in the next picture's luma, shape (height, width)."""
        small = luma if self._scale == 1 else _resized(luma, self._size)
        rises, falls = _edges(small[::ROW_STEP])
        blank = len(self._before) < STANDS - 1
        self._rises, self._falls = (np.zeros_like(rises), np.zeros_like(falls)) if blank else (rises.copy(), falls.copy())
        for before_rises, before_falls in self._before:
            self._rises &= before_rises
            self._falls &= before_falls
        self._before.append((_wider(rises), _wider(falls)))

    def unread(self) -> list[Box]:
        """Return the rectangles, in px of the video, in which something stands that could be text and was not read."""
        # A stroke has two sides; the edge of a shadow, an instrument or the round picture has one.
        strokes = np.minimum(self._shares(self._rises), self._shares(self._falls)) > STROKES
        stands, then = self._rises | self._falls, self._read
        changed = self._shares(stands ^ then) > CHANGED * self._shares(stands | then)
        joined = cv2.morphologyEx((strokes & changed).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((1, 3), np.uint8))
        _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
        return [
            self._in_video(x * CELL_PX, y * CELL_PX, w * CELL_PX, h * CELL_PX)
            for x, y, w, h, area in stats[1:].tolist()
            if w >= WIDE_CELLS and area >= WIDE_CELLS
        ]

    def mark_read(self, box_xywh: Box) -> None:
        """Take what stands in a rectangle of the video as read."""
        x, y, w, h = (value * self._scale for value in box_xywh)
        area = (slice(int(y / ROW_STEP), int(np.ceil((y + h) / ROW_STEP))), slice(int(x), int(np.ceil(x + w))))
        self._read[area] = self._rises[area] | self._falls[area]

    def _shares(self, mask: Mask) -> npt.NDArray[np.float64]:
        """Return of each cell the share that is edge."""
        across, down = self._cells
        return _resized(mask[: down * CELL_PX // ROW_STEP, : across * CELL_PX], self._cells) / 255

    def _in_video(self, x: int, y: int, w: int, h: int) -> Box:
        """Return a rectangle with a margin as one of the video."""
        left, top = (max(0, int((value - around) / self._scale)) for value, around in zip((x, y), AROUND_PX, strict=True))
        right = min(self.size_px[0], int((x + w + AROUND_PX[0]) / self._scale))
        bottom = min(self.size_px[1], int((y + h + AROUND_PX[1]) / self._scale))
        return left, top, right - left, bottom - top


def _resized(picture: Mask, size_px: tuple[int, int]) -> Mask:
    return cv2.resize(picture, size_px, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def _wider(mask: Mask) -> Mask:
    return cv2.dilate(mask, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)


def _edges(luma: npt.NDArray[np.uint8]) -> tuple[Mask, Mask]:
    """Return 255 where luma rises, and where it falls, from left to right over two pixels; else 0."""
    rises, falls = np.zeros_like(luma), np.zeros_like(luma)
    # Saturated: below 0 is 0.
    rises[:, 1:-1] = cv2.subtract(luma[:, 2:], luma[:, :-2])
    falls[:, 1:-1] = cv2.subtract(luma[:, :-2], luma[:, 2:])
    return _steep(rises), _steep(falls)


def _steep(steps: Mask) -> Mask:
    return cv2.threshold(steps, EDGE, 255, cv2.THRESH_BINARY)[1].astype(np.uint8, copy=False)
