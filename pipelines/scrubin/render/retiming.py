"""A video at a steady rate given the times of its plan; pictures stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import av

from scrubin.render.plan import Plan

MUXING = {"fflags": "+bitexact"}
HELD_FRAMES = 32
"""More than any decoder holds back (ITU-T H.264, A.3.1)."""


def retimed(source: Path, target: Path, plan: Plan, fps: int) -> None:
    """Write a video again, frame k at the time that the plan has for it.

    Parameters
    ----------
    source
        Frame k is shown at k / ``fps`` seconds.
    """
    with av.open(f"file:{source}") as container, av.open(f"file:{target}", "w", format="matroska", options=MUXING) as out:
        stream = container.streams.video[0]
        track = out.add_stream_from_template(stream, opaque=True)
        track.metadata.clear()
        for written, packet in enumerate(packet for packet in container.demux(stream) if packet.size):
            number = round(int(packet.pts or 0) * packet.time_base * fps)
            fresh: av.Packet[Any] = av.Packet(bytes(packet))
            fresh.pts, fresh.dts = plan.ticks[number], decoding_tick(plan.ticks, written)
            fresh.time_base, fresh.is_keyframe, fresh.stream = plan.time_base, packet.is_keyframe, track
            out.mux_one(fresh)


def decoding_tick(ticks: Sequence[int], written: int) -> int:
    """Return a decoding time for the packet behind so many others; Matroska does not keep it.

    It does not fall, and is no later than any frame that is still to come.
    """
    index = written - HELD_FRAMES
    return ticks[min(index, len(ticks) - 1)] if index >= 0 else index
