"""The first sheet of an Excel workbook as rows of text, or back: only values, which is all that rating sheets hold.

A workbook is a zip of XML (ECMA-376). Written files have fixed times, so that equal rows give equal bytes. openpyxl would be one more
package for whoever only scores, and writes other bytes.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from scrubin.base import strangers, unpacking
from scrubin.base.errors import AnnotationError, FileError, ScrubinError
from scrubin.base.faults import Fault

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
CELL = re.compile(r"([A-Z]{1,3})([0-9]+)")
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


def rows(file: str, data: bytes) -> list[Row]:
    """Return the non-empty rows of the first sheet with their numbers; an empty cell is "".

    Whole numbers have no decimal point, as they are shown. Formulas are their stored values.

    Raises
    ------
    AnnotationError
        When it is no workbook.
    """
    try:
        with unpacking.zipped(data, file, MOST_PARTS) as archive:
            texts = _shared(archive)
            sheet = ElementTree.fromstring(_part(archive, _first_sheet(archive)))
            every = list(_rows(sheet, texts))
    except FileError as error:
        # Without a cause it is a limit.
        raise AnnotationError([_not_one(file) if error.__cause__ else Fault(file, "workbook", error.strerror, "")]) from error
    except UNREADABLE as error:
        raise AnnotationError([_not_one(file)]) from error
    return [(number, cells) for number, cells in every if any(cells)]


def header(path: Path) -> list[str]:
    """Return the first row of a workbook that has text; nothing where it cannot be read."""
    try:
        every = rows(path.name, strangers.read_bytes(path))
    except ScrubinError:
        return []
    return every[0][1] if every else []


def _not_one(file: str) -> Fault:
    return Fault(file, "workbook", "not a workbook that can be read", "save it as Excel workbook (.xlsx)")


def _rows(sheet: ElementTree.Element, texts: list[str]) -> Iterator[Row]:
    count = 0
    for row in sheet.iter(f"{MAIN}row"):
        number, cells = _row(row, texts)
        count += len(cells)
        if count > MOST_CELLS:
            raise ValueError(count)
        yield number, cells


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


def _first_sheet(archive: zipfile.ZipFile) -> str:
    book = ElementTree.fromstring(_part(archive, "xl/workbook.xml"))
    wanted = next(iter(book.iter(f"{MAIN}sheet"))).attrib[RELATION] if list(book.iter(f"{MAIN}sheet")) else ""
    relations = ElementTree.fromstring(_part(archive, "xl/_rels/workbook.xml.rels"))
    targets = {one.attrib["Id"]: one.attrib["Target"] for one in relations.iter(f"{RELATIONS}Relationship")}
    target = targets[wanted]
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _shared(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    root = ElementTree.fromstring(_part(archive, "xl/sharedStrings.xml"))
    return [_text(item) for item in root.iter(f"{MAIN}si")]


def _text(item: ElementTree.Element) -> str:
    # Phonetic hints are no part of the text.
    hints = {id(text) for hint in item.iter(f"{MAIN}rPh") for text in hint.iter(f"{MAIN}t")}
    return "".join(text.text or "" for text in item.iter(f"{MAIN}t") if id(text) not in hints)


def _row(row: ElementTree.Element, texts: list[str]) -> Row:
    cells: dict[int, str] = {}
    number = int(row.attrib.get("r", "0"))
    for i, cell in enumerate(row.iter(f"{MAIN}c")):
        match = CELL.fullmatch(cell.attrib.get("r", ""))
        cells[_column(match[1]) if match else i] = _value(cell, texts)
    if max(cells, default=0) >= MOST_COLUMNS:
        raise ValueError(number)
    return number, [cells.get(i, "").strip() for i in range(max(cells, default=-1) + 1)]


def _value(cell: ElementTree.Element, texts: list[str]) -> str:
    kind = cell.attrib.get("t", "n")
    if kind == "inlineStr":
        return _text(cell)
    value = cell.find(f"{MAIN}v")
    if value is None or value.text is None:
        return ""
    if kind == "s":
        return texts[int(value.text)]
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
