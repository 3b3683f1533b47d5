"""When and by which name predictions are on the page: positions as released frames, ids as names of the vocabulary of the page."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from scrubin.base.vocabulary.vocabulary import Naming
from scrubin.curate.label.params import LabelParams
from scrubin.labels.model import Clock, IntArray, Labels

SAME_S = 1e-6
"""Times of labels and of frames may be written with other roundings."""
LEAST_SCORE = 0.5
"""What a program says with a lower score is not proposed; what has no score is."""
Times = npt.NDArray[np.float64]
"""Of every released frame, and the end of the last; (frames + 1,)."""


def frame_of(position: int, clock: Clock, times_s: Times) -> int:
    """Return the first released frame at or after a position; the number of frames for none."""
    if clock.period_s is None:
        return position
    return int(np.searchsorted(times_s[:-1], float(position * clock.period_s) - SAME_S))


def frames_of(positions: IntArray, clock: Clock, times_s: Times) -> dict[int, int]:
    """Return the released frame of each position that has one, by position."""
    placed = {int(one): frame_of(int(one), clock, times_s) for one in positions.tolist()}
    return {position: frame for position, frame in placed.items() if position >= 0 and 0 <= frame < len(times_s) - 1}


def step_of(positions: IntArray) -> int:
    """Return how far two predicted positions are apart that follow each other."""
    return int(np.diff(positions).min()) if len(positions) > 1 else 1


def named(labels: Labels, p: LabelParams, ids: Mapping[Naming, int]) -> list[str]:
    """Return names as the vocabulary of the page spells them."""
    names = {naming: labels.vocabulary.names(naming)[id_] for naming, id_ in ids.items()}
    return [p.classes.names(naming)[p.classes.id_of(naming, name)] for naming, name in names.items()]
