"""Taking notice of who withdrew: the list, the study, the last run become what is remembered."""

from __future__ import annotations

import contextlib
import csv
import datetime
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.audit.expected import dates, private_strings, withdrawal_memory
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base import file_lists, params
from scrubin.base.errors import ManifestError, ScrubinError, TableError
from scrubin.base.files import sha256_of_all
from scrubin.base.layout import INTERIM, LINKAGE_PATH, PARTS_PATH, PRIVATE, RECORDINGS_PATH, RELEASE, TABLES, UNRELEASED, VIDEOS_PATH
from scrubin.base.tables import Table, io
from scrubin.base.tables.private import LINKAGE, PARTS, PEOPLE, RECORDINGS
from scrubin.base.tables.public import FRAMES, SPLITS, VIDEOS
from scrubin.stages import withdrawals
from scrubin.stages.withdrawals import Listed, WithdrawnRow

SUMS = RELEASE / file_lists.CHECKSUMS
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
    sites
        By recording.
    raw
        Raw paths and SHA-256 by recording.
    pictures
        SHA-256 of the released videos and frames, by released id: those that nobody else's could equal.
    """

    participants: Mapping[str, str] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    sites: Mapping[str, str] = field(default_factory=dict)
    raw: Mapping[str, tuple[frozenset[str], frozenset[str]]] = field(default_factory=dict)
    pictures: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def facts(self, recording: str) -> dict[str, frozenset[str]]:
        """Return by kind (id, path, sha256) what is known of a recording."""
        ids = frozenset({self.ids[recording]} if recording in self.ids else ())
        paths, sha256 = self.raw.get(recording, (frozenset(), frozenset()))
        pictures = frozenset().union(*(self.pictures.get(id_, frozenset()) for id_ in ids))
        return {"id": ids, "path": paths, "sha256": sha256 | pictures}


def load_last_run(folder: Path, *, with_pictures: bool) -> LastRun:
    """Return what the last run of a project has left; what is missing or damaged is not known, nor pictures that nobody asked for."""
    people, linkage = _table(PEOPLE, folder / INTERIM / "people.parquet"), _table(LINKAGE, folder / LINKAGE_PATH)
    recordings, parts = _table(RECORDINGS, folder / RECORDINGS_PATH), _table(PARTS, folder / PARTS_PATH)
    raw = {
        str(name): (frozenset(map(str, rows.path)), frozenset(map(str, rows.sha256.dropna())))
        for name, rows in pd.concat([recordings[FILES], parts[FILES]]).groupby("recording")
    }
    ids = _ids(folder, linkage)
    # `people` is written later than `recordings`: a run may have ended between them.
    participants = {name: who for table in (recordings, people) for name, who in zip(table.recording, table.participant, strict=True)}
    sites = {name: site for table in (recordings, people) for name, site in zip(table.recording, table.site.fillna(""), strict=True)}
    return LastRun(participants, ids, sites, raw, _pictures(folder) if with_pictures else {})


def _table(table: Table, path: Path) -> pd.DataFrame:
    """Return a table; empty when it cannot be read, as after a run that was killed."""
    try:
        return io.read(table, path)
    except TableError:
        return io.frame_of(table, [])


def _ids(folder: Path, linkage: pd.DataFrame) -> dict[str, str]:
    """Return the id of every recording: as it was ever given, of the last release, and of the last run.

    The last ones may be without somebody who is in an older release alone, or those of another study.
    """
    of_last_run = dict(zip(linkage.recording, linkage.id, strict=True))
    return {**_ids_given(folder / PRIVATE / "ids.csv"), **_id_released(folder / PRIVATE / "released.json"), **of_last_run}


def staying(withdrawn: Memory, studies: Iterable[Path], folder: Path = Path()) -> frozenset[str]:
    """Return the released ids of all who stay, as far as they are known.

    The last run and the last release may be of another study. Of the ledger of ids those alone count whom ``recordings.csv`` in a folder of
    `studies` lists: whoever was removed from the study may be one who withdrew, and nobody can tell.
    """
    linkage, study = _table(LINKAGE, folder / LINKAGE_PATH), set[str]()
    for raw in studies:
        with contextlib.suppress(ScrubinError):  # it is said where the study is read
            study |= withdrawals.listed(raw).keys()
    given = {name: id_ for name, id_ in _ids_given(folder / PRIVATE / "ids.csv").items() if name in study}
    ids = {**given, **_id_released(folder / PRIVATE / "released.json"), **dict(zip(linkage.recording, linkage.id, strict=True))}
    return frozenset(id_ for name, id_ in ids.items() if name not in withdrawn and id_ not in withdrawn)


def _ids_given(path: Path) -> dict[str, str]:
    """Return what the ledger of ids says, as far as it can be read, with whatever key an id was given."""
    ids = dict[str, str]()
    with contextlib.suppress(OSError, csv.Error), path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        ids.update((row["recording"], row["id"]) for row in csv.DictReader(file) if row.get("recording") and row.get("id"))
    return ids


def _id_released(path: Path) -> dict[str, str]:
    try:
        return {str(name): str(id_) for name, id_ in json.loads(path.read_text(encoding="utf-8"))["recordings"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _pictures(folder: Path) -> dict[str, frozenset[str]]:
    videos, frames = _table(VIDEOS, folder / VIDEOS_PATH), _table(FRAMES, folder / TABLES / "frames.parquet")
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
        return file_lists.read_checksums(path.read_text(encoding="utf-8"))[0]
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


RELEASED, TABLE = PRIVATE / "released.json", TABLES / "splits.parquet"


def placed(splits: pd.DataFrame, section: Mapping[str, Any]) -> dict[str, Any]:
    """Return a study's splits as a JSON value.

    Parameters
    ----------
    splits
        The table of this name.
    section
        The section ``splits`` of ``params.yaml``: a scheme that it describes in another way later is made anew.
    """
    rows = splits.sort_values(["scheme", "fold", "id"])
    return {
        "seed": section["seed"],
        "schemes": section["schemes"],
        "places": {
            str(scheme): [[int(fold), str(subset), str(id_)] for fold, subset, id_ in zip(of.fold, of.subset, of.id, strict=True)]
            for scheme, of in rows.groupby("scheme")
        },
    }


def with_splits(now: Memory, before: Memory, folder: Path) -> Memory:
    """Return the memory with the splits of the last release, without those who withdrew."""
    if now.recordings.keys() == before.recordings.keys():
        return replace(now, splits=before.splits)
    last = _released_splits(folder) or before.splits
    if not last:
        return now
    places = {scheme: [row for row in rows if row[2] not in now] for scheme, rows in last["places"].items()}
    return replace(now, splits={**last, "places": places})


def _released_splits(folder: Path) -> dict[str, Any]:
    """Return the splits of the last release, or of the last run where an earlier edition kept none; nothing before a release."""
    try:
        said = json.loads((folder / RELEASED).read_text(encoding="utf-8"))
        if "splits" in said or not said["recordings"]:
            return dict(said.get("splits", {}))
        return placed(io.read(SPLITS, folder / TABLE), params.read(folder / params.PARAMS_PATH)["splits"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError, TableError):
        return {}


def take(raw: Path, folder: Path = Path(), more: Sequence[WithdrawnRow] = (), *, with_pictures: bool = True) -> Memory:
    """Return what is to be remembered from now on.

    Parameters
    ----------
    raw
        Folder of the raw study.
    folder
        The project, in which the last run may have left what it knew.
    more
        Rows that are about to be added to the list.
    with_pictures
        Also what their pictures are: after a release that was refused each is read. Who withdrew can be told without.

    Raises
    ------
    ManifestError
        When a row of ``withdrawn.csv`` names nobody, or somebody who withdrew is listed again.
    PrivacyError
        When what was remembered cannot be read.
    """
    before, rows = withdrawal_memory.load(folder), (*withdrawals.read(raw / withdrawals.NAME), *more)
    if not rows and not before:
        return before
    study = withdrawals.listed(raw)
    last = load_last_run(folder, with_pictures=with_pictures)
    participant_of = {**last.participants, **{name: one.participant for name, one in study.items()}}
    said = withdrawals.named(rows, participant_of, before)
    ManifestError.raise_any(withdrawals.come_back(study, said, before))
    now = before.with_participants(said.participants)
    values = {name: _values(name, who, study, last) for name, who in participant_of.items()}
    others = _joined(of for name, of in values.items() if name not in said.reasons and name not in before)
    # Of all names together, because only so a number that counts up is no date.
    every, of_others, parts = _days(_joined(values.values())), _days(others), private_strings.folded_parts(others)
    for name, reason in sorted(said.reasons.items()):
        facts, of = last.facts(name), values[name]
        names = {name, *facts["id"], *_orders({participant_of[name]} & said.participants)}
        told, days = private_strings.own_parts(of, parts), (_days(of) & every) - of_others
        numbers = dates.only_numbers(days, (text for texts in of.values() for text in texts))
        now = now.with_recording(name, reason, {**facts, "path": of["path"]}, names, told, days, numbers)
    return with_splits(now, before, folder)


def _values(name: str, participant: str, study: Mapping[str, Listed], last: LastRun) -> dict[str, frozenset[str]]:
    """Return what tells of a recording, by column: as it is listed, and as the last run knew it."""
    paths, sites = last.facts(name)["path"], {last.sites.get(name, "")}
    if name in study:
        paths, sites = paths | frozenset(study[name].paths), sites | {study[name].site}
    return {
        "participant": frozenset({participant} - {""}),
        "recording": frozenset({name}),
        "path": paths,
        "site": frozenset(sites - {""}),
    }


def _joined(values: Iterable[Mapping[str, frozenset[str]]]) -> dict[str, frozenset[str]]:
    joined: dict[str, set[str]] = defaultdict(set)
    for of in values:
        for kind, texts in of.items():
            joined[kind] |= texts
    return {kind: frozenset(texts) for kind, texts in joined.items()}


def _days(values: Mapping[str, frozenset[str]]) -> frozenset[datetime.date]:
    return dates.of_names(text for texts in values.values() for text in texts)


def _orders(participants: Iterable[str]) -> Iterable[str]:
    """Yield the names of people with their words in any order: Berg_Anna, Anna Berg."""
    for name in participants:
        single = name.replace("_", " ").split()
        yield name
        if 1 < len(single) <= private_strings.JOINED_WORDS:
            yield from map(" ".join, permutations(single))


def is_news(now: Memory, before: Memory) -> bool:
    """Return whether somebody withdrew of whom nothing was remembered yet."""
    return bool(now.participants - before.participants or now.recordings.keys() - before.recordings.keys())


def staying_at_news(raw: Path, folder: Path = Path()) -> frozenset[str] | None:
    """Return who stays, as `staying` does, when a row of the list is about somebody whom no run has left out yet; else None.

    Raises
    ------
    ManifestError, PrivacyError
        When nobody can tell who is meant, as in `take`.
    """
    now = take(raw, folder, with_pictures=False)
    return staying(now, (raw,), folder) if is_news(now, withdrawal_memory.load(folder)) else None
