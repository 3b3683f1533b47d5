"""The rendered video read again: it must be what the plan says, frame by frame, also around seams.

Away from the seams nothing but copied packets follow each other, under the parameter sets that they
had; that they decode as before is what the seams prove. The audit of the release decodes all of it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np

from scrubin.base.errors import VideoError
from scrubin.base.faults import count_text
from scrubin.base.machine import decoder_threads
from scrubin.base.pixels import is_black
from scrubin.media.containers import h264
from scrubin.media.damage import with_threads
from scrubin.media.decode import decoded
from scrubin.media.opening import open_video
from scrubin.stages.render.parts import Parts
from scrubin.stages.render.plan import Hidden, Plan
from scrubin.stages.render.smart import FIX_REENCODE, SEAM_FRAMES, Witness, picture_hash

# Matroska's clock ticks in milliseconds.
TICK_S = Fraction(1, 1000)
# Beside a rectangle's edge the codec mixes in some of what is outside of it, which is shown anyway: of colour up to a block,
# of brightness less. Inside, nothing of the source can come back; what is left is the codec's own noise.
RECTANGLE_NOISE = 64
EDGE_PX = 8
# Red, green and blue of luma, in thousandths (ITU-R BT.601).
LUMA = np.array([299, 587, 114])
FIX = "try a lower render.crf or render.preset slower, or exclude the recording; please report it with the file"
FIX_TIME = "exclude the recording, or export it again from the recorder; please report it with the file"
FIX_CLOSE = "export it with a constant frame rate of 1000 fps or below"


def refuse_close(plan: Plan, name: str) -> None:
    """Raise a `VideoError` when kept frames would have one time in the released video: it ticks in milliseconds."""
    tick = plan.time_base * 1000
    ms = (np.array(plan.ticks, dtype=np.int64) * 2 * tick.numerator + tick.denominator) // (2 * tick.denominator)
    same = np.diff(ms) == 0
    close = int((np.append(same, False) | np.append(False, same)).sum())
    if close:
        raise VideoError(name, f"{count_text(close, 'frame')} are less than 1 ms apart, which Matroska cannot state", FIX_CLOSE)


def check_video(path: Path, plan: Plan, name: str) -> None:
    """Decode a rendered file and hold it to its plan.

    Raises
    ------
    VideoError
        When a frame is missing, added, shifted in time, at the time of another, of another size, or not black where it must be.
    """
    count, latest_s = 0, Fraction(-1)
    for frame in decoded(path, name, ignore_edit_list=True):
        if count >= plan.frame_count:
            raise VideoError(name, f"more than the planned {plan.frame_count} frames were rendered", FIX)
        time_s = Fraction(frame.pts or 0) * Fraction(frame.time_base or 0)
        if abs(time_s - plan.times_s[count]) > TICK_S:
            reason = f"frame {count} was rendered at {float(time_s):.4f} s instead of {float(plan.times_s[count]):.4f} s"
            raise VideoError(name, reason, FIX_TIME)
        if time_s <= latest_s:
            raise _one_time(count, name)
        latest_s = time_s
        if (frame.width, frame.height) != (plan.width, plan.height):
            raise VideoError(name, f"frame {count} is {frame.width}x{frame.height}, not {plan.width}x{plan.height}", FIX)
        here = [item for item in plan.hidden if item.first <= count <= item.last]
        if here:
            refuse_visible(frame, count, here, name)
        count += 1
    if count != plan.frame_count:
        raise VideoError(name, f"{count} of {plan.frame_count} planned frames were rendered", FIX)


def refuse_visible(frame: av.VideoFrame, count: int, hidden: list[Hidden], name: str) -> None:
    """Raise a `VideoError` when a frame is not black where it is hidden; a whole frame as `scrubin.base.pixels.is_black` says."""
    picture = frame.to_ndarray(format="rgb24").astype(np.uint8, copy=False)
    for item in hidden:
        x, y, w, h = item.box_xywh or (0, 0, frame.width, frame.height)
        shown = picture[y : y + h, x : x + w]
        if item.box_xywh is None:
            brightest, hides = int(shown.max()), is_black(picture)
        else:
            inner = shown[EDGE_PX:-EDGE_PX, EDGE_PX:-EDGE_PX]
            brightest = max(int((shown.astype(np.int64) @ LUMA).max()) // 1000, int(inner.max(initial=0)))
            hides = brightest <= RECTANGLE_NOISE
        if not hides:
            raise VideoError(name, f"frame {count} is not black where it must be hidden (brightest value {brightest})", FIX)


# Times in Matroska are whole milliseconds, so they are off by half of one, and a bit for their own rounding.
ROUNDING_S = 0.0006


def check_seams(path: Path, plan: Plan, parts: Parts, witness: Witness, name: str) -> None:
    """Hold a smartly rendered file to its plan.

    Raises
    ------
    VideoError
        When a packet is missing, added, shifted in time or holds more than a picture; when a frame near a seam
        does not decode as in the source, or is not black where it must be.
    """
    starts = _packets(path, plan, name)
    seen: set[int] = set()
    for time_s, frame in _decoded(path, _windows(parts, witness, starts), plan, name):
        # The packets have the times of the plan, so every frame has its number.
        number = bisect_left(plan.rounded_times_s, time_s - ROUNDING_S)
        seen.add(number)
        _refuse_different(number, frame, plan, witness, name)
    touched = {number for part in parts.parts if not part.copied for number in range(part.first, part.last + 1)}
    if not seen >= touched | witness.keys():
        raise VideoError(name, f"{len((touched | witness.keys()) - seen)} frames near the seams cannot be decoded", FIX_REENCODE)


def _packets(path: Path, plan: Plan, name: str) -> list[int]:
    """Refuse a wrong packet; return the packets that start a group of pictures."""
    starts, ticks = [], []
    with open_video(path, ignore_edit_list=True) as container:
        stream = container.streams.video[0]
        if len(container.streams) != 1:
            raise VideoError(name, f"{len(container.streams)} streams were rendered", FIX_REENCODE)
        length_bytes = h264.header(bytes(stream.codec_context.extradata or b"")).length_bytes
        for index, packet in enumerate(packet for packet in container.demux(stream) if packet.size):
            types = {h264.unit_type(unit) for unit in h264.units(memoryview(packet), length_bytes)}
            if not types <= {h264.SLICE, h264.IDR}:
                raise VideoError(name, f"packet {index} holds more than a picture", FIX_REENCODE)
            if h264.IDR in types:
                starts.append(index)
            ticks.append(packet.pts if packet.pts is not None else -1)
        tick_s = float(stream.time_base or 0)
    if len(ticks) != plan.frame_count:
        raise VideoError(name, f"{len(ticks)} of {plan.frame_count} planned frames were rendered", FIX_REENCODE)
    for number, (tick, time_s) in enumerate(zip(sorted(ticks), plan.rounded_times_s, strict=True)):
        if abs(tick * tick_s - time_s) > ROUNDING_S:
            reason = f"frame {number} was rendered at {tick * tick_s:.4f} s instead of {time_s:.4f} s"
            raise VideoError(name, reason, FIX_REENCODE)
    same = next((number for number, (before, tick) in enumerate(pairwise(sorted(ticks)), start=1) if tick == before), None)
    if same is not None:
        raise _one_time(same, name)
    return starts


def _one_time(number: int, name: str) -> VideoError:
    """Return the error for a frame that has the time of the one before it."""
    reason = f"frames {number - 1} and {number} were rendered at one time: they are less than 1 ms apart, which Matroska cannot state"
    return VideoError(name, reason, FIX_CLOSE)


def _windows(parts: Parts, witness: Witness, starts: Sequence[int]) -> list[range]:
    """Return the packets that are decoded: touched parts, the group that is copied before them, and what follows."""
    windows: list[range] = []
    for index, part in enumerate(parts.parts):
        if part.copied:
            continue
        first = part.first
        if first - 1 in witness:
            first = max(start for start in starts if start < first)
        # At a seam packets and frames agree, so a part's frames are its packets.
        behind = parts.parts[index + 1 : index + 2]
        end = min(behind[0].last, behind[0].first + SEAM_FRAMES - 1) + 1 if behind else part.last + 1
        if windows and first < windows[-1].stop:
            first = windows.pop().start
        windows.append(range(first, end))
    return windows


def _decoded(path: Path, windows: Sequence[range], plan: Plan, name: str) -> Iterator[tuple[float, av.VideoFrame]]:
    """Yield the frames of each window with their times in seconds; a window is decoded in one go across its seams.

    Windows are found by seeking, as a player finds them.
    """
    with (
        open_video(path, ignore_edit_list=True) as container,
        with_threads(container.streams.video[0], decoder_threads()) as stream,
    ):
        time_base = Fraction(stream.time_base or 0)
        for window in windows:
            # Half a tick goes up, as in the muxer.
            tick = math.floor(plan.ticks[window.start] * plan.time_base / time_base + Fraction(1, 2))
            container.seek(tick, stream=stream)
            for packet in _of(container.demux(stream), len(window), tick, name):
                for frame in stream.codec_context.decode(packet):
                    if frame.is_corrupt or frame.pts is None:
                        raise VideoError(name, "a frame near a seam was rendered damaged", FIX_REENCODE)
                    yield float(frame.pts * time_base), frame
            stream.codec_context.flush_buffers()


def _of(packets: Iterator[av.Packet[Any]], count: int, tick: int, name: str) -> Iterator[av.Packet[Any] | None]:
    """Yield so many packets from a time on, then None, which asks the decoder for what it holds back."""
    for index, packet in enumerate(islice((packet for packet in packets if packet.size), count)):
        if index == 0 and abs((packet.pts or 0) - tick) > 1:
            raise VideoError(name, f"seeking to tick {tick} leads to {packet.pts}", FIX_REENCODE)
        yield packet
    yield None


def _refuse_different(number: int, frame: av.VideoFrame, plan: Plan, witness: Witness, name: str) -> None:
    if (frame.width, frame.height) != (plan.width, plan.height):
        raise VideoError(name, f"frame {number} is {frame.width}x{frame.height}, not {plan.width}x{plan.height}", FIX_REENCODE)
    if number in witness and picture_hash(frame) != witness[number]:
        raise VideoError(name, f"frame {number} was copied, but does not decode as in the source", FIX_REENCODE)
    here = [item for item in plan.hidden if item.first <= number <= item.last]
    if here:
        refuse_visible(frame, number, here, name)
