"""Groups of pictures of an H.264 file: where it can be cut without decoding it.

A group runs from one IDR picture to the next: nothing in it refers to what is outside of it
(ITU-T H.264, 3.69). A key frame of an open group of pictures is none: frames behind it may refer to
frames before it, so it stays inside the group.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import av
from av.error import FFmpegError

from scrubin.media.containers import h264
from scrubin.media.opening import open_video, packets
from scrubin.media.probe import picture_stream, unreadable

COPYABLE_FORMATS = ("yuv420p", "yuvj420p")
# Others, such as AVI and bare H.264, state when a packet is decoded, not when it is shown.
TIMED_CONTAINERS = frozenset(["mov", "matroska", "mpegts", "flv"])
KNOWN_UNITS = frozenset(
    [h264.SLICE, h264.IDR, h264.SEI, h264.SPS, h264.PPS, h264.DELIMITER, h264.END_OF_SEQUENCE, h264.END_OF_STREAM, h264.FILLER]
)


@dataclass(frozen=True)
class Group:
    """One group of pictures: frames ``[first, end)`` of the file in presentation order.

    Parameters
    ----------
    packets
        Its packets, also those that no player shows.
    breaks
        Frames, first and end included, at which it can be cut off: everything before is
        decoded from packets before, and those packets hold nothing else.
    """

    first: int
    end: int
    packets: int
    breaks: tuple[int, ...]

    @property
    def hides_packets(self) -> bool:
        """Whether an edit list hides some of its packets from players."""
        return self.packets != self.end - self.first


@dataclass(frozen=True)
class Structure:
    """The groups of pictures of a file.

    Parameters
    ----------
    groups
        In order.
    unsure
        Why none of them may be copied, "" when they may.
    sets
        SHA-256 of the parameter sets under which they are decoded; files with the same may stand behind one header.
    """

    groups: tuple[Group, ...]
    unsure: str
    sets: str = ""


def structure(path: Path, name: str) -> Structure:
    """Read every packet of a file and return its groups of pictures; nothing is decoded.

    Raises
    ------
    VideoError
        When the file cannot be read.
    """
    try:
        with open_video(path) as container:
            stream = picture_stream(container, name)
            unsure = _format_unsure(container, stream)
            if unsure:
                return Structure((), unsure)
            try:
                return _of_packets(container, stream, name)
            except ValueError as error:
                return Structure((), str(error))
    except FFmpegError as error:
        raise unreadable(path, name, error) from error


def header_unsure(container: av.container.InputContainer, stream: av.VideoStream) -> str:
    """Return why nothing of an open file may be copied as far as its header says, "" when its packets decide; none of them is read."""
    unsure = _format_unsure(container, stream)
    if unsure:
        return unsure
    try:
        _reorder_frames(h264.header(bytes(stream.codec_context.extradata or b"")))
    except ValueError as error:
        return str(error)
    return ""


def _format_unsure(container: av.container.InputContainer, stream: av.VideoStream) -> str:
    context = stream.codec_context
    if container.format.name.split(",")[0] not in TIMED_CONTAINERS:
        return f"its container {container.format.name} states no presentation times"
    if context.name != "h264":
        return f"its codec is {context.name}, only H.264 is copied"
    if context.format is None or context.format.name not in COPYABLE_FORMATS:
        return f"its pixels are {context.format.name if context.format else 'unknown'}, only 8-bit 4:2:0 is copied"
    if context.width % 2 or context.height % 2:
        return f"its size {context.width}x{context.height} is odd and must be cut"
    return ""


def _of_packets(container: av.container.InputContainer, stream: av.VideoStream, name: str) -> Structure:
    stated = h264.header(bytes(stream.codec_context.extradata or b""))
    sets = {*stated.sequences, *stated.pictures}
    starts: list[int] = []  # packets at which a group starts
    times: list[int | None] = []  # of every packet; None: no player shows it
    for packet in packets(container, stream, name):
        types = set()
        for unit in h264.units(memoryview(packet), stated.length_bytes):
            unit_type = h264.unit_type(unit)
            types.add(unit_type)
            if unit_type in (h264.SPS, h264.PPS) and bytes(unit) not in sets:
                msg = "its parameter sets change on the way"
                raise ValueError(msg)
        _refuse_units(types)
        if h264.IDR in types:
            starts.append(len(times))
        if packet.pts is None and not packet.is_discard:
            msg = "its packets state no presentation times"
            raise ValueError(msg)
        times.append(None if packet.is_discard else packet.pts)
    digest = hashlib.sha256(b"".join(len(one).to_bytes(4, "big") + one for one in (*stated.sequences, *stated.pictures))).hexdigest()
    return Structure(tuple(_groups(starts, times, _reorder_frames(stated))), "", digest)


def _refuse_units(types: set[int]) -> None:
    if types - KNOWN_UNITS:
        msg = f"it holds NAL units of type {min(types - KNOWN_UNITS)}"
        raise ValueError(msg)
    if not types & {h264.SLICE, h264.IDR}:
        msg = "a packet holds no picture"
        raise ValueError(msg)


def _reorder_frames(stated: h264.Header) -> int | None:
    if len(stated.sequences) != 1 or not stated.pictures:
        msg = f"its header holds {len(stated.sequences)} sequence and {len(stated.pictures)} picture parameter sets"
        raise ValueError(msg)
    sequence = h264.sequence(stated.sequences[0])
    if not sequence.progressive:
        msg = "it is, or may be, interlaced"
        raise ValueError(msg)
    if sequence.cropped:
        msg = "players crop its picture, and what they cut off stays in a copy"
        raise ValueError(msg)
    return sequence.reorder_frames


def _groups(starts: Sequence[int], times: Sequence[int | None], reorder_frames: int | None) -> Iterator[Group]:
    if not starts or starts[0] != 0:
        msg = "it does not start with an IDR picture"
        raise ValueError(msg)
    shown = [time for time in times if time is not None]
    if reorder_frames is None and shown != sorted(shown):
        msg = "it reorders frames and does not state how many"
        raise ValueError(msg)
    first, latest = 0, None
    for start, end in zip(starts, [*starts[1:], len(times)], strict=True):
        mine = [time for time in times[start:end] if time is not None]
        if mine and latest is not None and min(mine) <= latest:
            msg = "frames of one group of pictures are shown among those of another"
            raise ValueError(msg)
        latest = max(mine, default=latest)
        yield Group(first, first + len(mine), end - start, tuple(_breaks(first, mine)))
        first += len(mine)


def _breaks(first: int, times: Sequence[int]) -> Iterator[int]:
    """Yield the frames at which packets in decoding order and frames in presentation order agree."""
    yield first
    for count, (latest, in_order) in enumerate(zip(accumulate(times, max), sorted(times), strict=True), start=1):
        if latest == in_order:
            yield first + count
