"""Text files: Markdown, checksums and other plain text; CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import pandas as pd

from scrubin.release.audit.findings import Contents, Fault, Text
from scrubin.release.audit.order import fault as order_fault
from scrubin.release.audit.order import text_fault
from scrubin.release.audit.strings.private_columns import Public, of_a_day, private_tables

DELIMITERS = ",;\t|"
SHOWN = 3


def read_text(data: bytes, ids: frozenset[str]) -> Contents:
    """Return the faults and the text of a document.

    Raises
    ------
    ValueError
        When it is not UTF-8.
    """
    text = data.decode("utf-8")
    message = text_fault(text, ids)
    return Contents([Fault("order", "text", message)] if message else [], [Text("text", text)])


def read_csv(data: bytes, public: Public) -> Contents:
    """Return the faults and texts of a CSV file with a header, in any usual dialect.

    Raises
    ------
    ValueError
        When it is not UTF-8, or cannot be split into rows.
    """
    text = data.decode("utf-8").removeprefix("\ufeff")
    rows = _rows(text)
    header, body = rows[0], rows[1:]
    faults = [*_columns(header, public), *_widths(rows)]
    texts = [Text("text", text, structured=True)]
    if not any(fault.rule == "unreadable" for fault in faults):
        table = pd.DataFrame(body, columns=[str(number) for number in range(len(header))], dtype=object)
        table = table.rename(columns={str(header.index("id")): "id"} if "id" in header else {})
        message = order_fault(table, public.ids)
        faults += [Fault("order", "rows", message)] if message else []
        cells = {name: [row[number] for row in body] for number, name in enumerate(header) if of_a_day(name)}
        texts += [Text(f"column {name}", "\n".join(sorted(set(values)))) for name, values in cells.items()]
    return Contents(faults, texts)


def _rows(text: str) -> list[list[str]]:
    """Return header and rows, split at the delimiter that makes all rows alike, the widest when several do."""
    every = [_split(text, delimiter) for delimiter in DELIMITERS if delimiter in text] or [_split(text, DELIMITERS[0])]
    used = [rows for rows in every if any(len(row) > 1 for row in rows)]
    alike = [rows for rows in used if len({len(row) for row in rows}) == 1]
    return max(alike or used or every, key=lambda rows: len(rows[0]))


def _split(text: str, delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)) or [[]]
    except csv.Error as error:
        msg = f"it is no CSV: {error}"
        raise ValueError(msg) from error


def _columns(header: list[str], public: Public) -> Iterator[Fault]:
    for name in sorted(set(header)):
        if public.is_private(name):
            yield Fault("private-column", f"column {name}", "this column is private; leave it out")
    for table in private_tables("", header):
        yield Fault("private-table", "header", f"this is the private table '{table}'; take the file out")


def _widths(rows: list[list[str]]) -> Iterator[Fault]:
    """Refuse what no header explains: rows of another width, empty lines, comments above the header."""
    odd = [number for number, row in enumerate(rows, start=1) if len(row) != len(rows[0])]
    if odd:
        named = ", ".join(map(str, odd[:SHOWN]))
        yield Fault("unreadable", f"row {named}", f"expected {len(rows[0])} cells as in the first row; write header and rows only")
    if rows[0] and rows[0][0].lstrip().startswith("#"):
        yield Fault("unreadable", "row 1", "expected the names of columns, but got a comment; write header and rows only")
