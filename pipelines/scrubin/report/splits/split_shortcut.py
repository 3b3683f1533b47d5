"""The shortcut audit: what the duration alone tells of the GRS, subset by subset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrubin.report.reported_study import ReportedStudy
from scrubin.report.splits.split_summary import Entry, entries, scheme_of, task_of, testing, training
from scrubin.report.splits.spreads import spread

STRONG = 0.7
"""Rank correlation of duration and GRS, of either sign, from which on a test can be passed by the clock."""
FEWEST = 5
"""With four recordings in any order, the rank correlation is as strong in one of three cases; with two, always."""
PREDICTION = "isotonic"
"""The prediction that the page shows, which assumes nothing but a direction; the others stand in ``data/interim/splits.json``."""
NOTHING: Mapping[str, Any] = {"n": 0, "left_out": 0, "spearman": None, PREDICTION: {}, "training_mean": {}}


def shortcut(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per split, task and subset how well duration alone predicts the GRS; tasks without a GRS are left out.

    ``strong_folds`` counts the folds whose test subset is ordered by duration nearly as by GRS.
    """
    return [row for entry in entries(study) for task in _tasks(entry) if _scored(entry, task) for row in _of_task(entry, task)]


def without_grs(study: ReportedStudy) -> list[str]:
    """Return the tasks without a GRS, in any split."""
    by_task = {(task, _scored(entry, task)) for entry in entries(study) for task in _tasks(entry)}
    return sorted({task for task, _ in by_task} - {task for task, scored in by_task if scored})


def _tasks(entry: Entry) -> list[str]:
    return sorted({task for fold in entry["folds"] for task in fold["shortcut"]})


def _scored(entry: Entry, task: str) -> bool:
    return any(cell["n"] for fold in entry["folds"] if task in fold["shortcut"] for cell in fold["shortcut"][task]["subsets"].values())


def _of_task(entry: Entry, task: str) -> list[dict[str, Any]]:
    of_folds = [fold["shortcut"][task]["subsets"] for fold in entry["folds"] if task in fold["shortcut"]]
    place = {"name": entry["scheme"], "scheme": scheme_of(entry), "of_task": task_of(entry), "task": task, "training": training(entry)}
    return [
        {**place, "subset": subset, **_of_subset([fold.get(subset, NOTHING) for fold in of_folds], tested=subset == testing(entry))}
        for subset in entry["subsets"]
    ]


def _of_subset(cells: Sequence[Mapping[str, Any]], *, tested: bool) -> dict[str, Any]:
    return {
        "of": len(cells),
        "tested": tested,
        "n": spread(cell["n"] for cell in cells),
        "left_out": spread(cell["left_out"] for cell in cells),
        "spearman": spread(cell["spearman"] for cell in cells),
        "concordance": spread(cell[PREDICTION].get("concordance") for cell in cells),
        "error": spread(cell[PREDICTION].get("mean_absolute_error") for cell in cells),
        "training_mean_error": spread(cell["training_mean"].get("mean_absolute_error") for cell in cells),
        "strong_folds": len([cell for cell in cells if tested and _strong(cell)]),
    }


def _strong(cell: Mapping[str, Any]) -> bool:
    return cell["spearman"] is not None and cell["n"] >= FEWEST and abs(cell["spearman"]) >= STRONG
