"""Recordings that have another id than before, known by the bytes of their videos."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc


@dataclass(frozen=True)
class Recordings:
    """Which recordings two releases have.

    Parameters
    ----------
    added, removed
        Ids that only the new, and only the old release has, but for renamed ones.
    renamed
        New ids by old ones.
    known
        All ids, as the new release calls them.
    """

    added: frozenset[str]
    removed: frozenset[str]
    renamed: Mapping[str, str]
    known: frozenset[str]

    def path(self, name: str) -> str:
        """Return how the new release would call a file of the old one."""
        if not self.renamed or (id_ := named_in(name, self.renamed)) is None:
            return name
        return _with_id(name, id_, self.renamed[id_])

    def of_path(self, name: str) -> str | None:
        """Return whose file it is, by the new id; None for files of all."""
        return named_in(name, self.known)

    def brought_over(self, old: pa.Table) -> pa.Table:
        """Return a table of the old release with the new ids, also in paths."""
        if not self.renamed or "id" not in old.column_names:
            return old
        concerned = pc.is_in(old["id"], pa.array(list(self.renamed), old["id"].type)).to_pylist()
        for column in ("path", "id"):  # the id last: the path needs the old one
            if column in old.column_names:
                cells = zip(old["id"].to_pylist(), old[column].to_pylist(), concerned, strict=True)
                values = [_with_id(value, id_, self.renamed[id_]) if theirs and value else value for id_, value, theirs in cells]
                place = old.column_names.index(column)
                old = old.set_column(place, old.schema.field(column), pa.array(values, old[column].type))
        return old


def recordings(old: pa.Table, new: pa.Table) -> Recordings:
    """Compare the recordings of two tables ``videos``.

    A recording is renamed when each of its videos that the new release has stands there under one and the same new id.
    """
    before, after = set(old["id"].to_pylist()), set(new["id"].to_pylist())
    gone, come = _by_hash(old, before - after), _by_hash(new, after - before)
    partners: dict[str, set[str]] = defaultdict(set)
    back: dict[str, set[str]] = defaultdict(set)
    for sha256 in gone.keys() & come.keys():
        for one in gone[sha256]:
            partners[one] |= come[sha256]
        for one in come[sha256]:
            back[one] |= gone[sha256]
    renamed = {one: next(iter(partners[one])) for one in sorted(partners) if len(partners[one]) == 1}
    renamed = {one: other for one, other in renamed.items() if len(back[other]) == 1}
    return Recordings(
        frozenset(after - before - set(renamed.values())),
        frozenset(before - after - set(renamed)),
        renamed,
        frozenset(after | (before - set(renamed))),
    )


def named_in(path: str, ids: Mapping[str, str] | frozenset[str]) -> str | None:
    """Return the id that a path names as a folder or file; None when it names none.

    >>> named_in("frames/PegTransfer/left/abelo.tar", frozenset({"abelo"}))
    'abelo'
    """
    return next((stem for part in path.split("/") if (stem := part.partition(".")[0]) in ids), None)


def _with_id(path: str, old: str, new: str) -> str:
    """Return a path with another id, where a folder or file has it."""
    return "/".join(new + part[len(old) :] if part.partition(".")[0] == old else part for part in path.split("/"))


def _by_hash(videos: pa.Table, ids: set[str]) -> dict[str, set[str]]:
    by_hash: dict[str, set[str]] = defaultdict(set)
    for id_, sha256 in zip(videos["id"].to_pylist(), videos["sha256"].to_pylist(), strict=True):
        if id_ in ids:
            by_hash[sha256].add(id_)
    return by_hash
