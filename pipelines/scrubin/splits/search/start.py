"""A split to start the search from: members are dealt one by one, then a descent makes its squares smaller.

In whole numbers throughout, so that every machine takes the same moves. It needs seconds for thousands of participants.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrubin.splits.measures import Floats
from scrubin.splits.search.descent import coarser, descend
from scrubin.splits.search.draws import Draws
from scrubin.splits.search.members import Members, Whole


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
