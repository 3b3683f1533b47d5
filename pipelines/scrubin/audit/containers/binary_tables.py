"""Parquet files or arrays of numpy: every column, every text, the metadata."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.audit.containers.run_lengths import covers
from scrubin.audit.expected import Contents, Fault, Text, spelling
from scrubin.audit.expected.private_columns import Public, of_a_day, private_tables
from scrubin.audit.expected.private_columns import fault as order_fault
from scrubin.base import unpacking
from scrubin.base.tables import Table
from scrubin.base.tables.public import MASKS

ARROW_SCHEMA = b"ARROW:schema"  # pyarrow's copy of the schema, whose texts are searched as such
OF_RECOGNITION = re.compile(r"(i|v|t|iv|it|ivt)_[0-9]{1,3}")
"""Whether an instrument, verb, target or their combination is in a frame: ``t_3`` is no participant T3."""


def read(source: Path | pa.Buffer, declared: Table | None, public: Public) -> Contents:
    """Return the faults and texts of a parquet file.

    Parameters
    ----------
    source
        The file, or its bytes.
    declared
        The public table that it must be, to the last metadata key; None for any other.
    public
        Released ids, to judge the order of rows, and public columns.
    """
    file = pq.ParquetFile(source if isinstance(source, Path) else pa.BufferReader(source))
    schema = file.schema_arrow
    footer = {key: value for key, value in (file.metadata.metadata or {}).items() if key != ARROW_SCHEMA}
    faults = [*_columns(schema, footer, public), *_metadata(schema, footer, declared)]
    names = (field.name for field in schema if not (pa.types.is_boolean(field.type) and OF_RECOGNITION.fullmatch(field.name)))
    texts = [Text("columns", "\n".join(names), structured=True)]
    texts += [Text(f"metadata {key}", f"{key}\n{value}") for key, value in _plain(footer)]
    texts += [
        Text(f"metadata of column {field.name}", f"{key}\n{value}") for field in schema for key, value in _plain(field.metadata or {})
    ]
    faults += [fault for field in schema if (fault := _type_fault(field))]
    columns = [field.name for field in schema if _is_text(field.type)]
    for name in columns:
        values = _counts(file, faults) if _holds_masks(declared, schema, name) else file.read(columns=[name]).column(0).unique().to_pylist()
        texts.append(Text(f"column {name}", "\n".join(value for value in values if value is not None), structured=not of_a_day(name)))
    for field in schema:
        texts += _numbers(file, field)
    if declared is not None:
        faults += _key_order(file, declared)
    elif columns:
        rows = unpacking.to_pandas(file.read(columns=[field.name for field in schema if not pa.types.is_nested(field.type)]))
        message = order_fault(rows, public.ids)
        faults += [Fault("order", "rows", message)] if message else []
    return Contents(faults, texts)


def texts_of(path: Path, column: str) -> frozenset[str]:
    """Return the texts of a column; none where the file has no such column or cannot be read, which `read` says."""
    try:
        file = pq.ParquetFile(path)
        values = file.read(columns=[column]).column(0).unique().to_pylist() if column in file.schema_arrow.names else []
    except (OSError, ValueError, pa.ArrowException):
        return frozenset()
    return frozenset(value for value in values if isinstance(value, str))


def _holds_masks(declared: Table | None, schema: pa.Schema, column: str) -> bool:
    return (
        declared is not None and schema.equals(declared.schema, check_metadata=False) and (declared.name, column) == (MASKS.name, "counts")
    )


def _counts(file: pq.ParquetFile, faults: list[Fault]) -> list[str]:
    """Return the texts in a column of masks that are none; they are noted, and searched."""
    texts: list[str] = []
    for batch in file.iter_batches(columns=["width", "height", "counts"]):
        rows = batch.to_pydict()
        texts += [text for text, *size in zip(rows["counts"], rows["width"], rows["height"], strict=True) if not covers(text, *size)]
    if texts:
        message = f"{len(texts)} of its texts are no masks of their size in the shortest form; write them with the stage annotations"
        faults.append(Fault("mask", "column counts", message))
    return texts


def _columns(schema: pa.Schema, footer: Mapping[bytes, bytes], public: Public) -> Iterator[Fault]:
    for name in sorted(set(schema.names)):
        if public.is_private(name):
            yield Fault("private-column", f"column {name}", "this column is private; leave it out")
    for table in private_tables(footer.get(b"table", b"").decode(errors="replace"), schema.names):
        yield Fault("private-table", "schema", f"this is the private table '{table}'; take the file out")


def _numbers(file: pq.ParquetFile, field: pa.Field) -> Iterator[Text]:
    type_ = field.type
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    while _is_list(type_):
        type_ = type_.value_type
    if not (pa.types.is_integer(type_) or pa.types.is_floating(type_)):
        return
    for batch in file.iter_batches(columns=[field.name]):
        values = batch.column(0)
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        while _is_list(values.type):
            values = values.flatten()
        yield from spelling.text_of(f"column {field.name}", values.unique().to_numpy(zero_copy_only=False), day=of_a_day(field.name))


def _metadata(schema: pa.Schema, footer: Mapping[bytes, bytes], declared: Table | None) -> Iterator[Fault]:
    if declared is None:
        return
    expected = declared.schema.metadata or {}
    for key in sorted(footer.keys() | expected.keys()):
        if footer.get(key) != expected.get(key):
            name = key.decode(errors="replace")
            yield Fault("parquet-metadata", f"metadata {name}", f"differs from the declaration of table '{declared.name}'; write it again")
    if not schema.equals(declared.schema, check_metadata=False):
        yield Fault("parquet-metadata", "schema", f"differs from the declaration of table '{declared.name}'; write it again")
        return
    for field, wanted in zip(schema, declared.schema, strict=True):
        # pyarrow adds its own number of the field.
        stated = {key: value for key, value in (field.metadata or {}).items() if key != b"PARQUET:field_id"}
        if stated != dict(wanted.metadata or {}):
            yield Fault("parquet-metadata", f"column {field.name}", f"its metadata differ from the declaration of table '{declared.name}'")


def _type_fault(field: pa.Field) -> Fault | None:
    type_ = field.type
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    while _is_list(type_):
        type_ = type_.value_type
        if pa.types.is_string(type_):
            return Fault("unreadable", f"column {field.name}", "texts in lists cannot be proven clean; write one text per row")
    if pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_boolean(type_) or _is_text(type_):
        return None
    return Fault("unreadable", f"column {field.name}", f"values of type {field.type} cannot be proven clean; write numbers or texts")


def _is_list(type_: pa.DataType) -> bool:
    return bool(pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_))


def _is_text(type_: pa.DataType) -> bool:
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))


def _key_order(file: pq.ParquetFile, table: Table) -> list[Fault]:
    present = [name for name in table.key if name in file.schema_arrow.names]
    rows = unpacking.to_pandas(file.read(columns=present))[present]
    in_order = rows.sort_values(present, kind="stable").index.equals(rows.index)
    return (
        [] if in_order else [Fault("order", "rows", f"rows are not sorted by {', '.join(table.key)}; write it with scrubin.base.tables.io")]
    )


def _plain(metadata: Mapping[bytes, bytes]) -> Iterator[tuple[str, str]]:
    for key, value in sorted(metadata.items()):
        yield key.decode(errors="replace"), value.decode(errors="replace")


def read_array(data: bytes) -> Contents:
    """Return the faults and texts of a numpy array.

    Raises
    ------
    ValueError
        When it holds Python objects, or is no array.
    """
    stream = io.BytesIO(data)
    array = np.lib.format.read_array(stream, allow_pickle=False)
    end = stream.tell()
    names = array.dtype.names or ()
    texts = [Text("header", data[: end - array.nbytes].decode("latin-1")), Text("fields", "\n".join(names), structured=True)]
    faults = [
        Fault("private-column", f"field {name}", "this field is private; leave it out")
        for name in sorted(names)
        if Public().identifies(name)
    ]
    if end != len(data):
        faults.append(Fault("unreadable", f"byte {end}", f"{len(data) - end} bytes after the array; write it again"))
        texts.append(Text("after the array", data[end:].decode("latin-1")))
    for name in names or ("",):
        values = array[name] if name else array
        texts += _texts(values, name)
        if values.dtype.kind not in "biufSU":
            faults.append(Fault("unreadable", "values", f"values of type {values.dtype} cannot be proven clean; write numbers or texts"))
    return Contents(faults, texts)


def _texts(values: npt.NDArray[Any], name: str) -> Iterator[Text]:
    place = f"values of {name}" if name else "values"
    day = of_a_day(name)
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    if values.dtype.kind == "U":
        yield Text(place, "\n".join(map(str, np.unique(values))), structured=not day)
    elif values.dtype.kind in "iuf":
        yield from spelling.text_of(place, values, day=day)
