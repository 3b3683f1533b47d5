"""Phases, skill and errors as CSV: commas, UTF-8, line feeds, undefined values empty."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from scrubin.core import unpacking
from scrubin.core.errors import TableError
from scrubin.groundtruth.recordings import Layer, Recording
from scrubin.tables import io
from scrubin.tables.skill import skill


def phases(recording: Recording, layer: Layer) -> str:
    """Return the phase sequence of a recording: ``frame,phase_id,phase,hidden``, labelled frames only."""
    rows = layer.rows.sort_values("frame")[["frame", "phase_id", "phase"]]
    return _csv(rows.assign(hidden=recording.is_hidden(rows["frame"].to_numpy())))


def split_columns(splits: pd.DataFrame) -> pd.DataFrame:
    """Return one column ``split_<scheme>`` per scheme, or ``split_<scheme>_<fold>`` where it has several folds.

    The index is ``id``; a recording that a scheme does not use is empty.
    """
    columns: dict[str, pd.Series[str]] = {}
    for scheme, rows in splits.groupby("scheme", sort=True):
        several = len(set(rows["fold"])) > 1
        for fold, part in rows.groupby("fold", sort=True):
            columns[f"split_{scheme}_{fold}" if several else f"split_{scheme}"] = part.set_index("id")["subset"]
    ids = pd.Index(sorted(set(splits["id"])), name="id", dtype="str")
    return pd.DataFrame({name: column.reindex(ids) for name, column in columns.items()}, index=ids)


def skill_sheets(table: pd.DataFrame, splits: pd.DataFrame) -> dict[str, str]:
    """Return one CSV per task: ``id``, the split columns, and the columns of the table ``skill``."""
    tasks = table.groupby("task", sort=True)
    return {str(task): _with_splits(rows.drop(columns="task").set_index("id"), splits) for task, rows in tasks}


def error_sheets(errors: pd.DataFrame, splits: pd.DataFrame) -> dict[str, str]:
    """Return one CSV per task: ``id``, the split columns, and one True/False column per error."""
    tasks = errors.groupby("task", sort=True)
    # Set and unstack fails on a repeated key, which a pivot table would average.
    wide = {str(task): rows.set_index(["id", "error"])["occurred"].unstack() for task, rows in tasks}  # noqa: PD010
    return {task: _with_splits(rows, splits) for task, rows in wide.items()}


def _with_splits(rows: pd.DataFrame, splits: pd.DataFrame) -> str:
    rows = rows.sort_index()
    return _csv(split_columns(splits).reindex(rows.index).join(rows).reset_index())


def read_skill(path: Path) -> pd.DataFrame:
    """Return the table ``skill`` with whatever aspects the study rates.

    Raises
    ------
    TableError
        When the file cannot be read or breaks the declaration.
    """
    try:
        names = unpacking.parquet_schema(path).names
    except OSError as error:
        msg = f"{path}: cannot be read as parquet: {error}; run 'dvc repro' to make it again"
        raise TableError(msg) from error
    fixed = set(skill(()).column_names)
    return io.read(skill(tuple(name for name in names if name not in fixed)), path)


def _csv(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, lineterminator="\n")
