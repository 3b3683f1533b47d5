"""The rate that a table of frames states where the time of each frame stands beside its number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from scrubin.labels.rates import NS

NTSC = tuple(rate * Fraction(1000, 1001) for rate in (24, 30, 60))
"""Frames per second of films that are no whole number."""


def rate_of(frames: Sequence[int], times_ns: Sequence[int], unit_ns: int) -> tuple[Fraction, tuple[float, float]] | None:
    """Return how many frames a second has, and from which to which rate the times fit; None where they say no usual rate from 0 on.

    Parameters
    ----------
    frames, times_ns
        Number and time of each row, in any order.
    unit_ns
        The unit of the last decimal: times are rounded to it, or cut off.

    >>> rate_of([0, 25, 50], [0, 1_000_000_000, 2_000_000_000], 1_000_000_000)[0], rate_of([0, 1], [0, 33_000_000], 1_000_000)[0]
    (Fraction(25, 1), Fraction(30, 1))
    """
    pairs = list(zip(frames, times_ns, strict=True))
    for before, behind in ((Fraction(unit_ns, 2), Fraction(unit_ns, 2)), (Fraction(0), Fraction(unit_ns))):
        if any(frame == 0 and time > before for frame, time in pairs):
            continue
        least = max((NS * frame / (time + behind) for frame, time in pairs), default=Fraction(0))
        most = min((NS * frame / (time - before) for frame, time in pairs if time > before), default=Fraction(0))
        frame, time = max(pairs, default=(0, 0))
        if 0 < least <= most and time and (usual := _usual(least, most)):
            likely = Fraction(NS * frame, time)
            return min(usual, key=lambda rate: abs(rate - likely)), (float(least), float(most))
    return None


def _usual(least: Fraction, most: Fraction) -> list[Fraction]:
    """Return the rates in a range that are likely: whole numbers, those of films, and a frame every so many seconds; else half numbers."""
    halves = [Fraction(twice, 2) for twice in range(max(2, math.ceil(2 * least)), math.floor(2 * most) + 1)]
    parts = [Fraction(1, seconds) for seconds in range(math.ceil(1 / most), math.floor(1 / least) + 1)]
    whole = [rate for rate in halves if rate.denominator == 1]
    return [*whole, *parts, *(rate for rate in NTSC if least <= rate <= most)] or halves
