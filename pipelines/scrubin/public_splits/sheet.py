"""Split files of any hand: a CSV with one row per video (and fold), its columns named in many ways."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scrubin.core import csvtext, faults
from scrubin.core.errors import SplitError
from scrubin.core.faults import Fault
from scrubin.core.ordering import natural
from scrubin.public_splits.ids import whole_number

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

LineFault = tuple[int, Fault]
"""A fault of a split file, and its line; line 0 is the file as a whole."""


@dataclass(frozen=True)
class SplitRow:
    """One row: its line in the file, what is written of the video, and where it is placed.

    ``subset`` is lower case, synonyms resolved; ``fold`` and ``scheme`` are "" where there is no such column.
    """

    line: int
    video: str
    subset: str
    fold: str = ""
    scheme: str = ""
    cells: Mapping[str, str] = field(default_factory=dict, compare=False)

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
        With every fault of the file: when it is no sound CSV (`scrubin.core.csvtext`), or its columns are not understood.
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
        rows.append(SplitRow(row.line, role["video"], subset_name, fold(role.get("fold", "")), role.get("scheme", ""), row.cells))
    if "subset" not in columns:
        notes.append("there is no column for the subset: a video is taken as tested in its fold and trained on in the others")
        rows = _test_folds(rows)
    return SplitSheet(name, tuple(rows), columns, tuple(notes), cells.columns)


def read_columns(path: Path, name: str) -> csvtext.Sheet:
    """Return a CSV whose columns differ also without case, spaces and underscores.

    Raises
    ------
    SplitError
        With every fault of the file.
    """
    cells = csvtext.read_path(path, name)
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
