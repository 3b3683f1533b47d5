"""Matrices of frames by classes from tables: CSV and parquet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.errors import MetricsError
from scrubin.labels import documents

Found = dict[str, tuple[npt.NDArray[Any] | None, npt.NDArray[Any]]]
COLUMN_PREFIXES: Mapping[str, tuple[str, ...]] = {
    "ivt": ("ivt_", "triplet_", "class_", ""),
    "i": ("i_", "instrument_", "class_", ""),
}
"""By component what may stand before the number of a class."""


def of_parquet(file: Path, component: str, classes: int) -> Found:
    """Return the matrix of every video in a parquet table; raises `MetricsError` when it cannot be used."""
    return _of_table(file, read_parquet(file), component, classes)


def read_parquet(file: Path) -> pd.DataFrame:
    """Return a parquet table; raises `MetricsError` when it cannot be read."""
    try:
        table: pd.DataFrame = pq.read_table(file).to_pandas()
    except (pa.ArrowException, OSError, ValueError) as error:
        msg = f"{file.name}: cannot be read as parquet: {str(error).splitlines()[0]}; write it again"
        raise MetricsError(msg) from error
    return table


def of_csv(file: Path, component: str, classes: int) -> Found:
    """Return the matrix of every video in a CSV table; raises `MetricsError` when it cannot be used."""
    text, names = _text(file), header_of(file)
    if names is not None:
        _check_header(file, names, text)
    try:
        table = pd.read_csv(
            io.StringIO(text),
            header=None,
            names=names,
            skiprows=0 if names is None else 1,
            keep_default_na=False,
            # Names such as 007 are no numbers.
            dtype={"id": str},
            skip_blank_lines=True,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        msg = f"{file.name}: cannot be read as CSV: {str(error).splitlines()[0]}; give a row per frame and a column per class"
        raise MetricsError(msg) from error
    if names is not None:
        return _of_table(file, table, component, classes)
    matrix = _numbers(file.name, table, 1)
    _check_first_row(file, matrix[0])
    if matrix.shape[1] == classes + 1:
        return {file.stem: (matrix[:, 0], matrix[:, 1:])}
    return {file.stem: (None, matrix)}


def header_of(file: Path) -> list[str] | None:
    """Return the names of the columns of a CSV table; None where the first line holds numbers."""
    cells = [cell.strip().strip('"') for cell in _text(file).split("\n", 1)[0].split(",")]
    # A row of data begins with a frame or a score.
    return None if cells == [""] or _is_number(cells[0]) else cells


def _text(file: Path) -> str:
    return documents.text(file.name, file.read_bytes()).replace("\r\n", "\n").lstrip("\n")


def _check_header(file: Path, names: list[str], text: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        msg = f"{file.name}: the column '{twice[0]}' stands twice; give every column once"
        raise MetricsError(msg)
    first = next(csv.reader(text.split("\n", 2)[1:2]), [])
    if len(first) > len(names):
        # pandas would take what is first in a row for its label, and shift every class.
        msg = f"{file.name}: rows have more cells ({len(first)}) than the header has names ({len(names)}); give one name per column"
        raise MetricsError(msg)


def _check_first_row(file: Path, row: npt.NDArray[Any]) -> None:
    """Refuse 0, 1, 2 ... as a row: it is a header of numbers, and would shift every frame."""
    if len(row) > 1 and np.array_equal(row, np.arange(len(row))):
        msg = f"{file.name}: the first row is 0, 1, 2 ..., which looks like names of columns; remove it, or name them frame and ivt_0 ..."
        raise MetricsError(msg)


def _of_table(file: Path, table: pd.DataFrame, component: str, classes: int) -> Found:
    names = [str(name) for name in table.columns]
    wanted = COLUMN_PREFIXES.get(component, (f"{component}_",))
    prefix = next((one for one in wanted if f"{one}0" in names), wanted[0])
    columns = [f"{prefix}{number}" for number in range(classes)]
    if "frame" not in names or not set(columns) <= set(names):
        msg = f"{file.name}: expected the columns frame and {component}_0 to {component}_{classes - 1}"
        raise MetricsError(msg)
    beyond = [name for name in names if re.fullmatch(re.escape(prefix) + r"\d+", name) and name not in columns]
    if beyond:
        msg = (
            f"{file.name}: has the column {beyond[0]} beyond {columns[-1]}: these are classes of another vocabulary; "
            "name that of the ground truth by --vocabulary, or predict its classes"
        )
        raise MetricsError(msg)
    if "id" in names and (table["id"].isna() | (table["id"] == "")).any():
        msg = f"{file.name}: the id of a row is empty; name the video of every row"
        raise MetricsError(msg)
    parts = table.groupby("id", sort=True) if "id" in names else [(file.stem, table)]
    found: Found = {}
    for name, part in parts:
        # Recordings of which this component is not labelled are no part of the truth.
        if not part[columns].isna().all(axis=None):
            where = file.name if "id" not in names else f"{file.name}, {name}"
            found[str(name)] = (_numbers(where, part[["frame"]], 2)[:, 0], _numbers(where, part[columns], 2))
    return found


def _numbers(where: str, table: pd.DataFrame, first_row: int) -> npt.NDArray[Any]:
    """Return the cells as float64; ``first_row`` is what the first row is called."""
    for name in table.columns:
        cells = table[name]
        if cells.dtype.kind in "biuf" and not cells.isna().any():
            continue
        bad = [(row, cell) for row, cell in enumerate(cells.tolist()) if isinstance(cell, bool) or not _is_number(cell)]
        if bad:
            row, cell = bad[0]
            fault = "a cell is empty" if cell in ("", None) or cell != cell else f"'{cell}' is no number"
            msg = f"{where}, row {row + first_row}, column {name}: {fault}; give a number for every class"
            raise MetricsError(msg)
    return table.to_numpy(dtype=np.float64)


def _is_number(cell: Any) -> bool:
    try:
        return float(cell) == float(cell)
    except (TypeError, ValueError):
        return False
