"""Folders in which processes work before a result is whole, until it is, or the process was killed.

Any number of processes on any number of machines may share the store, over NFS as well. So there is no lock
and no comparison of clocks: every process works in a folder of its own name, and shows that it lives by
counting on in it. On the same machine the kernel knows at once whether a process lives; of another machine's
process it is watched whether the count moves.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

FOLDER = ".parts"
BEAT_S = 10.0
WATCHED_BEATS = 18
"""So many of our own beats must pass without one of the other's before it counts as dead."""
_COUNT = "beat"
_GUARD = threading.Lock()
_MINE: dict[tuple[int, Path], Path] = {}
_BEATING: set[int] = set()


@contextlib.contextmanager
def workspace(root: Path) -> Iterator[Path]:
    """Yield a new, empty folder below ``root``, on the same file system, that nobody else uses; remove it afterwards."""
    folder = _own_folder(root.resolve()) / uuid.uuid4().hex
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers(root: Path) -> None:
    """Remove what processes of this machine left when they were killed; watch those of other machines."""
    unknown = {}
    for folder in sorted((root / FOLDER).glob("*")):
        lives = _lives(folder)
        if lives is False:
            shutil.rmtree(folder, ignore_errors=True)
        elif lives is None:
            unknown[folder] = _count(folder)
    if unknown:
        threading.Thread(target=_watch, args=(unknown,), daemon=True, name="store-leftovers").start()


def _own_folder(root: Path) -> Path:
    """Return this process's folder; a fork gets one of its own."""
    with _GUARD:
        at = (os.getpid(), root)
        folder = _MINE.get(at)
        if folder is None or not folder.is_dir():
            # The name says whose it is: a process may be killed before it can write that down.
            folder = root / FOLDER / "-".join([*_identity(os.getpid()), uuid.uuid4().hex])
            folder.mkdir(parents=True)
            (folder / _COUNT).write_text("0", encoding="utf-8")
            _MINE[at] = folder
            atexit.register(_leave, os.getpid(), folder)
        if os.getpid() not in _BEATING:
            _BEATING.add(os.getpid())
            threading.Thread(target=_beat, daemon=True, name="store-beat").start()
        return folder


def _leave(pid: int, folder: Path) -> None:
    if pid == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)


def _beat() -> None:
    """Count on in all folders of this process, for as long as it lives."""
    count, wait = 0, threading.Event()
    while not wait.wait(BEAT_S):
        count += 1
        for (pid, _), folder in list(_MINE.items()):
            if pid == os.getpid():
                with contextlib.suppress(OSError):
                    (folder / _COUNT).write_text(str(count), encoding="utf-8")


def _watch(counts: dict[Path, str]) -> None:
    threading.Event().wait(BEAT_S * WATCHED_BEATS)
    for folder, count in counts.items():
        if _count(folder) == count:
            shutil.rmtree(folder, ignore_errors=True)


def _count(folder: Path) -> str:
    try:
        return (folder / _COUNT).read_text(encoding="utf-8")
    except OSError:
        return ""


def _lives(folder: Path) -> bool | None:
    """Return whether the process of a folder lives; None when this machine's kernel cannot know."""
    machine, _, rest = folder.name.partition("-")
    pid, _, rest = rest.partition("-")
    if not machine or not pid.isdecimal() or machine != _identity(os.getpid())[0]:
        return None
    return _identity(int(pid)) == (machine, pid, rest.partition("-")[0])


def _identity(pid: int) -> tuple[str, str, str]:
    """Return machine, number and start of a process: numbers are used again, on every machine and in every container."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        namespace = Path("/proc/self/ns/pid").readlink().name
        # The name, which may hold anything, stands in brackets; the time of its start is the 20th field behind it.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        start = "" if fields[0] in "ZX" else fields[19]
    except OSError:
        return "", str(pid), ""
    return hashlib.sha256(f"{boot} {namespace}".encode()).hexdigest()[:16], str(pid), start
