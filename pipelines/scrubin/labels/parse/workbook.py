"""The table of a format in an Excel workbook: the sheet that has it, its header, the rows below, and what of the others is passed over."""

from __future__ import annotations

import re
import zipfile
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scrubin.base import strangers, unpacking
from scrubin.base.errors import AnnotationError, FileError, ScrubinError
from scrubin.base.faults import Fault
from scrubin.base.text import csv_text
from scrubin.labels.parse import sheet_xml
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.sheet_xml import UNREADABLE, Cells

_NUMBER = re.compile(r"[+-]?([0-9]++[.,]?[0-9]*+|[.,][0-9]++)")
_POINTS = re.compile(
    rf"{_NUMBER.pattern}(?:\s*\(?(?:/|(?i:(?:out\s+)?of|von))\s*{_NUMBER.pattern}[^/=]*"
    r"|\s*[(\[][^()\[\]=]*[)\]]|[^0-9.,=\-\u2013][^0-9=]*)?"
)
"""A number, or one with something behind it, as in ``3/5``, ``3 of 5``, ``3 (2 errors)`` and ``3 points``; a scale is none."""
FORMULA = "formula"
STRICT = ("it is saved as Strict Open XML", "save it as Excel workbook (.xlsx)")
MOST_PARTS = 10_000
MOST_CELLS = 5_000_000  # empty ones before the last of a row count
HEADER_WITHIN = 10
"""In so many rows with a value the header is looked for, as a title or a line of groups may stand above it."""
IN_TIME = f"in one of the first {HEADER_WITHIN} rows with a value"
FEWEST_SIGNS = 3
"""So many columns of a format make a sheet look like one: a word or two, such as VIDEO and TIME, stand in anybody's table."""
Row = tuple[int, list[str]]


@dataclass(frozen=True)
class Tab:
    """One sheet of a workbook.

    Parameters
    ----------
    name
        As people see it.
    is_first
        Whether it is the first one, hidden or not.
    rows
        The header and the rows below it, with their numbers: those with a value, or a formula without one in a column that names a
        row. An empty cell is "". Whole numbers have no decimal point, as they are shown. Formulas are their stored values, and truth
        values ``TRUE`` and ``FALSE``.
    unsaid
        Why a cell is empty here that shows a value to people, by row number and column from 0: ``formula`` without a stored value, or the
        first of the cells with which it is merged, such as ``G2``.
    truths
        Which cells are truth values and no texts, by the same.
    """

    name: str
    is_first: bool
    rows: tuple[Row, ...]
    unsaid: Mapping[tuple[int, int], str]
    truths: frozenset[tuple[int, int]] = frozenset()

    def place(self, row: int) -> str:
        """Return the place of a fault in a row."""
        return f"row {row}" if self.is_first else f"sheet '{csv_text.shown(self.name)}', row {row}"


@dataclass(frozen=True)
class _Layout:
    """What `declare` says of a format."""

    columns: frozenset[str]
    keys: frozenset[str]
    items: tuple[str, ...]
    may_be_key: Callable[[str], bool]

    def signs(self, cells: Collection[str]) -> int:
        """Return how many columns of the format a row names."""
        return sum(cell in self.columns or cell.startswith(self.items) for cell in cells)

    def is_whole(self, cells: Collection[str]) -> bool:
        """Return whether a row is a whole header."""
        return self.columns.issubset(cells)

    def has_items(self, cells: Iterable[str]) -> bool:
        """Return whether any of these columns is an item."""
        return any(cell.startswith(self.items) for cell in cells)

    def is_rated(self, cells: Mapping[str, str]) -> bool:
        """Return whether these cells by column are like a row of data: named and with points, or filled in for the most part.

        A title has no points. What points mean, or how many there may be, stands in a line without names of a row.
        """
        items = {name: cell for name, cell in cells.items() if name.startswith(self.items)}
        is_named = all(cell == FORMULA or (cell and self.may_be_key(cell)) for cell in (cells.get(name, "") for name in self.keys))
        if is_named and any(cell == FORMULA or _NUMBER.fullmatch(cell) for cell in items.values()):
            return True
        others = [name for name in self.columns if not name.startswith(self.items)]
        given = [cell for cell in items.values() if cell and (cell == FORMULA or csv_text.is_missing(cell) or _POINTS.fullmatch(cell))]
        return 2 * len(list(filter(cells.get, others))) > len(others) and 2 * len(given) > len(items)


@dataclass
class _Glance:
    """What the first rows of a sheet tell, of which most are never read: their limits and faults are no faults of the workbook.

    Parameters
    ----------
    name, path, is_first
        As people see it, as the archive has it, and whether it is the first one.
    header
        Of the first rows with a value the one with the most columns of a format; empty where there is none.
    top
        Which row of the file it is, from 0; not all are numbered.
    has_more
        Whether a whole header has a row below.
    is_broken
        Whether these rows cannot be read.
    """

    name: str
    path: str
    is_first: bool
    header: Sequence[str] = ()
    top: int = 0
    has_more: bool = False
    is_broken: bool = False

    def likeness(self, layout: _Layout) -> tuple[bool, bool, int]:
        """Return whether its header is a whole one of a format, and has a row below, and how many columns it names."""
        is_whole = layout.is_whole(self.header)
        return is_whole, is_whole and self.has_more, layout.signs(self.header)


def _most_like(every: Iterable[_Glance], layout: _Layout) -> _Glance | None:
    """Return the sheet that is most like one of a format, the first of several; None if none has a cell."""
    return max((one for one in every if one.header), key=lambda one: one.likeness(layout), default=None)


@contextmanager
def _opened(file: str, data: bytes, layouts: Collection[_Layout]) -> Iterator[tuple[zipfile.ZipFile, list[str], list[_Glance]]]:
    """Yield the archive of a workbook, its shared texts and a glance at each sheet, in their order.

    Raises
    ------
    AnnotationError
        When it is no workbook, or something in the block cannot be read.
    """
    try:
        with unpacking.zipped(data, file, MOST_PARTS) as archive:
            texts = sheet_xml.shared(archive)
            every = [_Glance(name, path, is_first=not i) for i, (name, path) in enumerate(sheet_xml.listed(archive))]
            for one in every:
                _look(archive, texts, one, layouts)
            yield archive, texts, every
    except FileError as error:
        # Without a cause it is a limit.
        raise AnnotationError([_not_one(file) if error.__cause__ else Fault(file, "workbook", error.strerror, "")]) from error
    except UNREADABLE as error:
        raise AnnotationError([_not_one(file)]) from error


def chosen(where: Where, data: bytes, name: str) -> Tab | None:
    """Return the only sheet that has the columns of a format, and rows below them, else the one with most of them; None if none has a cell.

    What is on the others is named: an error where they have the columns, too, else a warning. So is what stands above the header: an error
    where it is like rows of ratings, or like a header.

    Parameters
    ----------
    name
        Of the format, one that was given to `declare`.

    Raises
    ------
    AnnotationError
        When it is no workbook, or that sheet cannot be read.
    """
    layout = _LAYOUTS[name]
    with _opened(where.file, data, [layout]) as (archive, texts, every):
        if sheet_xml.is_strict(archive):
            raise AnnotationError([Fault(where.file, "workbook", *STRICT)])
        found = _most_like(every, layout)
        broken = next((one for one in every if one.is_broken), None)
        if broken is not None and (found is None or not layout.signs(found.header)):
            raise AnnotationError([_not_one(where.file)])
        tab = None if found is None else _tab(where, archive, texts, found, layout)
    for other in every:
        at = where.at(f"sheet '{csv_text.shown(other.name)}'")
        if other is found:
            continue
        if found is not None and all(other.likeness(layout)[:2]):
            what = f"it has the columns of sheet '{csv_text.shown(found.name)}', too"
            at.error("sheets", what, "put all rows into one of them, and remove the other")
        elif other.is_broken:
            at.warning("not-kept", "it cannot be read", "put into one sheet what belongs to it")
        elif other.header:
            at.warning("not-kept", "it is not read, and has cells", "put into one sheet what belongs to it")
    return tab


def note_unsaid(where: Where, tab: Tab, row: int, header: Sequence[str], *, needed: Collection[str], useful: Collection[str] = ()) -> bool:
    """Note what of a row shows a value to people and has none in the file; return whether it is an error.

    Parameters
    ----------
    where
        The row.
    header
        The columns of the sheet.
    needed, useful
        Columns in which a merged cell is an error, and those in which it is a warning; what is in neither is not looked at.
    """
    why_of: dict[str, list[str]] = {}
    for i, name in enumerate(header):
        why = tab.unsaid.get((row, i))
        if why is not None and (name in needed or name in useful):
            why_of.setdefault(why, []).append(name)
    is_wrong = False
    for why, names in why_of.items():
        wrong = [name for name in names if why == FORMULA or name in needed]
        told, several = ", ".join(wrong or names), len(wrong or names) > 1
        if why == FORMULA:
            what = f"{told} {'are formulas' if several else 'is a formula'} without a stored value"
            where.error("cell-value", what, "open the workbook in a spreadsheet program and save it")
        else:
            note = where.error if wrong else where.warning
            what = f"{told} {'are' if several else 'is'} merged with {why}, and only that has the value"
            note("cell-merged", what, "split the cells, and fill in each")
        is_wrong |= bool(wrong)
    return is_wrong


def has_columns(where: Where, tab: Tab, needed: Sequence[str]) -> bool:
    """Return whether a sheet has the columns of a format, and none twice, after noting what is wrong.

    Columns may have no name where they have no value. What stands before or behind all names is told, such as row numbers and remarks.

    Parameters
    ----------
    needed
        Columns that there must be; ``OSATS_...`` is any that begins so.
    """
    number, header = tab.rows[0]
    missing = [name for name in needed if not any(one == name or f"{one[: len(name) - 3]}..." == name for one in header)]
    twice = [name for name in dict.fromkeys(header) if name and header.count(name) > 1]
    if not missing and not twice:
        return _are_named(where.at(tab.place(number)), tab)
    what = f"column {', '.join(missing)} missing" if missing else f"column {', '.join(map(csv_text.shown, twice))} stands twice"
    fix = f"expected {', '.join(needed)} {IN_TIME}" if missing else "rename or remove one"
    where.at(tab.place(number)).error("header", what, fix)
    return False


def _are_named(where: Where, tab: Tab) -> bool:
    """Return whether no column between others, or below a name that a formula or a merged cell hides, has values and no name."""
    (number, header), *below = tab.rows
    filled = {i for _, cells in below for i, cell in enumerate(cells) if cell}
    filled |= {i for (row, i), why in tab.unsaid.items() if why == FORMULA and row != number}
    nameless = sorted(i for i in filled if i >= len(header) or not header[i])
    names = [i for i, name in enumerate(header) if name]
    lost = [i for i in nameless if (number, i) in tab.unsaid or names[0] < i < names[-1]]
    for note, rule, of in ((where.error, "header", lost), (where.warning, "not-kept", [i for i in nameless if i not in lost])):
        if of:
            several, which = len(of) > 1, ", ".join(map(sheet_xml.letters, of))
            what = f"column{'s' if several else ''} {which} {'have' if several else 'has'} values and no name"
            note(rule, what if of is lost else f"{what}: not read", "name each column, also where cells are merged, or remove it")
    return not lost


def declare(
    name: str, columns: Collection[str], keys: Collection[str], items: Collection[str], may_be_key: Callable[[str], bool] = bool
) -> None:
    """Say which columns a sheet of a format of workbooks has.

    Parameters
    ----------
    columns
        All that there must be.
    keys
        Those that name a row.
    items
        How those with points begin. A formula in them, also without a stored value, makes a row of data; sums may be prefilled.
    may_be_key
        Whether a cell may name a row.
    """
    _LAYOUTS[name] = _Layout(frozenset(columns), frozenset(keys), tuple(items), may_be_key)


_LAYOUTS: dict[str, _Layout] = {}


def has_signs(path: Path, name: str, *, unreadable: bool) -> bool:
    """Return whether a workbook looks like one of a format.

    A sheet that has all columns of a format decides, wherever it stands, and two of several formats make it look like each. Where there
    is none, that with most of the columns of any format does; words on the others, such as notes, do not.

    Parameters
    ----------
    name
        Of the format, one that was given to `declare`.
    unreadable
        What is returned of a workbook that cannot be read; also where no sheet has `FEWEST_SIGNS` and one cannot be read.
    """
    try:
        with _opened(path.name, strangers.read_bytes(path), _LAYOUTS.values()) as (_, _, every):
            found = {other: best.likeness(layout) for other, layout in _LAYOUTS.items() if (best := _most_like(every, layout)) is not None}
    except ScrubinError:
        return unreadable
    is_whole, has_rows, signs = max(found.values(), default=(False, False, 0))
    if is_whole:
        return found[name][:2] == (is_whole, has_rows)
    if signs >= FEWEST_SIGNS:
        return found[name][2] == signs
    return unreadable and any(one.is_broken for one in every)


def why_none(path: Path, file: str) -> str:
    """Return why a workbook looks like none of a format; ``file`` is how people call it."""
    try:
        with _opened(file, strangers.read_bytes(path), _LAYOUTS.values()) as (archive, _, every):
            if sheet_xml.is_strict(archive):
                return f"{file}: {'; '.join(STRICT)}"
            is_empty = not any(one.header or one.is_broken for one in every)
    except ScrubinError:
        is_empty = False
    return f"no sheet of {file} has a cell" if is_empty else f"no row of {file} is the header of one, {IN_TIME}"


def _not_one(file: str) -> Fault:
    return Fault(file, "workbook", "not a workbook that can be read", "save it as Excel workbook (.xlsx)")


def _look(archive: zipfile.ZipFile, texts: list[str], sheet: _Glance, layouts: Collection[_Layout]) -> None:
    """Look at the first rows of a sheet: up to the one below a whole header, or so many as a header may stand in."""
    count, is_whole, most = 0, False, -1
    try:
        for i, row in enumerate(sheet_xml.first_rows(archive, sheet.path, texts)):
            if is_whole:
                sheet.has_more = any(_is_row(row, sheet.header, layout) for layout in layouts)
            elif any(row.cells):
                count += 1
                is_whole, signs = max((layout.is_whole(row.cells), layout.signs(row.cells)) for layout in layouts)
                if is_whole or signs > most:
                    sheet.header, sheet.top, most = row.cells, i, signs
            if sheet.has_more or (count == HEADER_WITHIN and not is_whole):
                return
    except UNREADABLE:
        sheet.has_more, sheet.is_broken = bool(sheet.header), True


def _is_row(row: Cells, header: Sequence[str], layout: _Layout) -> bool:
    """Return whether it is a row of data: with formulas without a value for names and sums, and no points, it is prefilled, or a gap."""
    return any(row.cells) or layout.has_items(header[i] for i in row.formulas if i < len(header))


def _is_like_row(row: Cells, header: Sequence[str], layout: _Layout) -> bool:
    """Return whether what stands above the header is like another header, or a row below it."""
    cells = [FORMULA if i in row.formulas else cell for i, cell in enumerate(row.cells)]
    return layout.signs(cells) > 1 or layout.is_rated(dict(zip(header, [*cells, *[""] * len(header)], strict=False)))


def _tab(where: Where, archive: zipfile.ZipFile, texts: list[str], found: _Glance, layout: _Layout) -> Tab:
    sheet = sheet_xml.read(archive, found.path, texts)
    above: list[tuple[int, Cells]] = []
    prefilled: list[int] = []
    rows: list[Row] = []
    unsaid: dict[tuple[int, int], str] = {}
    truths: set[tuple[int, int]] = set()
    count = 0
    for at, (number, row) in enumerate(sheet.rows):
        count += len(row.cells)
        if count > MOST_CELLS:
            raise ValueError(count)
        if at < found.top:
            above += [(number, row)] if any(row.cells) else []
        elif _is_row(row, found.header, layout):
            rows.append((number, row.cells))
            unsaid |= {(number, i): FORMULA for i in row.formulas}
            truths |= {(number, i) for i in row.truths}
        elif any(found.header[i] in layout.keys for i in row.formulas if i < len(found.header)):
            prefilled.append(number)
    tab = Tab(found.name, found.is_first, tuple(rows), unsaid | _merged(sheet.merges, dict(rows)), frozenset(truths))
    like_rows = [number for number, row in above if _is_like_row(row, found.header, layout)]
    for number in like_rows:
        what = f"it stands above the header (row {rows[0][0]}), and is like a row of the table"
        where.at(tab.place(number)).error("header", what, "put rows below their header, and remove others")
    if titles := [number for number, _ in above if number not in like_rows]:
        which = "it stands" if len(titles) == 1 else f"{len(titles)} rows from here on stand"
        fix = "put what belongs to the table below its header"
        where.at(tab.place(titles[0])).warning("not-kept", f"{which} above the header (row {rows[0][0]}): not read", fix)
    if prefilled:
        which = "row" if len(prefilled) == 1 else f"{len(prefilled)} rows from here on"
        what = f"{which} with formulas without a stored value for names, and no points: not read"
        where.at(tab.place(prefilled[0])).warning("not-kept", what, "if it is data, save the workbook in a spreadsheet program")
    return tab


def _merged(merges: Iterable[sheet_xml.Merge], rows: Mapping[int, list[str]]) -> dict[tuple[int, int], str]:
    """Return the cells of rows that have no value because they are merged with one that has, which is named."""
    found = {}
    numbers, width = sorted(rows), max(map(len, rows.values()), default=0)
    for name, top, bottom, first, last in merges:
        # A text that is alone in its row, over many columns, is a title or a footnote.
        if not _has_text(rows, top, first) or sum(map(bool, rows[top])) == 1:
            continue
        # By the rows that there are: what is merged may be a million rows high, or wide.
        for number in numbers[bisect_left(numbers, top) : bisect_right(numbers, bottom)]:
            for i in range(first, min(last, width - 1) + 1):
                if not _has_text(rows, number, i):
                    found[number, i] = name
    return found


def _has_text(rows: Mapping[int, list[str]], row: int, column: int) -> bool:
    return column < len(rows.get(row, ())) and bool(rows[row][column])
