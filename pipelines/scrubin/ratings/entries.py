"""Sheets to tables: every row checked against the scale, the aspects and the recordings."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from scrubin.errors import RatingsError
from scrubin.ratings import cells, points
from scrubin.ratings.cells import Row, cut
from scrubin.ratings.params import TOTAL, ScoresParams
from scrubin.ratings.rater_sheet import Sheet, canonical, check_columns
from scrubin.ratings.roster import Known, Roster
from scrubin.tables.io import frame_of
from scrubin.tables.ratings import RATINGS

MARKS = {"true": True, "false": False}
MARK_COLUMNS = ["id", "task", "rater", "error", "marked"]
Places = dict[tuple[bool, str, str, str], str]
"""Where a rater's scores (False) or error marks (True) of a recording stand, by task, rater and recording."""


@dataclass(frozen=True)
class Entries:
    """What the sheets say about released recordings.

    Parameters
    ----------
    ratings
        The table ``ratings``.
    marks
        One row per recording, rater and error: id, task, rater, error, marked (bool).
    left_out
        Number of rows about recordings that are not released, per kind of sheet; one per
        recording and rater.
    """

    ratings: pd.DataFrame
    marks: pd.DataFrame
    left_out: dict[str, int]


def read_entries(sheets: Sequence[Sheet], roster: Roster, p: ScoresParams) -> Entries:
    """Return the checked content of all sheets, independent of the order of sheets and rows.

    Raises
    ------
    RatingsError
        Names file, row and value of the first row that breaks a rule; for a recording that a
        rater rated twice, in the same sheet or in two, both places; for two sheets of one rater
        and task, both.
    """
    ratings: list[dict[str, Any]] = []
    marks: list[dict[str, Any]] = []
    left_out = {"scores": 0, "errors": 0}
    places: Places = {}
    for sheet in sheets:
        read = _marks if sheet.marks_errors else _scores
        for known, rows in read(sheet, roster, p, places):
            if known.id is None:
                left_out["errors" if sheet.marks_errors else "scores"] += 1
            else:
                (marks if sheet.marks_errors else ratings).extend({"id": known.id, **row} for row in rows)
    _refuse_two_sheets(sheets)
    sorted_marks = pd.DataFrame(marks, columns=MARK_COLUMNS).sort_values(["task", "id", "error", "rater"], ignore_index=True)
    return Entries(frame_of(RATINGS, ratings), sorted_marks.astype({"marked": bool}), left_out)


def _refuse_two_sheets(sheets: Sequence[Sheet]) -> None:
    """Refuse two files of what seems one rater: they may be of two, one numbered wrongly."""
    first: dict[tuple[bool, str, str], str] = {}
    for sheet in sheets:
        # A long table without rows has no rater.
        other = first.setdefault((sheet.marks_errors, sheet.task, sheet.rater), sheet.file) if sheet.rows else sheet.file
        if other != sheet.file:
            msg = f"{sheet.file}: task {sheet.task}, rater {sheet.rater} is also in {other}; join the two, or number the raters differently"
            raise RatingsError(msg)


def _scores(sheet: Sheet, roster: Roster, p: ScoresParams, places: Places) -> list[tuple[Known, list[dict[str, Any]]]]:
    mark = [p.failed_mark.column] if p.failed_mark is not None else []
    check_columns(sheet, ["id", *p.aspects, *mark], ["rater", TOTAL])
    found = []
    for row, known in _recordings(sheet, roster, places):
        rater = row.cells.get("rater", sheet.rater)
        if not rater.isascii() or not rater.isdigit() or canonical(rater) != sheet.rater:
            msg = f"{row.place}: rater is '{cut(rater)}', but the file name says '{sheet.rater}'; correct one of them"
            raise RatingsError(msg)
        given = points.read(row, p)
        common = {"task": sheet.task, "rater": sheet.rater, "failed": math.isnan(given[TOTAL])}
        found.append((known, [{**common, "aspect": aspect, "score": score} for aspect, score in given.items()]))
    return found


def _marks(sheet: Sheet, roster: Roster, p: ScoresParams, places: Places) -> list[tuple[Known, list[dict[str, Any]]]]:
    names = p.errors.get(sheet.task, ())
    if not names:
        near = difflib.get_close_matches(sheet.task, [task for task in p.errors if task != sheet.task], n=1)
        hint = f" (it has '{near[0]}')" if near else ""
        msg = f"{sheet.file}: params.yaml names no errors of {sheet.task}; add 'scores.errors.{sheet.task}'{hint} or remove the file"
        raise RatingsError(msg)
    check_columns(sheet, ["id", *names])
    found = []
    for row, known in _recordings(sheet, roster, places):
        common = {"task": sheet.task, "rater": sheet.rater}
        found.append((known, [{**common, "error": name, "marked": _mark(row, name)} for name in names]))
    return found


def _mark(row: Row, name: str) -> bool:
    if name not in row.cells:
        msg = f"{row.place}: there is no row about error '{name}' of id '{cut(row.cells['id'])}'; add it, marked True or False"
        raise RatingsError(msg)
    cell = row.cells[name]
    if cell.lower() not in MARKS:
        msg = (
            f"{row.place_of(name)}: {name} is {cut(cell)!r}; write True or False, "
            "or remove the recording when the rater did not look for its errors"
        )
        raise RatingsError(msg)
    return MARKS[cell.lower()]


def _recordings(sheet: Sheet, roster: Roster, places: Places) -> list[tuple[Row, Known]]:
    """Return each row with its recording; note its place, and refuse a recording that the rater had before."""
    found: list[tuple[Row, Known]] = []
    for row in sheet.rows:
        try:
            known = roster.find(sheet.task, row.cells["id"])
        except LookupError as error:
            msg = f"{row.place}: {error.args[0]}"
            raise RatingsError(msg) from error
        key = (sheet.marks_errors, sheet.task, sheet.rater, known.recording)
        if key in places:
            first = cells.elsewhere(row.place, places[key])
            msg = f"{row.place}: id '{cut(row.cells['id'])}' stands twice, first in {first}; remove one of the rows"
            raise RatingsError(msg)
        places[key] = row.place
        found.append((row, known))
    return found
