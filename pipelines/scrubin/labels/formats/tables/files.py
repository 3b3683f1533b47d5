"""Our tables to and from the bytes of parquet and CSV files."""

from __future__ import annotations

import io as text_io
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.core import unpacking
from scrubin.core.errors import AnnotationError, FileError, TableError
from scrubin.core.faults import Fault
from scrubin.labels.parse import documents
from scrubin.tables import io
from scrubin.tables.declare import Table
from scrubin.tables.facts import FACTS
from scrubin.tables.labelled import LABELLED
from scrubin.tables.phases import PHASES
from scrubin.tables.ratings import RATINGS
from scrubin.tables.segments import SEGMENTS
from scrubin.tables.skill import skill
from scrubin.tables.task_errors import ERRORS
from scrubin.tables.triplets import TRIPLETS


def declared(table: str, columns: list[str]) -> Table:
    """Return the declaration of a table by name; that of skill has the aspects among the columns."""
    aspects = tuple(name for name in columns if name not in skill(()).column_names)
    by_name = {one.name: one for one in (LABELLED, TRIPLETS, PHASES, SEGMENTS, RATINGS, ERRORS, FACTS)}
    return {**by_name, "skill": skill(aspects)}[table]


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
            frame = pd.read_csv(text_io.StringIO(documents.text(file, data)), dtype="str", keep_default_na=False, na_values=[""])
            frame = frame.astype(object).where(frame.notna(), None)
            for column in declared(table, list(frame.columns)).columns:
                if column.name in frame:
                    frame[column.name] = [_cell(file, column.name, column.dtype, value) for value in frame[column.name]]
        return io.conform(declared(table, list(frame.columns)), frame)
    except (FileError, pa.ArrowException, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        what = f"cannot be read as a table: {str(error).splitlines()[0]}"
        raise AnnotationError([Fault(file, "table-unreadable", what, "write it again")]) from error
    except TableError as error:
        raise AnnotationError([Fault(file, "table-declaration", str(error), "correct it, or write the table again")]) from error


def _cell(file: str, column: str, dtype: str, value: str | None) -> Any:
    if value is None or dtype == "str":
        return value
    read_as: Mapping[str, Callable[[str], Any]] = {"int64": _integer, "float64": float, "bool": {"True": True, "False": False}.__getitem__}
    try:
        return read_as[dtype](value)
    except (ValueError, KeyError) as error:
        raise AnnotationError([Fault(file, "value-type", f"'{value}' is no {dtype}", "correct it", place=f"column '{column}'")]) from error


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
