"""What the last run knew of a recording, as far as it can still be read: its id, its raw files, and the released pictures of it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from scrubin.core import checksum_list
from scrubin.core.errors import TableError
from scrubin.core.files import sha256_of_all
from scrubin.core.unreleased import UNRELEASED
from scrubin.tables import io
from scrubin.tables.declare import Table
from scrubin.tables.frames import FRAMES
from scrubin.tables.private.linkage import LINKAGE
from scrubin.tables.private.parts import PARTS
from scrubin.tables.private.people import PEOPLE
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.tables.videos import VIDEOS

INTERIM, PRIVATE, TABLES = Path("data/interim"), Path("data/private"), Path("data/tables")
SUMS = Path("data/release", checksum_list.NAME)
FILES = ["recording", "path", "sha256"]
FLAT_CONTRAST = 4.0
"""Frames of less contrast may have the bytes of somebody else's."""


@dataclass(frozen=True)
class LastRun:
    """What the last run of a project has left.

    Parameters
    ----------
    participants
        By recording.
    ids
        By recording.
    raw
        Raw paths and SHA-256 by recording.
    pictures
        SHA-256 of the released videos and frames, by released id: those that nobody else's could equal.
    """

    participants: Mapping[str, str] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    raw: Mapping[str, tuple[frozenset[str], frozenset[str]]] = field(default_factory=dict)
    pictures: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def facts(self, recording: str) -> dict[str, frozenset[str]]:
        """Return by kind (id, path, sha256) what is known of a recording."""
        ids = frozenset({self.ids[recording]} if recording in self.ids else ())
        paths, sha256 = self.raw.get(recording, (frozenset(), frozenset()))
        pictures = frozenset().union(*(self.pictures.get(id_, frozenset()) for id_ in ids))
        return {"id": ids, "path": paths, "sha256": sha256 | pictures}


def load(folder: Path = Path()) -> LastRun:
    """Return what the last run of a project has left; what is missing or damaged is not known."""
    people, linkage = _table(PEOPLE, folder / INTERIM / "people.parquet"), _table(LINKAGE, folder / PRIVATE / "linkage.parquet")
    recordings, parts = _table(RECORDINGS, folder / INTERIM / "recordings.parquet"), _table(PARTS, folder / INTERIM / "parts.parquet")
    raw = {
        str(name): (frozenset(map(str, rows.path)), frozenset(map(str, rows.sha256.dropna())))
        for name, rows in pd.concat([recordings[FILES], parts[FILES]]).groupby("recording")
    }
    ids = {**_released(folder / PRIVATE / "released.json"), **dict(zip(linkage.recording, linkage.id, strict=True))}
    return LastRun(dict(zip(people.recording, people.participant, strict=True)), ids, raw, _pictures(folder))


def _table(table: Table, path: Path) -> pd.DataFrame:
    """Return a table; empty when it cannot be read, as after a run that was killed."""
    try:
        return io.read(table, path)
    except TableError:
        return io.frame_of(table, [])


def _released(path: Path) -> dict[str, str]:
    try:
        return {str(name): str(id_) for name, id_ in json.loads(path.read_text(encoding="utf-8"))["recordings"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _pictures(folder: Path) -> dict[str, frozenset[str]]:
    videos, frames = _table(VIDEOS, folder / TABLES / "videos.parquet"), _table(FRAMES, folder / TABLES / "frames.parquet")
    done: dict[str, set[str]] = defaultdict(set)
    for id_, sha256 in zip(videos.id, videos.sha256, strict=True):
        done[id_].add(sha256)
    telling = frames[frames.path.notna() & ~frames.redacted & (frames.contrast >= FLAT_CONTRAST)]
    # A frame in an archive has no file of its own; the archive holds the id.
    files = telling.path.str.replace(r"\.tar/.*", ".tar", regex=True)
    by_path = dict(zip(files, telling.id, strict=True))
    for path, sha256 in _alone(_sums(folder / SUMS) or _of_waiting(folder, frames)):
        if path in by_path:
            done[by_path[path]].add(sha256)
    return {id_: frozenset(several) for id_, several in done.items()}


def _sums(path: Path) -> dict[str, str]:
    try:
        return checksum_list.read(path.read_text(encoding="utf-8"))[0]
    except (OSError, ValueError):
        return {}


def _of_waiting(folder: Path, frames: pd.DataFrame) -> dict[str, str]:
    """Return the hashes of the frames that wait for a release: after one that was refused no list has them."""
    files = set(frames.path.dropna().str.replace(r"\.tar/.*", ".tar", regex=True))
    paths = {name: folder / UNRELEASED / name for name in sorted(files)}
    return sha256_of_all({name: path for name, path in paths.items() if path.is_file()})


def _alone(sums: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Return path and hash of every file of which there is no second one."""
    paths: dict[str, list[str]] = defaultdict(list)
    for path, sha256 in sums.items():
        paths[sha256].append(path)
    return [(same[0], sha256) for sha256, same in paths.items() if len(same) == 1]
