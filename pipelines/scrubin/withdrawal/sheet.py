"""The list ``withdrawn.csv``: who withdrew, as the curator wrote it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scrubin.core import csvtext
from scrubin.core.errors import ManifestError
from scrubin.core.faults import Fault, error

NAME = "withdrawn.csv"
COLUMNS = ("participant", "recording", "date", "reason")
REASONS = ("consent", "request", "legal", "quality", "other")
"""Codes, because they are published: consent withdrawn, on request, for legal reasons, for want of quality, another reason."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Row:
    """One row: a participant with all recordings, or a single recording; the other is "".

    The date is the curator's own: a row counts from the next run on, whatever its date.
    """

    line: int
    participant: str
    recording: str
    date: str
    reason: str

    @property
    def place(self) -> str:
        """Where it stands; "" of a row that is about to be written."""
        return f"line {self.line}" if self.line else ""


def read(path: Path) -> tuple[Row, ...]:
    """Return the rows of a list; a study without the file has none.

    Raises
    ------
    ManifestError
        With every fault: whoever withdrew must never be passed over.
    """
    if not path.exists():
        return ()
    sheet = csvtext.read_path(path, NAME, COLUMNS, ())
    faults = [*sheet.faults, *(fault for row in sheet.rows for fault in _faults(row))]
    ManifestError.raise_any(faults)
    return tuple(Row(row.line, **{column: row.cells[column] for column in COLUMNS}) for row in sheet.rows)


def text_with(text: str, row: Row) -> str:
    r"""Return the text of a list with one row more, in the list's own delimiter and line ends.

    >>> text_with("participant;recording;date;reason\r\n", Row(2, "P07", "", "2026-01-31", "consent")).splitlines()[1]
    'P07;;2026-01-31;consent'
    """
    delimiter = csvtext.delimiter_of(text) if text.strip() else ","
    end = "\r\n" if "\r\n" in text else "\n"
    cells = (getattr(row, column) for column in COLUMNS)
    line = delimiter.join(f'"{cell.replace(chr(34), chr(34) * 2)}"' if re.search(r'[\t;,"]', cell) else cell for cell in cells)
    above = text or ",".join(COLUMNS)
    return f"{above}{'' if above.endswith(end) else end}{line}{end}"


def text_without(text: str, rows: Iterable[Row]) -> str:
    """Return the text of a list without some of its rows."""
    gone = {row.line for row in rows}
    return "".join(line for number, line in enumerate(text.splitlines(keepends=True), start=1) if number not in gone)


def _faults(row: csvtext.Row) -> Iterator[Fault]:
    cells = row.cells
    named = [column for column in ("participant", "recording") if cells[column]]
    if not named:
        fix = "fill in the participant, or one recording, or remove the row"
        yield error(NAME, "nobody-named", "it names nobody", fix, place=row.place)
    if len(named) > 1:
        fix = "fill in the participant when all recordings of theirs are withdrawn, else the recording"
        yield error(NAME, "both-named", "it names a participant and a recording", fix, place=row.place)
    if not is_date(cells["date"]):
        fix = "write year, month and day as 2026-01-31"
        yield error(NAME, "date", f"'{csvtext.shown(cells['date'])}' is no date", fix, place=row.place)
    if cells["reason"] not in REASONS:
        what = f"'{csvtext.shown(cells['reason'])}' is no code of a reason"
        yield error(NAME, "reason", what, f"use one of {', '.join(REASONS)}", place=row.place)


def is_date(text: str) -> bool:
    """Whether a text is a date of the calendar, written as year, month, day.

    >>> is_date("2024-02-29"), is_date("2023-02-29"), is_date("29.02.2024")
    (True, False, False)
    """
    try:
        return _DATE.fullmatch(text) is not None and bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False
