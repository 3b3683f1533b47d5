"""Our tables as bytes of parquet or CSV files, with ``labels.json``, which says what they do not.

The rate of its labels and the size of the images; and the names of vocabularies that no data file has.
"""

from __future__ import annotations

import io as text_io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.base import unpacking
from scrubin.base.errors import AnnotationError, FileError, TableError
from scrubin.base.faults import Fault, Faults
from scrubin.base.tables import Column, Table, io
from scrubin.base.tables.public import (
    ERRORS,
    FACTS,
    LABELLED,
    MARKS,
    MASKS,
    PHASES,
    POINTS,
    RATINGS,
    SEGMENTS,
    TRACKS,
    TRIPLETS,
    skill_table,
)
from scrubin.base.text import csv_text
from scrubin.base.vocabulary import own_categories, vocabulary
from scrubin.base.vocabulary.vocabulary import NAMINGS, Vocabulary
from scrubin.labels.model import Labels
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where


def declared(table: str, columns: list[str]) -> Table:
    """Return the declaration of a table by name; that of skill has the aspects among the columns."""
    aspects = tuple(name for name in columns if name not in skill_table(()).column_names)
    by_name = {one.name: one for one in (LABELLED, TRIPLETS, PHASES, SEGMENTS, MASKS, TRACKS, POINTS, MARKS, RATINGS, ERRORS, FACTS)}
    return {**by_name, "skill": skill_table(aspects)}[table]


def table_of(file: str, data: bytes, table: str) -> pd.DataFrame:
    """Return a table held to its declaration.

    Raises
    ------
    AnnotationError
        Names file, column and rows of the first fault.
    """
    try:
        if file.endswith(".parquet"):
            frame = unpacking.to_pandas(unpacking.parquet(data, file))
        else:
            text = documents.text(file, data)
            separator = csv_text.delimiter_of(text)
            frame = pd.read_csv(text_io.StringIO(text), sep=separator, dtype="str", keep_default_na=False, na_values=[""])
            frame = frame.astype(object).where(frame.notna(), None)
            for column in declared(table, list(frame.columns)).columns:
                if column.name in frame:
                    frame[column.name] = [_cell(file, row, column, value) for row, value in enumerate(frame[column.name], 1)]
        return io.conform(declared(table, list(frame.columns)), frame)
    except pd.errors.EmptyDataError as error:
        raise AnnotationError([Fault(file, "file-empty", "it is empty", "write the table again, or remove the file")]) from error
    except (FileError, pa.ArrowException, pd.errors.ParserError) as error:
        what = f"cannot be read as a table: {str(error).splitlines()[0]}"
        raise AnnotationError([Fault(file, "table-unreadable", what, "write it again")]) from error
    except TableError as error:
        raise AnnotationError([Fault(file, "table-declaration", str(error), "correct it, or write the table again")]) from error


def _cell(file: str, row: int, column: Column, value: str | None) -> Any:
    if value is None or column.dtype == "str":
        return value
    read_as: Mapping[str, Callable[[str], Any]] = {"int64": _integer, "float64": float, "bool": {"True": True, "False": False}.__getitem__}
    try:
        return read_as[column.dtype](value)
    except (ValueError, KeyError) as error:
        place = f"column '{column.name}', row {row}"
        raise AnnotationError([Fault(file, "value-type", f"'{value}' is no {column.dtype}", "correct it", place=place)]) from error


def _integer(text: str) -> int:
    value = int(text)  # which also takes 1_0 and digits of other scripts
    if not text.lstrip("-").isdecimal() or not text.isascii() or not -(2**63) <= value < 2**63:
        raise ValueError(text)
    return value


def bytes_of(table: Table, frame: pd.DataFrame, suffix: str) -> bytes:
    """Return a table as parquet or CSV; equal rows give equal bytes."""
    typed = io.conform(table, frame[table.column_names])
    if suffix == "csv":
        return typed.to_csv(index=False, lineterminator="\n").encode()
    arrow = pa.Table.from_pandas(typed, schema=table.schema, preserve_index=False).replace_schema_metadata(table.schema.metadata)
    buffer = text_io.BytesIO()
    pq.write_table(arrow, buffer, compression="zstd")
    return buffer.getvalue()


NOTES = "labels.json"
HIGHEST_FPS = 1000
IN_TABLE = ("labelled", "detail")
"""What the table ``labelled`` says."""
AGAIN = "write the tables again"


@dataclass(frozen=True)
class Note:
    """What is said of one recording.

    Parameters
    ----------
    fps
        Labels per second.
    vocabulary
        Its name; None where only the rows say it.
    image_size
        Width and height in px; None where they are not known or differ.
    """

    fps: Fraction = Fraction(1)
    vocabulary: str | None = None
    image_size: tuple[int, int] | None = None


@dataclass(frozen=True)
class Notes:
    """The whole file."""

    recordings: Mapping[str, Note] = field(default_factory=dict)
    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)


def read(file: str, data: bytes) -> Notes:
    """Return what ``labels.json`` says.

    Raises
    ------
    AnnotationError
        Names recording, key and value of every fault.
    """
    document = documents.json_object(file, data)
    recordings, lists = document.get("recordings"), document.get("vocabularies", {})
    if not isinstance(recordings, Mapping) or not isinstance(lists, Mapping):
        what = "expected objects 'recordings' and 'vocabularies'"
        raise AnnotationError([Fault(file, "value-type", what, AGAIN)])
    faults = Faults()
    notes = {str(id_): _note(Where(faults, file, f"recording '{id_}'"), raw) for id_, raw in recordings.items()}
    vocabularies: dict[str, Vocabulary] = {}
    for name, raw in lists.items():
        try:
            names = _lists(file, name, raw)
            vocabularies[name] = own_categories.of_categories(file, names)
        except AnnotationError as error:
            faults.extend(error.faults)
    AnnotationError.raise_any(faults)
    return Notes(notes, vocabularies)


def _note(where: Where, raw: Any) -> Note:
    if not isinstance(raw, Mapping):
        where.error("value-type", f"expected an object, but got {documents.shown(raw)}", AGAIN)
        return Note()

    def refuse(key: str, expected: str) -> None:
        where.error("value-type", f"'{key}' is {documents.shown(raw[key])}, expected {expected}", AGAIN)

    fps, size = rate(raw.get("fps", "1")), raw.get("image_size")
    if fps is None:
        refuse("fps", f'a rate above 0 and up to {HIGHEST_FPS}, such as "1" or "30000/1001"')
    if not isinstance(raw.get("vocabulary", ""), str):
        refuse("vocabulary", "a name")
    for key in IN_TABLE:
        if key in raw:
            where.error("key-moved", f"'{key}' stands in the table labelled", AGAIN)
    if size is not None and not (_are_whole(size, 2) and min(size) > 0):
        refuse("image_size", "width and height in px")
        size = None
    return Note(fps or Fraction(1), raw.get("vocabulary"), None if size is None else (size[0], size[1]))


def _are_whole(value: Any, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(fields.is_whole(one) and abs(one) < fields.LARGEST for one in value)


def rate(value: Any) -> Fraction | None:
    """Return a rate per second above 0, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or len(str(value)) > documents.LONGEST_INTEGER:
        return None
    try:
        per_second = Fraction(value)
    except (ValueError, ZeroDivisionError):
        return None
    return per_second if 0 < per_second <= HIGHEST_FPS else None


def _lists(file: str, name: str, raw: Any) -> dict[str, list[str]]:
    by_kind = {}
    for kind, names in raw.items() if isinstance(raw, Mapping) else [("", None)]:
        if kind not in (*NAMINGS, "triplet") or not isinstance(names, list) or not all(isinstance(one, str) for one in names):
            place = f"vocabulary '{name}'"
            raise AnnotationError([Fault(file, "vocabulary-form", "expected lists of names by kind", AGAIN, place=place)])
        by_kind[str(kind)] = list(names)
    return by_kind


def written(recordings: tuple[Labels, ...]) -> dict[str, Any]:
    """Return what ``labels.json`` says of recordings."""
    notes: dict[str, Any] = {}
    vocabularies: dict[str, Any] = {}
    for labels in recordings:
        fps = Fraction(1) if labels.clock.period_s is None else 1 / labels.clock.period_s
        note: dict[str, Any] = {"fps": str(fps), "vocabulary": labels.vocabulary.name}
        size = _one_size(labels)
        notes[labels.recording] = note if size is None else {**note, "image_size": size}
        if labels.vocabulary.name not in vocabulary.known():
            vocabularies[labels.vocabulary.name] = own_categories.as_categories(labels.vocabulary)
    return {"recordings": notes, "vocabularies": vocabularies}


def _one_size(labels: Labels) -> list[int] | None:
    frames = labels.frames
    if frames is None or not {"width", "height"} <= set(frames.columns) or not len(frames):
        return None
    sizes = frames[["width", "height"]].drop_duplicates()
    return [int(side) for side in sizes.iloc[0]] if len(sizes) == 1 and sizes.notna().all(axis=None) else None
