"""Frames of a released video by their number, exact; a picture that no wanted one needs is not decoded.

Two readers, because two kinds of file need the opposite. A *raw* file may have no times, be damaged, or be another one tomorrow, and a
person wants one frame of it: `scrubin.media.frame_reader` winds it, proves each frame by itself and counts from the start where that fails.
A *released* file states all times, and a loader wants thousands of its frames: here all packets are read once, which says when each frame
is shown and where decoding may start. A decoded frame counts by its own presentation time, and what no other frame is predicted from is
not decoded unless it is wanted (see `scrubin.stages.frames.extract`). Both ask `scrubin.media.decode` where decoding may start, and turn
pictures by `scrubin.media.upright`.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.base import strangers
from scrubin.base.errors import VideoError
from scrubin.base.machine import decoder_threads
from scrubin.media.decode import RandomAccess
from scrubin.media.opening import packets
from scrubin.media.probe import picture_stream
from scrubin.media.upright import upright

FIX = "get the file again"
SKIPPING_CODECS = ("h264",)


class _LostError(Exception):
    """A wanted frame did not come out of the decoder."""


@dataclass(frozen=True)
class Clock:
    """When the frames of a video are shown, and where decoding can start.

    Parameters
    ----------
    ticks
        (n,), presentation time of every frame in units of ``time_base`` seconds, increasing.
    starts
        Numbers of the frames from which on decoding gives the same as from the start of the file, increasing.
    """

    ticks: npt.NDArray[np.int64]
    time_base: Fraction
    starts: npt.NDArray[np.int64]

    def numbers_at(self, times_s: Sequence[Fraction]) -> npt.NDArray[np.int64]:
        """Return the number of the first frame at or after each time; the count of frames where there is none.

        >>> clock = Clock(np.array([5, 45, 85]), Fraction(1, 1000), np.array([0]))
        >>> clock.numbers_at([Fraction(0), Fraction(1, 25), Fraction(41, 1000), Fraction(1)]).tolist()
        [0, 1, 2, 3]
        """
        behind = [int(self.ticks[0]) - int(-time // self.time_base) for time in times_s]
        return np.asarray(np.searchsorted(self.ticks, behind), np.int64)

    def time_s(self, number: int) -> float:
        """Return when a frame is shown, in seconds from the first one."""
        return float(self.since_first_s(number))

    def since_first_s(self, number: int) -> Fraction:
        """Return the same, exact."""
        return (int(self.ticks[number]) - int(self.ticks[0])) * self.time_base

    def start_before(self, number: int) -> int | None:
        """Return the last start at or before a frame; None: only the start of the file will do."""
        place = int(np.searchsorted(self.starts, number, side="right"))
        return int(self.starts[place - 1]) if place else None


def clock_of(path: Path, name: str) -> Clock:
    """Read all packets of a video, decode none, and return its clock.

    Raises
    ------
    VideoError
        When it cannot be read, or does not say when its frames are shown.
    """
    ticks: list[int] = []
    starts: list[int] = []
    try:
        with strangers.opened_video(path) as container:
            stream = picture_stream(container, name)
            access, time_base = RandomAccess(stream.codec_context), Fraction(stream.time_base or 0)
            for packet in packets(container, stream, name):
                if packet.is_discard:
                    continue
                if packet.pts is None or packet.is_corrupt:
                    raise VideoError(name, f"packet {len(ticks)} is damaged", FIX)
                ticks.append(packet.pts)
                if packet.is_keyframe and (way := access.of(packet)) is not None and way.exact:
                    starts.append(packet.pts)
    except FFmpegError as error:
        raise VideoError(name, f"it cannot be read as a video ({error.strerror})", FIX) from error
    shown = np.unique(np.array(ticks, np.int64))
    if not len(shown) or not time_base or len(shown) != len(ticks):
        raise VideoError(name, "it does not say when each of its frames is shown", FIX)
    return Clock(shown, time_base, np.searchsorted(shown, np.unique(np.array(starts, np.int64))))


class OpenVideo:
    """Frames of one video; not for several threads at once.

    Parameters
    ----------
    path, name
        The file, and what it is called in messages.
    clock
        Of this very file.
    """

    def __init__(self, path: Path, name: str, clock: Clock) -> None:
        self._name, self._clock = name, clock
        self._container = strangers.opened_video(path)
        self._stream = picture_stream(self._container, name)
        self._codec = self._stream.codec_context
        # Loaders run a process per core: more threads would only wait for one another.
        is_worker = multiprocessing.parent_process() is not None
        self._stream.thread_type = "AUTO"
        self._codec.thread_count = 1 if is_worker else decoder_threads()
        self._frames: Generator[av.VideoFrame] | None = None
        self._next = 0
        self._wanted: frozenset[int] = frozenset()
        self._last_wanted = 0
        self._skips = False

    def close(self) -> None:
        """Close the file; its decoder's threads end."""
        self._frames = None
        self._container.close()

    def pictures(self, numbers: Sequence[int]) -> npt.NDArray[np.uint8]:
        """Return frames by their numbers, which do not decrease: red, green, blue, shape (n, height, width, 3).

        Raises
        ------
        VideoError
            When one of them cannot be decoded.
        """
        # A decoder that misjudges how far frames are reordered may lose one, but not when it sees all of them.
        for skips, from_start in ((self._codec.name in SKIPPING_CODECS, False), (False, False), (False, True)):
            try:
                return self._decoded([int(number) for number in numbers], skips=skips, from_start=from_start)
            except _LostError:
                self._frames = None
        raise VideoError(self._name, f"a frame from {min(numbers)} to {max(numbers)} cannot be decoded", FIX)

    def _decoded(self, numbers: Sequence[int], *, skips: bool, from_start: bool) -> npt.NDArray[np.uint8]:
        ticks = self._clock.ticks[list(numbers)].tolist()
        self._wanted, self._last_wanted, self._skips = frozenset(ticks), ticks[-1], skips
        out: npt.NDArray[np.uint8] | None = None
        done = 0
        while done < len(numbers):
            frames = self._run_to(numbers[done], from_start=from_start and done == 0)
            picture = upright(self._until(frames, ticks[done]), "rgb24")
            if out is None:
                out = np.empty((len(numbers), *picture.shape), np.uint8)
            if picture.shape != out.shape[1:]:
                raise VideoError(self._name, f"its picture changes size before frame {numbers[done]}", FIX)
            again = done
            while done < len(numbers) and numbers[done] == numbers[again]:
                out[done] = picture
                done += 1
        return np.zeros((0, 0, 0, 3), np.uint8) if out is None else out

    def _run_to(self, number: int, *, from_start: bool) -> Generator[av.VideoFrame]:
        """Return frames that lead to a number: those that follow, where no later start is nearer, or from a start on."""
        start = None if from_start else self._clock.start_before(number)
        if not from_start and self._frames is not None and self._next <= number and (start is None or start <= self._next):
            return self._frames
        tick = int(self._clock.ticks[0 if start is None else start])
        self._container.seek(tick, stream=self._stream)
        self._frames, self._next = self._from(tick), 0 if start is None else start
        return self._frames

    def _from(self, tick: int) -> Generator[av.VideoFrame]:
        """Yield frames from a presentation time on; what is shown before it may refer to what was left out."""
        try:
            for packet in self._container.demux(self._stream):
                if self._skips:
                    # Frames behind the last wanted one may be wanted next: they are decoded.
                    needed = packet.pts is None or packet.pts in self._wanted or packet.pts > self._last_wanted
                    self._codec.skip_frame = "DEFAULT" if needed else "NONREF"
                else:
                    self._codec.skip_frame = "DEFAULT"
                for frame in packet.decode():
                    if frame.pts is not None and frame.pts >= tick:
                        yield frame
        except FFmpegError as error:
            raise VideoError(self._name, f"it cannot be decoded ({error.strerror})", FIX) from error

    def _until(self, frames: Generator[av.VideoFrame], tick: int) -> av.VideoFrame:
        for frame in frames:
            if frame.pts is None or frame.pts > tick or frame.is_corrupt:
                raise _LostError
            if frame.pts == tick:
                self._next = int(np.searchsorted(self._clock.ticks, tick)) + 1
                return frame
        raise _LostError
