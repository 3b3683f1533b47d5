"""What is known of a raw file, kept so that an unchanged file is read only once.

A file counts as unchanged as DVC and git count it: same size, time and inode.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from scrubin.core import store
from scrubin.core.errors import VideoError
from scrubin.core.files import sha256_of
from scrubin.video.probe import Probe, probe
from scrubin.video.structure import Group, Structure, structure
from scrubin.video.truncation import FIX_COPY

CODE = ("video/probe_cache.py", "video/probe.py", "video/truncation.py")
STRUCTURE_CODE = ("video/probe_cache.py", "video/nal.py", "video/parameter_sets.py", "video/structure.py")


def stored_sha256(path: Path, name: str) -> str:
    """Return the SHA-256 of a raw file.

    Raises
    ------
    VideoError
        When the file is missing, empty or grows while it is read.
    """
    code = store.code_version(("core/files.py",))
    try:
        before = _identity(path, name)
        sha256 = store.lookup(store.key_of("sha256", code, before))
        value = str(sha256.value) if sha256 else sha256_of(path)
        after = _identity(path, name)
    except OSError as error:
        raise VideoError(name, f"it cannot be read ({error.strerror})", "check its name and its permissions") from error
    if after != before:
        raise VideoError(name, "it changed while it was read", "wait until it is copied completely, then run again")
    store.make(store.key_of("sha256", code, before), lambda _: value)
    return value


def stored_probe(path: Path, name: str, sha256: str) -> Probe:
    """Return what a raw file holds, see `scrubin.video.probe.probe`."""
    key = store.key_of("probe", store.code_version(CODE, ("av",)), {"sha256": sha256})
    outcome = _stored(key, lambda: _as_json(probe(path, name)), name)
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
    """Return the groups of pictures of a raw file, see `scrubin.video.structure.structure`."""
    key = store.key_of("structure", store.code_version(STRUCTURE_CODE, ("av",)), {"sha256": sha256})
    outcome = _stored(key, lambda: asdict(structure(path, name)), name)
    groups = tuple(Group(**{**group, "breaks": tuple(group["breaks"])}) for group in outcome["groups"])
    return Structure(groups, outcome["unsure"])


def _stored(key: str, work: Callable[[], dict[str, Any]], name: str) -> dict[str, Any]:
    def attempt(_: Path) -> dict[str, Any]:
        try:
            return work()
        except VideoError as error:
            if isinstance(error.__cause__, OSError):
                raise  # a disk that is away comes back
            # Kept too: a broken file stays broken, and reading it may take long. Its name is not
            # kept, because another file may have the same bytes.
            return {"reason": error.reason, "fix": error.fix}

    entry, _ = store.make(key, attempt)
    value: dict[str, Any] = entry.value
    if "reason" in value:
        raise VideoError(name, value["reason"], value["fix"])
    return value


def _identity(path: Path, name: str) -> dict[str, int]:
    if not path.exists():
        raise VideoError(name, "the file is missing", "put it there or correct its path in recordings.csv")
    if not path.is_file():
        raise VideoError(name, "it is not a file", "name the video file itself in recordings.csv")
    status = path.stat()
    if status.st_size == 0:
        raise VideoError(name, "the file is empty (0 bytes)", FIX_COPY)
    return {"size": status.st_size, "time_ns": status.st_mtime_ns, "inode": status.st_ino, "device": status.st_dev}


def _as_json(probed: Probe) -> dict[str, Any]:
    return {**asdict(probed), "fps": str(probed.fps), "time_base": str(probed.time_base), "end_s": str(probed.end_s)}
