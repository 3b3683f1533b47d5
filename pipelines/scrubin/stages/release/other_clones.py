"""Withdrawals that another clone has released: what the releases here say of them is held against what this clone knows.

A release says how many recordings were withdrawn, and never which. So the rule is:

- Known here are the releases that this clone has made, and those of others with whose notes it has released once: they are answered, but
  for whoever was missing then without having withdrawn. An edition before this one did not write down what it made: only the last one is
  known.
- With them is answered what the same clone can have released before and after: of whoever withdrew, and is in that one alone, the other
  one notes that it was in between. Who is missing in a later one, and was in the answered one, is a question all the same.
- A release that lies here, was not made here and notes more than is answered may mean anybody who was in the last release of this
  clone and is not in that one. These are kept with it, whatever record this clone goes on from later.
- A later version takes its place only where it has none of these: else a third clone, which knows nothing of it, may have made that.
- If any of them would be released again, nothing is: whose note it is nobody can tell by numbers, since of who withdrew here the other
  clone may know nothing.
- Out of it leads what that clone knows: its rows, by which those people go, and its record of the last release, from which this clone goes
  on: whoever is not in that one is new.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import strangers, unpacking
from scrubin.base.errors import PrivacyError, ReleaseError
from scrubin.base.file_lists import CHECKSUMS
from scrubin.base.layout import RELEASE
from scrubin.data.diff import withdrawn_notes
from scrubin.data.diff.snapshot import DOCUMENT
from scrubin.data.verify import WITHDRAWN
from scrubin.stages import withdrawals
from scrubin.stages.release import clone_record
from scrubin.stages.release.clone_record import OTHERS, PATH, UNREAD, Earlier, Record
from scrubin.stages.release.gates import LAST_RELEASE_PATH, last_release, last_tombstones
from scrubin.stages.release.release_params import Previous

AGAIN = f"pull it again: remove {RELEASE}, then dvc get . {RELEASE} --rev HEAD --out {RELEASE}"
"""A run that was refused, and a withdrawal, have taken it out of the lock file; if it came back there, 'dvc push' would send it."""
VIDEOS = "tables/videos.parquet"
PLACES = (str(RELEASE), str(PATH), str(LAST_RELEASE_PATH))
SHOWN = 10


def releases_here(previous: Previous | None, withdrawn: Container[str]) -> list[Earlier]:
    """Return what other clones have released that notes withdrawals: what is remembered of it, what lies in its place, and the one before.

    Of which data set they are the ids tell, not the name: another clone may have renamed it.

    Parameters
    ----------
    previous
        The release before, as parameters name it.
    withdrawn
        Recordings and ids of whom this clone knows that they withdrew.

    Raises
    ------
    ReleaseError
        When what is remembered cannot be read, or a release is damaged, and it is not known to be the last one of this clone: nobody knows
        then who withdrew. The last one of this clone is made anew.
    """
    record = clone_record.load()
    pulled = [one for one in _in_place(record.last) if one.notes and not record.knows(one)]
    if record.is_unread and not pulled:
        msg = (
            f"{PATH}: a release that nobody could read went from {RELEASE} when somebody withdrew, and may have noted others; "
            f"if another clone made it, {AGAIN}, and run again; if this one did, or what you pulled notes nobody, "
            f"take '{UNREAD}' out of {PATH}"
        )
        raise ReleaseError(msg)
    before = [] if previous is None else _before(Path(previous.path))
    named = [_with_meant(one, record, withdrawn) for one in before if one.notes and not record.knows(one)]
    kept = [one for one in record.others if not record.knows(one) and not record.goes_on_from(one, withdrawn)]
    # The record is of the clone that the message named when the same release was refused, before it was brought.
    answered = {one.mark for one in record.others if one.missing and record.goes_on_from(one, withdrawn)}
    # Any other one of fewer notes may be of a third clone: what was noted in between may be of newcomers.
    unnamed = [one for one in pulled if one.mark not in answered]
    fresh = [one for one in unnamed if one.notes != record.last.notes or not record.goes_on_from(one, withdrawn)]
    return [*_latest(_with_meant(one, record, withdrawn) for one in (*kept, *fresh)), *named]


def _with_meant(one: Earlier, record: Record, withdrawn: Container[str]) -> Earlier:
    """Return a release with all whom its notes may mean: also of the last release of this clone, unless they are answered."""
    return replace(one, missing=(one.missing - one.ids) | record.unanswered(one, withdrawn))


def _latest(said: Iterable[Earlier]) -> list[Earlier]:
    """Return of what other clones said what no later version repeats.

    Whom an earlier version may mean the later one may.
    """
    once: dict[str, Earlier] = {}
    for one in said:
        missing = one.missing | (once[one.mark].missing if one.mark in once else frozenset())
        once[one.mark] = replace(one, missing=missing)
    latest = [one for one in once.values() if not any(other.follows(one) for other in once.values())]
    return [replace(one, missing=one.missing.union(*(low.missing for low in once.values() if one.follows(low)))) for one in latest]


def _in_place(last: Earlier) -> list[Earlier]:
    """Return the release in its place, if there is one; what has no file by which a release is known is none."""
    if not any((RELEASE / part).exists() for part in (DOCUMENT, CHECKSUMS, WITHDRAWN, VIDEOS)):
        return []
    try:
        return [_read(RELEASE)]
    except ReleaseError as error:
        if _is_last(RELEASE, last):
            return []  # it is made anew, and what it noted is known
        msg = (
            f"{RELEASE}: it is not known to be the last release of this clone, and does not say whether somebody withdrew ({error}); "
            f"{AGAIN}; or 'scrubin verify --fix', which restores what is sound elsewhere; "
            f"or remove {RELEASE}"
        )
        raise ReleaseError(msg) from error


def _before(folder: Path) -> list[Earlier]:
    """Return the release that parameters name; whoever compares with it refuses one that is none."""
    if not ((folder / DOCUMENT).is_file() and (folder / CHECKSUMS).is_file()):
        return []
    try:
        return [_read(folder)]
    except ReleaseError as error:
        raise ReleaseError(f"params.yaml: 'release.previous': {error}") from error


def _read(folder: Path) -> Earlier:
    """Return what a release says; the list of all files, which may be long, is searched and not read line by line.

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
        return Earlier(str(folder), str(document["version"]), frozenset(ids), withdrawn_notes.of_rows(said))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReleaseError(f"{folder}: {type(error).__name__}: {error}") from error


def _proven(folder: Path, name: str, listed: bytes) -> bytes:
    """Return a file that has the bytes that the list of the release states."""
    path = folder / name
    if not path.is_file():
        raise ReleaseError(f"{path}: it is missing; 'scrubin verify {folder}' says what is wrong with the copy")
    data = strangers.read_bytes(path, inside=folder)
    if f"{hashlib.sha256(data).hexdigest()}  {name}".encode() not in listed:
        msg = f"{path}: its bytes are not those that {CHECKSUMS} lists; 'scrubin verify {folder}' says what is wrong with the copy"
        raise ReleaseError(msg)
    return data


def _is_last(folder: Path, last: Earlier) -> bool:
    """Return whether a folder holds the last release of this clone, by what can still be read of it: its version and its ids."""
    version = last.version
    with suppress(OSError, ValueError, KeyError, TypeError):
        version = strangers.read_json(folder / DOCUMENT, inside=folder)["version"]
    try:
        ids = frozenset(unpacking.parquet(folder / VIDEOS, folder / VIDEOS, ["id"]).column("id").to_pylist())
    except (OSError, ValueError, KeyError, TypeError):
        ids = frozenset(path.name.partition(".")[0] for path in (folder / "videos").rglob("*") if path.is_file())
    return bool(ids) and (version, ids) == (last.version, last.ids)


def keep(earlier: Iterable[Earlier], withdrawn: Container[str]) -> None:
    """Keep what a release in its place says, before that is taken out of it: a run that is refused must not forget it.

    From whose record this clone goes on is kept as well: until it has released with that it may go back to its own. Arguments are those of
    `refuse_return`.
    """
    record = clone_record.load()
    others = [one for one in earlier if one.where in PLACES] + [one for one in record.others if record.goes_on_from(one, withdrawn)]
    replace(record, others=tuple(replace(one, where=str(PATH)) for one in others), is_unread=False).save()


def keep_pulled() -> None:
    """Keep what a pulled release says before anything is looked at; what cannot be read is told by whoever looks."""
    try:
        withdrawn = withdrawal_memory.Memory()
        with suppress(PrivacyError):
            withdrawn = withdrawal_memory.load()
        with suppress(ReleaseError):
            if earlier := releases_here(None, withdrawn):
                keep(earlier, withdrawn)
    except OSError as error:
        msg = f"{clone_record.PATH}: what another clone noted cannot be kept ({error.strerror}); see to the disk and to who may write there"
        raise ReleaseError(msg) from error


def keep_unread() -> str:
    """Keep that nobody can read what a release in its place says: the next run is refused until it is brought again.

    Returns what the curator is told.
    """
    try:
        replace(clone_record.load(), is_unread=True).save()
    except ReleaseError as error:  # it refuses the next run as well
        return f"{error}; then pull again what lay in {RELEASE}, if another clone made it"
    return f"{RELEASE}: what it noted of who withdrew could not be read; the next run says how to bring it again"


def refuse_return(earlier: Iterable[Earlier], now: Mapping[str, str], raw: Path, version: str, withdrawn: Container[str]) -> None:
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
    withdrawn
        Recordings and ids of whom this clone knows that they withdrew.

    Raises
    ------
    ReleaseError
        Names the ids, and which files to bring.
    """
    record = clone_record.load()
    for one in _of_these(earlier, record.last.ids.union(now.values()), withdrawn):
        suspects = sorted((name, id_) for name, id_ in now.items() if id_ in one.missing)
        if suspects and not _is_own_before(one, record, withdrawn):
            listed = ", ".join(f"'{name}' ({id_})" for name, id_ in suspects[:SHOWN])
            listed += f" and {len(suspects) - SHOWN} more" if len(suspects) > SHOWN else ""
            unless = f"take '{OTHERS}' out of {PATH} and remove {RELEASE}" if one.where in PLACES else "set 'release.previous' to null"
            msg = (
                f"{one.where}: version {one.version} was made by another clone and notes withdrawals that this one has not answered, and "
                f"{version} would hold what that version does not hold: {listed}; bring from the clone that released {one.version} "
                f"the rows of {raw / withdrawals.NAME}, {withdrawal_memory.PATH} unless others withdrew here, "
                f"and then {LAST_RELEASE_PATH}, never {PATH}, and run `make repro` again, also before you pull another release: it keeps "
                f"what this one noted; if this clone made {one.version}, {PATH} is of an older "
                f"backup, or an edition before this one did not write that down: restore the newer one, or {unless}, "
                f"as also where the clone that made {one.version} has released all of them again since, "
                f"or all of this is brought and none of them withdrew there"
            )
            raise ReleaseError(msg)


def _of_these(earlier: Iterable[Earlier], ids: Collection[str], withdrawn: Container[str] = ()) -> list[Earlier]:
    """Return the releases that have one of these ids, or of those who withdrew; the others are of other people, or under other ids."""
    return [one for one in earlier if not one.ids.isdisjoint(ids) or any(id_ in withdrawn for id_ in one.ids)]


def _is_own_before(one: Earlier, record: Record, withdrawn: Container[str]) -> bool:
    """Return whether an edition before this one may have made a release here; only parameters can tell that it is one.

    One that has more of those who are known to have withdrawn than the last one notes beside it is none: it does not note them.
    """
    if one.where in PLACES or one.notes - record.before:
        return False
    return record.last.notes_who_left(one, withdrawn)


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
    others = _of_these([*earlier, clone_record.load().last], now.values())
    higher = [one for one in others if one.number > clone_record.of_last(last).number]
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


def note_made(earlier: Iterable[Earlier], now: Mapping[str, Any], withdrawn: Container[str]) -> None:
    """Note that a release is made here, before it is in its place: killed after that, the next run must know it again.

    What it answers is not answered before its record is written.

    Parameters
    ----------
    earlier
        As `releases_here` returns them.
    now
        Record of the release, with its notes.
    withdrawn
        Recordings and ids of whom this clone knows that they withdrew. Who is missing without that may be whom a note means.
    """
    record, recordings = clone_record.load(), last_release(None)["recordings"]
    known = {id_ for name, id_ in recordings.items() if name in withdrawn}.union(now["recordings"].values())
    answered, others = {one.mark: one for one in (*record.answered, *([record.last] if record.is_brought else []))}, []
    for one in _of_these(earlier, record.last.ids.union(now["recordings"].values()), withdrawn):
        if _is_own_before(one, record, withdrawn):
            continue  # it may be another clone's all the same: what is made is known for good
        answered[one.mark] = replace(one, missing=frozenset())
        if missing := {id_ for id_ in one.missing if id_ not in known and id_ not in withdrawn}:
            others.append(replace(one, where=str(PATH), missing=frozenset(missing)))
    made = clone_record.of_last(now)
    record.with_made(made).save(Record(made, frozenset(), tuple(answered.values()), tuple(others)))


def note_released() -> None:
    """Note for good what the last release has answered: its record may be replaced by that of another clone."""
    clone_record.load().save()
