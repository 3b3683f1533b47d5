"""Places where text stands: from which sample to which, by the strokes of its letters or by looking again."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scrubin.core.pixels import Box, shared_px
from scrubin.networks.reading import Reading
from scrubin.screen.text.strokes import Strokes

# Text is there while this much of its strokes is; of others a tenth lies there by chance; behind moving tissue half of it may fade.
PRESENT_SHARE = 0.4
AGAIN_SHARE = 0.6
FEWEST_STROKES_PX = 24
MISSES = 3
SAME_SHARE = 0.5
READINGS = 12


@dataclass
class Place:
    """Text at one place.

    Parameters
    ----------
    box_xywh
        Around everything that was read there, in pixels of the sampled picture.
    template
        Strokes of its letters; None for text that moves, or is too faint to leave any: it is followed by reading.
    first, last
        Samples of the span that is open: the first and the last in which it was there.
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

    def note(self, reading: Reading) -> None:
        """Add a reading; of many the surest are kept."""
        self.readings.append(reading)
        if len(self.readings) > READINGS:
            self.readings = sorted(self.readings, key=lambda one: -one.confidence)[:READINGS]

    def presence(self, shown: Strokes) -> float:
        """Return which share of its strokes a sample shows."""
        if self.template is None:
            return 0.0
        return (self.template & shown.crop(self.box_xywh)).count / max(self.template.count, 1)

    def see(self, sample: int, shown: Strokes) -> None:
        """Note whether it is there in a sample."""
        if self.template is None:
            return
        present = self.presence(shown) >= (PRESENT_SHARE if self.is_open else AGAIN_SHARE)
        if present:
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
            "box": self.box_xywh,
            "spans": self.spans,
            "stands": self.template is not None,
            "readings": [{"box": one.box_xywh, "text": one.text, "confidence": one.confidence} for one in self.readings],
        }


class History:
    """The strokes of the last samples, packed, to see since when something stands."""

    def __init__(self, samples: int) -> None:
        self._packed: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=samples)

    def add(self, shown: Strokes) -> None:
        """Add a sample."""
        self._packed.append((np.packbits(shown.bright, axis=1), np.packbits(shown.dark, axis=1)))

    def since(self, place: Place, sample: int) -> int:
        """Return the first sample of the span that ends with this one, which is the last one added; 0 when memory ends before it."""
        if place.template is None:
            return sample
        _, y, _, h = place.box_xywh
        first, misses = sample, 0
        width = place.box_xywh[0] + place.box_xywh[2]
        for back, (bright, dark) in enumerate(reversed(self._packed)):
            rows = (np.unpackbits(one[y : y + h], axis=1, count=width) for one in (bright, dark))
            x = place.box_xywh[0]
            shown = Strokes(*(one[:, x:] for one in rows))
            there = (place.template & shown).count >= PRESENT_SHARE * max(place.template.count, 1)
            misses = 0 if there else misses + 1
            if there:
                first = sample - back
            if misses >= MISSES:
                return first
        return first if len(self._packed) < (self._packed.maxlen or 0) else 0


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
