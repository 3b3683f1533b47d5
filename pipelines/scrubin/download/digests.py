"""SHA-256 of many files with all cores: large files in threads, many small ones in processes."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import NamedTuple

from scrubin.core import strangers
from scrubin.core.cores import cores
from scrubin.download.folder import Entry

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
