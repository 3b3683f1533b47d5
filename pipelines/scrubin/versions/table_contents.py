"""What differs in the rows of one table, by recording, with examples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from scrubin.tables.catalogue import public_tables
from scrubin.versions import rows, schema
from scrubin.versions.difference import Difference, of_data
from scrubin.versions.rows import Pairing, Positions

EXAMPLES = 5
KIND_OF_TABLE = {
    "videos": "videos",
    "frames": "frames",
    "labelled": "labels",
    "triplets": "labels",
    "phases": "labels",
    "spans": "labels",
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


def differences(name: str, old: pa.Table, new: pa.Table, kind: str) -> Iterator[Difference]:
    """Yield which rows of a table were added, removed and changed.

    Parameters
    ----------
    name, kind
        Of the table, and the kind of its differences.
    old, new
        Its plain contents, of the recordings that both releases have.
    """
    columns = schema.comparable(old, new)
    key = key_of(name, columns)
    pairing = rows.pair(old, new, key)
    yield from added_and_removed(kind, name, old, new, pairing, key)
    rest = [one for one in columns if one not in key]
    differs = rows.differing(old, new, pairing, rest)
    groups = {"sha256": ["sha256"], "rows": [one for one in rest if one != "sha256"]} if name == "videos" else {"rows": rest}
    for what, group in groups.items():
        changed = _any(differs, group, len(pairing.old))
        if changed.any():
            place = f"{name}: bytes" if what == "sha256" else name
            unit = "videos" if what == "sha256" else "rows"
            yield of_data(
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
            yield of_data(kind, name, change, len(positions), unit, recordings=by_recording(table, positions), examples=shown)


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
