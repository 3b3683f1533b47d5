"""Files that appear whole or not at all (contract 4 of the design)."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scrubin.base import posix, strangers
from scrubin.base.errors import StageError
from scrubin.base.machine import cores

# Every released file carries this time, because a file time can tell when a recording was made.
FIXED_TIME_S = 946684800  # 2000-01-01T00:00:00Z
CHUNK_BYTES = 1 << 20
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
"""A disk that takes no more: nothing is wrong with what was to be written."""


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, as 64 hex digits."""
    digest = hashlib.sha256()
    with strangers.opened(path) as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def sha256_of_all(paths: Mapping[str, Path]) -> dict[str, str]:
    """Return the SHA-256 of many files by name; as many are read at a time as there are cores."""
    with ThreadPoolExecutor(cores()) as pool:
        return dict(zip(paths, pool.map(sha256_of, paths.values()), strict=True))


def set_fixed_time(path: Path, sha256: str) -> None:
    """Set a file's time to 2000-01-01, which tells nothing.

    The nanoseconds come from the content: DVC takes a file with the same inode, size and time
    for the same file, and inodes are used again.
    """
    time_ns = fixed_time_ns(sha256)
    os.utime(path, ns=(time_ns, time_ns))


def fixed_time_ns(sha256: str) -> int:
    """Return the time that a file with these bytes carries, in nanoseconds since 1970."""
    return FIXED_TIME_S * 10**9 + int(sha256[:12], 16) % 10**9


@contextmanager
def disk_of(path: Path) -> Iterator[None]:
    """Say of which disk it is when something cannot be written for want of room: the system's own error does not.

    Raises
    ------
    StageError
        Names the path and the mend.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        msg = f"{path}: cannot be written ({os.strerror(error.errno)}); make room on its disk, then run again: what was finished is kept"
        raise StageError(msg) from error


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; move it there only when the block succeeds.

    The temporary name keeps the suffix, because muxers choose their format by it. It is
    removed when the block raises; when the process is killed, it stays and is overwritten.
    """
    part = path.with_name(f".part-{path.stem}{path.suffix}")
    if path.is_dir():
        # Said before anything is made, and of what somebody has named.
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    try:
        with disk_of(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield part
            with part.open("rb+") as file:
                os.fsync(file.fileno())
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text with line feeds as line ends, whole or not at all."""
    with whole(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Write JSON as ``json_text`` has it, whole or not at all."""
    write_text(path, json_text(value))


def json_text(value: Any) -> str:
    """Return JSON with sorted keys, so that equal values give equal bytes. NaN is refused."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def fresh_folder(path: Path) -> Path:
    """Return ``path`` as an empty folder."""
    if path.exists():
        shutil.rmtree(path)
    path.mkdir(parents=True)
    return path


def copy(source: Path, target: Path, sha256: str) -> None:
    """Copy a file with its fixed time, so that who writes to the copy cannot harm the source.

    Where the file system can (XFS, Btrfs, NFS 4.2 over them), both share their blocks until somebody writes. The source is
    read in any case, because a file may have changed although its time has not.

    Raises
    ------
    StageError
        When the source holds other bytes than ``sha256`` says. Its time is changed then, so that nobody trusts that.
    """
    part = target.with_name(f".part-{target.name}")
    try:
        with disk_of(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        with disk_of(target), source.open("rb") as old, part.open("wb") as new:
            digest, shared = hashlib.sha256(), posix.shares_blocks(old.fileno(), new.fileno())
            while chunk := old.read(CHUNK_BYTES):
                digest.update(chunk)
                if not shared:
                    new.write(chunk)
        if digest.hexdigest() != sha256:
            with suppress(OSError):  # somebody else's file
                os.utime(source, (0, 0))
            msg = (
                f"{source}: its bytes have changed since it was written, so the disk or somebody has damaged it; run again to make it again"
            )
            raise StageError(msg)
        set_fixed_time(part, sha256)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
