"""Sheets to tables: every row checked against the scale, the aspects and the manifest."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from scrubin.errors import RatingsError
from scrubin.scores.params import TOTAL, ScoresParams
from scrubin.scores.roster import Known, Roster
from scrubin.scores.sheets import Row, Sheet, check_columns
from scrubin.tables.io import frame_of
from scrubin.tables.ratings import RATINGS

NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
MARKS = {"true": True, "false": False}
ROUNDING = 1e-9  # sums of decimal points such as 2.1 + 3.3 are not exact
MARK_COLUMNS = ["id", "task", "rater", "error", "marked"]


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
        Number of rows about recordings that are not released, per kind of sheet.
    """

    ratings: pd.DataFrame
    marks: pd.DataFrame
    left_out: dict[str, int]


def read_entries(sheets: Sequence[Sheet], roster: Roster, p: ScoresParams) -> Entries:
    """Return the checked content of all sheets, independent of the order of their rows.

    Raises
    ------
    RatingsError
        Names file, row and value of the first row that breaks a rule.
    """
    ratings: list[dict[str, Any]] = []
    marks: list[dict[str, Any]] = []
    left_out = {"scores": 0, "errors": 0}
    for sheet in sheets:
        read = _marks if sheet.marks_errors else _scores
        for known, rows in read(sheet, roster, p):
            if known.id is None:
                left_out["errors" if sheet.marks_errors else "scores"] += 1
            else:
                (marks if sheet.marks_errors else ratings).extend({"id": known.id, **row} for row in rows)
    sorted_marks = pd.DataFrame(marks, columns=MARK_COLUMNS).sort_values(["task", "id", "error", "rater"], ignore_index=True)
    return Entries(frame_of(RATINGS, ratings), sorted_marks.astype({"marked": bool}), left_out)


def _scores(sheet: Sheet, roster: Roster, p: ScoresParams) -> list[tuple[Known, list[dict[str, Any]]]]:
    check_columns(sheet, ["id", *p.aspects], ["rater", TOTAL])
    found = []
    for row, known in _recordings(sheet, roster):
        rater = row.cells.get("rater", sheet.rater)
        if rater != sheet.rater:
            msg = f"{row.place}: rater is '{rater}', but the file name says '{sheet.rater}'; correct one of them"
            raise RatingsError(msg)
        points = _points(row, p)
        common = {"task": sheet.task, "rater": sheet.rater, "failed": math.isnan(points[TOTAL])}
        found.append((known, [{**common, "aspect": aspect, "score": score} for aspect, score in points.items()]))
    return found


def _points(row: Row, p: ScoresParams) -> dict[str, float]:
    """Return the score of each aspect and their sum; NaN throughout when marked as failed."""
    given = {name: row.cells.get(name, "") for name in (*p.aspects, TOTAL)}
    empty = [name for name, cell in given.items() if not cell]
    if len(empty) == len(given):
        return dict.fromkeys((TOTAL, *p.aspects), math.nan)
    if [name for name in empty if name != TOTAL or TOTAL in row.cells]:
        msg = f"{row.place}: {', '.join(empty)} empty beside given scores; fill in all, or none to mark the recording as failed"
        raise RatingsError(msg)
    scores = {name: _point(row, name, p) for name in p.aspects}
    total = math.fsum(scores.values())
    if TOTAL in row.cells and abs(_number(row, TOTAL) - total) > ROUNDING:
        msg = f"{row.place}: {TOTAL} is {given[TOTAL]}, but the aspects add up to {total:g}; correct the wrong score"
        raise RatingsError(msg)
    return {TOTAL: total, **scores}


def _point(row: Row, name: str, p: ScoresParams) -> float:
    value = _number(row, name)
    steps = (value - p.lowest) / p.step
    if not p.lowest <= value <= p.highest or abs(steps - round(steps)) > ROUNDING:
        msg = f"{row.place}: {name} is {row.cells[name]}, not on the scale from {p.lowest:g} to {p.highest:g} in steps of {p.step:g}"
        raise RatingsError(msg)
    return value


def _number(row: Row, name: str) -> float:
    cell = row.cells[name]
    if not NUMBER.fullmatch(cell):
        msg = f"{row.place}: {name} is {cell!r}, not a number; write it with a decimal point, or leave all scores empty for failed"
        raise RatingsError(msg)
    return float(cell)


def _marks(sheet: Sheet, roster: Roster, p: ScoresParams) -> list[tuple[Known, list[dict[str, Any]]]]:
    names = p.errors.get(sheet.task, ())
    if not names:
        near = difflib.get_close_matches(sheet.task, p.errors, n=1)
        hint = f" (it has '{near[0]}')" if near else ""
        msg = f"{sheet.file}: params.yaml names no errors of {sheet.task}; add 'scores.errors.{sheet.task}'{hint} or remove the file"
        raise RatingsError(msg)
    check_columns(sheet, ["id", *names])
    found = []
    for row, known in _recordings(sheet, roster):
        common = {"task": sheet.task, "rater": sheet.rater}
        found.append((known, [{**common, "error": name, "marked": _mark(row, name)} for name in names]))
    return found


def _mark(row: Row, name: str) -> bool:
    cell = row.cells[name]
    if cell.lower() not in MARKS:
        msg = f"{row.place}: {name} is {cell!r}; write True or False, or remove the row when the rater did not look for errors"
        raise RatingsError(msg)
    return MARKS[cell.lower()]


def _recordings(sheet: Sheet, roster: Roster) -> list[tuple[Row, Known]]:
    """Return each row with its recording; each recording stands in a sheet at most once."""
    found: list[tuple[Row, Known]] = []
    place_of: dict[str, str] = {}
    for row in sheet.rows:
        try:
            known = roster.find(sheet.task, row.cells["id"])
        except LookupError as error:
            msg = f"{row.place}: {error.args[0]}"
            raise RatingsError(msg) from error
        if known.recording in place_of:
            msg = f"{row.place}: id '{row.cells['id']}' stands twice, first in {place_of[known.recording]}; remove one of the rows"
            raise RatingsError(msg)
        place_of[known.recording] = row.place.rsplit(", ", 1)[-1]
        found.append((row, known))
    return found
