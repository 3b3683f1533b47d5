"""What is drawn of masks, points, tracks and criteria: every class in every video, HOTA by threshold, reliability of probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scrubin.evaluate.computation import ComparedMarks, Computed
from scrubin.evaluate.contest_tasks import CONTESTS, ContestTask, Number
from scrubin.evaluate.metrics.inputs import FloatArray
from scrubin.evaluate.metrics.result import Result
from scrubin.evaluate.score_document import ScoredResult
from scrubin.evaluate.score_numbers import shown
from scrubin.evaluate.score_pictures import SCATTER, SIZE, path, pooled_curve
from scrubin.labels.marks import mean_of_raters

MOST_VIDEOS = 40
BINS = 10
LINES = ("HOTA", "DetA", "AssA", "LocA")


def declared(metric: str, choice: Mapping[str, str]) -> ContestTask | None:
    """Return the task whose numbers a score computes; None where it is of files per video, or of another kind.

    Parameters
    ----------
    metric, choice
        Of `scrubin score`, and the value of every choice.
    """
    fitting = (
        one
        for one in CONTESTS.values()
        if one.metric == metric
        and one.numbers
        and all(choice.get(key) == value for key, _, value in (of.partition("=") for of in one.choices))
    )
    return next(fitting, None)


def by_video(alone: Sequence[Sequence[Result]], whole: Sequence[Result], number: Number) -> FloatArray:
    """Return a number of every video by class, (videos, classes); of one that has no classes, (videos, 1)."""
    keys = sorted(set().union(*(number.of(results).classes for results in (whole, *alone))))
    found = [number.of(results) for results in alone]
    if not all(one.classes for one in found):
        return np.array([[one.overall.value] for one in found])
    return np.array([[one.classes[key].value if key in one.classes else np.nan for key in keys] for one in found])


def tables(one: Computed, task: ContestTask) -> dict[str, Any] | None:
    """Return a table of each number of a task, a row per class and a column per video, each scored alone; None where it has none of them.

    Numbers without classes are rows of one table.
    """
    whole = one.results(None)
    numbers = [number for number in task.numbers.values() if number.is_among(whole)]
    if not numbers:
        return None
    names = one.names[:MOST_VIDEOS]
    alone = [one.results(np.array([at])) for at in range(len(names))]
    found = []
    together = []
    for number in numbers:
        result, values = number.of(whole), by_video(alone, whole, number)
        if values.shape[1] == 1 and not number.of(alone[0]).classes:
            together.append(_row(number.says, values[:, 0], result.overall.value))
            continue
        keys = sorted(result.classes)
        spelled = one.class_names.get(result.variant.options.get("component", ""), {})
        rows = [
            _row(spelled.get(key, key), values[:, at], result.classes[key].value)
            for at, key in sorted(enumerate(keys), key=lambda item: (len(item[1]), item[1]) if item[1].isdigit() else (0, item[1]))
            if not np.isnan(values[:, at]).all()
        ]
        found.append({"title": number.says, "rows": rows, "absent": len(keys) - len(rows)})
    found += [{"title": "", "rows": together, "absent": 0}] if together else []
    return {"kind": "tables", "tables": found, "videos": names, "left_out": len(one.names) - len(names)}


def _row(name: str, values: FloatArray, whole: float) -> dict[str, Any]:
    cells = [{"value": shown(value), "share": 0.0 if np.isnan(value) else round(min(1.0, max(0.0, value)), 3)} for value in values.tolist()]
    return {"name": name, "cells": cells, "whole": shown(whole)}


def thresholds(scored: Sequence[ScoredResult]) -> dict[str, Any] | None:
    """Return HOTA and its parts as lines over the least IoU of a true box; None where there is no HOTA of all classes as one."""
    curve = next((of for one in scored for of in one.result.curves.values() if "HOTA" in of), None)
    if curve is None:
        return None
    at = np.array(curve["threshold"])
    lines = []
    for name in LINES:
        heights = np.array(curve.get(name, ()), np.float64)
        known = ~np.isnan(heights)
        if not len(heights) or not known.any():
            continue
        points = [f"{SCATTER * x:.1f} {SCATTER * (1 - y):.1f}" for x, y in zip(at[known].tolist(), heights[known].tolist(), strict=True)]
        lines.append({"name": name, "path": "M" + "L".join(points), "mean": shown(float(heights[known].mean()))})
    values = [{"at": f"{x:.2f}", "cells": [shown(float(curve[one["name"]][row])) for one in lines]} for row, x in enumerate(at.tolist())]
    return {"kind": "thresholds", "lines": lines, "values": values, "side": SCATTER}


def criteria(compared: ComparedMarks) -> dict[str, Any]:
    """Return precision and recall of every criterion over the frames of all videos, and how often it is met by predicted probability."""
    soft = np.concatenate([mean_of_raters(video.judged) for video in compared.videos])
    predicted = np.concatenate([video.predicted for video in compared.videos])
    plots = []
    for at, name in enumerate(compared.names):
        known = ~np.isnan(soft[:, at])
        met, said = compared.met(soft[known, at]), predicted[known, at]
        curve = pooled_curve(str(at), met, said)
        plots.append(
            {
                "name": name,
                "n": int(met.sum()),
                "frames": len(met),
                "area": shown(curve.area),
                "path": path(curve, SIZE, SIZE),
                **_reliability(met, said),
            }
        )
    return {"kind": "criteria", "plots": plots, "side": SIZE}


def _reliability(met: Any, said: FloatArray) -> dict[str, Any]:
    """Return, by tenth of the predicted probability, its mean, the share of frames in which the criterion is met, and the frames."""
    place = np.minimum((said * BINS).astype(np.int64), BINS - 1)
    bins = [
        (float(said[place == at].mean()), float(met[place == at].mean()), int((place == at).sum()))
        for at in range(BINS)
        if (place == at).any()
    ]
    points = [{"x": round(SIZE * x, 1), "y": round(SIZE * (1 - y), 1), "said": f"{x:.2f}", "met": f"{y:.2f}", "n": n} for x, y, n in bins]
    return {"points": points}
