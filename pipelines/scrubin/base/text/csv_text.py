"""One way to read a CSV: from bytes to rows of text by column, each with its line; what is wrong with it is faults.

Everything that can be decided without knowing what a file is about is decided here, so that all commands and stages
read the same file alike:

- **Text** is UTF-8. A byte order mark is dropped; other encodings, NUL bytes and workbooks are faults.
- **Delimiter** is the tab if the header line has one outside of quotation marks, else the semicolon if it has one, else the
  comma: commas are part of names more often than the others. Where the caller allows ``whitespace``, the cells of a header
  without any of them are separated by runs of blanks.
- **Quotation marks** are double ones, doubled inside of a cell. A quoted cell may hold delimiters and line breaks.
- **Blanks** around a name or a cell mean nothing. Lines without any text are no rows, and columns without name and text
  at the end are no columns: spreadsheets write both.
- **Header**: every column has a name, and no two the same. Only a nameless first column of whole numbers, all different,
  is taken for what it is, row numbers of pandas or R, and left out.
- **Rows** have a cell per column. Those that do not are kept apart, as misfits.
- **Decimal commas**: `with_points` reads them where the delimiter is none, as spreadsheets of many countries write them.
- **Missing values** are spelled as in ``MISSING``, in any case. Whether a cell may be missing is the caller's to know:
  ``none`` can be a name.
- **Lines** are counted from 1 as editors count them; a row stands in the line in which it begins.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scrubin.base import strangers
from scrubin.base.errors import FileError, RecordingError
from scrubin.base.faults import Fault, error, hint, near

MISSING = frozenset({"", "-", "n/a", "na", "<na>", "nan", "none", "null"})
"""How programs and people write that there is no value, in small letters: spreadsheets and R ``NA`` and ``N/A``, pandas
``NaN`` and ``<NA>``, Python and databases ``None`` and ``null``, people a dash or nothing. Numbers that stand for "missing",
such as -1 or 999, are not among them: they could be values."""
DELIMITERS = ("\t", ";", ",")
"""The first of them that the header line has is the delimiter."""
WHITESPACE = " "
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_LINE = 16 << 20
SHOWN = 60
"""No message shows more characters of a cell."""
NAMES_SHOWN = 20
UNREAD_REST = "csv-syntax"
"""The rule of faults behind which nothing of a file can be read."""
TITLED = 3
"""So many lines has a table with a title: that, the names of columns, a row."""
_AGAIN = "save it again as CSV UTF-8"
_OTHER_FILES = {
    b"PK\x03\x04": "a workbook or an archive",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"\x1f\x8b": "compressed",
}
_WHOLE = re.compile(r"[0-9]+")
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
_COMMA_OR_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_POINT_OR_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")
_BOTH = re.compile(r"[+-]?[0-9]+(?:([.,' ])[0-9]{3})+(?!\1)[.,][0-9]+|[+-]?[0-9]{1,3}([.,' ])[0-9]{3}(?:\2[0-9]{3})+")
_LINE_END = re.compile(r"\r\n|\n|\r")
_LINE_END_BYTES = re.compile(rb"\r\n|\n|\r")
_COMMENTS = re.compile(r"(?:[ \t]*(?:\r\n|\n|\r)|[ \t]*#[^\r\n]*(?:\r\n|\n|\r|\Z))*")
_EMPTY_LINES = re.compile(r"(?:[\t;, ]*(?:\r\n|\n|\r))*")
# A quotation mark opens a cell only at its beginning; elsewhere it is text.
_QUOTED = r' *"[^"]*+(?:""[^"]*+)*+"'
_HEADER = re.compile(rf"(?:{_QUOTED})?[^\t;,\r\n]*(?:[\t;,](?:{_QUOTED})?[^\t;,\r\n]*)*")
_QUOTED_CELL = re.compile(rf"(?:^|(?<=[\t;,])){_QUOTED}")


@dataclass(frozen=True)
class Line:
    """One row of a file before it is known what its columns are: the line in which it begins, and its cells as written."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """The cells of a file, with or without a header.

    Parameters
    ----------
    file
        For messages.
    delimiter
        One of ``DELIMITERS``, or ``WHITESPACE``.
    lines
        What has any text, in order.
    faults
        Why the file, or the rest of it, cannot be read.
    comments
        Lines with ``#`` above the header, where the caller allows them.
    blanks
        Lines without any text that have one with text below them: whoever numbers rows by their place must not pass over them.
    """

    file: str
    delimiter: str
    lines: tuple[Line, ...]
    faults: tuple[Fault, ...] = ()
    comments: tuple[str, ...] = ()
    blanks: tuple[int, ...] = ()


@dataclass(frozen=True)
class CsvRow:
    """One row below a header.

    Parameters
    ----------
    line
        Where it begins.
    cells
        Text by column, without surrounding blanks. A misfit that is too short has fewer columns.
    written
        The same as written, with blanks; of a misfit that is too long also what is beyond the last column.
    """

    line: int
    cells: Mapping[str, str]
    written: tuple[str, ...]

    @property
    def place(self) -> str:
        """The place of a fault of this row."""
        return f"line {self.line}"

    def as_written(self, column: str) -> str:
        """Return a cell with the blanks around it, which may be part of a name."""
        return self.written[list(self.cells).index(column)]


@dataclass(frozen=True)
class Misfit:
    """A row that has too few or too many cells, and the fault that says so."""

    row: CsvRow
    fault: Fault


@dataclass(frozen=True)
class Sheet:
    """A file with a header.

    Parameters
    ----------
    file
        For messages.
    delimiter
        One of ``DELIMITERS``, or ``WHITESPACE``.
    columns
        Names in order; empty where there is no header.
    header_line
        Where the header stands.
    rows
        Rows with a cell per column, in order; none where the header cannot be used.
    misfits
        The other rows.
    file_faults
        What is wrong with the file or its header.
    comments
        Lines with ``#`` above the header, where the caller allows them.
    row_numbers
        Whether a nameless first column was left out: then the first column of the file is none of ``columns``.
    blanks
        As of `Grid`, those below the header.
    """

    file: str
    delimiter: str
    columns: tuple[str, ...] = ()
    header_line: int = 1
    rows: tuple[CsvRow, ...] = ()
    misfits: tuple[Misfit, ...] = ()
    file_faults: tuple[Fault, ...] = ()
    comments: tuple[str, ...] = ()
    row_numbers: bool = False
    blanks: tuple[int, ...] = ()

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults: of the file, and of its misfits."""
        return (*self.file_faults, *(misfit.fault for misfit in self.misfits))


def is_missing(cell: str) -> bool:
    """Return whether a cell says that there is no value.

    >>> is_missing(" N/A "), is_missing("0")
    (True, False)
    """
    return cell.strip().casefold() in MISSING


def has_comma(cell: str) -> bool:
    """Return whether a cell is a number with a comma in it.

    >>> has_comma("1,5"), has_comma("1.5"), has_comma("1,5 kg")
    (True, False, False)
    """
    return _COMMA.fullmatch(cell.strip()) is not None


def is_empty(cells: Sequence[str]) -> bool:
    """Return whether a line has no text, so that it is no row.

    A line of one cell is empty, too, when it has delimiters only: the header of a single column does not tell which one is meant.
    """
    return not any(cell.strip() for cell in cells) or (len(cells) == 1 and not cells[0].strip("\t;, \r\n"))


def read(
    file: str,
    data: bytes,
    required: Sequence[str] = (),
    optional: Sequence[str] | None = None,
    *,
    comments: bool = False,
    keep_rows: bool = False,
) -> Sheet:
    """Return a CSV with a header; never raises.

    Parameters
    ----------
    file
        Names the file in faults.
    data
        Its bytes.
    required
        Columns that there must be.
    optional
        The only other columns that there may be; None: any.
    comments
        Whether lines that begin with ``#`` may stand above the header.
    keep_rows
        Return the rows also where columns are unknown or missing, for who says everything at once; a column whose name is a
        near miss of a missing one has that name then. ``file_faults`` says it all the same.
    """
    sheet = sheet_of(grid(file, data, comments=comments), required, optional, keep_rows=keep_rows)
    above = above_header(file, data, required) if sheet.faults and not comments else ()
    return replace(sheet, rows=(), misfits=(), file_faults=above) if above else sheet


def above_header(file: str, data: bytes, known: Sequence[str] = ()) -> tuple[Fault, ...]:
    r"""Return the fault of a line above the header, such as a title or the ``sep=;`` of a spreadsheet; nothing where there is none.

    It has one cell, or none of the known columns, and all lines below have more cells, the first of them names alone.

    Parameters
    ----------
    file, data
        As of `read`.
    known
        Columns that a header may have: a line that has one of them is one.

    >>> above_header("a.csv", b"Course of May\nid,force\np1,3\n")[0].sentence
    "a.csv, line 1: 'Course of May' is no header, the names of columns stand in line 2; remove it"
    """
    text, faults = text_of(file, data)
    for delimiter in () if faults else DELIMITERS:
        parsed = list(_parsed(file, text, delimiter, 1))
        lines = [line for line in parsed if isinstance(line, Line) and not is_empty(line.cells)]
        if len(lines) >= TITLED and not isinstance(parsed[-1], Fault) and _is_title(lines, known):
            written = shown(_LINE_END.split(text)[lines[0].number - 1].strip())
            what = f"'{written}' is no header, the names of columns stand in line {lines[1].number}"
            return (error(file, "header-below", what, "remove it", place=f"line {lines[0].number}"),)
    return ()


def _is_title(lines: Sequence[Line], known: Sequence[str]) -> bool:
    first, names = map(_named, lines[:2])
    if set(first) & set(known) or not (len(first) == 1 or set(names) & set(known)):
        return False
    are_names = all(names) and len(set(names)) == len(names) and not any(NUMBER.fullmatch(name.replace(",", ".")) for name in names)
    return are_names and len(names) > len(first) and all(len(line.cells) == len(lines[1].cells) for line in lines[2:])


def _named(line: Line) -> list[str]:
    """Return the cells of a line without those that are empty at its end."""
    cells = [cell.strip() for cell in line.cells]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def meant_columns(columns: Sequence[str], required: Sequence[str], optional: Sequence[str] = ()) -> tuple[str, ...]:
    """Return names of columns with those in place of near misses that were probably meant.

    >>> meant_columns(["recording", "particpant", "note"], ["recording", "participant", "task"])
    ('recording', 'participant', 'note')
    """
    others = [name for name in columns if name and name not in (*required, *optional)]
    meant = {close: name for name in required if name not in columns and (close := near(name, others)) is not None}
    return tuple(meant.get(name, name) for name in columns)


def shows_commas(cells: Iterable[str]) -> bool:
    """Return whether a number of a sheet shows that its comma is a decimal one, not one of thousands."""
    return any(_COMMA.fullmatch(cell) is not None and _COMMA_OR_THOUSANDS.fullmatch(cell) is None for cell in cells)


def with_points(sheet: Sheet, numeric: Sequence[str], shares: Sequence[str] = ()) -> tuple[Sheet, tuple[Fault, ...]]:
    """Return a sheet with decimal points for decimal commas, and a fault for each number that can be read in two ways.

    Only where the delimiter is not the comma. ``12,5`` is 12.5. ``12,500`` is 12.5 or twelve thousand five hundred: it is read
    only where another number of the sheet shows that its comma is a decimal one, and there ``12.500`` cannot be read.
    Numbers with two kinds of separators are never read.

    Parameters
    ----------
    sheet
        As read.
    numeric
        The columns that hold numbers; of the others no cell is looked at.
    shares
        Columns of numbers that have no thousands, such as probabilities: ``1,000`` and ``1.000`` are 1.
    """
    if sheet.delimiter not in DELIMITERS or sheet.delimiter == ",":
        return sheet, ()
    places = [(row, name) for row in sheet.rows for name in (*numeric, *shares) if name in row.cells]
    or_thousands = _POINT_OR_THOUSANDS if shows_commas(row.cells[name] for row, name in places) else _COMMA_OR_THOUSANDS
    faults, changed = [], dict[int, dict[str, str]]()
    for row, name in places:
        cell = row.cells[name]
        if _BOTH.fullmatch(cell) or (name not in shares and or_thousands.fullmatch(cell)):
            what = f"{name} is '{shown(cell)}': a decimal separator, or one of thousands?"
            faults.append(error(sheet.file, "number-separator", what, "write it without thousands separators", place=row.place))
        elif _COMMA.fullmatch(cell):
            changed.setdefault(row.line, {})[name] = cell.replace(",", ".")
    rows = tuple(replace(row, cells={**row.cells, **changed[row.line]}) if row.line in changed else row for row in sheet.rows)
    return replace(sheet, rows=rows), tuple(faults)


def read_path(path: Path, file: str, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Sheet:
    """Return the CSV at a path; that it cannot be read is a fault, too. Parameters as of `read`."""
    data, faults = data_of(path, file)
    return Sheet(file, ",", file_faults=faults) if faults else read(file, data, required, optional)


def data_of(path: Path, file: str) -> tuple[bytes, tuple[Fault, ...]]:
    """Return the bytes of a plain file, or why there are none."""
    try:
        return strangers.read_bytes(path), ()
    except FileError as refused:
        return b"", (error(file, "file-unreadable", refused.strerror, ""),)
    except FileNotFoundError:
        return b"", (Fault(file, "file-missing", "there is no such file", "name a CSV file"),)
    except IsADirectoryError:
        return b"", (Fault(file, "file-missing", "it is a folder", "name a CSV file"),)
    except OSError as refused:
        return b"", (Fault(file, "file-unreadable", f"cannot be read: {refused.strerror}", "make it readable"),)


def text_of(file: str, data: bytes) -> tuple[str, tuple[Fault, ...]]:
    r"""Return the text of a file without byte order mark, or why it is none.

    >>> text_of("a.csv", "id\nknöt".encode("latin-1"))[1][0].sentence
    'a.csv, line 2: byte 0xf6 at position 5 is not UTF-8; save it again as CSV UTF-8'
    """
    if _has_long_line(data):
        what = f"a line has more than {LONGEST_LINE:,} bytes"
        return "", (Fault(file, UNREAD_REST, what, "write a line per row"),)
    other = next((name for start, name in _OTHER_FILES.items() if data.startswith(start)), None)
    if other is not None:
        return "", (Fault(file, "encoding", f"is {other}, not UTF-8 text", _AGAIN),)
    try:
        text = data.removeprefix(BYTE_ORDER_MARK).decode()
    except UnicodeDecodeError:
        return "", (_not_utf8(file, data),)
    if "\0" in text:
        line = 1 + len(_LINE_END.findall(text, 0, text.index("\0")))
        return "", (Fault(file, "binary", "holds a NUL byte, so it is damaged or no text", _AGAIN, f"line {line}"),)
    # As Windows writes it where a program has written both itself: no blank line stands between all rows.
    return text.replace("\r\r\n", "\r\n"), ()


def delimiter_of(text: str, *, whitespace: bool = False) -> str:
    r"""Return what separates the cells of a text: see the module.

    Parameters
    ----------
    text
        Begins with the header.
    whitespace
        What to return for a header without delimiters: blanks, or the comma.

    >>> delimiter_of('id;"a,b,c"\n1;2'), delimiter_of("id")
    (';', ',')
    """
    empty = _EMPTY_LINES.match(text)
    header = _HEADER.match(text, empty.end() if empty else 0)
    names = _QUOTED_CELL.sub("", header[0] if header else "")
    return next((delimiter for delimiter in DELIMITERS if delimiter in names), WHITESPACE if whitespace else ",")


def grid(file: str, data: bytes, *, whitespace: bool = False, comments: bool = False) -> Grid:
    """Return the cells of a file, whether it has a header or not; never raises.

    Parameters
    ----------
    file, data, comments
        As of `read`.
    whitespace
        Whether cells may be separated by blanks when there is no other delimiter.
    """
    text, faults = text_of(file, data)
    above = _COMMENTS.match(text) if comments else None
    skipped = above[0] if above else ""
    body = text[len(skipped) :]
    # What has delimiters only is empty, whichever of them is meant.
    body = body if body.strip("\t;, \r\n") else ""
    delimiter = delimiter_of(body, whitespace=whitespace)
    first = 1 + len(_LINE_END.findall(skipped))
    parsed = list(_split(body, first) if delimiter == WHITESPACE else _parsed(file, body, delimiter, first))
    found = [line for line in parsed if isinstance(line, Line)]
    lines = tuple(line for line in found if not is_empty(line.cells))
    blanks = tuple(line.number for line in found if lines and line.number < lines[-1].number and is_empty(line.cells))
    faults = (*faults, *(fault for fault in parsed if isinstance(fault, Fault)))
    if not lines and not faults:
        faults = (Fault(file, "file-empty", "it is empty", "write a header and a row for each entry, or remove the file"),)
    notes = tuple(line.strip() for line in _LINE_END.split(skipped) if line.strip())
    return Grid(file, delimiter, lines, faults, notes, blanks)


def sheet_of(cells: Grid, required: Sequence[str] = (), optional: Sequence[str] | None = None, *, keep_rows: bool = False) -> Sheet:
    """Return the cells of a file with the first line as its header; columns as of `read`."""
    if not cells.lines:
        return Sheet(cells.file, cells.delimiter, file_faults=cells.faults, comments=cells.comments)
    header, *below = cells.lines
    header, below, numbered = _without_row_numbers(header, below)
    columns = tuple(_named(header))
    faults = _header_faults(cells.file, f"line {header.number}", columns, required, optional)
    if keep_rows:
        columns = meant_columns(columns, required, optional or ())
    can_be_used = not faults or (keep_rows and {fault.rule for fault in faults} <= {"column-missing", "column-unknown"})
    rows, misfits = _rows(cells, columns, len(header.cells), below) if can_be_used else ((), ())
    blanks = tuple(number for number in cells.blanks if number > header.number)
    of_file = (*faults, *cells.faults)
    return Sheet(cells.file, cells.delimiter, columns, header.number, rows, misfits, of_file, cells.comments, numbered, blanks)


def missing_columns(file: str, place: str, columns: Sequence[str], required: Sequence[str]) -> list[Fault]:
    """Return a fault for each required column that is missing and may be misspelled, and one for all others.

    Parameters
    ----------
    file, place
        The file, and where its header stands.
    columns
        What the header says.
    required
        What it should say.
    """
    missing = [name for name in required if name not in columns]
    others = [name for name in columns if name and name not in required]
    meant = {name: close for name in missing if (close := near(name, others)) is not None}
    faults = [
        error(file, "column-missing", f"column '{shown(name)}' is missing", f"did you mean '{shown(close)}'?", place=place)
        for name, close in meant.items()
    ]
    if absent := [f"'{shown(name)}'" for name in missing if name not in meant]:
        what = f"column {absent[0]} is missing" if len(absent) == 1 else f"columns {', '.join(absent)} are missing"
        names = ", ".join(map(shown, columns[:NAMES_SHOWN]))
        faults.append(error(file, "column-missing", what, f"add {'it' if len(absent) == 1 else 'them'}; there are {names}", place=place))
    return faults


def unknown_columns(file: str, place: str, columns: Sequence[str], known: Sequence[str]) -> list[Fault]:
    """Return a fault for each column that is none of the known ones; parameters as of `missing_columns`."""
    unknown = [name for name in dict.fromkeys(columns) if name and name not in known]
    return [error(file, "column-unknown", f"column '{shown(name)}' is unknown", hint(name, known), place=place) for name in unknown]


def shown(text: str) -> str:
    """Return as much of a text as a message shows.

    >>> shown("short"), len(shown("9" * 1000))
    ('short', 63)
    """
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _has_long_line(data: bytes) -> bool:
    """Return whether a line is longer than any of a table: programs need many times its size to read it."""
    at = 0
    while at + LONGEST_LINE < len(data):
        end = max(data.rfind(b"\n", at, at + LONGEST_LINE), data.rfind(b"\r", at, at + LONGEST_LINE))
        if end < 0:
            return True
        at = end + 1
    return False


def _not_utf8(file: str, data: bytes) -> Fault:
    body = data.removeprefix(BYTE_ORDER_MARK)
    try:
        body.decode()
    except UnicodeDecodeError as refused:
        start = refused.start + len(data) - len(body)
    line = 1 + len(_LINE_END_BYTES.findall(data, 0, start))
    return Fault(file, "encoding", f"byte 0x{data[start]:02x} at position {start} is not UTF-8", _AGAIN, f"line {line}")


def _split(text: str, first: int) -> Iterator[Line]:
    for number, line in enumerate(_LINE_END.split(text), start=first):
        yield Line(number, tuple(line.split()))


def _parsed(file: str, text: str, delimiter: str, first: int) -> Iterator[Line | Fault]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    number, most = first, strangers.limits().table_columns
    try:
        for cells in reader:
            if len(cells) > most:
                what = f"it has {len(cells)} columns, above the limit of {most:g}"
                fix = f"write a row per entry; if it is right, raise it: {strangers.VARIABLE}=table_columns={len(cells)}"
                yield error(file, UNREAD_REST, what, fix, place=f"line {number}")
                return
            yield Line(number, tuple(cells))
            number = first + reader.line_num
    except csv.Error as refused:
        unclosed = "unexpected end" in str(refused)
        what = "a quotation mark is opened but never closed" if unclosed else f"is no CSV: {refused}"
        yield error(file, UNREAD_REST, what, "correct the quotation marks, or save it again as CSV", place=f"line {number}")


def _without_row_numbers(header: Line, below: Sequence[Line]) -> tuple[Line, list[Line], bool]:
    """Return lines without a nameless first column of different whole numbers, and whether there was one."""
    numbers = [line.cells[0].strip() for line in below]
    numbered = all(map(_WHOLE.fullmatch, numbers)) and len(set(numbers)) == len(numbers)
    if header.cells[0].strip() or len(header.cells) < 2 or not below or not numbered:
        return header, list(below), False
    return Line(header.number, header.cells[1:]), [Line(line.number, line.cells[1:]) for line in below], True


def _header_faults(
    file: str, place: str, columns: Sequence[str], required: Sequence[str], optional: Sequence[str] | None
) -> tuple[Fault, ...]:
    faults = []
    if "" in columns:
        faults.append(error(file, "column-unnamed", f"column {columns.index('') + 1} has no name", "name it, or remove it", place=place))
    for name in (name for name, count in Counter(columns).items() if name and count > 1):
        faults.append(error(file, "column-repeated", f"column '{shown(name)}' stands twice", "rename or remove one", place=place))
    faults += missing_columns(file, place, columns, required)
    if optional is not None:
        faults += unknown_columns(file, place, columns, (*required, *optional))
    return tuple(faults)


def _rows(cells: Grid, columns: tuple[str, ...], width: int, below: Sequence[Line]) -> tuple[tuple[CsvRow, ...], tuple[Misfit, ...]]:
    """Return the rows, and the misfits: a cell beyond the header may be empty, but only where the header has one beyond its names, too.

    Elsewhere a cell too many means that all cells behind it stand in the wrong column.
    """
    rows: list[CsvRow] = []
    misfits: list[Misfit] = []
    for line in below:
        stripped = [cell.strip() for cell in line.cells]
        row = CsvRow(line.number, dict(zip(columns, stripped, strict=False)), line.cells)
        if len(columns) <= len(stripped) <= width and not any(stripped[len(columns) :]):
            rows.append(CsvRow(row.line, row.cells, line.cells[: len(columns)]))
        else:
            misfits.append(Misfit(row, _misfit(cells, row, len(columns))))
    return tuple(rows), tuple(misfits)


def _misfit(cells: Grid, row: CsvRow, wanted: int) -> Fault:
    written = shown(cells.delimiter.join(row.written))
    what = f"expected {wanted} cells, but got {len(row.written)}: '{written}'"
    fix = "give one cell per column, in quotation marks if it holds a delimiter"
    return error(cells.file, "row-length", what, fix, place=row.place)


# Stricter than float(), which takes "1_5" for 15, and the digits of any script.
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def number(cell: str) -> float:
    """Return the number that a cell holds, spaces around it aside; a very large one is infinite.

    Raises
    ------
    ValueError
        When it is none: also for ``1_000``, digits that are not 0 to 9, ``inf`` and ``nan``.

    >>> number(" -1.5e3 ")
    -1500.0
    """
    if not NUMBER.fullmatch(cell.strip()):
        raise ValueError(f"'{shown(cell)}' is no number")
    return float(cell)


SECONDS = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")


def seconds(file: str, row: CsvRow, column: str) -> float | None:
    """Return a time in seconds; None for an empty cell.

    What else may say that a value is missing, such as ``nan``, is refused: a wrong interval would show what
    should be hidden.

    Raises
    ------
    RecordingError
        When it is no number of seconds; names file and line.

    >>> seconds("redactions.csv", CsvRow(2, {"start_s": "12.5"}, ("12.5",)), "start_s")
    12.5
    """
    text = row.cells[column]
    if not text:
        return None
    if not SECONDS.fullmatch(text):
        raise RecordingError(file, f"{column} is '{text}'", "give seconds from the first frame, such as 12.5", row.place)
    return float(text)
