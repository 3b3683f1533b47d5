"""Decoded videos: streams, packets, number of frames, times, sizes, blackness; read without edit lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import av
import numpy as np
from av.error import FFmpegError
from av.video.reformatter import VideoReformatter

from scrubin.audit.containers import h264, matroska, slice_bytes
from scrubin.audit.expected import Fault
from scrubin.audit.expected.plan import StillPlan, VideoPlan
from scrubin.audit.pictures.looks import Looked, Looks, Sampling
from scrubin.audit.pictures.stills import Comparison, Picture, not_black
from scrubin.base.machine import decoder_threads

SHOWN = 3
LENGTH_S = 0.5
SHOWN_TAGS = ("major_brand", "minor_version", "compatible_brands")


@dataclass(frozen=True)
class Examination:
    """What came of decoding one video to its end.

    Parameters
    ----------
    faults
        Of the video itself.
    stills
        Of the frames that were extracted from it, by path; only those that have any.
    frames, compared
        How many frames were decoded, and how many extracted ones were compared with them.
    looked
        What was seen in the pictures that were looked at.
    """

    faults: list[Fault] = field(default_factory=list)
    stills: Mapping[str, list[Fault]] = field(default_factory=dict)
    frames: int = 0
    compared: int = 0
    looked: Looked = field(default_factory=Looked)


def examine(path: Path, plan: VideoPlan | None = None, folder: Path | None = None, sampling: Sampling = "sampled") -> Examination:
    """Return what is wrong with the streams and pictures of a video file, and with the frames extracted from it.

    Parameters
    ----------
    path
        The file.
    plan
        What it must be; without, it is only held to the rules that need no plan.
    folder
        The release, in which the extracted frames of the plan lie; None leaves them alone.
    sampling
        Which pictures are looked at for text and faces.
    """
    one_pass = _Pass(plan, folder, Looks(sampling))
    try:
        # `file:` keeps a name from being taken for a protocol; edit lists may not hide anything from this reader.
        with av.open(f"file:{path}", options={"ignore_editlist": "1"}, metadata_errors="replace") as container:
            one_pass.streams(container)
            if container.streams.video:
                one_pass.packets(container)
    except FFmpegError as error:
        one_pass.faults.append(Fault("unreadable", "", f"it cannot be decoded ({error.strerror}); render it again"))
    stills, compared = one_pass.comparison.faults(), one_pass.comparison.compared
    return Examination([*one_pass.faults, *_first(one_pass.many)], stills, one_pass.count, compared, one_pass.looks.looked())


def is_length(stated_s: float, last_pts: int, longest_pts: int, tick_s: float) -> bool:
    """Return whether a header states how long pictures are shown.

    The last may be shown for as long as any other, or for no time: containers do not always say. Headers round to a tick.

    Parameters
    ----------
    stated_s
        What the header states.
    last_pts, longest_pts
        When the last picture appears, and the longest that another is shown, in ticks of ``tick_s``.
    """
    return abs(stated_s - (last_pts + longest_pts) * tick_s) <= max(LENGTH_S, longest_pts * tick_s) + tick_s


@dataclass
class _Pass:
    plan: VideoPlan | None
    folder: Path | None
    looks: Looks
    faults: list[Fault] = field(default_factory=list)
    many: list[Fault] = field(default_factory=list)
    count: int = 0
    pts: int = -1
    longest: int = 0
    size_px: tuple[int, int] | None = None
    # One for all frames: a frame's own would prepare the same conversion again.
    reformatter: VideoReformatter = field(default_factory=VideoReformatter)
    time_s: float = 0.0
    comparison: Comparison = field(init=False)

    def __post_init__(self) -> None:
        self.comparison = Comparison(self.folder, self.plan.stills if self.plan and self.folder else (), self.still)

    def still(self, still: StillPlan, picture: Picture, /, *, unlike: bool) -> None:
        """Take an extracted frame beside the picture that is at hand."""
        self.looks.see_still(still.path, self.count, self.time_s, picture, unlike=unlike)

    def fault(self, rule: str, place: str, message: str) -> None:
        self.many.append(Fault(rule, place, message))

    def streams(self, container: av.container.InputContainer) -> None:
        self.faults += _stream_faults(container)

    def packets(self, container: av.container.InputContainer) -> None:
        """Take every packet apart and decode it."""
        stream = container.streams.video[0]
        if stream.codec_context is None:
            self.fault("nal", "header", "the codec is not known, so it cannot be proven clean; release H.264 or HEVC")
            return
        try:
            units = h264.units_of(stream.codec_context.name, bytes(stream.codec_context.extradata or b""))
        except (ValueError, IndexError) as error:
            self.fault("nal", "header", str(error))
            return
        if units.codec == "h264":
            # Then it calls a picture damaged behind which something stands, as far as its coding tells that.
            stream.codec_context.options = {"err_detect": "aggressive"}
        stream.thread_type = "AUTO"
        stream.codec_context.thread_count = decoder_threads()
        inside = h264.Stream()
        self._units(units, inside, "header", list(units.header))
        packets = 0
        for packet in container.demux(stream):
            if packet.size:
                self._packet(units, inside, f"packet {packets}", bytes(packet))
                packets += 1
            try:
                frames = packet.decode()
            except FFmpegError as error:
                frames = []  # the packets behind it can still be judged
                self.fault("unreadable", f"packet {packets - 1}", f"it cannot be decoded ({error.strerror}); render it again")
            for frame in frames:
                self._frame(frame)
        self._counts(packets)
        if stream.time_base is not None:
            self._length(container, stream, float(stream.time_base))

    def _packet(self, units: h264.Units, inside: h264.Stream, place: str, data: bytes) -> None:
        try:
            self._units(units, inside, place, list(h264.split(data, units.length_bytes)))
        except ValueError as error:
            self.fault("nal", place, f"{error}; render it again")

    def _units(self, units: h264.Units, inside: h264.Stream, place: str, data: list[bytes]) -> None:
        for unit in data:
            rule = h264.fault(units.codec, unit)
            if rule:
                what = "an SEI message, which can hold times and texts" if rule == "sei" else "a unit that no picture needs"
                self.fault(rule, place, f"{what} (NAL type {h264.unit_type(units.codec, unit)}, {len(unit)} bytes); strip it")
            if h264.is_picture(units.codec, unit):
                for message in slice_bytes.faults(unit):
                    self.fault("nal", place, f"NAL type {h264.unit_type(units.codec, unit)}: {message}")
        if units.codec == "h264":
            for message in inside.faults(data):
                self.fault("nal", place, message)
        elif h264.hevc_pictures(data) > 1:
            self.fault("nal", place, "more than one picture in a packet, of which only one is shown")

    def _frame(self, frame: av.VideoFrame) -> None:
        place, size_px = f"frame {self.count}", (frame.width, frame.height)
        self.time_s = round(frame.time or 0.0, 6)
        if frame.pts is None or (self.count == 0 and frame.pts != 0):
            message = f"expected the first frame at time 0 and a time for each, but got {frame.pts}; render it again"
            self.fault("timestamps", place, message)
        elif frame.pts <= self.pts:
            self.fault("timestamps", place, f"its time {frame.pts} is not after {self.pts}; render it again")
        if frame.is_corrupt:
            self.fault("unreadable", place, "it is damaged, or bytes stand behind it, so it cannot be proven; render it again")
        self.size_px = self.size_px or (self.plan.size_px if self.plan else None) or size_px
        if size_px != self.size_px:
            self.fault(
                "size", place, f"expected {self.size_px[0]}x{self.size_px[1]} px, but got {size_px[0]}x{size_px[1]} px; render it again"
            )
        hidden = [item for item in self.plan.hidden if item.first <= self.count <= item.last] if self.plan else []
        if hidden or self.comparison.wants(self.count):
            picture = self.reformatter.reformat(frame, format="bgr24").to_ndarray().astype(np.uint8, copy=False)
            for item in hidden:
                message = not_black(picture, item.box_xywh)
                if message:
                    self.fault("not-black", place, message)
            self.comparison.see(self.count, picture)
        if all(item.box_xywh is not None for item in hidden):
            self.looks.see(self.count, self.time_s, frame)
        if frame.pts is not None:
            self.longest = max(self.longest, frame.pts - self.pts) if self.count else 0
            self.pts = frame.pts
        self.count += 1

    def _length(self, container: av.container.InputContainer, stream: av.VideoStream, tick_s: float) -> None:
        """Hold the lengths that the header states to the pictures: that of the source could be looked up."""
        shown_s = (self.pts + self.longest) * tick_s
        stated_s = [] if container.duration is None else [container.duration / av.time_base]
        stated_s += [] if stream.duration is None else [stream.duration * tick_s]
        for length_s in stated_s:
            if self.count and not is_length(length_s, self.pts, self.longest, tick_s):
                message = f"the header states {length_s:.3f} s, but the pictures end at {shown_s:.3f} s: it tells about the source"
                self.fault("container", "duration", message)

    def _counts(self, packets: int) -> None:
        if packets != self.count:
            self.fault("frame-count", "", f"{packets} packets, but {self.count} frames: packets that show nothing can hide something")
        if self.plan is None:
            return
        if self.count != self.plan.frame_count:
            self.fault("frame-count", "", f"expected {self.plan.frame_count} frames, but {self.count} decode; render it again")
        late = [item for item in self.plan.hidden if item.last >= self.plan.frame_count]
        if late:
            self.fault("frame-count", "", f"the plan hides frames up to {late[-1].last} of {self.plan.frame_count}; render it again")


def _stream_faults(container: av.container.InputContainer) -> Iterator[Fault]:
    for stream in container.streams:
        if stream.type != "video":
            yield Fault("streams", f"stream {stream.index}", f"expected one video stream only, but got {stream.type}; strip it")
        for key, value in sorted(stream.metadata.items()):
            if key.upper() != "DURATION" and (key.lower(), value) not in (("language", "und"), ("handler_name", "VideoHandler")):
                yield Fault("container", f"stream {stream.index}", f"the tag {key} = {value!r} may not be in a release; strip all tags")
    if len(container.streams.video) != 1:
        yield Fault("streams", "", f"expected one video stream, but got {len(container.streams.video)}")
    for key, value in sorted(container.metadata.items()):
        if key.lower() not in SHOWN_TAGS and not (key.lower() == "encoder" and value in matroska.WRITERS):
            yield Fault("container", "tags", f"the tag {key} = {value!r} may not be in a release; strip all tags")
    chapters = container.chapters()
    if chapters:
        yield Fault("container", "chapters", f"{len(chapters)} chapters; strip them")


def _first(faults: list[Fault]) -> Iterator[Fault]:
    """Yield the first faults of each rule, the last of them with the number of the others."""
    for rule in dict.fromkeys(fault.rule for fault in faults):
        same = [fault for fault in faults if fault.rule == rule]
        yield from same[: SHOWN - 1] if len(same) > SHOWN else same
        if len(same) > SHOWN:
            last = same[SHOWN - 1]
            yield Fault(rule, last.place, f"{last.message}; and {len(same) - SHOWN} more")
