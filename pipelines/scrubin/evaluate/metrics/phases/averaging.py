"""Means with their deviations over runs, videos, phases, in a named order.

Source: section 3.2 (overall mean M; SD_V, SD_P, SD_R), the note of 3.3.3: as soon as something is undefined, the order makes a difference,
and 3.3.1: two deviations are the same only if the source of the variation is, and whether Bessel's correction was applied.

>>> values = np.array([[[0.1, 0.2, 0.3], [0.1, 0.2, np.nan], [0.1, np.nan, 0.3]]])
>>> printed = Elements("example", "paper", {}, values, ("v0", "v1", "v2"), ("p0", "p1", "p2"))
>>> from scrubin.evaluate.metrics.variants import AVERAGING_ORDERS
>>> for order in AVERAGING_ORDERS:
...     print(f"{order}: {mean(printed, order).overall.value:.4f}")
all: 0.1857
macro-first: 0.1833
by-phase: 0.2000
by-video: 0.1833
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from scrubin.base import statistics
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.phases import FloatArray
from scrubin.evaluate.metrics.result import Result, Semantics, Value, Variant, defined_of, mean_of
from scrubin.evaluate.metrics.variants import AVERAGING_ORDERS, AveragingOrder

Source = Literal["videos", "phases", "runs"]
SOURCES: tuple[Source, ...] = ("videos", "phases", "runs")
First = Literal["all", "macro-first"]


@dataclass(frozen=True, eq=False)
class Elements:
    """The set of results that sections 3.2 and 3.3 average over.

    Parameters
    ----------
    metric, semantics, options
        Name of the variant so far.
    values
        (runs, videos, phases); NaN is left out.
    videos
        Their names; empty when frames are pooled, the axis then has length 1.
    phases
        Their names; empty for one value per video, the axis then has length 1.
    """

    metric: str
    semantics: Semantics
    options: Mapping[str, str]
    values: FloatArray
    videos: tuple[str, ...]
    phases: tuple[str, ...]

    def variant(self, **further: str) -> Variant:
        """Return the name of a summary."""
        return Variant(self.metric, self.semantics, {**self.options, **further})

    def macro(self) -> FloatArray:
        """Return the macro-averaged values: means over the defined phases, (runs, videos)."""
        return means(self.values)

    def macro_first(self) -> Elements:
        """Return one value per run and video: the macro-averaged one."""
        return replace(self, values=self.macro()[..., np.newaxis], phases=())


def means(values: FloatArray) -> FloatArray:
    """Return the means of the defined values along the last axis; NaN where there is none."""
    if values.shape[-1] == 1:
        # The mean of one value is that value, and 0 has no sign in a sum: of a phase of one run, that is each video in every draw.
        return np.asarray(values[..., 0], dtype=np.float64) + 0.0
    rows = values.reshape(-1, values.shape[-1])
    return np.array([mean_of(row).value for row in rows], dtype=np.float64).reshape(values.shape[:-1])


def sd_of(values: Iterable[float] | FloatArray, bessel: bool) -> Value:
    """Return the standard deviation of the defined values and how many they are.

    With Bessel's correction (n - 1) it is undefined for one value, without it is 0; among infinite values it is undefined.

    >>> sd_of([2, 4, 4, 4, 5, 5, 7, 9], bessel=False)
    Value(value=2.0, n=8)
    """
    defined = defined_of(values)
    if not all(math.isfinite(value) for value in defined):
        return Value(math.nan, len(defined))
    if bessel:
        return Value(statistics.sd(defined), len(defined))
    if defined and min(defined) == max(defined):
        return Value(0.0, len(defined))
    return Value(math.sqrt(statistics.squares(defined) / len(defined)) if defined else math.nan, len(defined))


def mean(elements: Elements, order: AveragingOrder = "all") -> Result:
    """Return the overall mean, and those of each phase and of each video.

    Parameters
    ----------
    elements
        Values of every run, video and phase.
    order
        ``all``: every defined element weighs the same (recommended by the paper, its M). ``macro-first``: over the phases of each
        run and video, then over these. ``by-phase``: over the runs and videos of each phase, then over phases. ``by-video``: over the
        runs and phases of each video, then over videos.

    Returns
    -------
    Result
        Overall with the number of values that were averaged last; classes over all defined values of a phase, videos over those of
        a video (of its macro-averaged values with ``macro-first``).
    """
    values = elements.values
    level = elements.macro_first().values if order == "macro-first" else values
    by_video = {name: mean_of(level[:, at]) for at, name in enumerate(elements.videos)}
    by_phase = {name: mean_of(values[..., at]) for at, name in enumerate(elements.phases)}
    return Result(elements.variant(statistic="mean", averaged=order), overall(values, order), by_phase, by_video)


def overall(values: FloatArray, order: AveragingOrder) -> Value:
    """Return the mean of (runs, videos, phases) in that order, and how many values were averaged last."""
    runs, videos, phases = values.shape
    if order == "all":
        return mean_of(values)
    if order == "macro-first":
        return mean_of(means(values))
    if order == "by-phase":
        return mean_of(means(values.transpose(2, 0, 1).reshape(phases, runs * videos)))
    if order == "by-video":
        return mean_of(means(values.transpose(1, 0, 2).reshape(videos, runs * phases)))
    raise MetricsError(f"there is no order of averaging {order!r}; choose one of {', '.join(AVERAGING_ORDERS)}")


def spread(elements: Elements, source: Source, *, order: First = "all", bessel: bool = True) -> Result:
    """Return the standard deviation over one source of variation of the mean over everything else.

    Parameters
    ----------
    elements
        Values of every run, video and phase.
    source
        What varies.
    order
        ``all``: everything else is averaged at once. ``macro-first``: over phases first; not for variation over phases.
    bessel
        Divide by n - 1 (recommended by the paper) or by n.

    Returns
    -------
    Result
        Overall with the number of values that vary. Classes: over videos or runs, the same within each phase; empty over phases.
        One value alone has no deviation with Bessel's correction, and 0 without.

    Raises
    ------
    MetricsError
        When there is no such source: videos of pooled frames, phases of accuracy.
    """
    _check_source(elements, source, order)
    level = elements.macro_first() if order == "macro-first" else elements
    variant = elements.variant(statistic=f"SD over {source}", averaged=order, bessel="corrected" if bessel else "uncorrected")
    total = sd_of(_means_over_the_rest(level.values, source), bessel)
    if source == "phases":
        return Result(variant, total)
    classes = {
        name: sd_of(_means_over_the_rest(elements.values[..., at : at + 1], source), bessel) for at, name in enumerate(elements.phases)
    }
    return Result(variant, total, classes)


def _means_over_the_rest(values: FloatArray, source: Source) -> FloatArray:
    axis = {"runs": 0, "videos": 1, "phases": 2}[source]
    return means(np.moveaxis(values, axis, 0).reshape(values.shape[axis], -1))


def _check_source(elements: Elements, source: str, order: str) -> None:
    if source not in SOURCES or order not in {"all", "macro-first"}:
        msg = f"there is no deviation over {source!r} averaged {order!r}; choose one of {', '.join(SOURCES)}, and all or macro-first"
        raise MetricsError(msg)
    if source == "videos" and not elements.videos:
        raise MetricsError(f"{elements.metric} is frame-wise: the frames of all videos are pooled, so it has no deviation over videos")
    if source == "phases" and (not elements.phases or order == "macro-first"):
        raise MetricsError(f"{elements.metric} has one value per video here, so it has no deviation over phases")
