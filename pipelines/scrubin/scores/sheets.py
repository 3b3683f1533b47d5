"""Rater sheets as text: which there are, and their cells, each with its place.

A sheet is a CSV with semicolons, named ``<Task>_rater<k>.csv`` (scores) or
``<Task>_rater<k>_errors.csv`` (error marks), as LASANA publishes them (section Data Records).
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrubin.errors import RatingsError

NAME = re.compile(r"(?P<task>.+)_rater(?P<rater>[0-9]+)(?P<errors>_errors)?\.csv")
NAMED_RATER = re.compile(r".+_rater(?!_errors\.)[^.]+\.csv")


@dataclass(frozen=True)
class Row:
    """One row of a sheet: where it stands, and its cells by column, without surrounding blanks."""

    place: str
    cells: dict[str, str]


@dataclass(frozen=True)
class Sheet:
    """One rater's sheet for one task."""

    file: str
    task: str
    rater: str
    marks_errors: bool
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def read_folder(folder: Path, tasks: Sequence[str]) -> list[Sheet]:
    """Return all sheets of a folder, sorted by file name; an empty folder is a study without ratings.

    Raises
    ------
    RatingsError
        For a missing folder, a CSV whose name is none of a sheet or names a rater, an unknown
        task, or text that is no CSV with semicolons.
    """
    if not folder.is_dir():
        msg = f"{folder}: there is no such folder; make it, and leave it empty when nobody rated"
        raise RatingsError(msg)
    # A hidden file belongs to an editor or a file manager, not to the study.
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".csv" and not path.name.startswith("."))
    return [read_sheet(path, tasks) for path in files]


def read_sheet(path: Path, tasks: Sequence[str]) -> Sheet:
    """Return one sheet; its errors are those of ``read_folder``."""
    match = NAME.fullmatch(path.name)
    if match is None and NAMED_RATER.fullmatch(path.name):
        msg = f"{path}: the name of a rater would be published; number the raters, as in PegTransfer_rater1.csv, and rename the file"
        raise RatingsError(msg)
    if match is None:
        msg = f"{path}: expected a name such as PegTransfer_rater1.csv or PegTransfer_rater1_errors.csv; rename or remove the file"
        raise RatingsError(msg)
    if match["task"] not in tasks:
        near = difflib.get_close_matches(match["task"], tasks, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(tasks) or 'none'}"
        msg = f"{path}: the manifest has no recording of task '{match['task']}'; {hint}"
        raise RatingsError(msg)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path}: cannot be read as UTF-8 text: {error}; save it as CSV UTF-8"
        raise RatingsError(msg) from error
    columns, rows = _parse(str(path), text)
    return Sheet(str(path), match["task"], match["rater"], match["errors"] is not None, columns, rows)


def check_columns(sheet: Sheet, required: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Refuse a sheet whose columns are not the expected ones, in any order."""
    known = (*required, *optional)
    for column in sheet.columns:
        if column not in known:
            near = difflib.get_close_matches(column, known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"expected {', '.join(known)}"
            msg = f"{sheet.file}, row 1: column '{column}' is unknown; {hint}"
            raise RatingsError(msg)
    missing = [column for column in required if column not in sheet.columns]
    if missing:
        msg = f"{sheet.file}, row 1: column '{missing[0]}' is missing; the sheet has {', '.join(sheet.columns)}"
        raise RatingsError(msg)


def _parse(file: str, text: str) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    lines = _lines(file, text)
    place, header = next(lines, (f"{file}, row 1", []))
    if len(header) == 1 and "," in header[0]:
        msg = f"{place}: expected columns separated by semicolons, but got {header[0]!r}; save it as CSV with semicolons"
        raise RatingsError(msg)
    if not header or len(set(header)) != len(header):
        msg = f"{place}: expected different column names, but got {';'.join(header)!r}"
        raise RatingsError(msg)
    rows = []
    for place, cells in lines:
        if len(cells) != len(header):
            msg = f"{place}: expected {len(header)} cells, but got {len(cells)}: {';'.join(cells)!r}"
            raise RatingsError(msg)
        rows.append(Row(place, dict(zip(header, cells, strict=True))))
    return tuple(header), tuple(rows)


def _lines(file: str, text: str) -> Iterator[tuple[str, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True)
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            # A line of empty cells is what spreadsheets leave below a table.
            if any(stripped):
                yield f"{file}, row {reader.line_num}", stripped
    except csv.Error as error:
        msg = f"{file}, row {reader.line_num}: is no CSV: {error}; save it again as CSV with semicolons"
        raise RatingsError(msg) from error
