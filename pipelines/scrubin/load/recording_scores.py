"""What whole recordings were given: skill and errors, one row per recording."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from scrubin.load.tables import ReleasedTables
from scrubin.tables.skill import skill


def skill_of(tables: ReleasedTables, ids: Sequence[str]) -> pd.DataFrame:
    """Return task, GRS and aspects of recordings, by id; undefined scores are NaN."""
    table = tables["skill"]
    beside = set(skill(()).column_names) - {"task", "GRS"}
    return table[table["id"].isin(ids)].set_index("id").drop(columns=[column for column in table.columns if column in beside - {"id"}])


def errors_of(tables: ReleasedTables, ids: Sequence[str], task: str | None) -> pd.DataFrame:
    """Return task and one column per error of recordings, by id; errors that another task has are missing.

    Columns are the errors of a task, or of all tasks, whichever the recordings have: subsets have the same ones.
    """
    table = tables["errors"]
    table = table if task is None else table[table["task"] == task]
    names, own = sorted(table["error"].unique()), table[table["id"].isin(ids)]
    wide = own.drop_duplicates("id").set_index("id")[["task"]].sort_index()
    for name in names:
        wide[name] = own[own["error"] == name].set_index("id")["occurred"].astype("boolean").reindex(wide.index)
    return wide
