"""Who is in which video, and who must be in training: from a table, or from the split file itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from scrubin.core import csvtext, faults
from scrubin.core.errors import SplitError
from scrubin.core.suggest import hint
from scrubin.public_splits.sheet import ROLES, LineFault, SplitRow, SplitSheet, folded

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


def from_table(cells: csvtext.Sheet, sheet: SplitSheet, key: Callable[[str], str], group: str | None, pin: str | None) -> People:
    """Return what a table says of the videos.

    Its column of videos is the one that is called as in the split file, or else the first usual name.

    Raises
    ------
    SplitError
        When a column is missing.
    """
    names = {folded(header): header for header in cells.columns}
    options = [folded(sheet.columns["video"]), *ROLES["video"]]
    header = next((names[option] for option in options if option in names), None)
    if header is None:
        expected = " or ".join(map(repr, dict.fromkeys([sheet.columns["video"], "id"])))
        fix = f"add it; there are {', '.join(map(repr, cells.columns))}"
        raise SplitError([faults.error(cells.file, "column-missing", f"there is no column {expected} for the videos", fix)])
    rows = ((row.line, row.cells[header], key(row.cells[header]), row.cells) for row in cells.rows)
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

    def note(line: int, rule: str, what: str, fix: str) -> None:
        wrong[line, faults.error(file, rule, what, fix, place=f"line {line}")] = None

    for line, written, video, cells in rows:
        if not written:
            note(line, "video-empty", "the video is empty", "fill it in or remove the row")
            continue
        listed.setdefault(video, (line, written))
        if group is not None:
            stated = cells[group]
            if not stated:
                note(line, "group-empty", f"video '{written}' has no {group}", "fill it in")
            elif groups.setdefault(video, stated) != stated:
                what = f"video '{written}' has {group} '{stated}', but '{groups[video]}' before"
                note(line, "group-contradicts", what, "correct one")
        if pin is not None:
            mark = cells[pin].casefold()
            if mark not in _YES + _NO:
                note(line, "pin-value", f"'{cells[pin]}' in '{pin}' of video '{written}' is neither true nor false", "correct it")
            elif pins.setdefault(video, mark in _YES) != (mark in _YES):
                note(line, "pin-contradicts", f"video '{written}' is both true and false in '{pin}'", "correct one")
    return People(table, group, pin, listed, groups, frozenset(video for video, is_pinned in pins.items() if is_pinned), tuple(wrong))
