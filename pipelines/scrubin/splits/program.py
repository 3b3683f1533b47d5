"""The mixed-integer program of a balanced split, solved by HiGHS.

Whole numbers x[g, s] say how many members of group g go to subset s. The objective is

    mean over measures and subsets of the imbalance
    + the worst imbalance, beyond what is unavoidable because counts are whole
    + PENALTY per task that is missing in a subset.

Without that "beyond", one error that occurred twice would set the worst value for good, and
nothing else would be held down by it.

Reproducible: HiGHS searches in an order that depends on nothing but the program, also with
another number of cores, and stops by gap or node limit, never by the clock.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array

from scrubin.errors import SplitError
from scrubin.splits.groups import Group, fraction
from scrubin.splits.measures import Floats, Measure
from scrubin.splits.params import SplitsParams

PENALTY = 10.0  # more than any imbalance is worth
SCALE = 1000.0  # HiGHS takes values closer than 1e-6 for equal; scaled up, that is below any imbalance that counts
TIE = 1e-5  # the most that the seed's choice between equally good splits may cost, in imbalance
PER_TOLERANCE = 10**6  # of HiGHS, inverted
OPTIMAL, OUT_OF_TIME = 0, 1  # result.status of scipy; a node limit is 4


@dataclass(frozen=True)
class Solution:
    """How many members of each group go to each subset, and what is proven about it.

    Parameters
    ----------
    counts
        Shape (groups, subsets).
    objective
        As above; less is better.
    bound
        No split has a smaller objective; ``objective - bound`` is the proven gap.
    optimal
        Whether the search ended by itself, with the gap asked for, and not at the node limit.
    """

    counts: npt.NDArray[np.int64]
    objective: float
    bound: float
    optimal: bool


def solve(groups: Sequence[Group], measures: Sequence[Measure], p: SplitsParams) -> Solution:
    """Return the best split found.

    Raises
    ------
    SplitError
        When the time guard is reached, or no split was found within the node limit.
    """
    program = _Program(groups, measures, tuple(p.subsets.values()), p.seed)
    result = milp(
        program.costs,
        integrality=program.integrality,
        bounds=program.bounds,
        constraints=program.constraints,
        options={"mip_rel_gap": p.gap, "node_limit": p.node_limit, "time_limit": p.time_limit_s},
    )
    if result.status == OUT_OF_TIME:
        msg = (
            f"the balanced split was not found within 'splits.time_limit_s' = {p.time_limit_s:g} s; what is found by then depends on the "
            f"machine: raise it, or lower 'splits.node_limit' ({p.node_limit}), or loosen 'splits.gap' ({p.gap:g})"
        )
        raise SplitError(msg)
    if result.x is None:
        msg = f"no balanced split was found within 'splits.node_limit' = {p.node_limit}; raise it (HiGHS: {result.message})"
        raise SplitError(msg)
    counts = np.rint(result.x[: program.n_counts]).astype(np.int64).reshape(len(groups), len(p.subsets))
    objective = program.objective(counts)
    # The bound is on a cost with an offset of 1 and the seed's choice, which is worth at most TIE. It is
    # rounded down to the solver's own tolerance, so that its last digits do not depend on the machine.
    bound = math.floor((result.mip_dual_bound / SCALE - 1 - TIE) * PER_TOLERANCE) / PER_TOLERANCE
    return Solution(counts, objective, max(0.0, min(objective, bound)), result.status == OPTIMAL)


def imbalances(counts: npt.NDArray[np.int64], groups: Sequence[Group], measures: Sequence[Measure], shares: Sequence[float]) -> Floats:
    """Return the imbalance of each measure in each subset, shape (measures, subsets)."""
    sums = _sums(counts, groups, len(measures))
    targets = np.array([[measure.target(share) for share in shares] for measure in measures])
    scales = np.array([[measure.scale(share) for share in shares] for measure in measures])
    return np.asarray(np.abs(sums - targets) / scales, dtype=np.float64)


def missing(counts: npt.NDArray[np.int64], groups: Sequence[Group], measures: Sequence[Measure]) -> npt.NDArray[np.bool_]:
    """Return whether a task has no recording in a subset, shape (tasks, subsets), tasks sorted."""
    sizes = [i for i, measure in enumerate(measures) if measure.name == "recordings"]
    return np.asarray(_sums(counts, groups, len(measures))[sizes] < 0.5, dtype=np.bool_)


def _sums(counts: npt.NDArray[np.int64], groups: Sequence[Group], n_measures: int) -> Floats:
    # Exactly rounded: a matrix product differs in its last bits between processors.
    weighted = [[group.values[m] * counts[i] for i, group in enumerate(groups)] for m in range(n_measures)]
    return np.array([[math.fsum(column) for column in zip(*rows, strict=True)] for rows in weighted])


class _Program:
    """Columns: counts x, imbalance d per measure and subset, absence z per task and subset, worst, 1."""

    def __init__(self, groups: Sequence[Group], measures: Sequence[Measure], shares: Sequence[float], seed: int) -> None:
        self.groups, self.measures, self.shares = groups, measures, shares
        self.tasks = [i for i, measure in enumerate(measures) if measure.name == "recordings"]
        self.n_counts = len(groups) * len(shares)
        self.n_terms = len(measures) * len(shares)
        self.first_term = self.n_counts
        self.first_absence = self.first_term + self.n_terms
        self.worst = self.first_absence + len(self.tasks) * len(shares)
        self.width = self.worst + 2
        self.costs = self._costs(seed)
        self.integrality = np.zeros(self.width, dtype=np.int64)
        self.integrality[: self.n_counts] = 1
        self.bounds = self._bounds()
        self.constraints = [self._all_dealt(), self._none_empty(), self._deviations(), self._worst(), self._absences()]

    def objective(self, counts: npt.NDArray[np.int64]) -> float:
        terms = imbalances(counts, self.groups, self.measures, self.shares)
        beyond = terms - np.reshape(self._unavoidable(), terms.shape)
        absent = missing(counts, self.groups, self.measures)
        return float(math.fsum(terms.ravel()) / terms.size + max(0.0, beyond.max()) + PENALTY * absent.sum())

    def _costs(self, seed: int) -> Floats:
        costs = np.zeros(self.width)
        costs[self.first_term : self.first_absence] = 1 / self.n_terms
        costs[self.first_absence : self.worst] = PENALTY
        costs[self.worst] = 1
        # HiGHS stops by a relative gap. The constant 1 makes it one of the imbalance itself,
        # which may be as small as 0.
        costs[-1] = 1
        people = sum(len(group.members) for group in self.groups)
        subsets = range(len(self.shares))
        choice = [fraction(seed, group.key, str(subset)) for group in self.groups for subset in subsets]
        costs[: self.n_counts] = TIE / people * np.array(choice)
        return SCALE * costs

    def _bounds(self) -> Bounds:
        low, high = np.zeros(self.width), np.full(self.width, np.inf)
        for i, group in enumerate(self.groups):
            high[self._column(i, 0) : self._column(i + 1, 0)] = len(group.members)
            if group.pinned:
                low[self._column(i, 0)] = len(group.members)
        low[-1] = high[-1] = 1
        return Bounds(low, high)

    def _column(self, group: int, subset: int) -> int:
        return group * len(self.shares) + subset

    def _all_dealt(self) -> LinearConstraint:
        entries = [(i, self._column(i, s), 1.0) for i in range(len(self.groups)) for s in range(len(self.shares))]
        sizes = np.array([len(group.members) for group in self.groups], dtype=float)
        return LinearConstraint(self._matrix(entries, len(self.groups)), sizes, sizes)

    def _none_empty(self) -> LinearConstraint:
        entries = [(s, self._column(i, s), 1.0) for i in range(len(self.groups)) for s in range(len(self.shares))]
        return LinearConstraint(self._matrix(entries, len(self.shares)), 1, np.inf)

    def _deviations(self) -> LinearConstraint:
        # |sum - target| / scale <= d, as two rows.
        entries: list[tuple[int, int, float]] = []
        limits: list[float] = []
        for m, measure in enumerate(self.measures):
            for s, share in enumerate(self.shares):
                for sign in (1.0, -1.0):
                    row, scale = len(limits), measure.scale(share)
                    entries += [(row, self._column(i, s), sign * group.values[m] / scale) for i, group in enumerate(self.groups)]
                    entries.append((row, self.first_term + m * len(self.shares) + s, -1.0))
                    limits.append(sign * measure.target(share) / scale)
        return LinearConstraint(self._matrix(entries, len(limits)), -np.inf, limits)

    def _worst(self) -> LinearConstraint:
        entries = [(k, self.first_term + k, 1.0) for k in range(self.n_terms)] + [(k, self.worst, -1.0) for k in range(self.n_terms)]
        return LinearConstraint(self._matrix(entries, self.n_terms), -np.inf, self._unavoidable())

    def _unavoidable(self) -> list[float]:
        return [measure.unavoidable(share) for measure in self.measures for share in self.shares]

    def _absences(self) -> LinearConstraint:
        entries: list[tuple[int, int, float]] = []
        for t, measure in enumerate(self.tasks):
            for s in range(len(self.shares)):
                row = t * len(self.shares) + s
                entries += [(row, self._column(i, s), group.values[measure]) for i, group in enumerate(self.groups)]
                entries.append((row, self.first_absence + row, 1.0))
        return LinearConstraint(self._matrix(entries, len(self.tasks) * len(self.shares)), 1, np.inf)

    def _matrix(self, entries: Sequence[tuple[int, int, float]], rows: int) -> csr_array:
        row, column, value = zip(*[entry for entry in entries if entry[2] != 0], strict=True)
        return coo_array((value, (row, column)), shape=(rows, self.width)).tocsr()
