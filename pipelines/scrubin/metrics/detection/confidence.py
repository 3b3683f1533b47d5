"""Precision, recall and F1 at the best confidence.

ProstaTD, appendix D: they are "computed at a single optimal confidence threshold determined by maximizing the global F1 score
across all classes". How the published package finds it, with the confidences in order (it leaves them unsorted, see `quirks`):
precision and recall of a class are interpolated linearly at 1,000 confidences from 0 to 1; above the highest confidence precision
is 1 and recall 0, below the lowest both stay; a class without detections contributes 0. F1 is the mean over classes at each
confidence, smoothed over 100 of them, with zeros beyond both ends; its highest point (the lowest confidence of equal ones) is
where precision, recall and F1 of every class are read. Each video has its own best confidence when the scope is ``video-wise``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.core.errors import MetricsError
from scrubin.metrics.detection.average_precision import Scope, averaged, by_scope, curves, ranking
from scrubin.metrics.detection.matching import check_threshold, matched, ranked
from scrubin.metrics.detection.precision_recall import Curve
from scrubin.metrics.detection.rows import BoxStudy, FloatArray, IntArray, Scene, checked
from scrubin.metrics.result import Result, Value, Variant, exact

POINTS = 1000
WINDOW = 100
# Differences below this are rounding; without it the last digit of a sum would choose among equal confidences.
DIGITS = 12
EMPTY: FloatArray = np.zeros((3, POINTS))


@dataclass(frozen=True, eq=False)
class AtBest:
    """Precision, recall and F1 where the mean F1 is highest.

    Parameters
    ----------
    precision, recall, f1
        Results; ``f1`` is the mean of the F1 of classes, not the harmonic mean of mean precision and mean recall.
    confidences
        The best confidence by video, or ``all`` when the scope is global; NaN where no class is defined. ``n`` counts classes.
    """

    precision: Result
    recall: Result
    f1: Result
    confidences: dict[str, Value]


def at_best_confidence(study: BoxStudy | Scene, component: str = "ivt", *, threshold: float = 0.5, scope: Scope = "video-wise") -> AtBest:
    """Return precision, recall and F1 at the best confidence.

    Parameters
    ----------
    study, component, threshold, scope
        As for `average_precision.average_precision`; confidences must lie in [0, 1].

    Raises
    ------
    MetricsError
        As there; also when a confidence is out of [0, 1].
    """
    iou = exact(check_threshold(threshold))
    scene = ranked(checked(study))
    _check_scores(scene.predictions.scores)

    def reads(of: Scene) -> tuple[FloatArray, IntArray]:
        """Return precision, recall, F1 and the confidence (4, scopes, classes), and annotated boxes."""
        ranks = ranking(of, component, scope)
        read = np.full((4, *ranks.positives.shape), np.nan)
        by_place: list[list[tuple[int, FloatArray]]] = [[] for _ in ranks.positives]
        for place, class_, one in curves(ranks, matched(of, component, [threshold])):
            by_place[place].append((class_, _by_confidence(one)))
        for place, own in enumerate(by_place):
            at = _best_point([values[2] for _, values in own])
            for class_, values in own:
                read[:, place, class_] = [*values[:, at], _confidences()[at]]
        return read, ranks.positives

    read, positives = by_scope(scene, scope, ("best", component, threshold), reads)
    # The same for every class that is defined.
    best = [Value(float(np.nanmax(row)) if (row == row).any() else float("nan"), int(np.count_nonzero(row == row))) for row in read[3]]
    options = {"component": component, "classes": str(scene.size(component)), "scope": scope, "iou": iou, "confidence": "best mean F1"}
    precision, recall, f1 = (
        averaged(Variant(f"triplet detection {name}", "paper", options), scene.names, values, positives, scope)
        for name, values in zip(("precision", "recall", "F1"), read[:3], strict=True)
    )
    names = scene.names if scope == "video-wise" else ("all",)
    return AtBest(precision, recall, f1, dict(zip(names, best, strict=True)))


def _confidences() -> FloatArray:
    """Return the confidences at which curves are read (1000,)."""
    return np.linspace(0, 1, POINTS)


def _by_confidence(of: Curve) -> FloatArray:
    """Return precision, recall and F1 of one curve (1, points) at every confidence (3, 1000)."""
    if not len(of.scores):
        return EMPTY
    return interpolated(of.scores, of.precision[0], of.recall[0])


def interpolated(scores: FloatArray, precision: FloatArray, recall: FloatArray) -> FloatArray:
    """Return precision, recall and F1 (3, 1000) of points with falling confidence."""
    at = -_confidences()
    p, r = np.interp(at, -scores, precision, left=1), np.interp(at, -scores, recall, left=0)
    return np.stack([p, r, _f1_of(p, r)])


def _f1_of(p: FloatArray, r: FloatArray) -> FloatArray:
    """Return the harmonic mean; 0 where both are 0."""
    f1: FloatArray = 2 * p * r / (p + r + 1e-16)
    return f1


def _best_point(f1: Sequence[FloatArray]) -> int:
    """Return where the smoothed mean of curves (1000,) is highest; 0 when there is none."""
    if not len(f1):
        return 0
    # Sorted, so that the order of classes changes no digit.
    mean = np.sum(np.sort(np.stack(f1), axis=0), axis=0) / len(f1)
    total = np.concatenate([[0.0], np.cumsum(mean)])
    places = np.arange(POINTS)
    # The window of an even length reaches one further back than ahead.
    first, end = np.maximum(places - WINDOW // 2, 0), np.minimum(places + WINDOW // 2, POINTS)
    return int(np.argmax(np.round((total[end] - total[first]) / WINDOW, DIGITS)))


def _check_scores(scores: FloatArray) -> None:
    wrong = (scores < 0) | (scores > 1)
    if wrong.any():
        msg = f"a confidence is {scores[wrong][0]}; for a best confidence they must lie in [0, 1]: pass logits through a sigmoid first"
        raise MetricsError(msg)
