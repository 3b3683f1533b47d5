"""Smooth motion from +, -, * and / alone.

The mathematical functions of the C library differ in their last digit from machine to
machine; these four operations do not, so that every machine draws the same pixels.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np


def ease(share: float) -> float:
    """Return how far a minimum-jerk movement has come after this share of its time.

    >>> [ease(u) for u in (-1, 0, 0.5, 1, 2)]
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    u = min(max(float(share), 0.0), 1.0)
    return u * u * u * (u * (6 * u - 15) + 10)


def wave(turns: float) -> float:
    """Return a wave much like a sine: period 1, from -1 to 1, made of parabolas.

    >>> [wave(x) for x in (0, 0.25, 0.75, 1.25)]
    [0.0, 1.0, -1.0, 1.0]
    """
    part = turns - math.floor(turns)
    if part < 0.5:
        return 16 * part * (0.5 - part)
    return -16 * (part - 0.5) * (1 - part)


@dataclass(frozen=True)
class Way:
    """A way of an instrument's tip: eased from key to key, with a tremor.

    Parameters
    ----------
    keys
        Of (time in s, x, y in px), by increasing time.
    tremor_px
        Largest deviation; unskilled hands shake more.
    phase
        Of the tremor, 0 to 1.
    """

    keys: tuple[tuple[float, int, int], ...]
    tremor_px: int = 0
    phase: float = 0.0

    def at(self, time_s: float) -> tuple[int, int]:
        """Return the position in whole px; before the first and after the last key it rests."""
        after = bisect_right(self.keys, time_s, key=lambda key: key[0])
        start = self.keys[max(after - 1, 0)]
        end = self.keys[min(after, len(self.keys) - 1)]
        share = ease((time_s - start[0]) / (end[0] - start[0])) if end[0] > start[0] else 1.0
        x = start[1] + (end[1] - start[1]) * share + self.tremor_px * wave(3.1 * time_s + self.phase)
        y = start[2] + (end[2] - start[2]) * share + self.tremor_px * wave(2.3 * time_s + 2 * self.phase)
        return math.floor(x + 0.5), math.floor(y + 0.5)


def generator(*key: int) -> np.random.Generator:
    """Return the random source of one thing of the study, independent of all others.

    Only its whole numbers are used: those are the same on every machine.
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(list(key))))


def bell(rng: np.random.Generator, spread: int) -> int:
    """Return a whole number around 0 with about this standard deviation: a sum of uniform ones."""
    # Twelve uniform numbers of variance 1/12 each have a sum of variance 1.
    return (int(rng.integers(0, 1000, 12).sum()) - 5994) * spread // 1000
