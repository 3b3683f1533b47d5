"""Members one by one, and how far a split is from its targets, in whole numbers.

All numbers are whole ones kept as floats below 2**53. Sums and products of such are exact, so that
neither their order nor the processor matters: every machine takes the same moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scrubin.splits.measures import Floats
from scrubin.splits.search.program import PENALTY, WORST, Counts, Program

Whole = npt.NDArray[np.int64]
UNIT = 2.0**26
"""Whole numbers per unit of imbalance and weight."""
EXACT = 2.0**50
"""Sums of squares stay below it."""


@dataclass(frozen=True)
class Scaled:
    """Values and targets as whole numbers.

    Parameters
    ----------
    value
        Of each member, shape (subsets, members, measures).
    target
        Of each subset, shape (subsets, measures).
    """

    value: Floats
    target: Floats

    def deviations(self, subset: Whole) -> Floats:
        """Return how far each subset is from its target, shape (subsets, measures)."""
        return np.stack([value[subset == s].sum(axis=0) for s, value in enumerate(self.value)]) - self.target


class Members:
    """What the search needs to know of every member of a program's groups."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.group = np.repeat(np.arange(len(program.groups)), program.sizes)
        places = np.array([-1 if group.place is None else group.place for group in program.groups])
        self.place: Whole = places[self.group]
        """The subset in which a member must be, -1 for any."""
        self.free: Whole = np.flatnonzero(self.place < 0)
        self.subsets = len(program.shares)
        self.floor: Floats = np.rint(UNIT * program.unavoidable * program.weights[:, None]).T
        """Weighted imbalance that no split can avoid, shape (subsets, measures)."""
        self.present: Floats = np.rint(program.values[self.group][:, program.tasks])
        """Recordings of each member per task."""

    @cached_property
    def weighted(self) -> Scaled:
        """Imbalance times weight, ``UNIT`` for 1: what the objective adds up."""
        return self._scaled(self.program.weights, UNIT)

    @cached_property
    def rooted(self) -> Scaled:
        """Imbalance times the root of the weight: what the squares are of."""
        roots = np.array([math.sqrt(weight) for weight in self.program.weights])
        plain = self._scaled(roots, UNIT)
        largest = float((np.abs(plain.value).sum(axis=1) + np.abs(plain.target)).max())
        unit = UNIT
        while 16 * plain.target.size * (largest * unit / UNIT) ** 2 > EXACT and unit > 1:
            unit /= 2
        return self._scaled(roots, unit)

    def _scaled(self, factor: Floats, unit: float) -> Scaled:
        per_unit = (unit * factor[:, None] / self.program.scales).T
        values = self.program.values[self.group]
        return Scaled(np.rint(values[None] * per_unit[:, None, :]), np.rint(self.program.targets.T * per_unit))

    @property
    def terms(self) -> float:
        """Sum of the weights of all imbalances."""
        return math.fsum(self.program.weights) * self.subsets

    def cost(self, deviations: Floats, present: Floats) -> tuple[Floats, Floats, Floats]:
        """Return per subset: the sum of its imbalances, the worst one, and the tasks that are missing."""
        terms = np.abs(deviations)
        return terms.sum(axis=-1), (terms - self.floor).max(axis=-1), (present <= 0).sum(axis=-1).astype(np.float64)

    def total(self, sums: Floats, worst: Floats, absent: Floats) -> Floats:
        """Return the objective, in whole numbers."""
        return np.asarray(sums + self.terms * (WORST * np.maximum(worst, 0.0) + PENALTY * UNIT * absent), dtype=np.float64)

    def counts(self, subset: Whole) -> Counts:
        """Return the members of each group in each subset."""
        counts = np.zeros((len(self.program.groups), self.subsets), dtype=np.int64)
        np.add.at(counts, (self.group, subset), 1)
        return counts
