"""Rules about what must not be in a public table (contract 2 of the design)."""

from __future__ import annotations

import pandas as pd

from scrubin.tables.catalogue import PRIVATE_TABLES
from scrubin.validate.registry import rule
from scrubin.validate.study import Study

WITH_FILES = {"videos": ("id", "path"), "frames": ("id", "path")}


def private_columns(public: frozenset[str]) -> frozenset[str]:
    """Return the names that only private tables have, given those of the public tables.

    >>> "participant" in private_columns(frozenset({"id", "task"}))
    True
    """
    return frozenset(name for table in PRIVATE_TABLES for name in table.column_names) - public


@rule("error", "ids and paths are not those of the raw study", **WITH_FILES)
def no_private_value(study: Study, table: str) -> pd.Series[bool]:
    """Find rows whose id is a name of the raw study, or whose file is called like a raw file."""
    rows = study.columns(table, "id", "path")
    raw = study.private("recordings")
    names = pd.concat([raw["recording"], raw["participant"]])
    file = rows["path"].str.rsplit("/", n=1).str[-1]
    broken = rows["id"].isin(names) | file.isin(raw["path"].str.rsplit("/", n=1).str[-1])
    # Frames are called by their number, which may well be somebody's number in the study.
    return broken if table == "frames" else broken | file.str.rsplit(".", n=1).str[0].isin(names)
