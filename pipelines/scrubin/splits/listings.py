"""Splits as CSV text: one file per scheme, and LASANA's ``<Task>_split.csv``."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

import pandas as pd


def listings(splits: pd.DataFrame, videos: pd.DataFrame) -> dict[str, str]:
    """Return the text of each file by its name.

    ``balanced.csv`` (commas: id, task, subset) and for each task ``<Task>_split.csv`` (semicolons: id, split;
    LASANA, section Data Records). Rows are sorted by id, an order that tells nothing.

    Parameters
    ----------
    splits
        Rows of one scheme without folds: scheme, subset, id.
    videos
        The table of this name.
    """
    placed = splits.merge(videos[["id", "task"]].drop_duplicates(), on="id", validate="one_to_one").sort_values("id")
    files = {}
    for scheme, rows in placed.groupby("scheme"):
        files[f"{scheme}.csv"] = _csv(["id", "task", "subset"], rows[["id", "task", "subset"]].to_numpy().tolist(), ",")
    for task, rows in placed.groupby("task"):
        files[f"{task}_split.csv"] = _csv(["id", "split"], rows[["id", "subset"]].to_numpy().tolist(), ";")
    return files


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]], delimiter: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
