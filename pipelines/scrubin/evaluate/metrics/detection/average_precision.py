"""Precision against recall of ranked detections: the areas under it at one IoU or several, its best point.

CholecT50 splits and ivtmetrics paper, equations 1 and 7. Detections of equal confidence are one threshold, in one frame as in several, as
they are in recognition: a curve has points only where the confidence changes, so that neither the order of frames nor where a box lies in
the picture shows. Which of them have found a box is decided by the larger IoU (`matching.equal_together`).

CholecT50 splits and ivtmetrics paper, section 3.3; ProstaTD, appendix D. Detections of a class are ranked by confidence over
the whole scope: all frames (`global`), or each video by itself, then averaged over the videos (`video-wise`). A class without
annotated boxes in the scope is undefined and left out of every mean; annotated boxes without any detection give 0.

The range of ProstaTD has IoU thresholds from 0.5 to 0.95 in steps of 0.05. Here thresholds are exact, and detections are matched anew at
each; the published package does neither (see `compat_common.QUIRKS`).

ProstaTD, appendix D: they are "computed at a single optimal confidence threshold determined by maximizing the global F1 score
across all classes". How the published package finds it, with the confidences in order (it leaves them unsorted):
precision and recall of a class are interpolated linearly at 1,000 confidences from 0 to 1; above the highest confidence precision
is 1 and recall 0, below the lowest both stay; a class without detections contributes 0. F1 is the mean over classes at each
confidence, smoothed over 100 of them, with zeros beyond both ends; its highest point (the lowest confidence of equal ones) is
where precision, recall and F1 of every class are read. Each video has its own best confidence when the scope is ``video-wise``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.detection import BoolArray, BoxStudy, FloatArray, IntArray, Scene, checked
from scrubin.evaluate.metrics.detection.matching import check_threshold, matched, ranked
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Value, Variant, exact, mean_of, mean_over
from scrubin.evaluate.metrics.variants import BOX_SCOPES, INTERPOLATIONS, BoxScope, Interpolation

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
        (points,), the confidences, falling; equal ones are of COCO's numbers alone, and differ by turn.
    """

    recall: FloatArray
    precision: FloatArray
    scores: FloatArray


def curve(hits: BoolArray, scores: FloatArray, positives: int, turns: IntArray | None = None) -> Curve:
    """Return the curve of some detections.

    Parameters
    ----------
    hits
        (..., detections), whether each is true.
    scores
        (detections,), falling.
    positives
        Annotated boxes, at least 1.
    turns
        (detections,), turn among the equal scores of a frame, rising within equal scores: each turn is a threshold, as COCO has it; None:
        equal scores are one.
    """
    last = np.ones(len(scores), dtype=np.bool_)
    last[:-1] = scores[1:] != scores[:-1]
    if turns is not None:
        last[:-1] |= turns[1:] != turns[:-1]
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

    >>> one_of_two = curve(np.array([True]), np.array([0.9]), 2)
    >>> [round(float(area(one_of_two, name)), 4) for name in INTERPOLATIONS]
    [0.5, 0.5455, 0.505, 0.75]
    """
    if interpolation not in AREAS:
        raise MetricsError(f"there is no interpolation {interpolation!r}; choose one of {', '.join(INTERPOLATIONS)}")
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
    "11-point": lambda of: _best_at(of, TENTHS),
    "101-point": lambda of: _best_at(of, HUNDREDTHS),
    "101-point linear": _linear,
}

METRIC = declare(
    "triplet detection AP",
    task="detection",
    kinds=["boxes", "curves"],
    says="average precision of every class of boxes, at one least IoU or the mean over ten",
    source="Nwoye and Padoy 2022, equation 1",
    ranks=True,
)
AT_BEST = {
    name: declare(
        f"triplet detection {name}",
        task="detection",
        kinds=["boxes"],
        says=f"{name} at the confidence of the best mean F1",
        source="ProstaTD",
    )
    for name in ("precision", "recall", "F1")
}


def average_precision(
    study: BoxStudy | Scene,
    component: str = "ivt",
    *,
    threshold: float = 0.5,
    interpolation: Interpolation = "step",
    scope: BoxScope = "video-wise",
) -> Result:
    """Return the average precision at one IoU.

    Parameters
    ----------
    study
        Annotated and predicted boxes; a `rows.Scene` saves checking them again.
    component
        Whose class must be right: ``ivt``, ``i``, ``v`` or ``t``; the box is that of the instrument throughout.
    threshold
        Least IoU of a true detection.
    interpolation
        How the area is taken: see `precision_recall.area`.
    scope
        ``global`` or ``video-wise``.

    Returns
    -------
    Result
        `overall` the mean over classes, with the classes that are defined; `classes` by id, with their annotated boxes (global) or
        the videos in which they are defined; `videos` the mean over the classes of a video, with their number (video-wise).

    Raises
    ------
    MetricsError
        When the study cannot be used, or component, threshold, interpolation or scope are not there.
    """
    name = {"iou": exact(check_threshold(threshold)), "interpolation": interpolation}
    return _of_thresholds(study, component, [threshold], interpolation, scope, name)


def _of_thresholds(
    study: BoxStudy | Scene,
    component: str,
    thresholds: Sequence[float],
    interpolation: Interpolation,
    scope: BoxScope,
    options: dict[str, str],
) -> Result:
    """Return the mean over thresholds of the average precision; parameters and errors as `average_precision`."""
    scene = ranked(checked(study))

    def areas(of: Scene) -> tuple[FloatArray, IntArray]:
        ranks = ranking(of, component, scope)
        values = np.full((1, *ranks.positives.shape), np.nan)
        for place, class_, one in curves(ranks, matched(of, component, thresholds)):
            of_curves = area(one, interpolation)
            values[0, place, class_] = math.fsum(of_curves.tolist()) / len(of_curves)
        return values, ranks.positives

    (values,), positives = by_scope(scene, scope, ("areas", component, tuple(thresholds), interpolation), areas)
    variant = Variant(METRIC, "paper", {"component": component, "classes": str(scene.size(component)), "scope": scope, **options})
    return averaged(variant, scene.names, values, positives, scope)


def by_scope(
    scene: Scene, scope: BoxScope, key: tuple[object, ...], compute: Callable[[Scene], tuple[FloatArray, IntArray]]
) -> tuple[FloatArray, IntArray]:
    """Return numbers of every scope and class, and annotated boxes (scopes, classes).

    Parameters
    ----------
    scene
        As `matching.ranked` returns it.
    scope
        Of drawn videos by themselves, each is computed once, before drawing.
    key
        What names these numbers among those of the scene.
    compute
        Returns the numbers (..., scopes, classes) and the boxes.
    """
    if scope != "video-wise" or not scene.drawn:
        return compute(scene)
    source = scene.drawn.source
    if key not in source.memo:
        source.memo[key] = compute(source)
    values, positives = source.memo[key]
    return values[..., scene.drawn.videos, :], positives[scene.drawn.videos]


@dataclass(frozen=True, eq=False)
class Ranking:
    """Detections by scope, class and falling score.

    Parameters
    ----------
    order
        (detections,), rows in that order.
    scores
        (detections,), in that order.
    bounds
        (scopes x classes + 1,), where each class of each scope begins.
    positives
        (scopes, classes), annotated boxes.
    """

    order: IntArray
    scores: FloatArray
    bounds: IntArray
    positives: IntArray


def ranking(scene: Scene, component: str, scope: BoxScope) -> Ranking:
    """Return what is ranked together.

    Parameters
    ----------
    scene
        As `matching.ranked` returns it.
    component
        Whose classes.
    scope
        Each video by itself, or all together.

    Raises
    ------
    MetricsError
        When there is no such component or scope.
    """
    size = scene.size(component)
    if scope not in BOX_SCOPES:
        raise MetricsError(f"there is no scope {scope!r}; choose one of {', '.join(BOX_SCOPES)}")
    if ("ranking", component, scope) not in scene.memo:
        truth, detections = scene.truth, scene.predictions
        count, weight = (len(scene.names), size) if scope == "video-wise" else (1, 0)
        positives = np.bincount(truth.videos * weight + truth.classes[component], minlength=count * size).astype(np.int64)
        groups = detections.videos * weight + detections.classes[component]
        order = np.lexsort((-detections.scores, groups))
        bounds = np.searchsorted(groups[order], np.arange(count * size + 1))
        one = Ranking(order, detections.scores[order], bounds, positives.reshape(count, size))
        scene.memo["ranking", component, scope] = one
    known: Ranking = scene.memo["ranking", component, scope]
    return known


def curves(of: Ranking, hits: BoolArray) -> Iterator[tuple[int, int, Curve]]:
    """Yield scope, class and curve of every class that is annotated in a scope.

    Parameters
    ----------
    of
        Ranked detections.
    hits
        (thresholds, detections), by row.
    """
    ordered, bounds, size = hits[:, of.order], of.bounds.tolist(), of.positives.shape[1]
    for place, class_ in np.argwhere(of.positives).tolist():
        own = slice(bounds[place * size + class_], bounds[place * size + class_ + 1])
        yield place, class_, curve(ordered[:, own], of.scores[own], int(of.positives[place, class_]))


def averaged(variant: Variant, names: Sequence[str], values: FloatArray, positives: IntArray, scope: BoxScope) -> Result:
    """Return the result of values by scope and class.

    Parameters
    ----------
    variant
        Its name.
    names
        The videos.
    values, positives
        (scopes, classes); NaN is undefined.
    scope
        Which scopes they are.
    """
    if scope == "global":
        return of_classes(variant, values[0], positives[0])
    return over_videos(variant, values, names)


def thresholds(low: int = 50, high: int = 95, step: int = 5) -> list[float]:
    """Return IoUs from ``low`` to ``high`` percent, both included.

    Raises
    ------
    MetricsError
        When they are not a rising range within 1 to 100 whole percent.

    >>> thresholds()[:4]
    [0.5, 0.55, 0.6, 0.65]
    """
    if any(isinstance(value, bool) or not isinstance(value, int) for value in (low, high, step)) or not 0 < low <= high <= 100 or step < 1:
        raise MetricsError(f"the range of IoUs is {low}:{high} by {step}; give whole percent, rising, within 1 to 100, such as 50:95 by 5")
    # Divided one by one: a running sum of 0.05 is slightly too large from the third on.
    return [check_threshold(percent / 100) for percent in range(low, high + 1, step)]


def average_precision_range(
    study: BoxStudy | Scene,
    component: str = "ivt",
    *,
    low: int = 50,
    high: int = 95,
    step: int = 5,
    interpolation: Interpolation = "step",
    scope: BoxScope = "video-wise",
) -> Result:
    """Return the mean over IoUs of the average precision.

    Parameters
    ----------
    study, component, interpolation, scope
        As for `average_precision`.
    low, high, step
        Of the IoUs, in percent.

    Returns
    -------
    Result
        As for one IoU.

    Raises
    ------
    MetricsError
        As for one IoU; also when the range is none.
    """
    levels = thresholds(low, high, step)
    options = {"iou": f"{low / 100:g}:{high / 100:g}:{step / 100:g}", "interpolation": interpolation}
    return _of_thresholds(study, component, levels, interpolation, scope, options)


def of_classes(name: Variant, values: FloatArray, counts: IntArray) -> Result:
    """Return the result of values and counts (classes,)."""
    classes = {str(id_): Value(value, n) for id_, (value, n) in enumerate(zip(values.tolist(), counts.tolist(), strict=True))}
    return Result(name, mean_of(values), classes)


def over_videos(name: Variant, values: FloatArray, videos: Sequence[str] = ()) -> Result:
    """Return the result of values (videos, classes): means over videos, then over classes; by video where videos are named."""
    classes = {str(id_): mean_of(column) for id_, column in enumerate(values.T.tolist())}
    by_video = {video: mean_of(row) for video, row in zip(videos, values.tolist(), strict=True)} if videos else {}
    return Result(name, mean_over(classes.values()), classes, by_video)


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


def at_best_confidence(
    study: BoxStudy | Scene, component: str = "ivt", *, threshold: float = 0.5, scope: BoxScope = "video-wise"
) -> AtBest:
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
        averaged(Variant(AT_BEST[name], "paper", options), scene.names, values, positives, scope)
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
