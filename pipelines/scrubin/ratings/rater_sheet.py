"""One rater's sheet for one task: its rows with their lines, the released recordings that they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from scrubin.base import faults
from scrubin.base.errors import RatingsError
from scrubin.base.faults import Fault, hint, meant
from scrubin.base.text import csv_text
from scrubin.base.text.csv_text import shown

_UNFIT = re.compile(r'[/\\:*?"<>|\x00-\x1f]')
_TAKEN = re.compile(r"(?i).*_(split|errors|agreement|rater[0-9]+)|differences|harmonised|contradictions|statistics|ratings|errors")
"""Names of files that are written beside those of tasks."""
TEXTS = ("id", "task", "rater", "aspect", "error")
"""Columns that hold no numbers."""
_LONGEST_TASK = 200  # bytes; names of files have 255


@dataclass(frozen=True)
class RatingRow:
    """One row of a sheet.

    Parameters
    ----------
    file, line
        Where it begins.
    cells
        Text by column, without surrounding blanks.
    lines
        Where a cell stands that does not stand in ``line``.
    """

    file: str
    line: int
    cells: Mapping[str, str]
    lines: Mapping[str, int] = field(default_factory=dict)

    def place_of(self, column: str) -> str:
        """Return where the cell of a column stands in the file."""
        return f"line {self.lines.get(column, self.line)}"

    @property
    def where(self) -> str:
        """File and line, as a report names them."""
        return f"{self.file}, line {self.line}"

    def place_beside(self, file: str) -> str:
        """Return where the row stands, for a message about a row of a file: the same file is not named again."""
        return f"line {self.line}" if self.file == file else self.where

    def fault(self, rule: str, what: str, fix: str, column: str = "") -> Fault:
        """Return a fault of this row, or of the cell of a column."""
        return faults.error(self.file, rule, what, fix, place=self.place_of(column))


@dataclass(frozen=True)
class RaterSheet:
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
    header_line
        Where the column names stand.
    first_rows
        In a long table with one aspect or error per row: by each aspect or error the row in which
        it first stands. None in any other sheet.
    """

    file: str
    task: str
    rater: str
    marks_errors: bool
    columns: tuple[str, ...]
    rows: tuple[RatingRow, ...]
    header_line: int = 1
    first_rows: Mapping[str, RatingRow] | None = None


def read_cells(path: Path, file: str) -> csv_text.Sheet:
    """Return the cells of a sheet, its numbers with decimal points; what can be read in two ways is a fault of the file."""
    sheet = csv_text.read_path(path, file)
    if sheet.columns and "id" not in sheet.columns and (above := csv_text.above_header(file, csv_text.data_of(path, file)[0], ("id",))):
        return replace(sheet, rows=(), misfits=(), file_faults=above)
    sheet, unclear = csv_text.with_points(sheet, [name for name in sheet.columns if name not in TEXTS])
    return replace(sheet, file_faults=(*sheet.file_faults, *unclear))


def canonical(rater: str) -> str:
    """Return a rater's number without leading zeros, so that nobody is two raters.

    >>> canonical("03"), canonical("00")
    ('3', '0')
    """
    return rater.lstrip("0") or "0"


def refuse_task(file: str, task: str, place: str = "") -> None:
    """Refuse a name of a task of which no file name can be made, or one that is another file's.

    Raises
    ------
    RatingsError
        Names file and place.
    """
    if not task or _UNFIT.search(task) or task.startswith(".") or _TAKEN.fullmatch(task) or len(task.encode()) > _LONGEST_TASK:
        what = f"task '{shown(task)}' cannot be part of a file name, or is the name of another file of ours"
        raise RatingsError([faults.error(file, "task-name", what, "rename the task", place=place)])


def check_task(file: str, task: str, tasks: Sequence[str], place: str = "") -> None:
    """Refuse a task of which the manifest has no recording, or that makes no name of a file."""
    if task not in tasks:
        what = f"the manifest has no recording of task '{shown(task)}'"
        raise RatingsError([faults.error(file, "task-unknown", what, hint(task, tasks or ["none"]), place=place)])
    refuse_task(file, task, place)


def check_columns(sheet: RaterSheet, required: Sequence[str], optional: Iterable[str] = ()) -> None:
    """Refuse a sheet whose columns are not the expected ones, in any order.

    Of a long table with a row per aspect only what is unknown is refused: its rows may lack different aspects.

    Raises
    ------
    RatingsError
        With every column that is unknown or missing.
    """
    known, place = (*required, *optional), f"line {sheet.header_line}"
    entries = sheet.first_rows or {}
    wrong = csv_text.unknown_columns(sheet.file, place, [column for column in sheet.columns if column not in entries], known)
    if sheet.first_rows is None:
        wrong += csv_text.missing_columns(sheet.file, place, sheet.columns, required)
    name = "error" if sheet.marks_errors else "aspect"
    wrong += [
        row.fault(f"{name}-unknown", f"{name} '{shown(entry)}' is unknown", hint(entry, known))
        for entry, row in entries.items()
        if entry not in known
    ]
    RatingsError.raise_any(wrong)


@dataclass(frozen=True)
class RosterEntry:
    """A recording of the manifest; ``id`` is None when it is not released."""

    recording: str
    task: str
    id: str | None


@dataclass(frozen=True)
class Roster:
    """All recordings of the study by each of their names: the curator's and the released id."""

    by_name: Mapping[str, tuple[RosterEntry, ...]]
    tasks: tuple[str, ...]
    released: pd.DataFrame
    """One row per released recording, sorted: task, id, duration_s, frame_count."""
    set_aside: frozenset[str] = frozenset()
    """Recordings whose rows in the manifest cannot be used, so that their task may be unknown."""

    def find(self, task: str, name: str) -> RosterEntry:
        """Return the recording of a task that a rater calls ``name``.

        Raises
        ------
        RatingsError
            When there is none, when it belongs to another task, or when the name of one
            recording is the released id of another.
        """
        named = self.by_name.get(name, ())
        if not named and name in self.set_aside:
            return RosterEntry(name, task, None)
        if not named:
            fix = meant(name, self.by_name, "correct the id, or remove the row")
            raise RatingsError([_fault("id-unknown", f"id '{shown(name)}' is neither a recording of the manifest nor a released id", fix)])
        if len(named) > 1:
            what = f"id '{shown(name)}' is the name of one recording and the released id of another"
            raise RatingsError([_fault("id-ambiguous", what, "use the released ids in this sheet")])
        if named[0].task != task:
            what = f"id '{shown(name)}' is a recording of {named[0].task}, not of {task}"
            raise RatingsError([_fault("id-task", what, "move the row to the sheet of its task")])
        return named[0]


def roster_of(recordings: pd.DataFrame, linkage: pd.DataFrame, videos: pd.DataFrame, set_aside: Iterable[str] = ()) -> Roster:
    """Return the roster of a study from its tables ``recordings``, ``linkage`` and ``videos``, and the names set aside by ingest."""
    id_of = dict(zip(linkage.recording, linkage.id, strict=True))
    released = set(videos.id)
    names: dict[str, set[RosterEntry]] = {}
    for recording, task in recordings.drop_duplicates("recording").set_index("recording").task.items():
        id_ = id_of.get(recording)
        entry = RosterEntry(str(recording), task, id_ if id_ in released else None)
        for name in {str(recording), id_} - {None}:
            names.setdefault(str(name), set()).add(entry)
    by_name = {name: tuple(sorted(named, key=lambda entry: entry.recording)) for name, named in sorted(names.items())}
    return Roster(by_name, tuple(sorted(set(recordings.task))), released_recordings(videos), frozenset(set_aside))


def released_recordings(videos: pd.DataFrame) -> pd.DataFrame:
    """Return one row per released recording: task, id, duration_s, frame_count, sorted by task and id.

    The cameras of a recording are cut at the same instants; the first by name speaks for all.
    """
    first = videos.sort_values(["task", "id", "camera"]).drop_duplicates(["task", "id"])
    return first[["task", "id", "duration_s", "frame_count"]].reset_index(drop=True)


def _fault(rule: str, what: str, fix: str) -> Fault:
    """Return a fault without file and place, which are the caller's to know."""
    return faults.error("", rule, what, fix)
