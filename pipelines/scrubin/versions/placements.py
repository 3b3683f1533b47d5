"""Who was moved between subsets, who came into a split or left it, and which schemes and folds came and went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scrubin.versions import rows, schema, table_contents
from scrubin.versions.difference import Difference, of_data

KEY = ("scheme", "fold", "id")


def differences(old: pa.Table, new: pa.Table) -> Iterator[Difference]:
    """Yield what differs between two tables ``splits``, of the recordings that both releases have."""
    if not {*KEY, "subset"} <= set(schema.comparable(old, new)):
        yield from table_contents.differences("splits", old, new, "splits")
        return
    for change, one, other in (("removed", old, new), ("added", new, old)):
        for scheme, folds in _beyond(one, other):
            is_whole = scheme not in _folds(other)
            count, unit = (1, "scheme") if is_whole else (len(folds), "folds")
            yield of_data("splits", scheme, change, count, unit, examples=tuple({"fold": fold} for fold in folds[:5]))
    old, new = _shared(old, new), _shared(new, old)
    pairing = rows.pair(old, new, KEY)
    yield from _by_scheme(old, new, pairing)
    moved = rows.differing(old, new, pairing, ["subset"])["subset"]
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


def _by_scheme(old: pa.Table, new: pa.Table, pairing: rows.Pairing) -> Iterator[Difference]:
    for change, table, positions in (("removed", old, pairing.removed), ("added", new, pairing.added)):
        there = table.take(pa.array(positions))
        for scheme in sorted(set(there["scheme"].to_pylist())):
            its = np.flatnonzero(np.asarray(there["scheme"].to_pylist(), dtype=object) == scheme)
            shown = tuple(table_contents.cells(there, int(at), ("id", "fold", "subset")) for at in its[: table_contents.EXAMPLES])
            yield of_data(
                "splits", scheme, change, len(its), "placements", recordings=table_contents.by_recording(there, its), examples=shown
            )


def _moves(old: pa.Table, new: pa.Table, at_old: rows.Positions, at_new: rows.Positions) -> Iterator[dict[str, Any]]:
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
