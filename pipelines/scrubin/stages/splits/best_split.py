"""The search for the best split, with a bound that proves how good it is.

One thread, and a limit on the nodes of its tree: no clock has a say in where it stops.

The result depends on the table, the parameters and the seed alone: work is counted in steps, never in
seconds. Where a study is small, branch and bound goes on from what the walks found, and may prove
that nothing is better; elsewhere the bound is that of every measure alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from scipy.sparse import vstack

from scrubin.base.errors import SplitError
from scrubin.stages.splits.members import Draws, Members, polish
from scrubin.stages.splits.program import SCALE, TIE, Counts, Program
from scrubin.stages.splits.walks import WINDOW, random_order, rounds

PER_TOLERANCE = 10**6  # of HiGHS, inverted
SMALL = 10_000
"""A program with more counts times imbalances is not proven within minutes."""
NODE = 1e-5
"""Work of a node, for each row and column."""


def is_small(program: Program) -> bool:
    """Return whether branch and bound is worth its work."""
    return program.n_counts * program.n_terms <= SMALL


def improved(program: Program, counts: Counts, gap: float, work: float) -> tuple[Counts, float]:
    """Return the best split that is known after so much work, no worse than the first one, and a bound.

    Raises
    ------
    SplitError
        When HiGHS gives up for another reason than a limit.
    """
    solver = _solver(program, gap, max(1, int(work / (NODE * (program.n_counts + program.n_terms)))))
    _begin_with(solver, program, counts)
    known = [counts]

    def better(event: Any) -> None:
        known.append(_counts(event.data_out.mip_solution, program))

    solver.cbMipImprovingSolution.subscribe(better)
    solver.run()
    status = solver.getModelStatus()
    if status not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kSolutionLimit):
        raise SplitError(f"HiGHS found no split: {solver.modelStatusToString(status)}; report this with the table")
    known.append(_counts(solver.getSolution().col_value, program))
    return min(known, key=program.objective), rounded_down(_bound(solver.getInfo().mip_dual_bound))


def rounded_down(bound: float) -> float:
    """Return a bound to the solver's own tolerance, so that its last digits do not depend on the machine."""
    return max(0.0, math.floor(bound * PER_TOLERANCE) / PER_TOLERANCE)


def _bound(dual_bound: float) -> float:
    # The bound is on a cost with an offset of 1 and the seed's choice, which is worth at most TIE.
    return dual_bound / SCALE - 1 - TIE if math.isfinite(dual_bound) else 0.0


def _solver(program: Program, gap: float, nodes: int) -> highspy.Highs:
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    options: dict[str, bool | int | float | str] = {
        "output_flag": False,
        "threads": 1,
        "parallel": "off",
        "random_seed": 0,
        "mip_rel_gap": gap,
        "mip_max_nodes": nodes,
    }
    for name, value in options.items():
        solver.setOptionValue(name, value)
    solver.passModel(_model(program))
    return solver


def _model(program: Program) -> highspy.HighsLp:
    rows = program.constraints()
    matrix = vstack([part.matrix for part in rows]).tocsr()
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = matrix.shape
    model.col_cost_ = program.costs()
    model.col_lower_, model.col_upper_ = program.bounds()
    model.row_lower_ = np.concatenate([part.low for part in rows])
    model.row_upper_ = np.concatenate([part.high for part in rows])
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    whole, rest = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
    model.integrality_ = [whole] * program.n_counts + [rest] * (model.num_col_ - program.n_counts)
    return model


def _begin_with(solver: highspy.Highs, program: Program, counts: Counts) -> None:
    terms = program.imbalances(counts)
    absent = (program.sums(counts)[program.tasks] < 0.5).ravel()
    worst = max(0.0, float(((terms - program.unavoidable) * program.weights[:, None]).max()))
    solution = highspy.HighsSolution()
    solution.col_value = [*counts.ravel().astype(float), *terms.ravel(), *absent.astype(float), worst, 1.0]
    solver.setSolution(solution)


def _counts(columns: Any, program: Program) -> Counts:
    values = np.asarray(columns[: program.n_counts])
    counts: Counts = np.rint(values).astype(np.int64).reshape(len(program.groups), len(program.shares))
    return counts


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
    small = is_small(program)
    limit = min(FIRST, effort.work_limit) if small else effort.work_limit
    bound = rounded_down(program.least)
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
        counts, dual = improved(program, counts, effort.gap, effort.work_limit - FIRST)
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
