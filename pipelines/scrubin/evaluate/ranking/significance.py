"""Which teams can be told apart: Wilcoxon signed-rank tests with Holm's correction, groups of teams.

The unit of a test should be independent of the others. Videos are; clips of one video are not (same patient, same surgeon), so a
test over clips finds differences that would not come back with other videos. CholecTriplet2021 (section 6.4 and table 9) tested over
clips and corrected nothing: both can be had.

Two-sided, on the differences of two teams over the same units. Differences of 0 are dropped (Wilcoxon's own rule, `zero_method`
"wilcox" of scipy). Up to 50 differences the p-value is exact, also where some are of the same size: it is the share of all patterns
of signs that are at least as extreme with these ranks. Beyond that it is the normal approximation, with the correction for ties and
without one for continuity.

Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6(2), 65-70, over all pairs
of teams that can be tested: the chance of even one wrong "better" is at most alpha, however the tests depend on each other.

A group is a largest possible set of teams no two of which differ significantly. "Not different" is not transitive, so a team may be in
several groups: the first and the last team of a ranking may differ while neither differs from the one between them. Each group has a
letter, and two teams share a letter exactly when they cannot be told apart (the compact letter display of Piepho (2004), "An algorithm
for a letter-based representation of all-pairwise comparisons", Journal of Computational and Graphical Statistics 13(2), 456-466).

Groups need not be neighbours by rank: a team between two others can differ from both where they do not differ from each other, because
its differences come back in every video and theirs do not. Such a group says so.
"""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scrubin.base import statistics
from scrubin.evaluate.choices import Correction
from scrubin.labels.formats.submission.content import BoolArray, FloatArray

MOST_EXACT = 50
LEAST_APART = 4 * 2.0**-52
"""Numbers that are apart by less may be the same, however small they are: 1 - 0.9999999999999999 stands for 0."""


@dataclass(frozen=True)
class TeamTest:
    """One team against another.

    Parameters
    ----------
    p
        p-value; NaN when all differences are 0.
    differences
        How many are not 0.
    plus, minus
        Sums of the ranks of the units that the first team wins, and of those that it loses.
    method
        ``exact``, ``approximation``, or ``none``.
    adjusted
        p-value after the correction, NaN as that one; until then the same.
    """

    p: float
    differences: int
    plus: float
    minus: float
    method: str
    adjusted: float

    def better(self, alpha: float) -> bool:
        """Return whether the first team is significantly better."""
        return self.adjusted <= alpha and self.plus > self.minus


def largest_of(values: FloatArray) -> float:
    """Return the largest size of a defined value: what rounding of their sum, or of their mean, is measured by.

    >>> largest_of(np.array([0.5, np.nan, -2.0, np.inf]))
    2.0
    """
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def rounding(largest: FloatArray) -> FloatArray:
    """Return by how much numbers may be wrong by rounding alone.

    Parameters
    ----------
    largest
        Per number the largest size of what it was computed from; what is not finite has none.

    >>> rounding(np.array([1e6, -1.0, 0.0, np.nan])).tolist()
    [1e-06, 1e-12, 8.881784197001252e-16, 8.881784197001252e-16]
    """
    wrong: FloatArray = np.maximum(statistics.ROUNDING * np.where(np.isfinite(largest), np.abs(largest), 0.0), LEAST_APART)
    return wrong


def compare(one: FloatArray, other: FloatArray) -> TeamTest:
    """Return the test of two teams, not corrected.

    A difference has the rounding of its own two values, however large others are.

    Parameters
    ----------
    one, other
        (units,), scores of the same videos or clips, more is better; one that is undefined for a team is left out.
    """
    differences, wrong = one - other, np.maximum(rounding(one), rounding(other))
    counted = np.isfinite(differences) & (np.abs(differences) > wrong)
    kept = differences[counted]
    if not len(kept):
        return TeamTest(math.nan, 0, 0.0, 0.0, "none", math.nan)
    levels = _levels(np.abs(kept), wrong[counted])
    tied = np.bincount(levels)
    # Twice the mean ranks are whole numbers.
    doubled = (2 * (np.cumsum(tied) - tied) + tied + 1)[levels].astype(np.int64)
    plus, minus = int(doubled[kept > 0].sum()), int(doubled[kept < 0].sum())
    exact = len(kept) <= MOST_EXACT
    p = _exact(doubled, min(plus, minus)) if exact else _approximation(plus / 2, tied)
    return TeamTest(p, len(kept), plus / 2, minus / 2, "exact" if exact else "approximation", p)


def _levels(sizes: FloatArray, wrong: FloatArray) -> npt.NDArray[np.int64]:
    """Return on which level each size is, from 0: the next larger one is on the same where rounding of either may part them."""
    order = np.argsort(sizes, kind="stable")
    steps = np.diff(sizes[order]) > np.maximum(wrong[order][1:], wrong[order][:-1])
    levels = np.zeros(len(sizes), np.int64)
    levels[order[1:]] = np.cumsum(steps)
    return levels


def comparable(values: FloatArray, annotated: Sequence[bool] | None = None) -> BoolArray:
    """Return the units on which teams are compared, (units,): those with anything annotated in which any team has a value.

    Where nothing is annotated, a team has a value only for what it invents.

    Parameters
    ----------
    values
        (teams, units), where what a team did not give is filled in.
    annotated
        (units,); None where no labels are at hand: then units that are defined for every team with any value at all.

    >>> comparable(np.array([[0.9, np.nan], [0.8, 0.0], [np.nan, np.nan]])).tolist()
    [True, False]
    """
    defined = ~np.isnan(values)
    is_annotated = defined[defined.any(axis=1)].all(axis=0) if annotated is None else np.array(annotated, np.bool_)
    every: BoolArray = np.logical_and(defined.any(axis=0), is_annotated)
    return every


def matrix(values: Sequence[FloatArray], correction: Correction = "holm") -> list[list[TeamTest | None]]:
    """Return the test of every team against every other one; None on the diagonal."""
    pairs = list(itertools.combinations(range(len(values)), 2))
    tests = {pair: compare(values[pair[0]], values[pair[1]]) for pair in pairs}
    p_values = [tests[pair].p for pair in pairs]
    adjusted = holm(p_values) if correction == "holm" else p_values
    both: list[list[TeamTest | None]] = [[None] * len(values) for _ in values]
    for (i, j), p in zip(pairs, adjusted, strict=True):
        test = replace(tests[i, j], adjusted=p)
        both[i][j], both[j][i] = test, replace(test, plus=test.minus, minus=test.plus)
    return both


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected by Holm (1979): at most alpha where his procedure rejects at alpha.

    The smallest of m is multiplied by m, the next by m - 1, ...; none becomes smaller than one before it, nor larger than 1. What is
    undefined was not tested: it stays so and does not count.

    >>> holm([0.01, 0.04, math.nan, 0.03])
    [0.03, 0.06, nan, 0.06]
    """
    adjusted = [math.nan] * len(p_values)
    order = sorted((at for at, p in enumerate(p_values) if not math.isnan(p)), key=lambda at: p_values[at])
    largest = 0.0
    for place, at in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * p_values[at]))
        adjusted[at] = largest
    return adjusted


def smallest_p(units: int) -> float | None:
    """Return the smallest p-value that so many units can give: all won by one team; None without units.

    >>> smallest_p(5)
    0.0625
    """
    return min(1.0, math.ldexp(1.0, 1 - units)) if units else None


def units_needed(tests: int, alpha: float) -> int | None:
    """Return how many units there must be so that one of so many corrected tests can be significant; None where none suffices.

    >>> units_needed(1, 0.05), units_needed(435, 0.05)
    (6, 15)
    """
    if not tests or alpha <= 0:
        return None
    return next(units for units in itertools.count(1) if tests * math.ldexp(1.0, 1 - units) <= alpha)


def _exact(doubled_ranks: npt.NDArray[np.int64], smaller: int) -> float:
    """Return the share of patterns of signs whose smaller sum of ranks is at most the observed one."""
    patterns = np.zeros(int(doubled_ranks.sum()) + 1, np.int64)
    patterns[0] = 1
    for rank in doubled_ranks.tolist():
        patterns[rank:] += patterns[:-rank].copy()
    return min(1.0, math.ldexp(2.0 * int(patterns[: smaller + 1].sum()), -len(doubled_ranks)))


def _approximation(plus: float, tied: npt.NDArray[np.int64]) -> float:
    """Return what `scipy.stats.wilcoxon` does with the method "asymptotic", to the last digit.

    Parameters
    ----------
    plus
        Sum of the ranks that the first team wins.
    tied
        How many differences share each size.
    """
    n = float(tied.sum())
    variance = (n * (n + 1) * (2 * n + 1) - float((tied.astype(np.float64) ** 3 - tied).sum()) / 2) / 24
    z = (plus - n * (n + 1) * 0.25) / math.sqrt(variance)
    return min(1.0, 2 * normal_tail(abs(z)))


def normal_tail(z: float) -> float:
    """Return the chance that a standard normal number is above ``z``, which is not negative.

    Cephes (Moshier 1989, ``ndtr``), as in scipy, operation by operation: the same to the last digit, without scipy.

    >>> round(normal_tail(1.959964), 6)
    0.025
    """
    x = z * math.sqrt(0.5)
    if x < 1:
        return 0.5 - 0.5 * (x * _polynomial(x * x, _ERF) / _polynomial(x * x, _UNDER_ERF))
    if x * x > _LARGEST_LOGARITHM:
        return 0.0
    over, under = (_ERFC, _UNDER_ERFC) if x < 8 else (_FAR, _UNDER_FAR)
    return 0.5 * (math.exp(-x * x) * _polynomial(x, over) / _polynomial(x, under))


def _polynomial(x: float, coefficients: Sequence[float]) -> float:
    value = 0.0
    for one in coefficients:
        value = value * x + one
    return value


# Of Cephes, highest power first.
_LARGEST_LOGARITHM = 7.09782712893383996843e2
_ERF = (9.60497373987051638749, 90.0260197203842689217, 2232.00534594684319226, 7003.32514112805075473, 55592.3013010394962768)
_UNDER_ERF = (1, 33.5617141647503099647, 521.357949780152679795, 4594.32382970980127987, 22629.0000613890934246, 49267.3942608635921086)
_ERFC = (
    *(2.46196981473530512524e-10, 0.564189564831068821977, 7.46321056442269912687, 48.6371970985681366614, 196.520832956077098242),
    *(526.445194995477358631, 934.528527171957607540, 1027.55188689515710272, 557.535335369399327526),
)
_UNDER_ERFC = (
    *(1, 13.2281951154744992508, 86.7072140885989742329, 354.937778887819891062, 975.708501743205489753),
    *(1823.90916687909736289, 2246.33760818710981792, 1656.66309194161350182, 557.535340817727675546),
)
_FAR = (
    *(0.564189583547755073984, 1.27536670759978104416, 5.01905042251180477414),
    *(6.16021097993053585195, 7.40974269950448939160, 2.97886665372100240670),
)
_UNDER_FAR = (
    *(1, 2.26052863220117276590, 9.39603524938001434673, 12.0489539808096656605),
    *(17.0814450747565897222, 9.60896809063285878198, 3.36907645100081516050),
)

Adjacency = Sequence[frozenset[int]]


@dataclass(frozen=True)
class Group:
    """Teams that cannot be told apart.

    Parameters
    ----------
    letter
        Its name: a, b, ... z, aa, ab, ...
    teams
        Their places in the ranking, increasing.
    """

    letter: str
    teams: tuple[int, ...]

    @property
    def neighbours(self) -> bool:
        """Whether nobody outside the group ranks between its teams."""
        return self.teams[-1] - self.teams[0] == len(self.teams) - 1


def indistinguishable(different: npt.NDArray[np.bool_]) -> list[Group]:
    """Return all groups, in order of their best teams.

    Parameters
    ----------
    different
        (teams, teams), symmetric; whether two teams, in order of rank, differ significantly.

    >>> apart = np.zeros((3, 3), bool)
    >>> apart[0, 2] = apart[2, 0] = True
    >>> [(group.letter, group.teams) for group in indistinguishable(apart)]
    [('a', (0, 1)), ('b', (1, 2))]
    """
    teams = range(len(different))
    like = [frozenset(other for other in teams if other != one and not different[one, other]) for one in teams]
    largest = sorted(_largest(like, (), frozenset(teams), frozenset()))
    return [Group(letter(at), members) for at, members in enumerate(largest) if members]


def letter(place: int) -> str:
    """Return the name of a group by its place.

    >>> letter(0), letter(25), letter(26), letter(701), letter(702)
    ('a', 'z', 'aa', 'zz', 'aaa')
    """
    text = ""
    while place >= 0:
        place, last = divmod(place, 26)
        text = string.ascii_lowercase[last] + text
        place -= 1
    return text


def ties(ranks: FloatArray) -> list[list[int]]:
    """Return places of teams that share a rank, a list per shared rank.

    >>> ties(np.array([1.0, 1.0, 3.0, np.nan]))
    [[0, 1]]
    """
    by_rank: dict[float, list[int]] = {}
    for place, rank in enumerate(ranks.tolist()):
        by_rank.setdefault(rank, []).append(place)
    return [places for rank, places in sorted(by_rank.items()) if len(places) > 1 and rank == rank]


def _largest(like: Adjacency, chosen: tuple[int, ...], open_: frozenset[int], done: frozenset[int]) -> list[tuple[int, ...]]:
    """Return the maximal cliques (Bron and Kerbosch 1973, with a pivot)."""
    if not open_ and not done:
        return [tuple(sorted(chosen))]
    pivot = max(sorted(open_ | done), key=lambda one: len(like[one] & open_))
    found: list[tuple[int, ...]] = []
    for one in sorted(open_ - like[pivot]):
        found += _largest(like, (*chosen, one), open_ & like[one], done & like[one])
        open_, done = open_ - {one}, done | {one}
    return found
