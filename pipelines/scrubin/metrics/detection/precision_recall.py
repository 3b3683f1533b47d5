"""Precision and recall of ranked detections, and the areas that are made of them.

CholecT50 splits and ivtmetrics paper, equations 1 and 7. Detections of equal confidence in different frames are one threshold, as
they are in recognition, so that the order of frames never shows. Those of one frame and class have taken turns when they were
matched, and keep them: the first of every frame are one threshold, then the second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from scrubin.core.errors import MetricsError
from scrubin.metrics.detection.rows import BoolArray, FloatArray, IntArray

Interpolation = Literal["step", "11-point", "101-point", "101-point linear"]
INTERPOLATIONS: tuple[Interpolation, ...] = get_args(Interpolation)

TENTHS = np.arange(11) / 10
# As COCO has them: some are a bit above their decimal number, so that a recall of exactly 0.57 does not reach "0.57".
HUNDREDTHS = np.linspace(0, 1, 101)


@dataclass(frozen=True, eq=False)
class Curve:
    """Precision and recall at every threshold, from the highest confidence down.

    Parameters
    ----------
    recall, precision
        (..., points); recall never falls.
    scores
        (points,), the confidences, falling; equal ones differ by turn.
    """

    recall: FloatArray
    precision: FloatArray
    scores: FloatArray


def curve(hits: BoolArray, scores: FloatArray, turns: IntArray, positives: int) -> Curve:
    """Return the curve of some detections.

    Parameters
    ----------
    hits
        (..., detections), whether each is true.
    scores
        (detections,), falling.
    turns
        (detections,), turn among the equal scores of a frame, rising within equal scores.
    positives
        Annotated boxes, at least 1.
    """
    last = np.ones(len(scores), dtype=np.bool_)
    last[:-1] = (scores[1:] != scores[:-1]) | (turns[1:] != turns[:-1])
    ends = np.flatnonzero(last)
    true = np.cumsum(hits, axis=-1, dtype=np.int64)[..., ends]
    return Curve(true / positives, true / (ends + 1), scores[ends])


def area(of: Curve, interpolation: Interpolation) -> FloatArray:
    """Return the average precision (...) of curves; 0 for one without points.

    Parameters
    ----------
    of
        Curves of one or several thresholds.
    interpolation
        ``step``: equation 1, the sum of (R_n - R_(n-1)) P_n. ``11-point``: mean of the best precision at a recall of at least
        0, 0.1 ... 1. ``101-point``: the same at 0, 0.01 ... 1, with the very numbers of COCO. ``101-point linear``: ProstaTD,
        appendix D: precision 1 at recall 0 and 0 at recall 1 are added, the envelope is interpolated linearly on 101 points and
        integrated by trapezoids; never above 0.995, and generous below.

    Raises
    ------
    MetricsError
        When the interpolation is unknown.

    >>> one_of_two = curve(np.array([True]), np.array([0.9]), np.array([0]), 2)
    >>> [round(float(area(one_of_two, name)), 4) for name in INTERPOLATIONS]
    [0.5, 0.5455, 0.505, 0.75]
    """
    if interpolation not in AREAS:
        msg = f"there is no interpolation {interpolation!r}; choose one of {', '.join(INTERPOLATIONS)}"
        raise MetricsError(msg)
    if not of.recall.shape[-1]:
        return np.zeros(of.recall.shape[:-1])
    return AREAS[interpolation](of)


def _step(of: Curve) -> FloatArray:
    gained = np.diff(of.recall, axis=-1, prepend=0.0)
    summed: FloatArray = np.sum(gained * of.precision, axis=-1)
    return summed


def _envelope(precision: FloatArray) -> FloatArray:
    """Return the best precision at this point or a later one."""
    return np.maximum.accumulate(precision[..., ::-1], axis=-1)[..., ::-1]


def _best_at(of: Curve, levels: FloatArray) -> FloatArray:
    """Return the mean over levels of recall of the best precision at that recall or more, 0 where it is not reached."""
    # A column of 0 stands for "not reached".
    best = np.concatenate([_envelope(of.precision), np.zeros((*of.precision.shape[:-1], 1))], axis=-1)
    rows, values = of.recall.reshape(-1, of.recall.shape[-1]), best.reshape(-1, best.shape[-1])
    means = [float(value[row.searchsorted(levels)].sum()) / len(levels) for row, value in zip(rows, values, strict=True)]
    return np.array(means).reshape(of.recall.shape[:-1])


def _eleven(of: Curve) -> FloatArray:
    return _best_at(of, TENTHS)


def _hundred_one(of: Curve) -> FloatArray:
    return _best_at(of, HUNDREDTHS)


def _linear(of: Curve) -> FloatArray:
    shape = (*of.recall.shape[:-1], 1)
    recall = np.concatenate([np.zeros(shape), of.recall, np.ones(shape)], axis=-1)
    best = _envelope(np.concatenate([np.ones(shape), of.precision, np.zeros(shape)], axis=-1))
    rows = zip(recall.reshape(-1, recall.shape[-1]), best.reshape(-1, best.shape[-1]), strict=True)
    heights = np.stack([np.interp(HUNDREDTHS, one, value) for one, value in rows])
    trapezoids: FloatArray = np.sum((heights[:, 1:] + heights[:, :-1]) / 2, axis=1) / 100
    return trapezoids.reshape(shape[:-1])


AREAS: dict[Interpolation, Callable[[Curve], FloatArray]] = {
    "step": _step,
    "11-point": _eleven,
    "101-point": _hundred_one,
    "101-point linear": _linear,
}
