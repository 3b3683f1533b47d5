"""Where decoding can start in the middle of a stream and still give the frames that decoding from its first packet gives.

ITU-T H.264: 7.4.1.2.4 (IDR), D.2.8 (recovery point); ITU-T H.265: 7.4.2.2 (IRAP and leading pictures);
ITU-T H.262: 6.2.2 and 6.2.3 (sequence and picture header); ISO/IEC 14496-2: 6.2.5 (VOP).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import av

from scrubin.video import nal

# A key frame of these resets the decoder by itself.
SELF_CONTAINED = frozenset(["av1", "libdav1d", "libvpx", "libvpx-vp9", "mpeg4", "vp8", "vp9"])
MPEG_VIDEO = frozenset(["mpeg1video", "mpeg2video"])
RECOVERY_POINT = 6
HEVC_IRAP, HEVC_LEADING = range(16, 22), range(6, 10)
HEVC_SPS, HEVC_PPS, HEVC_PICTURES = 33, 34, range(32)
B_PICTURE_262, B_VOP = 3, 2
_SEQUENCE_262 = b"\x00\x00\x01\xb3"
_PICTURE_262 = re.compile(rb"\x00\x00\x01\x00.(.)", re.DOTALL)
_VOP = re.compile(rb"\x00\x00\x01\xb6(.)", re.DOTALL)


@dataclass(frozen=True)
class Access:
    """What a packet is to a decoder that may start at it.

    Parameters
    ----------
    exact
        Decoding may start here: every frame shown from this one on comes out as it does from the start of the file.
    countable
        Also every packet behind it that is shown before it says so by being ``leading``.
    leading
        It is shown before the key frame in front of it.
    """

    exact: bool = False
    countable: bool = False
    leading: bool = False


class RandomAccess:
    """Tells for the packets of one stream whether decoding can start at them.

    Parameters
    ----------
    codec
        The stream's decoder; of one that is not known here no packet counts but the first of the file.
    """

    def __init__(self, codec: av.VideoCodecContext) -> None:
        self._name = codec.name
        self._intra_only = bool(codec.codec.intra_only)
        extradata = bytes(codec.extradata or b"")
        # avcC and hvcC state the size of the length in front of each NAL unit; start codes otherwise.
        self._length_bytes = 0
        if codec.name == "h264" and extradata[:1] == b"\1":
            self._length_bytes = (extradata[4] & 3) + 1
        elif codec.name == "hevc" and len(extradata) > 22 and extradata[:3] not in (b"\0\0\0", b"\0\0\1"):
            self._length_bytes = (extradata[21] & 3) + 1

    def of(self, packet: av.Packet[Any]) -> Access | None:
        """Return what a packet is; None when it holds more or less than one picture, so that counting packets counts no frames."""
        data = memoryview(packet)
        try:
            if self._name == "h264":
                return self._of_264(data, packet.is_keyframe)
            if self._name == "hevc":
                return self._of_265(data, packet.is_keyframe)
        except (ValueError, IndexError):
            return None
        if self._name in MPEG_VIDEO:
            types = [match[1][0] >> 3 & 7 for match in _PICTURE_262.finditer(data)]
            start = packet.is_keyframe and bytes(data).startswith(_SEQUENCE_262)
            # Two fields of one frame are two pictures of one packet.
            return Access(exact=start, countable=start, leading=B_PICTURE_262 in types) if types else None
        if self._name == "mpeg4":
            types = [match[1][0] >> 6 for match in _VOP.finditer(data)]
            if len(types) != 1:
                return None
            return Access(exact=packet.is_keyframe, countable=packet.is_keyframe, leading=types[0] == B_VOP)
        start = packet.is_keyframe and (self._intra_only or self._name in SELF_CONTAINED)
        return Access(exact=start, countable=start and self._intra_only)

    def _of_264(self, data: memoryview, key: bool) -> Access:
        if not key:
            return Access()
        units = list(nal.units(data, self._length_bytes))
        types = {nal.unit_type(unit) for unit in units}
        if self._length_bytes == 0 and not {nal.SPS, nal.PPS} <= types:
            return Access()  # those that hold here may stand in a packet that is left out
        idr = nal.IDR in types
        return Access(exact=idr or any(_recovers_here(unit) for unit in units), countable=idr)

    def _of_265(self, data: memoryview, key: bool) -> Access:
        types = {unit[0] >> 1 & 0x3F for unit in nal.units(data, self._length_bytes)}
        pictures = types & set(HEVC_PICTURES)
        leading = bool(pictures & set(HEVC_LEADING))
        if not key or (self._length_bytes == 0 and not {HEVC_SPS, HEVC_PPS} <= types):
            return Access(leading=leading)
        start = bool(pictures) and pictures <= set(HEVC_IRAP)
        return Access(exact=start, countable=start)


def _recovers_here(unit: memoryview) -> bool:
    """Whether a NAL unit says that from its very frame on all frames come out exactly as they were encoded."""
    if nal.unit_type(unit) != nal.SEI:
        return False
    bits = nal.Bits(unit)
    for kind, size in _messages(bits):
        if kind == RECOVERY_POINT:
            return bits.ue() == 0 and bits.flag()
        bits.u(8 * size)
    return False


def _messages(bits: nal.Bits) -> Iterator[tuple[int, int]]:
    """Yield type and size in bytes of every message of an SEI unit; the caller reads the message itself."""
    while True:
        try:
            yield _extended(bits), _extended(bits)
        except ValueError:
            return


def _extended(bits: nal.Bits) -> int:
    """Read a number of which each byte of 255 says that it goes on (H.264, 7.3.2.3.1)."""
    value = 0
    while (byte := bits.u(8)) == 255:
        value += 255
    return value + byte
