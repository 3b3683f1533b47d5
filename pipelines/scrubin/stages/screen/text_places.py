"""Places where text stands: from which sample to which, by the strokes of its letters or by looking again.

Three samples a second are measured. What stands still has its strokes at the same pixels in three
samples, while tissue moves.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Self

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.base.pixels import Box, shared_px
from scrubin.media.networks.reading import Reading

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


# Text is there while this much of its strokes is; of others a tenth lies there by chance; behind moving tissue half of it may fade.
PRESENT_SHARE = 0.4
AGAIN_SHARE = 0.6
FEWEST_STROKES_PX = 24
MISSES = 3
STILL_PX, MOVES_PX, UNSEEN_SAMPLES = 2, 24, 2
MOVED_SHARE = 0.6
"""Somewhere within ``MOVES_PX``, a fourth of the strokes lies by chance."""
SAME_SHARE = 0.5
READINGS = 12


@dataclass
class Place:
    """Text at one place.

    Parameters
    ----------
    box_xywh
        Around everything that was read there, and its way when it moves, in pixels of the sampled picture.
    template
        Strokes of its letters; None for text that moves, or is too faint to leave any: it is followed by reading.
    first, last
        Samples of the span that is open: the first and the last in which it was there.
    is_line
        Whether a line surely stands there, whatever it says.
    """

    box_xywh: Box
    template: Strokes | None
    first: int
    last: int
    readings: list[Reading] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    is_open: bool = True
    confirmed: bool = True
    next_look: int = 0
    misses: int = 0
    moves: bool = False
    step_px: tuple[int, int] = (0, 0)
    read_at: int = 0
    is_line: bool = False

    def __post_init__(self) -> None:
        self.now_xywh = self.box_xywh

    def note(self, reading: Reading, *, is_line: bool = False) -> None:
        """Add a reading; of many the surest are kept."""
        self.readings.append(reading)
        self.is_line |= is_line
        if len(self.readings) > READINGS:
            self.readings = sorted(self.readings, key=lambda one: -one.confidence)[:READINGS]

    def grow(self, box_xywh: Box, standing: Strokes | None) -> None:
        """Make it hold a rectangle as well: the first look at a line may have seen its beginning only, and slow text moves on."""
        whole = around(self.box_xywh, box_xywh)
        if whole == self.box_xywh or (self.template is not None and standing is None):
            return
        if self.template is not None and standing is not None and self.now_xywh == self.box_xywh:
            self.template, self.now_xywh = standing.crop(whole), whole
        self.box_xywh = whole

    def stand(self, box_xywh: Box, template: Strokes | None) -> None:
        """From now on know it by its strokes, which are cheaper than reading, when it has any."""
        if template is not None:
            self.template, self.now_xywh = template, box_xywh

    def presence(self, shown: Strokes) -> float:
        """Return which share of its strokes a sample shows."""
        if self.template is None:
            return 0.0
        return (self.template & shown.crop(self.now_xywh)).count / max(self.template.count, 1)

    def move(self, shown: Strokes) -> bool:
        """Follow its strokes to where they are now, at most ``MOVES_PX`` away; False when they are nowhere near."""
        if self.template is None:
            return False
        size_px = shown.bright.shape[1], shown.bright.shape[0]
        near_xywh = padded(self.now_xywh, MOVES_PX, size_px)
        near = shown.crop(near_xywh)
        bright = cv2.matchTemplate(near.bright, self.template.bright, cv2.TM_CCORR)
        _, most, _, (right, down) = cv2.minMaxLoc(bright + cv2.matchTemplate(near.dark, self.template.dark, cv2.TM_CCORR))
        if round(most) < MOVED_SHARE * max(self.template.count, 1):
            return False
        left, top, *size = self.now_xywh
        self.now_xywh = near_xywh[0] + right, near_xywh[1] + down, size[0], size[1]
        steps_px = abs(self.now_xywh[0] - left), abs(self.now_xywh[1] - top)
        if max(steps_px) > STILL_PX:
            self.moves = True
            self.step_px = max(self.step_px[0], steps_px[0]), max(self.step_px[1], steps_px[1])
        self.box_xywh = around(self.box_xywh, self.now_xywh)
        return True

    def is_there(self, shown: Strokes) -> bool:
        """Whether a sample shows it, where it was or not far away; what was gone must come back to its place."""
        share = self.presence(shown)
        return share >= AGAIN_SHARE or (self.is_open and (self.move(shown) or share >= PRESENT_SHARE))

    def see(self, sample: int, shown: Strokes) -> None:
        """Note whether it is there in a sample."""
        if self.template is None:
            return
        if self.is_there(shown):
            if not self.is_open:
                self.is_open, self.first = True, sample
            self.last, self.misses = sample, 0
        elif self.is_open:
            self.misses += 1
            if self.misses >= MISSES:
                self.close()

    def close(self) -> None:
        """End the open span at the last sample in which it was there."""
        if self.is_open:
            self.spans.append((self.first, self.last))
            self.is_open, self.misses = False, 0

    def noted(self) -> dict[str, Any]:
        """Return it as a JSON value."""
        return {
            "box": self._all_its_way(),
            "spans": self.spans,
            "stands": self.template is not None and not self.moves,
            "is_line": self.is_line,
            "readings": [{"box": one.box_xywh, "text": one.text, "confidence": one.confidence} for one in self.readings],
        }

    def _all_its_way(self) -> Box:
        """Return its rectangle with where it was before it was seen for the first time, and will be after the last."""
        x, y, w, h = self.box_xywh
        left, top = max(x - UNSEEN_SAMPLES * self.step_px[0], 0), max(y - UNSEEN_SAMPLES * self.step_px[1], 0)
        return left, top, x + w + UNSEEN_SAMPLES * self.step_px[0] - left, y + h + UNSEEN_SAMPLES * self.step_px[1] - top


class History:
    """The strokes of the last samples, packed, to see since when something stands."""

    def __init__(self, samples: int) -> None:
        self._packed: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=samples)
        self._width_px = 0

    def add(self, shown: Strokes) -> None:
        """Add a sample."""
        self._width_px = shown.bright.shape[1]
        self._packed.append((np.packbits(shown.bright, axis=1), np.packbits(shown.dark, axis=1)))

    def since(self, place: Place, sample: int) -> int:
        """Follow a new place back to where it began, and make it hold its way; the last sample added is this one.

        The first sample of the span that ends there is returned; 0 when memory ends before it.
        """
        if place.template is None:
            return sample
        back_then = Place(place.box_xywh, place.template, sample, sample)
        for back, packed in enumerate(reversed(self._packed)):
            shown = Strokes(*(np.unpackbits(one, axis=1, count=self._width_px) for one in packed))
            if back_then.is_there(shown):
                back_then.first, back_then.misses = sample - back, 0
            else:
                back_then.misses += 1
            if back_then.misses >= MISSES:
                break
        place.box_xywh, place.step_px, place.moves = back_then.box_xywh, back_then.step_px, back_then.moves
        reached_end = back_then.misses < MISSES and len(self._packed) == self._packed.maxlen
        return 0 if reached_end else back_then.first


def same(a: Box, b: Box) -> bool:
    """Whether two rectangles share half of the smaller one."""
    return shared_px(a, b) >= SAME_SHARE * max(min(a[2] * a[3], b[2] * b[3]), 1)


def around(a: Box, b: Box) -> Box:
    """Return the rectangle around two."""
    left, top = min(a[0], b[0]), min(a[1], b[1])
    return left, top, max(a[0] + a[2], b[0] + b[2]) - left, max(a[1] + a[3], b[1] + b[3]) - top


def padded(box_xywh: Box, by_px: int, size_px: tuple[int, int]) -> Box:
    """Return a rectangle with a border, inside the picture."""
    x, y, w, h = box_xywh
    left, top = max(x - by_px, 0), max(y - by_px, 0)
    return left, top, min(x + w + by_px, size_px[0]) - left, min(y + h + by_px, size_px[1]) - top
