"""The rater sheets of a folder: one file per rater, or long tables of all.

``ratings.csv`` has the columns id, task and rater, and either one per aspect (GRS optional) or
``aspect`` and ``score``, one row per aspect. ``errors.csv`` has id, task, rater, error and
marked. Both are cut into one sheet per task and rater, so that the same checks hold for them.

A sheet is a CSV named ``<Task>_rater<k>.csv`` (scores) or ``<Task>_rater<k>_errors.csv`` (error
marks), as LASANA publishes them (section Data Records); or the part of a long table,
``ratings.csv`` or ``errors.csv``, about one task and rater.
"""

from __future__ import annotations

import filecmp
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scrubin.base import faults
from scrubin.base.errors import RatingsError
from scrubin.base.faults import Fault
from scrubin.base.file_lists import is_of_system
from scrubin.base.text import csv_text
from scrubin.base.text.csv_text import shown
from scrubin.ratings.rater_sheet import RaterSheet, RatingRow, canonical, check_task, read_cells, refuse_task

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
    by_task: dict[str, dict[str, list[RatingRow]]] = {}
    for line in table.rows:
        row = RatingRow(layout.file, line.line, line.cells)
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


def read(path: Path, tasks: Sequence[str], withdrawn: Container[str] = ()) -> list[RaterSheet]:
    """Return a long table as one sheet per task and rater, sorted.

    Parameters
    ----------
    path
        A file named as in ``NAMES``.
    tasks
        The tasks of the manifest.
    withdrawn
        As of `read_folder`.

    Raises
    ------
    RatingsError
        Names file, line and value: for text that is no CSV, a missing column, a rater that is no
        number, an unknown task, or an aspect or error that stands twice for a recording.
    """
    table = read_cells(path, str(path))
    layout = _layout(path, table)
    wrong: list[Fault] = [misfit.fault for misfit in table.misfits]
    grouped: dict[tuple[str, str], list[RatingRow]] = {}
    for line in table.rows:
        row = RatingRow(layout.file, line.line, line.cells)
        if row.cells["task"] not in tasks and row.cells["id"] in withdrawn:
            continue
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


def _layout(path: Path, table: csv_text.Sheet) -> _Layout:
    """Return the layout of a table; refuse one without the columns it needs."""
    RatingsError.raise_any(table.file_faults)
    marks_errors = NAMES[path.name]
    pair = _PER_ENTRY[marks_errors]
    per_entry = marks_errors or bool(set(pair) & set(table.columns))
    required = (*_KEY, *(pair if per_entry else ()))
    RatingsError.raise_any(csv_text.missing_columns(table.file, f"line {table.header_line}", table.columns, required))
    return _Layout(table.file, marks_errors, table.columns, table.header_line, per_entry)


def _check_key(row: RatingRow) -> None:
    if not row.cells["task"]:
        raise RatingsError([row.fault("task-empty", "task is empty", "name the task of the recording, or remove the row")])
    refuse_task(row.file, row.cells["task"], row.place_of("task"))
    if not row.cells["id"]:
        raise RatingsError([row.fault("id-empty", "id is empty", "name the recording, or remove the row")])


def _sheet(layout: _Layout, task: str, rater: str, rows: Iterable[RatingRow]) -> RaterSheet:
    own = tuple(column for column in layout.columns if column not in ("task", "rater"))
    kept = tuple(RatingRow(row.file, row.line, {column: row.cells[column] for column in own}) for row in rows)
    sheet = RaterSheet(layout.file, task, rater, layout.marks_errors, own, kept, layout.header_line)
    return _widened(sheet, *_PER_ENTRY[layout.marks_errors]) if layout.per_entry else sheet


def _rater(row: RatingRow) -> str:
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
    first: dict[str, RatingRow] = {}
    by_id: dict[str, list[RatingRow]] = {}
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


def _joined(rows: Sequence[RatingRow], columns: Iterable[str], name: str, value: str) -> RatingRow:
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
    return RatingRow(rows[0].file, rows[0].line, {**common, **values}, lines)


def _check_same(row: RatingRow, first: RatingRow, common: Mapping[str, str]) -> None:
    for column, cell in common.items():
        if row.cells[column] != cell:
            what = f"{column} is '{shown(row.cells[column])}', but '{shown(cell)}' in line {first.line} about the same recording"
            raise RatingsError([row.fault("row-contradicts", what, "correct one of them")])


_NAME = re.compile(r"(?P<task>.+)_rater(?P<rater>[0-9]+)(?P<errors>_errors)?\.csv")
LIKE_RATER = re.compile(r"(?P<task>.*)_rater(?!_errors\.)(?P<rater>[^.]+)\.csv", re.IGNORECASE)
"""Names that are meant to be those of a sheet, whatever stands for the rater."""
SPREADSHEETS = ("xlsx", "xls", "xlsm", "xlsb", "ods", "numbers")
"""So end files of spreadsheet programs, which nothing reads here."""
_TABLES = "|".join(("csv", "tsv", "tab", *SPREADSHEETS))
_OWN = r"(?:(?P<task>.*)_)?rater_?(?P<rater>[0-9]+)(?P<errors>_errors)?|ratings|errors"
_MEANT = re.compile(
    rf"(?P<name>{_OWN}|.*_rater(?!s\.|errors\.)(?:_?[^\W\d_]|[^\W\d_]+)(?:_errors)?)\.(?:{_TABLES}|csv\..*)",
    re.IGNORECASE,
)
"""Names of tables that only a rater sheet has, though nothing reads it: it ends otherwise, or lies in a folder of its own."""
_OTHER = re.compile(rf"(?P<name>{_OWN})(?:\.(?:txt|dat))?|(?P<table>.+?)\.(?:{_TABLES}|csv\.txt)", re.IGNORECASE)
"""Names of what may be a table; spreadsheets save text with tabs as ``.txt``, and other documents are none."""
_PERSON = re.compile(r"[^0-9]*[^\W\d_].*")


def read_folder(folder: Path, tasks: Sequence[str], withdrawn: Container[str] = ()) -> list[RaterSheet]:
    """Return all sheets of a folder, sorted by file name; an empty folder is a study without ratings.

    Parameters
    ----------
    folder
        Holds one CSV per task and rater, or the long tables ``ratings.csv`` and ``errors.csv``,
        or both.
    tasks
        The tasks of the manifest.
    withdrawn
        Recordings, by name or released id: of a task of which nothing else is left, their rows are passed over.

    Raises
    ------
    RatingsError
        For a missing folder; or with every fault of its files: a CSV whose name is none of a
        sheet or names a rater, an unknown task, or text that is no CSV.
    """
    sheets, wrong = look_folder(folder, tasks, withdrawn)
    RatingsError.raise_any(wrong)
    return sheets


def look_folder(folder: Path, tasks: Sequence[str], withdrawn: Container[str] = ()) -> tuple[list[RaterSheet], list[Fault]]:
    """Return the sheets of a folder that can be read, and what is wrong with the others; parameters as of `read_folder`."""
    if not folder.is_dir():
        fix = "make it, and leave it empty when nobody rated"
        return [], [faults.error(str(folder), "folder-missing", "there is no such folder", fix)]
    # A hidden file belongs to an editor or a file manager, not to the study.
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".csv" and not path.name.startswith("."))
    sheets: list[RaterSheet] = []
    wrong: list[Fault] = []
    is_sure = True
    for path in files:
        try:
            sheets += read(path, tasks, withdrawn) if path.name in NAMES else _read_sheet(path, tasks, withdrawn)
        except RatingsError as error:
            wrong += error.faults
            is_sure = is_sure and path.name not in NAMES
    # A long table that cannot be read may have what the other files have.
    return sheets, [*(unread.fault for unread in unread_tables(folder, sheets) if unread.is_meant and is_sure), *wrong]


@dataclass(frozen=True)
class Unread:
    """A table of a folder that nothing reads.

    Parameters
    ----------
    fault
        Why not.
    is_meant
        Whether it was a rater sheet if it were a CSV beside the others, by its name, and no sheet is of its task and rater.
    """

    fault: Fault
    is_meant: bool


def unread_tables(folder: Path, sheets: Iterable[RaterSheet]) -> list[Unread]:
    """Return the tables of a folder that nothing reads, sorted, but those that stand for what is read, such as its spreadsheet.

    What systems and editors leave, and documents such as a README, are none. Of a folder below, whose tables may be old copies or of
    another site, only what has the same bytes as what is read, or as a file of its name above, is left out.

    Parameters
    ----------
    folder
        That of the rater sheets.
    sheets
        What is read of it.
    """
    known = {(sheet.task.lower(), sheet.rater, sheet.marks_errors) for sheet in sheets}
    found = []
    sheet_files = [path for path in folder.glob("*") if path.suffix.lower() == ".csv" and path.is_file()]
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        is_read = len(inside) == 1 and path.suffix.lower() == ".csv"
        match = _MEANT.fullmatch(path.name) or _OTHER.fullmatch(path.name)
        if match is None or is_read or any(map(is_of_system, inside)) or not path.is_file():
            continue
        of, is_below = match.groupdict(), len(inside) > 1
        beside = folder / f"{of['name'] or of['table']}.csv"
        is_known = bool(of["rater"]) and ((of["task"] or path.parent.name).lower(), canonical(of["rater"]), bool(of["errors"])) in known
        if not beside.is_file() and not is_known:
            is_meant = match.re is _MEANT and not (is_below and of["name"].lower() == "errors")  # as statistics are named, too
            found.append(_not_read(path, folder, is_meant=is_meant))
        elif is_below and not any(filecmp.cmp(path, one, shallow=False) for one in (*sheet_files, folder / path.name) if one.is_file()):
            found.append(_not_read(path, folder, is_meant=False))
    return found


def _not_read(path: Path, folder: Path, *, is_meant: bool) -> Unread:
    """Return a table that is not read."""
    named, ending = "with a name such as PegTransfer_rater1.csv", path.suffix.lower()
    if path.parent != folder:
        rule, what = "file-place", "it lies in a folder below the rater sheets"
        fix = f"move it into {folder}, as CSV {named}, or out of there"
    else:
        rule, what = "file-form", f"it is a spreadsheet ({ending})" if ending[1:] in SPREADSHEETS else "its name does not end in .csv"
        fix = f"save it as CSV UTF-8, {named}, or move it out of the folder"
    fix += "" if is_meant else "; leave it if it has no ratings of its own"
    return Unread(faults.error(str(path), rule, f"{what}, and no row of it is read", fix), is_meant)


def without(sheets: Sequence[RaterSheet], withdrawn: Container[str]) -> list[RaterSheet]:
    """Return sheets without the rows of recordings that were withdrawn, by name or released id: nobody reads them any more."""
    return [replace(sheet, rows=tuple(row for row in sheet.rows if row.cells.get("id", "") not in withdrawn)) for sheet in sheets]


def misnamed(file: str, name: str) -> Fault:
    """Return what is wrong with a file name of the pattern ``LIKE_RATER`` that is none of a sheet.

    >>> misnamed("a/Knot_rater1 (1).csv", "Knot_rater1 (1).csv").what
    "after '_rater' stands '1 (1)', no number"
    """
    match = LIKE_RATER.fullmatch(name)
    rater = "" if match is None else match["rater"]
    what, fix = f"after '_rater' stands '{shown(rater)}', no number", "number the raters, as in PegTransfer_rater1.csv, and rename the file"
    if _PERSON.fullmatch(re.sub(r"(?i)_errors$", "", rater)):
        what = "the name of a rater would be published"
    elif rater.isdigit():
        what = "expected a name such as PegTransfer_rater1.csv: the task, '_rater' and '.csv' in small letters"
        fix = "rename or remove the file"
    return faults.error(file, "file-name", what, fix)


def _read_sheet(path: Path, tasks: Sequence[str], withdrawn: Container[str]) -> list[RaterSheet]:
    """Return the sheet of a file; none where it is of a task of which all that it rates was withdrawn, or removed since."""
    file, match = str(path), _NAME.fullmatch(path.name)
    if match is None and LIKE_RATER.fullmatch(path.name):
        raise RatingsError([misnamed(file, path.name)])
    if match is None:
        what = "expected a name such as PegTransfer_rater1.csv or PegTransfer_rater1_errors.csv, or ratings.csv or errors.csv"
        raise RatingsError([faults.error(file, "file-name", what, "rename or remove the file")])
    sheet = read_cells(path, file)
    is_of_them = bool(sheet.rows or withdrawn) and all(row.cells.get("id", "") in withdrawn for row in sheet.rows)
    if match["task"] not in tasks and not sheet.faults and is_of_them:
        return []
    check_task(file, match["task"], tasks)
    RatingsError.raise_any(sheet.faults)
    rows = tuple(RatingRow(file, row.line, row.cells) for row in sheet.rows)
    rater, marks_errors = canonical(match["rater"]), match["errors"] is not None
    return [RaterSheet(file, match["task"], rater, marks_errors, sheet.columns, rows, sheet.header_line)]
