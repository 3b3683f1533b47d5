"""The cells of a CSV file of somebody's own: commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrubin.errors import SplitError

DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True)
class Grid:
    """The cells of a CSV file: headers, and per row its line and its cells."""

    name: str
    headers: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]

    def column(self, header: str) -> str | None:
        """Return the header of this name, case and spaces aside."""
        return next((found for found in self.headers if folded(found) == folded(header)), None)

    def mapping(self, cells: Sequence[str]) -> dict[str, str]:
        """Return the cells of a row by header."""
        return dict(zip(self.headers, cells, strict=True))


def read(path: Path, name: str, liked: Callable[[Grid], int] = lambda grid: len(grid.headers)) -> Grid:
    """Return the cells of a CSV file; of all delimiters the one whose headers are liked best.

    Raises
    ------
    SplitError
        When it is missing, empty, not text, or a row has another number of cells than the header.
    """
    text = _text(path, name)
    found = [(_headers(text, delimiter), delimiter) for delimiter in DELIMITERS]
    liking = [(liked(Grid(name, headers, ())), len(headers), -i) for i, (headers, _) in enumerate(found)]
    grid = _parsed(text, found[-max(liking)[2]][1], name)
    twice = sorted({header for header in grid.headers if header and [folded(other) for other in grid.headers].count(folded(header)) > 1})
    if twice:
        msg = f"{name}: column '{twice[0]}' stands twice in the header; rename or remove one"
        raise SplitError(msg)
    for line, cells in grid.rows:
        if len(cells) != len(grid.headers):
            msg = f"{name}, row {line}: has {len(cells)} cells, but the header has {len(grid.headers)} columns; correct the row"
            raise SplitError(msg)
    return grid


def folded(header: str) -> str:
    """Return a header without case, spaces and underscores."""
    return re.sub(r"[\s_\-]+", "", header).casefold()


def _text(path: Path, name: str) -> str:
    # A pipe is read like a file.
    if not path.exists() or path.is_dir():
        msg = f"{name}: {'it is a folder' if path.is_dir() else 'the file is missing'}; name a CSV file"
        raise SplitError(msg)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{name}: is not UTF-8 text ({error.reason} at byte {error.start}); save it as CSV in UTF-8"
        raise SplitError(msg) from error
    except OSError as error:
        msg = f"{name}: cannot be read: {error.strerror}; correct its permissions"
        raise SplitError(msg) from error
    if "\0" in text:
        row = text[: text.index("\0")].count("\n") + 1
        msg = f"{name}, row {row}: holds a NUL byte, so it is damaged or no text; save it again as CSV in UTF-8"
        raise SplitError(msg)
    if not text.strip():
        msg = f"{name}: the file is empty; expected a header and one row per recording"
        raise SplitError(msg)
    return text


def _parsed(text: str, delimiter: str, name: str) -> Grid:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    rows: list[tuple[int, tuple[str, ...]]] = []
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((line, tuple(cells)))
            line = reader.line_num + 1
    except csv.Error as error:
        msg = f"{name}, row {line}: cannot be read as CSV: {error}; correct the row"
        raise SplitError(msg) from error
    headers = _trimmed(rows[0][1]) if rows else ()
    width = len(headers)
    return Grid(name, headers, tuple((at, cells if any(cells[width:]) else cells[:width]) for at, cells in rows[1:]))


def _headers(text: str, delimiter: str) -> tuple[str, ...]:
    # Not strict: whether the file is sound is asked when its delimiter is known.
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        return _trimmed(next((cells for cells in rows if any(cell.strip() for cell in cells)), []))
    except csv.Error:
        return ()


def _trimmed(cells: Sequence[str]) -> tuple[str, ...]:
    headers = [cell.strip() for cell in cells]
    # Spreadsheets add empty columns at the end.
    while headers and not headers[-1]:
        headers.pop()
    return tuple(headers)
