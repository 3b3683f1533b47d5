"""What a metric returns, of one run or of repeated ones: a value with its count, with the name of its variant.

Values of different variants cannot be compared: that is refused with the reason.

>>> variant = Variant("example", "paper")
>>> repeated = over_runs([Result(variant, Value(value, 5)) for value in (0.4, 0.5, 0.6)])
>>> repeated.mean.overall, round(repeated.sd.overall.value, 12)
(Value(value=0.5, n=3), 0.1)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from scrubin.base import statistics
from scrubin.base.errors import MetricsError
from scrubin.base.faults import ranges_text

Semantics = Literal["paper", "compat"]


def exact(number: float) -> str:
    """Return a number as text for the name of a variant: different numbers never look the same.

    >>> exact(0.5), exact(1.0), exact(1 / 3)
    ('0.5', '1', '0.3333333333333333')
    """
    return repr(float(number)).removesuffix(".0")


TAKING_PART = "taking part"
"""What a number states that has a value for classes that nobody labels: which classes it is of."""


def taking_part(ids: Sequence[int], every: int) -> dict[str, str]:
    """Return what a number states of the classes that take part, by their ids, of so many.

    >>> taking_part([0, 1, 2, 7], 10), taking_part([0, 1], 2)
    ({'taking part': '0-2, 7'}, {'taking part': 'all 2'})
    """
    return {TAKING_PART: f"all {every}" if len(ids) == every else ranges_text(ids)}


@dataclass(frozen=True)
class Variant:
    """Which number it is.

    Parameters
    ----------
    metric
        Name of the metric, such as ``recognition AP``.
    semantics
        ``paper``: the definition. ``compat``: what a published program returns, quirks included.
    options
        Everything else that is chosen and changes the number, by name: component, scope, interpolation, omega ...
    stated
        What files, and what is said of them, decide and changes the number: which classes take part, the rate, the size of images ... It
        is not in the name, by which numbers of several files are put together, and numbers that state other things are not compared.
    """

    metric: str
    semantics: Semantics
    options: Mapping[str, str] = field(default_factory=dict)
    stated: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The variant on one line."""
        return "; ".join([self.metric, self.semantics, *(f"{key}={value}" for key, value in sorted(self.options.items()))])

    @property
    def said(self) -> dict[str, str]:
        """Options and what else is stated, for reading."""
        return {**self.options, **self.stated}

    def apart(self, other: Variant) -> list[str]:
        """Return what both state and is not the same, sorted."""
        return sorted(key for key in {*self.stated, *other.stated} if self.stated.get(key) != other.stated.get(key))


@dataclass(frozen=True)
class Value:
    """A number and what it was made of.

    Parameters
    ----------
    value
        NaN is undefined.
    n
        Count behind it: positives of a class, classes of a mean, videos of a mean over videos, recordings that were compared. Not 0 of
        an undefined value where there was something to count, such as recordings that all have the same rating.
    """

    value: float
    n: int

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)


@dataclass(frozen=True)
class Result:
    """The outcome of one variant of a metric.

    Parameters
    ----------
    variant
        Which number it is.
    overall
        The number itself.
    classes
        Per class by its name or id, as text; empty where there are none.
    videos
        Per video; empty where the metric does not work by video.
    curves
        Per class, lists of equal length by what they are, such as recall and precision; empty where there are none.
    """

    variant: Variant
    overall: Value
    classes: Mapping[str, Value] = field(default_factory=dict)
    videos: Mapping[str, Value] = field(default_factory=dict)
    curves: Mapping[str, Mapping[str, list[float]]] = field(default_factory=dict)


def defined_of(values: Iterable[float] | npt.NDArray[np.float64]) -> list[float]:
    """Return the values that are defined, in their order."""
    every = values.ravel().tolist() if isinstance(values, np.ndarray) else map(float, values)
    return [value for value in every if not math.isnan(value)]


def mean_of(values: Iterable[float] | npt.NDArray[np.float64]) -> Value:
    """Return the mean of the defined values and how many they are; NaN with 0 when there is none.

    The sum is exactly rounded: the order of values does not change a bit.

    >>> mean_of([0.5, math.nan, 0.7])
    Value(value=0.6, n=2)
    """
    defined = defined_of(values)
    return Value(statistics.mean(defined), len(defined))


def mean_over(values: Iterable[Value]) -> Value:
    """Return the mean of values, as of `mean_of`: of classes, videos or raters."""
    return mean_of(one.value for one in values)


def difference(one: Result, other: Result) -> float:
    """Return ``one - other``.

    Raises
    ------
    MetricsError
        When they are not of the same variant, or state other things; names what differs.
    """
    if one.variant.name != other.variant.name:
        names = f"'{one.variant.name}' and '{other.variant.name}'"
        raise MetricsError(f"these are different metrics and cannot be compared: {names}; compute both in one variant")
    if apart := one.variant.apart(other.variant):
        both = (", ".join(f"{key}={of.variant.stated.get(key, 'not stated')}" for key in apart) for of in (one, other))
        raise MetricsError(f"these numbers of '{one.variant.name}' cannot be compared: {' and '.join(both)}; compute both of the same")
    return one.overall.value - other.overall.value


@dataclass(frozen=True)
class MetricOverRuns:
    """A metric over runs.

    Parameters
    ----------
    mean, sd
        Results with the number of runs in which the value is defined; ``sd`` is undefined for fewer than two with Bessel's correction.
    """

    mean: Result
    sd: Result


def over_runs(results: Sequence[Result], *, bessel: bool = True) -> MetricOverRuns:
    """Summarise the same metric of several runs.

    Parameters
    ----------
    results
        One per run.
    bessel
        Divide by n - 1, or by n.

    Raises
    ------
    MetricsError
        When there is none, they are of different variants, have other classes or videos, or are summaries of runs already.
    """
    if not results:
        raise MetricsError("no run is given; at least one result is needed")
    first = results[0]
    for number, one in enumerate(results):
        if one.variant.name != first.variant.name:
            msg = f"run {number} is of the variant '{one.variant.name}', run 0 of '{first.variant.name}'; compute all runs in one variant"
            raise MetricsError(msg)
        if apart := one.variant.apart(first.variant):
            key = apart[0]
            both = (one.variant.stated.get(key, "not stated"), first.variant.stated.get(key, "not stated"))
            raise MetricsError(f"run {number} has {key}={both[0]}, run 0 {key}={both[1]}; every run must predict the same")
        if "runs" in one.variant.options:
            msg = f"run {number} is a mean or deviation over runs already: '{one.variant.name}'; give the results of the single runs"
            raise MetricsError(msg)
        if set(one.classes) != set(first.classes) or set(one.videos) != set(first.videos):
            raise MetricsError(f"run {number} has other classes or videos than run 0; every run must predict the same")
    options = first.variant.options
    as_mean = replace(first.variant, options={**options, "runs": "mean"})
    as_sd = replace(first.variant, options={**options, "runs": f"SD, {'corrected' if bessel else 'uncorrected'}"})
    return MetricOverRuns(_combined(results, as_mean, None), _combined(results, as_sd, bessel))


def _combined(results: Sequence[Result], variant: Variant, bessel: bool | None) -> Result:
    def over(values: Sequence[Value]) -> Value:
        defined = defined_of(one.value for one in values)
        return mean_of(defined) if bessel is None else Value(_sd(defined, bessel), len(defined))

    def by_name(runs: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
        return {name: over([run[name] for run in runs]) for name in runs[0]}

    return Result(
        variant,
        over([one.overall for one in results]),
        by_name([one.classes for one in results]),
        by_name([one.videos for one in results]),
    )


def _sd(defined: Sequence[float], bessel: bool) -> float:
    if not all(math.isfinite(value) for value in defined):
        return math.nan
    if bessel or not defined:
        return statistics.sd(defined)
    return math.sqrt(statistics.squares(defined) / len(defined)) if min(defined) < max(defined) else 0.0
