"""What differs in the rows of one table, by recording, with examples; for splits, who was moved."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from scrubin.base.tables.public import public_tables
from scrubin.data.diff import tables
from scrubin.data.diff.difference import Difference, of_data
from scrubin.data.diff.tables import Pairing, Positions

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


def differences_of_rows(name: str, old: pa.Table, new: pa.Table, kind: str) -> Iterator[Difference]:
    """Yield which rows of a table were added, removed and changed.

    Parameters
    ----------
    name, kind
        Of the table, and the kind of its differences.
    old, new
        Its plain contents, of the recordings that both releases have.
    """
    columns = tables.comparable(old, new)
    key = key_of(name, columns)
    pairing = tables.pair(old, new, key)
    yield from added_and_removed(kind, name, old, new, pairing, key)
    rest = [one for one in columns if one not in key]
    differs = tables.differing(old, new, pairing, rest)
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


KEY = ("scheme", "fold", "id")


def differences_of_placements(old: pa.Table, new: pa.Table) -> Iterator[Difference]:
    """Yield what differs between two tables ``splits``, of the recordings that both releases have."""
    if not {*KEY, "subset"} <= set(tables.comparable(old, new)):
        yield from differences_of_rows("splits", old, new, "splits")
        return
    for change, one, other in (("removed", old, new), ("added", new, old)):
        for scheme, folds in _beyond(one, other):
            is_whole = scheme not in _folds(other)
            count, unit = (1, "scheme") if is_whole else (len(folds), "folds")
            yield of_data("splits", scheme, change, count, unit, examples=tuple({"fold": fold} for fold in folds[:5]))
    old, new = _shared(old, new), _shared(new, old)
    pairing = tables.pair(old, new, KEY)
    yield from _by_scheme(old, new, pairing)
    moved = tables.differing(old, new, pairing, ["subset"])["subset"]
    at_old, at_new = pairing.old[moved], pairing.new[moved]
    schemes = np.asarray(new["scheme"].take(pa.array(at_new)).to_pylist(), dtype=object)
    for scheme in sorted(set(schemes)):
        its = schemes == scheme
        moves = list(_moves(old, new, at_old[its], at_new[its]))
        yield of_data(
            "splits",
            scheme,
            "moved",
            len(moves),
            "placements",
            columns=dict(sorted(Counter(" to ".join(one["changed"]["subset"]) for one in moves).items())),
            recordings=dict(Counter(one["id"] for one in moves)),
            examples=tuple(moves),
        )


def _by_scheme(old: pa.Table, new: pa.Table, pairing: tables.Pairing) -> Iterator[Difference]:
    for change, table, positions in (("removed", old, pairing.removed), ("added", new, pairing.added)):
        there = table.take(pa.array(positions))
        for scheme in sorted(set(there["scheme"].to_pylist())):
            its = np.flatnonzero(np.asarray(there["scheme"].to_pylist(), dtype=object) == scheme)
            shown = tuple(cells(there, int(at), ("id", "fold", "subset")) for at in its[:EXAMPLES])
            yield of_data("splits", scheme, change, len(its), "placements", recordings=by_recording(there, its), examples=shown)


def _moves(old: pa.Table, new: pa.Table, at_old: tables.Positions, at_new: tables.Positions) -> Iterator[dict[str, Any]]:
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
    beyond = {scheme: sorted(folds - known.get(scheme, set())) for scheme, folds in sorted(_folds(table).items())}
    return [(scheme, folds) for scheme, folds in beyond.items() if folds]


def _shared(table: pa.Table, other: pa.Table) -> pa.Table:
    """Return the rows of the folds that both tables have."""
    known = _folds(other)
    for scheme, folds in _folds(table).items():
        for fold in sorted(folds - known.get(scheme, set())):
            table = table.filter(pc.invert(pc.and_(pc.equal(table["scheme"], scheme), pc.equal(table["fold"], fold))))
    return table
