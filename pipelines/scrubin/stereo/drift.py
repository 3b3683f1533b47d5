"""Whether a rig changed over a study: its vertical offset from recording to recording."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FEWEST = 6
LEAST_CHANGE_PX, MOST_CHANCE = 0.7, 0.01
LEAST_JUMP_PX = 1.0


@dataclass(frozen=True)
class Drift:
    """How the offset of a rig changes.

    Parameters
    ----------
    change_px
        From the first recording to the last one, by the median of all slopes (Theil and Sen).
    chance
        How often a rig that does not change looks like this or worse (Kendall's test, normal approximation).
    apart
        Places of the recordings that lie more than 1 px off the rig's median.
    """

    change_px: float
    chance: float
    apart: tuple[int, ...]

    @property
    def is_one(self) -> bool:
        """Whether there is a drift."""
        return abs(self.change_px) >= LEAST_CHANGE_PX and self.chance <= MOST_CHANCE


def drift(offsets_px: Sequence[float]) -> Drift | None:
    """Return the drift over recordings in the order of the study, NaN where nothing could be measured; None for fewer than six."""
    places = [place for place, value in enumerate(offsets_px) if math.isfinite(value)]
    if len(places) < FEWEST:
        return None
    values = np.array([offsets_px[place] for place in places])
    steps = [(b - a, values[j] - values[i]) for (i, a), (j, b) in itertools.combinations(enumerate(places), 2)]
    slope = float(np.median([rise / run for run, rise in steps]))
    concordant = int(np.sum(np.sign([rise for _, rise in steps])))
    count = len(places)
    deviation = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    score = max(0, abs(concordant) - 1) / deviation
    off = np.abs(values - np.median(values))
    apart = tuple(place for place, value in zip(places, off, strict=True) if value > LEAST_JUMP_PX)
    return Drift(slope * (places[-1] - places[0]), math.erfc(score / math.sqrt(2)), apart)
