"""Smallest, largest, mean and standard deviation of a feature over all frames: exact sums, so that every machine has the same."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from scrubin.exports.lerobot.streams import Rgb

CHANNELS, WHITE = 3, 255
Stats = dict[str, list[Any]]


def of_whole_numbers(values: Iterable[tuple[int, int]], scale: Fraction = Fraction(1)) -> Stats:
    """Return the statistics of whole numbers times ``scale``.

    Parameters
    ----------
    values
        Ranges ``first, end`` of consecutive numbers, ``end`` excluded.
    """
    ranges = [(first, end) for first, end in values if end > first]
    count = _total(end - first for first, end in ranges)
    sums = _total((first + end - 1) * (end - first) // 2 for first, end in ranges)
    squares = _total(_squares_below(end) - _squares_below(first) for first, end in ranges)
    mean, variance = Fraction(sums, count), Fraction(squares, count) - Fraction(sums, count) ** 2
    low, high = min(first for first, _ in ranges), max(end - 1 for _, end in ranges)
    return {
        "min": [float(low * scale)],
        "max": [float(high * scale)],
        "mean": [float(mean * scale)],
        "std": [math.sqrt(variance) * float(scale)],
        "count": [count],
    }


def of_scores(scores: list[tuple[int, list[float | None]]]) -> Stats | None:
    """Return the statistics of scores per episode, each weighing as its frames do; None where a score is never there.

    Parameters
    ----------
    scores
        The number of frames and the scores of each episode.
    """
    columns = []
    for number in range(len(scores[0][1]) if scores else 0):
        there = [(count, value) for count, own in scores if (value := own[number]) is not None]
        if not there:
            return None
        frames = _total(count for count, _ in there)
        mean = math.fsum(count * value for count, value in there) / frames
        variance = math.fsum(count * (value - mean) ** 2 for count, value in there) / frames
        columns.append((min(value for _, value in there), max(value for _, value in there), mean, math.sqrt(variance)))
    named = {name: [column[place] for column in columns] for place, name in enumerate(("min", "max", "mean", "std"))}
    return named | {"count": [_total(count for count, _ in scores)]}


@dataclass
class PictureStatistics:
    """Of the red, green and blue values of pictures, from 0 to 1; shapes (3, 1, 1)."""

    pictures: int = 0
    counts: Any = field(default_factory=lambda: np.zeros((CHANNELS, WHITE + 1), np.int64))

    def add(self, picture: Rgb) -> None:
        """Take a picture, shape (height, width, 3), into account."""
        self.pictures += 1
        for channel in range(CHANNELS):
            self.counts[channel] += np.bincount(picture[:, :, channel].ravel(), minlength=WHITE + 1)

    @property
    def stats(self) -> Stats | None:
        """The statistics; None without a picture."""
        if not self.pictures:
            return None
        columns = [self._channel([int(count) for count in of]) for of in self.counts]
        named = {name: [[[column[place]]] for column in columns] for place, name in enumerate(("min", "max", "mean", "std"))}
        return named | {"count": [self.pictures]}

    @staticmethod
    def _channel(counts: list[int]) -> tuple[float, float, float, float]:
        there = [value for value, count in enumerate(counts) if count]
        pixels = _total(counts)
        mean = Fraction(_total(value * count for value, count in enumerate(counts)), pixels)
        variance = Fraction(_total(value * value * count for value, count in enumerate(counts)), pixels) - mean**2
        return there[0] / WHITE, there[-1] / WHITE, float(mean / WHITE), math.sqrt(variance) / WHITE


def _total(values: Iterable[int]) -> int:
    """Return the sum of whole numbers."""
    return sum(values)


def _squares_below(end: int) -> int:
    """Return 0 + 1 + 4 + ... + (end - 1)^2."""
    return (end - 1) * end * (2 * end - 1) // 6
