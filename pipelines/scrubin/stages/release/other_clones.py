"""Withdrawals that another clone has released: what the releases here say of them is held against what this clone knows.

A release says how many recordings were withdrawn, and never which. So the rule is:

- Known here are the releases that this clone has made, and the notes of others with which it has released once: they are answered.
- A release that lies here, was not made here and notes more than is answered may mean anybody who was in the last release of this
  clone and is not in that one.
- If any of them would be released again, nothing is: whose note it is nobody can tell by numbers, since of who withdrew here the other
  clone may know nothing.
- Out of it leads what that clone knows: its rows, by which those people go, and its record of the last release, from which this clone goes
  on: whoever is not in that one is new.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import strangers, unpacking
from scrubin.base.errors import ReleaseError
from scrubin.base.file_lists import CHECKSUMS
from scrubin.base.files import json_text, whole
from scrubin.base.layout import RELEASE
from scrubin.data.diff import withdrawn_notes
from scrubin.data.diff.snapshot import DOCUMENT
from scrubin.data.diff.withdrawn_notes import Notes
from scrubin.data.verify import WITHDRAWN
from scrubin.stages import withdrawals
from scrubin.stages.release.gates import LAST_RELEASE_PATH, last_release, last_tombstones
from scrubin.stages.release.release_params import Previous

KEPT = "other_clone"
"""Where the record of the last release keeps what a release of another clone said, until this clone has released."""
UNREAD = "unread"
"""There, that one went from its place of which nobody could read who withdrew."""
MADE, ANSWERED = "made", "answered"
"""Where the record keeps which releases this clone has made, and the notes of others with which it has released."""
AGAIN = f"pull it again: remove {RELEASE}, then dvc get . {RELEASE} --rev HEAD --out {RELEASE}"
"""A run that was refused, and a withdrawal, have taken it out of the lock file; if it came back there, 'dvc push' would send it."""
VIDEOS = "tables/videos.parquet"
PLACES = (str(RELEASE), str(LAST_RELEASE_PATH))
SHOWN = 10


@dataclass(frozen=True)
class Earlier:
    """A release that lies here, whoever made it.

    Parameters
    ----------
    where
        Its folder, or the record that keeps what it said.
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

    @property
    def mark(self) -> str:
        """By which a release is known again: a hash of its number, ids and notes."""
        said = json.dumps([self.version, sorted(self.ids), withdrawn_notes.rows(self.notes)])
        return hashlib.sha256(said.encode()).hexdigest()

    def joined(self, other: Earlier) -> Earlier:
        """Return what both say, as if one release said it: the higher version alone, unless the lower one notes what that does not."""
        low, high = sorted((self, other), key=lambda one: _number(one.version))
        if low.version != high.version and not low.notes - high.notes:
            return high
        return replace(high, ids=high.ids & low.ids, notes=high.notes | low.notes)


def releases_here(name: str, previous: Previous | None) -> list[Earlier]:
    """Return the releases that lie here, note withdrawals, and were not made by this clone: first the one in its place, with what is kept.

    Parameters
    ----------
    name
        What the data set is called; that of the last release counts as well.
    previous
        The release before, as parameters name it; it may have another name.

    Raises
    ------
    ReleaseError
        When what was kept of one cannot be read, or one is damaged, and it is not known to be the last one of this clone: nobody knows
        then who withdrew. The last one of this clone is made anew.
    """
    last = last_release(None)
    names = {name, last["name"]}
    pulled = _in_place(names, last)
    kept, is_unread = _kept(names)
    here = _of_others(one for one in (kept, pulled) if one and one.notes)
    if is_unread and pulled not in here:
        msg = (
            f"{LAST_RELEASE_PATH}: a release that nobody could read went from {RELEASE} when somebody withdrew, and may have noted others; "
            f"if another clone made it, {AGAIN}, and run again; if this one did, or what you pulled notes nobody, "
            f"take '{KEPT}' out of {LAST_RELEASE_PATH}"
        )
        raise ReleaseError(msg)
    before = None if previous is None else _before(Path(previous.path))
    return [*([reduce(Earlier.joined, here)] if here else ()), *_of_others([before] if before and before.notes else ())]


def _of_others(earlier: Iterable[Earlier]) -> list[Earlier]:
    """Return the releases that this clone has not made."""
    made = _made(last_release(None))
    return [one for one in earlier if one.mark not in made]


def _made(last: Mapping[str, Any]) -> set[str]:
    return {*last.get(MADE, ()), _of_record(last).mark}


def _answered(last: Mapping[str, Any]) -> Notes:
    """Return the notes that came from another clone; of a record of an earlier edition all but those that its own release added."""
    if MADE in last:
        return withdrawn_notes.of_rows(last.get(ANSWERED))
    return withdrawn_notes.of_rows([row for row in last_tombstones(last) if row["version"] != last["version"]])


def _of_record(kept: Mapping[str, Any]) -> Earlier:
    """Return a release of this clone, as its record has it."""
    ids, notes = frozenset(kept["recordings"].values()), withdrawn_notes.of_rows(last_tombstones(kept))
    return Earlier(str(LAST_RELEASE_PATH), str(kept["version"]), ids, notes)


def _in_place(names: set[str], last: Mapping[str, Any]) -> Earlier | None:
    """Return the release in its place, if it is called so; what has no file by which a release is known is none."""
    if not any((RELEASE / part).exists() for part in (DOCUMENT, CHECKSUMS, WITHDRAWN, VIDEOS)):
        return None
    try:
        name, one = _read(RELEASE)
    except ReleaseError as error:
        if _is_last(RELEASE, last):
            return None  # it is made anew, and what it noted is known
        msg = (
            f"{RELEASE}: it is not known to be the last release of this clone, and does not say whether somebody withdrew ({error}); "
            f"{AGAIN}; or 'scrubin verify --fix', which restores what is sound elsewhere; "
            f"or remove {RELEASE}"
        )
        raise ReleaseError(msg) from error
    return one if name in names else None


def _before(folder: Path) -> Earlier | None:
    """Return the release that parameters name; whoever compares with it refuses one that is none."""
    if not ((folder / DOCUMENT).is_file() and (folder / CHECKSUMS).is_file()):
        return None
    try:
        return _read(folder)[1]
    except ReleaseError as error:
        msg = f"params.yaml: 'release.previous': {error}"
        raise ReleaseError(msg) from error


def _read(folder: Path) -> tuple[str, Earlier]:
    """Return the name of a release, and what it says; the list of all files, which may be long, is searched and not read line by line.

    Raises
    ------
    ReleaseError
        When a file that says it is missing, has other bytes than are listed, or cannot be read.
    """
    try:
        listed = strangers.read_bytes(folder / CHECKSUMS, inside=folder)
        document = strangers.json_value(_proven(folder, DOCUMENT, listed), folder / DOCUMENT)
        ids = unpacking.parquet(_proven(folder, VIDEOS, listed), folder / VIDEOS, ["id"]).column("id").to_pylist()
        # Releases of earlier editions note nothing.
        is_noting = f"  {WITHDRAWN}".encode() in listed or (folder / WITHDRAWN).exists()
        said = strangers.json_value(_proven(folder, WITHDRAWN, listed), folder / WITHDRAWN)["withdrawn"] if is_noting else []
        return document["name"], Earlier(str(folder), str(document["version"]), frozenset(ids), withdrawn_notes.of_rows(said))
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"{folder}: {type(error).__name__}: {error}"
        raise ReleaseError(msg) from error


def _proven(folder: Path, name: str, listed: bytes) -> bytes:
    """Return a file that has the bytes that the list of the release states."""
    path = folder / name
    if not path.is_file():
        msg = f"{path}: it is missing; 'scrubin verify {folder}' says what is wrong with the copy"
        raise ReleaseError(msg)
    data = strangers.read_bytes(path, inside=folder)
    if f"{hashlib.sha256(data).hexdigest()}  {name}".encode() not in listed:
        msg = f"{path}: its bytes are not those that {CHECKSUMS} lists; 'scrubin verify {folder}' says what is wrong with the copy"
        raise ReleaseError(msg)
    return data


def _is_last(folder: Path, last: Mapping[str, Any]) -> bool:
    """Return whether a folder holds the last release of this clone, by what can still be read of it: its version and its ids."""
    version = last["version"]
    with suppress(OSError, ValueError, KeyError, TypeError):
        version = strangers.read_json(folder / DOCUMENT, inside=folder)["version"]
    try:
        ids = frozenset(unpacking.parquet(folder / VIDEOS, folder / VIDEOS, ["id"]).column("id").to_pylist())
    except (OSError, ValueError, KeyError, TypeError):
        ids = frozenset(path.name.partition(".")[0] for path in (folder / "videos").rglob("*") if path.is_file())
    return bool(ids) and (version, ids) == (last["version"], frozenset(last["recordings"].values()))


def _record() -> dict[str, Any]:
    """Return all that is kept; the record of no release where there is none."""
    last_release(None)  # it refuses one that cannot be read
    none: dict[str, Any] = {"name": "", "version": "", "recordings": {}}
    return json.loads(LAST_RELEASE_PATH.read_text(encoding="utf-8")) if LAST_RELEASE_PATH.is_file() else none


def _kept(names: set[str]) -> tuple[Earlier | None, bool]:
    """Return what `keep` has kept, and whether `keep_unread` has."""
    said = _record().get(KEPT)
    try:
        if said is None or said["name"] not in names:
            return None, False
        if "ids" not in said:
            return None, bool(said[UNREAD])
        one = Earlier(str(LAST_RELEASE_PATH), str(said["version"]), frozenset(said["ids"]), withdrawn_notes.of_rows(said["withdrawn"]))
        return one, bool(said.get(UNREAD))
    except (KeyError, TypeError, AttributeError) as error:
        msg = f"{LAST_RELEASE_PATH}: it does not say what '{KEPT}' held ({type(error).__name__}); restore it, or remove it to begin anew"
        raise ReleaseError(msg) from error


def keep(name: str, earlier: Sequence[Earlier]) -> None:
    """Keep what a release in its place says, before that is taken out of it: a run that is refused must not forget it."""
    for one in earlier:
        if one.where in PLACES:
            said = {"name": name, "version": one.version, "ids": sorted(one.ids), "withdrawn": withdrawn_notes.rows(one.notes)}
            _note({KEPT: said})


def keep_unread(name: str) -> None:
    """Keep that nobody can read what a release in its place says: the next run is refused until it is brought again."""
    with suppress(ReleaseError):  # a record that cannot be read refuses it as well
        _note({KEPT: {**(_record().get(KEPT) or {}), "name": name, UNREAD: True}})


def note_made(now: Mapping[str, Any]) -> None:
    """Note that a release is made here, before it is in its place: killed after that, the next run must know it again.

    Parameters
    ----------
    now
        Record of the release, with what `known_next` returns; what it answers is not answered before it is there.
    """
    if MADE in now:
        _note({MADE: now[MADE], ANSWERED: withdrawn_notes.rows(_answered(last_release(None)))})


def _note(said: Mapping[str, Any]) -> None:
    record = {**_record(), **said}
    LAST_RELEASE_PATH.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with whole(LAST_RELEASE_PATH) as part:
        part.touch(mode=0o600)
        part.write_text(json_text(record), encoding="utf-8")


def refuse_return(earlier: Iterable[Earlier], now: Mapping[str, str], raw: Path, version: str) -> None:
    """Refuse to release again who may have been withdrawn in another clone.

    Parameters
    ----------
    earlier
        As `releases_here` returns them.
    now
        Released id by recording, of what would be released: nobody who is known here to have withdrawn.
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
    held = {name: id_ for name, id_ in now.items() if last["recordings"].get(name) == id_}
    for one in _of_these(earlier, now):
        suspects = sorted((name, id_) for name, id_ in held.items() if id_ not in one.ids)
        if suspects and one.notes - _answered(last):
            listed = ", ".join(f"'{name}' ({id_})" for name, id_ in suspects[:SHOWN])
            listed += f" and {len(suspects) - SHOWN} more" if len(suspects) > SHOWN else ""
            unless = f"take '{KEPT}' out of it and remove {RELEASE}" if one.where in PLACES else "set 'release.previous' to null"
            msg = (
                f"{one.where}: version {one.version} was made by another clone and notes withdrawals that this one has not answered, and "
                f"{version} would hold what that version does not hold: {listed}; bring from the clone that released {one.version} "
                f"the rows of {raw / withdrawals.NAME}, {withdrawal_memory.PATH} unless others withdrew here, "
                f"and then {LAST_RELEASE_PATH}, and run again; if this clone made {one.version}, {LAST_RELEASE_PATH} is of an older "
                f"backup: restore the newer one, or {unless}"
            )
            raise ReleaseError(msg)


def _of_these(earlier: Iterable[Earlier], now: Mapping[str, str]) -> list[Earlier]:
    """Return the releases of which a recording is released again; the others are of other people, or of all under other ids."""
    return [one for one in earlier if not one.ids.isdisjoint(now.values())]


def carried(
    earlier: Iterable[Earlier], last: Mapping[str, Any], now: Mapping[str, str], gone: Mapping[str, str]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the notes that a release carries on, and of those who are gone the reasons of whom none of these notes counts.

    Of those whom a higher release lacks, it counts so many as it notes for the same reason: the others were never in it, and are known
    here alone.

    Parameters
    ----------
    earlier, now
        As in `refuse_return`.
    last
        What is kept of the last release of this name, see `gates.last_release`.
    gone
        Of the recordings of the last release that were withdrawn, with their reasons.
    """
    known = withdrawn_notes.of_rows(last_tombstones(last))
    # The record has another name when the data set was renamed: it is new then, and its notes are of the same people.
    others = _of_these([*earlier, _of_record(last_release(None))], now)
    higher = [one for one in others if _number(one.version) > _number(last["version"])]
    noted = Counter[str]()
    for (_, reason), count in (reduce(Counter.__or__, (one.notes for one in higher), known) - known).items():
        noted[reason] += count
    counted = set()
    for name, reason in sorted(gone.items()):
        if noted[reason] and any(last["recordings"][name] not in one.ids for one in higher):
            noted[reason] -= 1
            counted.add(name)
    notes = reduce(Counter.__or__, (one.notes for one in others), known)
    return withdrawn_notes.rows(notes), {name: reason for name, reason in gone.items() if name not in counted}


def known_next(earlier: Iterable[Earlier], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the record of a release keeps for the next time: that this clone made it, and has answered the others.

    Parameters
    ----------
    earlier
        As `releases_here` returns them.
    now
        Record of the release, with its notes; while there were none, nothing is kept.
    """
    last = last_release(None)
    if not now["withdrawn"] and MADE not in last:
        return {}
    answered = reduce(Counter.__or__, (one.notes for one in _of_these(earlier, now["recordings"])), _answered(last))
    return {MADE: sorted({*_made(last), _of_record(now).mark}), ANSWERED: withdrawn_notes.rows(answered)}


def _number(version: str) -> tuple[int, ...]:
    """Return a version as numbers; one that is not x.y.z comes before all others."""
    parts = version.split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()
