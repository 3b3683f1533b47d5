"""Wilcoxon signed-rank tests between teams (CholecTriplet2021, section 6.4 and table 9).

Two-sided, on the differences of two teams over the same clips. Differences of 0 are dropped (Wilcoxon's own rule, `zero_method`
"wilcox"). The p-value is exact when no two differences are of the same size and at most 50 are left, else it comes from the normal
approximation with the correction for ties and without one for continuity. As in the paper, p-values are not corrected for the
number of comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.labels.formats.submission.content import FloatArray

ALPHA = 0.05
MOST_EXACT = 50
# Differences closer than rounding errors are equal.
DIGITS = 12


@dataclass(frozen=True)
class Comparison:
    """One team against another.

    Parameters
    ----------
    p
        p-value; NaN when all differences are 0.
    differences
        How many are not 0.
    plus, minus
        Sums of the ranks of the clips that the first team wins, and of those that it loses.
    method
        ``exact``, ``approximation``, or ``none``.
    """

    p: float
    differences: int
    plus: float
    minus: float
    method: str

    def better(self, alpha: float) -> bool:
        """Return whether the first team is significantly better."""
        return self.p <= alpha and self.plus > self.minus


def compare(one: FloatArray, other: FloatArray) -> Comparison:
    """Return the test of two teams.

    Parameters
    ----------
    one, other
        (clips,), scores of the same clips; a clip that is undefined for one of them is left out.
    """
    from scipy import stats

    differences = np.round(one - other, DIGITS)
    kept = differences[np.isfinite(differences) & (differences != 0)]
    if not len(kept):
        return Comparison(math.nan, 0, 0.0, 0.0, "none")
    ranks = stats.rankdata(np.abs(kept))
    plus, minus = math.fsum(ranks[kept > 0].tolist()), math.fsum(ranks[kept < 0].tolist())
    exact = len(kept) <= MOST_EXACT and len(np.unique(np.abs(kept))) == len(kept)
    method = "exact" if exact else "asymptotic"
    test = stats.wilcoxon(kept, zero_method="wilcox", correction=False, alternative="two-sided", method=method)
    return Comparison(float(test.pvalue), len(kept), plus, minus, "exact" if exact else "approximation")


def matrix(clips: Sequence[FloatArray]) -> list[list[Comparison | None]]:
    """Return the test of every team against every other one; None on the diagonal."""
    return [[None if i == j else compare(one, other) for j, other in enumerate(clips)] for i, one in enumerate(clips)]
