"""When each frame of a DICOM recording is shown, as its header says it: PS3.3, C.7.6.5.1.1, C.7.6.5.1.2."""

from __future__ import annotations

from fractions import Fraction
from statistics import median_low

from scrubin.dicom.header import FIX_EXPORT, Header
from scrubin.video.unreadable_error import UnreadableError


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
    if header.frame_times_ms is not None and (len(header.frame_times_ms) > 1 or header.frame_time_ms is None):
        return _of_vector(header.frame_times_ms, count)
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
    msg = "neither its header nor its stream states how long a frame is shown"
    raise UnreadableError(msg, "export it with its frame time")


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


def _of_vector(times_ms: tuple[str, ...], count: int) -> list[Fraction]:
    """Return the sums of the distances between frames; the first belongs to no two frames."""
    if len(times_ms) != count:
        reason = f"its FrameTimeVector has {len(times_ms)} times for {count} frames"
        raise UnreadableError(reason, FIX_EXPORT)
    steps = [_number(text, "FrameTimeVector") for text in times_ms[1:]]
    for number, step in enumerate(steps, start=1):
        if step <= 0:
            msg = f"its FrameTimeVector does not go on at frame {number}"
            raise UnreadableError(msg, FIX_EXPORT)
    shown = [Fraction(0)]
    for step in [*steps, median_low(steps) if steps else Fraction(40)]:
        shown.append(shown[-1] + step / 1000)
    return shown


def _number(text: str | None, name: str) -> Fraction:
    try:
        return Fraction(text or "")
    except (ValueError, ZeroDivisionError) as error:
        msg = f"its {name} is no number"
        raise UnreadableError(msg, FIX_EXPORT) from error
