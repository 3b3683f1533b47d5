"""Splits: how well the subsets are balanced, and what is proven about it.

A split of one task, ``<scheme>.<task>``, counts as a part of its scheme. Numbers of schemes with several
folds are told by their spread over the folds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scrubin.report.reported_study import ReportedStudy
from scrubin.report.splits.spreads import spread

Entry = Mapping[str, Any]


def entries(study: ReportedStudy) -> list[Entry]:
    """Return what the stage splits reports of every split, in the order of ``params.yaml``."""
    return list(study.splits.get("schemes", []))


def scheme_of(entry: Entry) -> str:
    """Return the scheme that a split belongs to.

    >>> scheme_of({"scheme": "lasana.Peg"}), scheme_of({"scheme": "five_folds"})
    ('lasana', 'five_folds')
    """
    return str(entry["scheme"]).partition(".")[0]


def task_of(entry: Entry) -> str:
    """Return the task that a split is of; "" when it is of all."""
    return str(entry["scheme"]).partition(".")[2]


def training(entry: Entry) -> str:
    """Return the subset for training."""
    return str(entry["subsets"][0])


def testing(entry: Entry) -> str | None:
    """Return the subset for testing: ``test``, else the last one; None when there is only the one for training."""
    others = [str(subset) for subset in entry["subsets"][1:]]
    return None if not others else "test" if "test" in others else others[-1]


def main(study: ReportedStudy) -> str | None:
    """Return the main scheme: the first of ``params.yaml``."""
    return next((scheme_of(entry) for entry in entries(study)), None)


def _main_entries(study: ReportedStudy) -> list[Entry]:
    """Return the splits of the main scheme: one, or one per task."""
    return [entry for entry in entries(study) if scheme_of(entry) == main(study)]


def schemes(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per split its kind, folds, subsets, imbalance, proofs, obstacles and notes."""
    return [
        {
            "name": entry["scheme"],
            "scheme": scheme_of(entry),
            "task": task_of(entry),
            "kind": entry["kind"],
            "folds": len(entry["folds"]),
            "training": training(entry),
            "subsets": [
                {
                    "subset": subset,
                    "share": None if entry["shares"] is None else entry["shares"][subset],
                    "participants": spread(fold["participants"][subset] for fold in entry["folds"]),
                }
                for subset in entry["subsets"]
            ],
            "mean_imbalance": entry["imbalance"]["mean"],
            "worst_imbalance": entry["imbalance"]["worst"],
            "worst_at": _worst_at(entry),
            "proofs": list(entry["proofs"]),
            "obstacles": list(entry["obstacles"]),
            "notes": list(entry["notes"]),
        }
        for entry in entries(study)
    ]


def _worst_at(entry: Entry) -> dict[str, Any] | None:
    cells = [(row, subset, cell) for row in entry["imbalance"]["measures"] for subset, cell in row["subsets"].items()]
    cells = [place for place in cells if not place[0]["fine"]]
    if not cells:
        return None
    row, subset, cell = max(cells, key=lambda place: place[2]["imbalance"])
    return {"fold": row["fold"], "task": row["task"], "measure": row["measure"], "subset": subset} if cell["imbalance"] else None


def tasks(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per task and subset of the main scheme its recordings, GRS and strong disagreements.

    ``share`` is the mean over folds, so that the shares of a task add up; ``GRS_terciles`` are counts, or
    None with several folds, whose mean GRS stands in ``GRS_means``.
    """
    return [
        {"task": task, "subset": subset, **_of_subset([fold["tasks"][task][subset] for fold in entry["folds"] if task in fold["tasks"]])}
        for entry in _main_entries(study)
        for task in sorted({task for fold in entry["folds"] for task in fold["tasks"]})
        for subset in entry["subsets"]
    ]


def _of_subset(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    means = [cell["GRS"]["mean"] for cell in cells]
    return {
        "folds": len(cells),
        "recordings": spread(cell["recordings"] for cell in cells),
        "share": math.fsum(cell["share"] for cell in cells) / len(cells),
        "GRS_n": spread(cell["GRS"]["n"] for cell in cells),
        "GRS_mean": spread(means),
        "GRS_means": means,
        "GRS_terciles": dict(cells[0]["GRS_terciles"]) if len(cells) == 1 else None,
        "strong_disagreement": spread(cell["strong_disagreement"] for cell in cells),
    }


def balance(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per task and measure of the main scheme what each subset has, what is wanted, and the signed imbalance between the two.

    A measure is ``whole`` when it is a count; otherwise it is the shift of a mean, in standard deviations.
    """
    cells = []
    for entry in _main_entries(study):
        rows: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for row in entry["imbalance"]["measures"]:
            rows.setdefault((row["task"], row["measure"]), []).append(row)
        cells += [{"task": task, "measure": measure, **_of_measure(folds, entry["subsets"])} for (task, measure), folds in rows.items()]
    return cells


def _of_measure(folds: Sequence[Mapping[str, Any]], subsets: Sequence[str]) -> dict[str, Any]:
    cells = {subset: [fold["subsets"][subset] for fold in folds] for subset in subsets}
    return {
        "whole": folds[0]["counted"],
        "fine": folds[0]["fine"],
        "subsets": {
            subset: {
                "value": spread(cell["value"] for cell in of_subset),
                "wanted": spread(cell["wanted"] for cell in of_subset),
                "deviation": spread(math.copysign(cell["imbalance"], cell["value"] - cell["wanted"]) for cell in of_subset),
            }
            for subset, of_subset in cells.items()
        },
    }


def folds(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per fold of every split with several how many recordings it tests, and its imbalance."""
    return [
        {"name": entry["scheme"], "fold": fold["fold"], "tested": _tested(fold, testing(entry)), **_of_fold(entry, fold["fold"])}
        for entry in entries(study)
        if len(entry["folds"]) > 1
        for fold in entry["folds"]
    ]


def _tested(fold: Mapping[str, Any], subset: str | None) -> int | None:
    return None if subset is None else sum(task[subset]["recordings"] for task in fold["tasks"].values())


def _of_fold(entry: Entry, fold: int) -> dict[str, float | None]:
    rows = [row for row in entry["imbalance"]["measures"] if row["fold"] == fold]
    cells = [(row, cell["imbalance"]) for row in rows for cell in row["subsets"].values()]
    total = math.fsum(row["weight"] for row, _ in cells)
    return {
        "mean_imbalance": math.fsum(row["weight"] * value for row, value in cells) / total if cells else None,
        "worst_imbalance": max((value for row, value in cells if not row["fine"]), default=None),
    }
