"""Groups of pictures of an H.264 file: where it can be cut without decoding it.

A group runs from one IDR picture to the next: nothing in it refers to what is outside of it
(ITU-T H.264, 3.69). A key frame of an open group of pictures is none: frames behind it may refer to
frames before it, so it stays inside the group.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import av
from av.error import FFmpegError

from scrubin.base.machine import decoder_threads
from scrubin.media.colours import stated
from scrubin.media.containers import foreign_bytes, h264
from scrubin.media.damage import with_threads
from scrubin.media.opening import open_video, packets
from scrubin.media.probe import TIMED_CONTAINERS, picture_stream, unreadable

COPYABLE_FORMATS = ("yuv420p", "yuvj420p")
KNOWN_UNITS = frozenset(
    [h264.SLICE, h264.IDR, h264.SEI, h264.SPS, h264.PPS, h264.DELIMITER, h264.END_OF_SEQUENCE, h264.END_OF_STREAM, h264.FILLER]
)

SLICE_START_BYTES = 16
OVERLONG = "its pictures are damaged, or bytes stand behind them"
TWO_PICTURES = "its packets hold more than one picture each"


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
    unsure
        Why it may not be copied, "" when it may.
    """

    first: int
    end: int
    packets: int
    breaks: tuple[int, ...]
    unsure: str = ""

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
    """Read every packet of a file and return its groups of pictures.

    Only a stream without an arithmetic coder is decoded: then its decoder says whether a slice ends where its picture does.

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
                _refuse_unknown_colours(path, stream.codec_context.pix_fmt or "", name)
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


def _refuse_unknown_colours(path: Path, pixel_format: str, name: str) -> None:
    container, shown = stated(path, name)
    if shown.is_left_to(container, pixel_format):
        raise ValueError("its pictures say that their colours are not known, its container states them")


def _of_packets(container: av.container.InputContainer, stream: av.VideoStream, name: str) -> Structure:
    stated = h264.header(bytes(stream.codec_context.extradata or b""))
    reorder_frames = _reorder_frames(stated)
    starts: list[int] = []  # packets at which a group starts
    times: list[int | None] = []  # of every packet; None: no player shows it
    unsure: dict[int, str] = {}  # packets that may not be copied
    with _Lengths.of(stream, stated) as lengths:
        for packet in packets(container, stream, name):
            lengths.decode(packet)
            types, why = _looked_at(packet, stated)
            if why:
                unsure[len(times)] = why
            if h264.IDR in types:
                starts.append(len(times))
            if packet.pts is None and not packet.is_discard:
                raise ValueError("its packets state no presentation times")
            times.append(None if packet.is_discard else packet.pts)
        lengths.decode(None)
    unsure |= {index: OVERLONG for index, time in enumerate(times) if time in lengths.overlong}
    digest = hashlib.sha256(b"".join(len(one).to_bytes(4, "big") + one for one in (*stated.sequences, *stated.pictures))).hexdigest()
    groups = tuple(_groups(starts, times, reorder_frames, unsure))
    if all(group.unsure for group in groups):
        raise ValueError(groups[0].unsure)
    return Structure(groups, "", digest)


@dataclass
class _Lengths:
    """Decodes slices coded by lengths (CAVLC): their decoder knows when something stands behind a picture. Others are left alone.

    Parameters
    ----------
    overlong
        Presentation times of pictures behind which something stands.
    """

    decoder: av.VideoCodecContext | None
    overlong: set[int | None] = field(default_factory=set)

    @classmethod
    @contextmanager
    def of(cls, stream: av.VideoStream, stated: h264.Header) -> Iterator[_Lengths]:
        """Watch a stream that is open and of which nothing was decoded."""
        if all(map(h264.is_arithmetic, stated.pictures)):
            yield cls(None)
            return
        stream.codec_context.options = {"err_detect": "aggressive"}
        with with_threads(stream, decoder_threads()):
            yield cls(stream.codec_context)

    def decode(self, packet: av.Packet[Any] | None) -> None:
        """Take the next packet; None: what is still held back."""
        if self.decoder is None:
            return
        try:
            self.overlong |= {frame.pts for frame in self.decoder.decode(packet) if frame.is_corrupt}
        except FFmpegError:
            # A packet that cannot be decoded at all.
            self.overlong.add(None if packet is None else packet.pts)


def _looked_at(packet: av.Packet[Any], stated: h264.Header) -> tuple[set[int], str]:
    """Return which types of units a packet holds, and why it may not be copied, "" when it may."""
    types, firsts, why = set(), [], ""
    for unit in map(bytes, h264.units(memoryview(packet), stated.length_bytes)):
        unit_type = h264.unit_type(unit)
        types.add(unit_type)
        if unit_type in (h264.SPS, h264.PPS) and unit not in (*stated.sequences, *stated.pictures):
            raise ValueError("its parameter sets change on the way")
        if unit_type == h264.SEI and h264.turns(unit):
            raise ValueError("its pictures say that players turn them")
        if unit_type in (h264.SLICE, h264.IDR):
            firsts.append(h264.Bits(unit[:SLICE_START_BYTES]).ue())
            why = why or foreign_bytes.foreign(unit)
    _refuse_units(types)
    # Slices of one picture go down in it; what begins at its top again is another one.
    if firsts[0] != 0 or any(after <= before for before, after in pairwise(firsts)):
        why = why or TWO_PICTURES
    return types, why


def _refuse_units(types: set[int]) -> None:
    if types - KNOWN_UNITS:
        raise ValueError(f"it holds NAL units of type {min(types - KNOWN_UNITS)}")
    if not types & {h264.SLICE, h264.IDR}:
        raise ValueError("a packet holds no picture")


def _reorder_frames(stated: h264.Header) -> int | None:
    if len(stated.sequences) != 1 or not stated.pictures:
        raise ValueError(f"its header holds {len(stated.sequences)} sequence and {len(stated.pictures)} picture parameter sets")
    sequence = h264.sequence(stated.sequences[0])
    if not sequence.progressive:
        raise ValueError("it is, or may be, interlaced")
    if sequence.cropped:
        raise ValueError("players crop its picture, and what they cut off stays in a copy")
    h264.refuse_foreign(stated.sequences, stated.pictures)
    return sequence.reorder_frames


def _groups(starts: Sequence[int], times: Sequence[int | None], reorder_frames: int | None, unsure: Mapping[int, str]) -> Iterator[Group]:
    if not starts or starts[0] != 0:
        raise ValueError("it does not start with an IDR picture")
    shown = [time for time in times if time is not None]
    if reorder_frames is None and shown != sorted(shown):
        raise ValueError("it reorders frames and does not state how many")
    first, latest = 0, None
    for start, end in zip(starts, [*starts[1:], len(times)], strict=True):
        mine = [time for time in times[start:end] if time is not None]
        if mine and latest is not None and min(mine) <= latest:
            raise ValueError("frames of one group of pictures are shown among those of another")
        latest = max(mine, default=latest)
        why = next((unsure[index] for index in range(start, end) if index in unsure), "")
        yield Group(first, first + len(mine), end - start, tuple(_breaks(first, mine)), why)
        first += len(mine)


def _breaks(first: int, times: Sequence[int]) -> Iterator[int]:
    """Yield the frames at which packets in decoding order and frames in presentation order agree."""
    yield first
    for count, (latest, in_order) in enumerate(zip(accumulate(times, max), sorted(times), strict=True), start=1):
        if latest == in_order:
            yield first + count
