"""One rater's scores of one recording: on the scale, complete, and adding up; or failed; or, in whole or in part, not rated."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from scrubin.core.csvtext import is_missing, shown
from scrubin.core.errors import RatingsError
from scrubin.core.suggest import near
from scrubin.ratings.params import NOT_FAILED, TOTAL, FailedMark, ScoresParams
from scrubin.ratings.rater_sheet import Row

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


def read(row: Row, p: ScoresParams) -> Given:
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


def is_left_empty(row: Row, p: ScoresParams) -> bool:
    """Return whether a row counts as failed only because nothing was entered."""
    cells = [row.cells[name] for name in (*p.aspects, TOTAL) if name in row.cells]
    return p.failed_mark is None and bool(cells) and all(map(is_missing, cells))


def is_marked(row: Row, mark: FailedMark) -> bool:
    """Return whether the mark of a row says failed; what it says else is looked at when the row is read."""
    return row.cells.get(mark.column, "").lower() == mark.value.lower()


def _refuse_total(row: Row, missing: Sequence[str], unrated: Sequence[str]) -> None:
    if TOTAL in row.cells and TOTAL not in (*missing, *unrated):
        what = f"{TOTAL} is {shown(row.cells[TOTAL])}, but {unrated[0]} is '{shown(row.cells[unrated[0]])}': there is no sum"
        raise RatingsError([row.fault("score-sum", what, f"leave {TOTAL} empty, or fill in all aspects", TOTAL)])


def _is_marked(row: Row, mark: FailedMark) -> bool:
    cell = row.cells[mark.column].lower()
    if cell == mark.value.lower():
        return True
    if cell in NOT_FAILED:
        return False
    fix = f"did you mean '{mark.value}'?" if near(cell, [mark.value]) else f"write '{mark.value}', or nothing"
    what = f"{mark.column} is '{shown(row.cells[mark.column])}', neither '{mark.value}' for failed nor False, No, 0 or empty"
    raise RatingsError([row.fault("failed-mark", what, fix)])


def _refuse_missing(row: Row, missing: Sequence[str], some_scored: bool, p: ScoresParams) -> None:
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


def _check_unscored(row: Row, scored: Sequence[str], mark: FailedMark) -> None:
    if scored:
        scores = ", ".join(f"{name} {shown(row.cells[name])}" for name in scored)
        what = f"{scores} given although {mark.column} is '{row.cells[mark.column]}'"
        raise RatingsError([row.fault("failed-scored", what, "remove the scores, or the mark for failed", scored[0])])


def _check_complete(row: Row, absent: Sequence[str]) -> None:
    if absent:
        what = f"there is no row about {', '.join(absent)} of id '{shown(row.cells['id'])}'"
        raise RatingsError([row.fault("aspect-missing", what, "add it, with an empty score if failed")])


def _steps(row: Row, name: str, p: ScoresParams) -> int:
    """Return how many whole steps above the lowest point of the scale a score is.

    A score that misses a point by rounding only, such as 3.0000000001, is that point.
    """
    value = _number(row, name)
    steps = (value - p.lowest) / p.step
    if not p.lowest <= value <= p.highest or abs(steps - round(steps)) > _ROUNDING:
        scale = f"the scale from {p.lowest:g} to {p.highest:g} in steps of {p.step:g}"
        raise RatingsError([row.fault("score-scale", f"{name} is {shown(row.cells[name])}, not on {scale}", "correct the score", name)])
    return round(steps)


def _number(row: Row, name: str) -> float:
    cell = row.cells[name]
    if not _NUMBER.fullmatch(cell):
        fix = "write it with a decimal point, or leave all scores empty for failed"
        raise RatingsError([row.fault("score-number", f"{name} is '{shown(cell)}', not a number", fix, name)])
    if len(cell) > _LONGEST:
        raise RatingsError([row.fault("score-number", f"{name} has {len(cell)} digits", "write the score with a decimal point", name)])
    return float(cell)
