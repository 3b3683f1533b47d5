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
from scrubin.scores import cells, long_tables
from scrubin.scores.sheet import Sheet, canonical, check_task

NAME = re.compile(r"(?P<task>.+)_rater(?P<rater>[0-9]+)(?P<errors>_errors)?\.csv")
NAMED_RATER = re.compile(r".+_rater(?!_errors\.)[^.]+\.csv")


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
    if match is None and NAMED_RATER.fullmatch(path.name):
        msg = f"{path}: the name of a rater would be published; number the raters, as in PegTransfer_rater1.csv, and rename the file"
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
