"""The shortcut audit: how well the duration of a recording alone predicts its GRS on each subset.

LASANA (section Benchmark baselines) warns that models may read the skill off the duration
instead of the video. What a prediction from the duration alone achieves is what a model
has to beat; it is fitted on the training subset only, like a model would be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from sklearn.isotonic import IsotonicRegression

from scrubin.statistics import association, moments
from scrubin.statistics.undefined import settled, without_nan

Prediction = Callable[[Sequence[float]], list[float]]
DEFINITIONS = {
    "n": "recordings with a GRS and a duration; left_out are the others",
    "spearman": "rank correlation of duration and GRS, mean ranks for ties",
    "isotonic": "isotonic regression of the GRS on the duration, falling where Spearman's correlation in the training subset is negative, "
    "else rising; constant beyond the training durations",
    "log_line": "least-squares line of the GRS on the natural logarithm of the duration in seconds",
    "training_mean": "the mean GRS of the training subset for every recording: what knowing nothing achieves",
    "concordance": f"Lin's rho_c of predicted and true GRS, form {association.PRIMARY} (n - 1 throughout)",
    "r2": "squared Pearson correlation of predicted and true GRS",
    "mean_absolute_error": "in the unit of the GRS",
}


def audit(rows: pd.DataFrame, training: str) -> dict[str, Any]:
    """Return how well duration alone predicts the GRS, per task and subset.

    Parameters
    ----------
    rows
        One row per recording: task, id, subset, duration_s (s), GRS (sd); NaN where undefined. Their
        order is irrelevant. Rows without a subset are ignored.
    training
        The subset to fit on. Where it has no row, everything that needs the fit is undefined.

    Returns
    -------
    dict
        ``definitions``, ``training``, and ``tasks``: per task the ``fit`` (direction, slope in sd
        per natural logarithm of seconds and intercept in sd of the line) and per subset
        n, left_out, spearman and, per prediction, concordance, r2 and mean_absolute_error; None
        where undefined. Numbers are rounded to nine decimals.
    """
    placed = rows[rows.subset.notna()].sort_values(["task", "subset", "id"], kind="stable")
    tasks = {str(task): _of_task(group, training) for task, group in placed.groupby("task")}
    value = {"definitions": DEFINITIONS, "training": training, "tasks": tasks}
    plain: dict[str, Any] = without_nan(value)
    return plain


def _of_task(rows: pd.DataFrame, training: str) -> dict[str, Any]:
    # The logarithm of a duration of 0 s is undefined; no video lasts so short.
    usable = rows[rows.GRS.notna() & (rows.duration_s > 0)]
    learnt = usable[usable.subset == training]
    duration_s, grs = learnt.duration_s.tolist(), learnt.GRS.tolist()
    rho = association.spearman(duration_s, grs)
    slope, intercept = _line([math.log(value) for value in duration_s], grs)
    predictions: dict[str, Prediction] = {
        "isotonic": _isotonic(duration_s, grs, rising=not rho < 0),
        "log_line": lambda durations: [intercept + slope * math.log(value) for value in durations],
        "training_mean": lambda durations: [moments.mean(grs)] * len(durations),
    }
    direction = None if math.isnan(rho) else "falling" if rho < 0 else "rising"
    return {
        "fit": {"n": len(learnt), "direction": direction, "slope": settled(slope), "intercept": settled(intercept)},
        "subsets": {
            str(subset): _of_subset(usable[usable.subset == subset], len(group), predictions) for subset, group in rows.groupby("subset")
        },
    }


def _of_subset(usable: pd.DataFrame, n_all: int, predictions: dict[str, Prediction]) -> dict[str, Any]:
    duration_s, grs = usable.duration_s.tolist(), usable.GRS.tolist()
    return {
        "n": len(usable),
        "left_out": n_all - len(usable),
        "spearman": settled(association.spearman(duration_s, grs)),
        **{name: _quality(predict(duration_s), grs) for name, predict in predictions.items()},
    }


def _quality(predicted: Sequence[float], true: Sequence[float]) -> dict[str, float]:
    """Return how good predictions are; NaN throughout when there are none."""
    if any(map(math.isnan, predicted)):
        return dict.fromkeys(("concordance", "r2", "mean_absolute_error"), math.nan)
    error = moments.mean([abs(a - b) for a, b in zip(predicted, true, strict=True)])
    return {
        "concordance": settled(association.concordance(predicted, true)),
        "r2": settled(association.correlation(predicted, true) ** 2),
        "mean_absolute_error": settled(error),
    }


def _line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Return slope and intercept of the least-squares line; NaN with fewer than two or constant ``x``."""
    if len(x) < 2 or min(x) == max(x):
        return math.nan, math.nan
    slope = moments.products(x, y) / moments.squares(x)
    return slope, moments.mean(y) - slope * moments.mean(x)


def _isotonic(x: Sequence[float], y: Sequence[float], *, rising: bool) -> Prediction:
    """Return the isotonic regression of ``y`` on ``x``; it predicts NaN with fewer than two or constant ``x``."""
    if len(x) < 2 or min(x) == max(x):
        return lambda durations: [math.nan] * len(durations)
    # Sorted, so that ties are added up in the same order for any order of rows.
    pairs = sorted(zip(x, y, strict=True))
    fitted = IsotonicRegression(increasing=rising, out_of_bounds="clip").fit([a for a, _ in pairs], [b for _, b in pairs])
    # Rounded here, because a flat stretch must be flat: correlations ask whether values are equal.
    return lambda durations: [settled(value) for value in fitted.predict(list(durations))] if len(durations) else []
