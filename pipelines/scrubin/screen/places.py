"""Places where text persists: readings of several pictures, brought together by where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from scrubin.core.pixels import Box, shared_px
from scrubin.networks.reading import Reading

# Two rectangles are the same place when they share this much of the smaller one.
SAME_SHARE = 0.5
LETTERS = 2
GRID_PX = 8
MARGIN_SHARE = 0.25
COMPOSITE = -1
"""Stands for the composite of the whole recording where the number of a moment is expected."""


@dataclass(frozen=True)
class Sighting:
    """A reading and where it comes from: the moment's number, and which of its pictures (0 or 1)."""

    moment: int
    picture: int
    reading: Reading


@dataclass(frozen=True)
class Place:
    """Everything read at one place."""

    readings: tuple[Sighting, ...]

    @property
    def box_xywh(self) -> Box:
        """The rectangle around all readings."""
        boxes = [one.reading.box_xywh for one in self.readings]
        left, top = min(x for x, _, _, _ in boxes), min(y for _, y, _, _ in boxes)
        return left, top, max(x + w for x, _, w, _ in boxes) - left, max(y + h for _, y, _, h in boxes) - top

    @property
    def persists(self) -> bool:
        """Whether it was read in two pictures; the composite shows only what most of the recording shows."""
        return COMPOSITE in self.moments or len({(one.moment, one.picture) for one in self.readings}) > 1

    @property
    def moments(self) -> frozenset[int]:
        """The moments at which it was read."""
        return frozenset(one.moment for one in self.readings)

    @property
    def text(self) -> str:
        """The surest reading, of equally sure ones the longest."""
        best = max(self.readings, key=lambda one: (one.reading.confidence, len(one.reading.text), one.reading.text))
        return best.reading.text

    @property
    def score(self) -> float:
        """How sure the reader is: its usual confidence, 0.5 to 1, stretched to 0 to 1."""
        return round(min(max(2 * median(one.reading.confidence for one in self.readings) - 1, 0), 1), 2)


def places(seen: Iterable[Sighting]) -> list[Place]:
    """Return the places where text persists, from top to bottom.

    Readings that do not count are passed over.
    """
    groups: list[list[Sighting]] = []
    for one in seen:
        if not counts(one.reading):
            continue
        near = [group for group in groups if _same(Place(tuple(group)).box_xywh, one.reading.box_xywh)]
        groups = [group for group in groups if group not in near] + [[*(member for group in near for member in group), one]]
    kept = [Place(tuple(group)) for group in groups]
    return sorted((place for place in kept if place.persists), key=lambda place: (place.box_xywh[1], place.box_xywh[0]))


def counts(reading: Reading) -> bool:
    """Whether a reading counts: from two letters or digits on, single ones are found in every other pattern."""
    return sum(letter.isalnum() for letter in reading.text) >= LETTERS


def covering(box_xywh: Box, scale: tuple[float, float], size_px: tuple[int, int]) -> Box:
    """Return the rectangle to hide: in pixels of the video, with a margin, on a grid of 8 px, inside the picture.

    The grid keeps small differences between processors out of the table.
    """
    x, y, w, h = box_xywh
    margin = max(2.0, MARGIN_SHARE * h)
    sides = []
    for start, length, factor, limit in ((x, w, scale[0], size_px[0]), (y, h, scale[1], size_px[1])):
        low = int((start - margin) * factor // GRID_PX) * GRID_PX
        high = -int(-(start + length + margin) * factor // GRID_PX) * GRID_PX
        sides.append((max(low, 0), min(high, limit)))
    (left, right), (top, bottom) = sides
    return left, top, right - left, bottom - top


def _same(a: Box, b: Box) -> bool:
    return shared_px(a, b) >= SAME_SHARE * max(min(a[2] * a[3], b[2] * b[3]), 1)
