"""The header of a video file, read without reading the file: what it holds if it keeps what it promises."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from pathlib import Path

import av
from av.error import FFmpegError

from scrubin.core.errors import VideoError
from scrubin.drafting.recorded_file import Header
from scrubin.ingest.clock import timecode_s
from scrubin.video.opening import is_dicom, open_video
from scrubin.video.probe import picture_stream
from scrubin.video.structure import header_unsure
from scrubin.video.truncation import FIX_COPY
from scrubin.video.unreadable import BARE, FIX_BARE, is_bare, unreadable

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
            if is_bare(container) and not is_dicom(path):
                raise VideoError(name, BARE, FIX_BARE)
            return _header(container, stream, name)
    except FFmpegError as error:
        raise unreadable(path, name, error) from error
    except OSError as error:
        raise VideoError(name, f"it cannot be read ({error.strerror})", "check its permissions and its disk") from error


def _header(container: av.container.InputContainer, stream: av.VideoStream, name: str) -> Header:
    fps = Fraction(stream.guessed_rate or stream.average_rate or 0)
    duration_s = _duration_s(container, stream)
    frame_count = stream.frames or (round(duration_s * fps) if duration_s is not None and fps else None)
    unsure = header_unsure(container, stream)
    recorded_s = _recorded_s(container, stream)
    first = _first_frame(container, stream, name)
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
        recorded_s=recorded_s,
        why_encoded=unsure or (f"players rotate it by {rotation} degrees" if rotation else ""),
        timecode_s=_timecode_s(container, fps, name),
        stream_s=_stream_s(container, stream),
    )


def _timecode_s(container: av.container.InputContainer, fps: Fraction, name: str) -> float | None:
    streams = [*container.streams.video, *container.streams.data]
    text = next((tags["timecode"] for tags in (container.metadata, *(one.metadata for one in streams)) if tags.get("timecode")), "")
    try:
        return float(timecode_s(name, text, fps)) if text and fps else None
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
        if moment.year >= FIRST_YEAR and ":" in text:
            return moment.timestamp() if moment.tzinfo else (moment - datetime(1970, 1, 1)).total_seconds()
    return None
