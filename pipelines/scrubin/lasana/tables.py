"""Files of annotations to tables: what they say, every cell checked.

Source: LASANA, section Data Records.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pandas as pd

from scrubin.errors import RatingsError
from scrubin.lasana.cells import COUNT, DECIMAL, DURATION, LONGEST, MISSING, NUMBER, TRUTH, TRUTH_VALUE, Kind
from scrubin.lasana.csv_document import Document
from scrubin.ratings.cells import Row, cut
from scrubin.ratings.params import TOTAL
from scrubin.ratings.rater_sheet import Sheet, canonical
from scrubin.tables.io import frame_of
from scrubin.tables.task_errors import ERRORS

RATER = re.compile(r"(?:r|rater)?0*(\d+?)(?:\.0*)?")
PLAIN = re.compile(r"[+-]?\d+(\.\d+)?")
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
        names file, row and value.
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
    rows = [(task, row.cells["id"], row.cells["split"], row.place) for row in document.rows()]
    return pd.DataFrame(rows, columns=["task", "id", "subset", "place"], dtype="str")


def sheet_of(document: Document, task: str, rater: str, *, marks_errors: bool) -> Sheet:
    """Return a document as a rater's sheet, with cells as a rater would have written them.

    Programs that write tables have spellings of their own: ``nan`` for a missing score, ``3e+00``
    for 3, ``0.0`` for rater 0; a nameless first column numbers the rows.
    """
    wanted = canonical(rater)
    columns = tuple(column for column in document.columns if column)
    rows = []
    for row in document.rows():
        cells = {name: text if name == "id" else _as_entered(text) for name, text in row.cells.items() if name}
        given = RATER.fullmatch(cells.get("rater", ""))
        if given and given[1] == wanted:
            cells["rater"] = wanted
        rows.append(Row(row.place, cells))
    return Sheet(document.file, task, wanted, marks_errors, columns, tuple(rows))


def rows_by_id(document: Document) -> dict[str, Row]:
    """Return the rows by id, in their order; an id that stands twice is an error."""
    found: dict[str, Row] = {}
    for row in document.rows():
        id_ = row.cells["id"]
        if id_ in found:
            first = found[id_].place.rsplit(", ", 1)[-1]
            msg = f"{row.place}: id '{cut(id_)}' stands twice, first in {first}; remove one of the rows"
            raise RatingsError(msg)
        found[id_] = row
    return found


def _as_entered(text: str) -> str:
    if text.lower() in MISSING:
        return ""
    if PLAIN.fullmatch(text):
        return text
    found = DECIMAL.fullmatch(text[: LONGEST + 1])
    # Not every exponent is one for decimal; and a great one would be written out.
    short = found is not None and len(text) <= LONGEST and abs(int((found[2] or "e0")[1:])) < LONGEST
    return format(Decimal(text), "f") if short else cut(text)


def _labels(rows: Mapping[str, Row], task: str, names: Sequence[str]) -> pd.DataFrame:
    values = ((id_, name, _value(row, name, TRUTH_VALUE)) for id_, row in rows.items() for name in names)
    return frame_of(
        ERRORS, [{"id": id_, "task": task, "error": name, "occurred": value} for id_, name, value in values if value is not None]
    )


def _value(row: Row, column: str, kind: Kind) -> Any:
    text = row.cells.get(column, "")
    try:
        return kind.read(text)
    except ValueError as error:
        msg = f"{row.place}: {column} is {cut(text)!r}; it should be {kind.expected}"
        raise RatingsError(msg) from error


def _require(document: Document, columns: Sequence[str]) -> None:
    for column in columns:
        if column not in document.columns:
            near = difflib.get_close_matches(column, [name for name in document.columns if name not in columns], n=1)
            hint = f"; is it '{near[0]}'?" if near else f"; the file has {', '.join(map(cut, document.columns))}"
            msg = f"{document.file}, row {document.lines[document.header].number}: column '{column}' is missing{hint}"
            raise RatingsError(msg)
