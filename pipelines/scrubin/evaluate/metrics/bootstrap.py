"""Confidence intervals by the bootstrap over videos, for every metric.

Videos are drawn with replacement, as many as there are, and the metric is computed anew of each draw; the interval lies between two
percentiles of these values (percentile method). The draws come from a hash of seed, draw and place, so that they are the same with every
version of NumPy and on every processor, and the first 500 of 1,000 draws are those of 500.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.result import Result, Value, Variant, exact
from scrubin.evaluate.metrics.variants import LEVEL, RESAMPLES, SEED

Draw = npt.NDArray[np.int64]
UIntArray = npt.NDArray[np.uint64]
Video = TypeVar("Video")

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


def draws(videos: int, resamples: int = RESAMPLES, seed: int = SEED) -> Draw:
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
    scaled: Draw = ((bits >> np.uint64(32)) * np.uint64(videos) >> np.uint64(32)).astype(np.int64)
    return scaled


def intervals(
    metrics: Callable[[Draw], Sequence[Result]],
    names: Sequence[str],
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[Interval]:
    """Return confidence intervals of several metrics over videos, all of the same draws.

    Parameters
    ----------
    metrics
        Takes positions of videos in ``names``, with repetition, and returns the metrics of them, always in the same order. It is called
        with all videos first, then with each draw. Metrics of arrays by video are indexed; for the others there is something that is
        counted once and drawn often: ``PerVideo.take`` and ``Table.take`` (recognition), ``drawn`` with hits by video (top-k),
        ``matching.draw`` (detection), ``Confusions.take`` and ``Relaxed.take`` (phases), and ``take`` of what the published programs are
        made of.
    names
        Of the videos, each once. Draws are by rank of the name, so that the order of the videos changes nothing.
    level
        Share of the draws between the bounds.
    resamples, seed
        See `draws`.

    Returns
    -------
    list
        In the order of the metrics. Draws in which a metric is undefined are left out; the bounds say how many remained. Percentiles
        are interpolated linearly.

    Raises
    ------
    MetricsError
        As `draws`; also when a name comes twice, the level is not between 0 and 1, or a metric changes its variant.
    """
    if len(set(names)) != len(names):
        raise MetricsError("a video is given twice; the bootstrap draws whole videos, so give each once")
    if not 0 < level < 1:
        raise MetricsError(f"the level is {level}; it must lie between 0 and 1, such as 0.95")
    ranks = np.array(sorted(range(len(names)), key=lambda at: names[at]), dtype=np.int64)
    chosen = ranks[draws(len(names), resamples, seed)]
    whole = metrics(ranks)
    variants = [one.variant.name for one in whole]
    drawn_values = np.array([_values(metrics(draw), variants) for draw in chosen]).reshape(len(chosen), len(whole))
    how = f"bootstrap over videos, percentile (linear), level {exact(level)}, {resamples} draws, seed {seed}"
    return [_interval(one, values, level, how) for one, values in zip(whole, drawn_values.T, strict=True)]


def drawn_names(names: Sequence[str], draw: Draw) -> tuple[str, ...]:
    """Return names of drawn videos, which differ also where a video repeats.

    >>> drawn_names(("a", "b"), np.array([1, 1]))
    ('b#0', 'b#1')
    """
    return tuple(f"{names[at]}#{number}" for number, at in enumerate(np.asarray(draw).tolist()))


def drawn(table: Mapping[str, Video], draw: Draw) -> dict[str, Video]:
    """Return what is known of the drawn videos, each under a name of its own.

    >>> drawn({"a": 5, "b": 7}, np.array([1, 1]))
    {'b#0': 7, 'b#1': 7}
    """
    held = list(table.values())
    return dict(zip(drawn_names(list(table), draw), [held[at] for at in draw.tolist()], strict=True))


def _values(results: Sequence[Result], variants: Sequence[str]) -> list[float]:
    names = [one.variant.name for one in results]
    if names != list(variants):
        changed = [f"'{one}' to '{other}'" for one, other in zip(variants, names, strict=False) if one != other]
        what = f"the metric changed from {changed[0]}" if changed else f"there were {len(variants)} metrics, then {len(names)},"
        raise MetricsError(f"{what} between draws; it must be one variant throughout")
    return [one.overall.value for one in results]


def _interval(whole: Result, values: npt.NDArray[np.float64], level: float, how: str) -> Interval:
    defined = values[~np.isnan(values)]
    variant = replace(whole.variant, options={**whole.variant.options, "interval": how})
    return Interval(variant, whole.overall, *(Value(bound, len(defined)) for bound in _percentiles(defined, level)))


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
