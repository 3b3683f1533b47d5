"""Which files of a folder are rater sheets, and their text.

A sheet is a CSV named ``<Task>_rater<k>.csv`` (scores) or ``<Task>_rater<k>_errors.csv`` (error
marks), as LASANA publishes them (section Data Records); or the part of a long table,
``ratings.csv`` or ``errors.csv``, about one task and rater.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path

from scrubin.core import faults
from scrubin.core.csvtext import shown
from scrubin.core.errors import RatingsError
from scrubin.core.faults import Fault
from scrubin.ratings import long_tables
from scrubin.ratings.rater_sheet import RaterSheet, Row, canonical, check_task, read_cells

_NAME = re.compile(r"(?P<task>.+)_rater(?P<rater>[0-9]+)(?P<errors>_errors)?\.csv")
LIKE_RATER = re.compile(r"(?P<task>.*)_rater(?!_errors\.)(?P<rater>[^.]+)\.csv", re.IGNORECASE)
"""Names that are meant to be those of a sheet, whatever stands for the rater."""
_PERSON = re.compile(r"[^0-9]*[^\W\d_].*")


def read_folder(folder: Path, tasks: Sequence[str]) -> list[RaterSheet]:
    """Return all sheets of a folder, sorted by file name; an empty folder is a study without ratings.

    Parameters
    ----------
    folder
        Holds one CSV per task and rater, or the long tables ``ratings.csv`` and ``errors.csv``,
        or both.
    tasks
        The tasks of the manifest.

    Raises
    ------
    RatingsError
        For a missing folder; or with every fault of its files: a CSV whose name is none of a
        sheet or names a rater, an unknown task, or text that is no CSV.
    """
    sheets, wrong = look_folder(folder, tasks)
    RatingsError.raise_any(wrong)
    return sheets


def look_folder(folder: Path, tasks: Sequence[str]) -> tuple[list[RaterSheet], list[Fault]]:
    """Return the sheets of a folder that can be read, and what is wrong with the others; parameters as of `read_folder`."""
    if not folder.is_dir():
        fix = "make it, and leave it empty when nobody rated"
        return [], [faults.error(str(folder), "folder-missing", "there is no such folder", fix)]
    # A hidden file belongs to an editor or a file manager, not to the study.
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".csv" and not path.name.startswith("."))
    sheets: list[RaterSheet] = []
    wrong: list[Fault] = []
    for path in files:
        try:
            sheets += long_tables.read(path, tasks) if path.name in long_tables.NAMES else [_read_sheet(path, tasks)]
        except RatingsError as error:
            wrong += error.faults
    return sheets, wrong


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


def _read_sheet(path: Path, tasks: Sequence[str]) -> RaterSheet:
    file, match = str(path), _NAME.fullmatch(path.name)
    if match is None and LIKE_RATER.fullmatch(path.name):
        raise RatingsError([misnamed(file, path.name)])
    if match is None:
        what = "expected a name such as PegTransfer_rater1.csv or PegTransfer_rater1_errors.csv, or ratings.csv or errors.csv"
        raise RatingsError([faults.error(file, "file-name", what, "rename or remove the file")])
    check_task(file, match["task"], tasks)
    sheet = read_cells(path, file)
    RatingsError.raise_any(sheet.faults)
    rows = tuple(Row(file, row.line, row.cells) for row in sheet.rows)
    return RaterSheet(file, match["task"], canonical(match["rater"]), match["errors"] is not None, sheet.columns, rows, sheet.header_line)
