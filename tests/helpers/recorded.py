"""Files of recorders as their names, sizes and heads say them: nothing of it lies on a disk."""

from __future__ import annotations

from fractions import Fraction
from pathlib import PurePosixPath

from scrubin.curate.draft import Header, RecordedFile, Unusable

FULL_BYTES = 4 * 10**9
DAMAGED = Unusable("it is damaged", "copy it again")


def recorded(
    path: str,
    length_s: float | None = 300.0,
    *,
    size_bytes: int = 10**8,
    at_s: float | None = None,
    codec: str = "h264",
    size_px: tuple[int, int] = (1920, 1080),
    sample: str = "",
    why_encoded: str = "",
    timecode_s: float | None = None,
    stream_s: float | None = None,
    day_s: float | None = 86_400,
) -> RecordedFile:
    """A usable file that plays ``length_s`` and says that it began at ``at_s``."""
    frames = None if length_s is None else round(25 * length_s)
    clocks = (at_s, why_encoded, timecode_s, stream_s, day_s)
    header = Header("mov,mp4", codec, "yuv420p", *size_px, Fraction(25), length_s, frames, True, *clocks)
    return RecordedFile(PurePosixPath(path), size_bytes, header, sample)


def damaged(path: str) -> RecordedFile:
    """A file that cannot be used."""
    return RecordedFile(PurePosixPath(path), 1000, DAMAGED)
