"""Sheets to tables: every row checked against the scale, the aspects, the recordings."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from scrubin.base import faults
from scrubin.base.errors import RatingsError
from scrubin.base.faults import Fault, Faults, near
from scrubin.base.tables.io import frame_of
from scrubin.base.tables.public import RATINGS
from scrubin.base.text.csv_text import is_missing, meant_columns, shown
from scrubin.ratings import NOT_FAILED, TOTAL, FailedMark, ScoresParams
from scrubin.ratings.rater_sheet import RaterSheet, RatingRow, Roster, RosterEntry, canonical, check_columns

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_LONGEST = 40  # digits of a score
_ROUNDING = 1e-9  # sums of decimal points such as 2.1 + 3.3 are not exact


@dataclass(frozen=True)
class Given:
    """What a rater said of a recording.

    Parameters
    ----------
    scores
        By aspect and for their sum, in points. NaN: all of a failed recording; an aspect that was not rated, and then the sum.
        Empty when nothing was rated: that says as much as no row.
    failed
        Whether the rater marked the recording as failed.
    """

    scores: dict[str, float]
    failed: bool


def read(row: RatingRow, p: ScoresParams) -> Given:
    """Return what a row says.

    Raises
    ------
    RatingsError
        For a score that is no number or not on the scale, missing beside others, or beside a
        mark as failed, and for a total that is not the sum.
    """
    names = [name for name in (*p.aspects, TOTAL) if name in row.cells]
    unrated = [name for name in names if p.is_not_rated(row.cells[name])]
    missing = [name for name in names if is_missing(row.cells[name])]
    failed = len(missing) == len(names) if p.failed_mark is None else _is_marked(row, p.failed_mark)
    if failed and p.failed_mark is not None:
        _check_unscored(row, [name for name in names if name not in (*missing, *unrated)], p.failed_mark)
    else:
        # In a long table with a row per aspect, a row may be missing, too.
        _check_complete(row, [name for name in p.aspects if name not in row.cells])
    if failed:
        return Given(dict.fromkeys((TOTAL, *p.aspects), math.nan), failed=True)
    some_unrated = any(name in p.aspects for name in unrated)
    _refuse_words(row, [name for name in names if name not in (*missing, *unrated)], p)
    if missing and not (some_unrated and missing == [TOTAL]):
        _refuse_missing(row, missing, len(missing) < len(names), p)
    steps = {name: _steps(row, name, p) for name in p.aspects if name not in unrated}
    scores = {name: p.point(1, steps[name]) if name in steps else math.nan for name in p.aspects}
    if some_unrated:
        # A sum over fewer aspects would be another quantity.
        _refuse_total(row, missing, unrated)
        return Given({TOTAL: math.nan, **scores} if steps else {}, failed=False)
    total = p.point(len(steps), sum(steps.values()))
    if TOTAL in row.cells and abs(_number(row, TOTAL) - total) > _ROUNDING:
        what = f"{TOTAL} is {shown(row.cells[TOTAL])}, but the aspects add up to {total:g}"
        raise RatingsError([row.fault("score-sum", what, "correct the wrong score", TOTAL)])
    return Given({TOTAL: total, **scores}, failed=False)


def is_left_empty(row: RatingRow, p: ScoresParams) -> bool:
    """Return whether a row counts as failed only because nothing was entered."""
    cells = [row.cells[name] for name in (*p.aspects, TOTAL) if name in row.cells]
    return p.failed_mark is None and bool(cells) and all(map(is_missing, cells))


def is_marked(row: RatingRow, mark: FailedMark) -> bool:
    """Return whether the mark of a row says failed; what it says else is looked at when the row is read."""
    return row.cells.get(mark.column, "").lower() == mark.value.lower()


def _refuse_words(row: RatingRow, names: Sequence[str], p: ScoresParams) -> None:
    """Refuse scores that are no numbers, all of a row at once: a word such as ``failed`` mostly stands in every aspect."""
    words = [name for name in names if not _NUMBER.fullmatch(row.cells[name])]
    if not words:
        return
    if len({row.cells[name] for name in words}) == 1:
        cell = shown(row.cells[words[0]])
        what = f"{words[0]} is '{cell}', not a number" if len(words) == 1 else f"{', '.join(words)} are '{cell}', not numbers"
    else:
        what = ", ".join(f"{name} is '{shown(row.cells[name])}'" for name in words) + ": not numbers"
    ways = ["write numbers with the decimal sign of the other scores"]
    ways += [f"'{p.not_rated}' where the rater could not judge"] if p.not_rated is not None else []
    if p.failed_mark is not None:
        ways.append(f"or for failed '{p.failed_mark.value}' into {p.failed_mark.column} and no score")
    else:
        ways.append("or for failed no score at all; a column of its own can say it, too (scores.failed_mark in params.yaml)")
    raise RatingsError([row.fault("score-number", what, ", ".join(ways), words[0])])


def _refuse_total(row: RatingRow, missing: Sequence[str], unrated: Sequence[str]) -> None:
    if TOTAL in row.cells and TOTAL not in (*missing, *unrated):
        what = f"{TOTAL} is {shown(row.cells[TOTAL])}, but {unrated[0]} is '{shown(row.cells[unrated[0]])}': there is no sum"
        raise RatingsError([row.fault("score-sum", what, f"leave {TOTAL} empty, or fill in all aspects", TOTAL)])


def _is_marked(row: RatingRow, mark: FailedMark) -> bool:
    cell = row.cells[mark.column].lower()
    if cell == mark.value.lower():
        return True
    if cell in NOT_FAILED:
        return False
    fix = f"did you mean '{mark.value}'?" if near(cell, [mark.value]) else f"write '{mark.value}', or nothing"
    what = f"{mark.column} is '{shown(row.cells[mark.column])}', neither '{mark.value}' for failed nor False, No, 0 or empty"
    raise RatingsError([row.fault("failed-mark", what, fix)])


def _refuse_missing(row: RatingRow, missing: Sequence[str], some_scored: bool, p: ScoresParams) -> None:
    mark = p.failed_mark
    beside = "beside given scores" if some_scored else "without the mark for failed"
    otherwise = "none to mark the recording as failed"
    if mark is not None:
        otherwise = f"write '{mark.value}' into {mark.column} when the recording is failed"
    if p.not_rated is not None:
        otherwise += f", or '{p.not_rated}' where the rater could not judge"
    first = row.cells[missing[0]]
    what = f"{missing[0]} is '{shown(first)}', not a number," if first else f"{', '.join(missing)} empty"
    raise RatingsError([row.fault("score-missing", f"{what} {beside}", f"fill in all, or {otherwise}", missing[0])])


def _check_unscored(row: RatingRow, scored: Sequence[str], mark: FailedMark) -> None:
    if scored:
        scores = ", ".join(f"{name} {shown(row.cells[name])}" for name in scored)
        what = f"{scores} given although {mark.column} is '{row.cells[mark.column]}'"
        raise RatingsError([row.fault("failed-scored", what, "remove the scores, or the mark for failed", scored[0])])


def _check_complete(row: RatingRow, absent: Sequence[str]) -> None:
    if absent:
        what = f"there is no row about {', '.join(absent)} of id '{shown(row.cells['id'])}'"
        raise RatingsError([row.fault("aspect-missing", what, "add it, with an empty score if failed")])


def _steps(row: RatingRow, name: str, p: ScoresParams) -> int:
    """Return how many whole steps above the lowest point of the scale a score is.

    A score that misses a point by rounding only, such as 3.0000000001, is that point.
    """
    value = _number(row, name)
    steps = (value - p.lowest) / p.step
    if not p.lowest <= value <= p.highest or abs(steps - round(steps)) > _ROUNDING:
        scale = f"the scale from {p.lowest:g} to {p.highest:g} in steps of {p.step:g}"
        raise RatingsError([row.fault("score-scale", f"{name} is {shown(row.cells[name])}, not on {scale}", "correct the score", name)])
    return round(steps)


def _number(row: RatingRow, name: str) -> float:
    cell = row.cells[name]
    if len(cell) > _LONGEST:
        raise RatingsError([row.fault("score-number", f"{name} has {len(cell)} digits", "write the score with a decimal point", name)])
    return float(cell)


_MARKS = {"true": True, "false": False}
_MARK_COLUMNS = ["id", "task", "rater", "error", "marked"]
_FirstRows = dict[tuple[bool, str, str, str], RatingRow]
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
            given = read(row, p)
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
            marked = {name: _has_mark(row, name) for name in names}
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


def _check_rater(row: RatingRow, sheet: RaterSheet) -> None:
    rater = row.cells.get("rater", sheet.rater)
    if not rater.isascii() or not rater.isdigit() or canonical(rater) != sheet.rater:
        what = f"rater is '{shown(rater)}', but the file name says '{sheet.rater}'"
        raise RatingsError([row.fault("rater", what, "correct one of them")])


def _has_mark(row: RatingRow, name: str) -> bool:
    if name not in row.cells:
        what = f"there is no row about error '{name}' of id '{shown(row.cells['id'])}'"
        raise RatingsError([row.fault("error-missing", what, "add it, marked True or False")])
    cell = row.cells[name]
    if cell.lower() not in _MARKS:
        fix = "write True or False, or remove the recording when the rater did not look for its errors"
        raise RatingsError([row.fault("error-mark", f"{name} is '{shown(cell)}'", fix, name)])
    return _MARKS[cell.lower()]


def _recording(row: RatingRow, sheet: RaterSheet, roster: Roster, first: _FirstRows) -> RosterEntry:
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
