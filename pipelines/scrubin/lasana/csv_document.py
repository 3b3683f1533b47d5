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

from scrubin.errors import RatingsError
from scrubin.ratings.cells import Row, cut

MARK = "\ufeff"
CELL = re.compile(r'"(?:[^"]|"")*"|[^;\r\n"][^;\r\n]*|')
END = re.compile(r"\r\n|\n|\r")
NEEDS_QUOTES = re.compile(r'[;"\r\n]')


@dataclass(frozen=True)
class Line:
    """One line as it is spelled: its cells with their quotation marks, and its end."""

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
        return not any(self.texts)


@dataclass(frozen=True)
class Document:
    """One CSV with semicolons; ``header`` is the place of the header among the lines."""

    file: str
    mark: str
    lines: tuple[Line, ...]
    header: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order; spreadsheets write empty ones beside a table."""
        names = self.lines[self.header].texts
        while not names[-1]:
            names.pop()
        return tuple(names)

    def rows(self) -> Iterator[Row]:
        """Yield the rows below the header, blank lines left out."""
        columns = self.columns
        for line in self.lines[self.header + 1 :]:
            if not line.blank:
                yield Row(f"{self.file}, row {line.number}", dict(zip(columns, line.texts, strict=False)))

    def render(self) -> bytes:
        """Return the file."""
        return (self.mark + "".join(";".join(line.raws) + line.end for line in self.lines)).encode()

    def with_cells(self, cells: Mapping[tuple[str, str], str]) -> Document:
        """Return the document with other texts in some cells, by (id, column).

        Quotation marks stay, and are added where the text needs them.
        """
        columns = self.columns
        place = columns.index("id")

        def changed(line: Line) -> Line:
            name = text_of(line.raws[place])
            new = {at: cells[name, column] for at, column in enumerate(columns) if (name, column) in cells}
            return replace(line, raws=tuple(_spelled(new[at], like=raw) if at in new else raw for at, raw in enumerate(line.raws)))

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
            raws = tuple(_spelled(text, like=raw) for text, raw in zip(texts, above.raws, strict=True))
            # A file whose last line has no end keeps it that way.
            lines[last : last + 1] = [replace(above, end=above.end or end), Line(above.number + 1, raws, above.end)]
        return replace(self, lines=tuple(lines))

    def _is_row(self, place: int) -> bool:
        return place > self.header and not self.lines[place].blank


def read(path: Path) -> Document:
    """Return a file as a document that names the file without its folder.

    Raises
    ------
    RatingsError
        When it cannot be read, is no UTF-8, or no CSV with semicolons and equally long rows.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path.name}: cannot be read: {error.strerror}; make it readable"
        raise RatingsError(msg) from error
    return parse(path.name, data)


def parse(file: str, data: bytes) -> Document:
    """Return the document of a file's bytes; its errors are those of ``read``."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        msg = f"{file}: cannot be read as UTF-8 text: {error}; save it as CSV UTF-8"
        raise RatingsError(msg) from error
    if "\0" in text:
        row = text[: text.index("\0")].count("\n") + 1
        msg = f"{file}, row {row}: holds a NUL byte, so it is damaged or no UTF-8 text; save it again as CSV UTF-8"
        raise RatingsError(msg)
    mark = MARK if text.startswith(MARK) else ""
    lines = tuple(_lines(file, text[len(mark) :]))
    filled = [place for place, line in enumerate(lines) if not line.blank]
    if not filled:
        msg = f"{file}: it is empty; write at least the names of the columns, or remove the file"
        raise RatingsError(msg)
    document = Document(file, mark, lines, filled[0])
    _check(document)
    return document


def text_of(raw: str) -> str:
    """Return a cell without its quotation marks and surrounding blanks.

    >>> text_of('" a;b "')
    'a;b'
    """
    bare = raw[1:-1].replace('""', '"') if raw.startswith('"') else raw
    return bare.strip()


def _spelled(text: str, like: str) -> str:
    quoted = like.startswith('"') or NEEDS_QUOTES.search(text)
    return '"' + text.replace('"', '""') + '"' if quoted else text


def _lines(file: str, text: str) -> Iterator[Line]:
    place, number = 0, 0
    while place < len(text):
        raws: list[str] = []
        while True:
            cell = CELL.match(text, place)
            raws.append(cell[0] if cell else "")
            place += len(raws[-1])
            if text[place : place + 1] != ";":
                break
            place += 1
        # Counted as editors count lines: also those inside of quotation marks.
        number += 1 + len(END.findall(";".join(raws)))
        end = END.match(text, place)
        if end is None and place < len(text):
            msg = (
                f"{file}, row {number}: is no CSV: quotation marks do not close, or text follows them; save it again as CSV with semicolons"
            )
            raise RatingsError(msg)
        yield Line(number, tuple(raws), end[0] if end else "")
        place += len(end[0]) if end else 0


def _check(document: Document) -> None:
    header = document.lines[document.header]
    place = f"{document.file}, row {header.number}"
    columns = document.columns
    if len(columns) == 1 and "," in columns[0]:
        msg = f"{place}: expected columns separated by semicolons, but got {cut(columns[0])!r}; save it as CSV with semicolons"
        raise RatingsError(msg)
    if len(set(columns)) != len(columns):
        msg = f"{place}: expected different column names, but got {cut(';'.join(columns))!r}"
        raise RatingsError(msg)
    if "id" not in columns:
        msg = f"{place}: column 'id' is missing; the file has {', '.join(map(cut, columns))}"
        raise RatingsError(msg)
    for line in document.lines[document.header + 1 :]:
        place, texts = f"{document.file}, row {line.number}", line.texts
        if not line.blank and (len(texts) < len(columns) or any(texts[len(columns) :])):
            msg = f"{place}: expected {len(columns)} cells, but got {len(texts)}: {cut(';'.join(line.raws))!r}"
            raise RatingsError(msg)
        if not line.blank and not texts[columns.index("id")]:
            msg = f"{place}: id is empty; name the recording, or remove the row"
            raise RatingsError(msg)
