"""Opening a raw video: the one place that knows how its bytes are reached, how many threads decode, which file somebody named."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import av

from scrubin.base import strangers
from scrubin.base.errors import VideoError
from scrubin.media.containers.edit_list import boxes
from scrubin.media.containers.picture_order import is_padding
from scrubin.media.containers.pieces import BUFFER_BYTES, Pieces, UnreadableError

IGNORE_EDIT_LIST = {"ignore_editlist": "1"}
BARE = "it is a bare stream, which has no times"
FIX_BARE = "put it into a container with the rate of its recorder, such as: mkvmerge --default-duration 0:25p -o FILE.mkv FILE"
NO_TIMES = 0x80  # AVFMT_NOTIMESTAMPS
STATES_RATE = frozenset(["mpegvideo", "m4v"])
"""Bare streams that must state it: MPEG-1 and MPEG-2 with every sequence, MPEG-4 Visual in its header. Of most others FFmpeg assumes 25."""
PREAMBLE_BYTES, DICOM = 128, b"DICM"
FIRST_GROUPS, FIRST_KINDS = (b"\2\0", b"\x08\0"), (b"UL", b"OB", b"UI", b"CS", b"DA")
"""Groups with which objects without a preamble begin, and of what kind the value of their first element may be."""


def is_dicom(path: Path) -> bool:
    """Return whether a file is a DICOM object, as `is_object` tells by its head.

    Raises
    ------
    OSError
        When it cannot be read.
    """
    return is_object(Pieces(path).read(PREAMBLE_BYTES + len(DICOM)))


def is_object(head: bytes) -> bool:
    """Return whether a file is a DICOM object: it says so behind a preamble (PS3.10, 7.1), or begins with an element without one.

    >>> is_object(bytes(128) + b"DICM"), is_object(bytes.fromhex("02000000") + b"UL"), is_object(bytes.fromhex("0800000147411130"))
    (True, True, False)
    """
    # A kind of value is not written in an implicit syntax: a length stands there, and the first element is short.
    begins = head[4:6] in FIRST_KINDS or (head[4:8].endswith(bytes(3)) and not head[4] % 2)
    return head[PREAMBLE_BYTES:].startswith(DICOM) or (head[:2] in FIRST_GROUPS and begins)


def content(path: Path) -> Pieces:
    """Return the bytes that are read as a video: those of a plain file, or of the stream that lies in a DICOM object.

    Raises
    ------
    UnreadableError
        When there is no stream that is read.
    OSError
        When the file cannot be read.
    """
    if not is_dicom(path):
        return Pieces(path)
    from scrubin.media.containers import dicom_recording as recording

    return recording.file_of(path, recording.stream_of(path))


def open_video(path: Path, *, ignore_edit_list: bool = False) -> av.container.InputContainer:
    """Open a video file for reading.

    Parameters
    ----------
    path
        The file.
    ignore_edit_list
        Show also what an mp4 edit list hides from players.

    Raises
    ------
    av.error.FFmpegError
        When it is no video, or a bare stream: it can be decoded, but nobody says when a frame is shown.
    OSError
        When it cannot be opened or read, also later on: the disk is to blame, not the content.
    """
    options = IGNORE_EDIT_LIST if ignore_edit_list else {}
    if is_dicom(path):
        from scrubin.media.containers import dicom_recording as recording

        return recording.opened(path, options)
    file, wanted = Pieces(path), {"format_whitelist": strangers.CONTAINERS, **options}
    if not file.size:
        raise UnreadableError("the file is empty (0 bytes)", FIX_COPY)  # FFmpeg would look for its last byte
    container = av.open(file, "r", options=wanted, buffer_size=BUFFER_BYTES, metadata_errors="replace")
    if container.format.flags & NO_TIMES and container.format.name not in STATES_RATE:
        container.close()
        raise UnreadableError(BARE, FIX_BARE)
    return container


def refuse_other_count(path: Path, count: int, stored: int) -> None:
    """Raise an `UnreadableError` when the header of a DICOM recording states neither how many frames are shown nor how many are stored."""
    if is_dicom(path):
        from scrubin.media.containers import dicom_recording as recording
        from scrubin.media.containers.dicom_agreement import refuse_other_count as refuse

        refuse(recording.stream_of(path).header, count, stored)


def contradictions(path: Path) -> tuple[str, ...]:
    """Return, one sentence each, where what a file says and what is read of it differ without harm.

    Of a DICOM recording these are its header and its stream, of an MP4 or MOV that another one is behind it.
    """
    if not is_dicom(path):
        return _second_head(content(path), "cut it there, as with: head -c {0} FILE > 1.mp4; tail -c +{1} FILE > 2.mp4")
    from scrubin.media.containers import dicom_recording as recording

    return (*recording.stream_of(path).told, *_second_head(content(path), "export it as an object of its own"))


def _second_head(file: Pieces, fix: str) -> tuple[str, ...]:
    """Say where a second MP4 begins behind the first one: programs read one index. In fragments they read all of it."""
    found = list(boxes(file))
    kinds = [kind for kind, _ in found]
    begins = [position for kind, position in found if kind == b"ftyp"][1:]
    if not begins or b"moof" in kinds or kinds.count(b"moov") < 2:
        return ()
    mend = fix.format(begins[0], begins[0] + 1)
    return (f"another recording begins at byte {begins[0]}, and nothing of it is read; {mend}",)


def left_behind_text(paths: Sequence[Path]) -> str:
    """Return how many elements the headers of a recording's DICOM files have, by group, such as "0008:21 0010:5"; "" without any."""
    with_header = [path for path in paths if is_dicom(path)]
    if not with_header:
        return ""
    from scrubin.media.containers import dicom_header as header
    from scrubin.media.containers import dicom_recording as recording

    return header.text(sum((Counter(recording.stream_of(path).header.counts) for path in with_header), Counter()))


@contextmanager
def for_programs(path: Path, folder: Path) -> Iterator[Path]:
    """Return a file that other programs can read: the video itself, or the stream of a DICOM recording, for so long.

    Parameters
    ----------
    folder
        Where the stream is written.
    """
    if not is_dicom(path):
        yield path
        return
    with tempfile.NamedTemporaryFile(dir=folder, prefix="stream-", delete=False) as file:
        stream = Path(file.name)
        file.writelines(content(path).chunks())
    try:
        yield stream
    finally:
        stream.unlink()


FIX_COPY = "copy it again from the recorder, or exclude the recording in recordings.csv"
FIX_TIMES = (
    "export it again with times from 0 on, from the recorder's own file that it was made from, not from this one, in which they are lost, "
    "as with: ffmpeg -i RECORDERS_FILE -c copy -avoid_negative_ts make_zero a.mkv"
)
FIX_MISSING_TIMES = (
    "export it again from the recorder; if they are missing there, too, let FFmpeg fill them in and look at the result: "
    "ffmpeg -i FILE -map 0:v:0 -fps_mode passthrough -c:v libx264 -crf 15 a.mkv"
)
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


LATE_STREAMS = "further streams begin in the middle of it, so it is damaged"


def packets(container: av.container.InputContainer, stream: av.VideoStream, name: str) -> Iterator[av.Packet[Any]]:
    """Yield every packet of a stream that holds something, in the order of the file.

    Raises
    ------
    VideoError
        When streams appear that the file's head does not know: PyAV cannot go on then.
    """
    try:
        for packet in container.demux(stream):
            if packet.size and not is_padding(packet, stream.codec_context.name):
                yield packet
    except IndexError as error:
        raise VideoError(name, LATE_STREAMS, FIX_COPY) from error
