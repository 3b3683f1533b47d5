"""The XML of an Excel workbook: rows of its sheets as text, or back; only values, which is all that rating sheets hold.

A workbook is a zip of XML (ECMA-376). Written files have fixed times, so that equal rows give equal bytes. openpyxl would be one more
package for whoever only scores, and writes other bytes.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import escape

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
STRICT = "{http://purl.oclc.org/ooxml/spreadsheetml/main}"
RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
CELL = re.compile(r"([A-Z]{1,3})([0-9]+)")
MERGED = re.compile(r"([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")
LARGEST_BYTES = 64 << 20  # a rating sheet has some thousand rows
MOST_COLUMNS = 1_000
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
"""What reading a damaged workbook raises."""


class Cells(NamedTuple):
    """The cells of a row, and which of them are formulas without a stored value, and truth values."""

    cells: list[str]
    formulas: list[int]
    truths: list[int]


class Merge(NamedTuple):
    """Cells that are shown as one: its name, such as ``G2``, its rows as numbered, and its columns from 0; all ends belong to it."""

    name: str
    top: int
    bottom: int
    first: int
    last: int


class Sheet(NamedTuple):
    """The rows of a sheet with their numbers, one after the other, and its merged cells."""

    rows: Iterator[tuple[int, Cells]]
    merges: list[Merge]


def listed(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """Yield name and path of each sheet; a path that no part has where it is not said."""
    book = ElementTree.fromstring(_part(archive, "xl/workbook.xml"))
    relations = ElementTree.fromstring(_part(archive, "xl/_rels/workbook.xml.rels"))
    targets = {one.attrib["Id"]: one.attrib["Target"] for one in relations.iter(f"{RELATIONS}Relationship")}
    for sheet in book.iter(f"{MAIN}sheet"):
        target = targets.get(sheet.attrib.get(RELATION, ""), "")
        yield sheet.attrib.get("name", ""), target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def is_strict(archive: zipfile.ZipFile) -> bool:
    """Return whether it is of another kind of workbook, whose dates and truth values are written otherwise: nothing of it is listed."""
    return ElementTree.fromstring(_part(archive, "xl/workbook.xml")).tag.startswith(STRICT)


def shared(archive: zipfile.ZipFile) -> list[str]:
    """Return the texts that cells name by their number."""
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    root = ElementTree.fromstring(_part(archive, "xl/sharedStrings.xml"))
    return [_text(item) for item in root.iter(f"{MAIN}si")]


def first_rows(archive: zipfile.ZipFile, path: str, texts: list[str]) -> Iterator[Cells]:
    """Yield the rows of a sheet; what is behind the last that is asked for is not read."""
    _refuse_large(archive, path)
    with archive.open(path) as part:
        for _, element in ElementTree.iterparse(part):
            if element.tag == f"{MAIN}row":
                row = _row(element, texts)
                element.clear()
                yield row


def read(archive: zipfile.ZipFile, path: str, texts: list[str]) -> Sheet:
    """Return a sheet; not all rows say their number."""
    root = ElementTree.fromstring(_part(archive, path))
    refs = (MERGED.fullmatch(one.attrib.get("ref", "")) for one in root.iter(f"{MAIN}mergeCell"))
    merges = [Merge(f"{one[1]}{one[2]}", int(one[2]), int(one[4]), _column(one[1]), _column(one[3])) for one in refs if one]
    return Sheet(_rows(root, texts), merges)


def _rows(root: ElementTree.Element, texts: list[str]) -> Iterator[tuple[int, Cells]]:
    number = 0
    for element in root.iter(f"{MAIN}row"):
        number = int(element.attrib.get("r", number + 1))
        yield number, _row(element, texts)


def letters(column: int) -> str:
    """Return what a spreadsheet calls a column, by its place from 0."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def workbook(table: Sequence[Sequence[str | float | None]]) -> bytes:
    """Return a workbook of one sheet; None is an empty cell."""
    lines = []
    for number, row in enumerate(table, start=1):
        cells = (_cell(f"{letters(i)}{number}", value) for i, value in enumerate(row) if value is not None)
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
    _refuse_large(archive, path)
    return archive.read(path)


def _refuse_large(archive: zipfile.ZipFile, path: str) -> None:
    if archive.getinfo(path).file_size > LARGEST_BYTES:
        raise ValueError(path)


def _text(item: ElementTree.Element) -> str:
    # Phonetic hints are no part of the text.
    hints = {id(text) for hint in item.iter(f"{MAIN}rPh") for text in hint.iter(f"{MAIN}t")}
    return "".join(text.text or "" for text in item.iter(f"{MAIN}t") if id(text) not in hints)


def _row(row: ElementTree.Element, texts: list[str]) -> Cells:
    cells: dict[int, str] = {}
    formulas, truths = [], []
    column = -1
    for cell in row.iter(f"{MAIN}c"):
        match = CELL.fullmatch(cell.attrib.get("r", ""))
        # A cell that says no place stands behind the one before it.
        column, value = _column(match[1]) if match else column + 1, _value(cell, texts)
        # The text that a formula gives may be empty.
        unsaid = not value and cell.find(f"{MAIN}f") is not None and cell.attrib.get("t") != "str"
        if value or unsaid:  # an empty cell that has a colour is none
            cells[column] = value
        if unsaid:
            formulas.append(column)
        if value and cell.attrib.get("t") == "b":
            truths.append(column)
    if max(cells, default=0) >= MOST_COLUMNS:
        raise ValueError(row.attrib.get("r"))
    return Cells([cells.get(i, "").strip() for i in range(max(cells, default=-1) + 1)], formulas, truths)


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


def _cell(place: str, value: str | float) -> str:
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{int(value) if value == int(value) else value!r}</v></c>'
