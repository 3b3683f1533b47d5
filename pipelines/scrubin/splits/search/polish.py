"""Moves and exchanges that make the objective itself smaller, until none does."""

from __future__ import annotations

import numpy as np

from scrubin.splits.measures import Floats
from scrubin.splits.search.members import Members, Whole

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
