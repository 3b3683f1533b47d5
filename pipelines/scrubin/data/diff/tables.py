"""Two versions of a table side by side: their columns, their rows by key, what differs in them by recording."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from scrubin.base.tables.public import public_tables
from scrubin.data.diff import Difference, Step, difference_of_data

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


def again(table: pa.Table, key: Sequence[str]) -> Positions:
    """Return the positions of the rows of a plain table that are not the first of their key, ascending."""
    codes, _ = _codes_of_keys(table, table.slice(0, 0), key)
    return np.flatnonzero(_times(codes)).astype(np.int64)


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
    of_old, of_new = _codes_of_keys(old, new, key)
    times = _times(of_old), _times(of_new)
    most = 1 + max(int(one.max(initial=0)) for one in times)
    return of_old * most + times[0], of_new * most + times[1]


def _times(codes: Positions) -> Positions:
    """Return how many rows of the same code stand before each row."""
    return np.asarray(pd.Series(codes).groupby(codes).cumcount(), np.int64)


def _codes_of_keys(old: pa.Table, new: pa.Table, key: Sequence[str]) -> tuple[Positions, Positions]:
    """Return a number for every row of either table: equal where the keys are."""
    codes, size = np.zeros(len(old) + len(new), dtype=np.int64), 1
    for name in key:
        index, length = _index(old[name], new[name])
        if size * length >= LARGEST_CODE:
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
            size = int(codes.max(initial=0)) + 1
        codes, size = codes * length + index, size * length
    if size >= LARGEST_CODE // 2:
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return codes[: len(old)], codes[len(old) :]


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
            yield difference_of_data("schema", f"{name}.{column}", "added", 1, "column")
    for column in before:
        if column not in after:
            yield difference_of_data("schema", f"{name}.{column}", "removed", 1, "column")
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
    return difference_of_data("schema", f"{place}: {what}", "changed", 1, "column", examples=({"changed": {what: [old, new]}},))


def _of_words(place: str, what: str, old: str, new: str) -> Difference:
    return Difference("schema", f"{place}: {what}", "changed", Step.PATCH, 1, "text", examples=({"changed": {what: [old, new]}},))


def _type(one: pa.Field) -> str:
    return TYPES.get(str(one.type), str(one.type))


def _said(metadata: dict[bytes, bytes] | None, key: bytes) -> str:
    return (metadata or {}).get(key, b"").decode("utf-8", errors="replace")


EXAMPLES = 5
KIND_OF_TABLE = {
    "videos": "videos",
    "frames": "frames",
    "labelled": "labels",
    "triplets": "labels",
    "phases": "labels",
    "spans": "labels",
    "masks": "labels",
    "tracks": "labels",
    "points": "labels",
    "marks": "labels",
    "ratings": "scores",
    "skill": "scores",
    "errors": "scores",
    "splits": "splits",
}
KEYS = {name: table.key for name, table in public_tables(()).items()}


def key_of(name: str, columns: Sequence[str]) -> tuple[str, ...]:
    """Return what identifies a row: the key of the declaration, or all columns that can be compared when there is none."""
    key = KEYS.get(name, ())
    return key if key and set(key) <= set(columns) else tuple(columns)


def of_others(table: pa.Table, ids: frozenset[str]) -> tuple[pa.Table, int]:
    """Return the rows of other recordings than these, and how many there are of these."""
    if not ids or "id" not in table.column_names:
        return table, 0
    theirs = pc.is_in(table["id"], pa.array(sorted(ids), table["id"].type))
    rest = table.filter(pc.invert(theirs))
    return rest, len(table) - len(rest)


def differences_of_rows(name: str, old: pa.Table, new: pa.Table, kind: str) -> Iterator[Difference]:
    """Yield which rows of a table were added, removed and changed.

    Parameters
    ----------
    name, kind
        Of the table, and the kind of its differences.
    old, new
        Its plain contents, of the recordings that both releases have.
    """
    columns = comparable(old, new)
    key = key_of(name, columns)
    pairing = pair(old, new, key)
    # Whole rows are no key: there is nothing in which two of them could differ.
    twice = np.intersect1d(pairing.added, again(new, key)) if key == KEYS.get(name) else pairing.added[:0]
    yield from added_and_removed(kind, name, old, new, replace(pairing, added=np.setdiff1d(pairing.added, twice)), key)
    if len(twice):
        shown = tuple(cells(new, int(at), key) for at in twice[:EXAMPLES])
        yield difference_of_data(kind, name, "repeated", len(twice), "rows", recordings=by_recording(new, twice), examples=shown)
    rest = [one for one in columns if one not in key]
    differs = differing(old, new, pairing, rest)
    groups = {"sha256": ["sha256"], "rows": [one for one in rest if one != "sha256"]} if name == "videos" else {"rows": rest}
    for what, group in groups.items():
        changed = _any(differs, group, len(pairing.old))
        if changed.any():
            place = f"{name}: bytes" if what == "sha256" else name
            unit = "videos" if what == "sha256" else "rows"
            yield difference_of_data(
                kind,
                place,
                "changed",
                int(changed.sum()),
                unit,
                columns={one: int(differs[one].sum()) for one in group if differs[one].any()},
                recordings=by_recording(new, pairing.new[changed]),
                examples=_changed(old, new, pairing, key, {one: differs[one] for one in group}, np.flatnonzero(changed)[:EXAMPLES]),
            )


def added_and_removed(
    kind: str, name: str, old: pa.Table, new: pa.Table, pairing: Pairing, key: Sequence[str], unit: str = "rows"
) -> Iterator[Difference]:
    """Yield which rows only one of two tables has."""
    for change, table, positions in (("removed", old, pairing.removed), ("added", new, pairing.added)):
        if len(positions):
            shown = tuple(cells(table, int(at), key) for at in positions[:EXAMPLES])
            yield difference_of_data(kind, name, change, len(positions), unit, recordings=by_recording(table, positions), examples=shown)


def by_recording(table: pa.Table, positions: Positions) -> dict[str, int]:
    """Return how many of some rows are of each recording."""
    if "id" not in table.column_names:
        return {}
    counts = table["id"].take(pa.array(positions)).value_counts()
    return {str(one["values"]): one["counts"].as_py() for one in counts}


def cells(table: pa.Table, position: int, columns: Sequence[str]) -> dict[str, Any]:
    """Return some cells of a row as JSON values; a missing one is null."""
    return {one: _value(table[one][position].as_py()) for one in columns}


def _any(differs: Mapping[str, npt.NDArray[np.bool_]], columns: Sequence[str], count: int) -> npt.NDArray[np.bool_]:
    changed = np.zeros(count, dtype=bool)
    for one in columns:
        changed |= differs[one]
    return changed


def _changed(
    old: pa.Table,
    new: pa.Table,
    pairing: Pairing,
    key: Sequence[str],
    differs: Mapping[str, npt.NDArray[np.bool_]],
    shown: Positions,
) -> tuple[dict[str, Any], ...]:
    examples = []
    for at in shown:
        columns = [one for one, differ in differs.items() if differ[at]]
        before, after = cells(old, int(pairing.old[at]), columns), cells(new, int(pairing.new[at]), columns)
        examples.append({**cells(new, int(pairing.new[at]), key), "changed": {one: [before[one], after[one]] for one in columns}})
    return tuple(examples)


def _value(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


KEY = ("scheme", "fold", "id")


def differences_of_placements(old: pa.Table, new: pa.Table) -> Iterator[Difference]:
    """Yield what differs between two tables ``splits``, of the recordings that both releases have."""
    if not {*KEY, "subset"} <= set(comparable(old, new)):
        yield from differences_of_rows("splits", old, new, "splits")
        return
    # Whoever has a subset in a fold and gets another row there is in two; what the old table had twice already is no difference.
    twice = np.intersect1d(pair(old, new, KEY).added, again(new, KEY))
    yield from _by_scheme("repeated", new, twice)
    new = new.take(pa.array(np.setdiff1d(np.arange(len(new)), twice)))
    for change, one, other in (("removed", old, new), ("added", new, old)):
        for scheme, folds in _beyond(one, other):
            is_whole = scheme not in _folds(other)
            count, unit = (1, "scheme") if is_whole else (len(folds), "folds")
            yield difference_of_data("splits", scheme, change, count, unit, examples=tuple({"fold": fold} for fold in folds[:5]))
    old, new = _shared(old, new), _shared(new, old)
    pairing = pair(old, new, KEY)
    yield from _by_scheme("removed", old, pairing.removed)
    yield from _by_scheme("added", new, pairing.added)
    moved = differing(old, new, pairing, ["subset"])["subset"]
    at_old, at_new = pairing.old[moved], pairing.new[moved]
    schemes = np.asarray(new["scheme"].take(pa.array(at_new)).to_pylist(), dtype=object)
    for scheme in sorted(set(schemes)):
        its = schemes == scheme
        moves = list(_moves(old, new, at_old[its], at_new[its]))
        yield difference_of_data(
            "splits",
            scheme,
            "moved",
            len(moves),
            "placements",
            columns=dict(sorted(Counter(" to ".join(name or "missing" for name in one["changed"]["subset"]) for one in moves).items())),
            recordings=dict(Counter(one["id"] for one in moves)),
            examples=tuple(moves),
        )


def _by_scheme(change: str, table: pa.Table, positions: Positions) -> Iterator[Difference]:
    there = table.take(pa.array(positions))
    schemes = np.asarray(there["scheme"].to_pylist(), dtype=object)
    for scheme in sorted(set(schemes)):
        its = np.flatnonzero(schemes == scheme)
        shown = tuple(cells(there, int(at), ("id", "fold", "subset")) for at in its[:EXAMPLES])
        yield difference_of_data("splits", scheme, change, len(its), "placements", recordings=by_recording(there, its), examples=shown)


def _moves(old: pa.Table, new: pa.Table, at_old: Positions, at_new: Positions) -> Iterator[dict[str, Any]]:
    """Yield every single move: whoever trained with an old split needs all of them by name."""
    before, after = old.take(pa.array(at_old)), new.take(pa.array(at_new))
    for one, other in zip(before.to_pylist(), after.to_pylist(), strict=True):
        yield {"id": other["id"], "fold": other["fold"], "changed": {"subset": [one["subset"], other["subset"]]}}


def _folds(table: pa.Table) -> dict[str, set[int]]:
    folds: dict[str, set[int]] = {}
    for row in table.select(["scheme", "fold"]).group_by(["scheme", "fold"]).aggregate([]).to_pylist():
        folds.setdefault(row["scheme"], set()).add(row["fold"])
    return folds


def _beyond(table: pa.Table, other: pa.Table) -> list[tuple[str, list[int]]]:
    """Return the folds that only the first table has, by scheme."""
    known = _folds(other)
    beyond = {scheme: sorted(folds - known.get(scheme, set()), key=str) for scheme, folds in sorted(_folds(table).items())}
    return [(scheme, folds) for scheme, folds in beyond.items() if folds]


def _shared(table: pa.Table, other: pa.Table) -> pa.Table:
    """Return the rows of the folds that both tables have."""
    known = _folds(other)
    rows = zip(table["scheme"].to_pylist(), table["fold"].to_pylist(), strict=True)
    return table.filter(pa.array([fold in known.get(scheme, ()) for scheme, fold in rows], pa.bool_()))
