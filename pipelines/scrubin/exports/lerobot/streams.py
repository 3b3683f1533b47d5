"""A released video as an mp4 with exact times: the same coded pictures, none of them encoded again.

Matroska counts in milliseconds, so the frames of a video of 30 a second lie up to half a millisecond beside k / 30; LeRobot's reader
accepts a tenth of that. In the mp4, frame k lies exactly at k / rate.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.core import strangers
from scrubin.core.errors import ReleaseError
from scrubin.video.decode import decoded

OPTIONS = {"movflags": "+faststart", "fflags": "+bitexact"}
LIMITED_BLACK, FULL_RANGE = 16, 2
ROUGH_PX = 16
Rgb = npt.NDArray[np.uint8]


def is_even(path: Path, rate: Fraction) -> bool:
    """Return whether frame k is shown at k / rate, but for the rounding of the container."""
    with _opened(path) as container:
        stream = container.streams.video[0]
        tick = Fraction(stream.time_base or 0)
        shown = sorted(packet.pts or 0 for packet in _packets(container, stream))
    return all(abs(time * tick - number / rate) <= tick for number, time in enumerate(shown))


def write_mp4(path: Path, target: Path, rate: Fraction) -> int:
    """Write the coded pictures of an even video into an mp4, and return how many there are."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with _opened(path) as container:
        numbers = _numbers([packet.pts or 0 for packet in _packets(container, container.streams.video[0])])
    # A picture is decoded in its turn, and so long before it is shown that none is shown before it is decoded.
    ahead = max((place - number for place, number in enumerate(numbers)), default=0)
    with _opened(path) as container, av.open(f"file:{target}", "w", format="mp4", options=OPTIONS) as mp4:
        stream = container.streams.video[0]
        out = mp4.add_stream_from_template(stream)
        tick = out.time_base = Fraction(1, rate.numerator)
        for place, packet in enumerate(_packets(container, stream)):
            packet.stream, packet.time_base = out, tick
            packet.pts, packet.dts = numbers[place] * rate.denominator, (place - ahead) * rate.denominator
            packet.duration = rate.denominator
            mp4.mux(packet)
    return len(numbers)


def _numbers(times: list[int]) -> list[int]:
    """Return which frame of the video each coded picture is, from when they are shown."""
    order = sorted(range(len(times)), key=lambda place: times[place])
    numbers = [0] * len(times)
    for number, place in enumerate(order):
        numbers[place] = number
    return numbers


def black_frames(path: Path, name: str) -> Iterator[tuple[bool, av.VideoFrame]]:
    """Yield every frame, and whether it is black as a whole, which hidden frames are to the last value."""
    for frame in decoded(path, name):
        plane = frame.planes[0]
        luma = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)[: frame.height, : frame.width]
        black = 0 if frame.color_range == FULL_RANGE else LIMITED_BLACK
        yield bool(luma[::ROUGH_PX, ::ROUGH_PX].max() <= black and luma.max() <= black), frame


def _packets(container: av.container.InputContainer, stream: av.VideoStream) -> Iterator[av.Packet[Any]]:
    return (packet for packet in container.demux(stream) if packet.size)


@contextmanager
def _opened(path: Path) -> Iterator[av.container.InputContainer]:
    try:
        with strangers.opened_video(path) as container:
            yield container
    except FFmpegError as error:
        msg = f"{path}: it cannot be read ({error.strerror}); get the file again, and check the release with its SHA256SUMS"
        raise ReleaseError(msg) from error
