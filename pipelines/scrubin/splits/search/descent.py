"""Descent to a split whose deviations are small in squares: smooth, so that every single move can be told from every other.

The objective itself has a worst imbalance, which most moves leave as it is. Squares hold the large
deviations down as well, and the change by each possible move is known at once. Whole numbers throughout.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]

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
