"""One video file of a folder: what it is called, how large it is, what its header says without reading the file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from pathlib import Path, PurePosixPath

import av
from av.error import FFmpegError

from scrubin.base.errors import VideoError
from scrubin.media.containers.dicom_header import Origin
from scrubin.media.containers.dicom_recording import stream_of
from scrubin.media.opening import FIX_COPY, is_dicom, open_video
from scrubin.media.probe import picture_stream, unreadable
from scrubin.media.structure import header_unsure
from scrubin.media.timecode_rate import counted_fps, stated_rate
from scrubin.stages import recordings_list
from scrubin.stages.ingest.joining import Begin, timecode

CREATION_TIME, DICOM_HEADER = "creation time", "DICOM header"


@dataclass(frozen=True)
class Header:
    """What the head of a video file says; nothing of it is proven before the pipeline reads the file to its end.

    Parameters
    ----------
    duration_s
        In seconds; None where the header does not say it.
    frame_count
        As stated, or of length and rate; None where neither is known.
    recorded_s, recorded_by
        When it was recorded, in seconds since 1970, and what says so; None where nothing does.
    why_encoded
        Why nothing of it can be copied; "" when groups of pictures may be.
    timecode_s, stream_s
        When it begins by its timecode, and by the clock of its transport stream, in seconds; None without one.
    day_s
        After how many seconds its timecode begins anew, by its rate; None without one.
    origin
        Whose it is, as the header of a DICOM object says; None for other files.
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
    day_s: float | None = None
    recorded_by: str = CREATION_TIME
    origin: Origin | None = None

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
        return recordings_list.shown(self.path)

    @property
    def header(self) -> Header:
        """Its header.

        Raises
        ------
        TypeError
            When it cannot be read.
        """
        if isinstance(self.content, Unusable):
            raise TypeError(f"{self.path} has no header")
        return self.content


TIME_TAGS = ("creation_time", "com.apple.quicktime.creationdate", "DATE_RECORDED", "modification_date", "date")
# Recorders without a clock begin to count here: 1904 (QuickTime), 1970 (Unix), 1980 (FAT).
FIRST_YEAR = 1990


def read_header(path: Path, name: str) -> Header:
    """Return what the head of a video file says; its first picture is decoded, nothing else.

    Parameters
    ----------
    path
        The file.
    name
        The file as the curator knows it, for messages.

    Raises
    ------
    VideoError
        When it is no video that the pipeline can use, as far as its head tells.
    """
    try:
        if path.stat().st_size == 0:
            raise VideoError(name, "the file is empty (0 bytes)", FIX_COPY)
        with open_video(path) as container:
            stream = picture_stream(container, name)
            return _header(path, container, stream, name)
    except FFmpegError as error:
        raise unreadable(path, name, error) from error
    except OSError as error:
        raise VideoError(name, f"it cannot be read ({error.strerror})", "check its permissions and its disk") from error


def _header(path: Path, container: av.container.InputContainer, stream: av.VideoStream, name: str) -> Header:
    fps = Fraction(stream.guessed_rate or stream.average_rate or 0)
    duration_s = _duration_s(container, stream)
    frame_count = stream.frames or (round(duration_s * fps) if duration_s is not None and fps else None)
    unsure = header_unsure(container, stream)
    of_object = stream_of(path).header if is_dicom(path) else None
    began = _since_epoch_s(of_object.recorded) if of_object and of_object.recorded else None
    first = _first_frame(container, stream, name)
    code = _timecode(path, container, fps, name)
    rotation = -first.rotation % 360
    width, height = (first.height, first.width) if rotation % 180 else (first.width, first.height)
    return Header(
        container=container.format.name,
        codec=stream.codec_context.name,
        pixel_format=first.format.name,
        width=width,
        height=height,
        fps=fps,
        duration_s=duration_s,
        frame_count=frame_count,
        has_audio=bool(container.streams.audio),
        recorded_s=_recorded_s(container, stream) if began is None else began,
        why_encoded=unsure or (f"players rotate it by {rotation} degrees" if rotation else ""),
        timecode_s=None if code is None else float(code.time_s),
        stream_s=_stream_s(container, stream),
        day_s=None if code is None or code.day_s is None else float(code.day_s),
        recorded_by=CREATION_TIME if began is None else DICOM_HEADER,
        origin=of_object.origin if of_object else None,
    )


def _timecode(path: Path, container: av.container.InputContainer, fps: Fraction, name: str) -> Begin | None:
    streams = [*container.streams.video, *container.streams.data]
    text = next((tags["timecode"] for tags in (container.metadata, *(one.metadata for one in streams)) if tags.get("timecode")), "")
    try:
        return timecode(name, text, counted_fps(fps, stated_rate(path))) if text and fps else None
    except VideoError:
        return None


def _stream_s(container: av.container.InputContainer, stream: av.VideoStream) -> float | None:
    if "mpegts" not in container.format.name or stream.start_time is None or stream.time_base is None:
        return None
    return float(stream.start_time * stream.time_base)


def _first_frame(container: av.container.InputContainer, stream: av.VideoStream, name: str) -> av.VideoFrame:
    stream.thread_type = "SLICE"  # one picture needs no threads that read ahead
    for frame in container.decode(stream):
        return frame
    raise VideoError(name, "none of its frames can be decoded", FIX_COPY)


def _duration_s(container: av.container.InputContainer, stream: av.VideoStream) -> float | None:
    if stream.duration and stream.time_base:
        return float(stream.duration * stream.time_base)
    return container.duration / av.time_base if container.duration else None


def _recorded_s(container: av.container.InputContainer, stream: av.VideoStream) -> float | None:
    tags = {**container.metadata, **stream.metadata}
    for text in (tags[name] for name in TIME_TAGS if name in tags):
        try:
            moment = datetime.fromisoformat(text.strip())
        except ValueError:
            continue
        if ":" in text and (recorded_s := _since_epoch_s(moment)) is not None:
            return recorded_s
    return None


def _since_epoch_s(moment: datetime) -> float | None:
    if moment.year < FIRST_YEAR:
        return None
    return moment.timestamp() if moment.tzinfo else (moment - datetime(1970, 1, 1)).total_seconds()
