"""Signs that a picture of a stream is worth a look: another scene, edges that stand still.

The measure is the overlap of two histograms (Bhattacharyya) of coarse luma and chroma values. On frames of 9 sources of real
operations and 8 of real rooms, people and screens, an operation has 1 to 13 scenes, and no picture of a room belongs to one of them.

Text has strokes in every one of several neighbouring cells. Cells are compared with what stood there when they were last read, so that
each text is read once, and again when it changes. What distinguishes text from tissue that rests for a moment: nearly all of its edges
stand. On 20 films of real sources, with names of 10 to 40 px in 18 of them, 0.70 or more of the edges of 16 of 17 names stood for half a
second, of the one that moved and was large 0.65; so did those of 51 of 1,009 other places.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.base.pixels import Box

APART = 0.1
"""Pictures whose histograms overlap by less than 1 - APART are of two scenes."""
MOST = 64
"""Later pictures belong to the scene that is nearest: flicker shall not have every picture looked at."""
LIKE = 5.0
"""Mean difference of the samples, in levels, up to which a picture is of the scene of the one it is compared with. Noise has 2 to 4."""
LUMA_BINS, CHROMA_BINS = 8, 12
LUMA_SAMPLES, CHROMA_SAMPLES = (18, 32), (18, 24)
Plane = npt.NDArray[np.uint8]
_CHROMA_BIN = np.clip((np.arange(256) - 68) // 10, 0, CHROMA_BINS - 1).astype(np.intp)


class Scenes:
    """Counts the pictures of each scene."""

    def __init__(self) -> None:
        self._first = np.zeros((MOST, LUMA_BINS + CHROMA_BINS**2), np.float32)
        self._counts: list[int] = []
        self._samples: Plane = np.zeros(0, np.uint8)
        self._scene = 0

    def count(self, luma: Plane, blue: Plane, red: Plane) -> int:
        """Return how many pictures of its scene there have been with this one: 1 for a new scene.

        Parameters
        ----------
        luma, blue, red
            Planes of the picture, each of any size, 0 to 255.
        """
        sampled = [_sampled(luma, LUMA_SAMPLES), _sampled(blue, CHROMA_SAMPLES), _sampled(red, CHROMA_SAMPLES)]
        # A quarter of the samples says that nothing changed, as in nearly every picture; fetching them is what costs time.
        samples = np.concatenate([one[::2, ::2].ravel() for one in sampled])
        same_size = samples.size == self._samples.size
        if not same_size or cv2.norm(samples, self._samples, cv2.NORM_L1) > LIKE * samples.size:
            self._samples, self._scene = samples, self._nearest(_histogram(*sampled))
        self._counts[self._scene] += 1
        return self._counts[self._scene]

    def _nearest(self, histogram: npt.NDArray[np.float32]) -> int:
        """Return the scene that a histogram belongs to; a new one when it is unlike all and there is room."""
        there = len(self._counts)
        overlaps = self._first[:there] @ histogram
        nearest = int(overlaps.argmax()) if there else -1
        if there < MOST and (not there or overlaps[nearest] < 1 - APART):
            self._first[there] = histogram
            self._counts.append(0)
            nearest = there
        return nearest


def _histogram(luma: Plane, blue: Plane, red: Plane) -> npt.NDArray[np.float32]:
    """Return the roots of the shares of all luma and chroma values of the samples, which have length 1."""
    bright = np.bincount((luma // (256 // LUMA_BINS)).ravel(), minlength=LUMA_BINS) / luma.size
    joint = _CHROMA_BIN[blue] * CHROMA_BINS + _CHROMA_BIN[red]
    colour = np.bincount(joint.ravel(), minlength=CHROMA_BINS**2) / joint.size
    roots: npt.NDArray[np.float32] = np.sqrt(np.concatenate([bright, colour]) / 2).astype(np.float32)
    return roots


def _sampled(plane: Plane, size: tuple[int, int]) -> Plane:
    """Return about so many rows and columns of a plane."""
    return plane[:: max(1, plane.shape[0] // size[0]), :: max(1, plane.shape[1] // size[1])]


EVERY_S = 0.25
STANDS = 3
"""So many pictures one after the other, EVERY_S apart."""
SIDE_PX = 960
EDGE = 20
"""Step of luma over two pixels; noise has more here and there, but not three times at the same place."""
CELL_PX, ROW_STEP = 8, 2
"""Every second row says as much, for half the price."""
STROKES, CHANGED = 0.05, 0.5
"""Share of a cell in which luma rises, and in which it falls; share of a cell's edges, then and now, that are not the same."""
CELL_BITS = CELL_PX * CELL_PX // ROW_STEP
SQUARE = np.ones((3, 3), np.uint8)
WIDE_CELLS = 3
"""The shortest text: 24 px."""
AROUND_PX = (40, 12)
"""Margin across and down: the letters on a pale ground beside a word that stands out belong to it."""
Mask = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Part:
    """A rectangle, in px of the video, and the share of the edges in it, 0 to 1, that stands there."""

    box_xywh: Box
    standing: float


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
        self._before: deque[tuple[Mask, Mask]] = deque(maxlen=STANDS - 1)
        nothing = np.zeros((self._cells[1] * CELL_PX // ROW_STEP, self._cells[0] * CELL_PX), np.uint8)
        self._rises, self._falls, self._now, self._read = nothing, nothing, nothing, nothing.copy()

    def see(self, luma: npt.NDArray[np.uint8]) -> None:
        """Take in the next picture's luma, shape (height, width)."""
        small = luma if self._scale == 1 else _resized(luma, self._size)
        # Whole cells only: what is left at the right and at the bottom is narrower than any letter.
        rises, falls = _edges(small[: self._cells[1] * CELL_PX : ROW_STEP, : self._cells[0] * CELL_PX])
        wider = _wider(rises), _wider(falls)
        self._now = rises | falls
        if len(self._before) < STANDS - 1:
            rises[:], falls[:] = 0, 0
        for before_rises, before_falls in self._before:
            rises &= before_rises
            falls &= before_falls
        self._rises, self._falls = rises, falls
        self._before.append(wider)

    def unread(self) -> list[Part]:
        """Return where something stands that could be text and was not read, the most likely first."""
        # A stroke has two sides; the edge of a shadow, an instrument or the round picture has one.
        strokes = np.minimum(self._steep(self._rises), self._steep(self._falls)) > STROKES * CELL_BITS
        if not strokes.any():
            return []
        stands = self._rises | self._falls
        changed = self._steep(stands ^ self._read) > CHANGED * self._steep(stands | self._read)
        joined = cv2.morphologyEx((strokes & changed).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((1, 3), np.uint8))
        _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
        parts = [
            Part(self._in_video(x * CELL_PX, y * CELL_PX, w * CELL_PX, h * CELL_PX), self._share_standing(stands, (x, y, w, h)))
            for x, y, w, h, area in stats[1:].tolist()
            if w >= WIDE_CELLS and area >= WIDE_CELLS
        ]
        return sorted(parts, key=lambda part: (-part.standing, part.box_xywh))

    def mark_read(self, box_xywh: Box) -> None:
        """Take what stands in a rectangle of the video as read."""
        x, y, w, h = (value * self._scale for value in box_xywh)
        area = (slice(int(y / ROW_STEP), int(np.ceil((y + h) / ROW_STEP))), slice(int(x), int(np.ceil(x + w))))
        self._read[area] = self._rises[area] | self._falls[area]

    def _steep(self, mask: Mask) -> npt.NDArray[np.uint16]:
        """Return how many bits of each cell are edge."""
        across, down = self._cells
        # A row of a cell is one number of 64 bits, all of which are counted at once: a fifth of the price of an area mean.
        rows = np.bitwise_count(mask.view(np.uint64)).reshape(down, CELL_PX // ROW_STEP, across)
        counts: npt.NDArray[np.uint16] = rows.sum(axis=1, dtype=np.uint16)
        return counts

    def _share_standing(self, stands: Mask, cells_xywh: Box) -> float:
        x, y, w, h = (value * CELL_PX for value in cells_xywh)
        area = (slice(y // ROW_STEP, (y + h) // ROW_STEP), slice(x, x + w))
        return cv2.countNonZero(stands[area]) / max(1, cv2.countNonZero(self._now[area]))

    def _in_video(self, x: int, y: int, w: int, h: int) -> Box:
        """Return a rectangle with a margin as one of the video."""
        left, top = (max(0, int((value - around) / self._scale)) for value, around in zip((x, y), AROUND_PX, strict=True))
        right = min(self.size_px[0], int((x + w + AROUND_PX[0]) / self._scale))
        bottom = min(self.size_px[1], int((y + h + AROUND_PX[1]) / self._scale))
        return left, top, right - left, bottom - top


def _resized(picture: Mask, size_px: tuple[int, int]) -> Mask:
    return cv2.resize(picture, size_px, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def _wider(mask: Mask) -> Mask:
    return cv2.dilate(mask, SQUARE).astype(np.uint8, copy=False)


def _edges(luma: npt.NDArray[np.uint8]) -> tuple[Mask, Mask]:
    """Return 1 where luma rises, and where it falls, from left to right over two pixels; else 0."""
    rises, falls = np.zeros(luma.shape, np.uint8), np.zeros(luma.shape, np.uint8)
    # Saturated: below 0 is 0.
    for steps, ahead, behind in ((rises[:, 1:-1], luma[:, 2:], luma[:, :-2]), (falls[:, 1:-1], luma[:, :-2], luma[:, 2:])):
        # Not by cv2.threshold: it shares so little among threads that waiting costs more than the work.
        np.greater(cv2.subtract(ahead, behind), EDGE, out=steps.view(np.bool_))
    return rises, falls
