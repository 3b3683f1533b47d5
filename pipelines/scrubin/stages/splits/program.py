"""The mixed-integer program of a balanced split, over the counts that a subset can have at all.

Answered for one measure at a time, exactly: the sums that some choice of participants reaches,
as the bits of one whole number.

Whole numbers x[g, s] say how many members of group g go to subset s. The objective is

    mean over measures and subsets of the imbalance, weighted
    + the worst imbalance times its weight, beyond what no split can avoid for that measure alone
    + PENALTY per task that is missing in a subset.

Without that "beyond", one error that occurred twice, or one participant who recorded half of the
study, would set the worst value for good, and nothing else would be held down by it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array, eye_array, hstack, kron, vstack

from scrubin.stages.splits.cohort import RECORDINGS, Floats, Group, Measure, fraction

LARGEST_TOTAL = 200_000
"""Beyond it every count is taken for reachable: one bit per unit would take too long, and a unit matters too little."""


@dataclass(frozen=True)
class Reach:
    """What one measure can come to in a subset.

    Parameters
    ----------
    fixed
        Count per subset that participants with a fixed place bring along.
    free
        Bit n is set when some of the others add up to n; None when every count is taken for reachable.
    """

    fixed: tuple[int, ...]
    free: int | None

    def nearest(self, subset: int, target: float) -> float:
        """Return the reachable count nearest to a target; of two equally near ones the smaller.

        >>> Reach((2, 0), 0b10001).nearest(0, 4.5)
        6
        """
        if self.free is None:
            return max(target, float(self.fixed[subset]))
        wanted = target - self.fixed[subset]
        if wanted <= 0:
            return self.fixed[subset]
        below = (self.free & ((1 << (int(wanted) + 1)) - 1)).bit_length() - 1
        rest = self.free >> (int(wanted) + 1)
        if rest == 0:
            return self.fixed[subset] + below
        above = int(wanted) + (rest & -rest).bit_length()
        return self.fixed[subset] + (below if wanted - below <= above - wanted else above)


def reach(measure: int, of: Measure, groups: Sequence[Group], subsets: int) -> Reach:
    """Return what a measure can come to; ``measure`` is its place among the values of the groups."""
    fixed = [0.0] * subsets
    free: Counter[int] = Counter()
    for group in groups:
        value = group.values[measure]
        if group.place is not None:
            fixed[group.place] += value * len(group.members)
        elif value:
            free[round(value)] += len(group.members)
    whole = tuple(round(value) for value in fixed)
    if not of.whole or np.sum(of.values) > LARGEST_TOTAL:
        return Reach(whole, None)
    bits = 1
    for value, times in sorted(free.items()):
        # Any number of `times` equal values: 1, 2, 4 ... of them at once, and the rest.
        left, step = times, 1
        while left:
            taken = min(step, left)
            bits |= bits << (value * taken)
            left, step = left - taken, 2 * step
    return Reach(whole, bits)


PENALTY = 10.0  # more than any imbalance is worth
WORST = 1.0  # weight of the worst imbalance
SCALE = 1000.0  # HiGHS takes values closer than 1e-6 for equal; scaled up, that is below any imbalance that counts
TIE = 1e-5  # the most that the seed's choice between equally good splits may cost, in imbalance
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """Linear constraints: ``low <= matrix x columns <= high``."""

    matrix: csr_array
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Program:
    """Columns: counts x, imbalance d per measure and subset, absence z per task and subset, worst, 1.

    Parameters
    ----------
    groups, measures
        Who is dealt, and what is balanced.
    shares
        Share of each subset.
    seed
        Decides between equally good splits.
    """

    groups: Sequence[Group]
    measures: Sequence[Measure]
    shares: Sequence[float]
    seed: int

    @cached_property
    def values(self) -> Floats:
        """Value of one member, shape (groups, measures)."""
        return np.stack([group.values for group in self.groups])

    @cached_property
    def sizes(self) -> Counts:
        """Number of members per group."""
        return np.array([len(group.members) for group in self.groups], dtype=np.int64)

    @cached_property
    def targets(self) -> Floats:
        """Value of a perfectly balanced subset, shape (measures, subsets)."""
        return np.array([[share * measure.total for share in self.shares] for measure in self.measures])

    @cached_property
    def scales(self) -> Floats:
        """Deviation that counts as imbalance 1, shape (measures, subsets)."""
        return np.array([[measure.scale(share) for share in self.shares] for measure in self.measures])

    @cached_property
    def weights(self) -> Floats:
        """How much each measure counts."""
        return np.array([measure.weight for measure in self.measures])

    @cached_property
    def mean_weights(self) -> Floats:
        """Share of each imbalance in their mean, shape (measures, subsets)."""
        shares = self.weights / (math.fsum(self.weights) * len(self.shares))
        return np.repeat(shares[:, None], len(self.shares), axis=1)

    @cached_property
    def least_sums(self) -> Floats:
        """The least sum over subsets of the imbalance of each measure, in whole participants and whole counts."""
        alone = [math.fsum(row) for row in self.unavoidable]
        return np.array(
            [
                max(alone[m], least_rounding(self.targets[m], self.scales[m])) if measure.whole else alone[m]
                for m, measure in enumerate(self.measures)
            ]
        )

    @cached_property
    def least(self) -> float:
        """A bound: no split has a smaller objective, as each measure alone shows."""
        return math.fsum(self.least_sums * self.mean_weights[:, 0])

    @cached_property
    def nearest(self) -> Floats:
        """The reachable value nearest to the target, for one measure and subset alone, shape (measures, subsets)."""
        reached = [reach(m, measure, self.groups, len(self.shares)) for m, measure in enumerate(self.measures)]
        return np.array(
            [
                [one.nearest(s, target) if self.measures[m].whole else target for s, target in enumerate(self.targets[m])]
                for m, one in enumerate(reached)
            ],
            dtype=np.float64,
        )

    @cached_property
    def unavoidable(self) -> Floats:
        """Imbalance that no split can avoid, shape (measures, subsets)."""
        return np.asarray(np.abs(self.nearest - self.targets) / self.scales, dtype=np.float64)

    @cached_property
    def tasks(self) -> list[int]:
        """The measures that count the recordings of a task."""
        return [m for m, measure in enumerate(self.measures) if measure.name == RECORDINGS]

    @property
    def n_counts(self) -> int:
        """Number of columns that are counts."""
        return len(self.groups) * len(self.shares)

    @property
    def n_terms(self) -> int:
        """Number of imbalances."""
        return len(self.measures) * len(self.shares)

    @property
    def n_absences(self) -> int:
        """Number of pairs of task and subset."""
        return len(self.tasks) * len(self.shares)

    def imbalances(self, counts: Counts) -> Floats:
        """Return the imbalance of each measure in each subset, shape (measures, subsets)."""
        return self._imbalances(self.sums(counts))

    def _imbalances(self, sums: Floats) -> Floats:
        return np.asarray(np.abs(sums - self.targets) / self.scales, dtype=np.float64)

    def sums(self, counts: Counts) -> Floats:
        """Return the value of each measure in each subset, shape (measures, subsets)."""
        # Exactly rounded: a matrix product differs in its last bits between processors.
        return np.array([[math.fsum(self.values[:, m] * counts[:, s]) for s in range(counts.shape[1])] for m in range(len(self.measures))])

    def objective(self, counts: Counts) -> float:
        """Return what is minimised."""
        sums = self.sums(counts)
        terms = self._imbalances(sums)
        absent = int((sums[self.tasks] < 0.5).sum())
        mean = math.fsum((terms * self.mean_weights).ravel())
        worst = max(0.0, float(((terms - self.unavoidable) * self.weights[:, None]).max()))
        return mean + WORST * worst + PENALTY * absent

    def costs(self) -> Floats:
        """Return the cost of each column."""
        subsets = range(len(self.shares))
        choice = [fraction(self.seed, group.key, str(subset)) for group in self.groups for subset in subsets]
        return SCALE * np.concatenate(
            [
                TIE / int(self.sizes.sum()) * np.array(choice),
                self.mean_weights.ravel(),
                np.full(self.n_absences, PENALTY),
                # HiGHS stops by a relative gap. The constant 1 makes it one of the imbalance itself, which may be as small as 0.
                [WORST, 1.0],
            ]
        )

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the lowest and highest value of each column."""
        high = np.repeat(self.sizes, len(self.shares)).astype(np.float64)
        low = np.zeros(self.n_counts)
        for g, group in enumerate(self.groups):
            if group.place is not None:
                low[g * len(self.shares) + group.place] = len(group.members)
        rest = self.n_absences
        lowest = np.concatenate([low, self.unavoidable.ravel(), np.zeros(rest), [0.0, 1.0]])
        return lowest, np.concatenate([high, np.full(self.n_terms + rest + 1, np.inf), [1.0]])

    def constraints(self) -> list[Rows]:
        """Return all constraints."""
        return [self._all_dealt(), self._none_empty(), *self._deviations(), self._rounded(), self._worst(), self._absences()]

    def _all_dealt(self) -> Rows:
        sizes = self.sizes.astype(np.float64)
        return Rows(self._wide(kron(eye_array(len(self.groups)), np.ones((1, len(self.shares))))), sizes, sizes)

    def _none_empty(self) -> Rows:
        matrix = self._wide(kron(np.ones((1, len(self.groups))), eye_array(len(self.shares))))
        return Rows(matrix, np.ones(len(self.shares)), np.full(len(self.shares), np.inf))

    def _deviations(self) -> list[Rows]:
        # |sum - target| / scale <= d, as two sets of rows.
        scaled = vstack([self._sums_of(m, 1 / self.scales[m]) for m in range(len(self.measures))])
        limits, open_end = (self.targets / self.scales).ravel(), np.full(self.n_terms, np.inf)
        minus = -eye_array(self.n_terms)
        return [
            Rows(self._wide(hstack([scaled, minus])), -open_end, limits),
            Rows(self._wide(hstack([-scaled, minus])), -open_end, -limits),
        ]

    def _rounded(self) -> Rows:
        # Whole counts cannot all be as near to their targets as each alone: they add up to the total.
        whole = [m for m, measure in enumerate(self.measures) if measure.whole]
        low = self.least_sums[whole]
        rows = [(i, self.n_counts + m * len(self.shares) + s) for i, m in enumerate(whole) for s in range(len(self.shares))]
        return Rows(self._of(rows, len(whole)), low, np.full(len(whole), np.inf))

    def _worst(self) -> Rows:
        rows = [(k, self.n_counts + k) for k in range(self.n_terms)]
        worst = [(k, self.n_counts + self.n_terms + self.n_absences) for k in range(self.n_terms)]
        per_weight = 1 / np.repeat(self.weights, len(self.shares))
        matrix = self._of(rows, self.n_terms) - self._of(worst, self.n_terms).multiply(per_weight[:, None]).tocsr()
        return Rows(matrix, np.full(self.n_terms, -np.inf), self.unavoidable.ravel())

    def _absences(self) -> Rows:
        present = vstack([self._sums_of(m, np.ones(len(self.shares))) for m in self.tasks])
        absent = self._of([(k, self.n_counts + self.n_terms + k) for k in range(self.n_absences)], self.n_absences)
        return Rows(self._wide(present) + absent, np.ones(self.n_absences), np.full(self.n_absences, np.inf))

    def _sums_of(self, measure: int, factors: Floats) -> csr_array:
        subsets = len(self.shares)
        used = np.flatnonzero(self.values[:, measure])
        row = np.tile(np.arange(subsets), used.size)
        column = (used[:, None] * subsets + np.arange(subsets)).ravel()
        value = (self.values[used, measure][:, None] * factors).ravel()
        return coo_array((value, (row, column)), shape=(subsets, self.n_counts)).tocsr()

    def _of(self, entries: Sequence[tuple[int, int]], rows: int) -> csr_array:
        row, column = zip(*entries, strict=True)
        return coo_array((np.ones(len(row)), (row, column)), shape=(rows, self._width)).tocsr()

    def _wide(self, matrix: csr_array) -> csr_array:
        wide = csr_array(matrix)
        wide.resize((wide.shape[0], self._width))
        return wide

    @property
    def _width(self) -> int:
        return self.n_counts + self.n_terms + self.n_absences + 2


def least_rounding(targets: Floats, scales: Floats) -> float:
    """Return the least sum of imbalances of whole numbers that add up as the targets do.

    >>> round(least_rounding(np.array([2.25, 0.3, 0.45]), np.array([2.25, 1.0, 1.0])), 4)
    0.9611
    """
    counts = np.rint(targets)
    total = round(math.fsum(targets))

    def cost(s: int, value: float) -> float:
        return float(abs(value - targets[s]) / scales[s])

    def step_cost(s: int, step: int) -> float:
        return cost(s, float(counts[s]) + step) - cost(s, float(counts[s]))

    while (rest := total - int(counts.sum())) != 0:
        step = 1 if rest > 0 else -1
        counts[min((step_cost(s, step), s) for s in range(len(targets)))[1]] += step
    # Costs are convex, so that a sum which no single exchange makes smaller is the least.
    pairs = [(a, b) for a in range(len(targets)) for b in range(len(targets)) if a != b]
    while True:
        gains = [(step_cost(a, -1) + step_cost(b, 1), a, b) for a, b in pairs]
        gain, a, b = min(gains, default=(0.0, 0, 0))
        if gain >= -1e-12:
            return math.fsum(cost(s, float(counts[s])) for s in range(len(targets)))
        counts[a], counts[b] = counts[a] - 1, counts[b] + 1
