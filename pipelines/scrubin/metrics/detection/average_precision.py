"""Average precision of detections at one IoU and over a range of them (mAP 50:95), per class and its mean.

CholecT50 splits and ivtmetrics paper, section 3.3; ProstaTD, appendix D. Detections of a class are ranked by confidence over
the whole scope: all frames (`global`), or each video by itself, then averaged over the videos (`video-wise`). A class without
annotated boxes in the scope is undefined and left out of every mean; annotated boxes without any detection give 0.

The range of ProstaTD has IoU thresholds from 0.5 to 0.95 in steps of 0.05. Here thresholds are exact, and detections are matched anew at
each; the published package does neither (see `quirks`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from scrubin.core.errors import MetricsError
from scrubin.metrics.detection.matching import check_threshold, matched, ranked, turns_of_equal
from scrubin.metrics.detection.precision_recall import Curve, Interpolation, area, curve
from scrubin.metrics.detection.rows import BoolArray, BoxStudy, FloatArray, IntArray, Scene, checked
from scrubin.metrics.result import Result, Value, Variant, exact

METRIC = "triplet detection AP"
Scope = Literal["global", "video-wise"]
SCOPES: tuple[Scope, ...] = get_args(Scope)


def average_precision(
    study: BoxStudy | Scene,
    component: str = "ivt",
    *,
    threshold: float = 0.5,
    interpolation: Interpolation = "step",
    scope: Scope = "video-wise",
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
    scope: Scope,
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
    scene: Scene, scope: Scope, key: tuple[object, ...], compute: Callable[[Scene], tuple[FloatArray, IntArray]]
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
    scores, turns
        (detections,), in that order: confidence, and turn among the equal ones of a frame.
    bounds
        (scopes x classes + 1,), where each class of each scope begins.
    positives
        (scopes, classes), annotated boxes.
    """

    order: IntArray
    scores: FloatArray
    turns: IntArray
    bounds: IntArray
    positives: IntArray


def ranking(scene: Scene, component: str, scope: Scope) -> Ranking:
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
    if scope not in SCOPES:
        msg = f"there is no scope {scope!r}; choose one of {', '.join(SCOPES)}"
        raise MetricsError(msg)
    if ("ranking", component, scope) not in scene.memo:
        truth, detections = scene.truth, scene.predictions
        count, weight = (len(scene.names), size) if scope == "video-wise" else (1, 0)
        positives = np.bincount(truth.videos * weight + truth.classes[component], minlength=count * size).astype(np.int64)
        groups, turns = detections.videos * weight + detections.classes[component], turns_of_equal(detections, component, size)
        order = np.lexsort((turns, -detections.scores, groups))
        bounds = np.searchsorted(groups[order], np.arange(count * size + 1))
        one = Ranking(order, detections.scores[order], turns[order], bounds, positives.reshape(count, size))
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
        yield place, class_, curve(ordered[:, own], of.scores[own], of.turns[own], int(of.positives[place, class_]))


def averaged(variant: Variant, names: Sequence[str], values: FloatArray, positives: IntArray, scope: Scope) -> Result:
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
        msg = f"the range of IoUs is {low}:{high} by {step}; give whole percent, rising, within 1 to 100, such as 50:95 by 5"
        raise MetricsError(msg)
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
    scope: Scope = "video-wise",
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


def mean(values: Iterable[float]) -> Value:
    """Return the mean of the defined values and how many they are; NaN with 0 when there is none."""
    defined = [value for value in values if not math.isnan(value)]
    return Value(math.fsum(defined) / len(defined), len(defined)) if defined else Value(math.nan, 0)


def of_classes(name: Variant, values: FloatArray, counts: IntArray) -> Result:
    """Return the result of values and counts (classes,)."""
    classes = {str(id_): Value(value, n) for id_, (value, n) in enumerate(zip(values.tolist(), counts.tolist(), strict=True))}
    return Result(name, mean(values.tolist()), classes)


def over_videos(name: Variant, values: FloatArray, videos: Sequence[str] = ()) -> Result:
    """Return the result of values (videos, classes): means over videos, then over classes; by video where videos are named."""
    classes = {str(id_): mean(column) for id_, column in enumerate(values.T.tolist())}
    by_video = {video: mean(row) for video, row in zip(videos, values.tolist(), strict=True)} if videos else {}
    return Result(name, mean(one.value for one in classes.values()), classes, by_video)
