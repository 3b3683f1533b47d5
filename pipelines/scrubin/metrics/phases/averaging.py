"""Means over runs, videos and phases, in the order asked for.

Source: section 3.2 (overall mean M) and the note of 3.3.3: as soon as something is undefined, the order makes a difference.

>>> import numpy as np
>>> found = np.array([[[0.1, 0.2, 0.3], [0.1, 0.2, np.nan], [0.1, np.nan, 0.3]]])
>>> printed = Elements("example", "paper", {}, found, ("v0", "v1", "v2"), ("p0", "p1", "p2"))
>>> for order in ORDERS:
...     print(f"{order}: {mean(printed, order).overall.value:.4f}")
all: 0.1857
macro-first: 0.1833
by-phase: 0.2000
by-video: 0.1833
"""

from __future__ import annotations

from typing import Literal

from scrubin.errors import MetricsError
from scrubin.metrics.phases.elements import Elements, mean_of, means
from scrubin.metrics.phases.videos import FloatArray
from scrubin.metrics.result import Result, Value

Order = Literal["all", "macro-first", "by-phase", "by-video"]
ORDERS: tuple[Order, ...] = ("all", "macro-first", "by-phase", "by-video")


def mean(elements: Elements, order: Order = "all") -> Result:
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


def overall(values: FloatArray, order: Order) -> Value:
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
    msg = f"there is no order of averaging {order!r}; choose one of {', '.join(ORDERS)}"
    raise MetricsError(msg)
