"""What is drawn of each kind of metric, as values for the template."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrubin.evaluate.computation import ComparedBoxes, ComparedClasses, ComparedPhases, ComparedSheets, Computed
from scrubin.evaluate.metrics.error_recognition import counts
from scrubin.evaluate.metrics.inputs import FloatArray
from scrubin.evaluate.metrics.phases.phase_videos import IntArray, confusions_of_videos
from scrubin.evaluate.score_document import ScoredResult
from scrubin.evaluate.score_page import curves, worst_frames
from scrubin.evaluate.score_page.curves import DrawnCurve
from scrubin.evaluate.score_page.numbers import shown

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
        _component(name, curves.of_classes(compared, name, by_position=by_position), one.class_names.get(name, {})) for name in components
    ]
    loss, worst, best = worst_frames.of_classes(compared, one.class_names.get("ivt") or one.class_names.get("i", {}), MOST)
    return {"components": drawn[::-1], "loss": loss, "worst": worst, "best": best, "at": "over the frames of all videos (scope global)"}


def boxes(one: Computed, compared: ComparedBoxes, scored: Sequence[ScoredResult]) -> dict[str, Any]:
    """Return curves by component, and the worst frames."""
    components = _components(scored, tuple(compared.scene.sizes))
    drawn = [_component(name, curves.of_boxes(compared, name), one.class_names.get(name, {})) for name in components]
    first = components[0]
    at = f"over all frames (scope global) at IoU {compared.threshold:g}, interpolation {compared.interpolation}"
    return {"components": drawn, "at": at, "frames": worst_frames.of_boxes(compared, first, MOST), "component": first}


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
        "curves": [{**cell(one), "path": curves.path(one, SIZE, SIZE)} for one in defined],
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
