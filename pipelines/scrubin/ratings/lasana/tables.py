"""Files of annotations to tables: what they say, every cell checked.

Source: LASANA, section Data Records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pandas as pd

from scrubin.base.errors import RatingsError
from scrubin.base.tables.io import frame_of
from scrubin.base.tables.public import ERRORS
from scrubin.base.text import csv_text
from scrubin.base.text.csv_text import is_missing, missing_columns, shown
from scrubin.ratings import TOTAL
from scrubin.ratings.lasana.annotation_text import COUNT, DURATION, LONGEST, NUMBER, TRUTH, TRUTH_VALUE, CellType, Document
from scrubin.ratings.rater_sheet import TEXTS, RaterSheet, RatingRow, canonical

_RATER = re.compile(r"(?:r|rater)?0*(\d+?)(?:\.0*)?")
_PLAIN = re.compile(r"[+-]?\d+(\.\d+)?")
OWN = ("id", "duration", "frame_count")


@dataclass(frozen=True)
class Main:
    """What ``<Task>.csv`` says.

    Parameters
    ----------
    skill
        id, task, GRS and the aspects, as published (NaN = undefined).
    errors
        The table ``errors``; a recording without label has no row.
    recordings
        task, id, duration_s (NaN = unknown), frame_count (null = unknown).
    error_names, others
        Columns of error labels; columns that are none of LASANA's.
    """

    skill: pd.DataFrame
    errors: pd.DataFrame
    recordings: pd.DataFrame
    error_names: tuple[str, ...]
    others: tuple[str, ...]


def main_of(document: Document, task: str, aspects: Sequence[str], known_errors: Sequence[str]) -> Main:
    """Return what the main file of a task says.

    Columns are in any order. An error label is every further column that the parameters name
    or that holds True or False; what else there is, is kept in the file but has no meaning.

    Raises
    ------
    RatingsError
        For a missing column, an id that stands twice, or a cell that cannot be what it should;
        names file, line and value.
    """
    rows = rows_by_id(document)
    scores = [TOTAL, *aspects]
    _require(document, scores)
    further = [column for column in document.columns if column not in (*scores, *OWN)]
    names = tuple(
        column for column in further if column in known_errors or any(row.cells[column].lower() in TRUTH for row in rows.values())
    )
    skill = [{"id": id_, "task": task, **{name: _value(row, name, NUMBER) for name in scores}} for id_, row in rows.items()]
    times = [
        {"task": task, "id": id_, "duration_s": _value(row, "duration", DURATION), "frame_count": _value(row, "frame_count", COUNT)}
        for id_, row in rows.items()
    ]
    recordings = pd.DataFrame(times, columns=["task", "id", "duration_s", "frame_count"])
    return Main(
        pd.DataFrame(skill, columns=["id", "task", *scores]).astype(dict.fromkeys(scores, "float64")),
        _labels(rows, task, names),
        recordings.astype({"duration_s": "float64", "frame_count": "Int64"}),
        names,
        tuple(column for column in further if column and column not in names),
    )


def labels_of(document: Document, task: str) -> pd.DataFrame:
    """Return ``<Task>_errors.csv`` as the table ``errors``; its errors are those of ``main_of``."""
    return _labels(rows_by_id(document), task, error_names(document))


def error_names(document: Document) -> tuple[str, ...]:
    """Return the error columns of a file of marks or labels, in order."""
    return tuple(column for column in document.columns if column not in ("", "id", "rater"))


def split_of(document: Document, task: str) -> pd.DataFrame:
    """Return the rows of ``<Task>_split.csv`` in their order: task, id, subset, place.

    An id may stand twice here: that is for the curator to see, not for the reader to refuse.
    """
    _require(document, ["split"])
    rows = [(task, row.cells["id"], row.cells["split"], row.where) for row in document.rows()]
    return pd.DataFrame(rows, columns=["task", "id", "subset", "place"], dtype="str")


def sheet_of(document: Document, task: str, rater: str, *, marks_errors: bool) -> RaterSheet:
    """Return a document as a rater's sheet, with cells as a rater would have written them.

    Programs that write tables have spellings of their own: ``nan`` for a missing score, ``3e+00``
    for 3, ``0.0`` for rater 0; a nameless first column numbers the rows.
    """
    wanted = canonical(rater)
    columns = tuple(column for column in document.columns if column)
    rows = []
    for row in entered_rows(document):
        cells = {name: text if name == "id" else _as_entered(text) for name, text in row.cells.items() if name}
        number = _RATER.fullmatch(cells.get("rater", ""))
        if number and number[1] == wanted:
            cells["rater"] = wanted
        rows.append(RatingRow(row.file, row.line, cells))
    header_line = document.lines[document.header].number
    return RaterSheet(document.file, task, wanted, marks_errors, columns, tuple(rows), header_line)


def entered_rows(document: Document) -> list[RatingRow]:
    """Return the rows of a rater's document, decimal commas as points; what can be read in two ways is an error."""
    rows = list(document.rows())
    cells = tuple(csv_text.CsvRow(row.line, row.cells, ()) for row in rows)
    numeric = [name for name in document.columns if name and name not in TEXTS]
    sheet, unclear = csv_text.with_points(csv_text.Sheet(document.file, document.delimiter, document.columns, rows=cells), numeric)
    RatingsError.raise_any(unclear)
    return [replace(row, cells=one.cells) for row, one in zip(rows, sheet.rows, strict=True)]


def rows_by_id(document: Document, *, entered: bool = False) -> dict[str, RatingRow]:
    """Return the rows by id, in their order, ``entered`` as of `entered_rows`; ids that stand twice are errors."""
    rows: dict[str, RatingRow] = {}
    faults = []
    for row in entered_rows(document) if entered else document.rows():
        first = rows.setdefault(row.cells["id"], row)
        if first is not row:
            what = f"id '{shown(row.cells['id'])}' stands twice, first in line {first.line}"
            faults.append(row.fault("id-repeated", what, "remove one of the rows"))
    RatingsError.raise_any(faults)
    return rows


def _as_entered(text: str) -> str:
    if is_missing(text):
        return ""
    if _PLAIN.fullmatch(text):
        return text
    number = csv_text.NUMBER.fullmatch(text[: LONGEST + 1])
    # Not every exponent is one for decimal; and a great one would be written out.
    short = number is not None and len(text) <= LONGEST and abs(int((number[2] or "e0")[1:])) < LONGEST
    return format(Decimal(text), "f") if short else shown(text)


def _labels(rows: Mapping[str, RatingRow], task: str, names: Sequence[str]) -> pd.DataFrame:
    values = ((id_, name, _value(row, name, TRUTH_VALUE)) for id_, row in rows.items() for name in names)
    return frame_of(
        ERRORS, [{"id": id_, "task": task, "error": name, "occurred": value} for id_, name, value in values if value is not None]
    )


def _value(row: RatingRow, column: str, cell_type: CellType) -> Any:
    text = row.cells.get(column, "")
    try:
        return cell_type.read(text)
    except ValueError as error:
        fault = row.fault("cell-value", f"{column} is '{shown(text)}'", f"it should be {cell_type.expected}")
        raise RatingsError([fault]) from error


def _require(document: Document, columns: Sequence[str]) -> None:
    RatingsError.raise_any(missing_columns(document.file, document.header_place, document.columns, columns))
