"""Two versions of a table side by side: their columns, their rows by key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from scrubin.data.diff.difference import Difference, Step, of_data

Positions = npt.NDArray[np.int64]
# Codes of several columns are packed into one number as long as they fit.
LARGEST_CODE = 2**62


@dataclass(frozen=True)
class Pairing:
    """Which rows of two tables belong together.

    Parameters
    ----------
    old, new
        Positions of rows that share their key, shape (n,), in the order of the old table.
    removed, added
        Positions of rows of the old and of the new table that the other one lacks, ascending.
    """

    old: Positions
    new: Positions
    removed: Positions
    added: Positions


def plain(table: pa.Table) -> pa.Table:
    """Return a table whose columns compare by value, whatever they are stored as.

    Text is text however it is encoded, -0.0 is 0.0, and what has parts is JSON text. What the file says of its columns stays.
    """
    columns = [_plain(column) for column in table.columns]
    fields = [pa.field(one.name, column.type, metadata=one.metadata) for one, column in zip(table.schema, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields, metadata=table.schema.metadata))


def pair(old: pa.Table, new: pa.Table, key: Sequence[str]) -> Pairing:
    """Pair the rows of two plain tables by their key; rows that share it in one table are paired in their order.

    Missing values, NaN among them, are equal. Without a key rows are paired by number.
    """
    of_old, of_new = _codes(old, new, key)
    if np.array_equal(of_old, of_new):
        both, none = np.arange(len(of_old)), np.zeros(0, dtype=np.int64)
        return Pairing(both, both, none, none)
    _, at_old, at_new = np.intersect1d(of_old, of_new, assume_unique=True, return_indices=True)
    order = np.argsort(at_old)
    return Pairing(at_old[order], at_new[order], _others(len(old), at_old), _others(len(new), at_new))


def differing(old: pa.Table, new: pa.Table, pairing: Pairing, columns: Sequence[str]) -> Mapping[str, npt.NDArray[np.bool_]]:
    """Return for each column in which of the pairs it differs, shape (n,); numbers compare exactly, missing equals missing.

    Parameters
    ----------
    old, new
        Plain tables that have these columns, with equal types.
    pairing
        Of their rows.
    columns
        Which to compare.
    """
    return {name: _unequal(_take(old[name], pairing.old), _take(new[name], pairing.new)) for name in columns}


def same_type(old: pa.DataType, new: pa.DataType) -> bool:
    """Whether values of two plain columns can be compared; a column without any value has no type."""
    return bool(old == new or pa.types.is_null(old) or pa.types.is_null(new))


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or getattr(pa.types, "is_string_view", pa.types.is_string)(column.type):
        return column.cast(pa.large_string())
    if pa.types.is_nested(column.type):
        return pa.chunked_array([[None if one is None else json.dumps(one, default=str) for one in column.to_pylist()]], pa.large_string())
    if pa.types.is_floating(column.type):
        return pc.add(column, pa.scalar(0, column.type))
    return column


def _codes(old: pa.Table, new: pa.Table, key: Sequence[str]) -> tuple[Positions, Positions]:
    """Return a number for every row of either table: equal where the keys are, and unique within a table."""
    codes, size = np.zeros(len(old) + len(new), dtype=np.int64), 1
    for name in key:
        index, length = _index(old[name], new[name])
        if size * length >= LARGEST_CODE:
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
            size = int(codes.max(initial=0)) + 1
        codes, size = codes * length + index, size * length
    if size >= LARGEST_CODE // 2:
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    of_old, of_new = codes[: len(old)], codes[len(old) :]
    times = [pd.Series(one).groupby(one).cumcount().to_numpy() for one in (of_old, of_new)]
    most = 1 + max(int(one.max(initial=0)) for one in times)
    return of_old * most + times[0], of_new * most + times[1]


def _index(old: pa.ChunkedArray, new: pa.ChunkedArray) -> tuple[Positions, int]:
    """Return a number for every value of two columns, from 0, and how many there are."""
    if old.type != new.type:
        old, new = old.cast(pa.large_string()), new.cast(pa.large_string())
    both = pa.chunked_array([*old.chunks, *new.chunks], old.type).combine_chunks()
    if isinstance(both, pa.ChunkedArray):  # as older versions return it
        both = pa.concat_arrays(both.chunks) if both.num_chunks else pa.array([], old.type)
    if pa.types.is_floating(both.type):
        both = pc.if_else(pc.is_null(both, nan_is_null=True), pa.scalar(None, both.type), both)
    encoded = both.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy().astype(np.int64), max(1, len(encoded.dictionary))


def _others(count: int, taken: Positions) -> Positions:
    there = np.ones(count, dtype=bool)
    there[taken] = False
    return np.flatnonzero(there)


def _take(column: pa.ChunkedArray, positions: Positions) -> pa.ChunkedArray:
    whole = len(positions) == len(column) and (len(positions) == 0 or bool((np.diff(positions) == 1).all()))
    return column if whole else column.take(pa.array(positions))


def _unequal(old: pa.ChunkedArray, new: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    if old.type != new.type:  # one has no value at all
        target = new.type if pa.types.is_null(old.type) else old.type
        old, new = old.cast(target), new.cast(target)
    if pa.types.is_null(old.type):
        return np.zeros(len(old), dtype=bool)
    no_old, no_new = (_array(pc.is_null(one, nan_is_null=True)) for one in (old, new))
    unequal = _array(pc.fill_null(pc.not_equal(old, new), fill_value=False))
    differs: npt.NDArray[np.bool_] = (unequal & ~(no_old & no_new)) | (no_old != no_new)
    return differs


def _array(values: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    return np.asarray(values.to_numpy(), dtype=bool)


TYPES = {"large_string": "text", "string": "text", "int64": "whole number", "double": "number", "bool": "true or false"}


def differences(name: str, old: pa.Table, new: pa.Table) -> Iterator[Difference]:
    """Yield what differs in the columns of a table.

    Parameters
    ----------
    name
        Of the table.
    old, new
        As `rows.plain` returns them, each with the schema of its file as ``schema``.

    A column that is new leaves old data as they are. Another type or unit is another meaning; another description is not.
    """
    before, after = old.column_names, new.column_names
    for column in after:
        if column not in before:
            yield of_data("schema", f"{name}.{column}", "added", 1, "column")
    for column in before:
        if column not in after:
            yield of_data("schema", f"{name}.{column}", "removed", 1, "column")
    for column in (one for one in before if one in after):
        yield from _column(f"{name}.{column}", old.schema.field(column), new.schema.field(column))
    shared = [one for one in before if one in after]
    if shared != [one for one in after if one in before]:
        yield _of_words(name, "order of columns", ", ".join(shared), ", ".join(one for one in after if one in before))
    said = _said(old.schema.metadata, b"description"), _said(new.schema.metadata, b"description")
    if said[0] != said[1]:
        yield _of_words(name, "description", *said)


def comparable(old: pa.Table, new: pa.Table) -> list[str]:
    """Return the columns whose values can be compared."""
    shared = [one for one in old.column_names if one in new.column_names]
    return [one for one in shared if same_type(old.schema.field(one).type, new.schema.field(one).type)]


def _column(place: str, old: pa.Field, new: pa.Field) -> Iterator[Difference]:
    if not same_type(old.type, new.type):
        yield _of_meaning(place, "type", _type(old), _type(new))
    units = _said(old.metadata, b"unit"), _said(new.metadata, b"unit")
    if units[0] != units[1]:
        yield _of_meaning(place, "unit", *units)
    for key, what in ((b"description", "description"), (b"null", "meaning of a missing value")):
        said = _said(old.metadata, key), _said(new.metadata, key)
        if said[0] != said[1]:
            yield _of_words(place, what, *said)


def _of_meaning(place: str, what: str, old: str, new: str) -> Difference:
    return of_data("schema", f"{place}: {what}", "changed", 1, "column", examples=({"changed": {what: [old, new]}},))


def _of_words(place: str, what: str, old: str, new: str) -> Difference:
    return Difference("schema", f"{place}: {what}", "changed", Step.PATCH, 1, "text", examples=({"changed": {what: [old, new]}},))


def _type(one: pa.Field) -> str:
    return TYPES.get(str(one.type), str(one.type))


def _said(metadata: dict[bytes, bytes] | None, key: bytes) -> str:
    return (metadata or {}).get(key, b"").decode("utf-8", errors="replace")
