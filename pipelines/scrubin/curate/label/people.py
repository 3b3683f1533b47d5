"""Who may come in: numbers, names and the hashes of personal tokens, in ``people.csv`` beside the ledger.

Names stand nowhere else: ledger, page and everything that is exported know numbers. A token is printed once and kept only as its hash.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from scrubin.base import posix
from scrubin.base.errors import ReviewError
from scrubin.base.faults import hint
from scrubin.base.files import whole
from scrubin.base.layout import PRIVATE
from scrubin.base.text import csv_text, naming
from scrubin.base.text.csv_rows import csv_of
from scrubin.stages.review import refuse_no_name

PATH = PRIVATE / "label/people.csv"
COLUMNS = ("number", "name", "role", "token_sha256")
Role = Literal["annotator", "adjudicator"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class Person:
    """Somebody who may come in; without a hash they may not any more."""

    number: int
    name: str
    role: Role
    token_sha256: str


def load(path: Path = PATH) -> list[Person]:
    """Return everybody, by number; nobody without a file.

    Raises
    ------
    ReviewError
        When the file is no list of people.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ReviewError(f"{path}: it cannot be read ({error.strerror}); check its permissions") from error
    sheet = csv_text.read(str(path), data, COLUMNS)
    faults = [*sheet.faults]
    if faults:
        raise ReviewError(f"{path}: {faults[0].what}; {faults[0].fix or 'restore it from a copy'}")
    people = []
    for row in sheet.rows:
        number, role = row.cells["number"], row.cells["role"]
        if not number.isdecimal() or role not in ROLES or not row.cells["name"]:
            raise ReviewError(f"{path}, line {row.line}: expected a number, a name and one of {', '.join(ROLES)}; restore it from a copy")
        people.append(
            Person(int(number), row.cells["name"], "adjudicator" if role == "adjudicator" else "annotator", row.cells["token_sha256"])
        )
    if len({one.number for one in people}) < len(people) or len({one.name for one in people}) < len(people):
        raise ReviewError(f"{path}: a number or a name stands twice; restore it from a copy")
    return sorted(people, key=lambda one: one.number)


def add(name: str, role: Role, path: Path = PATH) -> tuple[Person, str]:
    """Add somebody, or give somebody who is there a new token; return them with the token, which nothing else keeps.

    Raises
    ------
    ReviewError
        For a name that cannot be one or is another spelling of one that is there, or another role than they have.
    """
    name = name.strip()
    refuse_no_name(name)
    token = secrets.token_urlsafe(24)
    with _locked(path):
        people = load(path)
        known = next((one for one in people if one.name == name), None)
        other = next((one.name for one in people if naming.spelling(one.name) == naming.spelling(name)), None)
        if known is None and other is not None:
            # As ASCII, because two forms of a letter, or two kinds of space, look the same.
            msg = f"{name!a} differs from {other!a} in {naming.SPELT} only; write the name like this, or one that differs in more"
            raise ReviewError(msg)
        if known is not None and known.role != role:
            raise ReviewError(f"'{name}' is {known.role}; whoever labels does not settle, so give the other role to somebody else")
        number = known.number if known else max((one.number for one in people), default=0) + 1
        person = Person(number, name, role, hash_of(token))
        _write(path, [*(one for one in people if one.number != number), person])
    return person, token


def shut_out(name: str, path: Path = PATH) -> Person:
    """Take somebody's token; their labels and their number stay.

    Raises
    ------
    ReviewError
        When there is nobody of this name.
    """
    with _locked(path):
        people = load(path)
        known = next((one for one in people if one.name == name), None)
        if known is None:
            raise ReviewError(f"there is no '{name}'; {hint(name, [one.name for one in people])}")
        person = Person(known.number, known.name, known.role, "")
        _write(path, [*(one for one in people if one.number != known.number), person])
    return person


def hash_of(token: str) -> str:
    """Return what stands for a token: it has 192 random bits, so that a plain hash can be turned back by nobody."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def of_token(people: Sequence[Person], token: str) -> Person | None:
    """Return whose token it is, in a time that says nothing about it; None for nobody's."""
    stated, found = hash_of(token), None
    for one in people:
        if one.token_sha256 and secrets.compare_digest(stated, one.token_sha256):
            found = one
    return found


def _write(path: Path, people: Sequence[Person]) -> None:
    rows = [(one.number, one.name, one.role, one.token_sha256) for one in sorted(people, key=lambda one: one.number)]
    try:
        with whole(path) as part:
            part.touch(mode=0o600)
            part.write_text(csv_of([COLUMNS, *rows]), encoding="utf-8", newline="")
    except OSError as error:
        msg = f"{path}: nothing was written ({error.strerror}); make room or correct its permissions, then try again"
        raise ReviewError(msg) from error


class _locked:
    """One program at a time may change the list."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        posix.lock(self._file, wait=True)

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
