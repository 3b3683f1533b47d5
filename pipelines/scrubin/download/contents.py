"""The tables of a release against its files and against each other: what they name is there, and nothing else."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from scrubin.core import strangers, unpacking
from scrubin.core.faults import Fault, error
from scrubin.core.ranges import ranges_text
from scrubin.download import marks
from scrubin.download.documents import Documents
from scrubin.download.folder import Folder
from scrubin.frames import reading
from scrubin.tables.catalogue import public_tables
from scrubin.tables.declare import arrow

AGAIN = "get that file again, of the same version"
SHARD = ".tar/"
RANGES = 5
NEEDED = {
    marks.VIDEOS: ("id", "task", "camera", "path"),
    marks.FRAMES: ("id", "camera", "path"),
    marks.SPLITS: ("scheme", "fold", "subset", "id"),
}


@dataclass
class Tables:
    """The tables of a release as far as they can be read.

    Parameters
    ----------
    folder
        The release.
    tables
        By name of the file.
    faults
        Those that cannot be read.
    """

    folder: Path
    tables: dict[str, pa.Table] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def column(self, table: str, name: str) -> list[Any]:
        """Return the values of a column; none when table or column are not there."""
        there = self.tables.get(table)
        return there.column(name).to_pylist() if there is not None and name in there.column_names else []

    @cached_property
    def ids(self) -> frozenset[str]:
        """The released recordings."""
        return frozenset(self.column(marks.VIDEOS, "id"))

    @cached_property
    def frame_paths(self) -> list[str]:
        """Where the table of frames says that a picture lies; dropped frames have none."""
        return [path for path in self.column(marks.FRAMES, "path") if path]

    @cached_property
    def named(self) -> dict[str, str]:
        """Every file that a table names, with the table; of a member of a shard the shard."""
        named = dict.fromkeys((f"{path.partition(SHARD)[0]}.tar" if SHARD in path else path for path in self.frame_paths), marks.FRAMES)
        return named | dict.fromkeys((path for path in self.column(marks.VIDEOS, "path") if path), marks.VIDEOS)


def read(folder: Folder) -> Tables:
    """Read all tables; one that cannot be read is a fault."""
    tables = Tables(folder.root)
    for name in (name for name in folder.files if name.startswith("tables/") and name.endswith(".parquet") and not marks.is_litter(name)):
        try:
            wanted = None if name != marks.FRAMES else ["id", "camera", "frame", "path", "redacted", "dropped", "dropped_why"]
            table = unpacking.parquet(folder.root / name, name, wanted)
        except (pa.ArrowException, OSError, ValueError) as failure:
            tables.faults.append(error(name, "damaged", f"it cannot be read as a table ({str(failure).splitlines()[0]})", AGAIN))
            continue
        if other := _other_columns(name, table):
            tables.faults.append(error(name, "damaged", other, AGAIN))
        else:
            tables.tables[name] = table
    return tables


def _other_columns(name: str, table: pa.Table) -> str:
    """Return why a table cannot be compared with others: columns that are needed are not there, or of another type."""
    names = table.column_names
    if len(set(names)) < len(names):
        return "a column stands twice"
    if missing := [one for one in NEEDED.get(name, ()) if one not in names]:
        return f"it has no column {', '.join(missing)}"
    declared = public_tables(()).get(PurePosixPath(name).stem)
    for column in declared.columns if declared is not None else ():
        if column.name in names and not _alike(of := table.schema.field(column.name).type, arrow(column.dtype)):
            return f"its column {column.name} holds {of}, no {column.dtype}"
    return ""


def _alike(of: pa.DataType, wanted: pa.DataType) -> bool:
    of = of.value_type if pa.types.is_dictionary(of) else of
    kinds = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_string, pa.types.is_large_string)
    return any(kind(of) and kind(wanted) for kind in kinds) or (pa.types.is_large_string(of) and pa.types.is_string(wanted))


def faults(tables: Tables, documents: Documents, folder: Folder, listed: Collection[str], unsound: Collection[str]) -> Iterator[Fault]:
    """Yield what does not fit; tables that are known to be changed are asked nothing.

    Parameters
    ----------
    tables, documents
        What was read of them.
    folder
        What is there.
    listed
        Names of all files of the release.
    unsound
        Files with other bytes than their own.
    """
    sound = Tables(tables.folder, {name: table for name, table in tables.tables.items() if name not in unsound})
    if marks.VIDEOS in sound.tables:
        yield from _names(sound, marks.VIDEOS, "videos/", listed)
        yield from _recordings(sound, listed)
        if marks.README not in unsound:
            yield from _counts(sound, documents.counts)
    if marks.FRAMES in sound.tables:
        yield from _names(sound, marks.FRAMES, "frames/", listed)
        yield from _numbers(sound)
        yield from _shards(sound, folder, unsound)
    if marks.SPLITS in sound.tables:
        yield from _splits(sound, folder, unsound)
    if marks.FACTS not in unsound:
        yield from _rows(sound, documents.rows)
    if marks.CROISSANT not in unsound:
        yield from _columns(sound, documents)


def _names(tables: Tables, table: str, below: str, listed: Collection[str]) -> Iterator[Fault]:
    """Yield files that a table names and the lists do not, and the other way round."""
    named = {name for name, of in tables.named.items() if of == table}
    lacking = sorted(named - set(listed))
    if lacking:
        more = f" and {len(lacking) - 1:,} more" if len(lacking) > 1 else ""
        what = f"it names {lacking[0]}{more}, but {marks.SUMS} does not: one of the two is of another version"
        yield error(table, "unlisted", what, f"get {table} and {marks.SUMS} again, of the same version")
    unnamed = sorted(name for name in listed if name.startswith(below) and name not in named)
    if unnamed and named:
        more = f" and {len(unnamed) - 1:,} more" if len(unnamed) > 1 else ""
        what = f"{marks.SUMS} lists {unnamed[0]}{more}, but this table has no row for it: one of the two is of another version"
        yield error(table, "unnamed", what, f"get {table} and {marks.SUMS} again, of the same version")


def _recordings(tables: Tables, listed: Collection[str]) -> Iterator[Fault]:
    """Yield tables and files about recordings that the table of videos does not have."""
    for name in sorted(tables.tables.keys() - {marks.VIDEOS}):
        unknown = sorted({one for one in set(tables.column(name, "id")) if one is not None} - tables.ids)
        if unknown:
            what = (
                f"it has {len(unknown):,} recordings that {marks.VIDEOS} lacks, such as {unknown[0]}: one of the two is of another version"
            )
            yield error(name, "recordings", what, f"get {name} and {marks.VIDEOS} again, of the same version")
    strange = sorted(
        name for name in listed if name.endswith(".npz") and "/recognition/" in name and PurePosixPath(name).stem not in tables.ids
    )
    if strange:
        yield error(strange[0], "recordings", f"{marks.VIDEOS} has no recording of this name", "get both again, of the same version")


def _counts(tables: Tables, said: Mapping[str, tuple[int, int]]) -> Iterator[Fault]:
    """Yield tasks with another number of recordings or videos than the README says."""
    tasks, ids = tables.column(marks.VIDEOS, "task"), tables.column(marks.VIDEOS, "id")
    videos = Counter(tasks)
    for task in sorted(said.keys() | videos.keys()) if said else ():
        there = len({one for one, of in zip(ids, tasks, strict=True) if of == task}), videos[task]
        if there != said.get(task, (0, 0)):
            recordings, number = said.get(task, (0, 0))
            what = f"{task}: it has {there[0]:,} recordings in {there[1]:,} videos, but {marks.README} says {recordings:,} in {number:,}"
            yield error(marks.VIDEOS, "counts", what, f"get {marks.VIDEOS} and {marks.README} again, of the same version")


def _numbers(tables: Tables) -> Iterator[Fault]:
    """Yield videos whose frames are not numbered from 0 on, without a gap; a dropped frame keeps its row."""
    table = tables.tables[marks.FRAMES]
    counted = table.group_by(["id", "camera"]).aggregate([("frame", "count"), ("frame", "max"), ("frame", "count_distinct")])
    pairs = set()
    for row in counted.to_pylist():
        pairs.add((row["id"], row["camera"]))
        if not row["frame_count"] == row["frame_count_distinct"] == row["frame_max"] + 1:
            what = f"{row['frame_count']:,} rows for the frames 0 to {row['frame_max']:,}: rows are missing or twice"
            yield error(marks.FRAMES, "numbers", what, AGAIN, place=f"{row['id']}, {row['camera']}")
    videos = set(zip(tables.column(marks.VIDEOS, "id"), tables.column(marks.VIDEOS, "camera"), strict=True))
    if videos and (lacking := sorted(videos - pairs)):
        what = f"it has no frame of {len(lacking):,} videos, such as {', '.join(lacking[0])}"
        yield error(marks.FRAMES, "numbers", what, AGAIN)


def _shards(tables: Tables, folder: Folder, unsound: Collection[str]) -> Iterator[Fault]:
    """Yield shards that lack a picture which the table names; a changed one as well, because that says what was lost."""
    members: dict[str, set[str]] = defaultdict(set)
    for path in tables.frame_paths:
        shard, inside, member = path.partition(SHARD)
        if inside:
            members[f"{shard}.tar"].add(member)
    for shard, named in sorted(members.items()):
        if shard not in folder.files:
            continue
        try:
            there = reading.index(folder.root / shard)
        except (OSError, ValueError) as failure:
            yield error(shard, "damaged", f"it is no whole tar ({failure})", "get that file again")
            continue
        if lacking := sorted(named - there.keys()):
            numbers = [int(PurePosixPath(one).stem) for one in lacking if PurePosixPath(one).stem.isdecimal()]
            what = f"it lacks {len(lacking):,} pictures that {marks.FRAMES} names: frames {ranges_text(numbers, RANGES)}"
            yield error(shard, "members", what, "get that file again")
        pictures = {name for name in there if not name.endswith(".json")}
        if (strange := sorted(pictures - named)) and shard not in unsound:
            what = f"it holds {len(strange):,} pictures that {marks.FRAMES} does not name, such as {strange[0]}"
            yield error(shard, "members", what, "get both again, of the same version")


def _splits(tables: Tables, folder: Folder, unsound: Collection[str]) -> Iterator[Fault]:
    """Yield files of splits that put recordings elsewhere than the table does."""
    rows = zip(*(tables.column(marks.SPLITS, name) for name in ("scheme", "fold", "subset", "id")), strict=True)
    by_scheme: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for scheme, fold, subset, one in rows:
        by_scheme[scheme].add((str(fold), subset, one))
    for scheme, placed in sorted(by_scheme.items()):
        name = f"splits/{scheme}.csv"
        if name not in folder.files or name in unsound:
            continue
        text = strangers.read_bytes(folder.root / name).decode("utf-8-sig", errors="replace")
        found = list(csv.DictReader(io.StringIO(text, newline="")))
        if not found or not {"id", "subset"} <= found[0].keys():
            yield error(name, "splits", "it has no columns 'id' and 'subset'", AGAIN)
            continue
        written = {(row.get("fold") or "0", row["subset"], row["id"]) for row in found}
        if written != placed:
            one = min(written ^ placed)[2]
            what = f"it places {len({other[2] for other in written ^ placed}):,} recordings elsewhere than {marks.SPLITS}, such as {one}"
            yield error(name, "splits", what, f"get {name} and {marks.SPLITS} again, of the same version")


def _rows(tables: Tables, said: Mapping[str, int]) -> Iterator[Fault]:
    """Yield tables with another number of rows than was measured."""
    for name, number in sorted(said.items()):
        table = tables.tables.get(f"tables/{name}.parquet")
        if table is not None and table.num_rows != number:
            what = f"it has {table.num_rows:,} rows, but {marks.FACTS} says {number:,}: one of the two is of another version"
            yield error(f"tables/{name}.parquet", "rows", what, "get both again, of the same version")


def _columns(tables: Tables, documents: Documents) -> Iterator[Fault]:
    """Yield tables that have other columns than the description for machines says."""
    for name, columns in sorted(documents.columns.items()):
        table = tables.tables.get(name)
        if table is not None and name != marks.FRAMES and (differ := sorted(set(columns) ^ set(table.column_names))):
            what = f"it describes {name} with other columns ({', '.join(differ[:RANGES])}): one of the two is of another version"
            yield error(marks.CROISSANT, "columns", what, f"get {marks.CROISSANT} and {name} again, of the same version")


def hidden_count(tables: Tables, column: str) -> int:
    """Return how many frames a yes-or-no column marks."""
    table = tables.tables.get(marks.FRAMES)
    return int(pc.sum(table.column(column)).as_py() or 0) if table is not None and column in table.column_names else 0
