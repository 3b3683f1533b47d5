"""H.264 from the outside: NAL units, then parameter sets, read bit by bit.

ITU-T H.264: 7.3.1 and 7.4.1 (NAL units, emulation prevention), 9.1 (Exp-Golomb codes), Annex B
(start codes); ISO/IEC 14496-15, 5.3.3.1 (avcC).

ITU-T H.264: 7.3.2.1.1 (sequence parameter set), E.1.1 (VUI), E.1.2 (HRD); ISO/IEC 14496-15, 5.3.3.1 (avcC).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SLICE, IDR, SEI, SPS, PPS, DELIMITER, END_OF_SEQUENCE, END_OF_STREAM, FILLER = 1, 5, 6, 7, 8, 9, 10, 11, 12
_START_CODE = re.compile(rb"\x00\x00\x01")
_ESCAPE = re.compile(rb"\x00\x00\x03")


def unit_type(unit: bytes | memoryview) -> int:
    """Return the type of a NAL unit, 0 to 31."""
    return unit[0] & 0x1F


def units(packet: bytes | memoryview, length_bytes: int) -> Iterator[memoryview]:
    """Yield the NAL units of one packet, without start codes or lengths.

    Parameters
    ----------
    length_bytes
        Size of the length before each unit (1, 2 or 4, as avcC states it); 0: start codes (Annex B).

    Raises
    ------
    ValueError
        When a length does not fit into the packet, or a unit is empty.
    """
    data = memoryview(packet)
    yield from _by_start_code(data) if length_bytes == 0 else _by_length(data, length_bytes)


def _by_length(data: memoryview, length_bytes: int) -> Iterator[memoryview]:
    position, size = 0, len(data)
    while position < size:
        start = position + length_bytes
        position = start + int.from_bytes(data[position:start], "big")
        if position > size or position == start:
            raise ValueError(f"a NAL unit of {position - start} bytes does not fit into its packet of {size} bytes")
        yield data[start:position]


def _by_start_code(data: memoryview) -> Iterator[memoryview]:
    starts = [match.end() for match in _START_CODE.finditer(data)]
    if not starts:
        raise ValueError(f"a packet of {len(data)} bytes has no start code")
    for start, following in zip(starts, [*(start - 3 for start in starts[1:]), len(data)], strict=True):
        end = following
        # Zero bytes before the next start code belong to none.
        while end > start and data[end - 1] == 0:
            end -= 1
        if end > start:
            yield data[start:end]


class Bits:
    """The bits of a NAL unit behind its first byte, without emulation prevention bytes."""

    def __init__(self, unit: bytes | memoryview) -> None:
        payload = _ESCAPE.sub(b"\x00\x00", bytes(unit[1:]))
        self._value = int.from_bytes(payload, "big")
        self._left = 8 * len(payload)

    def u(self, count: int) -> int:
        """Read an unsigned number of so many bits.

        Raises
        ------
        ValueError
            Behind the end.
        """
        if count > self._left:
            raise ValueError("a parameter set ends too early")
        self._left -= count
        return (self._value >> self._left) & ((1 << count) - 1)

    def flag(self) -> bool:
        """Read one bit."""
        return self.u(1) == 1

    def ue(self) -> int:
        """Read an unsigned Exp-Golomb code (9.1)."""
        zeros = 0
        while not self.flag():
            zeros += 1
        return (1 << zeros) - 1 + self.u(zeros)

    def se(self) -> int:
        """Read a signed Exp-Golomb code (9.1.1)."""
        code = self.ue()
        return (code + 1) // 2 if code % 2 else -(code // 2)

    def more(self) -> bool:
        """Return whether anything but the stop bit and zeros is left (7.2, more_rbsp_data)."""
        rest = self._value & ((1 << self._left) - 1)
        return rest & (rest - 1) != 0

    def end(self) -> None:
        """Read the stop bit and zeros behind it.

        Raises
        ------
        ValueError
            When anything else is left.
        """
        if self.more() or not self.flag():
            raise ValueError(f"{self._left // 8} bytes behind a parameter set are none of its own")


def messages(bits: Bits) -> Iterator[tuple[int, int]]:
    """Yield type and size in bytes of every message of an SEI unit; the caller reads the message itself."""
    while True:
        try:
            yield _extended(bits), _extended(bits)
        except ValueError:
            return


def _extended(bits: Bits) -> int:
    """Read a number of which each byte of 255 says that it goes on (H.264, 7.3.2.3.1)."""
    value = 0
    while (byte := bits.u(8)) == 255:
        value += 255
    return value + byte


DISPLAY_ORIENTATION = 47


def turns(unit: bytes | memoryview) -> bool:
    """Whether an SEI unit says that players turn or mirror the picture (D.1.27)."""
    bits = Bits(unit)
    try:
        for kind, size in messages(bits):
            if kind != DISPLAY_ORIENTATION:
                bits.u(8 * size)
            else:
                return not bits.flag() and bits.u(18) != 0  # unless it ends an earlier one: both mirrors, and the angle
    except ValueError:
        pass  # what ends too early says nothing
    return False


# Profiles whose sequence parameter set states the chroma format (7.3.2.1.1).
CHROMA_PROFILES = frozenset([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135])
EXTENDED_SAR = 255
LENGTH_BYTES = 4
MOST_IDS = 32
MACROBLOCK_CHROMA = 8


@dataclass(frozen=True)
class Sequence264:
    """What matters here of a sequence parameter set.

    Parameters
    ----------
    cropped
        Whether a whole macroblock or more is cut from the picture by players: it may show something.
    reorder_frames
        How many frames may come before a frame in decoding order and after it in presentation
        order; None when it is not stated.
    separate_planes, frame_bits, order_type, order_bits
        How slices state the number and the order of their picture.
    """

    id: int
    profile: int
    compatibility: int
    level: int
    progressive: bool
    cropped: bool
    reorder_frames: int | None
    separate_planes: bool
    frame_bits: int
    order_type: int
    order_bits: int


@dataclass(frozen=True)
class Header:
    """The parameter sets in front of a stream, and how its packets are cut into NAL units."""

    length_bytes: int
    sequences: tuple[bytes, ...]
    pictures: tuple[bytes, ...]


def header(extradata: bytes) -> Header:
    """Return what stands in a stream's header: avcC, Annex B, or nothing.

    Raises
    ------
    ValueError
        When it is neither.
    """
    if not extradata:
        return Header(0, (), ())
    if extradata[0] != 1:
        listed = [bytes(unit) for unit in units(extradata, 0)]
        return Header(0, _distinct(listed, SPS), _distinct(listed, PPS))
    position = 5
    sets: list[list[bytes]] = []
    for mask in (0x1F, 0xFF):
        count, position = int.from_bytes(extradata[position : position + 1], "big") & mask, position + 1  # 0 behind the end
        sets.append([])
        for _ in range(count):
            size = int.from_bytes(extradata[position : position + 2], "big")
            sets[-1].append(extradata[position + 2 : position + 2 + size])
            position += 2 + size
    if position > len(extradata) or not all(unit for group in sets for unit in group):
        raise ValueError("its avcC header ends too early")
    return Header((extradata[4] & 3) + 1, _distinct(sets[0], SPS), _distinct(sets[1], PPS))


def avcc(sequences: Sequence[bytes], pictures: Sequence[bytes]) -> bytes:
    """Return a header with all these parameter sets, for NAL units with 4-byte lengths."""
    stated = [sequence(unit) for unit in sequences]
    compatibility = stated[0].compatibility
    for item in stated:
        compatibility &= item.compatibility
    head = bytes([1, max(item.profile for item in stated), compatibility, max(item.level for item in stated), 0xFC | LENGTH_BYTES - 1])
    body = b"".join(len(unit).to_bytes(2, "big") + unit for unit in sequences)
    more = b"".join(len(unit).to_bytes(2, "big") + unit for unit in pictures)
    # Profiles above Main repeat their chroma format: here always 4:2:0 in 8 bits, without extensions.
    tail = bytes([0xFC | 1, 0xF8, 0xF8, 0]) if head[1] in CHROMA_PROFILES else b""
    return head + bytes([0xE0 | len(sequences)]) + body + bytes([len(pictures)]) + more + tail


def free_id(sequences: Sequence[bytes], pictures: Sequence[bytes]) -> int:
    """Return an id that none of these parameter sets has.

    Raises
    ------
    ValueError
        When all are taken.
    """
    taken = {sequence(unit).id for unit in sequences} | {Bits(unit).ue() for unit in pictures}
    for number in range(1, MOST_IDS):
        if number not in taken:
            return number
    raise ValueError("all ids of parameter sets are taken")


def sequence(unit: bytes) -> Sequence264:
    """Read a sequence parameter set.

    Raises
    ------
    ValueError
        When it is damaged.
    """
    return _sequence(Bits(unit))[0]


SLICE_HEAD_BYTES = 64
"""Of a slice no more is looked at."""


def is_field(packet: bytes | memoryview, length_bytes: int, sequence: Sequence264) -> bool:
    """Return whether all that a packet holds of pictures is one field, half of a frame (7.3.3: slice header).

    Raises
    ------
    ValueError
        When a slice ends too early.
    """
    pictures, are_fields = 0, False
    for unit in units(packet, length_bytes):
        if unit_type(unit) in (SLICE, IDR):
            bits = Bits(unit[:SLICE_HEAD_BYTES])
            pictures += bits.ue() == 0
            bits.ue()
            bits.ue()
            bits.u(2 * sequence.separate_planes + sequence.frame_bits)
            are_fields = not sequence.progressive and bits.flag()
    return are_fields and pictures == 1


def refuse_foreign(sequences: Sequence[bytes], pictures: Sequence[bytes]) -> None:
    """Read parameter sets of 4:2:0 video to their last bit.

    Raises
    ------
    ValueError
        When one is damaged, goes on behind its end, or allows pictures that no player shows.
    """
    for unit in sequences:
        bits = Bits(unit)
        if _sequence(bits)[1]:
            bits.ue()  # max_dec_frame_buffering
        bits.end()
    for unit in pictures:
        _pass_picture(Bits(unit))


def is_arithmetic(picture: bytes) -> bool:
    """Return whether slices under a picture parameter set are coded arithmetically (CABAC), not by lengths (CAVLC)."""
    bits = Bits(picture)
    bits.ue()
    bits.ue()
    return bits.flag()


def _pass_picture(bits: Bits) -> None:
    bits.ue()
    bits.ue()
    bits.u(2)
    if bits.ue():
        raise ValueError("it has slice groups, which hardly any player shows right")
    bits.ue()
    bits.ue()
    bits.u(3)
    for _ in range(3):
        bits.se()
    bits.u(2)
    if bits.flag():
        raise ValueError("it allows redundant pictures, which no player shows")
    if bits.more():
        lists = 6 + 2 * bits.u(1)
        if bits.flag():
            _pass_scaling_lists(bits, lists)
        bits.se()
    bits.end()


def _sequence(bits: Bits) -> tuple[Sequence264, bool]:
    """Return what matters of a sequence parameter set, and whether it states how many frames are reordered: then one number is left."""
    profile, compatibility, level, number = bits.u(8), bits.u(8), bits.u(8), bits.ue()
    separate_planes = _pass_chroma(bits) if profile in CHROMA_PROFILES else False
    frame_bits = bits.ue() + 4
    order_type, order_bits = bits.ue(), 0
    if order_type == 0:
        order_bits = bits.ue() + 4
    elif order_type == 1:
        bits.flag()
        bits.se()
        bits.se()
        for _ in range(bits.ue()):
            bits.se()
    bits.ue()  # max_num_ref_frames
    bits.flag()
    bits.ue()  # width
    bits.ue()  # height
    progressive = bits.flag()
    if not progressive:
        bits.flag()
    bits.flag()
    # In chroma samples, two luma samples each in 4:2:0, the only format that is copied.
    cut = [bits.ue() for _ in range(4)] if bits.flag() else []
    stated = _reorder_frames(bits) if bits.flag() else None
    # Kind 2: frames come in their order of presentation (8.2.1.3).
    read = Sequence264(
        id=number,
        profile=profile,
        compatibility=compatibility,
        level=level,
        progressive=progressive,
        cropped=max(cut, default=0) >= MACROBLOCK_CHROMA,
        reorder_frames=0 if order_type == 2 else stated,
        separate_planes=separate_planes,
        frame_bits=frame_bits,
        order_type=order_type,
        order_bits=order_bits,
    )
    return read, stated is not None


def _pass_chroma(bits: Bits) -> bool:
    """Return whether colour planes are coded apart."""
    chroma = bits.ue()
    separate_planes = bits.flag() if chroma == 3 else False
    bits.ue()
    bits.ue()
    bits.flag()
    if bits.flag():
        _pass_scaling_lists(bits, 8 if chroma != 3 else 12)
    return separate_planes


def _pass_scaling_lists(bits: Bits, count: int) -> None:
    for index in range(count):
        if bits.flag():
            _pass_scaling_list(bits, 16 if index < 6 else 64)


def _pass_scaling_list(bits: Bits, size: int) -> None:
    last = following = 8
    for _ in range(size):
        if following:
            following = (last + bits.se()) % 256
        last = following or last


def _reorder_frames(bits: Bits) -> int | None:
    """Return max_num_reorder_frames of the VUI parameters (E.1.1)."""
    if bits.flag() and bits.u(8) == EXTENDED_SAR:
        bits.u(32)
    if bits.flag():
        bits.flag()
    if bits.flag():
        bits.u(4)
        if bits.flag():
            bits.u(24)
    if bits.flag():
        bits.ue()
        bits.ue()
    if bits.flag():
        bits.u(65)
    is_buffered = False
    for _ in range(2):
        if bits.flag():
            _pass_hrd(bits)
            is_buffered = True
    if is_buffered:
        bits.flag()
    bits.flag()
    if not bits.flag():
        return None
    bits.flag()
    for _ in range(4):
        bits.ue()
    return bits.ue()


def _pass_hrd(bits: Bits) -> None:
    count = bits.ue() + 1
    bits.u(8)
    for _ in range(count):
        bits.ue()
        bits.ue()
        bits.flag()
    bits.u(20)


def _distinct(listed: Sequence[bytes], wanted_type: int) -> tuple[bytes, ...]:
    return tuple(dict.fromkeys(unit for unit in listed if unit_type(unit) == wanted_type))
