"""A good split to start the search from: dealt one by one, then improved move by move.

In whole numbers throughout, so that every machine takes the same moves. It needs seconds for
thousands of participants, where the search may need minutes before it has any split.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scrubin.splits.search.descent import coarser, descend
from scrubin.splits.search.groups import fraction
from scrubin.splits.search.program import PENALTY, Counts, Program

UNIT = 10**8
"""Whole numbers per unit of imbalance."""
ROUNDS = 400
"""Moves at most."""
LOOKED_AT = 120_000
"""Imbalances computed before the best of a batch of moves is taken: seconds at most for any study."""
Whole = npt.NDArray[np.int64]


def start(program: Program) -> Counts:
    """Return the members of each group in each subset, shape (groups, subsets): the largest are dealt first."""
    state = _State(program)
    return state.solved([int(i) for i in np.argsort(-state.value.sum(axis=(1, 2)), kind="stable")])


def drawn(program: Program, seed: int, repeat: int) -> Counts:
    """Return another split as good as moves and exchanges make it, from members dealt in a random order."""
    state = _State(program)
    keys = [group.key for group in program.groups]
    chance = {int(i): fraction(seed, str(repeat), keys[g], str(i)) for i, g in enumerate(state.group)}
    return state.solved(sorted(chance, key=chance.__getitem__))


class _State:
    """One entry per member; a member is moved alone, or exchanged with one of another subset."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.group = np.repeat(np.arange(len(program.groups)), program.sizes)
        # Imbalance is counted in whole numbers: value and target of each measure and subset, divided by its scale.
        self.value = np.rint(program.values[self.group][:, :, None] / program.scales * UNIT).astype(np.int64)
        self.sums = -np.rint(program.targets / program.scales * UNIT).astype(np.int64)
        self.floor = np.rint(program.unavoidable * UNIT).astype(np.int64)
        self.present = np.zeros((len(program.tasks), len(program.shares)), dtype=np.int64)
        self.counted = np.rint(program.values[self.group][:, program.tasks]).astype(np.int64)
        self.members = np.zeros(len(program.shares), dtype=np.int64)
        self.subset = np.full(self.group.size, -1)
        places = [group.place for group in program.groups]
        self.candidates = max(100, LOOKED_AT // self.floor.size)
        self.free = np.array([places[g] is None for g in self.group], dtype=bool)
        for i in np.flatnonzero(~self.free):
            place = places[self.group[i]]
            assert place is not None
            self._put(int(i), place)

    def solved(self, order: Sequence[int]) -> Counts:
        """Deal the members in an order, improve the result with and without a descent first, and count the better one."""
        self._deal([i for i in order if self.free[i]])
        dealt = self.subset.copy()
        self._improve()
        plain, cost = self.subset.copy(), self._now()
        self._settle(dealt)
        coarse = coarser(self.value, self.sums)
        self._settle(descend(self.value // coarse, self.sums // coarse, self.subset, self.free, self.members))
        self._improve()
        if cost < self._now():
            self._settle(plain)
        counts = np.zeros((len(self.program.groups), len(self.program.shares)), dtype=np.int64)
        np.add.at(counts, (self.group, self.subset), 1)
        return counts

    def _deal(self, order: Sequence[int]) -> None:
        """Place one after the other, each where it costs least."""
        for place, i in enumerate(order):
            left = len(order) - place
            empty = np.flatnonzero(self.members == 0)
            choices = empty if left <= empty.size else np.arange(len(self.program.shares))
            costs = [int(self._cost(self._with(i, int(s))[None], self._present_with(i, int(s))[None])[0]) for s in choices]
            self._put(i, int(choices[int(np.argmin(costs))]))

    def _settle(self, subset: Whole) -> None:
        """Take over where each member is."""
        for i in np.flatnonzero(subset != self.subset):
            self._leave(int(i))
            self._put(int(i), int(subset[i]))

    def _improve(self) -> None:
        """Take the best of a batch of moves, until no batch has a better one."""
        now = self._now()
        idle, offset = 0, 0
        for _ in range(ROUNDS):
            one, other, to, total = self._batch(offset)
            if one.size:
                costs = self._cost_of(one, other, to)
                best = int(np.argmin(costs))
            if one.size and costs[best] < now:
                self._move(int(one[best]), int(other[best]), int(to[best]))
                now, idle = int(costs[best]), 0
            else:
                idle += self.candidates
                offset += self.candidates
                if idle >= total:
                    return

    def _batch(self, offset: int) -> tuple[Whole, Whole, Whole, int]:
        """Return a batch of moves (member, -1 or the member exchanged with it, new subset) and how many there are."""
        free, subsets = np.flatnonzero(self.free), len(self.program.shares)
        if free.size == 0:
            return free, free, free, 0
        alone, pairs = free.size * subsets, free.size * (free.size - 1) // 2
        total = alone + min(pairs, 20 * self.candidates)
        number = (offset + np.arange(min(self.candidates, total))) % total
        single = number < alone
        # Exchanges are numbered by distance: members i and i + 1, i and i + 2, and so on.
        exchange = number - alone
        first, distance = exchange % free.size, exchange // free.size + 1
        one = np.where(single, free[number % free.size], free[first])
        other = np.where(single, -1, free[(first + distance) % free.size])
        to = np.where(single, number // free.size % subsets, self.subset[other])
        changes = (to != self.subset[one]) & (self.members[self.subset[one]] - single > 0)
        return one[changes], other[changes], to[changes], total

    def _cost_of(self, one: Whole, other: Whole, to: Whole) -> Whole:
        sums = np.repeat(self.sums[None], one.size, axis=0)
        present = np.repeat(self.present[None], one.size, axis=0)
        at, source = np.arange(one.size), self.subset[one]
        sums[at, :, source] -= self.value[one, :, source]
        sums[at, :, to] += self.value[one, :, to]
        present[at, :, source] -= self.counted[one]
        present[at, :, to] += self.counted[one]
        both = np.flatnonzero(other >= 0)
        sums[both, :, to[both]] -= self.value[other[both], :, to[both]]
        sums[both, :, source[both]] += self.value[other[both], :, source[both]]
        present[both, :, to[both]] -= self.counted[other[both]]
        present[both, :, source[both]] += self.counted[other[both]]
        return self._cost(sums, present)

    def _cost(self, sums: Whole, present: Whole) -> Whole:
        terms = np.abs(sums)
        worst = np.maximum((terms - self.floor).max(axis=(1, 2)), 0)
        absent = (present <= 0).sum(axis=(1, 2))
        n = self.floor.size
        return np.asarray(terms.sum(axis=(1, 2)) + n * worst + n * int(PENALTY * UNIT) * absent, dtype=np.int64)

    def _now(self) -> int:
        return int(self._cost(self.sums[None], self.present[None])[0])

    def _with(self, i: int, subset: int) -> Whole:
        sums = self.sums.copy()
        sums[:, subset] += self.value[i, :, subset]
        return sums

    def _present_with(self, i: int, subset: int) -> Whole:
        present = self.present.copy()
        present[:, subset] += self.counted[i]
        return present

    def _put(self, i: int, subset: int) -> None:
        self.sums, self.present = self._with(i, subset), self._present_with(i, subset)
        self.subset[i] = subset
        self.members[subset] += 1

    def _move(self, one: int, other: int, to: int) -> None:
        source = int(self.subset[one])
        moves = [(one, source, to)] + ([(other, to, source)] if other >= 0 else [])
        for member, _, entered in moves:
            self._leave(member)
            self._put(member, entered)

    def _leave(self, member: int) -> None:
        left = int(self.subset[member])
        self.sums[:, left] -= self.value[member, :, left]
        self.present[:, left] -= self.counted[member]
        self.members[left] -= 1
