"""One video file of a folder: what it is called, how large it is, and what its header says."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import PurePosixPath


@dataclass(frozen=True)
class Header:
    """What the head of a video file says; nothing of it is proven before the pipeline reads the file to its end.

    Parameters
    ----------
    duration_s
        In seconds; None where the header does not say it.
    frame_count
        As stated, or of length and rate; None where neither is known.
    recorded_s
        When it was recorded, in seconds since 1970, as its creation time says; None where it says nothing.
    why_encoded
        Why nothing of it can be copied; "" when groups of pictures may be.
    timecode_s, stream_s
        When it begins by its timecode, and by the clock of its transport stream, in seconds; None without one.
    """

    container: str
    codec: str
    pixel_format: str
    width: int
    height: int
    fps: Fraction
    duration_s: float | None
    frame_count: int | None
    has_audio: bool
    recorded_s: float | None
    why_encoded: str
    timecode_s: float | None = None
    stream_s: float | None = None

    @property
    def kind(self) -> tuple[str, str, int, int, Fraction]:
        """What the parts of one recording have in common."""
        return self.codec, self.pixel_format, self.width, self.height, self.fps


@dataclass(frozen=True)
class Unusable:
    """Why a file stands in no row, and what can be done about it."""

    reason: str
    fix: str


@dataclass(frozen=True)
class RecordedFile:
    """A video file.

    Parameters
    ----------
    path
        From the folder that is looked through.
    content
        Its header, or why it cannot be used.
    sample
        Hash of some of its bytes where another file has the same size; "" where none has.
    """

    path: PurePosixPath
    size_bytes: int
    content: Header | Unusable
    sample: str = ""

    @property
    def shown(self) -> str:
        """Its path as it can be written; bytes that are no UTF-8 stand as escapes."""
        return self.path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")

    @property
    def header(self) -> Header:
        """Its header.

        Raises
        ------
        TypeError
            When it cannot be read.
        """
        if isinstance(self.content, Unusable):
            msg = f"{self.path} has no header"
            raise TypeError(msg)
        return self.content
