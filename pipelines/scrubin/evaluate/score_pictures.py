"""What is drawn of each kind of metric, as values for the template: confusions, curves, the best or worst videos with their frames."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrubin.evaluate.computation import ComparedBoxes, ComparedClasses, ComparedPhases, ComparedSheets, Computed
from scrubin.evaluate.metrics.detection.average_precision import HUNDREDTHS, TENTHS, Curve, curves, ranking
from scrubin.evaluate.metrics.detection.matching import hits_at, matched, ranked
from scrubin.evaluate.metrics.error_recognition import counts
from scrubin.evaluate.metrics.inputs import BoolArray, FloatArray
from scrubin.evaluate.metrics.phases import IntArray, confusions_of_videos
from scrubin.evaluate.metrics.recognition import ClassRows, TripletVideo, component_named, part, rows_of
from scrubin.evaluate.score_document import ScoredResult
from scrubin.evaluate.score_numbers import shown

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


def curves_of_classes(compared: ComparedClasses, component: str, *, by_position: bool) -> Iterator[DrawnCurve]:
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


def curves_of_boxes(compared: ComparedBoxes, component: str) -> Iterator[DrawnCurve]:
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


def pooled_curve(key: str, labels: BoolArray, scores: FloatArray) -> DrawnCurve:
    """Return the curve of one class over frames; parameters as of `steps_of`, ``key`` as of `DrawnCurve`."""
    return _drawn(key, int(labels.sum()), *steps_of(labels, scores))


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


NAMED = 3
"""So many classes of a frame are named."""
SMALLEST = 1e-7
CROSS_ENTROPY = "mean cross-entropy of the probabilities of all classes"
RANKING = "share of pairs of a labelled and another class that are in the wrong order"


@dataclass(frozen=True)
class NamedFrame:
    """One frame.

    Parameters
    ----------
    video, frame
        Where.
    loss
        How wrong it is.
    labelled, predicted
        Names of the labelled classes, and of those with the highest scores.
    """

    video: str
    frame: int
    loss: float
    labelled: Sequence[str]
    predicted: Sequence[str]


@dataclass(frozen=True)
class BoxFrame:
    """One frame with boxes.

    Parameters
    ----------
    video, frame
        Where.
    boxes, missed, wrong
        How many boxes are annotated, how many of them nothing finds, and how many detections find none.
    surest
        The highest confidence of a detection that finds none; None where there is none.
    """

    video: str
    frame: int
    boxes: int
    missed: int
    wrong: int
    surest: float | None


def frames_of_classes(compared: ComparedClasses, names: Mapping[str, str], most: int) -> tuple[str, list[NamedFrame], list[NamedFrame]]:
    """Return what the loss is, and the frames where it is highest and lowest.

    The lowest ones are of frames in which something is labelled: an empty frame is easily right.
    """
    is_probability = all(_in_unit(np.asarray(video.scores)) for video in compared.videos)
    loss_of = _cross_entropy if is_probability else _ranking
    every = []
    for place, video in enumerate(compared.videos):
        labels, scores = np.asarray(video.targets).astype(np.bool_), np.asarray(video.scores)
        losses, labelled = loss_of(labels, scores.astype(np.float64)), np.count_nonzero(labels, axis=1)
        every += [(loss, place, row, bool(labelled[row])) for row, loss in enumerate(losses.tolist()) if not np.isnan(loss)]
    worst = sorted(every, key=lambda one: (-one[0], one[1], one[2]))[:most]
    best = sorted((one for one in every if one[3]), key=lambda one: one[:3])[:most]

    def named(of: Sequence[tuple[float, int, int, bool]]) -> list[NamedFrame]:
        return [_named(compared, names, place, row, loss) for loss, place, row, _ in of]

    return CROSS_ENTROPY if is_probability else RANKING, named(worst), named(best)


def frames_of_boxes(compared: ComparedBoxes, component: str, most: int) -> list[BoxFrame]:
    """Return the frames with the most missed boxes; of as many, those with the surest wrong detection."""
    scene = ranked(compared.scene)
    hits = hits_at(scene, component, compared.threshold)
    frames = int(scene.starts[-1])
    boxes = np.bincount(scene.truth.places, minlength=frames)
    missed = boxes - np.bincount(scene.predictions.places[hits], minlength=frames)
    wrong = np.bincount(scene.predictions.places[~hits], minlength=frames)
    surest = np.full(frames, -np.inf)
    np.maximum.at(surest, scene.predictions.places[~hits], scene.predictions.scores[~hits])
    order = np.lexsort((np.arange(frames), -surest, -missed))
    faulty = [at for at in order[: most + 1].tolist() if missed[at] or wrong[at]][:most]
    return [_box_frame(compared, at, int(boxes[at]), int(missed[at]), int(wrong[at]), float(surest[at])) for at in faulty]


def _box_frame(compared: ComparedBoxes, at: int, boxes: int, missed: int, wrong: int, surest: float) -> BoxFrame:
    scene = compared.scene
    video = int(scene.starts.searchsorted(at, side="right")) - 1
    name = scene.names[video]
    return BoxFrame(name, int(compared.frames[name][at - scene.starts[video]]), boxes, missed, wrong, surest if wrong else None)


def _named(compared: ComparedClasses, names: Mapping[str, str], place: int, row: int, loss: float) -> NamedFrame:
    video = compared.videos[place]
    labels, scores = np.asarray(video.targets)[row].astype(np.bool_), np.asarray(video.scores)[row]
    first = np.argsort(-scores, kind="stable")[:NAMED].tolist()
    labelled = [_name(names, class_) for class_ in np.flatnonzero(labels).tolist()]
    predicted = [f"{_name(names, class_)} {scores[class_]:.2f}" for class_ in first]
    return NamedFrame(video.name, int(compared.frames[video.name][row]), loss, labelled, predicted)


def _name(names: Mapping[str, str], class_: int) -> str:
    return names.get(str(class_), str(class_))


def _in_unit(scores: FloatArray) -> bool:
    return bool(((scores >= 0) & (scores <= 1)).all())


def _cross_entropy(labels: BoolArray, scores: FloatArray) -> FloatArray:
    sure = np.clip(np.where(labels, scores, 1 - scores), SMALLEST, 1)
    losses: FloatArray = -np.log(sure).mean(axis=1)
    return losses


def _ranking(labels: BoolArray, scores: FloatArray) -> FloatArray:
    """Return the share of wrong pairs by frame, equal scores by half; NaN where nothing or everything is labelled."""
    losses = np.full(len(labels), np.nan)
    for row, (own, score) in enumerate(zip(labels, scores, strict=True)):
        if own.any() and not own.all():
            apart = score[own][:, np.newaxis] - score[~own][np.newaxis]
            losses[row] = ((apart < 0) + 0.5 * (apart == 0)).mean()
    return losses


MOST = 10
"""So many best and worst of anything are named."""
SIZE = 120
RUNS = 5
SCATTER = 200


def classes(one: Computed, compared: ComparedClasses, scored: Sequence[ScoredResult]) -> dict[str, Any]:
    """Return curves by component, and the best and worst frames."""
    by_position = any(result.result.variant.semantics == "compat" for result in scored)
    components = _components(scored, ("i", "v", "t", "iv", "it", "ivt"))
    drawn = [
        _component(name, curves_of_classes(compared, name, by_position=by_position), one.class_names.get(name, {})) for name in components
    ]
    loss, worst, best = frames_of_classes(compared, one.class_names.get("ivt") or one.class_names.get("i", {}), MOST)
    return {"components": drawn[::-1], "loss": loss, "worst": worst, "best": best, "at": "over the frames of all videos (scope global)"}


def boxes(one: Computed, compared: ComparedBoxes, scored: Sequence[ScoredResult]) -> dict[str, Any]:
    """Return curves by component, and the worst frames."""
    components = _components(scored, tuple(compared.scene.sizes))
    drawn = [_component(name, curves_of_boxes(compared, name), one.class_names.get(name, {})) for name in components]
    first = components[0]
    at = f"over all frames (scope global) at IoU {compared.threshold:g}, interpolation {compared.interpolation}"
    return {"components": drawn, "at": at, "frames": frames_of_boxes(compared, first, MOST), "component": first}


def phases(compared: ComparedPhases) -> dict[str, Any]:
    """Return the confusion matrix, a ribbon for each video, and the longest wrong and right stretches."""
    matrix = confusions_of_videos(compared.videos, compared.phases).counts.sum(axis=(0, 1))
    every: list[Stretch] = []
    videos: list[dict[str, Any]] = []
    for video in compared.videos:
        truth, predictions = np.asarray(video.annotation), np.atleast_2d(np.asarray(video.predictions))
        runs = [_run(video.name, number, truth, one, compared.frames[video.name]) for number, one in enumerate(predictions)]
        every += [stretch for _, stretches in runs for stretch in stretches]
        right = float((predictions == truth).mean())
        videos.append(
            {
                "name": video.name,
                "frames": len(truth),
                "right": right,
                "truth": strip(truth),
                "runs": [drawn for drawn, _ in runs[:RUNS]],
                "left_out": max(0, len(runs) - RUNS),
            }
        )
    names = [_numbered(id_, name) for id_, name in enumerate(compared.phases)]
    lines = [{"name": name, "cells": _shares(row), "n": int(row.sum())} for name, row in zip(names, matrix, strict=True)]
    ranked = sorted(videos, key=lambda one: (one["right"], one["name"]))
    half = min(MOST, len(ranked) // 2)
    return {
        "names": names,
        "matrix": lines,
        "videos": videos,
        "worst_videos": ranked[:half],
        "best_videos": ranked[::-1][:half],
        "repeated": len(videos[0]["runs"]) + videos[0]["left_out"] if videos else 1,
        "wrong": longest(every, wrong=True, most=MOST),
        "right": longest(every, wrong=False, most=MOST),
    }


def skill(compared: ComparedSheets) -> dict[str, Any]:
    """Return a scatter for each score of a task, and the recordings that are furthest off."""
    plots, every = [], []
    for column in compared.truth.columns:
        truth, predicted = compared.truth[column].to_numpy(np.float64), compared.predicted[column].to_numpy(np.float64)
        known = ~np.isnan(truth) & np.isfinite(predicted)
        names = [str(name) for name, is_known in zip(compared.truth.index, known, strict=True) if is_known]
        plots.append(_scatter(str(column), names, truth[known], predicted[known], int((~known).sum())))
        every += [
            {"name": name, "score": str(column), "truth": shown(one), "predicted": shown(other), "off": abs(other - one)}
            for name, one, other in zip(names, truth[known].tolist(), predicted[known].tolist(), strict=True)
        ]
    ranked = sorted(every, key=lambda one: (-one["off"], one["name"], one["score"]))
    return {"task": compared.task, "plots": plots, "worst": ranked[:MOST], "best": ranked[::-1][:MOST] if len(ranked) > MOST else []}


def errors(compared: ComparedSheets) -> dict[str, Any]:
    """Return the four counts of every error of a task, and the recordings with the most wrong answers."""
    rows = []
    wrong = np.zeros(len(compared.truth), dtype=np.int64)
    for column in compared.truth.columns:
        truth = compared.truth[column].to_numpy(np.float64)
        known = ~np.isnan(truth)
        predicted = np.where(known, compared.predicted[column].to_numpy(np.float64), 0.0)
        wrong += known & (truth != predicted)
        rows.append({"name": str(column), "unknown": int((~known).sum()), "counts": counts(truth, predicted, str(column))})
    order = sorted(range(len(wrong)), key=lambda at: (-int(wrong[at]), str(compared.truth.index[at])))
    worst = [{"name": str(compared.truth.index[at]), "wrong": int(wrong[at])} for at in order[:MOST] if wrong[at]]
    return {"task": compared.task, "rows": rows, "worst": worst}


def _numbered(id_: int, name: str) -> str:
    return name if name == str(id_) else f"{id_} {name}"


def _components(scored: Sequence[ScoredResult], every: Sequence[str]) -> list[str]:
    wanted = {one.result.variant.options.get("component") for one in scored}
    return [name for name in every if name in wanted]


def _component(name: str, every: Any, names: Mapping[str, str]) -> dict[str, Any]:
    drawn: list[DrawnCurve] = list(every)
    defined = [one for one in drawn if one.area is not None]
    ranked = sorted(defined, key=lambda one: (-(one.area or 0.0), int(one.key)))

    def cell(one: DrawnCurve) -> dict[str, Any]:
        return {"key": one.key, "name": names.get(one.key, one.key), "area": shown(one.area), "n": one.positives}

    half = min(MOST, len(ranked) // 2)
    return {
        "name": name,
        "curves": [{**cell(one), "path": path(one, SIZE, SIZE)} for one in defined],
        "undefined": [names.get(one.key, one.key) for one in drawn if one.area is None],
        "best": [cell(one) for one in ranked[:half]],
        "worst": [cell(one) for one in ranked[::-1][:half]],
    }


def _run(name: str, number: int, truth: IntArray, predicted: IntArray, frames: IntArray) -> tuple[dict[str, Any], list[Stretch]]:
    stretches = stretches_of(name, number, truth, predicted, frames)
    wrong = strip((truth != predicted).astype(np.int64)).get(1, "")
    return {"strip": strip(predicted), "wrong": wrong, "right": float((truth == predicted).mean())}, stretches


def _shares(row: Any) -> list[dict[str, Any]]:
    total = int(row.sum())
    return [{"count": int(count), "share": round(float(count) / total, 3) if total else 0.0} for count in row]


def _scatter(name: str, recordings: Sequence[str], truth: FloatArray, predicted: FloatArray, unknown: int) -> dict[str, Any]:
    both = np.concatenate([truth, predicted])
    low, high = (float(both.min()), float(both.max())) if len(both) else (0.0, 1.0)
    span = (high - low) or 1.0
    low, high = low - 0.05 * span, high + 0.05 * span

    def at(value: float) -> float:
        return round(SCATTER * (value - low) / (high - low), 1)

    points = [
        {"x": at(one), "y": round(SCATTER - at(other), 1), "name": recording, "truth": shown(one), "predicted": shown(other)}
        for recording, one, other in zip(recordings, truth.tolist(), predicted.tolist(), strict=True)
    ]
    return {"name": name, "points": points, "low": f"{low:.3g}", "high": f"{high:.3g}", "unknown": unknown}


COLUMNS = 1000
"""Width of a strip; a strip of more runs than half of it shows the first frame of each column."""


@dataclass(frozen=True)
class Run:
    """Neighbouring frames with one phase.

    Parameters
    ----------
    phase
        Its id.
    first, behind
        Positions of the first frame, and of the one behind the last.
    """

    phase: int
    first: int
    behind: int


@dataclass(frozen=True)
class Stretch:
    """Neighbouring frames with one annotated and one predicted phase.

    Parameters
    ----------
    video, run
        Where.
    first, last
        Numbers of its frames.
    frames
        How many.
    truth, predicted
        Phases by id.
    """

    video: str
    run: int
    first: int
    last: int
    frames: int
    truth: int
    predicted: int


def runs(phases: IntArray) -> list[Run]:
    """Return the runs of a sequence.

    >>> runs(np.array([0, 0, 2]))
    [Run(phase=0, first=0, behind=2), Run(phase=2, first=2, behind=3)]
    """
    if not len(phases):
        return []
    bounds = [0, *(np.flatnonzero(np.diff(phases)) + 1).tolist(), len(phases)]
    return [Run(int(phases[first]), first, behind) for first, behind in itertools.pairwise(bounds)]


def strip(phases: IntArray) -> dict[int, str]:
    """Return per phase a path of horizontal lines, `COLUMNS` wide, at the height 0.

    >>> strip(np.array([0, 0, 1, 0]))
    {0: 'M0 0h500M750 0h250', 1: 'M500 0h250'}
    """
    drawn = phases
    if len(runs(phases)) > COLUMNS // 2:
        drawn = phases[np.arange(COLUMNS) * len(phases) // COLUMNS]
    scale = COLUMNS / max(1, len(drawn))
    paths: dict[int, str] = {}
    for run in runs(drawn):
        first, behind = round(run.first * scale, 1), round(run.behind * scale, 1)
        paths[run.phase] = paths.get(run.phase, "") + f"M{first:g} 0h{round(behind - first, 1):g}"
    return dict(sorted(paths.items()))


def stretches_of(video: str, run: int, truth: IntArray, predicted: IntArray, frames: IntArray) -> list[Stretch]:
    """Return all stretches of a video."""
    both = truth * (int(max(truth.max(initial=0), predicted.max(initial=0))) + 1) + predicted
    return [
        Stretch(
            video,
            run,
            int(frames[one.first]),
            int(frames[one.behind - 1]),
            one.behind - one.first,
            int(truth[one.first]),
            int(predicted[one.first]),
        )
        for one in runs(both)
    ]


def longest(of: Sequence[Stretch], *, wrong: bool, most: int) -> list[Stretch]:
    """Return the longest stretches that are wrong, or that are right; equal ones by video and frame."""
    kept = [one for one in of if (one.truth != one.predicted) is wrong]
    return sorted(kept, key=lambda one: (-one.frames, one.video, one.run, one.first))[:most]
