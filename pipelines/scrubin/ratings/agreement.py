"""How far raters agree: concordance, kappa, alpha, intraclass correlation.

Source: LASANA, section Statistical analysis, equation 4, Figure 10 and Table 5.

Cohen (1960) plain, Cohen (1968) with linear and quadratic weights of the distance between
ordered categories.

Source: Krippendorff, Computing Krippendorff's alpha-reliability (2011), with its metrics for
nominal, ordinal and interval data.

ICC(2,1) and ICC(2,k) of Shrout and Fleiss (1979): two-way random effects, absolute agreement, one
rater and the mean of k raters; ICC(A,1) and ICC(A,k) of McGraw and Wong (1996), Tables 4 and 7.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any, Literal

import krippendorff
import numpy as np
import pandas as pd
import pingouin  # type: ignore[import-untyped]
from scipy.stats import rankdata
from sklearn.metrics import cohen_kappa_score

from scrubin.base import statistics
from scrubin.base.statistics import FORMS, concordance, correlation, settled
from scrubin.ratings import TOTAL, ScoresParams

POOL = "|"


def pool(scores: pd.DataFrame, groups: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Return scores with the raters of each group joined to one, named like ``0|2``.

    Raters who share the recordings of a task have none in common; joined they are as
    one rater of all recordings (Figure 10). A recording that several of the group rated is
    left out of the joined rater.

    Parameters
    ----------
    scores
        One row per rater and recording: rater, id, score.
    groups
        Raters to be joined; those that did not rate are ignored.
    """
    pooled = scores
    for group in groups:
        present = sorted(set(group) & set(scores.rater))
        if len(present) < 2:
            continue
        theirs = pooled[pooled.rater.isin(present)]
        alone = theirs[~theirs.id.duplicated(keep=False)].assign(rater=POOL.join(present))
        pooled = pd.concat([pooled[~pooled.rater.isin(present)], alone], ignore_index=True)
    return pooled


def shared_out(scores: pd.DataFrame, groups: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the groups of raters who shared the recordings of a task: most of these have one of them alone.

    Where most have several, joining them would leave out what is best rated: they are raters like all others.

    Parameters
    ----------
    scores
        One row per rater, recording and aspect: rater, id.
    groups
        Raters who may have done so.
    """
    raters = scores[["id", "rater"]].drop_duplicates()
    counts = [raters[raters.rater.isin(group)].id.value_counts() for group in groups]
    return [group for group, count in zip(groups, counts, strict=True) if 2 * (count > 1).sum() < len(count)]


def pairwise_concordance(scores: pd.DataFrame) -> dict[str, Any]:
    """Return the agreement of every pair of raters on their common recordings, and its mean.

    Parameters
    ----------
    scores
        One row per rater and recording: rater, id, score (defined).

    Returns
    -------
    dict
        ``pairs``: per pair ``a-b`` its n, the forms of rho_c and Pearson's r; NaN where undefined.
        ``mean``: per form the mean over the pairs where it is defined, and their number ``n_pairs``.
    """
    pairs: dict[str, dict[str, float]] = {
        pair: {"n": len(x), **{form: concordance(x, y, form) for form in FORMS}, "pearson": correlation(x, y)}
        for pair, x, y in _pairs(scores, "score")
    }
    mean: dict[str, float] = {}
    for form in FORMS:
        defined = [pair[form] for pair in pairs.values() if not math.isnan(pair[form])]
        mean |= {form: statistics.mean(defined), f"n_pairs_{form}": len(defined)}
    return {"pairs": pairs, "mean": mean}


def _pairs(given: pd.DataFrame, column: str) -> Iterator[tuple[str, list[Any], list[Any]]]:
    """Yield the name of every pair of raters, and what both gave their common recordings, in the order of these."""
    wide = {str(rater): dict(zip(group.id, group[column], strict=True)) for rater, group in given.groupby("rater")}
    for a, b in combinations(sorted(wide), 2):
        common = sorted(set(wide[a]) & set(wide[b]))
        yield f"{a}-{b}", [wide[a][id_] for id_ in common], [wide[b][id_] for id_ in common]


Weights = Literal["plain", "linear", "quadratic"]
ORDINAL: tuple[Weights, ...] = ("plain", "linear", "quadratic")
NOMINAL: tuple[Weights, ...] = ("plain",)


def kappa(x: Sequence[int], y: Sequence[int], categories: int, weights: Weights = "plain") -> float:
    """Return kappa of paired categories, each a number from 0 to ``categories`` - 1.

    All categories count for the weights, also those that nobody used: without them the used
    ones would close up. Undefined (NaN) without pairs, and when both raters used only one
    and the same category.

    >>> kappa([0, 0, 1, 1], [0, 1, 1, 1], 2)
    0.5
    """
    if len({*x, *y}) < 2:
        return math.nan
    chosen = None if weights == "plain" else weights
    return settled(cohen_kappa_score(list(x), list(y), labels=list(range(categories)), weights=chosen))


def pairwise_kappa(ranks: pd.DataFrame, categories: int, weightings: Sequence[Weights]) -> dict[str, Any]:
    """Return kappa of every pair of raters on their common recordings, and its mean.

    Parameters
    ----------
    ranks
        One row per rater and recording: rater, id, rank (number of the category, from 0).
    categories
        Number of categories.
    weightings
        The weights to be used.

    Returns
    -------
    dict
        ``pairs``: per pair ``a-b`` its n and kappa per weighting, NaN where undefined. ``mean``:
        per weighting the mean over the pairs where it is defined, and ``n_pairs``, their number.
    """
    pairs: dict[str, dict[str, float]] = {
        pair: {"n": len(x), **{weights: kappa(x, y, categories, weights) for weights in weightings}} for pair, x, y in _pairs(ranks, "rank")
    }
    # Where kappa is undefined does not depend on the weights.
    defined = [pair for pair in pairs.values() if not math.isnan(pair[weightings[0]])]
    mean = {weights: settled(statistics.mean([pair[weights] for pair in defined])) for weights in weightings}
    return {"pairs": pairs, "mean": {**mean, "n_pairs": len(defined)}}


Level = Literal["nominal", "ordinal", "interval"]


def krippendorffs_alpha(values: pd.DataFrame, level: Level) -> dict[str, float]:
    """Return alpha over all raters.

    Undefined (NaN) when no recording has two values, and when all paired values are equal.

    Parameters
    ----------
    values
        One row per rater and recording: rater, id, value (a defined number).
    level
        Level of measurement.

    Returns
    -------
    dict
        ``n`` recordings with at least two values, ``values`` in them, ``left_out`` recordings with one
        value, ``alpha``.
    """
    several = values[values.id.duplicated(keep=False)]
    n = several.id.nunique()
    counts = {"n": n, "values": len(several), "left_out": values.id.nunique() - n}
    if several["value"].nunique() < 2:
        return {**counts, "alpha": math.nan}
    if level == "nominal":
        matrix = several.pivot_table(index="rater", columns="id", values="value").astype(float)
        return {**counts, "alpha": settled(krippendorff.alpha(reliability_data=matrix.to_numpy(), level_of_measurement="nominal"))}
    if level == "ordinal":
        # The ordinal distance of two values, the ranks between them, is the difference of their mean ranks.
        several = several.assign(value=rankdata(several["value"]))
    return {**counts, "alpha": settled(_interval(several))}


def _interval(several: pd.DataFrame) -> float:
    """Return alpha with squared differences, from sums of squares.

    The library holds recordings times distinct values squared in memory: gigabytes on a
    fine scale, and each rater's normalised scores are distinct values of their own.
    """
    groups: list[Any] = [group.tolist() for _, group in several.groupby("id")["value"]]
    within = math.fsum(len(group) * statistics.squares(group) / (len(group) - 1) for group in groups)
    everything = several["value"].tolist()
    return 1 - (len(everything) - 1) / len(everything) * within / statistics.squares(everything)


NAMES = {"ICC(2,1)": "ICC(A,1)", "ICC(2,k)": "ICC(A,k)"}
LEAST_VALUES = 5  # fewer are refused by pingouin
NO_RESIDUAL = 1e-24  # share of the sum of squares that is only rounding


def intraclass(scores: pd.DataFrame) -> dict[str, Any]:
    """Return ICC(2,1) and ICC(2,k) with 95 % confidence intervals.

    Undefined (NaN) with fewer than two raters, two recordings or five scores, when all scores
    are equal, and when the estimated variance is not positive. The interval is also undefined
    when the raters differ by nothing but a constant, for it rests on their residual variance.

    Parameters
    ----------
    scores
        One row per rater and recording: rater, id, score (defined). Raters who share the
        recordings must be joined before (``agreement.pool``).

    Returns
    -------
    dict
        ``n`` recordings that all of the ``k`` ``raters`` scored, ``left_out`` recordings that
        only some of them scored; per coefficient its value and the ends of its interval, low and high.
    """
    wide = scores.pivot_table(index="id", columns="rater", values="score").sort_index().sort_index(axis=1)
    complete = wide.dropna()
    n, k = complete.shape
    counts = {"n": n, "k": k, "left_out": len(wide) - n, "raters": [str(rater) for rater in complete.columns]}
    if n < 2 or k < 2 or n * k < LEAST_VALUES or complete.to_numpy().min() == complete.to_numpy().max():
        return {**counts, **{name: _coefficient(math.nan, math.nan, math.nan) for name in NAMES}}
    long = complete.reset_index().melt(id_vars="id", var_name="rater", value_name="score")
    with _exact_and_quiet():
        table = pingouin.intraclass_corr(data=long, targets="id", raters="rater", ratings="score").set_index("Type")
    residual = _has_residual(complete.to_numpy().tolist())
    coefficients = {}
    for name, theirs in NAMES.items():
        low, high = table.CI95[theirs] if residual else (math.nan, math.nan)
        coefficients[name] = _coefficient(table.ICC[theirs], low, high)
    return {**counts, **coefficients}


def _coefficient(value: float, low: float, high: float) -> dict[str, float]:
    value, low, high = settled(value), settled(low), settled(high)
    # Beyond 1 the denominator was negative; on the wrong side of the value, that of the interval's end.
    if not value <= 1:
        value = low = high = math.nan
    return {"value": value, "low": low if low <= value else math.nan, "high": high if high >= value else math.nan}


def _has_residual(rows: list[list[float]]) -> bool:
    """Return whether the raters differ by more than a constant each, beyond rounding."""
    columns = list(zip(*rows, strict=True))
    by_row, by_column = [statistics.mean(row) for row in rows], [statistics.mean(column) for column in columns]
    everything = [value for row in rows for value in row]
    grand = statistics.mean(everything)
    residuals = [(value - by_row[i] - by_column[j] + grand) ** 2 for i, row in enumerate(rows) for j, value in enumerate(row)]
    return math.fsum(residuals) > NO_RESIDUAL * statistics.squares(everything)


@contextmanager
def _exact_and_quiet() -> Iterator[None]:
    """Let pingouin keep all digits of an interval, which it rounds to two, and its warnings to itself."""
    rounding = pingouin.options.get("round.column.CI95")
    pingouin.options["round.column.CI95"] = None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.filterwarnings("ignore", category=FutureWarning, module="pingouin")
            warnings.filterwarnings("ignore", category=DeprecationWarning, module="pingouin")
            yield
    finally:
        pingouin.options["round.column.CI95"] = rounding


MOST_POINTS = 1001
"""A finer scale has no categories: kappa would hold a matrix of its points in memory."""


def of_scores(normalised: pd.DataFrame, p: ScoresParams) -> dict[str, Any]:
    """Return the agreement on normalised scores per aspect, with and without failed recordings.

    Parameters
    ----------
    normalised
        Normalised scores of one task: id, rater, aspect, score, failed.

    Returns
    -------
    dict
        Per aspect and variant (``failed_excluded``; for the total also ``failed_included``): Lin's
        rho_c of ``raters`` and with complementary raters joined (``pooled``), ``icc`` of the joined
        raters who have a scale (see `scoring.normalise`); for the total also Krippendorff's ``alpha``.
    """
    agreement: dict[str, Any] = {}
    groups = shared_out(normalised, p.complementary_raters)
    for aspect in (TOTAL, *p.aspects):
        scores = normalised[(normalised.aspect == aspect) & normalised.score.notna()]
        variants = {"failed_excluded": scores[~scores.failed]}
        if aspect == TOTAL:
            variants["failed_included"] = scores
        agreement[aspect] = {name: _of_variant(some, groups, total=aspect == TOTAL) for name, some in variants.items()}
    return agreement


def of_points(ratings: pd.DataFrame, p: ScoresParams) -> dict[str, Any]:
    """Return per aspect Cohen's kappa and Krippendorff's ordinal alpha of the raw points of one task.

    Recordings that a rater marked as failed have no points of that rater. On a scale of more
    than ``MOST_POINTS`` points kappa is undefined: its pairs are empty.
    """
    agreement: dict[str, Any] = {}
    for aspect in p.aspects:
        rated = ratings[(ratings.aspect == aspect) & ratings.score.notna()]
        ranks = rated.assign(rank=[round((score - p.lowest) / p.step) for score in rated.score])
        categorical = ranks if p.points <= MOST_POINTS else ranks.iloc[:0]
        agreement[aspect] = {
            "kappa": pairwise_kappa(categorical, p.points, ORDINAL),
            "alpha": krippendorffs_alpha(ranks.rename(columns={"rank": "value"}), "ordinal"),
        }
    return agreement


def of_marks(marks: pd.DataFrame) -> dict[str, Any]:
    """Return per error Cohen's kappa and Krippendorff's nominal alpha of the raters' marks in one task."""
    agreement: dict[str, Any] = {}
    for error, group in marks.groupby("error"):
        ranks = group.assign(rank=group.marked.astype(int))
        agreement[str(error)] = {
            "kappa": pairwise_kappa(ranks, 2, NOMINAL),
            "alpha": krippendorffs_alpha(ranks.rename(columns={"rank": "value"}), "nominal"),
        }
    return agreement


def _of_variant(scores: pd.DataFrame, groups: Sequence[Sequence[str]], *, total: bool) -> dict[str, Any]:
    pooled = pool(scores, groups)
    # Who has no scale has only the fixed score of failed recordings: no others would be complete, and theirs are constant.
    scaled = scores[scores.rater.isin(scores[~scores.failed].rater)]
    agreement = {
        "raters": pairwise_concordance(scores),
        "pooled": pairwise_concordance(pooled),
        "icc": intraclass(pool(scaled, groups)),
    }
    if total:
        agreement["alpha"] = krippendorffs_alpha(scores.rename(columns={"score": "value"}), "interval")
    return agreement
