"""The balance table of a split, as a JSON value: what each subset got, and what is proven.

It names no participant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from scrubin.splits.balanced import SCHEME, Balanced
from scrubin.splits.measures import BINS, bins
from scrubin.splits.params import SplitsParams

DEFINITIONS = {
    "imbalance": "deviation of a subset from its share of the total, relative to that share but at least to one recording; "
    "for the GRS mean its shift in standard deviations of the task",
    "objective": "mean imbalance over all measures and subsets + worst imbalance beyond what whole counts make unavoidable "
    "+ 10 for each task missing in a subset",
    "bound": "no split has a smaller objective (mixed-integer program, HiGHS)",
    "gap": "objective - bound: by how much a perfect split could at most be better",
    "status": "proven: the search ended within 'splits.gap'; node_limit: the best split within 'splits.node_limit'",
}


def balance(made: Balanced, people: pd.DataFrame, skill: pd.DataFrame, errors: pd.DataFrame, p: SplitsParams) -> dict[str, Any]:
    """Return counts, GRS and errors per task and subset, and the proof; null is undefined.

    Parameters
    ----------
    made
        The split.
    people
        One row per recording: id, task, participant.
    skill, errors
        The tables of these names.
    """
    scores = skill[["id", "GRS", "strong_disagreement"]]
    placed = made.splits.merge(people, on="id", validate="one_to_one").merge(scores, on="id", how="left")
    return {
        "scheme": SCHEME,
        "definitions": DEFINITIONS,
        "seed": p.seed,
        "shares": p.subsets,
        "subsets": list(p.subsets),  # in the order of params.yaml, which JSON keys lose
        "participants": {subset: int(placed.participant[placed.subset == subset].nunique()) for subset in p.subsets},
        "participants_kept_in_first_subset": made.pinned,
        "proof": _proof(made),
        "imbalance": _imbalance(made, list(p.subsets)),
        "tasks": {str(task): _task(group, errors, list(p.subsets)) for task, group in placed.groupby("task")},
    }


def _proof(made: Balanced) -> dict[str, Any]:
    found = made.solution
    return {
        "objective": found.objective,
        "bound": found.bound,
        "gap": found.objective - found.bound,
        "status": "proven" if found.optimal else "node_limit",
    }


def _imbalance(made: Balanced, subsets: list[str]) -> dict[str, Any]:
    table = [
        {"task": measure.task, "measure": measure.name, **dict(zip(subsets, map(float, row), strict=True))}
        for measure, row in zip(made.measures, made.imbalances, strict=True)
    ]
    return {
        "mean": math.fsum(made.imbalances.ravel()) / made.imbalances.size,
        "worst": float(made.imbalances.max()),
        "measures": table,
    }


def _task(placed: pd.DataFrame, errors: pd.DataFrame, subsets: list[str]) -> dict[str, Any]:
    tercile = pd.Series(bins(placed.GRS.to_numpy(dtype=float)), index=placed.index)
    labels = errors[errors.id.isin(placed.id)]
    found = {}
    for subset in subsets:
        inside = placed[placed.subset == subset]
        theirs = labels[labels.id.isin(inside.id)]
        grs = inside.GRS.dropna().tolist()
        found[subset] = {
            "recordings": len(inside),
            "share": len(inside) / len(placed),
            "strong_disagreement": int(inside.strong_disagreement.eq(True).sum()),
            "GRS": {"n": len(grs), "mean": math.fsum(grs) / len(grs) if grs else None},
            "GRS_terciles": {name: int((tercile[inside.index] == i).sum()) for i, name in enumerate(BINS)},
            "errors": {str(error): _occurred(group) for error, group in theirs.groupby("error")},
        }
    return found


def _occurred(labels: pd.DataFrame) -> Mapping[str, Any]:
    occurred = int(labels.occurred.sum())
    return {"n": len(labels), "occurred": occurred, "share": occurred / len(labels)}
