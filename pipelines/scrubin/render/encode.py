"""The plan carried out by ffmpeg: one pass, and nothing but pictures in the result."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import ffmpeg

from scrubin.render.params import RenderParams
from scrubin.render.plan import Hidden, Plan
from scrubin.render.retiming import retimed
from scrubin.render.source_file import SourceFile
from scrubin.render.touched import FLAGS
from scrubin.video import ffmpeg as program
from scrubin.video.opening import for_programs
from scrubin.video.view import View

# A frame of a recording never takes longer than this, whatever the preset: then it hangs.
SECONDS_PER_FRAME = 2.0
SHORTEST_TIMEOUT_S = 120.0
TERMS = 50
STEADY_FPS = 25
BARE = {
    "format": "matroska",
    "map_metadata": -1,
    "map_chapters": -1,
    "fflags": "+bitexact",
    "bsf:v": "filter_units=remove_types=6",  # SEI, in which x264 writes its settings and cameras their clocks
}


def encode(files: Sequence[SourceFile], target: Path, plan: Plan, params: RenderParams, name: str) -> None:
    """Write the released video of the files of one camera.

    Audio, subtitles, data and timecode streams, attachments, chapters, tags, SEI messages and
    encoder strings stay behind; what FFmpeg writes into the head of every file is removed afterwards.

    Raises
    ------
    VideoError
        When ffmpeg cannot do it.
    """
    with ExitStack() as stack:
        paths = [stack.enter_context(for_programs(file.path, target.parent)) for file in files]
        _encode([replace(file, path=path) for file, path in zip(files, paths, strict=True)], target, plan, params, name)


def _encode(files: Sequence[SourceFile], target: Path, plan: Plan, params: RenderParams, name: str) -> None:
    steady = plan if len(files) == 1 else _steady(plan)
    stream = _hidden(_joined(files, plan), steady)
    encoded = target.with_name(f"encoded-{target.name}")
    encoding = ffmpeg.output(
        stream,
        f"file:{encoded}",
        vcodec="libx264",
        preset=params.preset,
        crf=params.crf,
        threads=program.THREADS,
        pix_fmt="yuv420p",
        fps_mode="passthrough",
        enc_time_base="demux",
        force_key_frames=_key_times(steady),
        # Otherwise x264 takes reciprocals from the processor, which Intel and AMD round differently.
        **{"flags:v": "+bitexact", "x264-params": "cpu-independent=1"},
        **BARE,
    )
    frames = plan.first_source_frame + plan.frame_count
    timeout_s = max(SHORTEST_TIMEOUT_S, SECONDS_PER_FRAME * frames)
    program.run(encoding, name, timeout_s)
    # The encoder's name is written by encoding alone: a copy without tags is free of it.
    bare = ffmpeg.output(ffmpeg.input(f"file:{encoded}", copyts=None)["v:0"], f"file:{target}", vcodec="copy", **BARE)
    program.run(bare, name, timeout_s)
    if len(files) > 1:
        target.replace(encoded)
        retimed(encoded, target, plan, STEADY_FPS)
    encoded.unlink()


def _joined(files: Sequence[SourceFile], plan: Plan) -> Any:
    """Return the kept pictures of all files, one after the other; of several files they are shown at a steady rate."""
    streams = []
    for file in files:
        own = file.own_plan(plan)
        if own is not None:
            # `file:` keeps names such as "-" or "concat:a" from being taken for a protocol.
            stream = ffmpeg.input(f"file:{file.path}", copyts=None, threads=program.THREADS)
            streams.append(_plain_picture(_trimmed(stream["V:0"], own[1]), plan, file.view))
    if len(files) == 1:
        return streams[0]
    steady = [stream.filter("settb", f"1/{STEADY_FPS}").filter("setpts", "N") for stream in streams]
    return ffmpeg.concat(*steady, v=1, a=0).filter("settb", f"1/{STEADY_FPS}").filter("setpts", "N")


def _steady(plan: Plan) -> Plan:
    """Return the plan with frames at a steady rate: ffmpeg joins files on clocks of its own, and times are written afterwards."""
    return replace(plan, ticks=tuple(range(plan.frame_count)), time_base=Fraction(1, STEADY_FPS))


def _trimmed(stream: Any, plan: Plan) -> Any:
    # By number: the clocks of two readers of AVI differ by a frame, their frames do not.
    first = plan.first_source_frame
    return stream.filter("trim", start_frame=first, end_frame=first + plan.frame_count).filter("setpts", "PTS-STARTPTS")


def _plain_picture(stream: Any, plan: Plan, view: View | None) -> Any:
    """Return upright 8-bit 4:2:0 in video range, so that black is the same in every recording."""
    x, y = (view.x, view.y) if view else (0, 0)
    stream = stream.filter("crop", plan.width, plan.height, x, y, exact=1)
    stream = stream.filter("scale", out_range="tv", flags=FLAGS)
    return stream.filter("format", "yuv420p")


def _hidden(stream: Any, plan: Plan) -> Any:
    boxes = sorted({item.box_xywh or (0, 0, plan.width, plan.height) for item in plan.hidden})
    for box in boxes:
        spans = [item for item in plan.hidden if (item.box_xywh or (0, 0, plan.width, plan.height)) == box]
        x, y, w, h = box
        # ffmpeg's expressions take no more than 100 terms.
        for start in range(0, len(spans), TERMS):
            enable = _enabled(spans[start : start + TERMS], plan)
            stream = stream.filter("drawbox", x, y, w, h, color="black", t="fill", enable=enable)
    return stream


def _enabled(spans: Sequence[Hidden], plan: Plan) -> str:
    # Limits lie halfway between two frames, so that no rounding moves a frame across them.
    return "+".join(f"between(t,{_before(item.first, plan):.9f},{_before(item.last + 1, plan):.9f})" for item in spans)


def _before(frame: int, plan: Plan) -> float:
    if frame == 0:
        return -1.0
    if frame == plan.frame_count:
        return float(plan.times_s[-1]) + 1.0
    return float((plan.times_s[frame - 1] + plan.times_s[frame]) / 2)


def _key_times(plan: Plan) -> str:
    """Return the times at which a new group of pictures starts: a black frame must not be predicted from a shown one."""
    frames = {frame for item in plan.hidden for frame in (item.first, item.last + 1) if 0 <= frame < plan.frame_count}
    # ffmpeg takes the first frame at or behind a time, so a time that is rounded up would miss its frame.
    return ",".join(f"{max(0.0, _before(frame, plan)):.6f}" for frame in sorted({0} | frames))
