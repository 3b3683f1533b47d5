"""An axis of values: round numbers that span them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

TICKS = 5


@dataclass(frozen=True)
class Axis:
    """An axis.

    Parameters
    ----------
    ticks
        Round numbers, increasing; all values lie between the first and the last.
    start_px, stop_px
        Where these two lie.
    """

    ticks: tuple[float, ...]
    start_px: float
    stop_px: float

    def at(self, value: float) -> float:
        """Return where a value lies."""
        low, high = self.ticks[0], self.ticks[-1]
        return round(self.start_px + (value - low) / (high - low) * (self.stop_px - self.start_px), 2)


def axis(values: Sequence[float], start_px: float, stop_px: float) -> Axis:
    """Return an axis that holds all values.

    >>> axis([0.12, 0.48], 0, 100).ticks
    (0.1, 0.2, 0.3, 0.4, 0.5)
    """
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        low, high = low - (abs(low) or 1) * 0.1, high + (abs(high) or 1) * 0.1
    size = math.floor(math.log10((high - low) / TICKS))
    step = next(one * 10.0**size for one in (1, 2, 5, 10) if (high - low) / (one * 10.0**size) <= TICKS)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Axis(tuple(round(at * step, max(0, 1 - size)) for at in range(first, last + 1)), start_px, stop_px)
