"""Precision-recall curves as they are drawn: the area under each is the average precision that is printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.evaluate.computation import ComparedBoxes, ComparedClasses
from scrubin.evaluate.metrics.detection.average_precision import HUNDREDTHS, TENTHS, Curve, curves, ranking
from scrubin.evaluate.metrics.detection.matching import matched, ranked
from scrubin.evaluate.metrics.inputs import BoolArray, FloatArray
from scrubin.evaluate.metrics.recognition.triplet_videos import ClassRows, TripletVideo, component_named, part, rows_of

STEPS = 100
"""More steps than these are drawn as so many of equal width, each as high as the mean of what it replaces: the area stays."""


@dataclass(frozen=True, eq=False)
class DrawnCurve:
    """One class.

    Parameters
    ----------
    key
        Of the class, as results have it.
    positives
        Frames or boxes of the class.
    recall, precision
        (points,), corners of the line, recall from 0 never falling; none where the class is undefined.
    """

    key: str
    positives: int
    recall: FloatArray
    precision: FloatArray

    @property
    def area(self) -> float | None:
        """The area under the line; None where the class is undefined."""
        if not self.positives:
            return None
        return float(np.sum(np.diff(self.recall) * (self.precision[1:] + self.precision[:-1]) / 2))


def of_classes(compared: ComparedClasses, component: str, *, by_position: bool) -> Iterator[DrawnCurve]:
    """Yield the curve of every class of a component over the frames of all videos.

    Parameters
    ----------
    compared
        Labels and scores.
    component
        One of ``i``, ``v``, ``t``, ``iv``, ``it``, ``ivt``.
    by_position
        Whether results number classes by position instead of by id.
    """
    name = component_named(component)
    grouping = compared.triplets.grouping(name)
    rows = _pooled(compared)
    of = rows if name == "ivt" else part(rows, grouping)
    for place, (labels, scores) in enumerate(zip(of.labels, of.scores, strict=True)):
        recall, precision = steps_of(labels, scores)
        yield _drawn(str(place if by_position else grouping.ids[place]), int(labels.sum()), recall, precision)


def of_boxes(compared: ComparedBoxes, component: str) -> Iterator[DrawnCurve]:
    """Yield the curve of every class of a component over the frames of all videos, at one IoU."""
    scene = ranked(compared.scene)
    ranks = ranking(scene, component, "global")
    hits = matched(scene, component, [compared.threshold])
    by_class = {class_: curve for _, class_, curve in curves(ranks, hits)}
    for class_, positives in enumerate(ranks.positives[0].tolist()):
        if class_ not in by_class:
            yield DrawnCurve(str(class_), 0, np.zeros(0), np.zeros(0))
            continue
        yield _interpolated(str(class_), positives, by_class[class_], compared.interpolation)


def steps_of(labels: BoolArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return recall after each distinct score of a positive, and the precision there, from the highest score down.

    >>> steps_of(np.array([True, False, True]), np.array([0.9, 0.5, 0.5]))
    (array([0.5, 1. ]), array([1.        , 0.66666667]))
    """
    hits, every = np.sort(scores[labels]), np.sort(scores)
    thresholds = np.unique(hits)[::-1]
    true = len(hits) - hits.searchsorted(thresholds)
    reached = len(every) - every.searchsorted(thresholds)
    return true / max(1, len(hits)), true / reached


def path(curve: DrawnCurve, width: float, height: float) -> str:
    """Return a curve as the path of an SVG, the origin of recall and precision at the lower left."""
    xs, ys = (curve.recall * width).tolist(), (height - curve.precision * height).tolist()
    parts = [f"M{_text(xs[0])} {_text(ys[0])}"] if xs else []
    before = (_text(xs[0]), _text(ys[0])) if xs else ("", "")
    for at in zip(map(_text, xs[1:]), map(_text, ys[1:]), strict=True):
        if at[0] == before[0] and at[1] != before[1]:
            parts.append(f"V{at[1]}")
        elif at[1] == before[1] and at[0] != before[0]:
            parts.append(f"H{at[0]}")
        elif at != before:
            parts.append(f"L{at[0]} {at[1]}")
        before = at
    return "".join(parts)


def _pooled(compared: ComparedClasses) -> ClassRows:
    labels = np.concatenate([np.asarray(video.targets) for video in compared.videos])
    return rows_of(TripletVideo("", labels, np.concatenate([np.asarray(video.scores) for video in compared.videos])))


def _drawn(key: str, positives: int, recall: FloatArray, precision: FloatArray) -> DrawnCurve:
    """Return the curve of steps: ``precision`` holds from the recall before it up to its own."""
    if not positives or not len(recall):
        # Annotated and never found: a line on the floor, of area 0.
        return DrawnCurve(key, positives, np.zeros(min(1, positives)), np.zeros(min(1, positives)))
    if len(recall) > STEPS:
        ends = np.arange(1, STEPS + 1) / STEPS
        below = np.concatenate([[0.0], np.cumsum(np.diff(recall, prepend=0.0) * precision)])
        at = np.interp(np.concatenate([[0.0], ends]), np.concatenate([[0.0], recall]), below)
        recall, precision = ends, np.diff(at) * STEPS
    starts = np.concatenate([[0.0], recall[:-1]])
    corners = np.stack([starts, recall], axis=1).ravel()
    return DrawnCurve(key, positives, corners, np.repeat(precision, 2))


def _interpolated(key: str, positives: int, of: Curve, interpolation: str) -> DrawnCurve:
    recall, precision = of.recall[0], of.precision[0]
    if interpolation == "step" or not len(recall):
        return _drawn(key, positives, recall, precision)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    if interpolation == "101-point linear":
        line = np.interp(HUNDREDTHS, [0.0, *recall, 1.0], _line(best))
        return DrawnCurve(key, positives, HUNDREDTHS, line)
    levels = TENTHS if interpolation == "11-point" else HUNDREDTHS
    heights = np.append(best, 0.0)[recall.searchsorted(levels)]
    ends = np.arange(1, len(levels) + 1) / len(levels)
    corners = np.stack([np.concatenate([[0.0], ends[:-1]]), ends], axis=1).ravel()
    return DrawnCurve(key, positives, corners, np.repeat(heights, 2))


def _line(best: FloatArray) -> Sequence[float]:
    """Return heights between the precision 1 before the first point, and 0 behind the last one."""
    return [1.0, *best.tolist(), 0.0]


def _text(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
