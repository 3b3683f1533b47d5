"""The wanted frames of a video, decoded in one pass.

What no other frame is predicted from need not be decoded unless it is wanted: in H.264 of the
usual kind that is half of all frames. The decoder skips them by itself, so the bytes of the
others are the same (ITU-T H.264, 7.4.1: nal_ref_idc 0).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal, overload

import av
from av.error import FFmpegError

from scrubin.base.errors import VideoError
from scrubin.base.machine import decoder_threads
from scrubin.media.damage import with_threads
from scrubin.media.decode import decoded
from scrubin.media.opening import open_video
from scrubin.media.probe import picture_stream
from scrubin.media.released.frame_files import source_frames

SKIPPING_CODECS = ("h264",)
# Frames take unequally long, above all when some are skipped: with twice as many threads as cores none of them waits.
MOST_THREADS = 16
ALL: Final[Literal["DEFAULT"]] = "DEFAULT"
REFERENCES: Final[Literal["NONREF"]] = "NONREF"


@dataclass(frozen=True)
class WantedFrame:
    """A decoded frame that is extracted.

    Parameters
    ----------
    number
        Its number in the video, from 0.
    time_s
        Its exact time from the first frame.
    frames
        The numbers of the extracted frames that it stands for; several where the video pauses.
    picture
        As decoded.
    """

    number: int
    time_s: Fraction
    frames: range
    picture: av.VideoFrame


class FrameClock(Sequence[Fraction]):
    """The exact time of each frame in seconds from the first one, made when it is asked for: a day has two million.

    Parameters
    ----------
    ticks
        Presentation time of every frame in units of ``time_base`` seconds, increasing.
    """

    def __init__(self, ticks: Sequence[int], time_base: Fraction) -> None:
        self.ticks, self.time_base = ticks, time_base

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.ticks)

    @overload
    def __getitem__(self, number: int) -> Fraction: ...
    @overload
    def __getitem__(self, number: slice) -> list[Fraction]: ...
    def __getitem__(self, number: int | slice) -> Fraction | list[Fraction]:
        """Return the time of a frame, or of several."""
        if isinstance(number, slice):
            return [(tick - self.ticks[0]) * self.time_base for tick in self.ticks[number]]
        return (self.ticks[number] - self.ticks[0]) * self.time_base


def wanted_frames(path: Path, fps: Fraction, clock: FrameClock | None, name: str, fix: str, *, skip: bool = True) -> Iterator[WantedFrame]:
    """Yield the frames that the contract names, in order.

    Parameters
    ----------
    path, name, fix
        The file, the file as the curator knows it, and what to do about a bad one, for messages.
    fps
        Extracted frames per second.
    clock
        From ``packet_clock``. Without it every frame is decoded, and its own time counts.
    skip
        Whether to leave frames undecoded that nothing needs.

    Raises
    ------
    VideoError
        When a wanted frame is damaged or its size changes.
    """
    if clock is None:
        yield from _counted(path, fps, name)
        return
    frames: dict[int, range] = {}
    for k, number in enumerate(source_frames(clock, fps)):
        frames[number] = range(frames[number].start if number in frames else k, k + 1)
    at = {clock.ticks[number]: number for number in frames}
    done = -1
    for picture in _decoded_at(path, at, name, fix, skip=skip):
        number = at[int(picture.pts or 0)]
        if number <= done:
            raise VideoError(name, f"its decoder gives frame {number} after frame {done}", fix)
        done = number
        yield WantedFrame(number, clock[number], frames[number], picture)


def packet_clock(path: Path, name: str, fix: str) -> FrameClock | None:
    """Return when the frames are shown, read from the packets; None when only the decoder knows."""
    try:
        with open_video(path) as container:
            stream = picture_stream(container, name)
            shown = [packet.pts for packet in container.demux(stream) if packet.size and not packet.is_discard]
            time_base = Fraction(stream.time_base or 0)
    except FFmpegError as error:
        raise VideoError(name, f"it cannot be read ({error.strerror})", fix) from error
    ticks = sorted(tick for tick in shown if tick is not None)
    if not time_base or len(set(ticks)) != len(shown):
        return None
    return FrameClock(ticks, time_base)


def _decoded_at(path: Path, at: dict[int, int], name: str, fix: str, *, skip: bool) -> Iterator[av.VideoFrame]:
    """Yield the frames whose tick is in ``at``."""
    size: tuple[int, int, int] | None = None
    try:
        with (
            open_video(path) as container,
            with_threads(picture_stream(container, name), min(MOST_THREADS, 2 * decoder_threads())) as stream,
        ):
            codec = stream.codec_context
            skipping = skip and codec.name in SKIPPING_CODECS
            for packet in container.demux(stream):
                if skipping:
                    # Taken over by the decoder with each packet, also by its threads.
                    codec.skip_frame = ALL if packet.pts in at else REFERENCES
                for frame in packet.decode():
                    if frame.pts not in at:
                        continue
                    if frame.is_corrupt:
                        raise VideoError(name, f"frame {at[frame.pts]} is damaged", fix)
                    size = size or (frame.width, frame.height, frame.rotation)
                    if size != (frame.width, frame.height, frame.rotation):
                        raise VideoError(name, f"its picture changes size before frame {at[frame.pts]}", "export it with one size")
                    yield frame
    except FFmpegError as error:
        raise VideoError(name, f"it cannot be decoded ({error.strerror})", fix) from error


def _counted(path: Path, fps: Fraction, name: str) -> Iterator[WantedFrame]:
    """Yield the same from a video whose packets do not tell their times: every frame is decoded."""
    first: int | None = None
    k = 0
    for number, frame in enumerate(decoded(path, name)):
        tick, base = int(frame.pts or 0), Fraction(frame.time_base or 0)
        first = tick if first is None else first
        time_s = (tick - first) * base
        reached = int(time_s * fps) + 1
        if reached > k:
            yield WantedFrame(number, time_s, range(k, reached), frame)
            k = reached
