"""Withdrawals that another clone has released: what the releases here say of them is held against what this clone knows.

A release says how many recordings were withdrawn, and never which. So who may be meant follows from what this clone released,
would release again, and that release does not hold.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base import file_lists, strangers, unpacking
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import count_text
from scrubin.base.files import json_text, whole
from scrubin.base.layout import RELEASE
from scrubin.data.diff import withdrawn_notes
from scrubin.data.diff.snapshot import DOCUMENT, Released
from scrubin.data.diff.withdrawn_notes import Notes
from scrubin.data.verify import WITHDRAWN
from scrubin.stages import withdrawals
from scrubin.stages.release.gates import LAST_RELEASE_PATH, last_release, last_tombstones
from scrubin.stages.release.release_params import Previous

KEPT = "other_clone"
"""Where the record of the last release keeps what a release of another clone said, until this clone has released."""
SHOWN = 10


@dataclass(frozen=True)
class Earlier:
    """A release that lies here, whoever made it.

    Parameters
    ----------
    where
        Its folder.
    version
        Its number.
    ids
        Of its recordings.
    notes
        How many were withdrawn, by version and reason.
    """

    where: str
    version: str
    ids: frozenset[str]
    notes: Notes

    def unknown(self, last: Mapping[str, Any]) -> Notes:
        """Return the notes that the last release of this clone did not carry."""
        return self.notes - withdrawn_notes.of_rows(last_tombstones(last))

    def is_own(self, last: Mapping[str, Any]) -> bool:
        """Return whether this is the last release of this clone, or one before it: nothing in it is news here."""
        own = frozenset(last["recordings"].values())
        if self.version == last["version"] and self.ids == own:
            return True
        return not self.unknown(last) and _number(self.version) <= _number(last["version"]) and self.ids <= own

    def joined(self, other: Earlier) -> Earlier:
        """Return what both say, as if one release said it: the higher version alone, unless the lower one notes what that does not."""
        low, high = sorted((self, other), key=lambda one: _number(one.version))
        if low.version != high.version and not low.notes - high.notes:
            return high
        return replace(high, ids=high.ids & low.ids, notes=high.notes | low.notes)


def releases_here(name: str, last: Mapping[str, Any], previous: Previous | None, folder: Path = RELEASE) -> list[Earlier]:
    """Return the releases that lie here and note withdrawals, but for those of this clone whose notes it carries on anyhow.

    Parameters
    ----------
    name, last
        What the data set is called, and what is kept of its last release, see `gates.last_release`.
    previous
        The release before, as parameters name it; it may have another name.
    folder
        Of the release that lies in its place, such as one that `dvc pull` has brought.

    Raises
    ------
    ReleaseError
        When what was kept of one cannot be read, or one is damaged, and it is not known to be the last one of this clone: nobody knows
        then who withdrew. The last one of this clone is made anew.
    """
    found = [*_kept(name), *_in_place(folder, name), *(() if previous is None else _before(Path(previous.path), last))]
    return [one for one in found if one.unknown(last) or (one.notes and not one.is_own(last))]


def _in_place(folder: Path, name: str) -> Iterator[Earlier]:
    """Yield the release in its place, if it is called so and notes anything."""
    if not folder.is_dir() or all(path.name == ".gitignore" for path in folder.iterdir()):
        return
    last = last_release(None)
    if _says_nothing_new(folder, last):
        return
    try:
        released = Released.open(folder)
        if released.name == name:
            yield from _noting(released)
    except ReleaseError as error:
        if _is_last(folder, last):
            return  # it is made anew, and what it noted is known
        msg = (
            f"{folder}: it is not known to be the last release of this clone, and does not say whether somebody withdrew ({error}); "
            f"pull it again: dvc pull --allow-missing --force {folder}; or 'scrubin verify --fix', which restores what is sound elsewhere; "
            f"or remove {folder}"
        )
        raise ReleaseError(msg) from error


def _before(folder: Path, last: Mapping[str, Any]) -> Iterator[Earlier]:
    """Yield the release that parameters name; whoever compares with it refuses one that cannot be opened."""
    if _says_nothing_new(folder, last):
        return
    try:
        released = Released.open(folder)
    except ReleaseError:
        return
    yield from _noting(released)


def _says_nothing_new(folder: Path, last: Mapping[str, Any]) -> bool:
    """Return whether a folder says that nobody withdrew, or is the last release of this clone: its long list of files is not read then.

    Damage makes no file that says so.
    """
    try:
        said = strangers.read_json(folder / WITHDRAWN, inside=folder)["withdrawn"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if said == []:
        return True
    is_known = not withdrawn_notes.of_rows(said) - withdrawn_notes.of_rows(last_tombstones(last))
    return is_known and _is_last(folder, last)


def _is_last(folder: Path, last: Mapping[str, Any]) -> bool:
    """Return whether a folder holds the last release of this clone, by what can still be read of it: its version and its ids.

    The list of all files may be long, and is read for it only where the table of videos is damaged.
    """
    if not last["recordings"]:
        return False
    try:
        document = strangers.read_json(folder / DOCUMENT, inside=folder)
        version = document["version"]
    except (OSError, ValueError, KeyError, TypeError):
        version = last["version"]
    try:
        path = folder / "tables/videos.parquet"
        ids = frozenset(unpacking.parquet(path, path, ["id"]).column("id").to_pylist())
    except (OSError, ValueError, KeyError):
        ids = _listed_ids(folder)
    return bool(ids) and version == last["version"] and ids == frozenset(last["recordings"].values())


def _listed_ids(folder: Path) -> frozenset[str]:
    """Return the ids of the videos that a folder lists; none where its list cannot be read."""
    try:
        sha256, _ = file_lists.read_checksums(strangers.read_text(folder / file_lists.CHECKSUMS, inside=folder))
    except (OSError, ValueError):
        return frozenset()
    return frozenset(PurePosixPath(path).name.partition(".")[0] for path in sha256 if path.startswith("videos/"))


def _noting(released: Released) -> Iterator[Earlier]:
    videos = (PurePosixPath(path) for path in released.sha256 if path.startswith("videos/"))
    ids = frozenset(path.name.partition(".")[0] for path in videos)
    yield Earlier(str(released.folder), released.version, ids, withdrawn_notes.read(released))


def _kept(name: str, path: Path = LAST_RELEASE_PATH) -> Iterator[Earlier]:
    """Yield what `keep` has kept."""
    if not path.is_file():
        return
    try:
        said = json.loads(path.read_text(encoding="utf-8")).get(KEPT)
        if said is not None and said["name"] == name:
            yield Earlier(str(path), str(said["version"]), frozenset(said["ids"]), withdrawn_notes.of_rows(said["withdrawn"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{path}: it does not say what the last release held ({type(error).__name__}); restore it, or remove it to begin anew"
        raise ReleaseError(msg) from error


def keep(name: str, earlier: Sequence[Earlier], path: Path = LAST_RELEASE_PATH) -> None:
    """Keep what a release in its place says, before that is taken out of it: a run that is refused must not forget it.

    What was kept of another one is joined with it, see `Earlier.joined`.
    """
    for one in earlier:
        if one.where == str(RELEASE):
            said: dict[str, Any] = {"name": "", "version": "", "recordings": {}}
            if path.is_file():
                said = json.loads(path.read_text(encoding="utf-8"))
            both = reduce(Earlier.joined, _kept(name, path), one)
            rows = withdrawn_notes.rows(both.notes)
            said[KEPT] = {"name": name, "version": both.version, "ids": sorted(both.ids), "withdrawn": rows}
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with whole(path) as part:
                part.touch(mode=0o600)
                part.write_text(json_text(said), encoding="utf-8")


def refuse_return(earlier: Iterable[Earlier], now: Mapping[str, str], withdrawn: Memory, raw: Path, version: str) -> None:
    """Refuse to release again who was withdrawn in another clone.

    Who may be meant was in the last release of this clone, is not in the other one, and is not known here to have withdrawn. Nobody is,
    when those who are known here and are not in the other one account for all that it notes.

    Parameters
    ----------
    earlier
        As `releases_here` returns them.
    now
        Released id by recording, of what would be released.
    withdrawn
        Who withdrew, as far as this clone knows.
    raw
        Folder of the raw study.
    version
        Of the release that is to be made.

    Raises
    ------
    ReleaseError
        Names the ids, and which files to bring.
    """
    last = last_release(None)  # a data set that was renamed since holds the same people
    again = {name: id_ for name, id_ in now.items() if last["recordings"].get(name) == id_ and name not in withdrawn}
    for one in _of_these(earlier, now):
        suspects = {} if one.is_own(last) else {name: id_ for name, id_ in again.items() if id_ not in one.ids}
        unknown = one.notes.total() - withdrawn.count_outside(one.ids) if suspects else 0
        if unknown > 0:
            count = count_text(unknown, "recording")
            listed = ", ".join(f"'{name}' ({id_})" for name, id_ in sorted(suspects.items())[:SHOWN])
            listed += f" and {len(suspects) - SHOWN} more" if len(suspects) > SHOWN else ""
            msg = (
                f"{one.where}: version {one.version} says that {count} withdrew of which this clone does not know, and {version} would "
                f"hold what that version does not hold any more: {listed}; bring from the clone that released "
                f"{one.version} the rows of {raw / withdrawals.NAME}, {withdrawal_memory.PATH} and {LAST_RELEASE_PATH}, then run again"
            )
            raise ReleaseError(msg)


def _of_these(earlier: Iterable[Earlier], now: Mapping[str, str]) -> list[Earlier]:
    """Return the releases of which a recording is released again; the others are of other people, or of all under other ids."""
    return [one for one in earlier if not one.ids.isdisjoint(now.values())]


def carried(
    earlier: Iterable[Earlier], last: Mapping[str, Any], now: Mapping[str, str], gone: Mapping[str, str]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the notes that a release carries on, and of those who are gone the reasons of whom none of these notes counts.

    Parameters
    ----------
    earlier, last, now
        As in `releases_here` and `refuse_return`.
    gone
        Of the recordings of the last release that were withdrawn, with their reasons.
    """
    notes, counted = Counter(withdrawn_notes.of_rows(last_tombstones(last))), set[str]()
    for one in _of_these(earlier, now):
        notes |= one.notes
        if _number(one.version) > _number(last["version"]):
            counted |= {name for name in gone if last["recordings"][name] not in one.ids}
    return withdrawn_notes.rows(notes), {name: reason for name, reason in gone.items() if name not in counted}


def _number(version: str) -> tuple[int, ...]:
    """Return a version as numbers; one that is not x.y.z comes before all others."""
    parts = version.split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()
