"""A video rendered part by part: untouched groups of pictures are copied, the others encoded again.

One pass over the source's packets. On the way, the frames around every seam are decoded as the
source has them; `seams.check` then holds the result to them.
"""

from __future__ import annotations

import hashlib
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.error import FFmpegError

from scrubin.base.errors import VideoError
from scrubin.base.files import FULL
from scrubin.base.machine import decoder_threads
from scrubin.media.colours import Colours, stated
from scrubin.media.containers import h264
from scrubin.media.damage import Marks, listening, with_threads
from scrubin.media.opening import FIX_COPY, open_video, packets
from scrubin.media.probe import Probe, picture_stream
from scrubin.media.structure import Group
from scrubin.stages.render import RenderParams
from scrubin.stages.render.encode import MUXING, Encoder, Plain, bare, decoding_tick, show_as
from scrubin.stages.render.parts import Part, Parts
from scrubin.stages.render.plan import Plan, SourceFile

# More than any decoder holds back (ITU-T H.264, A.3.1: 16 frames): what comes later does not depend on a seam.
SEAM_FRAMES = 32
FIX_REENCODE = "set render.mode to reencode, and please report it with the file"
Witness = dict[int, str]
"""Hashes of decoded source frames near the seams, by released frame number."""


def picture_hash(frame: av.VideoFrame) -> str:
    """Return a hash of the decoded samples."""
    return hashlib.sha256(frame.to_ndarray().tobytes()).hexdigest()


def render(files: Sequence[SourceFile], target: Path, probed: Probe, plan: Plan, parts: Parts, params: RenderParams, name: str) -> Witness:
    """Write the released video and return what its copied frames must decode to near the seams.

    Raises
    ------
    VideoError
        When a source cannot be decoded where it must be.
    ValueError
        When it cannot be copied after all.
    """
    reading = name
    try:
        # One of the files that are copied says under which parameter sets, and how x264's pictures must look beside them.
        copied = _copied_file(files, plan, parts)
        probed = replace(probed, full_range=copied.probe.full_range)
        colours = stated(copied.path, copied.name)[1]
        with (
            _opened_stream(copied) as (_, like),
            av.open(f"file:{target}", "w", format="matroska", options=MUXING) as out,
        ):
            shown = _shown_by_container(like)
            run = _Run(like, colours, out, probed, plan, parts, params)
            for file in files:
                if file.own_plan(plan) is not None:
                    reading = file.name
                    with _opened_stream(file) as (container, stream):
                        run.take_all(file, stream, packets(container, stream, file.name))
            run.end()
    except FFmpegError as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        raise VideoError(reading, f"it cannot be decoded where it is cut or hidden ({error.strerror})", FIX_COPY) from error
    if run.written != plan.frame_count:
        raise VideoError(name, f"only {run.written} of the planned {plan.frame_count} frames can be decoded", FIX_COPY)
    if shown is not None:
        show_as(target, shown, plan, name)
    return run.witness


def _shown_by_container(like: av.VideoStream) -> Fraction | None:
    """Return width by height of the picture as players show it, where the container alone says so; None: its frames say it too."""
    context = like.codec_context
    aspect, of_frames = like.sample_aspect_ratio, context.sample_aspect_ratio or Fraction(1)
    # Matroska states whole pixels of what is shown, which is no other aspect.
    if not aspect or abs(aspect - of_frames) * context.width < 1:
        return None
    return Fraction(context.width, context.height) * aspect


def _copied_file(files: Sequence[SourceFile], plan: Plan, parts: Parts) -> SourceFile:
    """Return the first file of which something is copied."""
    first = next(part.first for part in parts.parts if part.copied)
    wanted = plan.first_source_frame + first
    return next(file for file in files if file.before <= wanted < file.before + file.frame_count)


@contextmanager
def _opened_stream(file: SourceFile) -> Iterator[tuple[av.container.InputContainer, av.VideoStream]]:
    with (
        listening(file.path, file.name),
        open_video(file.path) as container,
        with_threads(picture_stream(container, file.name), decoder_threads()) as stream,
    ):
        yield container, stream


class _Run:
    """The state of one pass: what is written, and the encoder of the run of touched frames that is under way."""

    def __init__(
        self,
        like: av.VideoStream,
        colours: Colours,
        out: av.container.OutputContainer,
        probed: Probe,
        plan: Plan,
        parts: Parts,
        params: RenderParams,
    ) -> None:
        self._like, self._colours = like, colours
        self._out, self._probed, self._plan, self._params = out, probed, plan, params
        self._parts = list(parts.parts)
        self._starts = [part.first for part in parts.parts]
        self._ticks = plan.ticks
        self._stated = h264.header(bytes(like.codec_context.extradata or b""))
        self._set_id = h264.free_id(self._stated.sequences, self._stated.pictures)
        self._encoder: Encoder | None = None
        self._track = self._opened()
        self._plain = Plain(colours, full_range=probed.full_range)
        self._after_encoded = False
        self.written = 0
        self.witness: Witness = {}

    def take_all(self, file: SourceFile, stream: av.VideoStream, packets: Iterator[av.Packet[Any]]) -> None:
        """Write everything of a file that is kept; files come in order."""
        self._file, self._stream = file, stream
        self._marks = Marks(file.path, file.name)
        # Frame n of the file is released frame n - shift.
        self._shift = self._plan.first_source_frame - file.before + file.first
        self._lowest = max(file.before - self._plan.first_source_frame, 0)
        self._highest = min(self._lowest_behind(), self._plan.frame_count) - 1
        self._decoded_count = 0
        groups = file.structure.groups
        self._length_bytes = h264.header(bytes(stream.codec_context.extradata or b"")).length_bytes if groups else 0
        for group in groups or (Group(0, file.probe.frame_count, sys.maxsize, ()),):
            if group.first - self._shift > self._highest:
                break
            self._take(group, packets)

    def end(self) -> None:
        """Write what is held back."""
        self._end_encoder()

    def _lowest_behind(self) -> int:
        return self._file.before + self._file.frame_count - self._plan.first_source_frame

    def _take(self, group: Group, packets: Iterator[av.Packet[Any]]) -> None:
        """Copy or encode the kept frames of the next group of pictures."""
        first = max(group.first - self._shift, self._lowest)
        last = min(group.end - 1 - self._shift, self._highest)
        copied, encoded = self._of(first, last)
        seam = SEAM_FRAMES if copied and not encoded and self._after_encoded else 0
        if copied:
            self._end_encoder()
        for index, packet in zip(range(group.packets), packets, strict=False):
            if index < copied:
                self._copy(packet)
            if encoded or index < seam:
                self._decoded(packet, first + copied, last if encoded else first + seam - 1)
        if encoded or seam:
            self._decoded(None, first + copied, last if encoded else first + seam - 1)
            self._stream.codec_context.flush_buffers()
        if first <= last:
            self._after_encoded = bool(encoded)

    def _of(self, first: int, last: int) -> tuple[int, int]:
        """Return how many of these frames are copied (they come first) and how many encoded."""
        if first > last:
            return 0, 0
        part = self._part(first)
        copied = min(part.last, last) - first + 1 if part.copied else 0
        return copied, last - first + 1 - copied

    def _part(self, number: int) -> Part:
        return self._parts[bisect_left(self._starts, number + 1) - 1]

    def _copy(self, packet: av.Packet[Any]) -> None:
        number = None if packet.pts is None else self._number_at(packet.pts)
        if number is None:
            raise ValueError("a packet without a time of its own cannot be copied")
        data, is_key = bare(memoryview(packet), self._length_bytes)
        self._write(data, self._ticks[number], is_key=is_key)

    def _decoded(self, packet: av.Packet[Any] | None, seam: int, last: int) -> None:
        """Decode a packet (None: what is still held back); encode what is touched, note what lies near a seam."""
        context = self._stream.codec_context
        for frame in context.decode(packet):
            number = self._number(frame)
            if frame.is_corrupt and number is not None:
                if self._file.structure.groups:
                    raise VideoError(self._file.name, f"frame {number + self._shift} is damaged", FIX_COPY)
                self._marks.refuse()  # decoded from its first packet on, as there
            if number is None or number > last:
                continue
            if self._part(number).copied:
                if number < self._plan.frame_count and abs(number - seam) <= SEAM_FRAMES:
                    self.witness[number] = picture_hash(frame)
            else:
                self._encode(frame, number)

    def _encode(self, frame: av.VideoFrame, number: int) -> None:
        if self._encoder is None:
            self._encoder = self._new_encoder()
        for packet in self._encoder.encode(self._plain.picture(frame), number, self._ticks[number], self._plan):
            self._write_encoded(packet)

    def _end_encoder(self) -> None:
        if self._encoder is not None:
            for packet in self._encoder.end():
                self._write_encoded(packet)
        self._encoder = None

    def _write_encoded(self, packet: av.Packet[Any]) -> None:
        data, is_key = bare(memoryview(packet), 0)
        self._write(data, int(packet.pts or 0), is_key=is_key)

    def _write(self, data: bytes, tick: int, *, is_key: bool) -> None:
        packet: av.Packet[Any] = av.Packet(data)
        packet.pts, packet.dts = tick, decoding_tick(self._ticks, self.written)
        packet.time_base = self._probed.time_base
        packet.is_keyframe = is_key
        packet.stream = self._track
        try:
            self._out.mux_one(packet)
        except FFmpegError as error:
            if isinstance(error, OSError) and error.errno in FULL:
                raise
            raise ValueError(f"packet {self.written} cannot be written ({error.strerror})") from error
        self.written += 1

    def _number(self, frame: av.VideoFrame) -> int | None:
        """Return the released number of a decoded frame; None when it is not kept."""
        if self._file.structure.groups:
            return None if frame.pts is None else self._number_at(frame.pts)
        # A file of which nothing can be copied is decoded from its start, so its frames can be counted.
        self._decoded_count += 1
        return self._kept(self._decoded_count - 1)

    def _number_at(self, pts: int) -> int | None:
        index = bisect_left(self._file.probe.pts, pts)
        return self._kept(index) if index < self._file.probe.frame_count and self._file.probe.pts[index] == pts else None

    def _kept(self, index: int) -> int | None:
        number = index - self._shift
        return number if self._lowest <= number <= self._highest else None

    def _new_encoder(self) -> Encoder:
        return Encoder(self._like, self._colours, self._probed, self._set_id, self._params)

    def _opened(self) -> av.VideoStream:
        """Open the track with the parameter sets of the source and of the encoder side by side."""
        mine = self._new_encoder().header
        track = self._out.add_stream_from_template(self._like, opaque=True)
        track.metadata.clear()
        self._colours.write(track.codec_context)  # its container may say otherwise than its frames
        sequences, pictures = self._stated.sequences + mine.sequences, self._stated.pictures + mine.pictures
        track.codec_context.extradata = h264.avcc(sequences, pictures)
        return track
