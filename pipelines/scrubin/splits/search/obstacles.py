"""Why a split cannot be balanced: which participants are too big, or have a fixed place.

Each obstacle is proven for one measure and subset alone: whatever else is given up, no choice of
whole participants comes nearer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.splits.search.program import Program

MATTERS = 0.05
"""An obstacle is told when it costs at least so much imbalance beyond what whole counts cost anyway."""
NAMED = 5
"""So many participants are named."""


@dataclass(frozen=True)
class Obstacle:
    """Something that no split can balance.

    Parameters
    ----------
    task, measure, subset
        What, and where.
    wanted, nearest
        The count that would be balanced, and the nearest one that whole participants reach.
    fixed
        How much of the measure belongs to participants with a fixed place.
    total
        How much of the measure there is.
    largest
        Those who have most of it: participant and count, at most ``NAMED``.
    """

    task: str
    measure: str
    subset: str
    wanted: float
    nearest: float
    fixed: float
    total: float
    largest: tuple[tuple[str, float], ...]

    def sentence(self, *, named: bool) -> str:
        """Return what is in the way; participants by name only when asked for."""
        what = f"{self.measure} in {self.subset}" + (f" ({self.task})" if self.task else "")
        who = ", ".join(f"{f'{name} ' if named else ''}{value:g}" for name, value in self.largest)
        holds = f"; {self.fixed:g} of {self.total:g} belong to participants with a fixed place" if self.fixed else ""
        near = f"{self.wanted:.1f} wanted, {self.nearest:g} is the nearest that whole participants reach"
        return f"{what}: {near}; the largest have {who}{holds}"


def obstacles(program: Program, subsets: Sequence[str], participant_of: Mapping[str, str]) -> tuple[Obstacle, ...]:
    """Return every obstacle that matters, the worst first.

    Parameters
    ----------
    program
        What was solved.
    subsets
        Names of the subsets.
    participant_of
        Participant by recording id.
    """
    rounding = np.abs(np.rint(program.targets) - program.targets) / program.scales
    excess = np.where([[measure.whole] for measure in program.measures], program.unavoidable - rounding, 0.0)
    by_excess = [
        (float(excess[m, s]), _obstacle(program, m, s, subsets[s], participant_of)) for m, s in np.argwhere(excess >= MATTERS).tolist()
    ]
    return tuple(one for _, one in sorted(by_excess, key=lambda pair: (-pair[0], pair[1].task, pair[1].measure, pair[1].subset)))


def _obstacle(program: Program, m: int, s: int, subset: str, participant_of: Mapping[str, str]) -> Obstacle:
    measure = program.measures[m]
    values = [(participant_of[member[0]], float(group.values[m])) for group in program.groups for member in group.members]
    fixed = [group.values[m] * len(group.members) for group in program.groups if group.place is not None]
    largest = tuple(sorted(values, key=lambda pair: (-pair[1], pair[0]))[:NAMED])
    return Obstacle(
        measure.task, measure.name, subset, float(program.targets[m, s]), float(program.nearest[m, s]), float(np.sum(fixed)),
        measure.total, largest,
    )  # fmt: skip
