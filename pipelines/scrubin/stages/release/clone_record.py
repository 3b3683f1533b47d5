"""What one clone alone remembers of releases: which it has made, and what releases of other clones said.

The record of the last release may be brought from another clone, and this one goes on from there. This file never is: it says what was
done here. DVC keeps no hash of it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scrubin.base.errors import ReleaseError
from scrubin.base.files import json_text, whole
from scrubin.base.layout import PRIVATE
from scrubin.data.diff import withdrawn_notes
from scrubin.data.diff.withdrawn_notes import Notes
from scrubin.stages.release.gates import LAST_RELEASE_PATH, last_release, last_tombstones

PATH = PRIVATE / "this_clone.json"
MADE, ANSWERED, OTHERS, UNREAD, BEFORE, NEXT, MARK = "made", "answered", "other_clones", "unread", "before", "next", "mark"
VERSION, IDS, WITHDRAWN, MISSING, RECORDINGS = "version", "ids", "withdrawn", "missing", "recordings"
ONE_OTHER = "other_clone"
"""Where an edition before this one kept what another clone said, beside ``made`` and ``answered`` in the record of the last release."""


@dataclass(frozen=True)
class Earlier:
    """A release that lies here or lay here, whoever made it.

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
    missing
        Ids of all whom its notes may mean: who was in the last release of this clone and is not in that one, when it was pulled.
    """

    where: str
    version: str
    ids: frozenset[str]
    notes: Notes
    missing: frozenset[str] = frozenset()

    @property
    def mark(self) -> str:
        """By which a release is known again: a hash of its number, ids and notes."""
        said = json.dumps([self.version, sorted(self.ids), withdrawn_notes.rows(self.notes)])
        return hashlib.sha256(said.encode()).hexdigest()

    @property
    def number(self) -> tuple[int, ...]:
        """Its version as numbers; one that is not x.y.z comes before all others."""
        parts = self.version.split(".")
        return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()

    def follows(self, other: Earlier) -> bool:
        """Whether it is a later version of another one: of the same people, without losing a note, and without whom that one may mean.

        A third clone may have as many notes of others in a higher version: it still has whom that one means.
        """
        is_higher = self.number > other.number and not other.notes - self.notes
        return is_higher and not self.ids.isdisjoint(other.ids) and self.ids.isdisjoint(other.missing)

    def can_be_of_line(self, one: Earlier, withdrawn: Container[str]) -> bool:
        """Whether the clone that made this release can have made another one, before or after it, whose notes this one has all.

        Whoever is in that one, not in this one, and withdrew, did so in between: this one notes so many more. A third clone, which
        notes others alike, still has whom this one means.
        """
        if one.number == self.number or (one.number > self.number and one.notes != self.notes):
            return one.mark == self.mark
        return self.notes_who_left(one, withdrawn)

    def notes_who_left(self, one: Earlier, withdrawn: Container[str]) -> bool:
        """Whether it has all notes of another one, and notes beside them for all who are in that one, not in this one, and withdrew."""
        return not one.notes - self.notes and sum(id_ in withdrawn for id_ in one.ids - self.ids) <= (self.notes - one.notes).total()


@dataclass(frozen=True)
class Record:
    """All that this clone remembers.

    Parameters
    ----------
    last
        The release from which it goes on: its own last one, or one whose record was brought from another clone.
    made
        Marks of the releases that it has made.
    answered
        The releases of other clones with whose notes it has released, and whom an earlier one of the same notes may mean still.
    others
        What releases of other clones said since, and those that are answered but for whom they may mean still.
    is_unread
        Whether a release went from its place of which nobody could read who withdrew.
    before
        Notes of own releases of an edition that did not keep which it made: a release that parameters name may be one of them.
    """

    last: Earlier
    made: frozenset[str]
    answered: tuple[Earlier, ...] = ()
    others: tuple[Earlier, ...] = ()
    is_unread: bool = False
    before: Notes = field(default_factory=Counter)

    @property
    def is_brought(self) -> bool:
        """Whether another clone made the release from which this one goes on."""
        return self.last.mark not in self.made

    def knows(self, one: Earlier) -> bool:
        """Whether a release was made here, or is the one from which this clone goes on."""
        return one.mark in self.made or one.mark == self.last.mark

    def goes_on_from(self, one: Earlier, withdrawn: Container[str]) -> bool:
        """Whether the record of a release of another clone was brought, or that of a later version."""
        is_of = one.mark == self.last.mark or (self.last.follows(one) and self.last.can_be_of_line(one, withdrawn))
        return self.is_brought and is_of

    def unanswered(self, one: Earlier, withdrawn: Container[str]) -> frozenset[str]:
        """Return whom of the last release the notes of another one may mean, as far as that does not repeat what is answered.

        Who was in an answered release and is not in a later one, or in one of fewer notes, may be whom a third clone notes: what was noted
        in between may be of newcomers, and that of the same clone looks alike.
        """
        gone = frozenset(id_ for id_ in one.ids if id_ in withdrawn).union(*(other.missing for other in self.others))
        of_line = (known for known in self.answered if known.can_be_of_line(one, gone))
        left = (known.missing if one.number <= known.number and one.notes == known.notes else known.ids for known in of_line)
        return (self.last.ids - one.ids).intersection(*left)

    def with_made(self, one: Earlier) -> Record:
        """Return it with one more release that was made here."""
        return replace(self, made=self.made | {one.mark})

    def save(self, following: Record | None = None) -> None:
        """Write it; nobody else may read it.

        Parameters
        ----------
        following
            What is to be remembered as soon as its last release is that of the record, and not before.
        """
        said: dict[str, Any] = {MADE: sorted(self.made), UNREAD: self.is_unread, BEFORE: withdrawn_notes.rows(self.before)}
        said |= _releases_of(self)
        if following is not None:
            said[NEXT] = {MARK: following.last.mark, **_releases_of(following)}
        PATH.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with whole(PATH) as part:
            part.touch(mode=0o600)
            part.write_text(json_text(said), encoding="utf-8")


def of_last(kept: Mapping[str, Any]) -> Earlier:
    """Return a release as its record has it."""
    ids = frozenset(kept["recordings"].values())
    return Earlier(str(LAST_RELEASE_PATH), str(kept["version"]), ids, withdrawn_notes.of_rows(last_tombstones(kept)))


def load() -> Record:
    """Return what this clone remembers; of an edition without this file, what its record of the last release says.

    Raises
    ------
    ReleaseError
        When it cannot be read: then nobody knows what was made here, and what others noted.
    """
    last_release(None)  # it refuses what is no record of a release
    last, said = _last(), _document(PATH)
    if said is None:
        kept = _document(LAST_RELEASE_PATH) or {}
        own = Counter({key: count for key, count in last.notes.items() if MADE not in kept and key[0] != last.version})
        return replace(_read(LAST_RELEASE_PATH, {**kept, **_of_one(kept)}, last), before=own).with_made(last)
    if MADE not in said:
        raise ReleaseError(_unreadable(PATH, f"it has no '{MADE}'"))
    following = _value(PATH, said, NEXT, dict, {})
    if following.get(MARK) == last.mark:
        said |= {UNREAD: False, OTHERS: following.get(OTHERS, []), ANSWERED: following.get(ANSWERED, [])}
    return _read(PATH, said, last)


def _last() -> Earlier:
    kept = _document(LAST_RELEASE_PATH)
    if kept is None:
        return Earlier(str(LAST_RELEASE_PATH), "", frozenset(), Counter())
    recordings = _value(LAST_RELEASE_PATH, kept, RECORDINGS, dict, {})
    _texts(LAST_RELEASE_PATH, {RECORDINGS: list(recordings.values())}, RECORDINGS)
    if missing := next((name for name in (VERSION, RECORDINGS) if name not in kept), None):
        raise ReleaseError(_unreadable(LAST_RELEASE_PATH, f"it has no '{missing}'"))
    _value(LAST_RELEASE_PATH, kept, VERSION, str, "")
    _notes(LAST_RELEASE_PATH, kept, WITHDRAWN)
    return of_last(kept)


def _document(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReleaseError(_unreadable(path, type(error).__name__)) from error
    if not isinstance(said, dict):
        raise ReleaseError(_unreadable(path, f"expected an object, found {type(said).__name__}"))
    return said


def _of_one(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return in today's words what an edition before this one kept of another clone; whose notes that had answered it did not say."""
    one = _value(LAST_RELEASE_PATH, kept, ONE_OTHER, dict, {})
    is_nobody = not one or (one.get(UNREAD) is True and IDS not in one)
    return {ANSWERED: [], OTHERS: [] if is_nobody else [one], UNREAD: one.get(UNREAD, False)}


def _read(path: Path, said: Mapping[str, Any], last: Earlier) -> Record:
    made, is_unread = _texts(path, said, MADE), _value(path, said, UNREAD, bool, False)
    answered, others = _releases(path, said, ANSWERED), _releases(path, said, OTHERS)
    return Record(last, made, answered, others, is_unread, _notes(path, said, BEFORE) & last.notes)


def _releases_of(record: Record) -> dict[str, Any]:
    return {ANSWERED: [_json_of(one) for one in record.answered], OTHERS: [_json_of(one) for one in record.others]}


def _json_of(one: Earlier) -> dict[str, Any]:
    said = {VERSION: one.version, IDS: sorted(one.ids), WITHDRAWN: withdrawn_notes.rows(one.notes)}
    return {**said, MISSING: sorted(one.missing)} if one.missing else said


def _releases(path: Path, said: Mapping[str, Any], place: str) -> tuple[Earlier, ...]:
    return tuple(_release(path, place, one) for one in _value(path, said, place, list, []))


def _release(path: Path, place: str, said: Any) -> Earlier:
    if not isinstance(said, dict) or not said.keys() >= {VERSION, IDS, WITHDRAWN}:
        raise ReleaseError(_unreadable(path, f"'{place}': expected {VERSION}, {IDS} and {WITHDRAWN} of each release, found {said!r:.60}"))
    version, notes = _value(path, said, VERSION, str, ""), _notes(path, said, WITHDRAWN)
    return Earlier(str(path), version, _texts(path, said, IDS), notes, _texts(path, said, MISSING))


def _texts(path: Path, said: Mapping[str, Any], place: str) -> frozenset[str]:
    texts = _value(path, said, place, list, [])
    for one in texts:
        if not isinstance(one, str):
            raise ReleaseError(_unreadable(path, f"'{place}': expected texts, found {one!r:.60}"))
    return frozenset(texts)


def _notes(path: Path, said: Mapping[str, Any], place: str) -> Notes:
    rows = _value(path, said, place, list, [])
    for row in rows:
        if not withdrawn_notes.of_rows([row]):
            raise ReleaseError(_unreadable(path, f"'{place}': expected version, recordings and reason in each row, found {row!r:.60}"))
    return withdrawn_notes.of_rows(rows)


def _value(path: Path, said: Mapping[str, Any], place: str, kind: type, none: Any) -> Any:
    """Return what stands in a place; what is not there is nothing."""
    value = said.get(place, none)
    if not isinstance(value, kind):
        raise ReleaseError(_unreadable(path, f"'{place}': expected {kind.__name__}, found {value!r:.60}"))
    return value


def _unreadable(path: Path, why: str) -> str:
    if path != PATH:  # without it, or a place of it, nobody knows who was released
        return f"{path}: it does not say what the last release held and what others noted ({why}); restore it from a backup"
    return (
        f"{path}: it does not say which releases this clone has made and what others noted ({why}); restore it from a backup, or remove "
        f"it and pull every release that another clone made since the last one of this clone again"
    )
