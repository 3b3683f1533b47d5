"""What is known of a raw file, kept so that an unchanged file is read only once.

A file counts as unchanged as DVC and git count it: same size, times and inode. It is read as a whole only
when one of them is another than before.
"""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from scrubin.base.errors import StageError, VideoError
from scrubin.base.store import store
from scrubin.base.store.code_of import code_of
from scrubin.media.containers.pieces import Pieces
from scrubin.media.opening import FIX_COPY
from scrubin.media.probe import Probe, probe
from scrubin.media.structure import Group, Structure, structure

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
        key = store.key_of("sha256", code_of("scrubin.base.files"), before)
        known = store.lookup(key)
        value = str(known.value) if known else _sha256(path)
        after = identity(path, name)
    except OSError as error:
        if error.errno in WRONG_NAME:
            raise VideoError(name, f"it cannot be read ({error.strerror})", "correct its path in recordings.csv") from error
        msg = f"{name} cannot be read ({error.strerror}); check its name, its permissions and its disk, then run again"
        raise StageError(msg) from error
    if after != before:
        raise StageError(f"{name} changed while it was read; wait until it is copied completely, then run again")
    if known is None:
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
        raise StageError(f"{name} cannot be read ({error.strerror}); check its disk, then run again") from error
    _refuse_touched(path, name, sha256, before)


def _refuse_touched(path: Path, name: str, sha256: str, before: dict[str, int]) -> None:
    """Raise a `StageError` when a file is not what it was, or was away for a while: its time of change tells, its bytes do not."""
    if _prove(path, name, sha256) != before:
        raise StageError(f"{name} was moved, replaced or changed while it was read; leave it alone, then run again")


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


def stored_probe(path: Path, name: str, sha256: str) -> Probe:
    """Return what a raw file holds, see `scrubin.media.probe.probe`."""
    key = store.key_of("probe", code_of(__name__), {"sha256": sha256})
    outcome = stored(key, lambda: _as_json(probe(path, name)), path, name, sha256)
    return Probe(
        **{
            **outcome,
            "fps": Fraction(outcome["fps"]),
            "time_base": Fraction(outcome["time_base"]),
            "end_s": Fraction(outcome["end_s"]),
            "pts": tuple(outcome["pts"]),
        }
    )


def stored_structure(path: Path, name: str, sha256: str) -> Structure:
    """Return the groups of pictures of a raw file, see `scrubin.media.structure.structure`."""
    key = store.key_of("structure", code_of(__name__), {"sha256": sha256})
    outcome = stored(key, lambda: asdict(structure(path, name)), path, name, sha256)
    groups = tuple(Group(**{**group, "breaks": tuple(group["breaks"])}) for group in outcome["groups"])
    return Structure(groups, outcome["unsure"], outcome["sets"])


def stored(key: str, work: Callable[[], dict[str, Any]], path: Path, name: str, sha256: str) -> dict[str, Any]:
    """Return what comes of reading a raw file, now or when it was read before; a refusal is kept as well, but one for lack of memory.

    Parameters
    ----------
    key
        Under which it is kept: it names the file by its hash.
    work
        Reads the file.
    path, name, sha256
        The file, the file as the curator knows it, and the hash of its bytes when it was ingested: before and after it is read it is
        proven to have them.

    Raises
    ------
    VideoError
        When the file cannot be used.
    StageError
        When another file lies there.
    """

    def attempt(_: Path) -> dict[str, Any]:
        try:
            with proven(path, name, sha256):
                return work()
        except VideoError as error:
            if error.is_for_lack_of_memory:
                raise
            # Kept too: a broken file stays broken, and reading it may take long. Its name is not
            # kept, because another file may have the same bytes.
            return {"reason": error.reason, "fix": error.fix}

    entry, _ = store.make(key, attempt)
    value: dict[str, Any] = entry.value
    if "reason" in value:
        raise VideoError(name, value["reason"], value["fix"])
    return value


def _as_json(probed: Probe) -> dict[str, Any]:
    return {**asdict(probed), "fps": str(probed.fps), "time_base": str(probed.time_base), "end_s": str(probed.end_s)}
