"""CSV documents that keep their spelling: what is not changed is written back byte for byte.

A published file is more than its values: the order of rows and columns, ``3`` or ``3.0``, line
ends, quotation marks, a byte order mark. A document keeps all of it beside the values, so that
a file passes through unchanged and a changed value changes nothing but its own cell.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from scrubin.base import csv_text
from scrubin.base.errors import RatingsError
from scrubin.ratings.rater_sheet import RatingRow

_MARK = csv_text.BYTE_ORDER_MARK.decode()
_END = re.compile(r"\r\n|\n|\r")
_NEEDS_QUOTES = re.compile(r'["\r\n]')


@dataclass(frozen=True)
class Line:
    """One line as it is spelled: where it begins, its cells with their quotation marks, and its end."""

    number: int
    raws: tuple[str, ...]
    end: str

    @property
    def texts(self) -> list[str]:
        """The cells without quotation marks and surrounding blanks."""
        return [text_of(raw) for raw in self.raws]

    @property
    def blank(self) -> bool:
        """Whether this is what spreadsheets leave below a table."""
        return csv_text.is_empty(self.texts)


@dataclass(frozen=True)
class Document:
    """One CSV; ``header`` is the place of the header among the lines."""

    file: str
    mark: str
    delimiter: str
    lines: tuple[Line, ...]
    header: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order; that of row numbers is empty."""
        names = self.lines[self.header].texts
        while not names[-1]:
            names.pop()
        return tuple(names)

    @property
    def header_place(self) -> str:
        """Where the header stands, for faults."""
        return f"line {self.lines[self.header].number}"

    def rows(self) -> Iterator[RatingRow]:
        """Yield the rows below the header, blank lines left out."""
        columns = self.columns
        for line in self.lines[self.header + 1 :]:
            if not line.blank:
                yield RatingRow(self.file, line.number, dict(zip(columns, line.texts, strict=False)))

    def render(self) -> bytes:
        """Return the file."""
        return (self.mark + "".join(self.delimiter.join(line.raws) + line.end for line in self.lines)).encode()

    def with_cells(self, cells: Mapping[tuple[str, str], str]) -> Document:
        """Return the document with other texts in some cells, by (id, column).

        Quotation marks stay, and are added where the text needs them.
        """
        columns = self.columns
        place = columns.index("id")

        def changed(line: Line) -> Line:
            name = text_of(line.raws[place])
            new = {at: cells[name, column] for at, column in enumerate(columns) if (name, column) in cells}
            return replace(line, raws=tuple(self._spelled(new[at], like=raw) if at in new else raw for at, raw in enumerate(line.raws)))

        return replace(self, lines=tuple(changed(line) if self._is_row(at) else line for at, line in enumerate(self.lines)))

    def without(self, ids: Collection[str]) -> Document:
        """Return the document without the rows of some ids."""
        place = self.columns.index("id")
        kept = (line for at, line in enumerate(self.lines) if not (self._is_row(at) and text_of(line.raws[place]) in ids))
        return replace(self, lines=tuple(kept))

    def with_rows(self, rows: Iterable[Mapping[str, str]]) -> Document:
        """Return the document with more rows below its last one, spelled like it; what is not given is empty."""
        lines, columns = list(self.lines), self.columns
        for row in rows:
            last = max(at for at, line in enumerate(lines) if at == self.header or not line.blank)
            above, end = lines[last], lines[self.header].end or "\n"
            texts = [row.get(column, "") for column in columns] + [""] * (len(above.raws) - len(columns))
            raws = tuple(self._spelled(text, like=raw) for text, raw in zip(texts, above.raws, strict=True))
            # A file whose last line has no end keeps it that way.
            lines[last : last + 1] = [replace(above, end=above.end or end), Line(above.number + 1, raws, above.end)]
        return replace(self, lines=tuple(lines))

    def _spelled(self, text: str, like: str) -> str:
        quoted = like.lstrip(" ").startswith('"') or self.delimiter in text or _NEEDS_QUOTES.search(text)
        return '"' + text.replace('"', '""') + '"' if quoted else text

    def _is_row(self, place: int) -> bool:
        return place > self.header and not self.lines[place].blank


def read(path: Path) -> Document:
    """Return a file as a document that names the file without its folder; its errors are those of `parse`."""
    data, faults = csv_text.data_of(path, path.name)
    RatingsError.raise_any(faults)
    return parse(path.name, data)


def parse(file: str, data: bytes) -> Document:
    """Return the document of a file's bytes.

    Raises
    ------
    RatingsError
        When it is no sound CSV (`scrubin.base.csv_text`) with a column ``id``, or an id is empty.
    """
    sheet = csv_text.read(file, data, ["id"])
    RatingsError.raise_any(sheet.faults)
    text = data.decode()
    mark = _MARK if text.startswith(_MARK) else ""
    lines = tuple(_lines(text[len(mark) :], sheet.delimiter))
    document = Document(file, mark, sheet.delimiter, lines, next(place for place, line in enumerate(lines) if not line.blank))
    unnamed = [row for row in document.rows() if not row.cells["id"]]
    RatingsError.raise_any(row.fault("id-empty", "id is empty", "name the recording, or remove the row") for row in unnamed)
    return document


def text_of(raw: str) -> str:
    """Return a cell without its quotation marks and surrounding blanks.

    >>> text_of('" a;b "')
    'a;b'
    """
    bare = raw.lstrip(" ")
    return (bare[1:-1].replace('""', '"') if bare.startswith('"') else bare).strip()


def _lines(text: str, delimiter: str) -> Iterator[Line]:
    """Yield the lines of a sound CSV as they are spelled."""
    cell = re.compile(rf' *"(?:[^"]|"")*"|[^{delimiter}\r\n]*')
    place, number = 0, 1
    while place < len(text):
        raws: list[str] = []
        while True:
            match = cell.match(text, place)
            raws.append(match[0] if match else "")
            place += len(raws[-1])
            if text[place : place + 1] != delimiter:
                break
            place += 1
        end = _END.match(text, place)
        yield Line(number, tuple(raws), end[0] if end else "")
        place += len(end[0]) if end else 0
        # Counted as editors count lines: also those inside of quotation marks.
        number += 1 + len(_END.findall(delimiter.join(raws)))
