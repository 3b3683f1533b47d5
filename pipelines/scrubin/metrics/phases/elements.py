"""Values of every run, video and phase, before they are summarised, and exact sums over them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from scrubin.metrics.phases.videos import FloatArray
from scrubin.metrics.result import Semantics, Value, Variant
from scrubin.statistics import moments


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


def mean_of(values: Iterable[float] | FloatArray) -> Value:
    """Return the mean of the defined values and how many they are; NaN with 0 when there is none.

    The sum is exactly rounded: the order of videos and runs does not change a bit.

    >>> mean_of([0.5, math.nan, 0.7])
    Value(value=0.6, n=2)
    """
    defined = _defined(values)
    return Value(moments.mean(defined), len(defined))


def means(values: FloatArray) -> FloatArray:
    """Return the means of the defined values along the last axis; NaN where there is none."""
    rows = values.reshape(-1, values.shape[-1])
    return np.array([mean_of(row).value for row in rows], dtype=np.float64).reshape(values.shape[:-1])


def sd_of(values: Iterable[float] | FloatArray, bessel: bool) -> Value:
    """Return the standard deviation of the defined values and how many they are.

    With Bessel's correction (n - 1) it is undefined for one value, without it is 0; among infinite values it is undefined.

    >>> sd_of([2, 4, 4, 4, 5, 5, 7, 9], bessel=False)
    Value(value=2.0, n=8)
    """
    defined = _defined(values)
    if not all(math.isfinite(value) for value in defined):
        return Value(math.nan, len(defined))
    if bessel:
        return Value(moments.sd(defined), len(defined))
    if defined and min(defined) == max(defined):
        return Value(0.0, len(defined))
    return Value(math.sqrt(moments.squares(defined) / len(defined)) if defined else math.nan, len(defined))


def _defined(values: Iterable[float] | FloatArray) -> list[float]:
    array = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64).ravel()
    kept: list[float] = array[~np.isnan(array)].tolist()
    return kept
