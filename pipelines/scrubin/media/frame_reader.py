"""Any frame of a video file by its number, exact: the picture that decoding from the first packet gives.

A number is never guessed from a time. Decoding starts at a key frame that resets the decoder, and a
frame counts only when it says itself which one it is: by its presentation time, or, where a
container has none, by its place among all packets of the file. Where that does not come out, frames
are counted from the start of the file, which is slow and never wrong. Released videos are read by
`scrubin.media.released.clocked_reader`, which says why there are two.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Protocol

import av
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.base.errors import VideoError
from scrubin.media.decode import FIX_LEFT_OUT, Access, RandomAccess, decoded
from scrubin.media.opening import FIX_COPY, open_video, packets
from scrubin.media.probe import TIMED_CONTAINERS, Probe, picture_stream
from scrubin.media.upright import Picture, upright

# So many frames are decoded rather than looked for: finding a key frame costs about as much.
NEAR_FRAMES = 8
MOST_SEEKS = 20
STEPS_BACK_S = (0, 1, 4)
FIX_CHANGED = "run scrubin again from the stage ingest on, and leave the file alone while it is looked at"


class FrameReader:
    """Reads frames of one video file; keeps its decoder open, so that the next frame costs one decode.

    Not for several threads at once.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it, for messages.
    probe
        What it holds, see `scrubin.media.probe.probe`.

    Raises
    ------
    VideoError
        When the file is not there.
    """

    def __init__(self, path: Path, name: str, probe: Probe) -> None:
        self._path, self._name, self._pts = path, name, probe.pts
        self._identity = self._current_identity()
        timed = probe.container.split(",")[0] in TIMED_CONTAINERS
        self._by_place = _ByPlace(path, name, probe)
        self._ways: list[_Way] = [_ByTime(path, name, probe), self._by_place] if timed else [self._by_place]
        self._timed = timed
        self._run: _Run | None = None
        self._broken: tuple[int, VideoError] | None = None

    def picture(self, number: int) -> Picture:
        """Return a frame as it is displayed: blue, green and red, shape (height, width, 3).

        Raises
        ------
        VideoError, ValueError
            As `frame` does.
        """
        return upright(self.frame(number))

    def frame(self, number: int) -> av.VideoFrame:
        """Return a frame as it was decoded, not yet upright.

        Raises
        ------
        VideoError
            When the frame cannot be decoded, or the file is gone or another one since it was opened.
        ValueError
            When the file has no frame of this number.
        """
        if not 0 <= number < len(self._pts):
            raise ValueError(f"{self._name} has frames 0 to {len(self._pts) - 1}, not {number}")
        self._refuse_changed()
        try:
            frame = self._frame(number)
        except VideoError:
            self._refuse_changed()  # the better reason
            raise
        self._refuse_changed()
        return frame

    def count_from_now_on(self) -> None:
        """Count every frame from the start of the file: for whoever has reason to doubt a picture."""
        if self._ways:
            self.close()
            self._ways = []

    def close(self) -> None:
        """Close the file; the next picture opens it again."""
        self._stop()
        for way in self._ways:
            way.close()

    def _frame(self, number: int) -> av.VideoFrame:
        for way in list(self._ways):
            try:
                return self._not_accused(number, way)
            except _UnsureError:
                self._stop()
                way.close()
                self._ways.remove(way)
            except (VideoError, FFmpegError, IndexError):
                self._stop()
                break  # damaged, here or for good: counting says which frame it is
        if self._broken and number >= self._broken[0]:
            raise self._broken[1]
        try:
            return self._on_the_way(number, None)
        except VideoError as error:
            self._broken = self._run.next if self._run else 0, error
            self._stop()
            raise

    def _not_accused(self, number: int, way: _Way) -> av.VideoFrame:
        try:
            return self._on_the_way(number, way)
        except _AccusedError:
            self._stop()
            way.close()
            return self._on_the_way(number, way)

    def _on_the_way(self, number: int, way: _Way | None) -> av.VideoFrame:
        """Return a frame from the run that is open if it leads there, or else from a new one."""
        run = self._run
        if run is None or not run.next <= number <= run.next + NEAR_FRAMES:
            start = way.start_before(number) if way else None
            if run is None or number < run.next or (start is not None and start.number > run.next):
                self._stop()
                run = self._run = _Run(way.frames_from(start) if way and start else self._counted())
        for at, frame in run.frames:
            run.next = at + 1
            if at == number:
                return frame
            if at > number:
                break
        if way:
            raise _UnsureError
        raise VideoError(self._name, f"only {run.next} of its {len(self._pts)} frames can be decoded", FIX_COPY)

    def _counted(self) -> Generator[tuple[int, av.VideoFrame]]:
        timed = self._timed or self._by_place.timed
        for number, frame in enumerate(decoded(self._path, self._name)):
            # A decoder may leave out a damaged frame and say nothing; FFmpeg's also one in front of B-frames that begin late unannounced.
            if timed and self._pts[number : number + 1] != (frame.pts,):
                raise VideoError(self._name, f"frame {number} is damaged, or left out by its decoder", FIX_LEFT_OUT)
            yield number, frame

    def _stop(self) -> None:
        if self._run is not None:
            self._run.frames.close()
            self._run = None

    def _current_identity(self) -> tuple[int, ...]:
        try:
            status = self._path.stat()
        except OSError as error:
            raise VideoError(self._name, f"it cannot be read any more ({error.strerror})", FIX_CHANGED) from error
        return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev

    def _refuse_changed(self) -> None:
        if self._current_identity() != self._identity:
            self.close()
            raise VideoError(self._name, "it was changed or replaced while it was read", FIX_CHANGED)


class _UnsureError(Exception):
    """A frame does not say which one it is."""


class _AccusedError(Exception):
    """Threads that share pictures mark a frame as damaged; it may be whole (see `scrubin.media.damage.Marks`)."""


@dataclass
class _Run:
    """Frames with their numbers, one after the other; ``next`` is the number that the next one should have."""

    frames: Generator[tuple[int, av.VideoFrame]]
    next: int = 0


@dataclass(frozen=True)
class _Start:
    """A packet at which decoding can start.

    Parameters
    ----------
    number
        Of the first frame that counts.
    seek
        The time stamp to which the file is wound so that the packet comes next, or soon.
    mark
        What tells the packet from others: its presentation time, or its place among all packets.
    """

    number: int
    seek: int
    mark: int


class _Way(Protocol):
    """A way to reach a frame without decoding all before it."""

    def start_before(self, number: int) -> _Start | None:
        """Return a start at or before a frame, as late as it is easily found; None: only the start of the file will do."""

    def frames_from(self, start: _Start) -> Generator[tuple[int, av.VideoFrame]]:
        """Yield frames with their numbers, in order without gaps; `_UnsureError` when that cannot be said."""

    def close(self) -> None:
        """Close all files."""


class _Opened:
    """An open file, its stream of pictures, and what its packets are to a decoder."""

    def __init__(self, path: Path, name: str, threads: Literal["AUTO", "SLICE"]) -> None:
        self.name = name
        self._container = open_video(path)
        self._stream = picture_stream(self._container, name)
        self._stream.thread_type = threads
        self._access = RandomAccess(self._stream.codec_context)

    @property
    def reorders(self) -> bool:
        """Whether frames may be shown in another order than they are decoded."""
        return bool(self._stream.codec_context.has_b_frames)

    def access(self, packet: av.Packet[Any]) -> Access | None:
        return self._access.of(packet)

    def packets_from(self, seek: int | None) -> Iterator[av.Packet[Any]]:
        """Yield the packets from about a time stamp on; None: as the file stands after opening."""
        if seek is not None:
            self._container.seek(seek, stream=self._stream)
        return packets(self._container, self._stream, self.name)

    def last_frames(self) -> list[av.VideoFrame]:
        """Return what the decoder holds back at the end of the file."""
        return self._stream.codec_context.decode(None)

    def close(self) -> None:
        self._stream.codec_context.flush_buffers()  # see `scrubin.media.damage`
        self._container.close()


class _TwoOpened:
    """One file opened twice: one stays where it decodes while the other looks for a start."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self._opened: dict[str, _Opened] = {}
        self._threads: Literal["AUTO", "SLICE"] = "AUTO"

    def __getitem__(self, role: str) -> _Opened:
        if role not in self._opened:
            self._opened[role] = _Opened(self._path, self._name, self._threads)
        return self._opened[role]

    def refuse_marked(self, number: int) -> None:
        """Say that a frame is marked as damaged; threads that share pictures are not believed, and share slices of one when opened anew."""
        if self._threads == "AUTO":
            self._threads = "SLICE"
            raise _AccusedError
        raise VideoError(self._name, f"frame {number} is damaged", FIX_COPY)

    def close(self) -> None:
        for opened in self._opened.values():
            opened.close()
        self._opened = {}


class _ByTime:
    """Frames that name themselves by their presentation time."""

    def __init__(self, path: Path, name: str, probe: Probe) -> None:
        self._files = _TwoOpened(path, name)
        self._pts = probe.pts
        self._second = _second(probe)

    def start_before(self, number: int) -> _Start | None:
        wanted = seek = self._pts[number]
        for step in range(MOST_SEEKS):
            try:
                key = self._key_near(seek)
            except FFmpegError:
                return None
            if key is not None and key <= wanted:
                return _Start(bisect_left(self._pts, key), seek, key)
            # A key frame of an open group of pictures, or a container that winds to any packet.
            seek -= self._second << step
            if seek < self._pts[0] - self._second:
                return None
        return None

    def _key_near(self, seek: int) -> int | None:
        """Return the presentation time of the first key frame after winding if decoding can start there."""
        scout = self._files["scout"]
        for packet in scout.packets_from(seek):
            if packet.pts is None:
                raise _UnsureError
            if packet.is_keyframe:
                access = scout.access(packet)
                return packet.pts if access is not None and access.exact else None
        return None

    def frames_from(self, start: _Start) -> Generator[tuple[int, av.VideoFrame]]:
        reader = self._files["reader"]
        following = reader.packets_from(start.seek)
        packet = next((one for one in following if one.is_keyframe), None)
        if packet is None or packet.pts != start.mark:
            raise _UnsureError
        expected: int | None = None
        for frame in _frames_of(reader, chain([packet], following)):
            if frame.pts is None:
                raise _UnsureError
            if frame.pts < start.mark:
                continue  # a leading picture: it may refer to what was left out
            number = bisect_left(self._pts, frame.pts)
            if number == len(self._pts) or self._pts[number] != frame.pts or expected not in (None, number):
                raise _UnsureError
            if frame.is_corrupt:
                self._files.refuse_marked(number)
            yield number, frame
            expected = number + 1

    def close(self) -> None:
        self._files.close()


@dataclass(frozen=True)
class _Places:
    """The packets of a whole file in its order.

    Parameters
    ----------
    sizes
        Of every packet, in bytes; shape (n,).
    starts
        Where decoding can start.
    checksums
        Of the packets at these starts, by their places.
    timed
        Whether every packet states when its frame is shown, as the probe has it.
    """

    sizes: npt.NDArray[np.int64]
    starts: tuple[_Start, ...]
    checksums: dict[int, int]
    timed: bool


class _ByPlace:
    """Frames that are counted from a key frame whose place among all packets is known; one packet must hold one frame.

    Every packet of the file is read once for it.
    """

    def __init__(self, path: Path, name: str, probe: Probe) -> None:
        self._files = _TwoOpened(path, name)
        self._pts = probe.pts
        self._second = _second(probe)
        self._places: _Places | None = None

    def start_before(self, number: int) -> _Start | None:
        if self._places is None:
            self._places = _places(self._files["scout"], self._pts)
        starts = self._places.starts
        place = bisect_right(starts, number, key=lambda start: start.number)
        return starts[place - 1] if place else None

    @property
    def timed(self) -> bool:
        """Whether the file's packets are known and all state when their frames are shown."""
        return self._places is not None and self._places.timed

    def frames_from(self, start: _Start) -> Generator[tuple[int, av.VideoFrame]]:
        if self._places is None:
            raise _UnsureError
        reader = self._files["reader"]
        following = self._in_place(self._wound_to(start, reader, self._places), start.mark, self._places.sizes)
        number: int | None = None
        for frame in _frames_of(reader, following):
            if number is None and not frame.key_frame:
                continue
            number = start.number if number is None else number + 1
            if self.timed and self._pts[number : number + 1] != (frame.pts,):
                raise _UnsureError
            if frame.is_corrupt:
                self._files.refuse_marked(number)
            yield number, frame

    def _wound_to(self, start: _Start, reader: _Opened, places: _Places) -> Iterator[av.Packet[Any]]:
        """Return the packets from a start on: the one that is the same, byte for byte, and those behind it."""
        for seconds_back in STEPS_BACK_S:
            following = reader.packets_from(start.seek - seconds_back * self._second)
            for packet in following:
                if packet.is_keyframe and packet.size == places.sizes[start.mark] and _checksum(packet) == places.checksums[start.mark]:
                    return chain([packet], following)
                if packet.dts is None or packet.dts > start.seek:
                    break  # the file was wound to the middle of it, or behind it
        raise _UnsureError

    @staticmethod
    def _in_place(following: Iterator[av.Packet[Any]], place: int, sizes: npt.NDArray[np.int64]) -> Iterator[av.Packet[Any]]:
        """Yield the packets from a place on; each must be as large as the one that was read there before."""
        for at, packet in enumerate(following, start=place):
            if at >= len(sizes) or packet.size != sizes[at]:
                raise _UnsureError
            yield packet

    def close(self) -> None:
        self._files.close()


def _frames_of(opened: _Opened, following: Iterator[av.Packet[Any]]) -> Iterator[av.VideoFrame]:
    for packet in following:
        yield from packet.decode()
    yield from opened.last_frames()


def _places(opened: _Opened, pts: Sequence[int]) -> _Places:
    """Read every packet of a file, which was not wound yet, and return where each key frame is.

    Raises
    ------
    _UnsureError
        When packets and frames are not one to one.
    """
    sizes: list[int] = []
    found: list[list[int]] = []  # place, leading pictures behind it, decoding time, checksum
    # Where a container states when a packet is decoded, that is when its frame is shown only if frames keep their order.
    counting, timed, known = False, not opened.reorders, frozenset(pts)
    for place, packet in enumerate(opened.packets_from(None)):
        access = opened.access(packet)
        if access is None or packet.is_discard:
            raise _UnsureError
        sizes.append(packet.size)
        timed = timed and packet.pts in known
        if access.countable and packet.dts is not None:
            found.append([place, 0, packet.dts, _checksum(packet)])
            counting = True
        elif counting and access.leading:
            found[-1][1] += 1
        else:
            counting = False
    if len(sizes) != len(pts):
        raise _UnsureError
    # A packet that occurs twice, as a black picture may, is not told from its like.
    often = Counter(checksum for *_, checksum in found)
    sure = [one for one in found if often[one[3]] == 1]
    starts = tuple(_Start(place + leading, dts, place) for place, leading, dts, _ in sure)
    return _Places(np.array(sizes, dtype=np.int64), starts, {place: checksum for place, _, _, checksum in sure}, timed)


def _second(probe: Probe) -> int:
    """Return a second in ticks of the file's clock."""
    return max(1, int(1 / probe.time_base))


def _checksum(packet: av.Packet[Any]) -> int:
    return zlib.crc32(memoryview(packet))
