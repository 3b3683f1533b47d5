"""The lag between both cameras from what moves up or down: a late camera shows the same rows some frames later.

After rectification a point has one row in both pictures, and how that row changes from frame to frame is the same in both,
``tau`` frames later in a camera that is ``tau`` frames late. For each lag that is possible, the paths of the left camera
are put so much later, and what is left between the rows of both is what speaks against this lag. Where a path lies is not
asked, only how it moves, so that an error of the rig's does not look like a lag; what such an error adds while a point
wanders over the picture is allowed for.

A lag is stated only when the evidence carries it: the others are excluded, nothing is excluded but one short span of lags,
and it holds in every stretch of the recording. Otherwise the answer is that nobody knows, and why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.stages.stereo.samples import Tracks

Floats = npt.NDArray[np.float64]
MOST_LAG, BEYOND, STEP = 12, 3, 0.5
"""Lags are looked for up to 15 frames; one that could be more than 12 is not stated."""
LAGS = np.arange(-(MOST_LAG + BEYOND), MOST_LAG + BEYOND + STEP / 2, STEP)
NONE = int(np.argmin(np.abs(LAGS)))
FEWEST_FRAMES, FEWEST_COMMON = 20, 12
FEWEST_POINTS, FEWEST_TOGETHER = 8, 20
LEAST_MOVE_PX = 0.4
"""Standard deviation of the row of a point that moves."""
GRADIENT, FREE_GRADIENT = 0.01, 0.05
"""By how much of its way a point's row may change between the cameras: with a rig, and without one."""
LEAST_NOISE_PX = 0.05
MOST_MISFIT = 3.0
"""Points further off than so many times the noise count as if they were at it: they were lost, or are a reflection."""
LEAST_EXPLAINED = 2.5
"""By how much the rows of both must agree better at the best lag than rows that do not move at all."""
TOLERANCE, SIGMAS, ALIKE_POINTS = 0.3, 4.0, 4
"""A lag is excluded when it fits worse by 30 % and by four standard errors; four neighbours count as one point."""
LEAST_COST = 1e-6
MOST_SPAN = 2.5
SURE_ALONE = 1.0
"""Where one stretch only speaks, what is excluded must fit worse by 100 %."""
AGREEING_SHARE = 0.75
REPEATING_SHARE = 0.4
"""Of the lags, which are left over where a motion repeats itself; more are left over where there is hardly any."""


@dataclass(frozen=True)
class MotionLag:
    """How far the right camera is behind.

    Parameters
    ----------
    frames
        What the left camera shows in frame k the right one shows in frame k + this; NaN when it cannot be told.
    error
        Its standard error, by leaving out parts of the pictures and of the recording; NaN as above.
    is_late
        Whether it is proven that the cameras are not in step.
    change
        Lag at the first and at the last place where it is known, when it changes in between; then ``frames`` is the larger one.
    why
        Why it cannot be told; "" when it can.
    """

    frames: float
    error: float
    is_late: bool = False
    change: tuple[float, float] | None = None
    why: str = ""


@dataclass(frozen=True, eq=False)
class _Evidence:
    """What speaks against each of `LAGS`: one row per point, 1 is the noise; and in which part of the picture each point is."""

    against: Floats
    unmoved: Floats
    part: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Answer:
    """What some evidence says: the best lag, the span of those that are not excluded, and how surely it is not 0."""

    lag: float
    low: float
    high: float
    possible_share: float
    is_one_span: bool
    explained: float
    better_than_none: float
    excludes_none: bool

    @property
    def is_decided(self) -> bool:
        return (
            self.is_one_span
            and self.high - self.low <= MOST_SPAN
            and max(abs(self.low), abs(self.high)) <= MOST_LAG + 1
            and self.explained >= LEAST_EXPLAINED
        )


def unknown(why: str) -> MotionLag:
    """Return that nothing is known, and why."""
    return MotionLag(math.nan, math.nan, why=why)


def motion_lag(stretches: Sequence[Tracks], gradient: float = GRADIENT) -> MotionLag:
    """Return the lag of the right camera from the paths of points in some stretches of a recording, in their order.

    Parameters
    ----------
    gradient
        See `GRADIENT`.
    """
    if not any(one.left.shape[1] >= FEWEST_FRAMES for one in stretches):
        return unknown("there are too few consecutive frames")
    found = [one for one in (_evidence(tracks, gradient) for tracks in stretches) if one is not None]
    each = [(evidence, _answer(evidence)) for evidence in found]
    moving = [(evidence, answer) for evidence, answer in each if answer.explained >= LEAST_EXPLAINED]
    if not moving:
        return unknown("too little moves up and down alike in both" if found else "too little moves up and down")
    together = _joined([evidence for evidence, _ in moving])
    if len(together.against) < FEWEST_TOGETHER:
        return unknown("too little moves up and down")
    pooled = _answer(together)
    apart = [answer for _, answer in moving if not answer.low - STEP <= pooled.lag <= answer.high + STEP]
    if apart or not pooled.is_decided:
        own = [answer for _, answer in moving if answer.is_decided]
        return _changing(own) or unknown(_why(pooled, own, bool(apart)))
    strong = sum(answer.excludes_none for _, answer in moving)
    is_late = pooled.excludes_none and (strong > 1 or pooled.better_than_none >= 1 + SURE_ALONE)
    if not is_late and (pooled.excludes_none or abs(pooled.lag) > STEP / 2):
        return unknown("too little of it says whether they ran in step")
    return MotionLag(pooled.lag, max(_error(together, pooled.lag), (pooled.high - pooled.low) / 4), is_late)


def _why(pooled: _Answer, own: Sequence[_Answer], are_apart: bool) -> str:
    if are_apart and len(own) > 1:
        return "its parts contradict one another"
    if not pooled.is_one_span and pooled.possible_share <= REPEATING_SHARE:
        return "what moves repeats itself"
    return "too little moves up and down, or too evenly"


def _changing(own: Sequence[_Answer]) -> MotionLag | None:
    """Return a lag that grows or shrinks through the recording; None when it does not, or too little says so."""
    late = [answer for answer in own if answer.excludes_none and answer.better_than_none >= 1 + SURE_ALONE]
    lags = [answer.lag for answer in own]
    steps = np.diff(lags)
    is_steady = bool((steps >= -STEP).all() or (steps <= STEP).all())
    if len(late) < 2 or not is_steady or abs(lags[-1] - lags[0]) < 2 * STEP:
        return None
    first, last = own[0], own[-1]
    if first.low <= last.high and last.low <= first.high:
        return None
    return MotionLag(max(lags, key=abs), STEP / 2, is_late=True, change=(lags[0], lags[-1]))


def _evidence(tracks: Tracks, gradient: float) -> _Evidence | None:
    """Return what the paths of a stretch say against each lag; None when too few points move up and down."""
    left, right = tracks.left, tracks.right
    if left.shape[1] < FEWEST_FRAMES or len(left) < FEWEST_POINTS:
        return None
    known = np.isfinite(left[..., 0]) & np.isfinite(right[..., 0])
    left, right = (one[known.sum(axis=1) >= FEWEST_COMMON + 2] for one in (left, right))
    if len(left) < FEWEST_POINTS:
        return None
    way = np.nanstd(left, axis=1)
    moves = np.minimum(way[:, 1], np.nanstd(right[..., 1], axis=1)) >= LEAST_MOVE_PX
    if moves.sum() < FEWEST_POINTS:
        return None
    left, right, way = left[moves], right[moves], np.hypot(*way[moves].T)
    rests = np.stack([_rest(left, right, lag, gradient) for lag in LAGS])
    middles = np.array([np.median(np.abs(own[np.isfinite(own)])) if np.isfinite(own).any() else np.inf for own in rests])
    noise = max(LEAST_NOISE_PX, 1.4826 * float(middles.min()))
    scale = np.hypot(noise, 0.5 * gradient * way)[:, None]
    against = np.stack([_misfit(own / scale) for own in rests], axis=1)
    kept = np.isfinite(against[:, NONE])
    rows = right[..., 1] - np.nanmean(right[..., 1], axis=1, keepdims=True)
    middle = np.nanmean(left, axis=1)
    part = (middle > np.median(middle, axis=0)) @ np.array([1, 2])
    return _Evidence(against[kept], _misfit(rows / scale)[kept], part[kept]) if kept.sum() >= FEWEST_POINTS else None


def _rest(left: Floats, right: Floats, lag: float, gradient: float) -> Floats:
    """Return by how many rows the right camera's paths differ from the left ones ``lag`` frames before; NaN where unknown.

    Each path is taken from its own mean, and what grows in proportion to column, row and disparity is taken off as far
    as an error of the rig may be its cause.
    """
    then = _later(left, lag)
    rest = right[..., 1] - then[..., 1]
    known = np.isfinite(rest) & np.isfinite(left[..., 0])
    known[known.sum(axis=1) < FEWEST_COMMON] = False
    if known.sum() < FEWEST_COMMON * FEWEST_POINTS:
        return np.full(rest.shape, np.nan)
    causes = np.stack([_centred(one, known)[known] for one in (then[..., 0], then[..., 1], left[..., 0] - right[..., 0])], axis=1)
    values = _centred(rest, known)
    own = values[known]
    noise = max(2 * LEAST_NOISE_PX, 1.4826 * float(np.median(np.abs(own))))
    weights = np.minimum(1, 2 * noise / np.maximum(np.abs(own), 1e-9))[:, None] / noise**2 / FEWEST_COMMON
    share = np.linalg.solve((causes * weights).T @ causes + np.eye(3) / gradient**2, (causes * weights).T @ own)
    values[known] = own - causes @ share
    return values


def _later(paths: Floats, lag: float) -> Floats:
    """Return paths some frames later; between frames, and at frames, so that the noise of both is the same."""
    whole = math.floor(lag)
    weights = {whole - 1: 1 / 6, whole: 2 / 3, whole + 1: 1 / 6} if whole == lag else {whole: 0.5, whole + 1: 0.5}
    total, count = np.zeros(paths.shape), paths.shape[1]
    for by, weight in weights.items():
        moved = np.full(paths.shape, np.nan)
        low, high = max(0, by), min(count, count + by)
        if high > low:
            moved[:, low:high] = paths[:, low - by : high - by]
        total += weight * moved
    return total


def _centred(values: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    """Return rows of values less their mean over what is known; NaN elsewhere."""
    count = np.maximum(known.sum(axis=1, keepdims=True), 1)
    mean = np.where(known, values, 0.0).sum(axis=1, keepdims=True) / count
    return np.where(known, values - mean, np.nan)


def _misfit(values: Floats) -> Floats:
    """Return the mean square of each row, NaN where it has none; what is far off counts as if it were less."""
    known = np.isfinite(values)
    total = np.minimum(np.where(known, values, 0.0) ** 2, MOST_MISFIT**2).sum(axis=1)
    return np.where(known.any(axis=1), total / np.maximum(known.sum(axis=1), 1), np.nan)


def _joined(every: Sequence[_Evidence]) -> _Evidence:
    parts = [evidence.part + 4 * place for place, evidence in enumerate(every)]
    return _Evidence(np.concatenate([one.against for one in every]), np.concatenate([one.unmoved for one in every]), np.concatenate(parts))


def _answer(evidence: _Evidence) -> _Answer:
    """Return which lags are not excluded."""
    against = evidence.against
    # A lag of which most points know nothing is not known.
    are_known = np.isfinite(against).mean(axis=0) >= AGREEING_SHARE
    cost = np.where(are_known, np.maximum(_mean(against), LEAST_COST), np.inf)
    best = int(np.argmin(cost))
    worse = against - against[:, [best]]
    count = np.maximum(np.isfinite(worse).sum(axis=0), 1)
    mean = _mean(worse)
    error = np.sqrt(_mean((worse - mean) ** 2) / (count / ALIKE_POINTS))
    possible = are_known & (mean <= np.maximum(TOLERANCE * cost[best], SIGMAS * error))
    places = np.flatnonzero(possible)
    agreeing = float((worse[:, NONE] > 0).mean())
    better = float((cost[best] + mean[NONE]) / cost[best])
    return _Answer(
        _lowest(cost, best),
        float(LAGS[places[0]]),
        float(LAGS[places[-1]]) if are_known[min(places[-1] + 1, len(LAGS) - 1)] else math.inf,
        len(places) / int(are_known.sum()),
        bool(len(places) == places[-1] - places[0] + 1),
        float(np.mean(evidence.unmoved) / cost[best]),
        better,
        bool(not possible[NONE] and agreeing >= AGREEING_SHARE),
    )


def _mean(values: Floats) -> Floats:
    """Return the mean of each column over what is known of it; 0 where nothing is."""
    known = np.isfinite(values)
    mean: Floats = np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return mean


def _lowest(cost: Floats, best: int) -> float:
    """Return the lag at the lowest point of the parabola through the best lag and those beside it."""
    if not 0 < best < len(cost) - 1 or not np.isfinite(cost[best - 1 : best + 2]).all():
        return float(LAGS[best])
    before, at, behind = cost[best - 1 : best + 2]
    bend = before - 2 * at + behind
    return float(LAGS[best] + (0.5 * STEP * (before - behind) / bend if bend > 0 else 0.0))


def _error(evidence: _Evidence, lag: float) -> float:
    """Return the standard error of a lag, by leaving out one part after the other."""
    parts = np.unique(evidence.part)
    best = int(np.argmin(np.abs(LAGS - lag)))
    near = slice(max(0, best - 2), best + 3)
    left_out = []
    for part in parts:
        own = evidence.against[evidence.part != part][:, near]
        cost = np.full(len(LAGS), np.inf)
        cost[near] = np.where(np.isfinite(own).any(axis=0), _mean(own), np.inf)
        left_out.append(_lowest(cost, int(np.argmin(cost))))
    count = len(parts)
    return max(0.03, float(np.sqrt((count - 1) / count * ((np.array(left_out) - np.mean(left_out)) ** 2).sum())))
