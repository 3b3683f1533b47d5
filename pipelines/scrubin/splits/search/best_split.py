"""The search for the best split, with a bound that proves how good it is.

The result depends on the table, the parameters and the seed alone: work is counted in steps, never in
seconds. Where a study is small, branch and bound goes on from what the walks found, and may prove
that nothing is better; elsewhere the bound is that of every measure alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scrubin.splits.search import branch_and_bound
from scrubin.splits.search.draws import Draws
from scrubin.splits.search.members import Members
from scrubin.splits.search.polish import polish
from scrubin.splits.search.program import TIE, Counts, Program
from scrubin.splits.search.start import random_order
from scrubin.splits.search.walks import WINDOW, rounds

PROVEN, WORK_LIMIT = "proven", "work_limit"
FIRST = 0.25
"""So much work goes before branch and bound, where there is any."""
POLISHED = 5
"""Windows of a repetition: a longer search would find the same split every time."""
Progress = Callable[[float, float, float], None]
"""Receives the objective, the bound and the work so far whenever a better split is known."""


@dataclass(frozen=True)
class Effort:
    """How long to search.

    Parameters
    ----------
    gap
        Imbalance by which the split may miss the best possible one; 0 = the proven best.
    work_limit
        Work after which the best split so far is taken; 1 is about a second of one core of 2026, but counted in steps.
    """

    gap: float
    work_limit: float


@dataclass(frozen=True)
class Solution:
    """How many members of each group go to each subset, and what is proven about it.

    Parameters
    ----------
    counts
        Shape (groups, subsets).
    objective
        That of the program; less is better.
    bound
        No split has a smaller objective; ``objective - bound`` is the proven gap.
    status
        ``proven``: the gap is as small as it has to be; ``work_limit``: the best split within the work.
    """

    counts: Counts
    objective: float
    bound: float
    status: str


def solve(program: Program, effort: Effort, progress: Progress | None = None) -> Solution:
    """Return the best split within the work; more work never gives a worse one.

    Raises
    ------
    SplitError
        When HiGHS gives up for another reason than a limit.
    """
    small = branch_and_bound.is_small(program)
    limit = min(FIRST, effort.work_limit) if small else effort.work_limit
    bound = branch_and_bound.rounded_down(program.least)
    best = None
    for one in rounds(Members(program), Draws(program.seed, "walks")):
        if progress is not None and (best is None or one.objective < best.objective):
            progress(one.objective, bound, one.work)
        best = one
        if one.work >= limit or one.objective - bound <= _enough(effort.gap):
            break
    assert best is not None
    counts, objective = best.counts, best.objective
    if small and effort.work_limit > FIRST and objective - bound > _enough(effort.gap):
        counts, dual = branch_and_bound.improved(program, counts, effort.gap, effort.work_limit - FIRST)
        objective, bound = program.objective(counts), max(bound, dual)
    proven = objective - bound <= _enough(effort.gap)
    return Solution(counts, objective, min(objective, bound), PROVEN if proven else WORK_LIMIT)


def drawn(program: Program, seed: int, repeat: int) -> Counts:
    """Return another split as good as moves and exchanges make it, from members dealt in a random order."""
    members, draws = Members(program), Draws(seed, "repetition", str(repeat))
    subset = random_order(members, draws)
    for _ in range(POLISHED):
        subset, _ = polish(members, subset, draws.some(members.free, WINDOW))
    return members.counts(subset)


def _enough(gap: float) -> float:
    # The seed's choice between equally good splits costs up to TIE, and so much does HiGHS take for nothing.
    return max(gap, 2 * TIE)
