"""Splits as CSV text: one file per scheme, and LASANA's ``<Task>_split.csv``."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

import pandas as pd

from scrubin.tables.splits import COLUMNS, DELIMITERS, FOLDS, LASANA, SCHEME


def listings(splits: pd.DataFrame, videos: pd.DataFrame, lasana: str) -> dict[str, str]:
    """Return the text of each file by its name.

    ``<scheme>.csv``, and for each task ``<Task>_split.csv`` as in LASANA (section Data Records); their columns are
    `scrubin.tables.splits.COLUMNS`. Rows are sorted by id, an order that tells nothing.

    Parameters
    ----------
    splits
        Rows of the table ``splits``.
    videos
        The table of this name.
    lasana
        The scheme of LASANA's files: itself, or split by task ``<scheme>.<task>``. One with folds has no such files.
    """
    placed = splits.merge(videos[["id", "task"]].drop_duplicates(), on="id", validate="many_to_one").sort_values(["fold", "id"])
    files = {}
    for scheme, rows in placed.groupby("scheme"):
        kind = FOLDS if len(set(rows.fold)) > 1 else SCHEME
        files[f"{scheme}.csv"] = csv_text(COLUMNS[kind], rows[list(COLUMNS[kind])].to_numpy().tolist(), DELIMITERS[kind])
    mine = placed[placed.scheme.str.split(".").str[0] == lasana]
    if not (mine.fold > 0).any():
        for task, rows in mine.groupby("task"):
            files[f"{task}_split.csv"] = csv_text(COLUMNS[LASANA], rows[["id", "subset"]].to_numpy().tolist(), DELIMITERS[LASANA])
    return files


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]], delimiter: str) -> str:
    """Return a CSV with line feeds."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
