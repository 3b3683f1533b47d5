"""Precision, recall, F1 and Jaccard of each phase, and accuracy.

Source: section 3.2. A denominator of 0 gives NaN, undefined (Table 1); what becomes of it is said by `undefined`.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from scrubin.metrics.phases.confusion import Confusions
from scrubin.metrics.phases.elements import Elements
from scrubin.metrics.phases.undefined import Strategy, settled
from scrubin.metrics.phases.videos import FloatArray, IntArray

Rate = Literal["precision", "recall", "f1", "jaccard"]
RATES: tuple[Rate, ...] = ("precision", "recall", "f1", "jaccard")


def ratio(numerator: IntArray, denominator: IntArray) -> FloatArray:
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
        return ratio(true, predicted)
    if rate == "recall":
        return ratio(true, annotated)
    if rate == "f1":
        return ratio(2 * true, annotated + predicted)
    return ratio(true, annotated + predicted - true)


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
    values = ratio(true, confusions.counts.sum(axis=(-2, -1)))[..., np.newaxis]
    options = {"scope": confusions.scope, "phases": str(len(confusions.phases))}
    return Elements("phase recognition accuracy", "paper", options, values, confusions.videos, ())
