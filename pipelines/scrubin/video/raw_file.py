"""Which raw file lies at a path: its SHA-256, and the proof that it is the one that was ingested.

A file counts as unchanged as DVC and git count it: same size, times and inode. It is read as a whole only
when one of them is another than before.
"""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scrubin.core import store
from scrubin.core.code_of import code_of
from scrubin.core.errors import StageError, VideoError
from scrubin.video.pieces import Pieces
from scrubin.video.truncation import FIX_COPY

WRONG_NAME = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.ELOOP, errno.EINVAL)
"""No file can have such a path; everything else may pass."""


def stored_sha256(path: Path, name: str) -> str:
    """Return the SHA-256 of a raw file.

    Raises
    ------
    VideoError
        When the file is missing, empty or none.
    StageError
        When it cannot be read now, or changes while it is read: another run may take it.
    """
    try:
        before = identity(path, name)
        key = store.key_of("sha256", code_of("scrubin.core.files"), before)
        known = store.lookup(key)
        value = str(known.value) if known else _sha256(path)
        after = identity(path, name)
    except OSError as error:
        if error.errno in WRONG_NAME:
            raise VideoError(name, f"it cannot be read ({error.strerror})", "correct its path in recordings.csv") from error
        msg = f"{name} cannot be read ({error.strerror}); check its name, its permissions and its disk, then run again"
        raise StageError(msg) from error
    if after != before:
        msg = f"{name} changed while it was read; wait until it is copied completely, then run again"
        raise StageError(msg)
    store.make(key, lambda _: value)
    return value


@contextmanager
def proven(path: Path, name: str, sha256: str) -> Iterator[None]:
    """Prove before and after something is made of a raw file that it is the one that was ingested.

    What is kept under a file's hash must never come from another one: unscreened pictures could be released under it.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it, for messages.
    sha256
        Of the file that was ingested.

    Raises
    ------
    StageError
        When another file lies there, or none, also for a while only; or when the disk, not the content, is why it cannot be read.
    """
    before = _prove(path, name, sha256)
    try:
        yield
    except VideoError:
        _refuse_touched(path, name, sha256, before)
        raise
    except OSError as error:
        if error.filename != str(path):
            raise  # of another disk, such as one that is full
        msg = f"{name} cannot be read ({error.strerror}); check its disk, then run again"
        raise StageError(msg) from error
    _refuse_touched(path, name, sha256, before)


def _refuse_touched(path: Path, name: str, sha256: str, before: dict[str, int]) -> None:
    """Raise a `StageError` when a file is not what it was, or was away for a while: its time of change tells, its bytes do not."""
    if _prove(path, name, sha256) != before:
        msg = f"{name} was moved, replaced or changed while it was read; leave it alone, then run again"
        raise StageError(msg)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    for data in Pieces(path).chunks():
        digest.update(data)
    return digest.hexdigest()


def _prove(path: Path, name: str, sha256: str) -> dict[str, int]:
    """Return by what a proven file is known again."""
    try:
        known = identity(path, name)
        now = stored_sha256(path, name)
    except VideoError as error:
        msg = f"{name} was ingested, and now {error.reason}; put it back, or run again, so that the pipeline takes it as it is"
        raise StageError(msg) from error
    if now != sha256:
        msg = f"{name} is another file than the one that was ingested; run again, so that the pipeline takes the new one from the beginning"
        raise StageError(msg)
    return known


def identity(path: Path, name: str) -> dict[str, int]:
    """Return by what a file is known again without reading it.

    Raises
    ------
    VideoError
        When the file is missing, empty or none.
    """
    if not path.exists():
        raise VideoError(name, "the file is missing", "put it there or correct its path in recordings.csv")
    if not path.is_file():
        raise VideoError(name, "it is not a file", "name the video file itself in recordings.csv")
    status = path.stat()
    if status.st_size == 0:
        raise VideoError(name, "the file is empty (0 bytes)", FIX_COPY)
    times = {"time_ns": status.st_mtime_ns, "changed_ns": status.st_ctime_ns}
    # Without the device, whose number is another one on each machine that shares the disk.
    return {"size": status.st_size, **times, "inode": status.st_ino}
