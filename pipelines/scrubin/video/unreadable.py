"""Why a file cannot be opened as a video, in words that lead to the mend."""

from __future__ import annotations

import errno
import struct
from pathlib import Path

import av
from av.error import FFmpegError

from scrubin.core.errors import VideoError
from scrubin.video.opening import open_video
from scrubin.video.pieces import Pieces
from scrubin.video.unreadable_error import UnreadableError

FIX_EXPORT = "export it again from the recorder, or remove its rows from recordings.csv"
FIX_UNFINISHED = (
    "copy it again from the recorder; if it is the same there, repair it with the recorder's own function, or with a program such as "
    "untrunc and a whole file of the same recorder"
)
UNFINISHED = "it is unfinished: its index (moov) is missing; the recorder was stopped before it closed the file, or its end was not copied"
BARE = "it is a bare stream, which has no times"
FIX_BARE = "put it into a container with the rate of its recorder, such as: mkvmerge --default-duration 0:25p -o FILE.mkv FILE"
_NO_TIMES = 0x80  # AVFMT_NOTIMESTAMPS
_FIRST_BOXES = (b"ftyp", b"wide", b"mdat", b"skip", b"free")
_LARGE, _TO_THE_END = 1, 0
_MOST_BOXES = 10_000


def unreadable(path: Path, name: str, error: FFmpegError) -> VideoError:
    """Return the error for a file that FFmpeg cannot open.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it.
    error
        What FFmpeg said.
    """
    if isinstance(error, UnreadableError):
        return VideoError(name, error.reason, error.fix)
    if not isinstance(error, OSError) and is_unfinished(path):
        return VideoError(name, UNFINISHED, FIX_UNFINISHED)
    if error.errno == errno.EPERM and _opens_as_bare(path):
        return VideoError(name, BARE, FIX_BARE)
    return VideoError(name, f"it cannot be read as a video ({error.strerror})", FIX_EXPORT)


def is_bare(container: av.container.InputContainer) -> bool:
    """Return whether a file is a stream without a container: it can be decoded, but nobody says when a frame is shown."""
    return bool(container.format.flags & _NO_TIMES)


def _opens_as_bare(path: Path) -> bool:
    try:
        with open_video(path) as container:
            return is_bare(container)
    except FFmpegError:
        return False


def is_unfinished(path: Path) -> bool:
    """Return whether a file is an MP4 or MOV that has pictures and no index of them (ISO/IEC 14496-12, 4.2: boxes)."""
    kinds: list[bytes] = []
    file, position = Pieces(path), 0
    while position + 8 <= file.size and len(kinds) < _MOST_BOXES:
        file.seek(position)
        length, kind = struct.unpack(">I4s", file.read(8))
        if not kinds and kind not in _FIRST_BOXES:
            return False
        kinds.append(kind)
        if length == _LARGE:
            length = int.from_bytes(file.read(8), "big")
        if length == _TO_THE_END or length < 8:
            break
        position += length
    return b"mdat" in kinds and not {b"moov", b"moof"} & set(kinds)
