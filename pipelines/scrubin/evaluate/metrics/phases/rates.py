"""Rates of frames in every named choice: precision, recall, F1, Jaccard of each phase, accuracy, their spread.

Source: section 3.2. A denominator of 0 gives NaN, undefined (Table 1); `settled` decides what becomes of it (3.3.3, Tables 1 and 2).

Three numbers go by the name of mean F1 (section 3.3.2): the mean of the phases' F1 (`elements` with ``f1``, recommended); the mean of
each video's harmonic mean of macro precision and macro recall (bold Macro F1); the harmonic mean of overall precision and overall recall
(italic F1). When nothing is undefined the later is never smaller:

>>> from scrubin.evaluate.metrics.phases.averaging import mean
>>> precision = Elements("phase recognition precision", "paper", {}, np.array([[[1.0, 1.0, 0.0, 0.0]]]), ("v",), tuple("0123"))
>>> recall = Elements("phase recognition recall", "paper", {}, np.array([[[0.0, 0.0, 1.0, 1.0]]]), ("v",), tuple("0123"))
>>> mean(f1_of_macro_averages(precision, recall)).overall.value  # every F1 of a phase is 0
0.5

A video's value is the mean over its phases, and over runs where there are several; the rates are those of section 3.2. Quartiles are
interpolated linearly between the videos, as by numpy's default.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.phases import BoolArray, Confusions, FloatArray, IntArray, pooled_confusions
from scrubin.evaluate.metrics.phases.averaging import SOURCES, Elements, First, Source, mean, means, overall, sd_of, spread
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Value, mean_of
from scrubin.evaluate.metrics.variants import AVERAGING_ORDERS, PHASE_SCOPES, STRATEGIES, AveragingOrder, PhaseScope, Strategy

Rate = Literal["precision", "recall", "f1", "jaccard"]
RATES: tuple[Rate, ...] = ("precision", "recall", "f1", "jaccard")
KINDS = ("frames", "videos")
FILLED: Mapping[str, float] = {"zero": 0.0, "one": 1.0}
"""What undefined values become, by strategy."""
ACCURACY = declare(
    "phase recognition accuracy",
    task="phases",
    kinds=KINDS,
    says="share of frames predicted as annotated",
    source="Funke et al. 2023, section 3",
)
OF_RATE = {
    rate: declare(
        f"phase recognition {rate}",
        task="phases",
        kinds=KINDS,
        says=f"{says} of every phase",
        source="Funke et al. 2023, section 3",
        ranks=rate == "jaccard",
    )
    for rate, says in zip(RATES, ("precision", "recall", "F1", "intersection over union"), strict=True)
}
F1_OF_MACRO = declare(
    "phase recognition F1 as harmonic mean of macro precision and macro recall",
    task="phases",
    kinds=["frames"],
    says="bold Macro F1 of every video",
    source="Funke et al. 2023, section 3.3",
    column=False,
)
F1_OF_MEANS = declare(
    "phase recognition F1 as harmonic mean of overall precision and overall recall",
    task="phases",
    kinds=["frames"],
    says="italic F1, an upper bound of the mean F1",
    source="Funke et al. 2023, section 3.3",
    column=False,
)


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


def rate_elements(confusions: Confusions, rate: Rate, strategy: Strategy = "A") -> Elements:
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
    values = by_phase(confusions.counts, rate)
    # Of a phase that only predictions have nothing is filled: it is false where it is predicted, and 1 nowhere.
    known = confusions.known if strategy in FILLED else len(confusions.phases)
    values[..., :known] = settled(values[..., :known], annotated[..., :known], strategy)
    options = {"scope": confusions.scope, "undefined": strategy, "phases": str(confusions.known)}
    return Elements(OF_RATE[rate], "paper", options, values, confusions.videos, confusions.phases)


def accuracy(confusions: Confusions) -> Elements:
    """Return the share of frames predicted as annotated, of every run and video (or of every run, when pooled); always defined."""
    true = np.trace(confusions.counts, axis1=-2, axis2=-1)
    values = _ratio(true, confusions.counts.sum(axis=(-2, -1)))[..., np.newaxis]
    options = {"scope": confusions.scope, "phases": str(confusions.known)}
    return Elements(ACCURACY, "paper", options, values, confusions.videos, ())


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
    if strategy in FILLED:
        return np.where(np.isnan(values), FILLED[strategy], values)
    raise MetricsError(f"there is no strategy {strategy!r} for undefined values; choose one of {', '.join(STRATEGIES)}")


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
    return replace(precision, metric=F1_OF_MACRO, values=values, phases=())


def f1_of_overall_means(precision: Elements, recall: Elements, order: AveragingOrder = "all") -> Result:
    """Return the harmonic mean of overall precision and overall recall (italic F1): an upper bound, not the mean F1.

    Raises
    ------
    MetricsError
        When the two are not of one variant and the same videos.
    """
    _alike(precision, recall)
    one, other = overall(precision.values, order), overall(recall.values, order)
    named = replace(precision, metric=F1_OF_MEANS)
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


@dataclass(frozen=True)
class PhaseChoice:
    """Everything that papers leave unsaid.

    The defaults are what the paper recommends: undefined values left out, all elements averaged at once, Bessel's correction.

    Parameters
    ----------
    scope
        ``video-wise``: per video, then summarised. ``frame-wise``: frames of all videos pooled.
    undefined
        ``A``, ``B``, ``zero`` or ``one``, see `rates.settled`.
    averaged
        Order of averaging, see `averaging.mean`.
    bessel
        Whether standard deviations divide by n - 1.
    """

    scope: PhaseScope = "video-wise"
    undefined: Strategy = "A"
    averaged: AveragingOrder = "all"
    bessel: bool = True

    def __post_init__(self) -> None:
        for what, value, known in (
            ("scope", self.scope, PHASE_SCOPES),
            ("undefined", self.undefined, STRATEGIES),
            ("averaged", self.averaged, AVERAGING_ORDERS),
        ):
            if value not in known:
                raise MetricsError(f"{what} is {value!r}; choose one of {', '.join(known)}")


RECOMMENDED = PhaseChoice()


def results_of_choice(confusions: Confusions, choice: PhaseChoice = RECOMMENDED) -> list[Result]:
    """Return accuracy, precision, recall, F1 and Jaccard, their deviations, and the two other F1 scores, in one choice.

    Parameters
    ----------
    confusions
        Of videos (not pooled); frame-wise numbers are pooled here.
    choice
        Which variant.

    Raises
    ------
    MetricsError
        When the matrices are pooled already.
    """
    # A deviation has its own order: only whether the phases come first can be chosen.
    first: First = "macro-first" if choice.averaged == "macro-first" else "all"
    return list(_summaries(confusions, choice.scope, choice.undefined, [choice.averaged], [first], [choice.bessel]))


def results_of_every_choice(confusions: Confusions) -> Iterator[Result]:
    """Yield every variant once: what a paper may have printed; raises `MetricsError` as `results_of_choice`."""
    seen: set[str] = set()
    for scope, undefined in product(PHASE_SCOPES, STRATEGIES):
        for result in _summaries(confusions, scope, undefined, AVERAGING_ORDERS, ("all", "macro-first"), (True, False)):
            # Accuracy is always defined, so it is the same under every strategy.
            if result.variant.name not in seen:
                seen.add(result.variant.name)
                yield result


def _summaries(
    confusions: Confusions,
    scope: PhaseScope,
    undefined: Strategy,
    orders: Sequence[AveragingOrder],
    firsts: Sequence[First],
    bessels: Sequence[bool],
) -> Iterator[Result]:
    if not confusions.videos:
        raise MetricsError("these confusion matrices are pooled already; give those of the videos")
    counted = pooled_confusions(confusions) if scope == "frame-wise" else confusions
    by_rate = {rate: rate_elements(counted, rate, undefined) for rate in RATES}
    precision, recall = by_rate["precision"], by_rate["recall"]
    for elements in (accuracy(counted), *by_rate.values(), f1_of_macro_averages(precision, recall)):
        for order in orders:
            yield mean(elements, order)
        for source, first, bessel in product(SOURCES, firsts, bessels):
            if _varies(elements, source, first):
                yield spread(elements, source, order=first, bessel=bessel)
    for order in orders:
        yield f1_of_overall_means(precision, recall, order)


def _varies(elements: Elements, source: Source, order: First) -> bool:
    if source == "videos":
        return bool(elements.videos)
    return source == "runs" or (bool(elements.phases) and order == "all")


QUANTILES = {"least": 0.0, "lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75, "greatest": 1.0}


def spread_results(confusions: Confusions, undefined: Strategy = "A", *, bessel: bool = True) -> list[Result]:
    """Return the statistics of every rate over videos; n is the number of videos where it is defined.

    Parameters
    ----------
    confusions
        Of videos (not pooled).
    undefined
        What becomes of undefined values of a phase, see `rates.settled`.
    bessel
        Whether the standard deviation divides by n - 1.
    """
    every = (accuracy(confusions), *(rate_elements(confusions, rate, undefined) for rate in RATES))
    return [result for elements in every for result in _of(elements, bessel)]


def _of(elements: Elements, bessel: bool) -> list[Result]:
    by_video = means(elements.macro().T)
    defined = sorted(by_video[~np.isnan(by_video)].tolist())
    options = {"averaged": "phases and runs of a video"}
    videos = {name: Value(value, int(not math.isnan(value))) for name, value in zip(elements.videos, by_video.tolist(), strict=True)}
    values = [Result(elements.variant(statistic="mean over videos", **options), mean_of(by_video), {}, videos)]
    spread = elements.variant(statistic="SD over videos", bessel="corrected" if bessel else "uncorrected", **options)
    values.append(Result(spread, sd_of(by_video, bessel)))
    for name, share in QUANTILES.items():
        value = float(np.quantile(defined, share)) if defined else math.nan
        values.append(Result(elements.variant(statistic=f"{name} over videos", **options), Value(value, len(defined))))
    return values
