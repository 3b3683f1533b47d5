"""One rater's scores of one recording: on the scale, complete, and adding up; or failed."""

from __future__ import annotations

import difflib
import math
import re

from scrubin.errors import RatingsError
from scrubin.ratings.cells import Row, cut
from scrubin.ratings.params import NOT_FAILED, TOTAL, FailedMark, ScoresParams

NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
MISSING = frozenset({"", "nan", "na", "n/a", "<na>", "none", "null"})  # as pandas, R and spreadsheets write it, in any case
LONGEST = 40  # digits of a score
ROUNDING = 1e-9  # sums of decimal points such as 2.1 + 3.3 are not exact


def read(row: Row, p: ScoresParams) -> dict[str, float]:
    """Return the score of each aspect and their sum, in points; NaN throughout when marked as failed.

    Raises
    ------
    RatingsError
        For a score that is no number or not on the scale, missing beside given ones, or beside a
        mark as failed, and for a total that is not the sum.
    """
    names = [name for name in (*p.aspects, TOTAL) if name in row.cells]
    empty = [name for name in names if row.cells[name].lower() in MISSING]
    failed = len(empty) == len(names) if p.failed_mark is None else _marked(row, p.failed_mark)
    if failed and p.failed_mark is not None:
        _check_unscored(row, [name for name in names if name not in empty], p.failed_mark)
    else:
        # In a long table with a row per aspect, a row may be missing, too.
        _check_complete(row, [name for name in p.aspects if name not in row.cells])
    if failed:
        return dict.fromkeys((TOTAL, *p.aspects), math.nan)
    if empty:
        beside = "beside given scores" if len(empty) < len(names) else "without the mark for failed"
        mend = "fill in all, or none to mark the recording as failed" if p.failed_mark is None else f"fill in all, or {_how(p.failed_mark)}"
        spelled = f"{empty[0]} is '{cut(row.cells[empty[0]])}', not a number," if row.cells[empty[0]] else f"{', '.join(empty)} empty"
        msg = f"{row.place_of(empty[0])}: {spelled} {beside}; {mend}"
        raise RatingsError(msg)
    steps = {name: _steps(row, name, p) for name in p.aspects}
    scores = {name: p.point(1, count) for name, count in steps.items()}
    total = p.point(len(steps), sum(steps.values()))
    if TOTAL in row.cells and abs(_number(row, TOTAL) - total) > ROUNDING:
        msg = f"{row.place_of(TOTAL)}: {TOTAL} is {cut(row.cells[TOTAL])}, but the aspects add up to {total:g}; correct the wrong score"
        raise RatingsError(msg)
    return {TOTAL: total, **scores}


def _marked(row: Row, mark: FailedMark) -> bool:
    cell = row.cells[mark.column].lower()
    if cell == mark.value.lower():
        return True
    if cell in NOT_FAILED:
        return False
    near = f"; did you mean '{mark.value}'?" if difflib.get_close_matches(cell, [mark.value.lower()], n=1) else ""
    msg = (
        f"{row.place}: {mark.column} is '{cut(row.cells[mark.column])}', neither '{mark.value}' for failed nor False, No, 0 or empty{near}"
    )
    raise RatingsError(msg)


def _how(mark: FailedMark) -> str:
    return f"write '{mark.value}' into {mark.column} when the recording is failed"


def _check_unscored(row: Row, scored: list[str], mark: FailedMark) -> None:
    if scored:
        given = ", ".join(f"{name} {cut(row.cells[name])}" for name in scored)
        msg = (
            f"{row.place_of(scored[0])}: {given} given although {mark.column} is '{row.cells[mark.column]}'; "
            "remove the scores, or the mark for failed"
        )
        raise RatingsError(msg)


def _check_complete(row: Row, absent: list[str]) -> None:
    if absent:
        msg = (
            f"{row.place}: there is no row about {', '.join(absent)} of id '{cut(row.cells['id'])}'; add it, with an empty score if failed"
        )
        raise RatingsError(msg)


def _steps(row: Row, name: str, p: ScoresParams) -> int:
    """Return how many whole steps above the lowest point of the scale a score is.

    A score that misses a point by rounding only, such as 3.0000000001, is that point.
    """
    value = _number(row, name)
    steps = (value - p.lowest) / p.step
    if not p.lowest <= value <= p.highest or abs(steps - round(steps)) > ROUNDING:
        scale = f"the scale from {p.lowest:g} to {p.highest:g} in steps of {p.step:g}"
        msg = f"{row.place_of(name)}: {name} is {cut(row.cells[name])}, not on {scale}"
        raise RatingsError(msg)
    return round(steps)


def _number(row: Row, name: str) -> float:
    cell = row.cells[name]
    if not NUMBER.fullmatch(cell):
        mend = "write it with a decimal point, or leave all scores empty for failed"
        msg = f"{row.place_of(name)}: {name} is {cut(cell)!r}, not a number; {mend}"
        raise RatingsError(msg)
    if len(cell) > LONGEST:
        msg = f"{row.place_of(name)}: {name} has {len(cell)} digits; write the score with a decimal point"
        raise RatingsError(msg)
    return float(cell)
