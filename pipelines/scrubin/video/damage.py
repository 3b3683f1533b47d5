"""Why packets of a file are damaged, as far as the file shows it: a bad copy, or files that were put behind each other."""

from __future__ import annotations

from pathlib import Path

from av.error import FFmpegError

from scrubin.core.errors import VideoError
from scrubin.core.ranges import count_text
from scrubin.video.opening import open_video
from scrubin.video.truncation import FIX_COPY

FIX_PARTS = "give each of these files its own row in recordings.csv, with its number in the column 'part'"
FIX_SIZES = "export it with one size, or name the files of each size as a recording of their own"


def damage(path: Path, name: str, count: int, at_s: float, *, times_restart: bool) -> VideoError:
    """Return the error for a file that has damaged packets.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it.
    count, at_s
        How many packets, and where the first one is, in seconds from the first frame.
    times_restart
        Whether the times of its packets begin again somewhere.
    """
    verb = "is" if count == 1 else "are"
    damaged = f"{count_text(count, 'packet')} {verb} damaged, the first at {at_s:.2f} s"
    sizes = _sizes(path)
    if len(sizes) > 1:
        return VideoError(name, f"its picture changes size, from {' to '.join(sizes)}, and {damaged}", FIX_SIZES)
    if times_restart:
        return VideoError(name, f"its times begin again, as where files were put behind each other, and {damaged}", FIX_PARTS)
    return VideoError(name, damaged, FIX_COPY)


def _sizes(path: Path) -> list[str]:
    """Return the sizes of the key frames, in order, each once; as far as they can be decoded."""
    sizes: dict[str, None] = {}
    try:
        with open_video(path) as container:
            stream = container.streams.video[0]
            stream.codec_context.skip_frame = "NONKEY"
            for frame in container.decode(stream):
                sizes[f"{frame.width}x{frame.height}"] = None
    except (FFmpegError, IndexError):
        pass  # it is damaged
    return list(sizes)
