"""Two releases compared: everything that differs, by kind, and the step of the version that follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from scrubin.core.errors import ReleaseError
from scrubin.versions import calibrations, descriptions, file_lists, placements, renaming, rows, rule, schema, table_contents
from scrubin.versions.difference import KINDS, Difference, Step, of_data
from scrubin.versions.released import Released
from scrubin.versions.renaming import Recordings
from scrubin.versions.rule import Verdict


@dataclass(frozen=True)
class Comparison:
    """What differs between two releases.

    Parameters
    ----------
    old, new
        Both releases.
    differences
        Sorted by kind, as `KINDS` lists them.
    """

    old: Released
    new: Released
    differences: tuple[Difference, ...]

    @property
    def step(self) -> Step:
        """The step of the version that all differences together ask for."""
        return rule.required_step(self.differences)

    @property
    def verdict(self) -> Verdict:
        """Whether the number of the new release fits."""
        return rule.verdict(self.old.version, self.new.version, self.step)

    @property
    def counts(self) -> dict[str, int]:
        """How many differences there are of each kind."""
        counted = Counter(one.kind for one in self.differences)
        return {kind: counted[kind] for kind in KINDS if counted[kind]}

    def document(self) -> dict[str, Any]:
        """Return the comparison as a JSON value; it names no folder."""
        verdict = self.verdict
        return {
            "old": {"name": self.old.name, "version": self.old.version},
            "new": {"name": self.new.name, "version": self.new.version},
            "step": self.step.word,
            "lowest_version": verdict.lowest,
            "fits": verdict.fits,
            "verdict": verdict.sentence,
            "counts": self.counts,
            "differences": [one.document() for one in self.differences],
        }


def compare(old: Path, new: Path) -> Comparison:
    """Compare two release folders.

    Raises
    ------
    ReleaseError
        When one is no release, a file that has to be read is damaged or missing, or they have nothing to do with each other.
    """
    releases = Released.open(old), Released.open(new)
    for released in releases:
        released.refuse_damaged()
    return of_releases(*releases)


def of_releases(old: Released, new: Released) -> Comparison:
    """Compare two opened releases; see `compare`."""
    before, after = rows.plain(old.table("videos")), rows.plain(new.table("videos"))
    for table, released in ((before, old), (after, new)):
        missing = sorted({"id", "camera", "path", "sha256"} - set(table.column_names))
        if missing:
            msg = f"{released.folder / 'tables/videos.parquet'}: it lacks the columns {', '.join(missing)}; recordings cannot be compared"
            raise ReleaseError(msg)
    recordings = renaming.recordings(before, after)
    shared = set(before["id"].to_pylist()) & set(after["id"].to_pylist())
    if old.name != new.name and not shared and not recordings.renamed:
        msg = (
            f"{old.folder} is {old.name!r} {old.version}, {new.folder} is {new.name!r} {new.version}: two data sets without a recording in "
            "common, there is nothing to compare; name two versions of one"
        )
        raise ReleaseError(msg)
    differences = [*_tables(old, new, recordings), *descriptions.differences(old, new)]
    changed = _changed_videos(recordings.brought_over(before), after)
    differences += file_lists.differences(old, new, recordings, changed)
    differences += calibrations.differences(old, new, recordings)
    order = list(KINDS)
    return Comparison(old, new, tuple(sorted(differences, key=lambda one: (order.index(one.kind), -one.step, one.what, one.change))))


def _tables(old: Released, new: Released, recordings: Recordings) -> Iterator[Difference]:
    gone: dict[str, Counter[str]] = {"added": Counter(), "removed": Counter()}
    of_old, of_new = old.tables, new.tables
    for name in sorted(of_old | of_new):
        if name not in of_old or name not in of_new:
            change, where = ("added", new) if name not in of_old else ("removed", old)
            yield of_data("schema", name, change, 1, "table", columns={"rows": len(where.table(name))})
            continue
        if old.sha256[f"tables/{name}.parquet"] == new.sha256[f"tables/{name}.parquet"] and not recordings.renamed:
            for released in (old, new):
                released.path(f"tables/{name}.parquet")
            continue
        before, after = recordings.brought_over(rows.plain(old.table(name))), rows.plain(new.table(name))
        yield from schema.differences(name, before, after)
        before, removed = table_contents.of_others(before, recordings.removed)
        after, added = table_contents.of_others(after, recordings.added)
        gone["removed"][name] += removed
        gone["added"][name] += added
        if name == "splits":
            yield from placements.differences(before, after)
        else:
            yield from table_contents.differences(name, before, after, table_contents.KIND_OF_TABLE.get(name, "tables"))
    yield from _recordings(old, new, recordings, gone)


def _recordings(old: Released, new: Released, recordings: Recordings, rows_of: dict[str, Counter[str]]) -> Iterator[Difference]:
    for change, ids, released in (("added", recordings.added, new), ("removed", recordings.removed, old)):
        if ids:
            files = file_lists.of_recordings(released, ids, recordings)
            columns = {name: count for name, count in sorted(rows_of[change].items()) if count}
            yield of_data(
                "recordings",
                "recordings",
                change,
                len(ids),
                "recordings",
                columns=columns | ({"files": files.total()} if files else {}),
                recordings=dict.fromkeys(ids, 1),
                examples=tuple({"id": one} for one in sorted(ids)[: table_contents.EXAMPLES]),
            )
    if recordings.renamed:
        names = sorted(recordings.renamed.items())
        yield of_data(
            "recordings",
            "recordings",
            "renamed",
            len(names),
            "recordings",
            recordings=dict.fromkeys(recordings.renamed.values(), 1),
            examples=tuple({"id": new_id, "changed": {"id": [old_id, new_id]}} for old_id, new_id in names),
        )


def _changed_videos(before: pa.Table, after: pa.Table) -> set[str]:
    """Return the paths of videos of which both tables state other bytes."""
    stated = dict(zip(before["path"].to_pylist(), before["sha256"].to_pylist(), strict=True))
    pairs = zip(after["path"].to_pylist(), after["sha256"].to_pylist(), strict=True)
    return {path for path, sha256 in pairs if stated.get(path, sha256) != sha256}
