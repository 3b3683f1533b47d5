"""Long tables of ratings: the rows of all tasks and raters in one CSV.

``ratings.csv`` has the columns id, task and rater, and either one per aspect (GRS optional) or
``aspect`` and ``score``, one row per aspect. ``errors.csv`` has id, task, rater, error and
marked. Columns are separated by commas or semicolons. Both tables are cut into one sheet per
task and rater, so that the same checks hold for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrubin.errors import RatingsError
from scrubin.ratings import cells
from scrubin.ratings.cells import Row, cut
from scrubin.ratings.rater_sheet import Sheet, canonical, check_task, refuse_task

NAMES = {"ratings.csv": False, "errors.csv": True}
"""The names of long tables, and whether they hold error marks."""
KEY = ("id", "task", "rater")
MOLTEN = {False: ("aspect", "score"), True: ("error", "marked")}
# pandas writes whole numbers as 3.0 where a cell of the column is empty.
RATER = re.compile(r"([0-9]+)(\.0+)?")


@dataclass(frozen=True)
class Apart:
    """A long table task by task: the sheets of each that can be read, and the first fault of each other.

    A fault of a row that names no task stands under the name of the file.
    """

    sheets: Mapping[str, tuple[Sheet, ...]]
    faults: Mapping[str, str]


def read_apart(path: Path) -> Apart:
    """Return a long table whose faulty rows spoil their own tasks only; messages name the file without its folder.

    Raises
    ------
    RatingsError
        For text that is no CSV, a missing column, or ratings without rows.
    """
    file, marks_errors = path.name, NAMES[path.name]
    text = cells.read_text(path, file)
    delimiter = _delimiter(file, text)
    columns, lines = cells.parse_lines(file, text, delimiter)
    molten = _is_molten(file, columns, marks_errors)
    if not lines and not marks_errors:
        msg = f"{file}: it has names of columns, but no row; add rows or remove the file"
        raise RatingsError(msg)
    faults: dict[str, str] = {}
    grouped: dict[str, dict[str, list[Row]]] = {}
    for place, texts in lines:
        task = dict(zip(columns, texts, strict=False)).get("task", "")
        try:
            row = _checked(place, texts, columns, delimiter)
            grouped.setdefault(task, {}).setdefault(_rater(row), []).append(row)
        except RatingsError as error:
            faults.setdefault(task or file, str(error))
    sheets: dict[str, tuple[Sheet, ...]] = {}
    for task, raters in sorted(grouped.items()):
        try:
            sheets[task] = tuple(_sheet(file, task, rater, columns, rows, molten) for rater, rows in sorted(raters.items()))
        except RatingsError as error:
            faults.setdefault(task, str(error))
    return Apart({task: of for task, of in sheets.items() if task not in faults}, faults)


def read(path: Path, tasks: Sequence[str]) -> list[Sheet]:
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
        Names file, row and value: for text that is no CSV, a missing column, a rater that is no
        number, an unknown task, or an aspect or error that stands twice for a recording.
    """
    file, marks_errors = str(path), NAMES[path.name]
    text = cells.read_text(path)
    columns, rows = cells.parse(file, text, _delimiter(file, text))
    molten = _is_molten(file, columns, marks_errors)
    grouped: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        check_task(row.place, row.cells["task"], tasks)
        grouped.setdefault((row.cells["task"], _rater(row)), []).append(row)
    found = [_sheet(file, task, rater, columns, theirs, molten) for (task, rater), theirs in sorted(grouped.items())]
    if not rows and not molten and tasks:
        # Without rows there is nothing to read, but wrong columns are wrong all the same.
        found.append(_sheet(file, tasks[0], "0", columns, (), molten))
    return found


def _checked(place: str, texts: list[str], columns: tuple[str, ...], delimiter: str) -> Row:
    row = cells.row_from(place, texts, columns, delimiter)
    if not row.cells["task"]:
        msg = f"{place}: task is empty; name the task of the recording, or remove the row"
        raise RatingsError(msg)
    refuse_task(place, row.cells["task"])
    if not row.cells["id"]:
        msg = f"{place}: id is empty; name the recording, or remove the row"
        raise RatingsError(msg)
    return row


def _sheet(file: str, task: str, rater: str, columns: Iterable[str], rows: Iterable[Row], molten: bool) -> Sheet:
    marks_errors = NAMES[Path(file).name]
    own = tuple(column for column in columns if column not in ("task", "rater"))
    sheet = Sheet(file, task, rater, marks_errors, own, tuple(_without(row, ("task", "rater")) for row in rows))
    return _collected(sheet, *MOLTEN[marks_errors]) if molten else sheet


def _delimiter(file: str, text: str) -> str:
    header = next((line for line in text.splitlines() if line.strip()), "")
    if ";" in header:
        return ";"
    if "," in header:
        return ","
    msg = f"{file}, row 1: expected columns such as {', '.join(KEY)}, separated by commas or semicolons, but got {cut(header)!r}"
    raise RatingsError(msg)


def _is_molten(file: str, columns: Sequence[str], marks_errors: bool) -> bool:
    """Return whether each aspect or error has a row of its own; refuse a table without the columns it needs."""
    pair = MOLTEN[marks_errors]
    molten = marks_errors or bool(set(pair) & set(columns))
    for column in (*KEY, *(pair if molten else ())):
        if column not in columns:
            msg = f"{file}, row 1: column '{column}' is missing; the table has {', '.join(map(cut, columns))}"
            raise RatingsError(msg)
    return molten


def _rater(row: Row) -> str:
    if not row.cells["rater"]:
        msg = f"{row.place}: rater is empty; write the number of the rater"
        raise RatingsError(msg)
    match = RATER.fullmatch(row.cells["rater"])
    if match is None:
        msg = (
            f"{row.place}: rater is '{cut(row.cells['rater'])}', not a number; the name of a rater would be published, so number the raters"
        )
        raise RatingsError(msg)
    return canonical(match[1])


def _collected(sheet: Sheet, name: str, value: str) -> Sheet:
    """Return a sheet with one row per recording from one with a row per aspect or error."""
    columns = [column for column in sheet.columns if column not in (name, value)]
    first: dict[str, str] = {}
    by_id: dict[str, list[Row]] = {}
    for row in sheet.rows:
        if not row.cells[name]:
            msg = f"{row.place}: {name} is empty; name the {name} that the row is about"
            raise RatingsError(msg)
        if row.cells[name] in columns:
            msg = f"{row.place}: {name} is '{cut(row.cells[name])}', which is a column of the table, too; remove the column or the row"
            raise RatingsError(msg)
        first.setdefault(row.cells[name], row.place)
        by_id.setdefault(row.cells["id"], []).append(row)
    rows = tuple(_one(group, columns, name, value) for group in by_id.values())
    return Sheet(sheet.file, sheet.task, sheet.rater, sheet.marks_errors, (*columns, *first), rows, first)


def _one(rows: Sequence[Row], columns: Iterable[str], name: str, value: str) -> Row:
    common = {column: rows[0].cells[column] for column in columns}
    given: dict[str, str] = {}
    places: dict[str, str] = {}
    for row in rows:
        _same(row, rows[0], common)
        key = row.cells[name]
        if key in places:
            msg = (
                f"{row.place}: {name} '{cut(key)}' of id '{cut(row.cells['id'])}' stands twice, first in {cells.row_of(places[key])}; "
                "remove one of the rows"
            )
            raise RatingsError(msg)
        given[key], places[key] = row.cells[value], row.place
    return Row(rows[0].place, {**common, **given}, places)


def _same(row: Row, first: Row, common: Mapping[str, str]) -> None:
    for column, cell in common.items():
        if row.cells[column] != cell:
            first_cell = f"'{cut(cell)}' in {cells.row_of(first.place)} about the same recording"
            msg = f"{row.place}: {column} is '{cut(row.cells[column])}', but {first_cell}; correct one of them"
            raise RatingsError(msg)


def _without(row: Row, columns: Sequence[str]) -> Row:
    return Row(row.place, {column: cell for column, cell in row.cells.items() if column not in columns}, row.places)
