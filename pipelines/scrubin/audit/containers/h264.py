"""Streams of H.264 or HEVC from the inside: only pictures, only parameter sets.

Sources: ITU-T H.264 table 7-1, 7.3.1, 7.3.2.4 and annex B; ITU-T H.265 table 7-1, 7.3.1.2 and
7.3.2.5; ISO/IEC 14496-15 (avcC, hvcC).

What a decoder skips can hide something: bytes behind the end of a parameter set, a second or a
redundant picture in a packet, rows that are cropped away. None of it may be in a release.
Several parameter sets with ids of their own are fine: a video that was only re-encoded where it
had to be has those of its source and those of our encoder.

Source: ITU-T H.264, sections 7.3.2.1.1 (sequence), 7.3.2.2 (picture), 7.3.3 (slice header),
7.4.1.2.4 (first slice of a picture), E.1.1 and E.1.2 (VUI, HRD).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

H264_ALLOWED = frozenset({1, 2, 3, 4, 5, 7, 8, 9, 10, 11})
H264_SEI = frozenset({6})
HEVC_ALLOWED = frozenset({*range(10), *range(16, 22), 32, 33, 34, 35, 36, 37})
HEVC_SEI = frozenset({39, 40})
HEVC_SETS, HEVC_SET_BYTES = frozenset({32, 33, 34}), 512  # ours is H.264: these are not read bit by bit
H264_PICTURES, HEVC_PICTURES = range(1, 6), range(22)
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
        raise ValueError(f"the codec {codec} cannot be proven clean; release H.264 or HEVC")
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
            raise ValueError("bytes before the first unit")
        for start, end in zip(starts, ends, strict=True):
            yield data[start:end].rstrip(b"\0")
        return
    position = 0
    while position < len(data):
        size = int.from_bytes(data[position : position + length_bytes], "big")
        position += length_bytes
        if size == 0 or position + size > len(data):
            raise ValueError(f"{len(data) - position} bytes that belong to no unit")
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


def is_picture(codec: str, unit: bytes) -> bool:
    """Whether a unit holds coded pictures, or a part of one."""
    return unit_type(codec, unit) in (H264_PICTURES if codec == "h264" else HEVC_PICTURES)


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
        raise ValueError("the header of the stream is cut short")
    return data[position + 2 : end], end


def _refuse_rest(data: bytes, position: int) -> None:
    if position != len(data):
        raise ValueError(f"{len(data) - position} bytes after the header of the stream")


SLICES, SEQUENCE, PICTURE = (1, 2, 5), 7, 8
# Profiles whose sequence parameter set states the chroma format.
CHROMA_PROFILES = frozenset((44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244))
EXTENDED_RATIO = 255
MACROBLOCK_PX = 16
_ESCAPE = re.compile(rb"\x00\x00\x03")


class Bits:
    """The bits of a unit behind its first byte, without emulation prevention."""

    def __init__(self, unit: bytes) -> None:
        data = _ESCAPE.sub(b"\x00\x00", unit[1:])
        self._value, self._left = int.from_bytes(data, "big"), 8 * len(data)

    def read(self, count: int = 1) -> int:
        """Read an unsigned number.

        Raises
        ------
        ValueError
            Behind the end.
        """
        if count > self._left:
            raise ValueError("it ends too early")
        self._left -= count
        return (self._value >> self._left) & ((1 << count) - 1)

    def code(self) -> int:
        """Read an unsigned Exp-Golomb code (section 9.1)."""
        zeros = 0
        while not self.read():
            zeros += 1
        return (1 << zeros) - 1 + self.read(zeros)

    def codes(self, count: int) -> None:
        """Pass over so many codes; signed ones are as long as unsigned ones."""
        for _ in range(count):
            self.code()

    def signed(self) -> int:
        """Read a signed Exp-Golomb code (section 9.1.1)."""
        code = self.code()
        return (code + 1) // 2 if code % 2 else -(code // 2)

    def more(self) -> bool:
        """Whether anything but the stop bit and zeros is left (7.2, more_rbsp_data)."""
        rest = self._value & ((1 << self._left) - 1)
        return bool(rest & (rest - 1))

    def end(self) -> None:
        """Refuse anything but the stop bit and zeros.

        Raises
        ------
        ValueError
            When bits are left over.
        """
        if not self.read() or self._value & ((1 << self._left) - 1):
            raise ValueError(f"{self._left // 8} bytes behind its end are none of its own")


@dataclass(frozen=True)
class Sequence:
    """What matters of a sequence parameter set; ``fields``: two packets' worth of slices can share one."""

    id: int
    chroma: int
    fields: bool


@dataclass
class Stream:
    """The parameter sets seen so far in one stream."""

    sequences: dict[int, Sequence] = field(default_factory=dict)
    fields: bool = False

    def faults(self, units: list[bytes]) -> Iterator[str]:
        """Yield what is wrong inside the units of one packet, or of the header."""
        starts: list[int] = []
        for unit in units:
            unit_type = unit[0] & 0x1F if unit else -1
            try:
                if unit_type == SEQUENCE:
                    stated = _sequence(unit)
                    self.sequences[stated.id] = stated
                    self.fields |= stated.fields
                elif unit_type == PICTURE:
                    _picture(unit, self.sequences)
                elif unit_type in SLICES:
                    starts.append(Bits(unit[:16]).code())
            except ValueError as error:
                yield f"NAL type {unit_type}: {error}"
        if starts and not self._one_picture(starts):
            yield f"{len(starts)} slices that start at macroblocks {starts[:4]}: more than one picture, of which only one is shown"

    def _one_picture(self, starts: list[int]) -> bool:
        """Whether slices follow each other down one picture, or down its two fields."""
        falls = sum(b <= a for a, b in pairwise(starts))
        return starts[0] == 0 and falls <= (1 if self.fields and starts.count(0) == 2 else 0)


def _sequence(unit: bytes) -> Sequence:
    """Read a sequence parameter set to its end.

    Raises
    ------
    ValueError
        When it is damaged, goes on behind its end or crops more than the rest of a macroblock.
    """
    bits = Bits(unit)
    profile, _, number, chroma = bits.read(8), bits.read(16), bits.code(), 1
    if profile in CHROMA_PROFILES:
        chroma = bits.code()
        if chroma == 3:
            bits.read()
        bits.codes(2)
        bits.read()
        if bits.read():
            _pass_scaling(bits, 12 if chroma == 3 else 8)
    bits.code()
    order = bits.code()
    if order == 0:
        bits.code()
    elif order == 1:
        bits.read()
        bits.codes(2)
        bits.codes(bits.code())
    bits.code()
    bits.read()
    bits.codes(2)
    fields = not bits.read()
    if fields:
        bits.read()
    bits.read()
    if bits.read():
        across, down = (2 if chroma in (1, 2) else 1), (2 if chroma == 1 else 1) * (2 if fields else 1)
        edges = [bits.code() * unit_px for unit_px in (across, across, down, down)]
        if max(edges) >= MACROBLOCK_PX * (2 if fields else 1):
            raise ValueError(f"it crops {edges} px from the picture, which stay in the file; render it again")
    if bits.read():
        _pass_vui(bits)
    bits.end()
    return Sequence(number, chroma, fields)


def _picture(unit: bytes, sequences: dict[int, Sequence]) -> None:
    """Read a picture parameter set to its end.

    Raises
    ------
    ValueError
        When it is damaged, goes on behind its end, or allows pictures that no player shows.
    """
    bits = Bits(unit)
    _, of = bits.code(), bits.code()
    bits.read(2)
    if bits.code():
        raise ValueError("it has slice groups, which hardly any player shows right; render it again")
    bits.codes(2)
    bits.read(3)
    bits.codes(3)
    bits.read(2)
    if bits.read():
        raise ValueError("it allows redundant pictures, which no player shows; render it again")
    if bits.more():
        large = bits.read()
        if bits.read():
            chroma = sequences[of].chroma if of in sequences else 1
            _pass_scaling(bits, 6 + (6 if chroma == 3 else 2) * large)
        bits.code()
    bits.end()


def _pass_scaling(bits: Bits, lists: int) -> None:
    for index in range(lists):
        if not bits.read():
            continue
        last = following = 8
        for _ in range(16 if index < 6 else 64):
            if following:
                following = (last + bits.signed()) % 256
            last = following or last


def _pass_vui(bits: Bits) -> None:
    if bits.read() and bits.read(8) == EXTENDED_RATIO:
        bits.read(32)
    if bits.read():
        bits.read()
    if bits.read():
        bits.read(4)
        if bits.read():
            bits.read(24)
    if bits.read():
        bits.codes(2)
    if bits.read():
        bits.read(65)
    buffered = [_passed_hrd(bits) for _ in range(2)]
    if any(buffered):
        bits.read()
    bits.read()
    if bits.read():
        bits.read()
        bits.codes(6)


def _passed_hrd(bits: Bits) -> bool:
    if not bits.read():
        return False
    count = bits.code() + 1
    bits.read(8)
    for _ in range(count):
        bits.codes(2)
        bits.read()
    bits.read(20)
    return True
