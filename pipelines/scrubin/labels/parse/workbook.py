"""The sheets of an Excel workbook as rows of text, or back: only values, which is all that rating sheets hold.

A workbook is a zip of XML (ECMA-376). Written files have fixed times, so that equal rows give equal bytes. openpyxl would be one more
package for whoever only scores, and writes other bytes.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from scrubin.base import csv_text, strangers, unpacking
from scrubin.base.errors import AnnotationError, FileError, ScrubinError
from scrubin.base.faults import Fault, count_text
from scrubin.labels.parse.fields import Where

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
CELL = re.compile(r"([A-Z]{1,3})([0-9]+)")
MERGED = re.compile(r"([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")
FORMULA = "formula"
LARGEST_BYTES = 64 << 20  # a rating sheet has some thousand rows
MOST_PARTS, MOST_COLUMNS = 10_000, 1_000
MOST_CELLS = 5_000_000  # empty ones before the last of a row count
FIXED_TIME = (1980, 1, 1, 0, 0, 0)
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    RuntimeError,  # of an archive with a password
    ElementTree.ParseError,
    KeyError,
    ValueError,
    IndexError,
    OverflowError,
    NotImplementedError,
)
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
        The non-empty rows with their numbers; an empty cell is "". Whole numbers have no decimal point, as they are shown. Formulas are
        their stored values, and truth values ``TRUE`` and ``FALSE``.
    unsaid
        Why a cell is empty here that shows a value to people, by row number and column from 0: ``formula`` without a stored value, or the
        first of the cells with which it is merged, such as ``G2``.
    """

    name: str
    is_first: bool
    rows: tuple[Row, ...]
    unsaid: Mapping[tuple[int, int], str]

    def place(self, row: int) -> str:
        """Return the place of a fault in a row."""
        return f"row {row}" if self.is_first else f"sheet '{csv_text.shown(self.name)}', row {row}"


def tabs(file: str, data: bytes) -> list[Tab]:
    """Return the sheets that have a cell, in their order.

    Raises
    ------
    AnnotationError
        When it is no workbook.
    """
    try:
        with unpacking.zipped(data, file, MOST_PARTS) as archive:
            texts = _shared(archive)
            every = [_tab(archive, texts, name, path, is_first=not i) for i, (name, path) in enumerate(_listed(archive))]
    except FileError as error:
        # Without a cause it is a limit.
        raise AnnotationError([_not_one(file) if error.__cause__ else Fault(file, "workbook", error.strerror, "")]) from error
    except UNREADABLE as error:
        raise AnnotationError([_not_one(file)]) from error
    return [tab for tab in every if tab.rows]


def chosen(where: Where, data: bytes, columns: Sequence[str]) -> Tab | None:
    """Return the only sheet that has the columns, and rows below them, else the first one; None where no sheet has a cell.

    What is on the others is named: an error where they have the columns, too, else a warning.

    Parameters
    ----------
    columns
        Of the first row with text.

    Raises
    ------
    AnnotationError
        When it is no workbook.
    """
    every = tabs(where.file, data)
    with_header = [tab for tab in every if set(columns) <= set(tab.rows[0][1])]
    having = [tab for tab in with_header if len(tab.rows) > 1]
    tab = next(iter(having or with_header or every), None)
    for other in every:
        at = where.at(f"sheet '{csv_text.shown(other.name)}'")
        if other is tab:
            continue
        if other in having:
            what = f"it has the columns of sheet '{csv_text.shown(having[0].name)}', too"
            at.error("sheets", what, "put all rows into one of them, and remove the other")
        else:
            count = count_text(len(other.rows), "row")
            at.warning("not-kept", f"it is not read, and has {count} with cells", "put into one sheet what belongs to it")
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
    is_wrong = False
    for i, name in enumerate(header):
        why = tab.unsaid.get((row, i))
        if why is None or (name not in needed and name not in useful):
            continue
        if why == FORMULA:
            where.error(
                "cell-value", f"{name} is a formula without a stored value", "open the workbook in a spreadsheet program and save it"
            )
        elif name in needed:
            where.error("cell-merged", f"{name} is merged with {why}, and only that has the value", "split the cells, and fill in each")
        else:
            where.warning("cell-merged", f"{name} is merged with {why}, and only that has the value", "split the cells, and fill in each")
        is_wrong |= why == FORMULA or name in needed
    return is_wrong


def headers(path: Path) -> list[str]:
    """Return the first row with text of every sheet of a workbook, one after the other; nothing where it cannot be read."""
    try:
        every = tabs(path.name, strangers.read_bytes(path))
    except ScrubinError:
        return []
    return [cell for tab in every for cell in tab.rows[0][1]]


def _not_one(file: str) -> Fault:
    return Fault(file, "workbook", "not a workbook that can be read", "save it as Excel workbook (.xlsx)")


def _tab(archive: zipfile.ZipFile, texts: list[str], name: str, path: str, *, is_first: bool) -> Tab:
    sheet = ElementTree.fromstring(_part(archive, path))
    every: list[Row] = []
    unsaid: dict[tuple[int, int], str] = {}
    count = 0
    for row in sheet.iter(f"{MAIN}row"):
        number = int(row.attrib.get("r", every[-1][0] + 1 if every else 1))
        cells, formulas = _row(row, texts)
        count += len(cells)
        if count > MOST_CELLS:
            raise ValueError(count)
        every.append((number, cells))
        unsaid |= {(number, i): FORMULA for i in formulas}
    unsaid |= _merged(sheet, dict(every))
    rows = tuple((number, cells) for number, cells in every if any(cells) or any((number, i) in unsaid for i in range(len(cells))))
    return Tab(name, is_first, rows, unsaid)


def _merged(sheet: ElementTree.Element, rows: Mapping[int, list[str]]) -> dict[tuple[int, int], str]:
    """Return the cells of rows that have no value because they are merged with one that has, which is named."""
    found = {}
    for one in sheet.iter(f"{MAIN}mergeCell"):
        match = MERGED.fullmatch(one.attrib.get("ref", ""))
        if match is None:
            continue
        first, top, last, bottom = _column(match[1]), int(match[2]), _column(match[3]), int(match[4])
        if not _has_text(rows, top, first):
            continue
        # By the rows that there are: what is merged may be a million rows high.
        for number in (number for number in rows if top <= number <= bottom):
            for i in range(first, min(last, MOST_COLUMNS) + 1):
                if not _has_text(rows, number, i):
                    found[number, i] = f"{match[1]}{match[2]}"
    return found


def _has_text(rows: Mapping[int, list[str]], row: int, column: int) -> bool:
    return column < len(rows.get(row, ())) and bool(rows[row][column])


def workbook(table: Sequence[Sequence[str | float | None]]) -> bytes:
    """Return a workbook of one sheet; None is an empty cell."""
    lines = []
    for number, row in enumerate(table, start=1):
        cells = (_cell(f"{_letters(i)}{number}", value) for i, value in enumerate(row) if value is not None)
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    name = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="rId1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{name}" xmlns:r="{office}">'
        '<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="rId1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{name}"><sheetData>{"".join(lines)}</sheetData></worksheet>',
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in parts.items():
            info = zipfile.ZipInfo(path, FIXED_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{text}')
    return buffer.getvalue()


def _part(archive: zipfile.ZipFile, path: str) -> bytes:
    if archive.getinfo(path).file_size > LARGEST_BYTES:
        raise ValueError(path)
    return archive.read(path)


def _listed(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """Yield name and path of each sheet."""
    book = ElementTree.fromstring(_part(archive, "xl/workbook.xml"))
    relations = ElementTree.fromstring(_part(archive, "xl/_rels/workbook.xml.rels"))
    targets = {one.attrib["Id"]: one.attrib["Target"] for one in relations.iter(f"{RELATIONS}Relationship")}
    for sheet in book.iter(f"{MAIN}sheet"):
        target = targets[sheet.attrib[RELATION]]
        yield sheet.attrib.get("name", ""), target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _shared(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    root = ElementTree.fromstring(_part(archive, "xl/sharedStrings.xml"))
    return [_text(item) for item in root.iter(f"{MAIN}si")]


def _text(item: ElementTree.Element) -> str:
    # Phonetic hints are no part of the text.
    hints = {id(text) for hint in item.iter(f"{MAIN}rPh") for text in hint.iter(f"{MAIN}t")}
    return "".join(text.text or "" for text in item.iter(f"{MAIN}t") if id(text) not in hints)


def _row(row: ElementTree.Element, texts: list[str]) -> tuple[list[str], list[int]]:
    """Return the cells of a row, and which of them are formulas without a stored value."""
    cells: dict[int, str] = {}
    formulas = []
    for i, cell in enumerate(row.iter(f"{MAIN}c")):
        match = CELL.fullmatch(cell.attrib.get("r", ""))
        column, value = _column(match[1]) if match else i, _value(cell, texts)
        # The text that a formula gives may be empty.
        unsaid = not value and cell.find(f"{MAIN}f") is not None and cell.attrib.get("t") != "str"
        if value or unsaid:  # an empty cell that has a colour is none
            cells[column] = value
        if unsaid:
            formulas.append(column)
    if max(cells, default=0) >= MOST_COLUMNS:
        raise ValueError(row.attrib.get("r"))
    return [cells.get(i, "").strip() for i in range(max(cells, default=-1) + 1)], formulas


def _value(cell: ElementTree.Element, texts: list[str]) -> str:
    kind = cell.attrib.get("t", "n")
    if kind == "inlineStr":
        return _text(cell)
    value = cell.find(f"{MAIN}v")
    if value is None or value.text is None:
        return ""
    if kind == "s":
        return texts[int(value.text)]
    if kind == "b":
        return "TRUE" if int(value.text) else "FALSE"
    if kind != "n":
        return value.text
    number = float(value.text)
    return str(int(number)) if number == int(number) else repr(number)


def _column(letters: str) -> int:
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column - 1


def _letters(column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _cell(place: str, value: str | float) -> str:
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{int(value) if value == int(value) else value!r}</v></c>'
