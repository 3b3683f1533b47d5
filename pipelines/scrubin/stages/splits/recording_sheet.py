"""A table as a CSV of somebody's own: one row per recording, cells as text, each with its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from scrubin.base import faults
from scrubin.base.errors import SplitError
from scrubin.base.faults import Fault, hint
from scrubin.base.text import csv_text, naming

ID_COLUMNS = ("id", "recording", "video")
"""Names of the column that identifies a recording, in this order; otherwise it is the first column."""


@dataclass(frozen=True)
class RecordingSheet:
    """A CSV as text.

    Parameters
    ----------
    file
        As the user calls it.
    frame
        Cells without surrounding blanks; empty ones are None.
    lines
        Line in the file of each row, from 1.
    """

    file: str
    frame: pd.DataFrame
    lines: tuple[int, ...]

    @property
    def id_column(self) -> str:
        """The column that identifies a recording."""
        named = {str(name).lower(): str(name) for name in reversed(self.frame.columns)}
        return next((named[name] for name in ID_COLUMNS if name in named), str(self.frame.columns[0]))

    def ids(self) -> pd.Series[str]:
        """Return the recordings.

        Raises
        ------
        SplitError
            When a cell is empty, or an error or a formula of a spreadsheet.
        """
        ids = self.filled(self.id_column)
        odd = {i: csv_text.shown(one) for i, one in enumerate(ids) if naming.is_of_spreadsheet(one)}
        what, fix = "an error or a formula of a spreadsheet", "write the name itself, or remove the row"
        SplitError.raise_any(self.fault(i, "cell-error", f"the cell '{self.id_column}' is '{one}', {what}", fix) for i, one in odd.items())
        return ids

    def filled(self, column: str) -> pd.Series[str]:
        """Return a column in which no cell may be empty.

        Raises
        ------
        SplitError
            For an unknown column, or with every empty cell.
        """
        values = self.column(column)
        empty = [i for i, value in enumerate(values) if value is None]
        what, fix = f"the cell '{column}' is empty", "fill it in, or remove the row"
        SplitError.raise_any(self.fault(i, "cell-empty", what, fix) for i in empty)
        return values.astype("str")

    def groups(self, column: str) -> pd.Series[str]:
        """Return a column of names of people, or of what else stays together, in which every cell names somebody.

        Raises
        ------
        SplitError
            For an unknown column, or with every cell that is empty or stands for a name that nobody knows.
        """
        values = self.column(column)
        why = [naming.nobody("" if value is None else str(value)) for value in values]
        fix = "fill it in, or remove the row"
        SplitError.raise_any(self.fault(i, "cell-empty", f"the cell '{column}' {of}", fix) for i, of in enumerate(why) if of)
        return values.astype("str")

    def column(self, name: str) -> pd.Series[Any]:
        """Return a column.

        Raises
        ------
        SplitError
            When there is none of this name.
        """
        if name not in self.frame.columns:
            fix = hint(name, map(str, self.frame.columns))
            raise SplitError([faults.error(self.file, "column-missing", f"there is no column '{name}'", fix)])
        return self.frame[name]

    def fault(self, i: int, rule: str, what: str, fix: str) -> Fault:
        """Return a fault of a row, by its place in ``frame``."""
        return faults.error(self.file, rule, what, fix, place=f"line {self.lines[i]}")


def read(path: Path) -> RecordingSheet:
    """Return a sheet.

    Raises
    ------
    SplitError
        With every fault of the file: when it is no sound CSV (`scrubin.base.text.csv_text`), has no row, or no column that
        can name the recordings.
    """
    file = str(path)
    sheet = csv_text.read_path(path, file)
    SplitError.raise_any(sheet.faults)
    if not sheet.rows:
        raise SplitError([faults.error(file, "no-rows", "it has a header but no rows", "give one row per recording")])
    if sheet.row_numbers and not {name.lower() for name in sheet.columns} & set(ID_COLUMNS):
        # The nameless first column could number the rows, or name the recordings.
        what = "the first column has no name, and none is called id, recording or video"
        raise SplitError(
            [faults.error(file, "column-unnamed", what, "name the column of the recordings", place=f"line {sheet.header_line}")]
        )
    cells = [[cell or None for cell in row.cells.values()] for row in sheet.rows]
    frame = pd.DataFrame(cells, columns=list(sheet.columns), dtype=object)
    return RecordingSheet(file, frame, tuple(row.line for row in sheet.rows))


def ids_by_name(people: pd.DataFrame) -> dict[str, str]:
    """Return released ids by all that a curator may call recordings: their names, where the table has a column ``recording``, and ids."""
    names = people.recording if "recording" in people else people.id
    return dict(zip(names, people.id, strict=True)) | dict(zip(people.id, people.id, strict=True))


def read_released(path: Path, id_of: Mapping[str, str] = MappingProxyType({})) -> pd.DataFrame:
    """Return id, subset and line in the file of every recording of a released split without folds.

    Parameters
    ----------
    path
        The file.
    id_of
        Released id by name, where it may call recordings otherwise; who is not there keeps the name of the file.

    Raises
    ------
    SplitError
        When the file cannot be read, has no column for either, or a recording twice.
    """
    sheet = read(path)
    subset = next((name for name in ("subset", "split") if name in sheet.frame.columns), None)
    if subset is None:
        fix = f"name it; there are {', '.join(map(str, sheet.frame.columns))}"
        raise SplitError([faults.error(sheet.file, "column-missing", "no column is named subset or split", fix)])
    names = sheet.ids()
    rows = pd.DataFrame({"id": names.map(lambda name: id_of.get(name, name)), "subset": sheet.filled(subset), "line": sheet.lines})
    first = {id_: i for i, id_ in reversed(list(enumerate(rows.id)))}
    twice = [(i, first[id_]) for i, id_ in enumerate(rows.id) if first[id_] != i]
    otherwise = [
        f" (as '{names.iloc[before]}' in line {sheet.lines[before]})" if names.iloc[before] != names.iloc[i] else "" for i, before in twice
    ]
    SplitError.raise_any(
        sheet.fault(i, "recording-repeated", f"recording '{names.iloc[i]}' stands twice{how}", "only a split without folds can be extended")
        for (i, _), how in zip(twice, otherwise, strict=True)
    )
    return rows
