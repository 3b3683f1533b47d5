"""Confidence intervals by the bootstrap over videos, for every metric.

Videos are drawn with replacement, as many as there are, and the metric is computed anew of each draw; the interval lies between two
percentiles of these values (percentile method). The draws come from a hash of seed, draw and place, so that they are the same with every
version of NumPy and on every processor, and the first 500 of 1,000 draws are those of 500.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from scrubin.errors import MetricsError
from scrubin.metrics.result import Result, Value, Variant

IntArray = npt.NDArray[np.int64]
UIntArray = npt.NDArray[np.uint64]
Video = TypeVar("Video")

SEED = 0
RESAMPLES = 1000
LEVEL = 0.95
# The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the counter reaches every bit of the output.
STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Parameters
    ----------
    variant
        Of the metric, with level, method, number of draws and seed.
    value
        The metric of all videos.
    low, high
        Bounds, with the number of draws in which the metric was defined.
    """

    variant: Variant
    value: Value
    low: Value
    high: Value


def draws(videos: int, resamples: int = RESAMPLES, seed: int = SEED) -> IntArray:
    """Return which videos each resample holds, (resamples, videos).

    Raises
    ------
    MetricsError
        When there is no video or no resample, or the seed is not a whole number from 0 below 2 to the 63rd.

    >>> draws(5, 2).shape
    (2, 5)
    """
    if not (0 < videos < 2**31 and resamples > 0 and 0 <= seed < 2**63 and seed == int(seed)):
        msg = f"{videos} videos, {resamples} resamples, seed {seed}: give at least one video and one resample, and a seed from 0"
        raise MetricsError(msg)
    rows = _mixed(_mixed(np.array([seed], dtype=np.uint64)) ^ np.arange(resamples, dtype=np.uint64))[:, np.newaxis]
    bits = _mixed(rows ^ np.arange(videos, dtype=np.uint64))
    # The upper 32 bits scaled to 0 .. videos - 1; uneven by less than videos / 2**32.
    scaled: IntArray = ((bits >> np.uint64(32)) * np.uint64(videos) >> np.uint64(32)).astype(np.int64)
    return scaled


def interval(
    metric: Callable[[IntArray], Result], names: Sequence[str], *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """Return a confidence interval of a metric over videos.

    Parameters
    ----------
    metric
        Takes positions of videos in ``names``, with repetition, and returns the metric of them: see `repeated` for metrics of lists.
    names
        Of the videos, each once. Draws are by rank of the name, so that the order of the videos changes nothing.
    level
        Share of the draws between the bounds.
    resamples, seed
        See `draws`.

    Returns
    -------
    Interval
        Draws in which the metric is undefined are left out; the bounds say how many remained. Percentiles are interpolated linearly.

    Raises
    ------
    MetricsError
        As `draws`; also when a name comes twice, the level is not between 0 and 1, or the metric changes its variant.
    """
    if len(set(names)) != len(names):
        msg = "a video is given twice; the bootstrap draws whole videos, so give each once"
        raise MetricsError(msg)
    if not 0 < level < 1:
        msg = f"the level is {level}; it must lie between 0 and 1, such as 0.95"
        raise MetricsError(msg)
    ranks = np.array(sorted(range(len(names)), key=lambda at: names[at]), dtype=np.int64)
    chosen = ranks[draws(len(names), resamples, seed)]
    whole = metric(ranks)
    found = np.array([_value(metric, draw, whole.variant) for draw in chosen])
    defined = found[~np.isnan(found)]
    bounds = _percentiles(defined, level)
    options = {
        **whole.variant.options,
        "interval": f"bootstrap over videos, percentile (linear), level {level:g}, {resamples} draws, seed {seed}",
    }
    variant = Variant(whole.variant.metric, whole.variant.semantics, options)
    return Interval(variant, whole.overall, *(Value(bound, len(defined)) for bound in bounds))


def repeated(videos: Sequence[Video], draw: IntArray, renamed: Callable[[Video, str], Video]) -> list[Video]:
    """Return the drawn videos, each under a name of its own.

    Parameters
    ----------
    videos
        All of them.
    draw
        Positions.
    renamed
        Returns a video under another name, for metrics that refuse a name that comes twice.

    >>> repeated(["a", "b"], np.array([1, 1]), lambda video, name: video + name)
    ['b#0', 'b#1']
    """
    return [renamed(videos[at], f"#{number}") for number, at in enumerate(draw.tolist())]


def _value(metric: Callable[[IntArray], Result], draw: IntArray, variant: Variant) -> float:
    result = metric(draw)
    if result.variant.name != variant.name:
        msg = f"the metric changed from '{variant.name}' to '{result.variant.name}' between draws; it must be one variant throughout"
        raise MetricsError(msg)
    return result.overall.value


def _percentiles(defined: npt.NDArray[np.float64], level: float) -> tuple[float, float]:
    if not len(defined):
        return float("nan"), float("nan")
    ordered, tail = sorted(defined.tolist()), (1 - level) / 2
    return _percentile(ordered, tail), _percentile(ordered, 1 - tail)


def _percentile(ordered: list[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    # Equal neighbours first: between two infinities there is nothing to interpolate.
    return low if low == high or place == below else low + (high - low) * (place - below)


def _mixed(counter: UIntArray) -> UIntArray:
    # Arrays of unsigned numbers wrap around silently, which is what the hash needs.
    state = (counter + np.uint64(1)) * STEP
    state = (state ^ (state >> np.uint64(30))) * FIRST
    state = (state ^ (state >> np.uint64(27))) * SECOND
    return state ^ (state >> np.uint64(31))
