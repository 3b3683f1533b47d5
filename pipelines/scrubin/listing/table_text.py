"""A CSV of the curator's as text, of which single rows are taken out or single cells exchanged; all else stays as it was written."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from scrubin.core import csvtext

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")


@dataclass(frozen=True)
class Changed:
    """A changed text, and the rows that were changed: the line in which each begins, and how it was written."""

    text: str
    rows: tuple[tuple[int, str], ...]


def without(text: str, sheet: csvtext.Sheet, column: str, names: Container[str]) -> Changed:
    """Return a text without the rows whose cell in a column is one of these names.

    Parameters
    ----------
    text, sheet
        The file as text, and as it was read.
    """
    return _changed(text, sheet, column, names, lambda row: "")


def renamed(text: str, sheet: csvtext.Sheet, column: str, old: str, new: str) -> Changed:
    """Return a text in which a cell of a column that has the old name has the new one; parameters as of `without`."""

    def with_name(row: str) -> str:
        end = row[len(row.rstrip("\r\n")) :]
        cells = next(csv.reader([row.rstrip("\r\n")], delimiter=sheet.delimiter, skipinitialspace=True))
        at = list(sheet.columns).index(column) + sheet.row_numbers
        written = io.StringIO()
        csv.writer(written, delimiter=sheet.delimiter, lineterminator="").writerow([*cells[:at], new, *cells[at + 1 :]])
        return written.getvalue() + end

    return _changed(text, sheet, column, {old}, with_name)


def _changed(text: str, sheet: csvtext.Sheet, column: str, names: Container[str], change: Callable[[str], str]) -> Changed:
    rows = [*sheet.rows, *(misfit.row for misfit in sheet.misfits)]
    wanted = {row.line for row in rows if row.cells.get(column, "") in names and row.cells.get(column)}
    if not wanted:
        return Changed(text, ())
    lines: Sequence[str] = _LINES.findall(text)
    starts = sorted({row.line for row in rows})
    ends = dict(zip(starts, [*starts[1:], len(lines) + 1], strict=True))
    first = starts[0] - 1
    parts, done = ["".join(lines[:first])], []
    for start in starts:
        row = "".join(lines[start - 1 : ends[start] - 1])
        if start in wanted:
            done.append((start, row.rstrip("\r\n")))
            row = change(row)
        parts.append(row)
    return Changed("".join(parts), tuple(done))
