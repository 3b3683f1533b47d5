"""The F1 scores that are not a mean of F1 scores.

Source: section 3.3.2. Three numbers go by the name of mean F1: the mean of the phases' F1 (`rates.elements` with ``f1``, recommended);
the mean of each video's harmonic mean of macro precision and macro recall (bold Macro F1); the harmonic mean of overall precision and
overall recall (italic F1). When nothing is undefined the later is never smaller:

>>> import numpy as np
>>> from scrubin.metrics.phases.averaging import mean
>>> precision = Elements("phase recognition precision", "paper", {}, np.array([[[1.0, 1.0, 0.0, 0.0]]]), ("v",), tuple("0123"))
>>> recall = Elements("phase recognition recall", "paper", {}, np.array([[[0.0, 0.0, 1.0, 1.0]]]), ("v",), tuple("0123"))
>>> mean(of_macro_averages(precision, recall)).overall.value  # every F1 of a phase is 0
0.5
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from scrubin.errors import MetricsError
from scrubin.metrics.phases.averaging import Order, overall
from scrubin.metrics.phases.elements import Elements
from scrubin.metrics.result import Result, Value


def harmonic(one: float, other: float) -> float:
    """Return the harmonic mean; NaN when one is NaN, and when both are 0, where the paper is silent.

    >>> harmonic(0.5, 1.0)
    0.6666666666666666
    """
    return 2 * one * other / (one + other) if one + other > 0 else math.nan


def of_macro_averages(precision: Elements, recall: Elements) -> Elements:
    """Return, for every run and video, the harmonic mean of macro precision and macro recall (bold Macro F1).

    Raises
    ------
    MetricsError
        When the two are not of one variant and the same videos.
    """
    _alike(precision, recall)
    pairs = zip(precision.macro().ravel(), recall.macro().ravel(), strict=True)
    values = np.array([harmonic(float(one), float(other)) for one, other in pairs]).reshape(*precision.values.shape[:2], 1)
    return replace(precision, metric="phase recognition F1 as harmonic mean of macro precision and macro recall", values=values, phases=())


def of_overall_means(precision: Elements, recall: Elements, order: Order = "all") -> Result:
    """Return the harmonic mean of overall precision and overall recall (italic F1): an upper bound, not the mean F1.

    Raises
    ------
    MetricsError
        When the two are not of one variant and the same videos.
    """
    _alike(precision, recall)
    one, other = overall(precision.values, order), overall(recall.values, order)
    named = replace(precision, metric="phase recognition F1 as harmonic mean of overall precision and overall recall")
    return Result(
        named.variant(statistic="harmonic mean of means", averaged=order), Value(harmonic(one.value, other.value), min(one.n, other.n))
    )


def _alike(precision: Elements, recall: Elements) -> None:
    if (precision.options, precision.videos, precision.phases, precision.values.shape) != (
        recall.options,
        recall.videos,
        recall.phases,
        recall.values.shape,
    ):
        msg = (
            "precision and recall must be of the same videos, runs and phases, and of one variant; "
            "compute both from the same confusion matrices"
        )
        raise MetricsError(msg)
