"""Skill scores against ratings: concordance, correlation, error, agreement of levels, what raters reach among themselves.

Source: LASANA, Technical validation (rho_c is the metric it suggests, equation 4); the forms of rho_c: `scrubin.base.statistics`.

>>> [round(score(name, [1, 2, 3, 4], [3, 4, 5, 6]).overall.value, 4) for name in METRICS]
[0.4545, 1.0, 2.0]

- **Kendall's tau-b** (Kendall 1945, *The treatment of ties in ranking problems*): concordant minus discordant pairs over the geometric mean
  of the pairs that are not tied on either side. Values that differ by rounding only are ties.
- **Quadratic weighted kappa** (Cohen 1968, *Weighted kappa*): one minus the mean squared difference over the one that is expected when
  both sides are paired at random. It is of levels: whole numbers, such as the points of OSATS. How many levels the scale has does not
  matter, as only squared differences count. Continuous scores have no levels and are refused: how to round them is not ours to say.

>>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]), 4), quadratic_kappa([1, 2, 3], [1, 2, 3])
(0.6667, 1.0)

Of every rater the recordings count that somebody else has rated, too. The statistic is taken of the rater's scores and the mean of the
others', then the mean over raters where it is defined. Whoever predicts is held against the mean of all raters, which is less noisy than
the mean of the others: the ceiling is a little low, the more so the fewer raters there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import MetricsError
from scrubin.base.statistics import FORMS, PRIMARY, ROUNDING, Form, concordance, spearman
from scrubin.evaluate.metrics.inputs import FloatArray, finite, same_length, vector
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.registry import metric as declared
from scrubin.evaluate.metrics.result import Result, Value, Variant, mean_of

Metric = Literal["ccc", "spearman", "mae"]
METRICS: tuple[Metric, ...] = get_args(Metric)


def score(metric: Metric, ratings: npt.ArrayLike, predictions: npt.ArrayLike, *, form: Form = PRIMARY) -> Result:
    """Return how well predicted scores agree with the ratings.

    Parameters
    ----------
    metric
        ``ccc``, ``spearman`` or ``mae``.
    ratings
        (videos,), NaN where the rating is undefined: such videos are left out.
    predictions
        (videos,), finite.
    form
        For ``ccc``: which of the three forms.

    Returns
    -------
    Result
        With the number of rated videos. Undefined: without any; concordance of two equal constants, and of one video in any form;
        Spearman when either side is constant.

    Raises
    ------
    MetricsError
        When lengths differ, a prediction is not finite, or a rating is infinite.
    """
    if metric == "mae":
        return mae(ratings, predictions)
    if metric == "spearman":
        return rank_correlation(ratings, predictions)
    if metric == "ccc" and form in FORMS:
        return lin(ratings, predictions, form=form)
    paired(ratings, predictions)
    msg = f"there is no skill metric {metric!r} of form {form!r}; choose one of {', '.join(METRICS)}, and of {', '.join(FORMS)}"
    raise MetricsError(msg)


CCC, SPEARMAN, MAE, TAU, KAPPA = "skill Lin CCC", "skill Spearman", "skill MAE", "skill Kendall tau-b", "skill quadratic kappa"
LASANA = "LASANA, Technical validation"


@declared(CCC, task="skill", kinds=["agreement", "raters"], says="Lin's concordance", source=f"{LASANA}, equation 4", takes=["form"])
def lin(ratings: npt.ArrayLike, predictions: npt.ArrayLike, *, form: Form = PRIMARY) -> Result:
    """Return Lin's concordance; parameters and errors as of `score`."""
    x, y = paired(ratings, predictions)
    return Result(Variant(CCC, "paper", {"form": form}), Value(concordance(x.tolist(), y.tolist(), form), len(x)))


@declared(SPEARMAN, task="skill", kinds=["agreement", "ranks", "raters"], says="Spearman's rank correlation", source=LASANA)
def rank_correlation(ratings: npt.ArrayLike, predictions: npt.ArrayLike) -> Result:
    """Return Spearman's correlation; parameters and errors as of `score`."""
    x, y = paired(ratings, predictions)
    return Result(Variant(SPEARMAN, "paper", {"ties": "mean rank"}), Value(spearman(x.tolist(), y.tolist()), len(x)))


@declared(MAE, task="skill", kinds=["agreement"], says="mean absolute error", source=LASANA, less_is_better=True)
def mae(ratings: npt.ArrayLike, predictions: npt.ArrayLike) -> Result:
    """Return the mean absolute error; parameters and errors as of `score`."""
    x, y = paired(ratings, predictions)
    value = math.fsum(np.abs(x - y).tolist()) / len(x) if len(x) else math.nan
    return Result(Variant(MAE, "paper"), Value(value, len(x)))


def paired(ratings: npt.ArrayLike, predictions: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return ratings and predictions of the rated videos; raises `MetricsError` as `score`."""
    x, y = vector(ratings, "ratings"), vector(predictions, "predictions")
    same_length(x, y, "ratings")
    finite(x, "rating", or_undefined=True)
    finite(y, "prediction")
    rated = ~np.isnan(x)
    return x[rated], y[rated]


def _both(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return paired values, which may be none; raises `MetricsError` for other lengths, and a value that is not finite."""
    one, other = vector(x, "values"), vector(y, "other values")
    if len(one) or len(other):
        same_length(one, other, "values")
    finite(one, "value")
    finite(other, "other value")
    return one, other


def kendall(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return tau-b of paired values; NaN with fewer than two, and when either side is constant.

    Raises
    ------
    MetricsError
        When lengths differ, or a value is not finite.
    """
    orders = [_order(values) for values in _both(x, y)]
    first, second = (order[np.triu_indices(len(order), 1)] for order in orders)
    untied = math.sqrt(int(np.count_nonzero(first)) * int(np.count_nonzero(second)))
    return int((first * second).sum()) / untied if untied else math.nan


def _order(values: FloatArray) -> npt.NDArray[np.int64]:
    """Return for each pair of values which is larger: 1, -1, or 0 for a tie, (values, values)."""
    apart = values[:, None] - values
    scale = np.maximum(1.0, np.maximum(np.abs(values[:, None]), np.abs(values)))
    return np.where(np.abs(apart) <= ROUNDING * scale, 0, np.sign(apart)).astype(np.int64)


def quadratic_kappa(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return kappa with quadratic weights of paired levels; NaN without values, and when both sides are one and the same level.

    Raises
    ------
    MetricsError
        When lengths differ, or a value is no whole number.
    """
    pair = _both(x, y)
    for values, what in zip(pair, ("value", "other value"), strict=True):
        _refuse_continuous(values, what)
    levels, others = ([int(value) for value in values] for values in pair)
    # In whole numbers: the sum over all pairs of (a - b) squared is n sum(a a) - 2 sum(a) sum(b) + n sum(b b).
    n = len(levels)
    observed = n * sum((a - b) ** 2 for a, b in zip(levels, others, strict=True))
    expected = n * sum(a * a for a in levels) - 2 * sum(levels) * sum(others) + n * sum(b * b for b in others)
    return 1 - observed / expected if expected else math.nan


@declared(TAU, task="skill", kinds=["ranks", "raters"], says="Kendall's rank correlation tau-b", source="Kendall 1945")
def tau(ratings: npt.ArrayLike, predictions: npt.ArrayLike) -> Result:
    """Return tau-b of predictions with the ratings that are defined; errors as of `skill.score`."""
    x, y = paired(ratings, predictions)
    return Result(Variant(TAU, "paper", {"ties": "tau-b"}), Value(kendall(x, y), len(x)))


@declared(KAPPA, task="skill", kinds=["levels"], says="kappa of whole numbers with quadratic weights", source="Cohen 1968")
def kappa(ratings: npt.ArrayLike, predictions: npt.ArrayLike) -> Result:
    """Return quadratic kappa of predictions with the ratings that are defined.

    Raises
    ------
    MetricsError
        As of `skill.score`; also for a value that is no whole number.
    """
    x, y = paired(ratings, predictions)
    for values, what in ((x, "rating"), (y, "prediction")):
        _refuse_continuous(values, what)
    return Result(Variant(KAPPA, "paper", {"weights": "quadratic"}), Value(quadratic_kappa(x, y), len(x)))


def _refuse_continuous(values: FloatArray, what: str) -> None:
    if not is_level(values):
        wrong = values[values != np.floor(values)][0]
        msg = f"the {what} {wrong:g} is no level; quadratic kappa needs whole numbers, such as points of OSATS: round by a rule of yours"
        raise MetricsError(msg)


def is_level(values: FloatArray) -> bool:
    """Return whether all defined values are whole numbers."""
    defined = values[~np.isnan(values)]
    return bool((defined == np.floor(defined)).all())


Statistic = Callable[[FloatArray, FloatArray], float]
OF_RATERS = [
    declare(f"raters {statistic}", task="skill", kinds=["raters"], says=f"{statistic} of each rater and the mean of the others")
    for statistic in ("Lin CCC", "Spearman", "Kendall tau-b")
]


def ceiling(scores: FloatArray, raters: Sequence[str], form: Form) -> list[Result]:
    """Return Lin's concordance, Spearman's correlation and Kendall's tau-b of raters with the mean of the others.

    Parameters
    ----------
    scores
        (recordings, raters), NaN where undefined.
    raters
        Names.
    form
        Of Lin's concordance.

    Returns
    -------
    list of Result
        Overall: mean over raters, with their number. Classes: per rater, with the number of recordings.

    >>> [one.overall.n for one in ceiling(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 5.0]]), ["0", "1"], "bessel")]
    [2, 2, 2]
    """
    statistics: dict[str, tuple[dict[str, str], Statistic]] = {
        OF_RATERS[0]: ({"form": form}, lambda x, y: concordance(x.tolist(), y.tolist(), form)),
        OF_RATERS[1]: ({"ties": "mean rank"}, lambda x, y: spearman(x.tolist(), y.tolist())),
        OF_RATERS[2]: ({"ties": "tau-b"}, kendall),
    }
    pairs = {name: _held_out(scores, at) for at, name in enumerate(raters)}
    results = []
    for metric, (options, statistic) in statistics.items():
        by_rater = {name: Value(statistic(own, others), len(own)) for name, (own, others) in pairs.items()}
        overall = mean_of([one.value for one in by_rater.values()])
        results.append(Result(Variant(metric, "paper", {"of": "each rater and the mean of the others", **options}), overall, by_rater))
    return results


def _held_out(scores: FloatArray, at: int) -> tuple[FloatArray, FloatArray]:
    """Return a rater's scores and the mean of the others' where both are defined."""
    own, others = scores[:, at], np.delete(scores, at, axis=1)
    means = np.array([mean_of(row).value for row in others])
    both = ~np.isnan(own) & ~np.isnan(means)
    return own[both], means[both]
