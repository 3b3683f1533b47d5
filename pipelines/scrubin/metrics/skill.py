"""Skill scores: Lin's concordance, Spearman's rank correlation and mean absolute error between ratings and predictions.

Source: LASANA, Technical validation (rho_c is the metric it suggests, equation 4); the forms of rho_c: `scrubin.statistics.association`.

>>> [round(score(name, [1, 2, 3, 4], [3, 4, 5, 6]).overall.value, 4) for name in METRICS]
[0.4545, 1.0, 2.0]
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scrubin.core.errors import MetricsError
from scrubin.metrics.inputs import FloatArray, same_length, vector
from scrubin.metrics.result import Result, Value, Variant
from scrubin.statistics.association import FORMS, PRIMARY, Form, concordance, spearman

Metric = Literal["ccc", "spearman", "mae"]
METRICS: tuple[Metric, ...] = get_args(Metric)
# The square of a larger number is none any more.
LARGEST = 1e100


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
        With the number of rated videos. Undefined: without any; concordance of two equal constants, and of one video in a form with n - 1;
        Spearman when either side is constant.

    Raises
    ------
    MetricsError
        When lengths differ, a prediction is not finite, or a rating is infinite.
    """
    x, y = paired(ratings, predictions)
    if metric == "mae":
        value = math.fsum(np.abs(x - y).tolist()) / len(x) if len(x) else math.nan
        return Result(Variant("skill MAE", "paper"), Value(value, len(x)))
    if metric == "spearman":
        return Result(Variant("skill Spearman", "paper", {"ties": "mean rank"}), Value(spearman(x.tolist(), y.tolist()), len(x)))
    if metric == "ccc" and form in FORMS:
        return Result(Variant("skill Lin CCC", "paper", {"form": form}), Value(concordance(x.tolist(), y.tolist(), form), len(x)))
    msg = f"there is no skill metric {metric!r} of form {form!r}; choose one of {', '.join(METRICS)}, and of {', '.join(FORMS)}"
    raise MetricsError(msg)


def paired(ratings: npt.ArrayLike, predictions: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return ratings and predictions of the rated videos; raises `MetricsError` as `score`."""
    x, y = vector(ratings, "ratings"), vector(predictions, "predictions")
    same_length(x, y, "ratings")
    for values, allowed, what in ((x, (np.abs(x) < LARGEST) | np.isnan(x), "rating"), (y, np.abs(y) < LARGEST, "prediction")):
        if not allowed.all():
            at = int(np.flatnonzero(~allowed)[0])
            msg = f"the {what} of video {at} is {values[at]}; it must be a finite number below {LARGEST:g}"
            raise MetricsError(msg)
    rated = ~np.isnan(x)
    return x[rated], y[rated]
