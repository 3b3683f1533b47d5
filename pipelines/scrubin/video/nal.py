"""NAL units of H.264: split from packets, named by kind, read bit by bit.

ITU-T H.264: 7.3.1 and 7.4.1 (NAL units, emulation prevention), 9.1 (Exp-Golomb codes), Annex B
(start codes); ISO/IEC 14496-15, 5.3.3.1 (avcC).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
            msg = f"a NAL unit of {position - start} bytes does not fit into its packet of {size} bytes"
            raise ValueError(msg)
        yield data[start:position]


def _by_start_code(data: memoryview) -> Iterator[memoryview]:
    starts = [match.end() for match in _START_CODE.finditer(data)]
    if not starts:
        msg = f"a packet of {len(data)} bytes has no start code"
        raise ValueError(msg)
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
            msg = "a parameter set ends too early"
            raise ValueError(msg)
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
