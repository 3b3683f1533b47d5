"""A table as a CSV of somebody's own: commas, semicolons or tabs, one row per recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.errors import SplitError
from scrubin.splits import grid

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
    """Return a sheet.

    Raises
    ------
    SplitError
        When it is no UTF-8 CSV with a header of different names, or a row has another number of cells.
    """
    cells = grid.read(path, str(path))
    if "" in cells.headers or not cells.rows:
        wrong = "has a column without a name" if cells.rows else "has a header but no rows"
        msg = f"{path}: expected a header and at least one row, but it {wrong}; correct it"
        raise SplitError(msg)
    rows = [[cell.strip() or None for cell in row] for _, row in cells.rows]
    return Sheet(path, pd.DataFrame(rows, columns=list(cells.headers), dtype=object), tuple(line for line, _ in cells.rows))
