"""Who is in which video, and who must be in training: from a table, or from the split file itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from scrubin.errors import SplitError
from scrubin.public_splits.datasets import nearest
from scrubin.public_splits.sheet import ROLES, Row, Sheet
from scrubin.splits.grid import Grid, folded

GROUPS = ("participant", "patient", "subject", "group")
YES = ("true", "1", "1.0", "yes", "y", "t")
NO = ("false", "0", "0.0", "no", "n", "f")


@dataclass(frozen=True)
class People:
    """What is known of the videos of a split.

    Parameters
    ----------
    table
        Name of the table; None when the split file itself tells.
    group, pin
        The columns that tell; None where there is none.
    listed
        By key: line and spelling of every video of the table.
    groups
        Group by key, where one is stated.
    pinned
        Keys of the videos that must be in train.
    faults
        Line and sentence of what is missing or contradicts itself.
    """

    table: str | None
    group: str | None
    pin: str | None
    listed: Mapping[str, tuple[int, str]]
    groups: Mapping[str, str]
    pinned: frozenset[str]
    faults: tuple[tuple[int, str], ...] = ()


def from_table(grid: Grid, sheet: Sheet, key: Callable[[str], str], group: str | None, pin: str | None) -> People:
    """Return what a table tells of the videos.

    Its column of videos is the one that is called as in the split file, or else the first usual name.

    Raises
    ------
    SplitError
        When a column is missing.
    """
    names = {folded(header): header for header in grid.headers}
    options = [folded(sheet.columns["video"]), *ROLES["video"]]
    header = next((names[option] for option in options if option in names), None)
    if header is None:
        wanted = " or ".join(map(repr, dict.fromkeys([sheet.columns["video"], "id"])))
        msg = f"{grid.name}: there is no column {wanted} for the videos; its columns are {_list(grid.headers)}"
        raise SplitError(msg)
    rows = []
    for line, cells in grid.rows:
        by_header = grid.mapping(cells)
        written = by_header[header].strip()
        rows.append((line, written, key(written), by_header))
    return _people(grid.name, f"{grid.name}, row ", _column(grid, group), _required(grid, pin), rows)


def from_sheet(sheet: Sheet, key: Callable[[Row], str], group: str | None, pin: str | None) -> People | None:
    """Return what further columns of the split file tell; None when there are none.

    Raises
    ------
    SplitError
        When a column that was asked for is missing.
    """
    grid = Grid(sheet.name, sheet.headers, ())
    found, pinned = _column(grid, group), _required(grid, pin)
    if found is None and pinned is None:
        return None
    rows = [(row.line, row.video, key(row), row.cells) for row in sheet.rows if row.video]
    return _people(None, "", found, pinned, rows)


def _column(grid: Grid, group: str | None) -> str | None:
    """Return the column of groups: the one asked for, or else one of a usual name, if any."""
    return _required(grid, group) if group else next((header for name in GROUPS if (header := grid.column(name))), None)


def _required(grid: Grid, column: str | None) -> str | None:
    if column is None:
        return None
    found = grid.column(column)
    if found is None:
        msg = f"{grid.name}: there is no column '{column}'; {nearest(column, grid.headers)}"
        raise SplitError(msg)
    return found


def _people(
    table: str | None,
    place: str,
    group: str | None,
    pin: str | None,
    rows: Iterable[tuple[int, str, str, Mapping[str, str]]],
) -> People:
    listed: dict[str, tuple[int, str]] = {}
    groups: dict[str, str] = {}
    pins: dict[str, bool] = {}
    faults: dict[tuple[int, str], None] = {}
    for line, written, video, cells in rows:
        where = f"{place}{line}: " if place else ""
        if not written:
            faults[line, f"{where}the video is empty; fill it in or remove the row"] = None
            continue
        listed.setdefault(video, (line, written))
        if group is not None:
            stated = cells[group].strip()
            if not stated:
                faults[line, f"{where}video '{written}' has no {group}; fill it in"] = None
            elif groups.setdefault(video, stated) != stated:
                faults[line, f"{where}video '{written}' has {group} '{stated}', but '{groups[video]}' before; correct one"] = None
        if pin is not None:
            mark = cells[pin].strip().casefold()
            if mark not in YES + NO:
                faults[line, f"{where}'{cells[pin]}' in '{pin}' of video '{written}' is neither true nor false; correct it"] = None
            elif pins.setdefault(video, mark in YES) != (mark in YES):
                faults[line, f"{where}video '{written}' is both true and false in '{pin}'; correct one"] = None
    return People(table, group, pin, listed, groups, frozenset(video for video, is_pinned in pins.items() if is_pinned), tuple(faults))


def _list(headers: Iterable[str]) -> str:
    return ", ".join(map(repr, headers))
