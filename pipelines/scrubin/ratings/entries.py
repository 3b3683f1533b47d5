"""Sheets to tables: every row checked against the scale, the aspects and the recordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from scrubin.core import faults
from scrubin.core.csvtext import meant_columns, shown
from scrubin.core.errors import RatingsError
from scrubin.core.faults import Fault, Faults
from scrubin.core.suggest import near
from scrubin.ratings import points
from scrubin.ratings.params import TOTAL, ScoresParams
from scrubin.ratings.rater_sheet import RaterSheet, Row, canonical, check_columns
from scrubin.ratings.roster import Roster, RosterEntry
from scrubin.tables.io import frame_of
from scrubin.tables.ratings import RATINGS

_MARKS = {"true": True, "false": False}
_MARK_COLUMNS = ["id", "task", "rater", "error", "marked"]
_FirstRows = dict[tuple[bool, str, str, str], Row]
"""Where a rater's scores (False) or error marks (True) of a recording first stand, by task, rater and recording."""


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
        Number of rows about recordings that are not released, of sheets of ``scores`` and of
        ``errors``; one per recording and rater.
    """

    ratings: pd.DataFrame
    marks: pd.DataFrame
    left_out: dict[str, int]
    not_rated: dict[tuple[str, str], int] = field(default_factory=dict)
    """Number of released recordings of which a rater said that nothing could be judged, by task and rater; they have no ratings."""


def read_entries(sheets: Sequence[RaterSheet], roster: Roster, p: ScoresParams) -> Entries:
    """Return the checked content of all sheets, independent of the order of sheets and rows.

    Raises
    ------
    RatingsError
        With every row that breaks a rule, by file, line and value; for a recording that a
        rater rated twice, in the same sheet or in two, both places; for two sheets of one rater
        and task, both.
    """
    ratings: list[dict[str, Any]] = []
    marks: list[dict[str, Any]] = []
    left_out = {"scores": 0, "errors": 0}
    not_rated: Counter[tuple[str, str]] = Counter()
    first: _FirstRows = {}
    wrong = Faults()
    for sheet in sheets:
        read = _marks if sheet.marks_errors else _scores
        for known, rows in read(sheet, roster, p, first, wrong):
            if known.id is None:
                left_out["errors" if sheet.marks_errors else "scores"] += 1
            elif rows or sheet.marks_errors:
                (marks if sheet.marks_errors else ratings).extend({"id": known.id, **row} for row in rows)
            else:
                not_rated[sheet.task, sheet.rater] += 1
    wrong.extend(_two_sheets(sheets))
    RatingsError.raise_any(wrong)
    sorted_marks = pd.DataFrame(marks, columns=_MARK_COLUMNS).sort_values(["task", "id", "error", "rater"], ignore_index=True)
    return Entries(frame_of(RATINGS, ratings), sorted_marks.astype({"marked": bool}), left_out, dict(not_rated))


def _two_sheets(sheets: Sequence[RaterSheet]) -> Iterator[Fault]:
    """Yield two files of what seems one rater: they may be of two, one numbered wrongly."""
    first: dict[tuple[bool, str, str], str] = {}
    for sheet in sheets:
        # A long table without rows has no rater.
        other = first.setdefault((sheet.marks_errors, sheet.task, sheet.rater), sheet.file) if sheet.rows else sheet.file
        if other != sheet.file:
            what = f"task {sheet.task}, rater {sheet.rater} is also in {other}"
            yield faults.error(sheet.file, "rater-repeated", what, "join the two, or number the raters differently")


def _scores(
    sheet: RaterSheet, roster: Roster, p: ScoresParams, first: _FirstRows, wrong: Faults
) -> Iterator[tuple[RosterEntry, list[dict[str, Any]]]]:
    mark = [p.failed_mark.column] if p.failed_mark is not None else []
    try:
        check_columns(sheet, ["id", *p.aspects, *mark], ["rater", TOTAL])
    except RatingsError as error:
        wrong.extend(error.faults)
        sheet, p = _what_can_be_read(sheet, p)
    for row in sheet.rows:
        try:
            known = _recording(row, sheet, roster, first)
            _check_rater(row, sheet)
            given = points.read(row, p)
        except RatingsError as error:
            wrong.extend(error.faults)
            continue
        common = {"task": sheet.task, "rater": sheet.rater, "failed": given.failed}
        yield known, [{**common, "aspect": aspect, "score": score} for aspect, score in given.scores.items()]


def _what_can_be_read(sheet: RaterSheet, p: ScoresParams) -> tuple[RaterSheet, ScoresParams]:
    """Return a sheet whose columns are wrong, and parameters by which its rows can be looked at all the same: nothing is lost twice."""
    required = ["id", *p.aspects, *([p.failed_mark.column] if p.failed_mark else [])]
    meant = dict(zip(sheet.columns, meant_columns(sheet.columns, required, ["rater", TOTAL]), strict=True))
    there = set(meant.values())
    aspects = tuple(name for name in p.aspects if name in there)
    if sheet.first_rows is not None or "id" not in there or not aspects:
        return replace(sheet, rows=()), p
    # Of fewer aspects there is no sum to compare with.
    unread = {TOTAL} if aspects != p.aspects else set()
    rows = tuple(
        replace(row, cells={meant[name]: cell for name, cell in row.cells.items() if meant[name] not in unread}) for row in sheet.rows
    )
    mark = p.failed_mark if p.failed_mark is not None and p.failed_mark.column in there else None
    return replace(sheet, columns=tuple(meant.values()), rows=rows), replace(p, aspects=aspects, failed_mark=mark)


def _marks(
    sheet: RaterSheet, roster: Roster, p: ScoresParams, first: _FirstRows, wrong: Faults
) -> Iterator[tuple[RosterEntry, list[dict[str, Any]]]]:
    names = p.errors.get(sheet.task, ())
    try:
        _check_declared(sheet, p)
        check_columns(sheet, ["id", *names])
    except RatingsError as error:
        wrong.extend(error.faults)
        return
    for row in sheet.rows:
        try:
            known = _recording(row, sheet, roster, first)
            marked = {name: _is_marked(row, name) for name in names}
        except RatingsError as error:
            wrong.extend(error.faults)
            continue
        common = {"task": sheet.task, "rater": sheet.rater}
        yield known, [{**common, "error": name, "marked": marked[name]} for name in names]


def _check_declared(sheet: RaterSheet, p: ScoresParams) -> None:
    if not p.errors.get(sheet.task):
        close = near(sheet.task, [task for task in p.errors if task != sheet.task])
        others = f" (it has '{close}')" if close else ""
        fix = f"add 'scores.errors.{sheet.task}'{others} or remove the file"
        raise RatingsError([faults.error(sheet.file, "errors-undeclared", f"params.yaml names no errors of {sheet.task}", fix)])


def _check_rater(row: Row, sheet: RaterSheet) -> None:
    rater = row.cells.get("rater", sheet.rater)
    if not rater.isascii() or not rater.isdigit() or canonical(rater) != sheet.rater:
        what = f"rater is '{shown(rater)}', but the file name says '{sheet.rater}'"
        raise RatingsError([row.fault("rater", what, "correct one of them")])


def _is_marked(row: Row, name: str) -> bool:
    if name not in row.cells:
        what = f"there is no row about error '{name}' of id '{shown(row.cells['id'])}'"
        raise RatingsError([row.fault("error-missing", what, "add it, marked True or False")])
    cell = row.cells[name]
    if cell.lower() not in _MARKS:
        fix = "write True or False, or remove the recording when the rater did not look for its errors"
        raise RatingsError([row.fault("error-mark", f"{name} is '{shown(cell)}'", fix, name)])
    return _MARKS[cell.lower()]


def _recording(row: Row, sheet: RaterSheet, roster: Roster, first: _FirstRows) -> RosterEntry:
    """Return the recording of a row; note the row, and refuse a recording that the rater had before."""
    name = row.cells["id"]
    try:
        known = roster.find(sheet.task, name)
    except RatingsError as error:
        raise RatingsError(replace(fault, file=row.file, place=row.place_of("id")) for fault in error.faults) from error
    other = first.setdefault((sheet.marks_errors, sheet.task, sheet.rater, known.recording), row)
    if other is not row:
        what = f"id '{shown(name)}' stands twice, first in {other.place_beside(row.file)}"
        raise RatingsError([row.fault("id-repeated", what, "remove one of the rows")])
    return known
