"""One rater's sheet for one task, and what its columns must be."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scrubin.errors import RatingsError
from scrubin.ratings.cells import Row, cut

UNFIT = re.compile(r'[/\\:*?"<>|\x00-\x1f]')
TAKEN = re.compile(r"(?i).*_(split|errors|agreement|rater[0-9]+)|differences|harmonised|contradictions|statistics|ratings|errors")
"""Names of files that are written beside those of tasks."""
LONGEST_TASK = 200  # bytes; names of files have 255


@dataclass(frozen=True)
class Sheet:
    """One rater's sheet for one task.

    Parameters
    ----------
    file
        Where it was read.
    task, rater
        Whose scores of what; the rater is a number without leading zeros.
    marks_errors
        Whether it holds error marks instead of scores.
    columns, rows
        Column names, and the cells by them.
    molten
        In a long table with one aspect or error per row: by each aspect or error the place where
        it first stands. None in any other sheet.
    """

    file: str
    task: str
    rater: str
    marks_errors: bool
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    molten: Mapping[str, str] | None = None


def canonical(rater: str) -> str:
    """Return a rater's number without leading zeros, so that nobody is two raters.

    >>> canonical("03"), canonical("00")
    ('3', '0')
    """
    return rater.lstrip("0") or "0"


def refuse_task(place: str, task: str) -> None:
    """Refuse a name of a task of which no file name can be made, or one that is another file's.

    Raises
    ------
    RatingsError
        Names the place.
    """
    if not task or UNFIT.search(task) or task.startswith(".") or TAKEN.fullmatch(task) or len(task.encode()) > LONGEST_TASK:
        msg = f"{place}: task '{cut(task)}' cannot be part of a file name, or is the name of another file of ours; rename the task"
        raise RatingsError(msg)


def check_task(place: str, task: str, tasks: Sequence[str]) -> None:
    """Refuse a task of which the manifest has no recording, or that makes no name of a file."""
    if task not in tasks:
        near = difflib.get_close_matches(task, tasks, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(tasks) or 'none'}"
        msg = f"{place}: the manifest has no recording of task '{cut(task)}'; {hint}"
        raise RatingsError(msg)
    refuse_task(place, task)


def check_columns(sheet: Sheet, required: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Refuse a sheet whose columns are not the expected ones, in any order.

    Of a molten sheet only what is unknown is refused: its rows may lack different aspects.
    """
    known = (*required, *optional)
    kind = "error" if sheet.marks_errors else "aspect"
    for column in sheet.columns:
        if column not in known:
            near = difflib.get_close_matches(column, known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"expected {', '.join(known)}"
            place = (sheet.molten or {}).get(column)
            what = f"{place}: {kind} '{cut(column)}'" if place else f"{sheet.file}, row 1: column '{cut(column)}'"
            msg = f"{what} is unknown; {hint}"
            raise RatingsError(msg)
    missing = [column for column in required if column not in sheet.columns]
    if missing and sheet.molten is None:
        msg = f"{sheet.file}, row 1: column '{missing[0]}' is missing; the sheet has {', '.join(map(cut, sheet.columns))}"
        raise RatingsError(msg)
