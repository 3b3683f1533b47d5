"""Repeated runs of one experiment: mean and standard deviation of a metric over them.

>>> variant = Variant("example", "paper")
>>> repeated = over_runs([Result(variant, Value(value, 5)) for value in (0.4, 0.5, 0.6)])
>>> repeated.mean.overall, round(repeated.sd.overall.value, 12)
(Value(value=0.5, n=3), 0.1)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scrubin.core.errors import MetricsError
from scrubin.metrics.result import Result, Value, Variant
from scrubin.statistics import moments


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
        msg = "no run is given; at least one result is needed"
        raise MetricsError(msg)
    first = results[0]
    for number, one in enumerate(results):
        if one.variant.name != first.variant.name:
            msg = f"run {number} is of the variant '{one.variant.name}', run 0 of '{first.variant.name}'; compute all runs in one variant"
            raise MetricsError(msg)
        if "runs" in one.variant.options:
            msg = f"run {number} is a mean or deviation over runs already: '{one.variant.name}'; give the results of the single runs"
            raise MetricsError(msg)
        if set(one.classes) != set(first.classes) or set(one.videos) != set(first.videos):
            msg = f"run {number} has other classes or videos than run 0; every run must predict the same"
            raise MetricsError(msg)
    options = first.variant.options
    as_mean = Variant(first.variant.metric, first.variant.semantics, {**options, "runs": "mean"})
    as_sd = Variant(first.variant.metric, first.variant.semantics, {**options, "runs": f"SD, {'corrected' if bessel else 'uncorrected'}"})
    return MetricOverRuns(_combined(results, as_mean, None), _combined(results, as_sd, bessel))


def _combined(results: Sequence[Result], variant: Variant, bessel: bool | None) -> Result:
    def over(values: Sequence[Value]) -> Value:
        defined = [one.value for one in values if one.defined]
        return Value(moments.mean(defined) if bessel is None else _sd(defined, bessel), len(defined))

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
        return moments.sd(defined)
    return math.sqrt(moments.squares(defined) / len(defined)) if min(defined) < max(defined) else 0.0
