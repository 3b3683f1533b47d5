"""Split files of any hand: a CSV with one row per video (and fold), its columns named in many ways."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scrubin.errors import SplitError
from scrubin.public_splits.ids import natural, whole_number
from scrubin.splits import grid
from scrubin.splits.grid import Grid, folded

ROLES: dict[str, tuple[str, ...]] = {
    # The first name that a header has wins; the others of the row are ignored, with a note.
    "video": ("video", "videoid", "videoname", "vid", "id", "recording", "recordingid", "case"),
    "subset": ("subset", "split", "set", "partition"),
    "fold": ("fold", "foldid", "cvfold"),
    "scheme": ("scheme",),
    "dataset": ("dataset",),
}
SYNONYMS = {
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
FOLD = re.compile(r"(?:fold)?[\s_\-]*([0-9]{1,6})")
EXPECTED = "a column 'id' or 'video' and a column 'subset' or 'split'"
TEST, TRAIN = "test", "train"


@dataclass(frozen=True)
class Row:
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
class Sheet:
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
    rows: tuple[Row, ...]
    columns: Mapping[str, str]
    notes: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()

    @property
    def folds(self) -> tuple[str, ...]:
        """The labels of the folds, numbers by value; one empty label where there is no such column."""
        return tuple(sorted({row.fold for row in self.rows}, key=natural))

    @property
    def schemes(self) -> tuple[str, ...]:
        """The names of the schemes; one empty name where there is no such column."""
        return tuple(sorted({row.scheme for row in self.rows}))


def read(path: Path, name: str) -> Sheet:
    """Return a split file.

    A file with a column ``fold`` but none for the subset is understood as a list of test folds: a video
    is tested in its fold and trained on in all others; a note says so.

    Raises
    ------
    SplitError
        When the file cannot be read or its columns are not understood; names file, row and mend.
    """
    cells_of = read_grid(path, name, ("video",), ("subset", "fold"))
    columns, notes = _roles(cells_of)
    if "video" not in columns or ("subset" not in columns and "fold" not in columns):
        msg = f"{name}: expected {EXPECTED}, but its columns are {', '.join(map(repr, cells_of.headers))}; add or rename them"
        raise SplitError(msg)
    if not cells_of.rows:
        msg = f"{name}: it has a header but no rows; give one row per video"
        raise SplitError(msg)
    rows = []
    for line, cells in cells_of.rows:
        by_header = cells_of.mapping(cells)
        role = {found: by_header[header].strip() for found, header in columns.items()}
        rows.append(
            Row(line, role["video"], subset(role.get("subset", TEST)), fold(role.get("fold", "")), role.get("scheme", ""), by_header)
        )
    if "subset" not in columns:
        notes.append("there is no column for the subset: a video is taken as tested in its fold and trained on in the others")
        rows = _test_folds(rows)
    return Sheet(name, tuple(rows), columns, tuple(notes), cells_of.headers)


def read_grid(path: Path, name: str, *wanted: Sequence[str]) -> Grid:
    """Return the cells of a CSV file; the delimiter is the one with which most of the wanted roles are found.

    Raises
    ------
    SplitError
        When it is missing, empty, not text, or a row has another number of cells than the header.
    """
    return grid.read(path, name, lambda found: _found(found, wanted))


def subset(written: str) -> str:
    """Return the usual name of a subset.

    >>> subset("Validation"), subset("TEST")
    ('val', 'test')
    """
    name = written.strip().casefold()
    return SYNONYMS.get(name, name)


def fold(written: str) -> str:
    """Return the label of a fold: ``1``, ``01``, ``1.0`` and ``fold 1`` are one."""
    text = written.strip()
    found = FOLD.fullmatch(text.casefold())
    digits = found[1] if found else whole_number(text)
    return str(int(digits)) if digits and len(digits) <= 9 else text


def _found(read: Grid, wanted: Sequence[Sequence[str]]) -> int:
    present = {folded(header) for header in read.headers}
    hits = [any(present & set(ROLES[role]) for role in roles) for roles in wanted]
    return hits.count(True)


def _roles(read: Grid) -> tuple[dict[str, str], list[str]]:
    columns, notes = {}, []
    by_name = {folded(header): header for header in read.headers}
    for role, options in ROLES.items():
        found = [by_name[option] for option in options if option in by_name]
        if found:
            columns[role] = found[0]
        if len(found) > 1:
            notes.append(f"column '{found[0]}' is taken for the {role}; {', '.join(map(repr, found[1:]))} ignored")
    return columns, notes


def _test_folds(rows: Sequence[Row]) -> list[Row]:
    folds = sorted({row.fold for row in rows}, key=natural)
    return [
        Row(row.line, row.video, TEST if row.fold == number else TRAIN, number, row.scheme, row.cells) for number in folds for row in rows
    ]
