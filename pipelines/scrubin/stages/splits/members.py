"""Members one by one: how far a split is from its targets, in whole numbers; moves that bring it nearer.

All numbers are whole ones kept as floats below 2**53. Sums and products of such are exact, so that
neither their order nor the processor matters: every machine takes the same moves.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scrubin.stages.splits.cohort import Floats
from scrubin.stages.splits.program import PENALTY, WORST, Counts, Program

Whole = npt.NDArray[np.int64]


class Draws:
    """A stream of random whole numbers.

    Parameters
    ----------
    seed
        Of the study.
    names
        What the stream is for; another name is another stream.
    """

    def __init__(self, seed: int, *names: str) -> None:
        digest = hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
        self._bits = np.random.PCG64(int.from_bytes(digest[:16], "big"))

    def below(self, limit: int, count: int) -> Whole:
        """Return ``count`` numbers in [0, limit)."""
        # Raw bits are the only output that numpy promises never to change.
        return np.asarray((self._bits.random_raw(count) >> np.uint64(11)) % np.uint64(limit), dtype=np.int64)

    def some(self, of: Whole, count: int) -> Whole:
        """Return ``count`` different ones in their order; all when there are no more."""
        if len(of) <= count:
            return of
        chance = self._bits.random_raw(len(of))
        return np.sort(of[np.argsort(chance, kind="stable")[:count]])


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


ROUNDS = 200
"""Moves at most."""


def polish(members: Members, subset: Whole, window: Whole) -> tuple[Whole, int]:
    """Return the subset of each member after the best moves, and how many imbalances were looked at.

    Parameters
    ----------
    members
        Who is dealt.
    subset
        Subset of each member.
    window
        Numbers of the members that may move.
    """
    subset = subset.copy()
    value = members.weighted.value
    deviations = members.weighted.deviations(subset)
    present = np.stack([members.present[subset == s].sum(axis=0) for s in range(members.subsets)])
    looked_at = 0
    for _ in range(ROUNDS):
        costs = members.cost(deviations, present)
        now = float(members.total(costs[0].sum(), costs[1].max(), costs[2].sum()))
        size = np.bincount(subset, minlength=members.subsets)
        best: tuple[float, int, int, int, int] = (now, -1, -1, -1, -1)
        for a in range(members.subsets):
            for b in range(a + 1, members.subsets):
                one, other = window[subset[window] == a], window[subset[window] == b]
                total = _exchanges(members, (a, b), (one, other), deviations, present, costs)
                # Whoever is last in a subset may be exchanged, but not leave.
                if size[a] < 2:
                    total[:-1, -1] = np.inf
                if size[b] < 2:
                    total[-1, :-1] = np.inf
                looked_at += total.size * 2 * deviations.shape[1]
                i, j = divmod(int(total.argmin()), total.shape[1])
                if total[i, j] < best[0]:
                    best = (float(total[i, j]), a, b, one[i] if i < len(one) else -1, other[j] if j < len(other) else -1)
        if best[1] < 0:
            break
        _, a, b, i, j = best
        for member, left, entered in ((i, a, b), (j, b, a)):
            if member >= 0:
                deviations[left] -= value[left, member]
                deviations[entered] += value[entered, member]
                present[left] -= members.present[member]
                present[entered] += members.present[member]
                subset[member] = entered
    return subset, looked_at


def _exchanges(
    members: Members,
    pair: tuple[int, int],
    who: tuple[Whole, Whole],
    deviations: Floats,
    present: Floats,
    costs: tuple[Floats, Floats, Floats],
) -> Floats:
    """Return the objective after each exchange between two subsets; last row and column: only one member moves."""
    rest = [s for s in range(members.subsets) if s not in pair]
    parts = [costs[0][rest].sum(), costs[1][rest].max() if rest else 0.0, costs[2][rest].sum()]
    for place, s in enumerate(pair):
        leaving, entering = (_with_nobody(members.weighted.value[s][group]) for group in (who[place], who[1 - place]))
        gone, come = (_with_nobody(members.present[group]) for group in (who[place], who[1 - place]))
        after = np.abs((deviations[s] - leaving)[:, None] + entering[None])
        left = ((present[s] - gone)[:, None] + come[None] <= 0).sum(axis=-1).astype(np.float64)
        sums = after.sum(axis=-1)
        after -= members.floor[s]
        of_subset = (sums, after.max(axis=-1), left)
        turned = [one if place == 0 else one.T for one in of_subset]
        parts = [parts[0] + turned[0], np.maximum(parts[1], turned[1]), parts[2] + turned[2]]
    return members.total(*parts)


def _with_nobody(values: Floats) -> Floats:
    return np.concatenate([values, np.zeros((1, values.shape[1]))])
