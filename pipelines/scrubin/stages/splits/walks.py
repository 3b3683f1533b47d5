"""Walks of tabu search from a start that was dealt, in windows of participants, each with a polish of the objective.

The objective itself has a worst imbalance, which most moves leave as it is. Squares hold the large
deviations down as well: what their sum changes by is known for every exchange at once from products of
pairs, whatever the number of measures. It needs seconds for thousands of participants, in whole numbers
throughout, so that every machine takes the same moves.

Work is counted in steps, never in seconds, so that a busy machine finds the same split. Rounds come one after the
other whatever the limit, so that a higher limit goes on where a lower one stops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.stages.splits.cohort import Floats
from scrubin.stages.splits.members import Draws, Members, Scaled, Whole, polish
from scrubin.stages.splits.program import Counts

WORK = 2 * 10**9
"""Multiplications at most: seconds."""
ROUNDS = 3000
"""Moves at most."""
PAIRED = 40
"""So many of the best moves each way are tried as exchanges."""


def coarser(value: Whole, sums: Whole) -> int:
    """Return the power of ten by which the numbers must be divided so that sums of their squares fit."""
    largest = max(int(np.abs(value).max()), int(np.abs(sums).max()))
    divisor = 1
    while 8 * value.shape[1] * (largest // divisor) ** 2 > np.iinfo(np.int64).max:
        divisor *= 10
    return divisor


def descend(value: Whole, sums: Whole, subset: Whole, free: npt.NDArray[np.bool_], members: Whole) -> Whole:
    """Return the subset of each member after the descent.

    Parameters
    ----------
    value
        Of each member, shape (members, measures, subsets): divided by the scale of measure and subset.
    sums
        Deviation of each subset from its target, in the same units, shape (measures, subsets).
    subset
        Subset of each member.
    free
        Whether a member may be moved.
    members
        Number of members per subset; none becomes empty.
    """
    subset, sums, members = subset.copy(), sums.copy(), members.copy()
    squares = np.einsum("ims,ims->is", value, value)
    everyone = np.arange(len(subset))
    for _ in range(min(ROUNDS, max(50, WORK // value.size))):
        linear = np.einsum("ims,ms->is", value, sums)
        leaving = (squares - 2 * linear)[everyone, subset]
        change = leaving[:, None] + squares + 2 * linear
        stuck = ~free | (members[subset] <= 1)
        change[everyone, subset] = np.iinfo(np.int64).max
        change[~free] = np.iinfo(np.int64).max
        alone = np.where(stuck[:, None], np.iinfo(np.int64).max, change)
        i, to = divmod(int(alone.argmin()), alone.shape[1])
        best, moves = int(alone[i, to]), [(i, to)]
        gain, pair = _exchange(value, change, subset)
        if gain < best:
            best, moves = gain, pair
        if best >= 0:
            break
        for member, entered in moves:
            left = subset[member]
            sums[:, left] -= value[member, :, left]
            sums[:, entered] += value[member, :, entered]
            members[left], members[entered] = members[left] - 1, members[entered] + 1
            subset[member] = entered
    return subset


def _exchange(value: Whole, change: Whole, subset: Whole) -> tuple[int, list[tuple[int, int]]]:
    """Return the best exchange among the best moves each way, and by how much it changes the squares."""
    never = np.iinfo(np.int64).max
    best: tuple[int, list[tuple[int, int]]] = (never, [])
    for a in range(change.shape[1]):
        for b in range(a + 1, change.shape[1]):
            there, back = _best(change[:, b], subset == a), _best(change[:, a], subset == b)
            if not there.size or not back.size:
                continue
            shared = np.einsum("ims,jms->ij", value[there][:, :, [a, b]], value[back][:, :, [a, b]])
            total = change[there, b][:, None] + change[back, a][None, :] - 2 * shared
            i, j = divmod(int(total.argmin()), total.shape[1])
            if total[i, j] < best[0]:
                best = int(total[i, j]), [(int(there[i]), b), (int(back[j]), a)]
    return best


def _best(change: Whole, of: npt.NDArray[np.bool_]) -> Whole:
    candidates = np.flatnonzero(of & (change < np.iinfo(np.int64).max))
    order = np.argsort(change[candidates], kind="stable")[:PAIRED]
    return candidates[order]


def largest_first(members: Members) -> Whole:
    """Return the subset of each member when those who have most of everything are dealt first."""
    order = np.argsort(-members.weighted.value.sum(axis=(0, 2)), kind="stable")
    return _descended(members, [int(i) for i in order if members.place[i] < 0])


def random_order(members: Members, draws: Draws) -> Whole:
    """Return the subset of each member when they are dealt in a random order."""
    return _descended(members, [int(i) for i in members.free[np.argsort(draws.below(2**50, len(members.free)), kind="stable")]])


def _descended(members: Members, order: Sequence[int]) -> Whole:
    subset = _dealt(members, order)
    deviations = members.weighted.deviations(subset).T.astype(np.int64)
    value = members.weighted.value.transpose(1, 2, 0).astype(np.int64)
    coarse = coarser(value, deviations)
    size = np.bincount(subset, minlength=members.subsets)
    return descend(value // coarse, deviations // coarse, subset, members.place < 0, size)


def _dealt(members: Members, order: Sequence[int]) -> Whole:
    """Place one after the other, each where it costs least; as many are left over as there are empty subsets."""
    subset = members.place.copy()
    value = members.weighted.value
    deviations = members.weighted.deviations(subset)
    present = np.stack([members.present[subset == s].sum(axis=0) for s in range(members.subsets)])
    size = np.array([(subset == s).sum() for s in range(members.subsets)])
    for place, i in enumerate(order):
        empty = np.flatnonzero(size == 0)
        choices = empty if len(order) - place <= empty.size else np.arange(members.subsets)
        costs = _costs_of(members, deviations, present, value[:, i], members.present[i])
        s = int(choices[int(np.argmin(costs[choices]))])
        deviations[s] += value[s, i]
        present[s] += members.present[i]
        size[s] += 1
        subset[i] = s
    return subset


def _costs_of(members: Members, deviations: Floats, present: Floats, value: Floats, counted: Floats) -> Floats:
    """Return the objective when one more member enters each of the subsets."""
    before, after = members.cost(deviations, present), members.cost(deviations + value, present + counted)
    entered = np.eye(members.subsets, dtype=bool)
    sums, worst, absent = (np.where(entered, new[:, None], old[None, :]) for old, new in zip(before, after, strict=True))
    return members.total(sums.sum(axis=1), worst.max(axis=1), absent.sum(axis=1))


NEVER = 2.0**60
"""Larger than any change."""
SHORTEST, LONGEST = 5, 17
"""For so many steps a member does not go back to where it was."""


def tabu(squares: Scaled, subset: Whole, window: Whole, steps: int, draws: Draws) -> tuple[Whole, Whole]:
    """Return the best split of a walk, and where the walk ended: the subset of each member.

    Parameters
    ----------
    squares
        What is squared, of all members.
    subset
        Subset of each member, where the walk begins.
    window
        Numbers of the members that may move.
    steps
        Length of the walk.
    draws
        How long moves are not taken back.
    """
    walk = _Walk(squares, subset, window)
    tenures = SHORTEST + draws.below(LONGEST - SHORTEST, 2 * steps)
    best, best_subset = 0.0, walk.subset.copy()
    for step in range(steps):
        change = walk.step(step, tenures[2 * step : 2 * step + 2])
        if change >= NEVER / 2:
            break
        if walk.changed < best:
            best, best_subset = walk.changed, walk.subset.copy()
    found, ended = subset.copy(), subset.copy()
    found[window], ended[window] = best_subset, walk.subset
    return found, ended


class _Walk:
    """Where the members of a window are, and what every move of one of them would change.

    Few arrays of few rows, because a step takes as long as numpy needs to begin with each of them. An exchange of i and j changes the
    squares by ``half[i, j] + half[j, i]``, where ``half`` is what it changes that i goes where j is, less what both share there.
    """

    def __init__(self, squares: Scaled, subset: Whole, window: Whole) -> None:
        value = squares.value[:, window]
        deviations = squares.deviations(subset)
        products = np.stack([one @ one.T for one in value])
        self.twice = 2 * products  # (subsets, window, window)
        self.own = np.stack([np.diag(one) for one in products])
        self.entering = self.own + 2 * np.stack([one @ row for one, row in zip(value, deviations, strict=True)])
        self.subset = subset[window]
        self.places = self.subset * len(window) + np.arange(len(window))  # of members, in all that has a row for each subset
        self.members = [int(count) for count in np.bincount(subset, minlength=len(value))]
        self.until = np.zeros(self.own.shape, dtype=np.int64)
        self.twice_own = 2 * self.own.take(self.places)
        self.together = self.twice.reshape(-1, len(window)).take(self.places, axis=0)
        self.changed = 0.0

    def step(self, step: int, tenures: Whole) -> float:
        """Take the best move and return by how much it changes the sum of squares; ``NEVER`` when there is none."""
        subset = self.subset
        moved = self.entering + (self.twice_own - self.entering.take(self.places))
        np.putmask(moved, self.until > step, NEVER)
        moved.put(self.places, NEVER)  # so that members of one subset exchange nothing
        half = moved.take(subset, axis=0)
        half -= self.together
        exchanged = half + half.T
        if min(self.members) <= 1:
            moved[:, np.array(self.members)[subset] <= 1] = NEVER
        # Of equally good ones the first member's.
        alone, pair = int(moved.T.argmin()), int(exchanged.argmin())
        first, to = divmod(alone, len(moved))
        change, moves = float(moved[to, first]), [(first, to)]
        one, other = divmod(pair, len(subset))
        if exchanged[one, other] < change:
            change, moves = float(exchanged[one, other]), [(one, int(subset[other])), (other, int(subset[one]))]
        if change >= NEVER / 2:
            return NEVER
        for (member, entered), tenure in zip(moves, tenures, strict=False):
            self.until[subset[member], member] = step + tenure
            self._move(member, entered)
        self.changed += change
        return change

    def _move(self, member: int, entered: int) -> None:
        left = int(self.subset[member])
        self.entering[left] -= self.twice[left, member]
        self.entering[entered] += self.twice[entered, member]
        self.together[member] = self.twice[entered, member]
        self.twice_own[member] = 2 * self.own[entered, member]
        self.members[left], self.members[entered] = self.members[left] - 1, self.members[entered] + 1
        self.subset[member] = entered
        self.places[member] = entered * len(self.subset) + member


WORK_OF_A_WALK = 10**9
"""Steps of one unit of work, about a second of one core of 2026."""
WINDOW = 120
"""So many participants move at once."""
WALK, KICK = 500, 4
"""Steps of a walk where all participants move, and where they are too many for that."""


@dataclass(frozen=True)
class Round:
    """What is known after a round.

    Parameters
    ----------
    counts
        The best split so far, shape (groups, subsets).
    objective
        That of the program.
    work
        Done since the start, in units of ``WORK``.
    """

    counts: Counts
    objective: float
    work: float


def rounds(members: Members, draws: Draws) -> Iterator[Round]:
    """Yield the state after each round, without end; the first one is the start."""
    program = members.program
    work = dealing = 1000 * members.weighted.value.size
    best = walking = largest_first(members)
    counts, objective, walk, length = members.counts(best), program.objective(members.counts(best)), 0, 1
    while True:
        yield Round(counts, objective, work / WORK_OF_A_WALK)
        window = draws.some(members.free, WINDOW)
        if len(window) == 0:
            work += WORK_OF_A_WALK
            continue
        # Few participants: one walk goes on and on, and begins anew after 1, 2, 4 ... rounds. Many: some of them leave the best split.
        few = len(window) == len(members.free)
        if few and walk == length:
            walking, walk, length = random_order(members, draws), 0, 2 * length
            work += dealing
        found, ended = tabu(members.rooted, walking if few else best, window, WALK if few else KICK, draws)
        walking, walk = ended, walk + 1
        polished, looked_at = polish(members, found if few else ended, window)
        work += _steps(members, len(window), WALK if few else KICK) + 6 * looked_at
        if (value := program.objective(members.counts(polished))) < objective:
            best, counts, objective = polished, members.counts(polished), value


def _steps(members: Members, window: int, walk: int) -> int:
    """Return what a walk costs beside the polish: its steps, and what is computed before the first one."""
    subsets, everyone, measures = (int(n) for n in members.weighted.value.shape)
    return walk * (10 * window * window + 30_000) + subsets * measures * (60 * everyone + window * window) + 1_000_000
