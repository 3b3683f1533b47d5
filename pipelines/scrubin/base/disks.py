"""The file system that holds a path: its type, whether other machines share it, what works on it, when it is full."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scrubin.base import posix
from scrubin.base.errors import StageError
from scrubin.base.files import FULL

SHARED = ("9p", "afs", "beegfs", "ceph", "cifs", "fuse.sshfs", "glusterfs", "gpfs", "lustre", "nfs", "nfs4", "panfs", "pvfs2", "smb3")
_ESCAPED = {"\\040": " ", "\\011": "\t", "\\012": "\n", "\\134": "\\"}


def type_of(path: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """Return the type of the file system that holds a path, such as ``ext4`` or ``nfs4``; empty where nobody says so.

    Parameters
    ----------
    path
        An existing folder or file.
    mounts
        The kernel's list.
    """
    at = Path(os.path.realpath(path))
    best, kind = -1, ""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        _, where, name, *_ = line.split(" ")
        for escaped, letter in _ESCAPED.items():
            where = where.replace(escaped, letter)
        # A later mount at the same place hides the earlier one.
        if at.is_relative_to(where) and len(Path(where).parts) >= best:
            best, kind = len(Path(where).parts), name
    return kind


def is_shared(path: Path) -> bool:
    """Return whether a path lies on a file system that other machines share."""
    return type_of(path) in SHARED


@dataclass(frozen=True)
class Abilities:
    """What could be done in a folder.

    Parameters
    ----------
    writes
        Files can be written.
    links
        A file can have a second name, so that a kept result takes its room once.
    locks
        A lock that one holds is refused to another, so that two runs cannot disturb each other.
    """

    writes: bool
    links: bool
    locks: bool


def abilities(folder: Path) -> Abilities:
    """Return what works in a folder: it is tried, in a folder inside it that is gone afterwards."""
    try:
        with tempfile.TemporaryDirectory(prefix=".scrubin-", dir=folder) as inside:
            one = Path(inside) / "one"
            one.touch()
            return Abilities(writes=True, links=_links(one), locks=_locks(one))
    except OSError:
        return Abilities(writes=False, links=False, locks=False)


def _links(one: Path) -> bool:
    try:
        os.link(one, one.with_name("two"))
    except OSError:
        return False
    return one.samefile(one.with_name("two"))


def _locks(one: Path) -> bool:
    if not posix.is_here():
        return False
    with one.open("ab") as first, one.open("ab") as second:
        return posix.lock(first.fileno(), wait=False) and not posix.lock(second.fileno(), wait=False)


@contextmanager
def of_scratch() -> Iterator[None]:
    """Say that it is the disk of ``TMPDIR`` that is full, where a file is written there while a result is made for another one.

    Raises
    ------
    StageError
        Names the folder and the mend.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        msg = (
            f"{tempfile.gettempdir()}: cannot be written ({os.strerror(error.errno)}); make room on its disk, or name a folder on another "
            "one as TMPDIR, then run again: what was finished is kept"
        )
        raise StageError(msg) from error
