"""NAL units of H.264 and HEVC: only pictures and parameter sets may be in a stream.

Sources: ITU-T H.264 table 7-1, 7.3.1, 7.3.2.4 and annex B; ITU-T H.265 table 7-1, 7.3.1.2 and
7.3.2.5; ISO/IEC 14496-15 (avcC, hvcC).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

H264_ALLOWED = frozenset({1, 2, 3, 4, 5, 7, 8, 9, 10, 11})
H264_SEI = frozenset({6})
HEVC_ALLOWED = frozenset({*range(10), *range(16, 22), 32, 33, 34, 35, 36, 37})
HEVC_SEI = frozenset({39, 40})
HEVC_SETS, HEVC_SET_BYTES = frozenset({32, 33, 34}), 512  # ours is H.264: these are not read bit by bit
HEVC_PICTURES = range(22)
# Delimiters say in three bits which kinds of slices follow; ends of sequence and stream say nothing.
DELIMITER = {"h264": 9, "hevc": 35}
ENDS = {"h264": (10, 11), "hevc": (36, 37)}
HEAD_BYTES = {"h264": 1, "hevc": 2}
_START_CODE = re.compile(rb"\x00\x00\x01")


@dataclass(frozen=True)
class Units:
    """How a stream cuts its bytes into NAL units, and the units of its header.

    Parameters
    ----------
    codec
        ``h264`` or ``hevc``.
    length_bytes
        Size of the length before each unit; 0 for start codes.
    header
        Parameter sets outside the packets.
    """

    codec: str
    length_bytes: int
    header: tuple[bytes, ...]


def units_of(codec: str, extradata: bytes) -> Units:
    """Return how to read the packets of a stream.

    Raises
    ------
    ValueError
        When the header is cut short, or the codec is neither H.264 nor HEVC.
    """
    if codec not in ("h264", "hevc"):
        msg = f"the codec {codec} cannot be proven clean; release H.264 or HEVC"
        raise ValueError(msg)
    if not extradata or extradata[0] != 1:
        return Units(codec, 0, tuple(split(extradata, 0)))
    if codec == "h264":
        return Units(codec, (extradata[4] & 3) + 1, tuple(_avcc(extradata)))
    return Units(codec, (extradata[21] & 3) + 1, tuple(_hvcc(extradata)))


def split(data: bytes, length_bytes: int) -> Iterator[bytes]:
    """Yield the NAL units of a packet.

    Raises
    ------
    ValueError
        When bytes are left over that belong to no unit.
    """
    if length_bytes == 0:
        starts = [match.end() for match in _START_CODE.finditer(data)]
        ends = [start - 3 for start in starts[1:]] + [len(data)]
        if data[: starts[0] - 3 if starts else len(data)].strip(b"\0"):
            msg = "bytes before the first unit"
            raise ValueError(msg)
        for start, end in zip(starts, ends, strict=True):
            yield data[start:end].rstrip(b"\0")
        return
    position = 0
    while position < len(data):
        size = int.from_bytes(data[position : position + length_bytes], "big")
        position += length_bytes
        if size == 0 or position + size > len(data):
            msg = f"{len(data) - position} bytes that belong to no unit"
            raise ValueError(msg)
        yield data[position : position + size]
        position += size


def fault(codec: str, unit: bytes) -> str:
    """Return the rule that a unit breaks, ``sei`` or ``nal``, or "" for a picture or a parameter set."""
    type_ = unit_type(codec, unit)
    allowed, sei = (H264_ALLOWED, H264_SEI) if codec == "h264" else (HEVC_ALLOWED, HEVC_SEI)
    if type_ in sei:
        return "sei"
    return "" if type_ in allowed and not _padded(codec, type_, unit) and not _unseen(codec, type_, unit) else "nal"


def _padded(codec: str, type_: int, unit: bytes) -> bool:
    """Whether a unit of fixed size holds more than that, or a forbidden bit is set, so that decoders skip it."""
    rest = unit[HEAD_BYTES[codec] :]
    if unit[0] & 0x80:
        return True
    if type_ == DELIMITER[codec]:
        return len(rest) != 1 or rest[0] & 0x1F != 0x10
    return type_ in ENDS[codec] and bool(rest)


def _unseen(codec: str, type_: int, unit: bytes) -> bool:
    """Whether an HEVC unit belongs to a layer that players do not show, or is a set too long to be one."""
    if codec == "h264":
        return False
    layer = (unit[0] & 1) << 5 | unit[1] >> 3 if len(unit) > 1 else -1
    return layer != 0 or (type_ in HEVC_SETS and len(unit) > HEVC_SET_BYTES)


def hevc_pictures(units: list[bytes]) -> int:
    """Return how many pictures begin in an HEVC packet (7.3.6.1, first_slice_segment_in_pic_flag)."""
    return sum(unit_type("hevc", unit) in HEVC_PICTURES and len(unit) > 2 and unit[2] >> 7 for unit in units)


def unit_type(codec: str, unit: bytes) -> int:
    """Return the type of a unit, -1 for an empty one."""
    if not unit:
        return -1
    return unit[0] & 0x1F if codec == "h264" else unit[0] >> 1 & 0x3F


def _avcc(data: bytes) -> Iterator[bytes]:
    position = 5
    for mask in (0x1F, 0xFF):
        count = data[position] & mask
        position += 1
        for _ in range(count):
            unit, position = _sized(data, position)
            yield unit
    # High profiles append chroma format and bit depths (4 bytes) and extensions of the parameter sets.
    if position < len(data):
        count = data[position + 3]
        position += 4
        for _ in range(count):
            unit, position = _sized(data, position)
            yield unit
    _refuse_rest(data, position)


def _hvcc(data: bytes) -> Iterator[bytes]:
    position = 23
    for _ in range(data[22]):
        count = int.from_bytes(data[position + 1 : position + 3], "big")
        position += 3
        for _ in range(count):
            unit, position = _sized(data, position)
            yield unit
    _refuse_rest(data, position)


def _sized(data: bytes, position: int) -> tuple[bytes, int]:
    end = position + 2 + int.from_bytes(data[position : position + 2], "big")
    if end > len(data):
        msg = "the header of the stream is cut short"
        raise ValueError(msg)
    return data[position + 2 : end], end


def _refuse_rest(data: bytes, position: int) -> None:
    if position != len(data):
        msg = f"{len(data) - position} bytes after the header of the stream"
        raise ValueError(msg)
