"""Standard deviations over videos, phases or runs.

Source: section 3.2 (SD_V, SD_P, SD_R) and 3.3.1: two numbers are the same only if the source of the variation is, and whether
Bessel's correction was applied.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from scrubin.errors import MetricsError
from scrubin.metrics.phases.elements import Elements, means, sd_of
from scrubin.metrics.phases.videos import FloatArray
from scrubin.metrics.result import Result

Source = Literal["videos", "phases", "runs"]
SOURCES: tuple[Source, ...] = ("videos", "phases", "runs")
First = Literal["all", "macro-first"]


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
    _check(elements, source, order)
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


def _check(elements: Elements, source: str, order: str) -> None:
    if source not in SOURCES or order not in {"all", "macro-first"}:
        msg = f"there is no deviation over {source!r} averaged {order!r}; choose one of {', '.join(SOURCES)}, and all or macro-first"
        raise MetricsError(msg)
    if source == "videos" and not elements.videos:
        msg = f"{elements.metric} is frame-wise: the frames of all videos are pooled, so it has no deviation over videos"
        raise MetricsError(msg)
    if source == "phases" and (not elements.phases or order == "macro-first"):
        msg = f"{elements.metric} has one value per video here, so it has no deviation over phases"
        raise MetricsError(msg)
