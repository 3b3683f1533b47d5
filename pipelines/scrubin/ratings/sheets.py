"""Rater sheets as text: which there are, and their cells, each with its place.

A sheet is a CSV with semicolons, named ``<Task>_rater<k>.csv`` (scores) or
``<Task>_rater<k>_errors.csv`` (error marks), as LASANA publishes them (section Data Records);
or the part of a long table, ``ratings.csv`` or ``errors.csv``, about one task and rater.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from scrubin.errors import RatingsError
from scrubin.ratings import cells, long_tables
from scrubin.ratings.rater_sheet import Sheet, canonical, check_task

NAME = re.compile(r"(?P<task>.+)_rater(?P<rater>[0-9]+)(?P<errors>_errors)?\.csv")
LIKE_RATER = re.compile(r"(?P<task>.*)_rater(?!_errors\.)(?P<rater>[^.]+)\.csv", re.IGNORECASE)
"""Names that are meant to be those of a sheet, whatever stands for the rater."""
PERSON = re.compile(r"[^0-9]*[^\W\d_].*")


def read_folder(folder: Path, tasks: Sequence[str]) -> list[Sheet]:
    """Return all sheets of a folder, sorted by file name; an empty folder is a study without ratings.

    Parameters
    ----------
    folder
        Holds one CSV per task and rater, or the long tables ``ratings.csv`` and ``errors.csv``,
        or both kinds.
    tasks
        The tasks of the manifest.

    Raises
    ------
    RatingsError
        For a missing folder, a CSV whose name is none of a sheet or names a rater, an unknown
        task, or text that is no CSV.
    """
    if not folder.is_dir():
        msg = f"{folder}: there is no such folder; make it, and leave it empty when nobody rated"
        raise RatingsError(msg)
    # A hidden file belongs to an editor or a file manager, not to the study.
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".csv" and not path.name.startswith("."))
    sheets: list[Sheet] = []
    for path in files:
        sheets += long_tables.read(path, tasks) if path.name in long_tables.NAMES else [read_sheet(path, tasks)]
    return sheets


def read_sheet(path: Path, tasks: Sequence[str]) -> Sheet:
    """Return one sheet of one rater.

    Raises
    ------
    RatingsError
        For a name that is none of a sheet or names a rater, an unknown task, or text that is
        no CSV with semicolons.
    """
    match = NAME.fullmatch(path.name)
    if match is None and LIKE_RATER.fullmatch(path.name):
        msg = f"{path}: {misnamed(path.name)}"
        raise RatingsError(msg)
    if match is None:
        msg = (
            f"{path}: expected a name such as PegTransfer_rater1.csv or PegTransfer_rater1_errors.csv, "
            "or ratings.csv or errors.csv for one long table; rename or remove the file"
        )
        raise RatingsError(msg)
    check_task(str(path), match["task"], tasks)
    columns, rows = cells.parse(str(path), cells.read_text(path), ";")
    return Sheet(str(path), match["task"], canonical(match["rater"]), match["errors"] is not None, columns, rows)


def misnamed(name: str) -> str:
    """Return what is wrong with a file name of the pattern ``LIKE_RATER`` that is none of a sheet.

    >>> misnamed("Knot_rater1 (1).csv")
    "after '_rater' stands '1 (1)', no number; number the raters, as in PegTransfer_rater1.csv, and rename or remove the file"
    """
    match = LIKE_RATER.fullmatch(name)
    rater = "" if match is None else match["rater"]
    if PERSON.fullmatch(re.sub(r"(?i)_errors$", "", rater)):
        return "the name of a rater would be published; number the raters, as in PegTransfer_rater1.csv, and rename the file"
    if rater.isdigit():
        return "expected a name such as PegTransfer_rater1.csv: the task, '_rater' and '.csv' in small letters; rename or remove the file"
    mend = "number the raters, as in PegTransfer_rater1.csv, and rename or remove the file"
    return f"after '_rater' stands '{cells.cut(rater)}', no number; {mend}"
