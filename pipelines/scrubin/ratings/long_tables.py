"""Long tables of ratings: the rows of all tasks and raters in one CSV.

``ratings.csv`` has the columns id, task and rater, and either one per aspect (GRS optional) or
``aspect`` and ``score``, one row per aspect. ``errors.csv`` has id, task, rater, error and
marked. Both are cut into one sheet per task and rater, so that the same checks hold for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrubin.core import csvtext, faults
from scrubin.core.csvtext import shown
from scrubin.core.errors import RatingsError
from scrubin.core.faults import Fault
from scrubin.ratings.rater_sheet import RaterSheet, Row, canonical, check_task, read_cells, refuse_task

NAMES = {"ratings.csv": False, "errors.csv": True}
"""The names of long tables, and whether they hold error marks."""
_KEY = ("id", "task", "rater")
_PER_ENTRY = {False: ("aspect", "score"), True: ("error", "marked")}
"""Columns of a table with a row per aspect or error: its name and its value."""
# pandas writes whole numbers as 3.0 where a cell of the column is empty.
_RATER = re.compile(r"([0-9]+)(\.0+)?")


@dataclass(frozen=True)
class LongTable:
    """A long table task by task: the sheets of those that can be read, and the faults of the others.

    A fault of a row that names no task stands under the name of the file.
    """

    sheets: Mapping[str, tuple[RaterSheet, ...]]
    faults: Mapping[str, tuple[Fault, ...]]


@dataclass(frozen=True)
class _Layout:
    """What a long table is: its file, whether it marks errors, its columns and where they stand, and whether it has a row per entry."""

    file: str
    marks_errors: bool
    columns: tuple[str, ...]
    header_line: int
    per_entry: bool


def read_by_task(path: Path) -> LongTable:
    """Return a long table whose faulty rows spoil their own tasks only; faults name the file without its folder.

    Raises
    ------
    RatingsError
        For text that is no CSV, a missing column, or ratings without rows.
    """
    table = read_cells(path, path.name)
    layout = _layout(path, table)
    if not table.rows and not table.misfits and not layout.marks_errors:
        raise RatingsError([faults.error(layout.file, "no-rows", "it has names of columns, but no row", "add rows or remove the file")])
    wrong: dict[str, list[Fault]] = {}
    for misfit in table.misfits:
        wrong.setdefault(misfit.row.cells.get("task") or layout.file, []).append(misfit.fault)
    by_task: dict[str, dict[str, list[Row]]] = {}
    for line in table.rows:
        row = Row(layout.file, line.line, line.cells)
        task = row.cells["task"]
        try:
            _check_key(row)
            by_task.setdefault(task, {}).setdefault(_rater(row), []).append(row)
        except RatingsError as error:
            wrong.setdefault(task or layout.file, []).extend(error.faults)
    sheets: dict[str, tuple[RaterSheet, ...]] = {}
    for task, raters in sorted(by_task.items()):
        try:
            sheets[task] = tuple(_sheet(layout, task, rater, rows) for rater, rows in sorted(raters.items()))
        except RatingsError as error:
            wrong.setdefault(task, []).extend(error.faults)
    return LongTable(
        {task: of for task, of in sheets.items() if task not in wrong}, {task: tuple(of_task) for task, of_task in wrong.items()}
    )


def read(path: Path, tasks: Sequence[str]) -> list[RaterSheet]:
    """Return a long table as one sheet per task and rater, sorted.

    Parameters
    ----------
    path
        A file named as in ``NAMES``.
    tasks
        The tasks of the manifest.

    Raises
    ------
    RatingsError
        Names file, line and value: for text that is no CSV, a missing column, a rater that is no
        number, an unknown task, or an aspect or error that stands twice for a recording.
    """
    table = read_cells(path, str(path))
    layout = _layout(path, table)
    wrong: list[Fault] = [misfit.fault for misfit in table.misfits]
    grouped: dict[tuple[str, str], list[Row]] = {}
    for line in table.rows:
        row = Row(layout.file, line.line, line.cells)
        try:
            check_task(layout.file, row.cells["task"], tasks, line.place)
            grouped.setdefault((row.cells["task"], _rater(row)), []).append(row)
        except RatingsError as error:
            wrong += error.faults
    RatingsError.raise_any(wrong)
    sheets = [_sheet(layout, task, rater, rows) for (task, rater), rows in sorted(grouped.items())]
    if not table.rows and not layout.per_entry and tasks:
        # Without rows there is nothing to read, but wrong columns are wrong all the same.
        sheets.append(_sheet(layout, tasks[0], "0", ()))
    return sheets


def _layout(path: Path, table: csvtext.Sheet) -> _Layout:
    """Return the layout of a table; refuse one without the columns it needs."""
    RatingsError.raise_any(table.file_faults)
    marks_errors = NAMES[path.name]
    pair = _PER_ENTRY[marks_errors]
    per_entry = marks_errors or bool(set(pair) & set(table.columns))
    required = (*_KEY, *(pair if per_entry else ()))
    RatingsError.raise_any(csvtext.missing_columns(table.file, f"line {table.header_line}", table.columns, required))
    return _Layout(table.file, marks_errors, table.columns, table.header_line, per_entry)


def _check_key(row: Row) -> None:
    if not row.cells["task"]:
        raise RatingsError([row.fault("task-empty", "task is empty", "name the task of the recording, or remove the row")])
    refuse_task(row.file, row.cells["task"], row.place_of("task"))
    if not row.cells["id"]:
        raise RatingsError([row.fault("id-empty", "id is empty", "name the recording, or remove the row")])


def _sheet(layout: _Layout, task: str, rater: str, rows: Iterable[Row]) -> RaterSheet:
    own = tuple(column for column in layout.columns if column not in ("task", "rater"))
    kept = tuple(Row(row.file, row.line, {column: row.cells[column] for column in own}) for row in rows)
    sheet = RaterSheet(layout.file, task, rater, layout.marks_errors, own, kept, layout.header_line)
    return _widened(sheet, *_PER_ENTRY[layout.marks_errors]) if layout.per_entry else sheet


def _rater(row: Row) -> str:
    if not row.cells["rater"]:
        raise RatingsError([row.fault("rater-empty", "rater is empty", "write the number of the rater")])
    match = _RATER.fullmatch(row.cells["rater"])
    if match is None:
        what = f"rater is '{shown(row.cells['rater'])}', not a number"
        raise RatingsError([row.fault("rater-number", what, "the name of a rater would be published, so number the raters")])
    return canonical(match[1])


def _widened(sheet: RaterSheet, name: str, value: str) -> RaterSheet:
    """Return a sheet with one row per recording from one with a row per aspect or error."""
    columns = [column for column in sheet.columns if column not in (name, value)]
    first: dict[str, Row] = {}
    by_id: dict[str, list[Row]] = {}
    for row in sheet.rows:
        entry = row.cells[name]
        if not entry:
            raise RatingsError([row.fault(f"{name}-empty", f"{name} is empty", f"name the {name} that the row is about")])
        if entry in columns:
            what = f"{name} is '{shown(entry)}', which is a column of the table, too"
            raise RatingsError([row.fault(f"{name}-name", what, "remove the column or the row")])
        first.setdefault(entry, row)
        by_id.setdefault(row.cells["id"], []).append(row)
    rows = tuple(_joined(rows, columns, name, value) for rows in by_id.values())
    return RaterSheet(
        sheet.file, sheet.task, sheet.rater, sheet.marks_errors, (*columns, *first), rows, sheet.header_line, first_rows=first
    )


def _joined(rows: Sequence[Row], columns: Iterable[str], name: str, value: str) -> Row:
    common = {column: rows[0].cells[column] for column in columns}
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for row in rows:
        _check_same(row, rows[0], common)
        entry = row.cells[name]
        if entry in lines:
            what = f"{name} '{shown(entry)}' of id '{shown(row.cells['id'])}' stands twice, first in line {lines[entry]}"
            raise RatingsError([row.fault(f"{name}-repeated", what, "remove one of the rows")])
        values[entry], lines[entry] = row.cells[value], row.line
    return Row(rows[0].file, rows[0].line, {**common, **values}, lines)


def _check_same(row: Row, first: Row, common: Mapping[str, str]) -> None:
    for column, cell in common.items():
        if row.cells[column] != cell:
            what = f"{column} is '{shown(row.cells[column])}', but '{shown(cell)}' in line {first.line} about the same recording"
            raise RatingsError([row.fault("row-contradicts", what, "correct one of them")])
