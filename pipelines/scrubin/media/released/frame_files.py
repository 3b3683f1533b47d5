"""Extracted frames as a reader finds them: which ones there are, whether loose or in a shard.

Frame k is the first decoded frame of the released video whose presentation time is at or
after k / fps. Nothing is counted and nothing is rounded, so a variable rate cannot drift.

Needs no video tools: a researcher's plain `pip install` of this package has it.
"""

from __future__ import annotations

import os
import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from scrubin.base import strangers
from scrubin.base.errors import ReleaseError


def source_frames(times_s: Sequence[Fraction], fps: Fraction) -> list[int]:
    """Return the number, in the released video, of each extracted frame.

    Parameters
    ----------
    times_s
        Exact presentation time of every frame of the released video, increasing, from 0.
    fps
        Extracted frames per second.

    Returns
    -------
    One number per extracted frame k = 0, 1, ... up to the last k / fps that is not behind the
    last frame. Where the video has no frame for longer than 1 / fps, a frame stands for
    several k: what a viewer sees at that time.

    >>> source_frames([Fraction(n, 25) for n in range(60)], Fraction(1))
    [0, 25, 50]
    """
    if not times_s:
        return []
    count = int(times_s[-1] * fps) + 1
    return [bisect_left(times_s, k / fps) for k in range(count)]


SHARD = ".tar/"
BLOCK = 512
SIZE = slice(124, 136)
NAME = slice(0, 100)
KEPT_MEMBERS = 500_000  # about 120 MB
FIX = "the release is not complete: compare it with SHA256SUMS and get the file again"
_INDICES: OrderedDict[tuple[str, int, int], Mapping[str, tuple[int, int]]] = OrderedDict()
_GUARD = threading.Lock()


def picture(release: Path, path: str) -> bytes:
    """Return the bytes of a frame's JPEG or PNG file.

    Parameters
    ----------
    release
        The release folder.
    path
        Column ``path`` of the table `frames`: ``frames/<task>/<camera>/<id>/000012.jpg``, or
        ``frames/<task>/<camera>/<id>.tar/000012.jpg`` for a member of a shard.

    Raises
    ------
    ReleaseError
        When the file or member is not there, or ``path`` leaves the release.

    Notes
    -----
    The headers of a shard are read once per process; after that a picture costs one read. Threads
    may share it, and processes may be forked.
    """
    if not path or PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise ReleaseError(f"{path!r} is no path of a frame; a dropped frame has none, see the column 'dropped'")
    shard, inside, member = path.partition(SHARD)
    try:
        if not inside:
            return strangers.read_bytes(release / path, inside=release)
        return _member(strangers.refuse_unless_plain(release / f"{shard}.tar", inside=release), member)
    except OSError as error:
        raise ReleaseError(f"{path}: it cannot be read ({error.strerror}); {FIX}") from error
    except (LookupError, ValueError) as error:
        raise ReleaseError(f"{path}: {error}; {FIX}") from error


def index(shard: Path) -> dict[str, tuple[int, int]]:
    """Return where each member of a shard begins and how many bytes it has, by name, from its headers.

    Raises
    ------
    ValueError
        When it is no whole tar.
    """
    members: dict[str, tuple[int, int]] = {}
    with strangers.opened(shard) as file:
        end = os.fstat(file.fileno()).st_size
        position = 0
        while len(header := _read_at(file, BLOCK, position)) == BLOCK and header.strip(b"\0"):
            size = int(header[SIZE].rstrip(b"\0 ") or b"0", 8)
            if not 0 <= size <= end - position:
                msg = f"the shard ends after {end} bytes, in the middle" if size > 0 else "the shard has a member of a negative size"
                raise ValueError(msg)
            members[header[NAME].rstrip(b"\0").decode()] = (position + BLOCK, size)
            position += BLOCK + -(-size // BLOCK) * BLOCK
    if len(header) < BLOCK or position > end:
        raise ValueError(f"the shard ends after {end} bytes, in the middle")
    return members


def _member(shard: Path, name: str) -> bytes:
    with strangers.opened(shard) as file:
        status = os.fstat(file.fileno())
        where = _indexed(shard, (str(shard.absolute()), status.st_mtime_ns, status.st_size))
        if name not in where:
            raise LookupError(f"the shard has no member '{name}'")
        start, size = where[name]
        data = _read_at(file, size, start)
    if len(data) != size:
        raise ValueError(f"its member '{name}' ends after {len(data)} of {size} bytes")
    return data


def _read_at(file: BinaryIO, size: int, start: int) -> bytes:
    file.seek(start)
    return file.read(size)


def _indexed(shard: Path, key: tuple[str, int, int]) -> Mapping[str, tuple[int, int]]:
    with _GUARD:
        if key in _INDICES:
            _INDICES.move_to_end(key)
            return _INDICES[key]
    members = index(shard)
    with _GUARD:
        _INDICES[key] = members
        while len(_INDICES) > 1 and sum(map(len, _INDICES.values())) > KEPT_MEMBERS:
            _INDICES.popitem(last=False)
    return members
