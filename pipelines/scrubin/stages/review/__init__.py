"""Ledgers, such as ``decisions.jsonl``: one line per thing that a person decided or saw, each holding the hash of the line before.

A line is appended whole and flushed to the disk, or not at all. Several programs may append at
once: a lock beside the file lets one of them at a time. A line that a killed program left
unfinished was confirmed to nobody; the next append sets it aside. Any other change of the file
breaks the chain, and nothing is read from a broken one.
"""

from __future__ import annotations

import contextlib
import datetime
import errno
import hashlib
import json
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from scrubin.base import posix
from scrubin.base.errors import ReviewError
from scrubin.base.faults import printable
from scrubin.base.files import whole
from scrubin.base.layout import PRIVATE
from scrubin.base.text import naming

LEDGER_PATH = PRIVATE / "decisions.jsonl"
FIRST = "0" * 64
"""Stands for the hash of the line before the first one."""
DONE_AGAIN = {"decisions": "reviewed", "labels": "labelled"}
"""What a ledger is a chain of, and what has to be done again without it."""
FROM_ANOTHER = {
    "decisions": "what was decided in another clone comes in by 'scrubin review --export' there and '--import' here",
    "labels": "what was labelled in another clone cannot be joined: one study is labelled in one folder",
}
"""By what a ledger is a chain of, how to come by what that of another clone says."""
LONGEST_NAME = 200
"""Of a person, in letters."""
_MARKERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
"""What git writes between the lines of two files that it cannot join."""
_TWO_LEDGERS = "git has put two ledgers into one"
_KEYS = ("at", "by", "event", "facts", "nonce", "number", "previous", "session")


@dataclass(frozen=True)
class Line:
    """One line of the ledger.

    Parameters
    ----------
    number
        From 1.
    previous, sha256
        Of the line before, and of this one, without its line feed.
    at
        When it was appended, UTC, as that machine's clock had it.
    by, session
        Who, and in which run of a program.
    nonce
        Names the wish: a page that sends the same wish twice gets one line. "" for none.
    event, facts
        What happened, see `scrubin.stages.review.events`.
    """

    number: int
    previous: str
    at: str
    by: str
    session: str
    nonce: str
    event: str
    facts: Mapping[str, Any]
    sha256: str


@dataclass
class _Read:
    """What has been read of the file so far, so that only what is new is read again."""

    inode: int = 0
    size_bytes: int = 0
    torn: bytes = b""
    last: bytes = b""
    changed_ns: int = 0


class Ledger:
    """The ledger at a path; a missing file is an empty ledger.

    Parameters
    ----------
    path
        The file.
    clock
        Returns the present time, for tests.
    chain
        What it is a chain of, for messages.
    """

    def __init__(self, path: Path = LEDGER_PATH, clock: Callable[[], datetime.datetime] | None = None, *, chain: str = "decisions") -> None:
        self.path, self._chain = path, chain
        self._clock = clock or (lambda: datetime.datetime.now(datetime.UTC))
        self._lines: list[Line] = []
        self._nonces: dict[tuple[str, str], Line] = {}
        self._people: set[str] = set()
        self._read = _Read()

    def lines(self) -> list[Line]:
        """Return all lines, also those that another program has appended.

        Raises
        ------
        ReviewError
            When the chain is broken: names the line, and how to go on.
        """
        self._refresh()
        return list(self._lines)

    @property
    def head(self) -> str:
        """The hash of the last line that was read; `FIRST` before there is one."""
        return self._lines[-1].sha256 if self._lines else FIRST

    @property
    def today(self) -> str:
        """The date (UTC) by the clock, or that of the last line where the clock was set back behind it."""
        return max(self._clock().date().isoformat(), *(line.at[:10] for line in self._lines[-1:]), "")

    @property
    def torn_bytes(self) -> int:
        """How many bytes of an unfinished line lie at the end; they belong to nothing that was confirmed."""
        return len(self._read.torn)

    def written(self, session: str, nonce: str) -> Line | None:
        """Return the line of a wish of a session; None when there is none."""
        self._refresh()
        return self._nonces.get((session, nonce))

    def refuse_respelt(self, by: str) -> None:
        """Refuse a name that the ledger has in another spelling: one person would count as two where two must agree.

        Raises
        ------
        ReviewError
            Names the other spelling. Also when the chain is broken, or the name can be nobody's.
        """
        self._refresh()
        self._refuse_respelt(by)

    def _refuse_respelt(self, by: str) -> None:
        if not naming.seen(by):
            raise ReviewError("who decides has no name; write one, as with --by NAME")
        if by in self._people:
            return
        other = next((name for name in sorted(self._people) if naming.spelling(name) == naming.spelling(by)), None)
        if other is not None:
            # As ASCII, because two forms of a letter, or two kinds of space, look the same.
            msg = f"{by!a} decides nothing: {self.path} has {other!a}; write the name like this, or another one if it is another person"
            raise ReviewError(msg)
        refuse_no_name(by)

    def append(self, event: str, facts: Mapping[str, Any], *, by: str, session: str, nonce: str = "") -> Line:
        """Append one line and return it once it is safe on the disk.

        Raises
        ------
        ReviewError
            When the chain is broken, the name is another spelling of one that is there, or the disk takes no more: then nothing was
            appended.
        """
        with self._locked():
            self._refresh()
            self._refuse_respelt(by)
            known = self._nonces.get((session, nonce)) if nonce else None
            if known is not None:
                return known
            self._set_torn_aside()
            at = self._clock().strftime("%Y-%m-%dT%H:%M:%SZ")
            body = {"at": at, "by": by, "event": event, "facts": facts, "nonce": nonce, "number": len(self._lines) + 1}
            data = text({**body, "previous": self.head, "session": session})
            self._write(data)
            self._refresh()
            return self._lines[-1]

    def write_anew(self, change: Callable[[Sequence[Line]], Sequence[Mapping[str, Any]] | None]) -> bool:
        """Write a new chain in the place of this one; return whether there was anything to change.

        Nobody appends in the meantime. A line that was left unfinished goes, and what was set aside of earlier ones.

        Parameters
        ----------
        change
            Returns the new lines without number and hash of the line before, or None when all may stay.

        Raises
        ------
        ReviewError
            When the chain is broken, or the disk takes no more: then the file is as it was.
        """
        with self._locked():
            self._refresh()
            bodies = change(self._lines)
            if bodies is None:
                return False
            data, head = [], FIRST
            for number, body in enumerate(bodies, start=1):
                data.append(text({**body, "number": number, "previous": head}))
                head = hashlib.sha256(data[-1][:-1]).hexdigest()
            try:
                with whole(self.path) as part:
                    part.touch(mode=0o600)
                    part.write_bytes(b"".join(data))
                self.path.with_suffix(".torn").unlink(missing_ok=True)
                _flush_folder(self.path.parent)
            except OSError as error:
                raise self._not_written(error) from error
            self._refresh()
            return True

    def _forget(self, inode: int = 0) -> None:
        self._lines, self._nonces, self._people, self._read = [], {}, set(), _Read(inode)

    def _refresh(self) -> None:
        try:
            with self.path.open("rb") as file:
                state = os.fstat(file.fileno())
                file.seek(self._read.size_bytes - len(self._read.last))
                data = file.read()
                size_bytes = self._read.size_bytes + len(self._read.torn)
                is_touched = state.st_mtime_ns != self._read.changed_ns and state.st_size == size_bytes
                # A new file may have the number of the old one; then its last known line is another one.
                if state.st_ino != self._read.inode or is_touched or not data.startswith(self._read.last):
                    self._forget(state.st_ino)
                    file.seek(0)
                    data = file.read()
                data = data[len(self._read.last) :]
        except FileNotFoundError:
            self._forget()
            return
        except OSError as error:
            raise ReviewError(f"{self.path}: it cannot be read ({error.strerror}); check its permissions and its disk") from error
        whole, end, torn = data.rpartition(b"\n")
        try:
            for raw in whole.split(b"\n") if end else []:
                line = _line(raw, len(self._lines) + 1, self.head, partial(_broken, self.path, self._chain))
                self._lines.append(line)
                self._people.add(line.by)
                if line.nonce:
                    self._nonces[line.session, line.nonce] = line
        except ReviewError:
            # Whoever restores the file may put it into the same place: then all of it is new.
            self._forget()
            raise
        self._read.size_bytes += len(whole) + len(end)
        if end:
            self._read.last = whole[whole.rfind(b"\n") + 1 :] + end
        self._read.torn = torn
        self._read.changed_ns = state.st_mtime_ns

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            lock = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise self._not_written(error) from error
        try:
            posix.lock(lock, wait=True)
            yield
        finally:
            os.close(lock)

    def _set_torn_aside(self) -> None:
        if not self._read.torn:
            return
        aside = self.path.with_suffix(".torn")
        try:
            with aside.open("ab") as file:
                file.write(self._read.torn + b"\n")
                file.flush()
                os.fsync(file.fileno())
            os.truncate(self.path, self._read.size_bytes)
        except OSError as error:
            raise self._not_written(error) from error
        self._read.torn = b""

    def _write(self, data: bytes) -> None:
        is_new = not self.path.exists()
        try:
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                try:
                    if os.write(file, data) != len(data):
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                    os.fsync(file)
                except OSError:
                    # Nobody has read it yet: the lock is ours.
                    os.ftruncate(file, self._read.size_bytes)
                    raise
            finally:
                os.close(file)
            if is_new:
                _flush_folder(self.path.parent)
        except OSError as error:
            raise self._not_written(error) from error

    def _not_written(self, error: OSError) -> ReviewError:
        return ReviewError(f"{self.path}: nothing was written ({error.strerror}); make room or correct its permissions, then try again")


def text(value: Mapping[str, Any]) -> bytes:
    """Return a line of the ledger, with its line feed: JSON with sorted keys and without spaces."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _line(raw: bytes, number: int, previous: str, broken: Callable[[int, str], ReviewError]) -> Line:
    try:
        value = json.loads(raw)
    except ValueError as error:
        raise broken(number, _TWO_LEDGERS if raw.startswith(_MARKERS) else "it is no JSON") from error
    if not isinstance(value, dict) or tuple(sorted(value)) != _KEYS or not isinstance(value["facts"], dict):
        raise broken(number, "it is no line of a ledger")
    if value["previous"] != previous:
        raise broken(number, "it does not follow the line before: that one was changed, or lines were taken out or put in")
    if value["number"] != number:
        raise broken(number, f"it says that it is line {value['number']}")
    return Line(**value, sha256=hashlib.sha256(raw).hexdigest())


def _broken(path: Path, chain: str, number: int, reason: str) -> ReviewError:
    restore = f"restore the file from a copy; without one, move it away, and everything has to be {DONE_AGAIN[chain]} again"
    if reason == _TWO_LEDGERS:
        restore = f"take either whole, as by 'git checkout --ours {path}' or '--theirs'; {FROM_ANOTHER[chain]}"
    return ReviewError(f"{path}, line {number}: the chain of {chain} is broken here, {reason}; {restore}")


JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""Names in Persian and Hindi need them; no two people differ in them alone, see `scrubin.base.text.naming.seen`."""


def _joins(name: str, at: int) -> bool:
    """Return whether a character joins two letters, or keeps them apart, in a script that needs it."""
    around = name[max(at - 1, 0) : at] + name[at + 1 : at + 2]
    return name[at] in JOINERS and len(around) == 2 and all(not one.isascii() and not one.isspace() for one in around)


def refuse_no_name(name: str) -> None:
    """Refuse what cannot be the name of a person: who reads two of them must be able to tell them apart.

    Raises
    ------
    ReviewError
        For none, a long one, and one with a character that cannot be printed or seen.
    """
    if not name.strip() or len(name) > LONGEST_NAME:
        raise ReviewError(f"the name of a person has 1 to {LONGEST_NAME} letters")
    unseen = next((one for at, one in enumerate(name) if not (one.isprintable() or _joins(name, at))), None)
    if unseen is not None:
        what = f"U+{ord(unseen):04X}, {unicodedata.name(unseen, 'a control character').lower()}"
        msg = f"'{printable(name)}' is no name of a person: it has a character that nobody can tell by sight ({what}); write it without"
        raise ReviewError(msg)


def spelt_alike(lines: Iterable[Line]) -> list[tuple[str, str]]:
    """Return pairs of people of a ledger whose names differ in spelling only: those of before such names were refused."""
    people = sorted({line.by for line in lines})
    return [(one, other) for one, other in combinations(people, 2) if naming.spelling(one) == naming.spelling(other)]


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
