"""All splits of a study, and what is told about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from scrubin.splits import shortcut
from scrubin.splits.balance import DEFINITIONS, balance, folds
from scrubin.splits.cohort import Cohort, cohort
from scrubin.splits.coverage import classes, coverage, warnings
from scrubin.splits.features import Tables, columns
from scrubin.splits.params import SplitsParams
from scrubin.splits.schemes.registry import Setting, make, of_task
from scrubin.splits.split import Split


def cohort_of(people: pd.DataFrame, tables: Tables) -> Cohort:
    """Return the study's recordings with every feature; those with strong disagreement are pinned.

    Parameters
    ----------
    people
        One row per recording: id, task, participant, recording, site.
    tables
        Its tables.
    """
    # Where nobody knows whether the disagreement is strong, nothing is pinned.
    strong = set(tables.skill.id[tables.skill.strong_disagreement.fillna(value=False)])
    return cohort(people.assign(pinned=people.id.isin(strong)), columns(people.id, tables))


def splits(everyone: Cohort, p: SplitsParams, setting: Setting) -> dict[str, Split]:
    """Return every split by its name.

    Raises
    ------
    SplitError
        When one is impossible.
    """
    split_of: dict[str, Split] = {}
    for name, scheme in p.schemes.items():
        split_of |= make(name, everyone, scheme, setting)
    return split_of


def table(split_of: Mapping[str, Split]) -> pd.DataFrame:
    """Return the rows of the table ``splits``."""
    rows = [split.rows.assign(scheme=name) for name, split in split_of.items()]
    return pd.concat(rows, ignore_index=True)[["scheme", "fold", "subset", "id"]]


def document(split_of: Mapping[str, Split], everyone: Cohort, tables: Tables, p: SplitsParams) -> dict[str, Any]:
    """Return the balance, coverage and shortcut audit of every split, as a JSON value that names no participant.

    ``schemes`` is a list in the order of ``params.yaml``; each has its ``folds``.
    """
    occurring = classes(tables.triplets, tables.phases, tables.errors)
    return {
        "definitions": {**DEFINITIONS, "shortcut": shortcut.DEFINITIONS},
        "seed": p.seed,
        "schemes": [_scheme(name, split, everyone, tables, occurring, p) for name, split in split_of.items()],
    }


def obstacles(split_of: Mapping[str, Split]) -> dict[str, list[str]]:
    """Return what stands in the way of each split, participants by name. Private."""
    return {name: [one.sentence(named=True) for one in split.obstacles] for name, split in split_of.items()}


def _scheme(
    name: str, split: Split, everyone: Cohort, tables: Tables, occurring: dict[str, pd.DataFrame], p: SplitsParams
) -> dict[str, Any]:
    base, _, task = name.partition(".")
    scheme = p.schemes[base]
    # What a scheme does not balance is looked at all the same: how far are the folds apart in it?
    looked_at = getattr(scheme, "balance", ("GRS", "error"))
    of = of_task(everyone, task) if task else everyone
    here = of.only(of.people.id.isin(split.rows.id).to_numpy()).balancing(looked_at)
    return {
        "scheme": name,
        "kind": scheme.kind,
        **balance(split, here),
        "folds": [
            {**fold, **_fold(split.rows[split.rows.fold == fold["fold"]], split.subsets, everyone, tables, occurring)}
            for fold in folds(split, everyone.people, tables.skill, tables.errors)
        ],
    }


def _fold(
    rows: pd.DataFrame, subsets: Sequence[str], everyone: Cohort, tables: Tables, occurring: dict[str, pd.DataFrame]
) -> dict[str, Any]:
    first = tables.videos.sort_values(["id", "camera"]).drop_duplicates("id")[["id", "duration_s"]]
    known = rows[["id", "subset"]].merge(everyone.people[["id", "task"]], on="id").merge(first, on="id", how="left")
    audited = shortcut.audit(known.merge(tables.skill[["id", "GRS"]], on="id", how="left"), subsets[0])
    covered = coverage(rows, occurring, subsets)
    return {"coverage": covered, "warnings": list(warnings(covered, subsets[0])), "shortcut": audited["tasks"]}
