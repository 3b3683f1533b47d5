"""The search for the best split: HiGHS, from a good start, with a bound that proves how good it is.

Reproducible: HiGHS searches in an order that depends on nothing but the program, with one
thread. It stops by gap or by a number of nodes. Should the clock stop it, the split is the best
one that was known at the last checkpoint, and checkpoints lie a factor of four apart: so a
machine that is a little slower still finds the same split.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from scipy.sparse import vstack

from scrubin.core.errors import SplitError
from scrubin.splits.search.program import SCALE, TIE, Counts, Program
from scrubin.splits.search.start import start

PER_TOLERANCE = 10**6  # of HiGHS, inverted
PROVEN, NODE_LIMIT, TIME_LIMIT = "proven", "node_limit", "time_limit"
Progress = Callable[[float, float, int], None]
"""Told the objective, the bound and the number of nodes whenever a better split is found."""


@dataclass(frozen=True)
class Effort:
    """How long to search.

    Parameters
    ----------
    gap
        Imbalance by which the split may miss the best possible one; 0 = the proven best.
    node_limit
        Search nodes after which the best split so far is taken.
    time_limit_s
        Seconds after which the search stops in any case.
    """

    gap: float
    node_limit: int
    time_limit_s: float


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
        ``proven``: the search ended by itself, with the gap asked for; ``node_limit``: the best split
        within the number of nodes; ``time_limit``: the best one at the last checkpoint.
    """

    counts: Counts
    objective: float
    bound: float
    status: str


def solve(program: Program, effort: Effort, progress: Progress | None = None) -> Solution:
    """Return the best split found.

    Raises
    ------
    SplitError
        When HiGHS gives up for another reason than a limit.
    """
    first = start(program)
    solver = _solver(program, effort)
    _begin_with(solver, program, first)
    improvements: list[tuple[int, Counts]] = [(-1, first)]

    def improved(event: Any) -> None:
        counts = _counts(event.data_out.mip_solution, program)
        improvements.append((event.data_out.mip_node_count, counts))
        if progress is not None:
            progress(program.objective(counts), _bound(event.data_out.mip_dual_bound), event.data_out.mip_node_count)

    solver.cbMipImprovingSolution.subscribe(improved)
    solver.run()
    status, info = solver.getModelStatus(), solver.getInfo()
    if status == highspy.HighsModelStatus.kTimeLimit:
        reached = _checkpoint(info.mip_node_count)
        counts = next(counts for nodes, counts in reversed(improvements) if nodes <= reached)
    elif status in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kSolutionLimit):
        counts = _counts(solver.getSolution().col_value, program)
    else:
        msg = f"HiGHS found no split: {solver.modelStatusToString(status)}; report this with the table"
        raise SplitError(msg)
    ended = {highspy.HighsModelStatus.kOptimal: PROVEN, highspy.HighsModelStatus.kTimeLimit: TIME_LIMIT}.get(status, NODE_LIMIT)
    # HiGHS compares with a tolerance; the start is kept where it is as good.
    best = min([first, counts], key=program.objective)
    objective = program.objective(best)
    return Solution(best, objective, max(0.0, min(objective, _bound(info.mip_dual_bound))), ended)


def _checkpoint(nodes: int) -> int:
    """Return the last power of four up to a number of nodes; -1, the start alone, without a node.

    >>> [_checkpoint(nodes) for nodes in (0, 1, 15, 16, 5000)]
    [-1, 1, 4, 16, 4096]
    """
    return 4 ** ((nodes.bit_length() - 1) // 2) if nodes > 0 else -1


def _solver(program: Program, effort: Effort) -> highspy.Highs:
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    options: dict[str, bool | int | float | str] = {
        "output_flag": False,
        "threads": 1,
        "parallel": "off",
        "random_seed": 0,
        "mip_rel_gap": effort.gap,
        "mip_max_nodes": effort.node_limit,
        "time_limit": effort.time_limit_s,
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
    worst = max(0.0, float((terms - program.unavoidable).max()))
    solution = highspy.HighsSolution()
    solution.col_value = [*counts.ravel().astype(float), *terms.ravel(), *absent.astype(float), worst, 1.0]
    solver.setSolution(solution)


def _counts(columns: Any, program: Program) -> Counts:
    values = np.asarray(columns[: program.n_counts])
    counts: Counts = np.rint(values).astype(np.int64).reshape(len(program.groups), len(program.shares))
    return counts


def _bound(dual_bound: float) -> float:
    # The bound is on a cost with an offset of 1 and the seed's choice, which is worth at most TIE. It is
    # rounded down to the solver's own tolerance, so that its last digits do not depend on the machine.
    if not math.isfinite(dual_bound):
        return 0.0
    return math.floor((dual_bound / SCALE - 1 - TIE) * PER_TOLERANCE) / PER_TOLERANCE
