"""What a video file holds: exact rate, shape of its pixels, every timestamp; or why it cannot be opened.

For the times every packet is read, none is decoded: a header may claim what the file does not have. Of an anamorphic video, players show a
picture of another shape than its pixels have.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.base.errors import VideoError
from scrubin.base.faults import count_text
from scrubin.base.machine import decoder_threads
from scrubin.media.containers import h264
from scrubin.media.containers.edit_list import FIX_ORDER, boxes, edit_lists
from scrubin.media.containers.pieces import UnreadableError
from scrubin.media.containers.transport import TABLE_OF_PROGRAMS, first_breaks, joins
from scrubin.media.damage import damage, listening, times_restart_error, with_threads
from scrubin.media.opening import (
    FIX_COPY,
    FIX_MISSING_TIMES,
    FIX_TIMES,
    content,
    is_dicom,
    open_video,
    packets,
    refuse_other_count,
    refuse_truncated,
)
from scrubin.media.upright import is_mirrored

FIX_EXPORT = "export it again from the recorder, or remove its rows from recordings.csv"
FIX_UNFINISHED = (
    "copy it again from the recorder; if it is the same there, repair it with the recorder's own function, or with a program such as "
    "untrunc and a whole file of the same recorder"
)
UNFINISHED = "it is unfinished: its index (moov) is missing; the recorder was stopped before it closed the file, or its end was not copied"
FIX_OBJECT = "export it again from the archive (PACS): each recording as one film without edits, in an object of its own"


def unreadable(path: Path, name: str, error: FFmpegError) -> VideoError:
    """Return the error for a file that FFmpeg cannot open.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it.
    error
        What FFmpeg said.
    """
    if isinstance(error, UnreadableError):
        return VideoError(name, error.reason, error.fix)
    if not isinstance(error, OSError) and is_unfinished(path):
        return VideoError(name, UNFINISHED, FIX_UNFINISHED)
    return VideoError(name, f"it cannot be read as a video ({error.strerror})", FIX_EXPORT)


def is_unfinished(path: Path) -> bool:
    """Return whether a file is an MP4 or MOV that has pictures and no index of them (ISO/IEC 14496-12, 4.2: boxes)."""
    kinds = {kind for kind, _ in boxes(content(path))}
    return b"mdat" in kinds and not {b"moov", b"moof"} & kinds


SMALLEST_PX = 16
# 25 and 24.975 differ by a thousandth; a rate this close to a usual one is that one.
SNAP_SHARE = Fraction(1, 10_000)
# Frame distances within this share of the median still count as constant rate.
JITTER_SHARE = 0.1
FINE_CLOCK_S = Fraction(1, 900)
VIDEO_RANGE, FULL_RANGE = 1, 2  # AVCOL_RANGE_MPEG, AVCOL_RANGE_JPEG
MOST_REORDERED = 16
"""So many frames may be decoded before one that is shown before them (ITU-T H.264, A.3.1: MaxDpbFrames)."""
ORDER_FRAMES = 32
"""So many frames behind the one that tells most of their order are looked at, where it may be wrong: a film may begin without B-frames."""
MOST_ORDER_FRAMES = 512
"""No more are looked at in front of that one, either: a film may have its first B-frames after an hour. Who decodes all looks at all."""
TIMED_CONTAINERS = frozenset(["mov", "matroska", "mpegts", "flv"])
"""Others, such as AVI, MPEG and bare H.264, state when a packet is decoded, not when each is shown."""
STATES_TIMES = frozenset(["mov", "matroska", "mpegts", "mpeg", "flv"])
"""In others FFmpeg may guess another time for a frame than for its packet."""
CLOCK_TICKS = {"mpegts": 1 << 33, "mpeg": 1 << 33, "flv": 1 << 32, "asf": 1 << 32}
"""Behind so many the clock of a container begins at 0 again (ISO/IEC 13818-1, 2.4.3.7: PTS)."""
MOST_AT_WRAP_S = 60
"""A film goes on at least so soon where its clock begins at 0 again because it has no higher number."""
FIX_LEADING = (
    "put the pieces of the film together as one file, in their order, as of VOB or MPG with: cat FIRST FILE > WHOLE; "
    "of TS with: ffmpeg -i 'concat:FIRST|FILE' -map 0:v:0 -c copy WHOLE.mkv; where there is no piece before it, let FFmpeg leave out "
    "what cannot be decoded: ffmpeg -i FILE -map 0:v:0 -fps_mode passthrough -c:v libx264 -crf 15 a.mkv"
)
FIX_CODEC = "export it as H.264, or ask the maker of the recorder for a converter"


@dataclass(frozen=True)
class Probe:
    """What one video file holds.

    Parameters
    ----------
    times_s
        Presentation time of every frame in exact seconds from the first one, increasing.
    pts, time_base
        The same as the file has it: ``pts * time_base`` is the file's own clock.
    end_s
        End of the last frame, in exact seconds from the first frame.
    fps
        Exact frame rate; the average where the rate varies.
    width, height
        As displayed, after ``rotation_deg``, the clockwise rotation that players apply.
    full_range
        Whether luma runs from 0 to 255 (JPEG range) and not from 16 to 235.
    """

    container: str
    codec: str
    pixel_format: str
    width: int
    height: int
    rotation_deg: int
    fps: Fraction
    variable_rate: bool
    pts: tuple[int, ...]
    time_base: Fraction
    end_s: Fraction
    has_audio: bool
    full_range: bool

    @property
    def times_s(self) -> tuple[Fraction, ...]:
        """Presentation times in exact seconds from the first frame."""
        return tuple((pts - self.pts[0]) * self.time_base for pts in self.pts)

    @property
    def frame_count(self) -> int:
        """Number of frames that have a presentation time."""
        return len(self.pts)


def probe(path: Path, name: str) -> Probe:
    """Read a video file to its end and return what it holds.

    Parameters
    ----------
    path
        The file.
    name
        The file as the curator knows it, for messages.

    Raises
    ------
    VideoError
        When it is no video, truncated, has no usable picture or no usable times.
    """
    try:
        with listening(path, name), open_video(path) as container:
            return _probe_open(path, container, name)
    except FFmpegError as error:
        raise unreadable(path, name, error) from error
    except VideoError as error:
        if "(PACS)" not in error.fix and is_dicom(path):
            raise VideoError(name, error.reason, FIX_OBJECT) from error  # what mends a file of a recorder mends no object
        raise


def picture_stream(container: av.container.InputContainer, name: str) -> av.VideoStream:
    """Return the one stream of moving pictures; a cover picture is none.

    Raises
    ------
    VideoError
        When there is none, or more than one, or nobody can decode it.
    """
    pictures = [stream for stream in container.streams.video if not _is_cover(stream)]
    if not pictures:
        raise VideoError(name, "it has no video stream", FIX_EXPORT)
    if len(pictures) > 1:
        raise VideoError(name, f"it has {len(pictures)} video streams", "export one view per file, and name each in recordings.csv")
    if pictures[0].codec_context is None:
        raise VideoError(name, "no decoder knows its codec", FIX_CODEC)
    return pictures[0]


def _probe_open(path: Path, container: av.container.InputContainer, name: str) -> Probe:
    stream = picture_stream(container, name)
    if not stream.time_base:
        raise VideoError(name, "its video stream has no clock", FIX_EXPORT)
    edits = edit_lists(content(path)) if container.format.name.startswith("mov") else []
    for one in edits:
        one.refuse_unread(name)
    time_base = Fraction(stream.time_base)
    pts, last_duration = _packet_times(path, container, stream, name)
    for one in edits:
        one.refuse_hiding(pts, name)
    times = sorted(set(pts))
    if not times:
        raise VideoError(name, "it holds no frame with a time", FIX_EXPORT)
    if len(times) != len(pts):
        raise VideoError(name, f"{len(pts) - len(times)} frames share their time with another", FIX_EXPORT)
    refuse_other_count(path, len(times), stream.frames)
    fps, variable, frame_s = _rate(times, time_base, last_duration, stream)
    end_s = (times[-1] - times[0]) * time_base + frame_s
    count = _telling_frames(pts, reorders=stream.codec_context.has_b_frames) if is_timed(container) else 1
    first, begins_with_key = _first_frame(path, name, count)
    are_all_there = container.format.name.startswith("mov") and 0 < stream.frames <= len(times)
    if not are_all_there or any(len(one.shown) > 1 for one in edits):
        refuse_truncated(path, container, stream, times[0] * time_base, end_s, name)
    if begins_with_key and container.format.name.split(",")[0] in STATES_TIMES and first.pts is not None:
        _refuse_leading(sum(time < first.pts for time in times[:MOST_REORDERED]), name)
    rotation = -first.rotation % 360  # PyAV counts anti-clockwise
    width, height = (first.height, first.width) if rotation % 180 else (first.width, first.height)
    return Probe(
        container=container.format.name,
        codec=stream.codec_context.name,
        pixel_format=first.format.name,
        width=width,
        height=height,
        rotation_deg=rotation,
        fps=fps,
        variable_rate=variable,
        pts=tuple(times),
        time_base=time_base,
        end_s=end_s,
        has_audio=bool(container.streams.audio),
        full_range=is_full_range(first),
    )


def is_timed(container: av.container.InputContainer) -> bool:
    """Return whether an open file states of every frame when it is shown, so that frames come out in the order of their times."""
    return container.format.name.split(",")[0] in TIMED_CONTAINERS


def order_error(name: str, number: int, time_s: Fraction, before_s: Fraction) -> VideoError:
    """Return the error for a frame whose time is earlier than that of the one before it; both in seconds from the first frame."""
    reason = (
        f"its times are not in the order of its pictures: frame {number} is shown at {float(time_s):.3f} s, "
        f"frame {number - 1} before it at {float(before_s):.3f} s"
    )
    return VideoError(name, reason, FIX_ORDER)


def _telling_frames(pts: Sequence[int], *, reorders: bool) -> int:
    """Return how many frames tell whether a film's times are in the order of its pictures.

    Those up to the packet that is shown before most of the packets in front of it: where its decoder brings these into order, it does so
    with all behind them; but not more than `MOST_ORDER_FRAMES`. Nothing can be wrong, and one frame will do, where all packets are in
    order and the stream has no B-frames.
    """
    ranks = np.argsort(np.argsort(np.array(pts, dtype=np.int64), kind="stable"))
    early = np.arange(len(ranks)) - ranks
    return ORDER_FRAMES + min(MOST_ORDER_FRAMES, int(early.argmax())) if reorders or early.any() else 1


def _refuse_disorder(times: Sequence[int], tick_s: Fraction, name: str) -> None:
    for number, (before, time) in enumerate(pairwise(times), start=1):
        if time < before:
            raise order_error(name, number, (time - times[0]) * tick_s, (before - times[0]) * tick_s)


def _refuse_leading(count: int, name: str) -> None:
    if count:
        frames = f"first {count} frames need" if count > 1 else "first frame needs"
        raise VideoError(name, f"its {frames} pictures of a file before it to be decoded, as where a film was cut into pieces", FIX_LEADING)


def is_full_range(frame: av.VideoFrame) -> bool:
    """Return whether luma of a frame runs from 0 to 255 and not from 16 to 235.

    Where the range changes on the way, FFmpeg keeps a format that says full range ("yuvj"): what the frame itself states holds.
    """
    return frame.color_range == FULL_RANGE or (frame.format.name.startswith("yuvj") and frame.color_range != VIDEO_RANGE)


def _is_cover(stream: av.VideoStream) -> bool:
    return bool(stream.disposition & av.stream.Disposition.attached_pic)


def _packet_times(path: Path, container: av.container.InputContainer, stream: av.VideoStream, name: str) -> tuple[list[int], int]:
    """Return the pts of all shown frames, and how long the last one is shown (0: not stated)."""
    pts: list[int] = []
    positions: list[int] = []
    damaged: list[tuple[int, int]] = []  # when they are shown, and how many ticks are in front of them
    dts: list[int] = []
    untimed = 0
    last = (-(2**63), 0)
    backwards: list[tuple[int, int, int]] = []  # by how much, and how many frames and ticks are in front of it
    elapsed = 0  # ticks of decoding, without those by which the clock jumps where it begins again
    fields = _Fields(stream)
    second = round(1 / stream.time_base) if stream.time_base else 0
    wrap = CLOCK_TICKS.get(container.format.name.split(",")[0], 0)
    for packet in packets(container, stream, name):
        if packet.is_discard:
            continue  # hidden by an edit list: players do not show it
        fields.look_at(packet)
        if packet.dts is not None:
            back = _back(dts[-1], packet.dts, wrap, MOST_AT_WRAP_S * second) if dts else 0
            if back > 0:
                backwards.append((back, len(pts) + untimed, elapsed))
            elapsed -= min(back, 0)
            dts.append(packet.dts)
        if packet.is_corrupt:
            damaged.append((packet.pts if packet.pts is not None else last[0], elapsed))
        if packet.pts is None:
            untimed += 1
        else:
            pts.append(packet.pts)
            positions.append(-1 if packet.pos is None else packet.pos)
            last = max(last, (packet.pts, packet.duration or 0))
    joined_at = _joined_at(path, container, stream, len(damaged), name)
    if damaged or joined_at:
        # Where FFmpeg does not know the byte of a packet, it is behind the one in front of it.
        pieces = np.split(np.array(pts, dtype=np.int64), np.searchsorted(np.maximum.accumulate(positions), joined_at))
        # FFmpeg marks one of the last packets; where another recording begins, the very last one is known.
        restarts = any(back > second for back, *_ in backwards)
        if joined_at and pieces[0].size:
            ticks = int(np.ptp(pieces[0]))
        else:
            place, in_front = damaged[0]
            ticks = in_front if restarts else place - min(pts, default=place)
        at_s = max(0.0, float(ticks * Fraction(stream.time_base or 0)))
        how = {"times_restart": restarts, "times_go_on": bool(joined_at) and _go_on(pieces)}
        raise damage(path, name, len(damaged), at_s, joined_at=joined_at, **how)
    # What goes back by less than a frame is a guess of FFmpeg, as for a second field. Matroska has no such times, so all are guesses;
    # those of an MP4 go back with its edits.
    least = second + 1 if container.format.name.split(",")[0] in ("matroska", "mov") else _frame_ticks(dts)
    restart = next(((frames, ticks) for back, frames, ticks in backwards if back >= least), None)
    if restart is not None:
        raise times_restart_error(name, restart[0], float(restart[1] * Fraction(stream.time_base or 0)))
    if untimed or fields.seen:
        # AVI and raw streams state decoding times only: the decoder knows the order of the frames, and which fields are one.
        return _decoded_times(path, name), 0
    if container.format.name == "avi" and stream.codec_context.name in ("h264", "hevc") and len(set(np.diff(dts))) > 1:
        return _times_around_gaps(path, name, pts, last[1])
    if container.format.name == "avi" and dts:
        # For FFmpeg each packet lasts a tick, and so soon behind the last one it shows a frame; a frame may be several ticks.
        step = _frame_ticks(dts)
        return [dts[-1] + step if dts[-1] < time <= dts[-1] + last[1] else time for time in pts], step
    return pts, last[1]


def _back(before: int, dts: int, wrap: int, most: int) -> int:
    """Return by how much a clock goes back between two packets; below 0: it goes on.

    FFmpeg takes a clock that begins again for one that had no higher number, and goes on counting behind that: a gap of about a day.
    """
    step = dts - before
    return wrap - step if wrap and ((before < wrap <= dts and step > most) or step > wrap // 2) else -step


def _frame_ticks(dts: Sequence[int]) -> int:
    """Return the usual step between packets: one that there is, also where half of them are longer."""
    steps = np.diff(np.array(dts, dtype=np.int64))
    return int(np.quantile(steps[steps > 0], 0.5, method="lower")) if np.any(steps > 0) else 1


class _Fields:
    """Sees whether packets hold half a frame each, as some recorders of interlaced H.264 write them."""

    def __init__(self, stream: av.VideoStream) -> None:
        self.seen = False
        self._stated: tuple[int, h264.Sequence264] | None = None
        if stream.codec_context.name == "h264":
            with suppress(ValueError):
                header = h264.header(bytes(stream.codec_context.extradata or b""))
                interlaced = [one for one in map(h264.sequence, header.sequences) if not one.progressive]
                self._stated = (header.length_bytes, interlaced[0]) if interlaced else None

    def look_at(self, packet: av.Packet[Any]) -> None:
        if self._stated is not None and not self.seen:
            with suppress(ValueError):  # it is damaged: whoever decodes it says where
                self.seen = h264.is_field(memoryview(packet), *self._stated)


def _go_on(pieces: Sequence[npt.NDArray[np.int64]]) -> bool:
    """Whether the times of each piece begin a frame behind the last one of the piece before it."""
    lengths = np.diff(np.unique(np.concatenate(pieces)))
    frame = float(np.median(lengths)) if lengths.size else 0.0
    steps = [later.min() - earlier.max() for earlier, later in pairwise(pieces) if earlier.size and later.size]
    return all(frame / 2 < step < frame * 3 / 2 for step in steps)


def _joined_at(path: Path, container: av.container.InputContainer, stream: av.VideoStream, marked: int, name: str) -> tuple[int, ...]:
    """Return the bytes at which other recordings begin where that is all that the counts of a transport stream can mean; () otherwise.

    FFmpeg marks a packet when the count of its parts breaks behind it. Where it marks none, we count.
    """
    if container.format.name != "mpegts":
        return ()
    breaks = {} if marked else first_breaks(content(path), (stream.id, TABLE_OF_PROGRAMS))
    places = (joins(content(path), stream.id) or ()) if marked or breaks else ()
    if stream.id in breaks and not places:
        raise VideoError(name, f"packets of its pictures are missing in front of byte {breaks[stream.id]}", FIX_COPY)
    return places if len(places) >= marked else ()  # FFmpeg marks none where the count happens to go on


def _decoded_times(path: Path, name: str) -> list[int]:
    with open_video(path) as container:  # winding to 0 would leave out what is in front of it
        stream = picture_stream(container, name)
        stated = [frame.pts for frame in container.decode(stream)]
        tick_s = Fraction(stream.time_base or 0)
        is_matroska = container.format.name.startswith("matroska")
    times = [time for time in stated if time is not None]
    if len(times) != len(stated):
        raise VideoError(
            name,
            f"{count_text(len(stated) - len(times), 'frame')} of {len(stated)} have no time",
            FIX_TIMES if is_matroska else FIX_MISSING_TIMES,
        )
    if not times:
        return times
    ticks = np.array(times, dtype=np.int64)
    # A decoder's guesses change places with their neighbours; where another file begins, frames change them with half of a film.
    if np.abs(np.argsort(ticks, kind="stable") - np.arange(len(ticks))).max() > MOST_REORDERED:
        frame = int((np.maximum.accumulate(ticks) - ticks).argmax())
        raise times_restart_error(name, frame, float(int(np.ptp(ticks[:frame])) * tick_s))
    return times


def _times_around_gaps(path: Path, name: str, guessed: list[int], guessed_last: int) -> tuple[list[int], int]:
    """Return when the frames of an AVI are shown from which a recorder dropped some, leaving empty chunks, and for how long the last one.

    AVI says when a packet is decoded. For H.264 FFmpeg takes the time of the packet behind it for that at which it is shown, which is the
    same but for a constant where no frame is missing. A frame is shown when the packet is decoded that lets the decoder give it away.
    """
    with suppress(FFmpegError), open_video(path) as container:
        with with_threads(picture_stream(container, name), decoder_threads()) as stream:
            stated = [frame.dts for frame in container.decode(stream)]
        known = [time for time in stated if time is not None]
        # Behind the last packet it gives away what it still holds; a frame may last several ticks.
        step = _frame_ticks(known)
        times = [*known, *(known[-1] + late * step for late in range(1, len(stated) - len(known) + 1))] if known else []
        if len(times) == len(guessed):
            return times, step
    return guessed, guessed_last  # it is damaged: whoever decodes it says where


def _first_frame(path: Path, name: str, count: int) -> tuple[av.VideoFrame, bool]:
    """Return the first frame that is shown, and whether the first packet is a key frame.

    Parameters
    ----------
    count
        Refuse a film of which so many frames from the first one on are not in the order of their times.
    """
    first: av.VideoFrame | None = None
    first_packet, begins_with_key, times = b"", False, []
    with open_video(path) as container:  # opened anew: winding to 0 would leave out what is in front of it
        stream = picture_stream(container, name)
        try:
            for packet in container.demux(stream):
                begins_with_key = begins_with_key or (not first_packet and packet.is_keyframe)
                first_packet = first_packet or bytes(packet)
                for frame in packet.decode():
                    if first is None:
                        _refuse_unusual(frame, first_packet, name)
                        first = frame
                    times.append(frame.pts)
                if len(times) >= count:
                    break
        except FFmpegError:
            if first is None:
                raise  # behind it, whoever decodes all says where it is damaged
        if first is None:
            raise VideoError(name, "none of its frames can be decoded", FIX_COPY)
        _refuse_disorder([time for time in times if time is not None], Fraction(stream.time_base or 0), name)
    return first, begins_with_key


def _refuse_unusual(frame: av.VideoFrame, packet: bytes, name: str) -> None:
    if frame.width < SMALLEST_PX or frame.height < SMALLEST_PX:
        raise VideoError(name, f"its picture is {frame.width}x{frame.height}", FIX_EXPORT)
    if frame.rotation % 90:
        raise VideoError(name, f"it is rotated by {frame.rotation} degrees", "export it upright")
    if is_mirrored(frame, packet):
        raise VideoError(
            name, "players show its mirror image, or what it says of that is not known", "export it upright, as it is to be seen"
        )


def _rate(times: list[int], time_base: Fraction, last_duration: int, stream: av.VideoStream) -> tuple[Fraction, bool, Fraction]:
    """Return the exact rate, whether it varies, and how long the last frame is shown."""
    declared = Fraction(stream.guessed_rate or stream.average_rate or 0)
    if len(times) == 1:
        frame_s = last_duration * time_base or (1 / declared if declared else time_base)
        return declared or 1 / frame_s, False, frame_s
    steps = np.diff(np.array(times, dtype=np.int64))
    median = float(np.median(steps))
    # Matroska rounds times to its clock of 1 ms, so there one tick is no variation; in AVI a tick is a whole frame.
    rounding = 1.0 if time_base <= FINE_CLOCK_S else 0.5
    variable = bool(np.any(np.abs(steps.astype(np.float64) - median) > max(rounding, JITTER_SHARE * median)))
    average = Fraction(len(times) - 1) / ((times[-1] - times[0]) * time_base)
    if variable:
        frame_s = last_duration * time_base or Fraction(int(median)) * time_base
        return average.limit_denominator(1001), True, frame_s
    if rounding < 1 and JITTER_SHARE * median < rounding and not np.ptp(steps):
        declared = average  # a frame is so few ticks that none of them is rounding
    exact = _constant_rate(declared, average, time_base, times)
    return exact, False, 1 / exact


def _constant_rate(declared: Fraction, average: Fraction, time_base: Fraction, times: list[int]) -> Fraction:
    # Matroska states a frame's length in nanoseconds, which makes 19001/317 of 60000/1001.
    snapped = [rate for rate in _standard_rates(declared) if rate and abs(declared / rate - 1) < SNAP_SHARE]
    # A rate counts only when it explains the last frame's time to within its rounding.
    span = (times[-1] - times[0]) * time_base
    for candidate in (*snapped, declared, *_standard_rates(average)):
        if candidate > 0 and abs((len(times) - 1) / candidate - span) <= 2 * time_base:
            return candidate
    return average


def _standard_rates(near: Fraction) -> tuple[Fraction, Fraction]:
    return Fraction(round(near)), Fraction(round(near * Fraction(1001, 1000)) * 1000, 1001)


SQUARE_PIXEL = Fraction(1)
QUARTER_TURN_DEG = 90


def released_pixel_aspect(folder: Path, path: str) -> Fraction:
    """Return the same as `pixel_aspect_of` of a released video in a folder; no player rotates it."""
    return pixel_aspect_of(folder / path, path)


def pixel_aspect_of(path: Path, name: str, rotation_deg: int = 0) -> Fraction:
    """Return the width of a pixel as a multiple of its height, in the picture as players show it; 1 where the file says nothing.

    Parameters
    ----------
    path, name
        The file, and what messages call it.
    rotation_deg
        By how much players rotate it.

    Raises
    ------
    VideoError
        When it cannot be read.
    """
    try:
        with open_video(path) as container:
            aspect = picture_stream(container, name).sample_aspect_ratio
    except FFmpegError as error:
        raise unreadable(path, name, error) from error
    upright = Fraction(aspect or SQUARE_PIXEL)
    return 1 / upright if rotation_deg % (2 * QUARTER_TURN_DEG) == QUARTER_TURN_DEG else upright
