"""CSV text to rows of cells, each with its place, so that an error can name it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scrubin.errors import RatingsError

SHOWN = 60
"""No message shows more characters of a cell."""


@dataclass(frozen=True)
class Row:
    """One row of a sheet: where it stands, and its cells by column, without surrounding blanks.

    Parameters
    ----------
    place
        File and row, for messages.
    cells
        Text by column.
    places
        Where a cell stands that does not stand in the row of ``place``.
    """

    place: str
    cells: dict[str, str]
    places: Mapping[str, str] = field(default_factory=dict)

    def place_of(self, column: str) -> str:
        """Return where the cell of a column stands."""
        return self.places.get(column, self.place)


def read_text(path: Path, file: str | None = None) -> str:
    """Return the text of a sheet; ``file`` names it in messages (default: the path).

    Raises
    ------
    RatingsError
        When it cannot be read, is no UTF-8 or holds NUL bytes.
    """
    file = str(path) if file is None else file
    try:
        # Not read_text: that would turn line ends within quotes into others.
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        msg = f"{file}: cannot be read: {error.strerror}; make it readable"
        raise RatingsError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{file}: cannot be read as UTF-8 text: {error}; save it as CSV UTF-8"
        raise RatingsError(msg) from error
    if "\0" in text:
        row = text[: text.index("\0")].count("\n") + 1
        msg = f"{file}, row {row}: holds a NUL byte, so it is damaged or no UTF-8 text; save it again as CSV UTF-8"
        raise RatingsError(msg)
    return text


def cut(text: str) -> str:
    """Return as much of a text as a message shows.

    >>> cut("short"), len(cut("9" * 1000))
    ('short', 63)
    """
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def parse(file: str, text: str, delimiter: str) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    """Return the column names and the rows of CSV text; lines without any text are skipped.

    Raises
    ------
    RatingsError
        For text that is no CSV, column names that are empty or stand twice, or a row of another length.
    """
    header, lines = parse_lines(file, text, delimiter)
    return header, tuple(row_from(place, cells, header, delimiter) for place, cells in lines)


def parse_lines(file: str, text: str, delimiter: str) -> tuple[tuple[str, ...], list[tuple[str, list[str]]]]:
    """Return the column names of CSV text, and the place and the cells of each row, of whatever length.

    Raises
    ------
    RatingsError
        For text that is no CSV, or column names that are empty or stand twice.
    """
    lines = _lines(file, text, delimiter)
    place, header = next(lines, (f"{file}, row 1", []))
    if len(header) == 1 and delimiter == ";" and "," in header[0]:
        msg = f"{place}: expected columns separated by semicolons, but got {cut(header[0])!r}; save it as CSV with semicolons"
        raise RatingsError(msg)
    while header and not header[-1]:
        # Spreadsheets write empty columns beside a table.
        header.pop()
    if not header or len(set(header)) != len(header):
        msg = f"{place}: expected different column names, but got {cut(delimiter.join(header))!r}"
        raise RatingsError(msg)
    return tuple(header), list(lines)


def row_from(place: str, cells: list[str], header: tuple[str, ...], delimiter: str) -> Row:
    """Return one row; one of another length than the header is an error that shows it."""
    if len(cells) < len(header) or any(cells[len(header) :]):
        msg = f"{place}: expected {len(header)} cells, but got {len(cells)}: {cut(delimiter.join(cells))!r}"
        raise RatingsError(msg)
    return Row(place, dict(zip(header, cells, strict=False)))


def row_of(place: str) -> str:
    """Return the row of a place without its file.

    >>> row_of("ratings/Knot_rater1.csv, row 3")
    'row 3'
    """
    return place.rsplit(", ", 1)[-1]


def elsewhere(place: str, seen: str) -> str:
    """Return how to name a place beside another: without the file when it is the same.

    >>> elsewhere("a.csv, row 3", "a.csv, row 1"), elsewhere("a.csv, row 3", "b.csv, row 1")
    ('row 1', 'b.csv, row 1')
    """
    same = place.rsplit(", ", 1)[0] == seen.rsplit(", ", 1)[0]
    return row_of(seen) if same else seen


def _lines(file: str, text: str, delimiter: str) -> Iterator[tuple[str, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            # A line of empty cells is what spreadsheets leave below a table.
            if any(stripped):
                yield f"{file}, row {reader.line_num}", stripped
    except csv.Error as error:
        msg = f"{file}, row {reader.line_num}: is no CSV: {error}; save it again as CSV"
        raise RatingsError(msg) from error
