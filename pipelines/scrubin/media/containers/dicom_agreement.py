"""What the header of a DICOM recording says of times or pictures, held against its stream: one of them may be of another case.

What could give wrong pictures or labels is refused: another codec, size or number of frames, or grey that is inverted. Told, and no
more, are the number of bits, which decoders take from the stream, and the rate: a raw stream is timed by its header, because encoders
fill in a rate without knowing it, and one in a container by that.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import median_low

import av

from scrubin.base.faults import count_text
from scrubin.media.containers import h264
from scrubin.media.containers.dicom_header import FIX_COPY, FIX_EXPORT, Header
from scrubin.media.containers.pieces import UnreadableError


def boundaries_s(header: Header, count: int, stream_fps: Fraction | None) -> list[Fraction]:
    """Return when each frame is shown, from 0, and the end of the last: n + 1 exact seconds.

    A vector of times is believed before one time for all, and that before a rate. Headers round: 33.37 ms are 30000/1001 frames
    a second.

    Parameters
    ----------
    count
        Number of frames.
    stream_fps
        What the stream says itself; None when it does not.

    Raises
    ------
    UnreadableError
        When nobody states a time, or no time can be such.
    """
    vector = _vector(header)
    if vector is not None:
        return _of_vector(vector, count)
    frame_s = 1 / rate_fps(header, stream_fps)
    return [number * frame_s for number in range(count + 1)]


def rate_fps(header: Header, stream_fps: Fraction | None) -> Fraction:
    """Return the exact frames per second of a header without a vector."""
    cine = _number(header.cine_rate, "CineRate") if header.cine_rate else Fraction(0)
    frame_ms = _number(header.frame_time_ms, "FrameTime") if header.frame_time_ms else Fraction(0)
    if frame_ms > 0:
        return _unrounded(frame_ms, header.frame_time_ms or "", [stream_fps or Fraction(0), cine])
    if cine > 0:
        # A whole number, even of 29.97.
        return stream_fps if stream_fps and abs(stream_fps - cine) < Fraction(1, 2) else cine
    if stream_fps:
        return stream_fps
    raise UnreadableError("neither its header nor its stream states how long a frame is shown", "export it with its frame time")


def _unrounded(frame_ms: Fraction, text: str, likely_fps: list[Fraction]) -> Fraction:
    """Return the usual rate whose frame time is rounded to this one, or else the exact one."""
    exact = 1000 / frame_ms
    decimals = len(text.partition(".")[2]) if "e" not in text.lower() else 0
    slack_ms = Fraction(1, 10**decimals)
    whole, ntsc = Fraction(round(exact)), Fraction(round(exact * Fraction(1001, 1000)) * 1000, 1001)
    for rate in (*likely_fps, whole, ntsc):
        if rate > 0 and abs(1000 / rate - frame_ms) < slack_ms:
            return rate
    return exact


def _vector(header: Header) -> tuple[str, ...] | None:
    """Return the vector of times; None where one value stands beside a time or a rate for all: it belongs to no two frames."""
    vector = header.frame_times_ms
    return None if vector is not None and len(vector) == 1 and (header.frame_time_ms or header.cine_rate) else vector


def _of_vector(times_ms: tuple[str, ...], count: int) -> list[Fraction]:
    """Return the sums of the distances between frames; of as many as there are frames the first belongs to no two (C.7.6.5.1.2)."""
    if len(times_ms) not in (count, count - 1):
        reason = f"its FrameTimeVector has {count_text(len(times_ms), 'time')} for {count_text(count, 'frame')}"
        raise UnreadableError(reason, FIX_EXPORT)
    steps = [_number(text, "FrameTimeVector") for text in times_ms[len(times_ms) - count + 1 :]]
    for number, step in enumerate(steps, start=1):
        if step <= 0:
            raise UnreadableError(f"its FrameTimeVector does not go on at frame {number}", FIX_EXPORT)
    shown = [Fraction(0)]
    for step in [*steps, median_low(steps) if steps else Fraction(40)]:
        shown.append(shown[-1] + step / 1000)
    return shown


def _number(text: str | None, name: str) -> Fraction:
    try:
        return Fraction(text or "")
    except (ValueError, ZeroDivisionError) as error:
        raise UnreadableError(f"its {name} is no number", FIX_EXPORT) from error


FIX_AGREE = "export it again from the archive (PACS), so that both agree, or exclude the recording in recordings.csv"
NAMES = {
    "h264": "MPEG-4 AVC/H.264",
    "hevc": "HEVC/H.265",
    "mpeg2video": "MPEG-2",
    "mpeg1video": "MPEG-1",
    "mjpeg": "JPEG",
    "mpeg4": "MPEG-4",
}
BLOCK_PX = 16
"""Coded pictures are whole blocks: a size that differs by less than one is padding."""
RATE_SHARE = Fraction(1, 20)
"""Headers round: 33 ms for 30000/1001 frames a second."""
INVERTED = ("MONOCHROME1", "PALETTE COLOR")
_SEQUENCE_262 = 0xB3
_HEVC_HEADS, _HEVC_LAYER_0 = (0x40, 0x42, 0x44, 0x46, 0x4E), 1


def raw_codec(start: bytes) -> str | None:
    """Return the codec of a raw stream by its first unit (H.262, 6.2.2.1; H.264, 7.3.1; H.265, 7.3.1.2); None when that does not tell."""
    unit = start.lstrip(b"\0")[1:3]
    if len(unit) < 2:
        return None
    if unit[0] == _SEQUENCE_262:
        return "mpeg2video"
    if unit[0] in _HEVC_HEADS and unit[1] == _HEVC_LAYER_0:
        return "hevc"
    is_unit = not unit[0] & 0x80 and h264.unit_type(unit) in (h264.SPS, h264.DELIMITER, h264.SEI, h264.PPS)
    return "h264" if is_unit else None


def refuse_codec(header: Header, codec: str | None) -> None:
    """Raise an `UnreadableError` when a stream is of another codec than its transfer syntax states."""
    if codec is not None and codec != header.syntax.codec:
        held = NAMES.get(codec, codec)
        reason = f"its header states the transfer syntax {header.syntax.name}, its stream is {held}"
        raise UnreadableError(reason, FIX_AGREE)


def refuse_picture(header: Header, width: int, height: int) -> None:
    """Raise an `UnreadableError` when a header states another size than its stream has, or grey that nobody inverts."""
    if header.photometric in INVERTED:
        reason = f"its header states {header.photometric}, which decoders of {header.syntax.name} do not apply: it would come out wrong"
        raise UnreadableError(reason, "export it in colours (YBR_PARTIAL_420), or as MONOCHROME2")
    stated = header.columns, header.rows
    if stated != (width, height) and [-(-one // BLOCK_PX) for one in stated] != [-(-one // BLOCK_PX) for one in (width, height)]:
        reason = f"its header states {header.columns}x{header.rows} pixels, its stream holds {width}x{height}"
        raise UnreadableError(reason, FIX_AGREE)


def told(header: Header, context: av.VideoCodecContext, stream_fps: Fraction | None, *, raw: bool) -> tuple[str, ...]:
    """Return, one sentence each, what differs and gives no wrong picture.

    Parameters
    ----------
    context
        Of the stream.
    stream_fps
        What the stream says of its rate; None when it does not.
    raw
        Whether it has no container.
    """
    sentences = []
    states_rate = _vector(header) is None and (header.frame_time_ms or header.cine_rate)
    if stream_fps is not None and states_rate:
        stated = rate_fps(header, stream_fps)
        if abs(stated / stream_fps - 1) > RATE_SHARE:
            differ = f"its header states {float(stated):.6g} frames a second, its stream {float(stream_fps):.6g}"
            sentences.append(f"{differ}; {'the header counts, as for every raw stream' if raw else 'the times of its container count'}")
    bits = max(component.bits for component in context.format.components) if context.format else None
    if None not in (bits, header.bits_stored) and bits != header.bits_stored:
        sentences.append(f"its header states {header.bits_stored} bits, its stream has {bits}; the stream counts")
    return tuple(sentences)


def refuse_other_count(header: Header, count: int, stored: int = 0) -> None:
    """Raise an `UnreadableError` when the header states neither how many frames are shown nor, with an edit list, how many are stored."""
    held = max(count, stored)
    if header.frame_count in (None, count, held):
        return
    if (header.frame_count or 0) > held:
        raise UnreadableError(f"it is truncated: {held} of the {header.frame_count} frames of its header are there", FIX_COPY)
    shown = f", of which {count} are shown" if count < held else ""
    reason = f"its header states {count_text(header.frame_count or 0, 'frame')}, its stream holds {held}{shown}"
    raise UnreadableError(reason, "export it again, so that both agree: what is more may be of another case")
