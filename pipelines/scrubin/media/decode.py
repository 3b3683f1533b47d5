"""Decoded frames of a video file: from its first one, or from where decoding can start.

ITU-T H.264: 7.4.1.2.4 (IDR), D.2.8 (recovery point); ITU-T H.265: 7.4.2.2 (IRAP and leading pictures);
ITU-T H.262: 6.2.2 and 6.2.3 (sequence and picture header); ISO/IEC 14496-2: 6.2.5 (VOP).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.base.errors import VideoError
from scrubin.base.machine import decoder_threads
from scrubin.media.containers import h264
from scrubin.media.damage import Marks, listening, with_threads
from scrubin.media.opening import FIX_COPY, FIX_TIMES, LATE_STREAMS, open_video
from scrubin.media.probe import Probe, is_timed, order_error, picture_stream
from scrubin.media.upright import is_mirrored


def boundaries_s(probed: Probe) -> npt.NDArray[np.float64]:
    """Return the presentation time of every frame in source seconds, then the end of the last; shape (n + 1,).

    These are the probe's times: a decoder's guesses for AVI are not even in order.
    """
    ticks = np.array(probed.pts, dtype=np.int64) - probed.pts[0]
    # One division of whole numbers: the same as the nearest float to the exact time.
    return np.append(ticks * probed.time_base.numerator / probed.time_base.denominator, float(probed.end_s))


FIX_LEFT_OUT = (
    f"{FIX_COPY}; where it is the same there and plays without a fault, its B-frames may begin late: let FFmpeg wait for them, and "
    "look at the result: ffmpeg -strict 1 -i FILE -map 0:v:0 -fps_mode passthrough -c:v libx264 -crf 15 a.mkv"
)
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
        if codec.name == "h264" and len(extradata) > 4 and extradata[0] == 1:
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
        units = list(h264.units(data, self._length_bytes))
        types = {h264.unit_type(unit) for unit in units}
        if self._length_bytes == 0 and not {h264.SPS, h264.PPS} <= types:
            return Access()  # those that hold here may stand in a packet that is left out
        idr = h264.IDR in types
        return Access(exact=idr or any(_recovers_here(unit) for unit in units), countable=idr)

    def _of_265(self, data: memoryview, key: bool) -> Access:
        types = {unit[0] >> 1 & 0x3F for unit in h264.units(data, self._length_bytes)}
        pictures = types & set(HEVC_PICTURES)
        leading = bool(pictures & set(HEVC_LEADING))
        if not key or (self._length_bytes == 0 and not {HEVC_SPS, HEVC_PPS} <= types):
            return Access(leading=leading)
        start = bool(pictures) and pictures <= set(HEVC_IRAP)
        return Access(exact=start, countable=start)


def _recovers_here(unit: memoryview) -> bool:
    """Whether a NAL unit says that from its very frame on all frames come out exactly as they were encoded."""
    if h264.unit_type(unit) != h264.SEI:
        return False
    bits = h264.Bits(unit)
    for kind, size in h264.messages(bits):
        if kind == RECOVERY_POINT:
            return bits.ue() == 0 and bits.flag()
        bits.u(8 * size)
    return False


UNFILTERED = {"skip_loop_filter": "all"}
"""Blocks keep their edges: pictures are others, but every bit of the stream is read all the same (H.264, 8.7 is behind all parsing)."""


def decoded(path: Path, name: str, *, ignore_edit_list: bool = False, looked_at: bool = True) -> Iterator[av.VideoFrame]:
    """Yield every frame of the first video stream in presentation order.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it, for messages.
    ignore_edit_list
        Yield also what an mp4 edit list hides from players.
    looked_at
        False when only damage is looked for: pictures are not exact then, and come in three quarters of the time.

    Raises
    ------
    VideoError
        When a frame cannot be decoded, is marked as damaged by the decoder, has no time, an earlier one than the frame before it, or
        another size; behind the last one, when
        FFmpeg has said that the file is damaged.
    """
    count, marks = 0, Marks(path, name, ignore_edit_list=ignore_edit_list)
    size: tuple[int, int] | None = None
    turn: int | None = None
    first, latest = None, -(2**63)
    try:
        with (
            listening(path, name, ignore_edit_list=ignore_edit_list),
            open_video(path, ignore_edit_list=ignore_edit_list) as container,
            with_threads(picture_stream(container, name), decoder_threads()) as stream,
        ):
            if not looked_at:
                stream.codec_context.options = UNFILTERED
            for frame in container.decode(stream):
                if frame.is_corrupt:
                    marks.refuse()
                if frame.pts is None:
                    raise VideoError(name, f"frame {count} has no time", FIX_TIMES)
                first = frame.pts if first is None else first
                if frame.pts < latest and is_timed(container):
                    tick_s = Fraction(stream.time_base or 0)
                    raise order_error(name, count, (frame.pts - first) * tick_s, (latest - first) * tick_s)
                latest = frame.pts
                size = size or (frame.width, frame.height)
                turn = frame.rotation if turn is None else turn
                if size != (frame.width, frame.height):
                    raise VideoError(name, f"its picture changes size at frame {count}", "export it with one size")
                if turn != frame.rotation or is_mirrored(frame):
                    raise VideoError(name, f"players turn its picture otherwise from frame {count} on", "export it upright")
                yield frame
                count += 1
    except IndexError as error:
        raise VideoError(name, LATE_STREAMS, FIX_COPY) from error
    except FFmpegError as error:
        raise VideoError(name, f"it cannot be decoded after frame {count} ({error.strerror})", FIX_COPY) from error
