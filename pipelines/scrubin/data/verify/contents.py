"""The tables of a release against its files, against each other: what they name is there, unless it is left out by intention."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from scrubin.base import strangers, unpacking
from scrubin.base.faults import Fault, count_text, error, ranges_text
from scrubin.base.file_lists import is_litter
from scrubin.base.tables import arrow
from scrubin.base.tables.public import public_tables
from scrubin.data import verify
from scrubin.data.verify import Folder
from scrubin.data.verify.documents import Documents, json_of
from scrubin.media.released import frame_files

AGAIN = "get that file again, of the same version"
SHARD = ".tar/"
RANGES = 5
NEEDED = {
    verify.VIDEOS: ("id", "task", "camera", "path"),
    verify.FRAMES: ("id", "camera", "path"),
    verify.SPLITS: ("scheme", "fold", "subset", "id"),
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
        return frozenset(self.column(verify.VIDEOS, "id"))

    @cached_property
    def frame_paths(self) -> list[str]:
        """Where the table of frames says that a picture lies; dropped frames have none."""
        return [path for path in self.column(verify.FRAMES, "path") if path]

    @cached_property
    def named(self) -> dict[str, str]:
        """Every file that a table names, with the table; of a member of a shard the shard."""
        named = dict.fromkeys((f"{path.partition(SHARD)[0]}.tar" if SHARD in path else path for path in self.frame_paths), verify.FRAMES)
        return named | dict.fromkeys((path for path in self.column(verify.VIDEOS, "path") if path), verify.VIDEOS)


def read(folder: Folder) -> Tables:
    """Read all tables; one that cannot be read is a fault."""
    tables = Tables(folder.root)
    for name in (name for name in folder.files if name.startswith("tables/") and name.endswith(".parquet") and not is_litter(name)):
        try:
            wanted = None if name != verify.FRAMES else ["id", "camera", "frame", "path", "redacted", "dropped", "dropped_why"]
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
    if verify.VIDEOS in sound.tables:
        yield from _names(sound, verify.VIDEOS, "videos/", listed)
        yield from _recordings(sound, listed)
        if verify.README not in unsound:
            yield from _counts(sound, documents.counts)
    if verify.FRAMES in sound.tables:
        yield from _names(sound, verify.FRAMES, "frames/", listed)
        yield from _numbers(sound)
        yield from _shards(sound, folder, unsound)
    if verify.SPLITS in sound.tables:
        yield from _splits(sound, folder, unsound)
    if verify.FACTS not in unsound:
        yield from _rows(sound, documents.rows)
    if verify.CROISSANT not in unsound:
        yield from _columns(sound, documents)


def _names(tables: Tables, table: str, below: str, listed: Collection[str]) -> Iterator[Fault]:
    """Yield files that a table names and the lists do not, and the other way round."""
    named = {name for name, of in tables.named.items() if of == table}
    lacking = sorted(named - set(listed))
    if lacking:
        more = f" and {len(lacking) - 1:,} more" if len(lacking) > 1 else ""
        what = f"it names {lacking[0]}{more}, but {verify.SUMS} does not: one of the two is of another version"
        yield error(table, "unlisted", what, f"get {table} and {verify.SUMS} again, of the same version")
    unnamed = sorted(name for name in listed if name.startswith(below) and name not in named)
    if unnamed and named:
        more = f" and {len(unnamed) - 1:,} more" if len(unnamed) > 1 else ""
        what = f"{verify.SUMS} lists {unnamed[0]}{more}, but this table has no row for it: one of the two is of another version"
        yield error(table, "unnamed", what, f"get {table} and {verify.SUMS} again, of the same version")


def _recordings(tables: Tables, listed: Collection[str]) -> Iterator[Fault]:
    """Yield tables and files about recordings that the table of videos does not have."""
    for name in sorted(tables.tables.keys() - {verify.VIDEOS}):
        unknown = sorted({one for one in set(tables.column(name, "id")) if one is not None} - tables.ids)
        if unknown:
            what = (
                f"{verify.VIDEOS} lacks {count_text(len(unknown), 'recording')} of it, such as {unknown[0]}: one of them is another version"
            )
            yield error(name, "recordings", what, f"get {name} and {verify.VIDEOS} again, of the same version")
    strange = sorted(
        name for name in listed if name.endswith(".npz") and "/recognition/" in name and PurePosixPath(name).stem not in tables.ids
    )
    if strange:
        yield error(strange[0], "recordings", f"{verify.VIDEOS} has no recording of this name", "get both again, of the same version")


def _counts(tables: Tables, said: Mapping[str, tuple[int, int]]) -> Iterator[Fault]:
    """Yield tasks with another number of recordings or videos than the README says."""
    tasks, ids = tables.column(verify.VIDEOS, "task"), tables.column(verify.VIDEOS, "id")
    videos = Counter(tasks)
    for task in sorted(said.keys() | videos.keys()) if said else ():
        there = len({one for one, of in zip(ids, tasks, strict=True) if of == task}), videos[task]
        if there != said.get(task, (0, 0)):
            recordings, number = said.get(task, (0, 0))
            what = f"{task}: it has {there[0]:,} recordings in {there[1]:,} videos, but {verify.README} says {recordings:,} in {number:,}"
            yield error(verify.VIDEOS, "counts", what, f"get {verify.VIDEOS} and {verify.README} again, of the same version")


def _numbers(tables: Tables) -> Iterator[Fault]:
    """Yield videos whose frames are not numbered from 0 on, without a gap; a dropped frame keeps its row."""
    table = tables.tables[verify.FRAMES]
    counted = table.group_by(["id", "camera"]).aggregate([("frame", "count"), ("frame", "max"), ("frame", "count_distinct")])
    pairs = set()
    for row in counted.to_pylist():
        pairs.add((row["id"], row["camera"]))
        if not row["frame_count"] == row["frame_count_distinct"] == row["frame_max"] + 1:
            what = f"{row['frame_count']:,} rows for the frames 0 to {row['frame_max']:,}: rows are missing or twice"
            yield error(verify.FRAMES, "numbers", what, AGAIN, place=f"{row['id']}, {row['camera']}")
    videos = set(zip(tables.column(verify.VIDEOS, "id"), tables.column(verify.VIDEOS, "camera"), strict=True))
    if videos and (lacking := sorted(videos - pairs)):
        what = f"it has no frame of {len(lacking):,} videos, such as {', '.join(lacking[0])}"
        yield error(verify.FRAMES, "numbers", what, AGAIN)


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
            there = frame_files.index(folder.root / shard)
        except (OSError, ValueError) as failure:
            yield error(shard, "damaged", f"it is no whole tar ({failure})", "get that file again")
            continue
        if lacking := sorted(named - there.keys()):
            numbers = [int(PurePosixPath(one).stem) for one in lacking if PurePosixPath(one).stem.isdecimal()]
            what = f"it lacks {len(lacking):,} pictures that {verify.FRAMES} names: frames {ranges_text(numbers, RANGES)}"
            yield error(shard, "members", what, "get that file again")
        pictures = {name for name in there if not name.endswith(".json")}
        if (strange := sorted(pictures - named)) and shard not in unsound:
            what = f"it holds {len(strange):,} pictures that {verify.FRAMES} does not name, such as {strange[0]}"
            yield error(shard, "members", what, "get both again, of the same version")


def _splits(tables: Tables, folder: Folder, unsound: Collection[str]) -> Iterator[Fault]:
    """Yield files of splits that put recordings elsewhere than the table does."""
    rows = zip(*(tables.column(verify.SPLITS, name) for name in ("scheme", "fold", "subset", "id")), strict=True)
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
            what = (
                f"{count_text(len({other[2] for other in written ^ placed}), 'recording')} elsewhere than in {verify.SPLITS}, such as {one}"
            )
            yield error(name, "splits", what, f"get {name} and {verify.SPLITS} again, of the same version")


def _rows(tables: Tables, said: Mapping[str, int]) -> Iterator[Fault]:
    """Yield tables with another number of rows than was measured."""
    for name, number in sorted(said.items()):
        table = tables.tables.get(f"tables/{name}.parquet")
        if table is not None and table.num_rows != number:
            what = f"it has {table.num_rows:,} rows, but {verify.FACTS} says {number:,}: one of the two is of another version"
            yield error(f"tables/{name}.parquet", "rows", what, "get both again, of the same version")


def _columns(tables: Tables, documents: Documents) -> Iterator[Fault]:
    """Yield tables that have other columns than the description for machines says."""
    for name, columns in sorted(documents.columns.items()):
        table = tables.tables.get(name)
        if table is not None and name != verify.FRAMES and (differ := sorted(set(columns) ^ set(table.column_names))):
            what = f"it describes {name} with other columns ({', '.join(differ[:RANGES])}): one of the two is of another version"
            yield error(verify.CROISSANT, "columns", what, f"get {verify.CROISSANT} and {name} again, of the same version")


def hidden_count(tables: Tables, column: str) -> int:
    """Return how many frames a yes-or-no column marks."""
    table = tables.tables.get(verify.FRAMES)
    return int(pc.sum(table.column(column)).as_py() or 0) if table is not None and column in table.column_names else 0


_VALUE = re.compile(r"\s*[-+]?\d[\d.,eE+-]*")
REASONS = {
    "consent": "consent was withdrawn",
    "request": "somebody asked for it",
    "legal": "for legal reasons",
    "quality": "they were too poor",
    "other": "for other reasons",
}


@dataclass(frozen=True)
class Withheld:
    """One kind of thing that is not there.

    Parameters
    ----------
    what
        Short name of the kind, for machines.
    count
        How many; 0 where it cannot be counted.
    says
        What is left out and why, in one sentence without full stop.
    """

    what: str
    count: int
    says: str


def of(folder: Path, tables: Tables, documents: Documents, listed: Collection[str], faults: list[Fault]) -> list[Withheld]:
    """Return everything that a release says it leaves out.

    Parameters
    ----------
    folder, tables, documents
        The release, and what was read of it.
    listed
        Names of its files.
    faults
        To which documents are added that cannot be read.
    """
    withdrawn = list(_withdrawn(json_of(folder, verify.WITHDRAWN, faults)))
    left_out = {why: count for why, count in documents.left_out.items() if count and not (why == "withdrawn" and withdrawn)}
    kinds = [*_frames(tables), *_cameras(tables), *withdrawn]
    kinds += [
        Withheld("left-out", count, f"{count_text(count, 'recording')} of the study not released: {why}")
        for why, count in sorted(left_out.items())
    ]
    if not any(name.startswith("archives/") for name in listed):
        kinds.append(Withheld("archives", 0, "no archives: this release has the videos in 'videos' only"))
    return kinds


def _frames(tables: Tables) -> Iterator[Withheld]:
    if dropped := hidden_count(tables, "dropped"):
        whys = Counter(_VALUE.sub("", str(why)).strip() for why in tables.column(verify.FRAMES, "dropped_why") if why)
        reasons = ", ".join(f"{why}: {count:,}" for why, count in sorted(whys.items(), key=lambda item: (-item[1], item[0])))
        yield Withheld(
            "dropped", dropped, f"{dropped:,} frames have no file: they were too poor to be used ({reasons}), and keep their number and row"
        )
    if hidden := hidden_count(tables, "redacted"):
        says = f"{hidden:,} frames are black: they were hidden because they could identify somebody or show what is outside the body"
        yield Withheld("hidden", hidden, f"{says}, and keep their number")


def _cameras(tables: Tables) -> Iterator[Withheld]:
    """Yield recordings of which one view of a stereo pair was not released."""
    cameras: dict[str, set[str]] = defaultdict(set)
    for one, camera in zip(tables.column(verify.VIDEOS, "id"), tables.column(verify.VIDEOS, "camera"), strict=False):
        cameras[one].add(camera)
    for camera, other in (("left", "right"), ("right", "left")):
        if alone := sorted(one for one, there in cameras.items() if there == {camera}):
            says = f"{count_text(len(alone), 'recording')} with the camera {camera} only, such as {alone[0]}: no {other} one was released"
            yield Withheld("camera", len(alone), says)


def _withdrawn(document: Mapping[str, Any]) -> Iterator[Withheld]:
    rows = document.get("withdrawn")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            count, reason = row.get("recordings"), str(row.get("reason", "other"))
            number = count if isinstance(count, int) else 0
            withdrawn = f"{count_text(number, 'recording')} {'was' if number == 1 else 'were'} withdrawn"
            says = f"{withdrawn} in version {row.get('version', '?')}: {REASONS.get(reason, reason)}"
            yield Withheld("withdrawn", number, says)
