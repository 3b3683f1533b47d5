"""The plan carried out by encoders: nothing but pictures in the result, at the times of the plan.

Its parameter sets have an id of their own, so that they stand beside those of the source in one header.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import av
import ffmpeg
import numpy as np
import numpy.typing as npt
from av.codec.context import Flags
from av.filter import Graph
from av.video.frame import PictureType

from scrubin.base.errors import VideoError
from scrubin.media import ffmpeg as program
from scrubin.media.colours import (
    BT601,
    MATRICES,
    RGB,
    UNCONVERTED,
    UNKNOWN,
    Coding,
    Colours,
    codings,
    is_rgb,
    rgb_matrix,
    stated,
    unstated_matrix,
)
from scrubin.media.containers import h264
from scrubin.media.ffmpeg import THREADS
from scrubin.media.opening import for_programs
from scrubin.media.probe import Probe, is_full_range
from scrubin.media.structure import COPYABLE_FORMATS
from scrubin.stages.render import RenderParams
from scrubin.stages.render.plan import Hidden, Plan, SourceFile

IMPOSSIBLE = b"Impossible to convert between the formats"
"""What ffmpeg says of a matrix that its filters do not know."""
FIX_CHANGES = "export it upright, with one matrix and one range, or give what comes from there on a file of its own"
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


FLAGS = "bicubic+accurate_rnd+full_chroma_int+bitexact"
"""How ffmpeg converts pictures: to the bit, on every processor."""
GREY = 128
BLACK_TV, BLACK_FULL = 16, 0


class Encoder:
    """One run of frames that follow each other; a new run needs a new encoder.

    Parameters
    ----------
    like, colours
        A stream that is copied beside them, and what its frames state.
    """

    def __init__(self, like: av.VideoStream, colours: Colours, probed: Probe, set_id: int, params: RenderParams) -> None:
        source = like.codec_context
        context = av.CodecContext.create("libx264", "w")
        context.width, context.height = source.width, source.height
        context.pix_fmt = "yuv420p"
        context.time_base, context.framerate = probed.time_base, probed.fps
        if source.sample_aspect_ratio:
            context.sample_aspect_ratio = source.sample_aspect_ratio
        colours.write(context)
        context.thread_count = THREADS
        context.flags |= Flags.global_header | Flags.bitexact
        # cpu-independent: otherwise x264 takes reciprocals from the processor.
        context.options = {
            "preset": params.preset,
            "crf": str(params.crf),
            "x264-params": f"cpu-independent=1:sps-id={set_id}:open-gop=0:fullrange={int(probed.full_range)}",
        }
        context.open()
        self._context = context
        self._black = BLACK_FULL if probed.full_range else BLACK_TV
        self.header = h264.header(bytes(context.extradata or b""))

    def encode(self, frame: av.VideoFrame, number: int, tick: int, plan: Plan) -> Iterator[av.Packet[Any]]:
        """Yield what is ready after this frame.

        Parameters
        ----------
        number, tick
            Number of the frame in the released video, and its time there.
        """
        here = [item for item in plan.hidden if item.first <= number <= item.last]
        fresh = _blackened(frame, here, self._black)
        fresh.pts, fresh.time_base = tick, self._context.time_base
        # A group starts where something is hidden or shown again: a black frame must not be predicted from a shown one.
        starts = any(number in (item.first, item.last + 1) for item in plan.hidden)
        fresh.pict_type = PictureType.I if starts else PictureType.NONE
        yield from self._context.encode(fresh)

    def end(self) -> Iterator[av.Packet[Any]]:
        """Yield the rest."""
        yield from self._context.encode(None)


class Plain:
    """Pictures as 8-bit 4:2:0, in matrix and range of those that are copied beside them.

    Where one of them states its matrix and the other does not, they must be of the same by `unstated_matrix`.

    Parameters
    ----------
    colours, full_range
        Of the copied pictures: what they state, and whether their luma runs from 0 to 255 and not from 16 to 235.
    """

    def __init__(self, colours: Colours, *, full_range: bool) -> None:
        self._matrix, self._full_range = colours.matrix, full_range
        self._graphs: dict[tuple[str, str], Graph] = {}

    def picture(self, frame: av.VideoFrame) -> av.VideoFrame:
        """Return a frame with its time.

        Raises
        ------
        ValueError
            When ffmpeg does not know its matrix, or that of the copied pictures, which may state none, or takes its range for another one.
        """
        if Coding.of(frame).is_misnamed:
            raise ValueError("its range changes from full to video range")
        full_range, matrices = is_full_range(frame), self._matrices(frame)
        if full_range == self._full_range and not matrices and frame.format.name in COPYABLE_FORMATS:
            return frame
        ranges = ["full" if full else "limited" for full in (full_range, self._full_range)]
        conversion = f"in_range={ranges[0]}:out_range={ranges[1]}{matrices}:flags={FLAGS}"
        key = (frame.format.name, conversion)
        if key not in self._graphs:
            self._graphs[key] = _scaling(frame, conversion)
        self._graphs[key].push(frame)
        scaled = self._graphs[key].pull()
        if not isinstance(scaled, av.VideoFrame):
            raise TypeError("a picture came out as none")
        return scaled

    def _matrices(self, frame: av.VideoFrame) -> str:
        """Return what ffmpeg's filter "scale" is told of the matrices of a frame; "" when they are the same or not known."""
        own, wanted = int(frame.colorspace), self._matrix
        rgb = is_rgb(frame.format.name)
        if rgb and wanted == UNKNOWN:
            return ""
        if not rgb and ((own in (wanted, UNKNOWN) and not self._is_doubtful(frame)) or self._is_usual(frame)):
            return ""
        if wanted not in MATRICES or (not rgb and own not in MATRICES):
            raise ValueError(f"nobody converts colours of matrix {own} into those of matrix {wanted} ({UNKNOWN}: not known)")
        if rgb:
            return f":out_color_matrix={MATRICES[wanted]}"
        return f":in_color_matrix={MATRICES[own]}:out_color_matrix={MATRICES[wanted]}" if MATRICES[own] != MATRICES[wanted] else ""

    def _is_usual(self, frame: av.VideoFrame) -> bool:
        """Whether a frame states BT.601 below HD, where everybody takes copied pictures that state no matrix for that as well."""
        return self._matrix == UNKNOWN and MATRICES.get(int(frame.colorspace)) == MATRICES[BT601] == rgb_matrix(frame.width, frame.height)

    def _is_doubtful(self, frame: av.VideoFrame) -> bool:
        """Whether a frame states no matrix, and may have another one than the copied pictures state: then all of its film must be known."""
        if int(frame.colorspace) != UNKNOWN or self._matrix not in MATRICES:
            return False
        return MATRICES[unstated_matrix({self._matrix}, frame.width, frame.height)] != MATRICES[self._matrix]


def _scaling(frame: av.VideoFrame, conversion: str) -> Graph:
    graph = Graph()
    graph.link_nodes(
        graph.add_buffer(width=frame.width, height=frame.height, format=frame.format, time_base=frame.time_base),
        graph.add("scale", conversion),
        graph.add("format", "yuv420p"),
        graph.add("buffersink"),
    ).configure()
    return graph


def _blackened(frame: av.VideoFrame, hidden: list[Hidden], black: int) -> av.VideoFrame:
    """Return a frame of its own memory whose hidden rectangles are black, luma ``black`` and grey chroma."""
    planes: npt.NDArray[np.uint8] = frame.to_ndarray().astype(np.uint8, copy=True)
    height, width = frame.height, frame.width
    luma, chroma = planes[:height], planes[height:].reshape(2, height // 2, width // 2)
    for item in hidden:
        x, y, w, h = item.box_xywh or (0, 0, width, height)
        luma[y : y + h, x : x + w] = black
        chroma[:, y // 2 : (y + h) // 2, x // 2 : (x + w) // 2] = GREY
    return av.VideoFrame.from_ndarray(planes, format="yuv420p")


def bare(packet: bytes | memoryview, length_bytes: int) -> tuple[bytes, bool]:
    """Return the picture of a packet alone, its NAL units behind 4-byte lengths, and whether it is an IDR picture."""
    kept: list[bytes | memoryview] = []
    is_key = False
    for unit in h264.units(packet, length_bytes):
        unit_type = h264.unit_type(unit)
        if unit_type in (h264.SLICE, h264.IDR):
            kept += [len(unit).to_bytes(h264.LENGTH_BYTES, "big"), unit]
            is_key = is_key or unit_type == h264.IDR
    return b"".join(kept), is_key


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
# Matroska states no decoding times, and what ffmpeg guesses for a copy moves frames of a rate that varies: any that are early enough do.
IN_TURN = {"bsf:v": f"{BARE['bsf:v']},setts=pts=PTS:dts=N-1000000000"}


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
        encoded = target.with_name(f"encoded-{target.name}")
        stack.callback(encoded.unlink, missing_ok=True)
        _encode([replace(file, path=path) for file, path in zip(files, paths, strict=True)], target, encoded, plan, params, name)


def _encode(files: Sequence[SourceFile], target: Path, encoded: Path, plan: Plan, params: RenderParams, name: str) -> None:
    steady = plan if len(files) == 1 else _steady(plan)
    frames = plan.first_source_frame + plan.frame_count
    timeout_s = max(SHORTEST_TIMEOUT_S, SECONDS_PER_FRAME * frames)

    def attempted(films: Sequence[_Film]) -> tuple[tuple[str, ...], VideoError | None]:
        pictures = [film.pictures(plan) for film in _beside_each_other(films)]
        joined = pictures[0] if len(files) == 1 else _joined(pictures)
        return _attempted(_encoding(_hidden(joined, steady), encoded, steady, params), name, timeout_s)

    films = [_Film(file, own[1], *stated(file.path, file.name)) for file in files if (own := file.own_plan(plan)) is not None]
    changes, failure = attempted(films)
    if changes or failure:  # A failure alone may come from colours, too: the kept film is decoded again to know.
        films = [film.looked_at() for film in films]
        if changes or any(len(film.codings) > 1 for film in films):
            changes, failure = attempted(films)
    if changes:
        raise VideoError(name, "its pictures change on the way in how players turn or colour them", FIX_CHANGES) from failure
    if failure:
        is_of_colours = isinstance(failure.__cause__, CalledProcessError) and IMPOSSIBLE in failure.__cause__.stderr
        raise next((cause for film in films if is_of_colours and (cause := film.unconverted())), failure) from failure.__cause__
    # The encoder's name is written by encoding alone: a copy without tags is free of it.
    bare = ffmpeg.output(ffmpeg.input(f"file:{encoded}", copyts=None)["v:0"], f"file:{target}", vcodec="copy", **BARE | IN_TURN)
    program.run(bare, name, timeout_s)
    if len(files) > 1:
        target.replace(encoded)
        retimed(encoded, target, plan, STEADY_FPS)


def _attempted(encoding: Any, name: str, timeout_s: float) -> tuple[tuple[str, ...], VideoError | None]:
    """Return why ffmpeg built its filters anew on the way, and why it failed where it did; what takes too long is raised."""
    try:
        return program.run(encoding, name, timeout_s), None
    except VideoError as error:
        cause = error.__cause__
        if not isinstance(cause, CalledProcessError) or cause.returncode < 0:  # ended from outside, as where memory is short
            raise
        return program.changes(cause.stderr), error


def _encoding(stream: Any, target: Path, steady: Plan, params: RenderParams) -> Any:
    return ffmpeg.output(
        stream,
        f"file:{target}",
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


def show_as(target: Path, shown: Fraction, plan: Plan, name: str) -> None:
    """Let a video state how wide it is shown, by its height, whatever its frames say.

    Raises
    ------
    VideoError
        When ffmpeg cannot do it.
    """
    unstated = target.with_name(f"unstated-{target.name}")
    target.replace(unstated)
    copied = ffmpeg.input(f"file:{unstated}", copyts=None)["v:0"]
    aspect = f"{shown.numerator}:{shown.denominator}"
    output = ffmpeg.output(copied, f"file:{target}", vcodec="copy", aspect=aspect, **BARE | IN_TURN)
    program.run(output, name, max(SHORTEST_TIMEOUT_S, SECONDS_PER_FRAME * plan.frame_count))
    unstated.unlink()


@dataclass(frozen=True)
class _Film:
    """A file of which frames are kept, and what ffmpeg has to be told of its colours.

    ffmpeg builds its graph anew where matrix or range change on the way, and would trim, count and time from there on again. For such a
    film the graph stays, and pictures of other colours are converted to those of the first one that is kept.

    Parameters
    ----------
    own
        The plan of its kept frames alone.
    container, shown
        What its container states, and what its first frame does.
    codings
        Of its frames up to the last that is kept, each with the frame from which on it holds; {}: nobody has looked.
    unstated
        The matrix of those of its frames that state none.
    """

    file: SourceFile
    own: Plan
    container: Colours
    shown: Colours
    codings: dict[int, Coding] = field(default_factory=dict)
    unstated: int = UNKNOWN

    @property
    def left_to_container(self) -> bool:
        return self.shown.is_left_to(self.container, self.file.probe.pixel_format)

    @property
    def matrices(self) -> set[int]:
        """Those that are stated, by its frames or for them; of red, green and blue none is, if others are."""
        first = self.container if self.left_to_container else self.shown
        stated = {first.matrix, *(coding.matrix for coding in self.codings.values())} - {UNKNOWN}
        return set() if is_rgb(self.file.probe.pixel_format) else stated - {RGB} or stated

    @property
    def kept(self) -> dict[int, Coding]:
        """The codings of the frames that are kept."""
        first = max((number for number in self.codings if number <= self.own.first_source_frame), default=0)
        return {number: coding for number, coding in self.codings.items() if first <= number}

    @property
    def kept_matrices(self) -> list[int]:
        """Those of the frames that are kept, in their order, also where they are not stated."""
        otherwise = self.container.matrix if self.left_to_container else self.unstated
        stated = [coding.matrix for coding in self.kept.values()] or [self.shown.matrix]
        return [otherwise if matrix == UNKNOWN else matrix for matrix in stated]

    def looked_at(self) -> _Film:
        """Return it with its codings.

        Raises
        ------
        VideoError
            When it cannot be decoded, or changes so that ffmpeg's filters would take its frames for what they are not.
        """
        end = self.own.first_source_frame + self.own.frame_count
        # One frame more: ffmpeg turns it before it knows that no more are kept.
        seen = codings(self.file.path, self.file.name, end + 1)
        film = replace(self, codings={number: coding for number, coding in seen.items() if number < end})
        for number, coding in list(seen.items())[1:]:
            # Rotation stands before all filters of ours, and would read memory that is not its own.
            other_layout = self.file.probe.rotation_deg and coding.layout != seen[0].layout
            # What the container states is written to all frames: none may state another matrix.
            other_matrix = self.left_to_container and coding.matrix not in (UNKNOWN, self.container.matrix)
            no_matrix_and_range = not self.file.probe.pixel_format.startswith("yuv")
            if other_layout or no_matrix_and_range or (number in film.kept and (other_matrix or coding.is_misnamed)):
                raise film._colour_change(number)
        return film

    def _refuse_what_nobody_converts(self, target: str) -> None:
        """Raise a `VideoError` where kept frames of several matrices have one that ffmpeg does not convert, or would take for another."""
        before, change = self.shown.matrix, list(self.codings)[1]
        for number, coding in self.kept.items():
            unconverted = not coding.is_converted or self.shown.matrix not in {UNKNOWN, *MATRICES}
            # ffmpeg takes a frame that states none for one of the matrix that was stated last, or of the one that is wanted.
            taken_for = {target, *(MATRICES.get(matrix) for matrix in {before} - {UNKNOWN})}
            if unconverted or (
                coding.matrix == UNKNOWN and not coding.is_rgb and taken_for != {MATRICES.get(self.unstated, MATRICES[BT601])}
            ):
                raise self._colour_change(max(number, change))
            before = before if coding.matrix == UNKNOWN else coding.matrix

    def unconverted(self) -> VideoError | None:
        """Return the error for a film of which kept frames have a matrix from which ffmpeg converts to no other one."""
        matrix = next((coding.matrix for coding in self.kept.values() if not coding.is_converted), None)
        if matrix is None:
            return None
        called = f" ({UNCONVERTED[matrix]})" if matrix in UNCONVERTED else ""
        return VideoError(self.file.name, f"its colours have matrix {matrix}{called}, which nobody converts", "export it in BT.709")

    def _colour_change(self, number: int) -> VideoError:
        """Return the error for a film whose colours nobody converts from that frame on."""
        return VideoError(self.file.name, f"its colours change at frame {number}", FIX_CHANGES)

    def pictures(self, plan: Plan) -> Any:
        """Return its kept pictures as they are released, all in the colours of the first of them."""
        more = {"reinit_filter": 0} if self.codings else {}
        # `file:` keeps names such as "-" or "concat:a" from being taken for a protocol.
        stream = ffmpeg.input(f"file:{self.file.path}", copyts=None, threads=program.THREADS, **more)["V:0"]
        if self.left_to_container:
            stream = stream.filter("setparams", **_only_in(self.container, self.shown))
        return _plain_picture(self._in_one_matrix(_trimmed(stream, self.own)), plan, self.file)

    def _in_one_matrix(self, stream: Any) -> Any:
        matrices = self.kept_matrices
        becomes_rgb = not is_rgb(self.file.probe.pixel_format) and any(coding.is_rgb for coding in self.kept.values())
        chosen: dict[str, str] = {}
        if becomes_rgb or len({MATRICES.get(matrix, matrix) for matrix in matrices}) > 1:
            target = self._first_matrix()
            self._refuse_what_nobody_converts(target)
            # Otherwise that of the film's first frame, which the graph has.
            chosen = {"out_color_matrix": target} if target != MATRICES.get(self.shown.matrix) else {}
        elif (len(matrices) > 1 or matrices[0] != self.shown.matrix) and not self.left_to_container:
            stream = stream.filter("setparams", colorspace=matrices[0])
        return stream.filter("scale", **chosen, eval="frame", flags=FLAGS) if self.codings else stream

    def _first_matrix(self) -> str:
        """Return the matrix of the first kept frame, as ffmpeg names it; red, green and blue gets that of the first frame of all."""
        if next(iter(self.kept.values())).is_rgb:
            return MATRICES.get(self.shown.matrix, rgb_matrix(self.own.width, self.own.height))
        return MATRICES.get(self.kept_matrices[0], MATRICES[BT601])


def _only_in(container: Colours, shown: Colours) -> dict[str, int]:
    """Return for ffmpeg's filter "setparams" what a container states and the stream does not."""
    both = {
        "colorspace": (container.matrix, shown.matrix),
        "color_primaries": (container.primaries, shown.primaries),
        "color_trc": (container.transfer, shown.transfer),
    }
    return {key: of_container for key, (of_container, of_stream) in both.items() if of_stream == UNKNOWN != of_container}


def _beside_each_other(films: Sequence[_Film]) -> list[_Film]:
    """Return the films of a recording, each with the matrix of its frames that state none."""
    stated = {matrix for film in films for matrix in film.matrices}
    return [replace(film, unstated=unstated_matrix(stated, film.file.probe.width, film.file.probe.height)) for film in films]


def _joined(pictures: Sequence[Any]) -> Any:
    """Return the pictures of several files, one after the other, at a steady rate."""
    steady = [stream.filter("settb", f"1/{STEADY_FPS}").filter("setpts", "N") for stream in pictures]
    return ffmpeg.concat(*steady, v=1, a=0).filter("settb", f"1/{STEADY_FPS}").filter("setpts", "N")


def _steady(plan: Plan) -> Plan:
    """Return the plan with frames at a steady rate: ffmpeg joins files on clocks of its own, and times are written afterwards."""
    return replace(plan, ticks=tuple(range(plan.frame_count)), time_base=Fraction(1, STEADY_FPS))


def _trimmed(stream: Any, plan: Plan) -> Any:
    # By number: the clocks of two readers of AVI differ by a frame, their frames do not.
    first = plan.first_source_frame
    return stream.filter("trim", start_frame=first, end_frame=first + plan.frame_count).filter("setpts", "PTS-STARTPTS")


def _plain_picture(stream: Any, plan: Plan, file: SourceFile) -> Any:
    """Return upright 8-bit 4:2:0 in video range, so that black is the same in every recording.

    What stands beside the pictures of the source stays behind: which views of cameras they hold, for which screen they were made, that they
    were interlaced. The file would tell players to take apart what is whole now.
    """
    x, y = (file.view.x, file.view.y) if file.view else (0, 0)
    stream = stream.filter("crop", plan.width, plan.height, x, y, exact=1)
    # What has red, green and blue gets its matrix here, and says so; any other keeps its own.
    chosen = {"out_color_matrix": rgb_matrix(plan.width, plan.height)} if is_rgb(file.probe.pixel_format) else {}
    stream = stream.filter("scale", out_range="tv", **chosen, flags=FLAGS)
    return stream.filter("format", "yuv420p").filter("setfield", "prog").filter("sidedata", "delete")


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
