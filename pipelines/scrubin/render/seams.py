"""A video that was rendered part by part, read again: its packets, and the pictures around every seam.

Away from the seams nothing but copied packets follow each other, under the parameter sets that they
had; that they decode as before is what the seams prove. The audit of the release decodes all of it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import av

from scrubin.core.cores import decoder_threads
from scrubin.core.errors import VideoError
from scrubin.render.check import refuse_visible
from scrubin.render.parts import Parts
from scrubin.render.plan import Plan
from scrubin.render.smart import FIX, SEAM_FRAMES, Witness, picture_hash
from scrubin.video import nal, parameter_sets
from scrubin.video.damage import with_threads
from scrubin.video.opening import open_video

# Times in Matroska are whole milliseconds, so they are off by half of one, and a bit for their own rounding.
ROUNDING_S = 0.0006


def check(path: Path, plan: Plan, parts: Parts, witness: Witness, name: str) -> None:
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
        raise VideoError(name, f"{len((touched | witness.keys()) - seen)} frames near the seams cannot be decoded", FIX)


def _packets(path: Path, plan: Plan, name: str) -> list[int]:
    """Refuse a wrong packet; return the packets that start a group of pictures."""
    starts, ticks = [], []
    with open_video(path, ignore_edit_list=True) as container:
        stream = container.streams.video[0]
        if len(container.streams) != 1:
            raise VideoError(name, f"{len(container.streams)} streams were rendered", FIX)
        length_bytes = parameter_sets.header(bytes(stream.codec_context.extradata or b"")).length_bytes
        for index, packet in enumerate(packet for packet in container.demux(stream) if packet.size):
            types = {nal.unit_type(unit) for unit in nal.units(memoryview(packet), length_bytes)}
            if not types <= {nal.SLICE, nal.IDR}:
                raise VideoError(name, f"packet {index} holds more than a picture", FIX)
            if nal.IDR in types:
                starts.append(index)
            ticks.append(packet.pts if packet.pts is not None else -1)
        tick_s = float(stream.time_base or 0)
    if len(ticks) != plan.frame_count:
        raise VideoError(name, f"{len(ticks)} of {plan.frame_count} planned frames were rendered", FIX)
    for number, (tick, time_s) in enumerate(zip(sorted(ticks), plan.rounded_times_s, strict=True)):
        if abs(tick * tick_s - time_s) > ROUNDING_S:
            reason = f"frame {number} was rendered at {tick * tick_s:.4f} s instead of {time_s:.4f} s"
            raise VideoError(name, reason, FIX)
    return starts


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
                        raise VideoError(name, "a frame near a seam was rendered damaged", FIX)
                    yield float(frame.pts * time_base), frame
            stream.codec_context.flush_buffers()


def _of(packets: Iterator[av.Packet[Any]], count: int, tick: int, name: str) -> Iterator[av.Packet[Any] | None]:
    """Yield so many packets from a time on, then None, which asks the decoder for what it holds back."""
    for index, packet in enumerate(islice((packet for packet in packets if packet.size), count)):
        if index == 0 and abs((packet.pts or 0) - tick) > 1:
            raise VideoError(name, f"seeking to tick {tick} leads to {packet.pts}", FIX)
        yield packet
    yield None


def _refuse_different(number: int, frame: av.VideoFrame, plan: Plan, witness: Witness, name: str) -> None:
    if (frame.width, frame.height) != (plan.width, plan.height):
        raise VideoError(name, f"frame {number} is {frame.width}x{frame.height}, not {plan.width}x{plan.height}", FIX)
    if number in witness and picture_hash(frame) != witness[number]:
        raise VideoError(name, f"frame {number} was copied, but does not decode as in the source", FIX)
    here = [item for item in plan.hidden if item.first <= number <= item.last]
    if here:
        refuse_visible(frame, number, here, name)
