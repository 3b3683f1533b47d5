"""H.264 from the inside: parameter sets read to their last bit, and one picture per packet.

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
            msg = "it ends too early"
            raise ValueError(msg)
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
            msg = f"{self._left // 8} bytes behind its end are none of its own"
            raise ValueError(msg)


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
            msg = f"it crops {edges} px from the picture, which stay in the file; render it again"
            raise ValueError(msg)
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
        msg = "it has slice groups, which hardly any player shows right; render it again"
        raise ValueError(msg)
    bits.codes(2)
    bits.read(3)
    bits.codes(3)
    bits.read(2)
    if bits.read():
        msg = "it allows redundant pictures, which no player shows; render it again"
        raise ValueError(msg)
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
