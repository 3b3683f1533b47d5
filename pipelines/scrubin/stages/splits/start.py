"""A split to start the search from: members are dealt one by one, then a descent makes its squares smaller.

The objective itself has a worst imbalance, which most moves leave as it is. Squares hold the large
deviations down as well, and the change by each possible move is known at once. Whole numbers throughout.

In whole numbers throughout, so that every machine takes the same moves. It needs seconds for thousands of participants.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scrubin.stages.splits.groups import Floats
from scrubin.stages.splits.members import Draws, Members, Whole

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
