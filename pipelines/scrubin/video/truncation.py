"""Truncated files: fewer frames than the file itself promises."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av

from scrubin.core.errors import VideoError
from scrubin.video.opening import open_video

FIX_COPY = "copy it again from the recorder, or exclude the recording in recordings.csv"
# The promise of a stream is exact to a frame or two; that of a whole container to its other streams.
STREAM_SLACK_S = Fraction(1, 5)
CONTAINER_SLACK_S = Fraction(1)


def refuse_truncated(
    path: Path, container: av.container.InputContainer, stream: av.VideoStream, first_s: Fraction, end_s: Fraction, name: str
) -> None:
    """Compare what is there with what the headers promise.

    Parameters
    ----------
    first_s
        Time of the first frame on the file's own clock.
    end_s
        End of the last frame, from the first.

    Raises
    ------
    VideoError
        When frames are missing at the end.
    """
    container_name = container.format.name
    if container_name.startswith("mov") and stream.frames:
        there = _packets(path)
        if there < stream.frames:
            raise VideoError(name, f"it is truncated: {there} of the promised {stream.frames} frames are there", FIX_COPY)
        return
    promised_s, slack_s = _promised_s(container, stream)
    # The promise may count from 0 although the picture starts later.
    if promised_s is not None and promised_s - end_s - max(first_s, Fraction(0)) > slack_s:
        reason = f"it is truncated: {float(end_s):.2f} s of the promised {float(promised_s):.2f} s are there"
        raise VideoError(name, reason, FIX_COPY)


def _packets(path: Path) -> int:
    # Also those that an edit list hides: the index counts them.
    with open_video(path, ignore_edit_list=True) as container:
        index = next(stream.index for stream in container.streams.video if not stream.disposition & av.stream.Disposition.attached_pic)
        return sum(1 for packet in container.demux(container.streams[index]) if packet.size)


def _promised_s(container: av.container.InputContainer, stream: av.VideoStream) -> tuple[Fraction | None, Fraction]:
    if container.format.name == "avi" and stream.frames and stream.time_base:
        return stream.frames * Fraction(stream.time_base), STREAM_SLACK_S
    tagged_s = _tagged_s(stream.metadata.get("DURATION", ""))
    if tagged_s is not None:
        return tagged_s, STREAM_SLACK_S
    if container.duration and len(container.streams) == 1:
        return Fraction(container.duration, av.time_base), CONTAINER_SLACK_S
    return None, STREAM_SLACK_S


def _tagged_s(text: str) -> Fraction | None:
    """Return the seconds of Matroska's tag such as 00:01:02.500000000."""
    try:
        hours, minutes, seconds = text.split(":")
        return int(hours) * 3600 + int(minutes) * 60 + Fraction(seconds)
    except ValueError:
        return None
