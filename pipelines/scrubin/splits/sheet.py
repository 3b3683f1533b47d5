"""A table as a CSV of somebody's own: commas, semicolons or tabs, one row per recording."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.errors import SplitError

IDS = ("id", "recording", "video")
"""Names of the column that identifies a recording, in this order; otherwise it is the first column."""


@dataclass(frozen=True)
class Sheet:
    """A CSV as text.

    Parameters
    ----------
    path
        Its file.
    frame
        Cells as text without surrounding blanks; empty ones are missing.
    lines
        Line in the file of each row, from 1.
    """

    path: Path
    frame: pd.DataFrame
    lines: tuple[int, ...]

    def row(self, i: int) -> int:
        """Return the line of a row in the file."""
        return self.lines[i]

    @property
    def id_column(self) -> str:
        """The column that identifies a recording."""
        named = {str(name).lower(): str(name) for name in reversed(self.frame.columns)}
        return next((named[name] for name in IDS if name in named), str(self.frame.columns[0]))

    def ids(self) -> pd.Series[str]:
        """Return the recordings.

        Raises
        ------
        SplitError
            When a cell is empty.
        """
        return self.filled(self.id_column)

    def filled(self, column: str) -> pd.Series[str]:
        """Return a column in which no cell may be empty.

        Raises
        ------
        SplitError
            For an unknown column, or an empty cell.
        """
        values = self.column(column)
        empty = values.isna().to_numpy()
        if empty.any():
            msg = f"{self.path}, row {self.row(int(empty.argmax()))}: the cell '{column}' is empty; fill it in, or remove the row"
            raise SplitError(msg)
        return values.astype("str")

    def column(self, name: str) -> pd.Series[Any]:
        """Return a column.

        Raises
        ------
        SplitError
            When there is none of this name.
        """
        if name not in self.frame.columns:
            msg = f"{self.path}: there is no column '{name}'; it has {', '.join(map(str, self.frame.columns))}"
            raise SplitError(msg)
        return self.frame[name]


def read(path: Path) -> Sheet:
    """Return a sheet; the delimiter is the one that its header has most of.

    Raises
    ------
    SplitError
        When it is no UTF-8 CSV with a header of different names, or a row has another number of cells.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path}: cannot be read as UTF-8 text: {error}; name a CSV file"
        raise SplitError(msg) from error
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append([cell.strip() for cell in cells])
                lines.append(reader.line_num)
    except csv.Error as error:
        msg = f"{path}, row {reader.line_num}: is no CSV: {error}; save it again as CSV"
        raise SplitError(msg) from error
    return Sheet(path, _frame(path, rows, lines), tuple(lines[1:]))


def _frame(path: Path, rows: list[list[str]], lines: list[int]) -> pd.DataFrame:
    if len(rows) < 2:
        msg = f"{path}: expected a header and at least one row, but got {len(rows)} rows"
        raise SplitError(msg)
    header = rows[0]
    if len(set(header)) != len(header) or "" in header:
        msg = f"{path}, row {lines[0]}: expected different column names, but got {', '.join(header)}"
        raise SplitError(msg)
    for cells, line in zip(rows[1:], lines[1:], strict=True):
        if len(cells) != len(header):
            msg = f"{path}, row {line}: expected {len(header)} cells, but got {len(cells)}; correct the row"
            raise SplitError(msg)
    return pd.DataFrame([[cell or None for cell in cells] for cells in rows[1:]], columns=header, dtype=object)
