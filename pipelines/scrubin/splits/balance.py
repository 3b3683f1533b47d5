"""The balance table of a split, as a JSON value: what each subset got, and what is proven.

It names no participant.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.splits.cohort import Cohort
from scrubin.splits.columns import BINS, bins
from scrubin.splits.measures import Measure
from scrubin.splits.split import Split

DEFINITIONS = {
    "imbalance": "deviation of a subset from its share of the total, relative to that share but at least to one recording; "
    "for a mean its shift in standard deviations of the task",
    "unavoidable": "imbalance that is left in any split of whole participants, for one measure and subset alone",
    "weight": "how much a measure counts: 1, but 2 for the number of recordings and for the mean in a small task, and less for the parts "
    "of a distribution; how far a measurement is off shows in several of them",
    "fine": "a part of a distribution that other measures show, too: it is in the mean imbalance, but not called the worst",
    "objective": "mean imbalance over all measures and subsets, weighted, + worst imbalance beyond the unavoidable, times its weight "
    "+ 10 for each task missing in a subset",
    "bound": "no split has a smaller objective: by every measure alone, and for small studies by branch and bound (HiGHS)",
    "gap": "objective - bound: by how much a perfect split could at most be better",
    "status": "proven: the gap is at most 'splits.gap'; work_limit: the best split within 'splits.work_limit', which counts steps, not "
    "seconds; sampled: a repetition, drawn and improved, not searched for",
}


def balance(split: Split, cohort: Cohort) -> dict[str, Any]:
    """Return shares, imbalance, proofs, obstacles and notes of a split.

    Parameters
    ----------
    split
        The split.
    cohort
        Its recordings, with the columns that are to be balanced.
    """
    table = imbalances(split, cohort)
    cells = [(row, cell["imbalance"]) for row in table for cell in row["subsets"].values()]
    total = math.fsum(row["weight"] for row, _ in cells)
    return {
        "subsets": list(split.subsets),  # in their order, which JSON keys lose
        "shares": None if split.shares is None else dict(split.shares),
        "imbalance": {
            "mean": math.fsum(row["weight"] * value for row, value in cells) / total if cells else None,
            "worst": max((value for row, value in cells if not row["fine"]), default=None),
            "measures": table,
        },
        "proofs": [{"objective": one.objective, "bound": one.bound, "gap": one.gap, "status": one.status} for one in split.proofs],
        "obstacles": [one.sentence(named=False) for one in split.obstacles],
        "notes": list(split.notes),
    }


def imbalances(split: Split, cohort: Cohort) -> list[dict[str, Any]]:
    """Return per fold, task and measure what each subset has, what it should have, and the imbalance between the two.

    Where a scheme asks for no shares, a subset's share is that of the recordings it has.
    """
    measures = cohort.measures()
    place = {id_: i for i, id_ in enumerate(cohort.people.id)}
    entries = []
    for fold, rows in split.rows.groupby("fold"):
        inside = {subset: np.array([place[id_] for id_ in rows.id[rows.subset == subset]], dtype=np.int64) for subset in split.subsets}
        shares = split.shares or {subset: len(members) / len(rows) for subset, members in inside.items()}
        for measure in measures:
            cells = {subset: _cell(measure, members, shares[subset]) for subset, members in inside.items()}
            facts = {
                "fold": int(str(fold)),
                "task": measure.task,
                "measure": measure.name,
                "counted": measure.whole,
                "weight": measure.weight,
                "fine": measure.fine,
            }
            entries.append({**facts, "subsets": cells})
    return entries


def _cell(measure: Measure, members: npt.NDArray[np.int64], share: float) -> dict[str, float]:
    """Return the count and the count that is wanted; for a mean its shift in sd, of which 0 is wanted."""
    value, wanted, scale = math.fsum(measure.values[members]), share * measure.total, measure.scale(share)
    shift = {"value": value, "wanted": wanted} if measure.whole else {"value": value / scale, "wanted": 0.0}
    return {**shift, "imbalance": abs(value - wanted) / scale}


def folds(split: Split, people: pd.DataFrame, skill: pd.DataFrame, errors: pd.DataFrame) -> list[dict[str, Any]]:
    """Return per fold its participants, and per task and subset the counts, the GRS and the errors; null is undefined.

    Parameters
    ----------
    split
        The split.
    people
        One row per recording: id, task, participant.
    skill, errors
        The tables of these names.
    """
    scores = skill[["id", "GRS", "strong_disagreement"]]
    placed = split.rows.merge(people[["id", "task", "participant"]], on="id", validate="many_to_one").merge(scores, on="id", how="left")
    return [
        {
            "fold": int(str(fold)),
            "participants": {subset: int(rows.participant[rows.subset == subset].nunique()) for subset in split.subsets},
            "tasks": dict(_tasks(rows, errors, split.subsets)),
        }
        for fold, rows in placed.groupby("fold")
    ]


def _tasks(placed: pd.DataFrame, errors: pd.DataFrame, subsets: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for task, rows in placed.groupby("task"):
        tercile = pd.Series(bins(rows.GRS.to_numpy(dtype=float)), index=rows.index)
        labels = errors[errors.id.isin(rows.id)]
        yield str(task), {subset: _subset(rows[rows.subset == subset], len(rows), tercile, labels) for subset in subsets}


def _subset(inside: pd.DataFrame, of: int, tercile: pd.Series[int], labels: pd.DataFrame) -> dict[str, Any]:
    theirs = labels[labels.id.isin(inside.id)]
    grs = inside.GRS.dropna().tolist()
    return {
        "recordings": len(inside),
        "share": len(inside) / of,
        "strong_disagreement": int(inside.strong_disagreement.eq(True).fillna(value=False).sum()),
        "GRS": {"n": len(grs), "mean": math.fsum(grs) / len(grs) if grs else None},
        "GRS_terciles": {name: int((tercile[inside.index] == i).sum()) for i, name in enumerate(BINS)},
        "errors": {str(error): _occurred(group) for error, group in theirs.groupby("error")},
    }


def _occurred(labels: pd.DataFrame) -> Mapping[str, Any]:
    occurred = int(labels.occurred.sum())
    return {"n": len(labels), "occurred": occurred, "share": occurred / len(labels)}
