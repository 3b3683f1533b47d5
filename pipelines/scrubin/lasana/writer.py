"""Tables to files of annotations: as they were where nothing changed, else in our own spelling.

Source: LASANA, section Data Records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from scrubin.lasana import csv_text
from scrubin.lasana.cells import COUNT, DURATION, NUMBER, TRUTH_VALUE, CellType
from scrubin.lasana.csv_document import Document
from scrubin.lasana.files import TaskFiles
from scrubin.lasana.tables import Main, rows_by_id
from scrubin.ratings.params import TOTAL

_Values = Mapping[str, Mapping[str, Any]]
"""Values by id and column; None is undefined."""


def main_bytes(document: Document, before: Main, after: Main, aspects: Sequence[str]) -> bytes:
    """Return a published main file with what changed between two readings of it.

    Parameters
    ----------
    document
        The file that ``before`` was read of.
    before, after
        What it says, and what it should say: a new recording is appended, one that is gone is
        removed, and every cell whose value did not change stays as it is spelled.
    aspects
        The aspects beside the total.
    """
    cell_types = {name: TRUTH_VALUE for name in before.error_names} | dict.fromkeys((TOTAL, *aspects), NUMBER)
    cell_types |= {name: cell_type for name, cell_type in (("duration", DURATION), ("frame_count", COUNT)) if name in document.columns}
    return rewritten(document, _main_values(before, aspects), _main_values(after, aspects), cell_types)


def rewritten(document: Document, before: _Values, after: _Values, cell_types: Mapping[str, CellType]) -> bytes:
    """Return a file with other values where they changed.

    Raises
    ------
    RatingsError
        When something changed and an id stands twice in the file.
    """
    if before == after:
        return document.render()
    rows = rows_by_id(document)
    cells = {
        (id_, column): cell_type.show(after[id_].get(column))
        for id_ in rows
        if id_ in after
        for column, cell_type in cell_types.items()
        if before.get(id_, {}).get(column) != after[id_].get(column)
    }
    gone = {id_ for id_ in rows if id_ in before and id_ not in after}
    new = [
        {"id": id_, **{column: cell_type.show(after[id_].get(column)) for column, cell_type in cell_types.items()}}
        for id_ in sorted(set(after) - set(rows))
    ]
    return document.with_cells(cells).without(gone).with_rows(new).render()


def canonical_files(task: str, ratings: pd.DataFrame, main: Main, aspects: Sequence[str], *, timed: bool) -> dict[str, bytes]:
    """Return the main file and the raters' sheets of a task in our own spelling, sorted by id."""
    recordings = main.recordings.sort_values("id")
    texts = {f"{task}.csv": csv_text.main_csv(main.skill, main.errors, recordings, aspects, main.error_names, timed=timed)}
    return {name: text.encode() for name, text in texts.items()} | sheet_files(task, ratings, aspects)


def sheet_files(task: str, ratings: pd.DataFrame, aspects: Sequence[str]) -> dict[str, bytes]:
    """Return the raters' sheets of a task in our own spelling, sorted by id."""
    raters = sorted(set(ratings.rater))
    return {f"{task}_rater{rater}.csv": csv_text.rater_csv(task, rater, ratings, aspects).encode() for rater in raters}


def unchanged(files: TaskFiles) -> dict[str, bytes]:
    """Return all files of a task as they are."""
    return {document.file: document.render() for document in files.documents}


def _main_values(main: Main, aspects: Sequence[str]) -> _Values:
    values: dict[str, dict[str, Any]] = {id_: {} for id_ in main.recordings.id}
    for frame, names in (
        (main.recordings, {"duration_s": "duration", "frame_count": "frame_count"}),
        (main.skill, dict.fromkeys((TOTAL, *aspects))),
    ):
        for row in frame.to_dict("records"):
            values.setdefault(row["id"], {}).update({new or old: _plain(row[old]) for old, new in names.items()})
    for id_, labels in _wide(main.errors, "error", "occurred").items():
        values.setdefault(id_, {}).update(labels)
    return values


def _wide(frame: pd.DataFrame, names: str, value: str) -> dict[str, dict[str, Any]]:
    by_id: dict[str, dict[str, Any]] = {}
    for id_, name, cell in zip(frame.id, frame[names], frame[value], strict=True):
        by_id.setdefault(id_, {})[name] = _plain(cell)
    return by_id


def _plain(value: Any) -> Any:
    return None if pd.isna(value) else value
