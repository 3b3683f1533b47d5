"""SHA-256 of many files with all cores, noted in a journal, so that a stopped verification goes on from there."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple

from scrubin.base import strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.machine import cores
from scrubin.data.verify import Entry

READ_BYTES = 1 << 20
PIECE_BYTES, PIECE_FILES = 1 << 26, 500
MANY_FILES = 5000
"""With fewer files, processes start longer than they save."""


class Read(NamedTuple):
    """What came of reading a file.

    Parameters
    ----------
    name, sha256
        Of the file; no SHA-256 when it cannot be read.
    reason
        Why it cannot be read.
    entry
        The file as it was when it had been read.
    """

    name: str
    sha256: str
    reason: str
    entry: Entry | None


def read(root: Path, files: Mapping[str, Entry]) -> Generator[Read, None, None]:
    """Yield what came of reading each file, in any order.

    Whoever closes the iterator, as Ctrl-C does, stops the reading at once, also in the middle of a large file.
    """
    small = {name: entry for name, entry in files.items() if entry.size <= PIECE_BYTES}
    done = set()
    try:
        for one in _over(root, small, processes=len(small) >= MANY_FILES and cores() > 1):
            done.add(one.name)
            yield one
    except BrokenProcessPool:  # a script that may start no processes, or too little memory
        yield from _over(root, {name: entry for name, entry in small.items() if name not in done}, processes=False)
    yield from _over(root, {name: entry for name, entry in files.items() if name not in small}, processes=False)


def of_piece(root: str, names: Sequence[str], stop: threading.Event | None = None) -> list[Read]:
    """Return the same for some files, one after the other."""
    return [_of(root, name, stop) for name in names]


def _over(root: Path, files: Mapping[str, Entry], *, processes: bool) -> Generator[Read, None, None]:
    stop = None if processes else threading.Event()
    pool = _processes() if processes else ThreadPoolExecutor(cores())
    try:
        for done in as_completed([pool.submit(of_piece, os.fspath(root), piece, stop) for piece in _pieces(files)]):
            yield from done.result()
    finally:
        if stop is not None:
            stop.set()
        pool.shutdown(wait=True, cancel_futures=True)


def _processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(cores(), mp_context=multiprocessing.get_context("spawn"), initializer=_leave_interrupts)


def _leave_interrupts() -> None:
    """Let the process that started this one say what Ctrl-C does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _pieces(files: Mapping[str, Entry]) -> Iterator[list[str]]:
    piece: list[str] = []
    size = 0
    for name, entry in files.items():
        if piece and (size + entry.size > PIECE_BYTES or len(piece) >= PIECE_FILES):
            yield piece
            piece, size = [], 0
        piece.append(name)
        size += entry.size
    if piece:
        yield piece


def _of(root: str, name: str, stop: threading.Event | None) -> Read:
    try:
        file = os.open(f"{root}/{name}", strangers.OPEN)
        try:
            if (size := os.fstat(file).st_size) > strangers.limits().streamed_gb * strangers.GB:
                return Read(name, "", f"it has {size / strangers.GB:.3g} GB, above the limit streamed_gb of {strangers.VARIABLE}", None)
            data = os.read(file, READ_BYTES)
            digest = hashlib.sha256(data)
            status = os.fstat(file)
            seen = len(data)
            # A file of one piece needs no second read to know that it ended.
            while data and (seen < status.st_size or seen >= READ_BYTES) and not (stop is not None and stop.is_set()):
                data = os.read(file, READ_BYTES)
                digest.update(data)
                seen += len(data)
            status = os.fstat(file)
        finally:
            os.close(file)
    except OSError as failure:
        return Read(name, "", failure.strerror or type(failure).__name__, None)
    return Read(name, digest.hexdigest(), "", Entry(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino))


def default_path(folder: Path) -> Path:
    """Return where the journal of a folder lies: among the caches of this user, never in the release."""
    home = Path.home()
    if sys.platform == "win32":
        cache = Path(os.environ.get("LOCALAPPDATA") or home / "AppData/Local")
    elif sys.platform == "darwin":
        cache = home / "Library/Caches"
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return cache / "scrubin/verify" / f"{hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:24]}.jsonl"


class Journal:
    """SHA-256 by name of the files that were read, kept line by line; a line counts while its file is as it was.

    Parameters
    ----------
    path
        The journal.
    folder
        The release, which it must not lie in.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
            raise ReleaseError(f"{path}: it lies in the release, which is only read; name a file elsewhere with --state")
        self.path = path
        self._file: IO[str] | None = None

    def __enter__(self) -> Journal:
        """Open it for writing; where that is not possible, nothing is kept."""
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a", buffering=1, encoding="ascii", newline="\n")
            self._file.write("\n")  # behind a line that was cut off
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None

    def known(self, files: Mapping[str, Entry]) -> dict[str, str]:
        """Return the SHA-256 of the files that are as they were when they were read."""
        try:
            lines = self.path.read_text(encoding="ascii", errors="replace").splitlines()
        except OSError:
            return {}
        known: dict[str, str] = {}
        for line in lines:
            try:
                name, sha256, *entry = json.loads(line)
                if files.get(name) == Entry(*entry):
                    known[name] = str(sha256)
            except (ValueError, TypeError):  # an empty line, or one that was cut off
                continue
        return known

    def keep(self, name: str, sha256: str, entry: Entry) -> None:
        """Add what was read."""
        if self._file is not None:
            with suppress(OSError):
                self._file.write(json.dumps([name, sha256, entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode]) + "\n")

    def forget(self) -> None:
        """Remove it: the next verification reads everything."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
