"""Precision, recall, F1 and Jaccard of each phase, accuracy, and the F1 scores that are not a mean of F1 scores.

Source: section 3.2. A denominator of 0 gives NaN, undefined (Table 1); `settled` decides what becomes of it (3.3.3, Tables 1 and 2).

Three numbers go by the name of mean F1 (section 3.3.2): the mean of the phases' F1 (`elements` with ``f1``, recommended); the mean of
each video's harmonic mean of macro precision and macro recall (bold Macro F1); the harmonic mean of overall precision and overall recall
(italic F1). When nothing is undefined the later is never smaller:

>>> from scrubin.metrics.phases.averaging import mean
>>> precision = Elements("phase recognition precision", "paper", {}, np.array([[[1.0, 1.0, 0.0, 0.0]]]), ("v",), tuple("0123"))
>>> recall = Elements("phase recognition recall", "paper", {}, np.array([[[0.0, 0.0, 1.0, 1.0]]]), ("v",), tuple("0123"))
>>> mean(f1_of_macro_averages(precision, recall)).overall.value  # every F1 of a phase is 0
0.5
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from scrubin.core.errors import MetricsError
from scrubin.metrics.phases.averaging import Elements, Order, overall
from scrubin.metrics.phases.confusion import Confusions
from scrubin.metrics.phases.videos import BoolArray, FloatArray, IntArray
from scrubin.metrics.result import Result, Value

Rate = Literal["precision", "recall", "f1", "jaccard"]
RATES: tuple[Rate, ...] = ("precision", "recall", "f1", "jaccard")
Strategy = Literal["A", "B", "zero", "one"]
STRATEGIES: tuple[Strategy, ...] = ("A", "B", "zero", "one")


def _ratio(numerator: IntArray, denominator: IntArray) -> FloatArray:
    """Return the quotient, NaN where the denominator is 0."""
    out = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=out, where=denominator > 0)
    return out


def by_phase(counts: IntArray, rate: Rate) -> FloatArray:
    """Return a rate of every phase.

    Parameters
    ----------
    counts
        (..., phases annotated, phases predicted).
    rate
        Which.

    Returns
    -------
    FloatArray
        (..., phases) in [0, 1]; NaN: precision of a phase never predicted, recall of one never annotated, F1 and Jaccard of one neither.

    >>> by_phase(np.array([[1, 1], [0, 2]]), "jaccard").tolist()
    [0.5, 0.6666666666666666]
    """
    true = np.diagonal(counts, axis1=-2, axis2=-1)
    annotated, predicted = counts.sum(axis=-1), counts.sum(axis=-2)
    if rate == "precision":
        return _ratio(true, predicted)
    if rate == "recall":
        return _ratio(true, annotated)
    if rate == "f1":
        return _ratio(2 * true, annotated + predicted)
    return _ratio(true, annotated + predicted - true)


def elements(confusions: Confusions, rate: Rate, strategy: Strategy = "A") -> Elements:
    """Return a rate of every run, video and phase.

    Parameters
    ----------
    confusions
        Of videos, or pooled for the frame-wise rate.
    rate
        Which.
    strategy
        What becomes of undefined values.
    """
    annotated = confusions.counts.sum(axis=-1) > 0
    values = settled(by_phase(confusions.counts, rate), annotated, strategy)
    options = {"scope": confusions.scope, "undefined": strategy, "phases": str(len(confusions.phases))}
    return Elements(f"phase recognition {rate}", "paper", options, values, confusions.videos, confusions.phases)


def accuracy(confusions: Confusions) -> Elements:
    """Return the share of frames predicted as annotated, of every run and video (or of every run, when pooled); always defined."""
    true = np.trace(confusions.counts, axis1=-2, axis2=-1)
    values = _ratio(true, confusions.counts.sum(axis=(-2, -1)))[..., np.newaxis]
    options = {"scope": confusions.scope, "phases": str(len(confusions.phases))}
    return Elements("phase recognition accuracy", "paper", options, values, confusions.videos, ())


def settled(values: FloatArray, annotated: BoolArray, strategy: Strategy) -> FloatArray:
    """Return the values with undefined ones handled.

    Parameters
    ----------
    values
        (..., phases), NaN where undefined.
    annotated
        The same shape, or one that broadcasts to it: whether the phase is annotated at all.
    strategy
        ``A``: undefined values are left out. ``B``: also everything of a phase that is not annotated in the video, false positives
        included. ``zero`` and ``one``: filled, as by ``zero_division`` of scikit-learn.

    Returns
    -------
    FloatArray
        A new array; what is NaN in it takes no part in any mean.

    >>> values = np.array([0.0, np.nan, 0.5])
    >>> settled(values, np.array([False, False, True]), "B").tolist()
    [nan, nan, 0.5]
    """
    if strategy == "A":
        return values.copy()
    if strategy == "B":
        return np.where(annotated, values, np.nan)
    if strategy in {"zero", "one"}:
        return np.where(np.isnan(values), 0.0 if strategy == "zero" else 1.0, values)
    msg = f"there is no strategy {strategy!r} for undefined values; choose one of {', '.join(STRATEGIES)}"
    raise MetricsError(msg)


def _harmonic(one: float, other: float) -> float:
    """Return the harmonic mean; NaN when one is NaN, and when both are 0, where the paper is silent.

    >>> _harmonic(0.5, 1.0)
    0.6666666666666666
    """
    return 2 * one * other / (one + other) if one + other > 0 else math.nan


def f1_of_macro_averages(precision: Elements, recall: Elements) -> Elements:
    """Return, for every run and video, the harmonic mean of macro precision and macro recall (bold Macro F1).

    Raises
    ------
    MetricsError
        When the two are not of one variant and the same videos.
    """
    _alike(precision, recall)
    pairs = zip(precision.macro().ravel(), recall.macro().ravel(), strict=True)
    values = np.array([_harmonic(float(one), float(other)) for one, other in pairs]).reshape(*precision.values.shape[:2], 1)
    return replace(precision, metric="phase recognition F1 as harmonic mean of macro precision and macro recall", values=values, phases=())


def f1_of_overall_means(precision: Elements, recall: Elements, order: Order = "all") -> Result:
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
        named.variant(statistic="harmonic mean of means", averaged=order), Value(_harmonic(one.value, other.value), min(one.n, other.n))
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
