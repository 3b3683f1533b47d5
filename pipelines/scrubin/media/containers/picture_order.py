"""In which order the pictures of a raw stream are shown, read from their headers; nothing is decoded.

ITU-T H.264: 7.3.3 (slice header), 8.2.1 (picture order count); ITU-T H.265: 7.3.1.2, 7.3.2.2, 7.3.2.3, 7.3.6.1, 8.3.1.
"""

from __future__ import annotations

from typing import Any, Protocol

import av

from scrubin.media.containers import h264
from scrubin.media.containers.h264 import SLICE_HEAD_BYTES, Bits

HEVC_VPS, HEVC_SPS, HEVC_PPS, HEVC_END = 32, 33, 34, 36
HEVC_BLA, HEVC_IDR, HEVC_CRA, HEVC_IRAP = range(16, 19), range(19, 21), 21, range(16, 24)
HEVC_LEADING, HEVC_REFERENCES = range(6, 10), range(16)
Place = tuple[int, int]
"""The sequence that a picture belongs to, and its order there."""


def is_padding(packet: av.Packet[Any], codec: str) -> bool:
    """Return whether a packet is no picture but zeros, which FFmpeg gives apart behind the end of a sequence (ITU-T H.262, 6.2.2)."""
    return codec in ("mpeg1video", "mpeg2video") and not any(memoryview(packet))


class PictureOrder(Protocol):
    """Tells for the packets of a stream, one after the other, when their pictures are shown."""

    def of(self, packet: av.Packet[Any]) -> Place:
        """Return the place of a packet's picture among all; `ValueError` when that cannot be said."""


class _Counter:
    """A count of which pictures state only the last bits."""

    def __init__(self) -> None:
        self._base = self._latest = 0

    def restart(self, stated: int = 0) -> None:
        self._base, self._latest = 0, stated

    def full(self, stated: int, bits: int, *, is_reference: bool) -> int:
        modulus = 1 << bits
        base = self._base
        if stated < self._latest and self._latest - stated >= modulus // 2:
            base += modulus
        elif stated > self._latest and stated - self._latest > modulus // 2:
            base -= modulus
        if is_reference:
            self._base, self._latest = base, stated
        return base + stated


class Order264:
    """The order of H.264 pictures of frames; fields in packets of their own have none here."""

    def __init__(self) -> None:
        self._sequences: dict[int, h264.Sequence264] = {}
        self._pictures: dict[int, tuple[int, bool]] = {}
        self._counter = _Counter()
        self._sequence, self._decoded = 0, 0

    def of(self, packet: av.Packet[Any]) -> Place:
        """Return the place of a packet's picture among all; `ValueError` when that cannot be said."""
        for unit in h264.units(memoryview(packet), 0):
            kind = h264.unit_type(unit)
            if kind == h264.SPS:
                stated = h264.sequence(bytes(unit))
                self._sequences[stated.id] = stated
            elif kind == h264.PPS:
                bits = Bits(unit)
                number, sequence = bits.ue(), bits.ue()
                bits.flag()
                self._pictures[number] = sequence, bits.flag()
            elif kind in (h264.SLICE, h264.IDR):
                return self._of_slice(unit)
        raise ValueError("a packet holds no picture")

    def _of_slice(self, unit: memoryview) -> Place:
        is_idr, is_reference = h264.unit_type(unit) == h264.IDR, bool(unit[0] >> 5 & 3)
        bits = Bits(unit[:SLICE_HEAD_BYTES])
        bits.ue()
        bits.ue()
        number = bits.ue()
        if number not in self._pictures or self._pictures[number][0] not in self._sequences:
            raise ValueError("a picture comes before its parameter sets")
        stated, has_bottom = self._sequences[self._pictures[number][0]], self._pictures[number][1]
        if stated.separate_planes:
            bits.u(2)
        bits.u(stated.frame_bits)
        if not stated.progressive and bits.flag():
            raise ValueError("fields are stored one by one")
        if is_idr:
            bits.ue()
            self._sequence, self._decoded = self._sequence + 1, 0
            self._counter.restart()
        self._decoded += 1
        if stated.order_type == 2:
            return self._sequence, self._decoded
        if stated.order_type == 1:
            raise ValueError("its pictures are counted by a rule that is not read (type 1)")
        top = self._counter.full(bits.u(stated.order_bits), stated.order_bits, is_reference=is_reference)
        return self._sequence, top + (min(0, bits.se()) if has_bottom else 0)


class Order265:
    """The order of HEVC pictures."""

    def __init__(self) -> None:
        self._sequences: dict[int, tuple[int, bool]] = {}  # bits of the count, colour planes apart
        self._pictures: dict[int, tuple[int, bool, int]] = {}  # sequence, output flag, further bits
        self._counter = _Counter()
        self._sequence, self._starts_anew = 0, True

    def of(self, packet: av.Packet[Any]) -> Place:
        """Return the place of a packet's picture among all; `ValueError` when that cannot be said."""
        place: Place | None = None
        for unit in h264.units(memoryview(packet), 0):
            kind = unit[0] >> 1 & 0x3F
            if kind == HEVC_SPS:
                self._note_sequence(Bits(unit[1:]))
            elif kind == HEVC_PPS:
                bits = Bits(unit[1:])
                number, sequence = bits.ue(), bits.ue()
                bits.flag()
                self._pictures[number] = sequence, bits.flag(), bits.u(3)
            elif kind == HEVC_END:
                self._starts_anew = True
            elif kind < HEVC_VPS and place is None:
                place = self._of_slice(unit, kind)
        if place is None:
            raise ValueError("a packet holds no picture")
        return place

    def _note_sequence(self, bits: Bits) -> None:
        bits.u(4)
        layers = bits.u(3)
        bits.u(1 + 96)
        present = [(bits.flag(), bits.flag()) for _ in range(layers)]
        bits.u(2 * (8 - layers) if layers else 0)
        for has_profile, has_level in present:
            bits.u(88 * has_profile + 8 * has_level)
        number = bits.ue()
        planes = bits.flag() if bits.ue() == 3 else False
        bits.ue()
        bits.ue()
        for _ in range(4 if bits.flag() else 0):
            bits.ue()
        bits.ue()
        bits.ue()
        self._sequences[number] = bits.ue() + 4, planes

    def _of_slice(self, unit: memoryview, kind: int) -> Place:
        bits = Bits(unit[1:SLICE_HEAD_BYTES])
        bits.flag()
        if kind in HEVC_IRAP:
            bits.flag()
        number = bits.ue()
        if number not in self._pictures or self._pictures[number][0] not in self._sequences:
            raise ValueError("a picture comes before its parameter sets")
        sequence, has_output, further = self._pictures[number]
        count_bits, planes = self._sequences[sequence]
        bits.u(further)
        bits.ue()
        bits.u(has_output + 2 * planes)
        restarts = kind in HEVC_IDR or kind in HEVC_BLA or (kind == HEVC_CRA and self._starts_anew)
        self._starts_anew = False
        stated = 0 if kind in HEVC_IDR else bits.u(count_bits)
        if restarts:
            self._sequence += 1
            self._counter.restart(stated)
            return self._sequence, stated
        is_lowest = unit[1] & 7 == 1
        is_reference = is_lowest and kind not in HEVC_LEADING and not (kind in HEVC_REFERENCES and kind % 2 == 0)
        return self._sequence, self._counter.full(stated, count_bits, is_reference=is_reference)
