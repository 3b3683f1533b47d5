"""Split files of any hand: a CSV with one row per video, with who is in which."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scrubin.base import faults
from scrubin.base.errors import SplitError
from scrubin.base.faults import Fault, hint, natural
from scrubin.base.text import csv_text, naming
from scrubin.public_splits.datasets import whole_number

ROLES: dict[str, tuple[str, ...]] = {
    # The first name that a header has wins; the others of the row are ignored, with a note.
    "video": ("video", "videoid", "videoname", "vid", "id", "recording", "recordingid", "case"),
    "subset": ("subset", "split", "set", "partition"),
    "fold": ("fold", "foldid", "cvfold"),
    "scheme": ("scheme",),
    "dataset": ("dataset",),
}
_SYNONYMS = {
    "training": "train",
    "valid": "val",
    "validation": "val",
    "dev": "val",
    "testing": "test",
    "train+val": "trainval",
    "train_val": "trainval",
    "train-val": "trainval",
    "train/val": "trainval",
}
_FOLD = re.compile(r"(?:fold)?[\s_\-]*([0-9]{1,6})")
_EXPECTED = "a column 'id' or 'video' and a column 'subset' or 'split'"
TEST, TRAIN = "test", "train"
SUBSETS = (TRAIN, "trainval", "val", TEST)
"""The usual names of subsets, in their order."""

LineFault = tuple[int, Fault]
"""A fault of a split file, and its line; line 0 is the file as a whole."""


@dataclass(frozen=True)
class SplitRow:
    """One row: its line in the file, what is written of the video, and where it is placed.

    ``subset`` is lower case, synonyms resolved, ``written`` as it stands in the file; ``fold`` and ``scheme`` are "" where there is no
    such column.
    """

    line: int
    video: str
    subset: str
    fold: str = ""
    scheme: str = ""
    cells: Mapping[str, str] = field(default_factory=dict, compare=False)
    written: str = field(default="", compare=False)

    def gap(self, columns: Mapping[str, str]) -> str:
        """Return which of the columns that the file has is empty in this row; "" when none is."""
        values = {"video": self.video, "subset": self.subset, "fold": self.fold, "scheme": self.scheme}
        empty = [columns[role] for role, value in values.items() if role in columns and not value]
        return f"'{empty[0]}' is empty" if empty else ""


@dataclass(frozen=True)
class SplitSheet:
    """A split file.

    Parameters
    ----------
    name
        As the user calls it.
    rows
        In the order of the file.
    columns
        Header by role, as far as the file has one.
    notes
        How columns were understood where that is not obvious.
    headers
        All headers of the file.
    """

    name: str
    rows: tuple[SplitRow, ...]
    columns: Mapping[str, str]
    notes: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()

    def fault(self, rule: str, what: str, fix: str, line: int = 0) -> Fault:
        """Return a fault of a row; line 0 is the file as a whole."""
        return faults.error(self.name, rule, what, fix, place=f"line {line}" if line else "")

    def dataset(self, row: SplitRow) -> str:
        """Return what a row states as the dataset of its video, as it is written; "" where there is no such column."""
        return row.cells[self.columns["dataset"]] if "dataset" in self.columns else ""

    @property
    def folds(self) -> tuple[str, ...]:
        """The labels of the folds, numbers by value; one empty label where there is no such column."""
        return tuple(sorted({row.fold for row in self.rows}, key=natural))

    @property
    def schemes(self) -> tuple[str, ...]:
        """The names of the schemes; one empty name where there is no such column."""
        return tuple(sorted({row.scheme for row in self.rows}))


def read(path: Path, name: str) -> SplitSheet:
    """Return a split file.

    A file with a column ``fold`` but none for the subset is understood as a list of test folds: a video
    is tested in its fold and trained on in all others; a note says so.

    Raises
    ------
    SplitError
        With every fault of the file: when it is no sound CSV (`scrubin.base.text.csv_text`), or its columns are not understood.
    """
    cells = read_columns(path, name)
    columns, notes = _roles(cells.columns)
    if "video" not in columns or ("subset" not in columns and "fold" not in columns):
        what = f"expected {_EXPECTED}, but its columns are {', '.join(map(repr, cells.columns))}"
        raise SplitError([faults.error(name, "column-missing", what, "add or rename them", place=f"line {cells.header_line}")])
    if not cells.rows:
        raise SplitError([faults.error(name, "no-rows", "it has a header but no rows", "give one row per video")])
    rows = []
    for row in cells.rows:
        role = {one: row.cells[header] for one, header in columns.items()}
        subset_name = subset(role.get("subset", TEST))
        written = row.as_written(columns["subset"]) if "subset" in columns else ""
        rows.append(SplitRow(row.line, role["video"], subset_name, fold(role.get("fold", "")), role.get("scheme", ""), row.cells, written))
    if "subset" not in columns:
        notes.append("there is no column for the subset: a video is taken as tested in its fold and trained on in the others")
        rows = _test_folds(rows)
    return SplitSheet(name, tuple(rows), columns, tuple(notes), cells.columns)


def read_columns(path: Path, name: str) -> csv_text.Sheet:
    """Return a CSV whose columns differ also without case, spaces and underscores.

    Raises
    ------
    SplitError
        With every fault of the file.
    """
    cells = csv_text.read_path(path, name)
    SplitError.raise_any(cells.faults)
    by_name: dict[str, str] = {}
    for header in cells.columns:
        other = by_name.setdefault(folded(header), header)
        if other is not header:
            what = f"the columns '{other}' and '{header}' have the same name"
            raise SplitError([faults.error(name, "column-repeated", what, "rename or remove one", place=f"line {cells.header_line}")])
    return cells


def folded(header: str) -> str:
    """Return a name of a column without case, spaces, hyphens and underscores."""
    return re.sub(r"[\s_\-]+", "", header).casefold()


def subset(written: str) -> str:
    """Return the usual name of a subset.

    >>> subset("Validation"), subset("TEST")
    ('val', 'test')
    """
    name = written.strip().casefold()
    return _SYNONYMS.get(name, name)


def fold(written: str) -> str:
    """Return the label of a fold: ``1``, ``01``, ``1.0`` and ``fold 1`` are one."""
    text = written.strip()
    match = _FOLD.fullmatch(text.casefold())
    digits = match[1] if match else whole_number(text)
    return str(int(digits)) if digits and len(digits) <= 9 else text


def _roles(headers: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    columns, notes = {}, []
    by_name = {folded(header): header for header in headers}
    for role, options in ROLES.items():
        named = [by_name[option] for option in options if option in by_name]
        if named:
            columns[role] = named[0]
        if len(named) > 1:
            notes.append(f"column '{named[0]}' is taken for the {role}; {', '.join(map(repr, named[1:]))} ignored")
    return columns, notes


def _test_folds(rows: Sequence[SplitRow]) -> list[SplitRow]:
    folds = sorted({row.fold for row in rows}, key=natural)
    return [
        SplitRow(row.line, row.video, TEST if row.fold == number else TRAIN, number, row.scheme, row.cells)
        for number in folds
        for row in rows
    ]


_GROUPS = ("participant", "patient", "subject", "group")
_YES = ("true", "1", "1.0", "yes", "y", "t")
_NO = ("false", "0", "0.0", "no", "n", "f")


@dataclass(frozen=True)
class People:
    """What is known of the videos of a split.

    Parameters
    ----------
    table
        Name of the table; None when the split file itself says it.
    group, pin
        The columns that say it; None where there is none.
    listed
        By key: line and spelling of every video of the table.
    groups
        Group by key, where one is stated.
    pinned
        Keys of the videos that must be in train.
    faults
        What is missing or contradicts itself, with its line.
    """

    table: str | None
    group: str | None
    pin: str | None
    listed: Mapping[str, tuple[int, str]]
    groups: Mapping[str, str]
    pinned: frozenset[str]
    faults: tuple[LineFault, ...] = ()


def videos_of(cells: csv_text.Sheet, sheet: SplitSheet) -> list[str]:
    """Return the videos of a table, a line each.

    Its column of videos is the one that is called as in the split file, or else the first usual name.

    Raises
    ------
    SplitError
        When there is none.
    """
    names = {folded(header): header for header in cells.columns}
    options = [folded(sheet.columns["video"]), *ROLES["video"]]
    header = next((names[option] for option in options if option in names), None)
    if header is None:
        expected = " or ".join(map(repr, dict.fromkeys([sheet.columns["video"], "id"])))
        fix = f"add it; there are {', '.join(map(repr, cells.columns))}"
        raise SplitError([faults.error(cells.file, "column-missing", f"there is no column {expected} for the videos", fix)])
    return [row.cells[header] for row in cells.rows]


def from_table(cells: csv_text.Sheet, sheet: SplitSheet, key: Callable[[str], str], group: str | None, pin: str | None) -> People:
    """Return what a table says of the videos.

    Raises
    ------
    SplitError
        When a column is missing.
    """
    rows = ((row.line, video, key(video), row.cells) for row, video in zip(cells.rows, videos_of(cells, sheet), strict=True))
    columns = _group_column(cells.file, cells.columns, group), _column(cells.file, cells.columns, pin)
    return _people(cells.file, cells.file, *columns, rows)


def from_sheet(sheet: SplitSheet, key: Callable[[SplitRow], str], group: str | None, pin: str | None) -> People | None:
    """Return what further columns of the split file say; None when there are none.

    Raises
    ------
    SplitError
        When a column that was named is missing.
    """
    grouped, pinned = _group_column(sheet.name, sheet.headers, group), _column(sheet.name, sheet.headers, pin)
    if grouped is None and pinned is None:
        return None
    rows = ((row.line, row.video, key(row), row.cells) for row in sheet.rows if row.video)
    return _people(None, sheet.name, grouped, pinned, rows)


def _group_column(file: str, headers: Sequence[str], group: str | None) -> str | None:
    """Return the column of groups: the one that was named, or else one of a usual name, if any."""
    return _column(file, headers, group) if group else next((header for name in _GROUPS if (header := _like(headers, name))), None)


def _column(file: str, headers: Sequence[str], name: str | None) -> str | None:
    if name is None:
        return None
    header = _like(headers, name)
    if header is None:
        raise SplitError([faults.error(file, "column-missing", f"there is no column '{name}'", hint(name, headers))])
    return header


def _like(headers: Sequence[str], name: str) -> str | None:
    return next((header for header in headers if folded(header) == folded(name)), None)


def _people(
    table: str | None,
    file: str,
    group: str | None,
    pin: str | None,
    rows: Iterable[tuple[int, str, str, Mapping[str, str]]],
) -> People:
    listed: dict[str, tuple[int, str]] = {}
    groups: dict[str, str] = {}
    pins: dict[str, bool] = {}
    wrong: dict[LineFault, None] = {}
    first: dict[str, int] = {}

    def note(line: int, rule: str, what: str, fix: str) -> None:
        wrong[line, faults.error(file, rule, what, fix, place=f"line {line}")] = None

    for line, written, video, cells in rows:
        if not written:
            note(line, "video-empty", "the video is empty", "fill it in or remove the row")
            continue
        listed.setdefault(video, (line, written))
        if group is not None:
            stated = cells[group]
            first.setdefault(stated, line)
            if naming.nobody(stated):
                said = f": '{stated}' names nobody" if stated else ""
                note(line, "group-empty", f"video '{written}' has no {group}{said}", "fill it in")
            elif groups.setdefault(video, stated) != stated:
                what = f"video '{written}' has {group} '{stated}', but '{groups[video]}' before"
                note(line, "group-contradicts", what, "correct one")
        if pin is not None:
            mark = cells[pin].casefold()
            if mark not in _YES + _NO:
                note(line, "pin-value", f"'{cells[pin]}' in '{pin}' of video '{written}' is neither true nor false", "correct it")
            elif pins.setdefault(video, mark in _YES) != (mark in _YES):
                note(line, "pin-contradicts", f"video '{written}' is both true and false in '{pin}'", "correct one")
    for stated, (part, other) in naming.of_several([name for name in first if not naming.nobody(name)]).items():
        what = f"{group} '{csv_text.shown(stated)}' names several: '{csv_text.shown(part)}' stands in line {first[other]}, too"
        note(first[stated], "group-joined", what, naming.ONE_PERSON)
    return People(table, group, pin, listed, groups, frozenset(video for video, is_pinned in pins.items() if is_pinned), tuple(wrong))
