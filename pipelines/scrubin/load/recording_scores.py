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


def errors_of(tables: ReleasedTables, ids: Sequence[str]) -> pd.DataFrame:
    """Return task and one column per error of recordings, by id; errors that another task has are missing."""
    table = tables["errors"]
    table = table[table["id"].isin(ids)]
    wide = table.set_index(["id", "error"])["occurred"].astype("boolean").unstack().rename_axis(columns=None)  # noqa: PD010
    task_of = table.drop_duplicates("id").set_index("id")["task"]
    return pd.concat([task_of.reindex(wide.index).rename("task"), wide], axis=1)
