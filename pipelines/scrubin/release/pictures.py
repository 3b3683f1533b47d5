"""Decoded pictures: streams, number of frames, times, blackness; read without edit lists.

How black is black, measured on a noisy moving picture that x264 encodes (crf 18 to 28, presets
ultrafast to medium). Whole frames decode to exactly 0 when a group of pictures starts with them;
predicted from a shown frame they keep up to 11, so anything but 0 is refused. Beside the edge
of a hidden rectangle the codec mixes in up to 163 of what is shown beside it. 8 px inside, the
reach of its largest transform, up to 20 is left in single pixels and 0.5 on average. Faint text
would be seen in the average: its strokes cover a fifth of a rectangle, so at contrast 12 it adds 2.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import av
import cv2
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.release.containers import nal
from scrubin.release.findings import Fault
from scrubin.release.plan import Box, FramePlan, VideoPlan

FRAME_MAX = 0
EDGE_PX = 8
INNER_MAX = 48
INNER_MEAN = 2.0
RECTANGLE_MEAN = 8.0
SHOWN = 3
KINDS = ("audio", "subtitle", "data", "attachment")
Picture = npt.NDArray[np.uint8]


def video_faults(path: Path, plan: VideoPlan | None) -> list[Fault]:
    """Return what is wrong with the streams and pictures of a video file; without a plan, with its streams only."""
    try:
        # `file:` keeps a name from being taken for a protocol; edit lists may not hide anything from this reader.
        with av.open(f"file:{path}", options={"ignore_editlist": "1"}, metadata_errors="replace") as container:
            faults = [*_streams(container)]
            if not container.streams.video:
                return faults
            return faults + _frames(container, plan)
    except FFmpegError as error:
        return [Fault("unreadable", "", f"it cannot be decoded ({error.strerror}); render it again")]


def frame_faults(path: Path, plan: FramePlan) -> list[Fault]:
    """Return what is wrong with the picture of an extracted frame."""
    if not plan.redacted and not plan.boxes:
        return []
    try:
        picture = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # an empty file, or impossible sizes
        picture = None
    if picture is None:
        return [Fault("unreadable", "", "it cannot be decoded; extract it again")]
    boxes = (None,) if plan.redacted else plan.boxes
    return [Fault("not-black", "picture", message) for box in boxes if (message := not_black(picture.astype(np.uint8), box))]


def not_black(picture: Picture, box_xywh: Box | None) -> str:
    """Return how a picture breaks the promise to be black, "" when it keeps it.

    Parameters
    ----------
    picture
        Shape (height, width, 3), 0 to 255.
    box_xywh
        Hidden rectangle in px; None: the whole picture.
    """
    if box_xywh is None:
        brightest = int(picture.max(initial=0))
        return f"hidden, but its brightest value is {brightest}; render it again" if brightest > FRAME_MAX else ""
    x, y, w, h = box_xywh
    hidden = picture[y : y + h, x : x + w]
    inner = hidden[EDGE_PX:-EDGE_PX, EDGE_PX:-EDGE_PX]
    if hidden.size == 0:
        return ""
    values = (float(hidden.mean()), float(inner.mean()) if inner.size else 0.0, float(inner.max(initial=0)))
    if all(value <= limit for value, limit in zip(values, (RECTANGLE_MEAN, INNER_MEAN, INNER_MAX), strict=True)):
        return ""
    return f"rectangle {box_xywh} is hidden, but its mean is {values[0]:.1f}, inside {values[1]:.1f} (at most {values[2]:.0f})"


def _streams(container: av.container.InputContainer) -> Iterator[Fault]:
    for stream in container.streams:
        if stream.type != "video":
            yield Fault("streams", f"stream {stream.index}", f"expected one video stream only, but got {stream.type}; strip it")
        for key, value in sorted(stream.metadata.items()):
            if key.upper() != "DURATION" and (key.lower(), value) not in (("language", "und"), ("handler_name", "VideoHandler")):
                yield Fault("container", f"stream {stream.index}", f"the tag {key} = {value!r} may not be in a release; strip all tags")
    if len(container.streams.video) != 1:
        yield Fault("streams", "", f"expected one video stream, but got {len(container.streams.video)}")
    for key, value in sorted(container.metadata.items()):
        if key.lower() not in ("major_brand", "minor_version", "compatible_brands") and (key.lower(), value) != ("encoder", "Lavf"):
            yield Fault("container", "tags", f"the tag {key} = {value!r} may not be in a release; strip all tags")
    chapters = container.chapters()
    if chapters:
        yield Fault("container", "chapters", f"{len(chapters)} chapters; strip them")


def _frames(container: av.container.InputContainer, plan: VideoPlan | None) -> list[Fault]:
    stream = container.streams.video[0]
    if stream.codec_context is None:
        return [Fault("nal", "header", "the codec is not known, so it cannot be proven clean; release H.264 or HEVC")]
    stream.thread_type = "AUTO"
    try:
        units = nal.units_of(stream.codec_context.name, bytes(stream.codec_context.extradata or b""))
    except (ValueError, IndexError) as error:
        return [Fault("nal", "header", str(error))]
    unit_faults = _unit_faults(units, "header", units.header)
    faults: list[Fault] = []
    packets, count, previous = 0, 0, -1
    for packet in container.demux(stream):
        if packet.size:
            try:
                unit_faults += _unit_faults(units, f"packet {packets}", nal.split(bytes(packet), units.length_bytes))
            except ValueError as error:
                unit_faults.append(Fault("nal", f"packet {packets}", f"{error}; render it again"))
            packets += 1
        if plan is None:
            continue
        for frame in packet.decode():
            faults += _frame_faults(frame, count, previous, plan)
            previous = frame.pts if frame.pts is not None else previous
            count += 1
    if plan is not None:
        faults += _count_faults(count, packets, plan)
    return [*_first(unit_faults), *_first(faults)]


def _unit_faults(units: nal.Units, place: str, found: Sequence[bytes] | Iterator[bytes]) -> list[Fault]:
    faults = []
    for unit in found:
        rule = nal.fault(units.codec, unit)
        if rule:
            what = "an SEI message, which can hold times and texts" if rule == "sei" else "a unit that no picture needs"
            faults.append(Fault(rule, place, f"{what} (NAL type {nal.kind_of(units.codec, unit)}, {len(unit)} bytes); strip it"))
    return faults


def _frame_faults(frame: av.VideoFrame, count: int, previous: int, plan: VideoPlan) -> Iterator[Fault]:
    place = f"frame {count}"
    if frame.pts is None or (count == 0 and frame.pts != 0):
        yield Fault("timestamps", place, f"expected the first frame at time 0 and a time for each, but got {frame.pts}; render it again")
    elif frame.pts <= previous:
        yield Fault("timestamps", place, f"its time {frame.pts} is not after {previous}; render it again")
    here = [hidden for hidden in plan.hidden if hidden.first <= count <= hidden.last]
    if not here:
        return
    picture = frame.to_ndarray(format="rgb24").astype(np.uint8, copy=False)
    for hidden in here:
        message = not_black(picture, hidden.box_xywh)
        if message:
            yield Fault("not-black", place, message)


def _count_faults(count: int, packets: int, plan: VideoPlan) -> Iterator[Fault]:
    if count != plan.frame_count:
        yield Fault("frame-count", "", f"expected {plan.frame_count} frames, but {count} decode; render it again")
    if packets != count:
        yield Fault("frame-count", "", f"{packets} packets, but {count} frames: packets that show nothing can hide something")
    late = [hidden for hidden in plan.hidden if hidden.last >= plan.frame_count]
    if late:
        yield Fault("frame-count", "", f"the plan hides frames up to {late[-1].last} of {plan.frame_count}; render it again")


def _first(faults: list[Fault]) -> Iterator[Fault]:
    """Yield the first faults of each rule, the last of them with the number of the others."""
    for rule in dict.fromkeys(fault.rule for fault in faults):
        same = [fault for fault in faults if fault.rule == rule]
        yield from same[: SHOWN - 1] if len(same) > SHOWN else same
        if len(same) > SHOWN:
            last = same[SHOWN - 1]
            yield Fault(rule, last.place, f"{last.message}; and {len(same) - SHOWN} more")
