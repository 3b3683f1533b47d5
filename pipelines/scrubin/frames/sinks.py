"""Where the files of frames go: loose into a folder, or one after the other into a tar.

A shard is an uncompressed tar as webdataset reads it: the members of a frame stand together and
share their name up to the dot, frames are in order. Beside each picture lies what the table
`frames` says of its place. Headers are POSIX ustar with fixed values, so equal frames give equal bytes.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from scrubin.core.files import FIXED_TIME_S

SHARD_NAME = "frames.tar"
MODE = 0o644
SIDECAR_COLUMNS = ("frame", "source_frame", "time_s", "redacted")
"""Columns of the table `frames` in the JSON beside each picture of a shard."""


class Sink(Protocol):
    """Takes the files of frames, in order."""

    def add(self, row: Mapping[str, Any], data: bytes) -> None:
        """Write the picture of one frame."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Finish."""


def file_name(frame: int, suffix: str) -> str:
    """Return the name of a frame's file.

    >>> file_name(12, "jpg")
    '000012.jpg'
    """
    return f"{frame:06d}.{suffix}"


class _LooseFrames:
    """One file per frame in a folder."""

    def __init__(self, folder: Path, suffix: str) -> None:
        self._folder, self._suffix = folder, suffix

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Finish: every file is written already."""

    def add(self, row: Mapping[str, Any], data: bytes) -> None:
        """Write the picture of one frame."""
        (self._folder / file_name(row["frame"], self._suffix)).write_bytes(data)


class Shard:
    """One tar for all frames of a video."""

    def __init__(self, path: Path, suffix: str) -> None:
        self._suffix = suffix
        self._tar = tarfile.open(path, "w", format=tarfile.USTAR_FORMAT)  # noqa: SIM115 - closed on exit

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Write the end."""
        self._tar.close()

    def add(self, row: Mapping[str, Any], data: bytes) -> None:
        """Write the picture of one frame, and beside it its place."""
        sidecar = json.dumps({name: row[name] for name in SIDECAR_COLUMNS}, sort_keys=True, allow_nan=False).encode() + b"\n"
        members = {file_name(row["frame"], self._suffix): data, file_name(row["frame"], "json"): sidecar}
        for name in sorted(members):
            header = tarfile.TarInfo(name)
            header.size, header.mtime, header.mode = len(members[name]), FIXED_TIME_S, MODE
            self._tar.addfile(header, io.BytesIO(members[name]))


def sink(folder: Path, suffix: str, shards: str) -> Sink:
    """Return where the frames of one video go."""
    return _LooseFrames(folder, suffix) if shards == "none" else Shard(folder / SHARD_NAME, suffix)


def without(shard: Path, frames: Iterable[int], target: Path) -> None:
    """Write a shard again without some of its frames; everything else keeps its bytes."""
    left_out = {f"{frame:06d}" for frame in frames}
    with tarfile.open(shard) as source, tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as kept:
        for member in source:
            if member.name.partition(".")[0] not in left_out:
                kept.addfile(member, source.extractfile(member))
