"""A released video as LeRobot takes it: an mp4 of the same coded pictures, with exact statistics over its frames.

Matroska counts in milliseconds, so the frames of a video of 30 a second lie up to half a millisecond beside k / 30; LeRobot's reader
accepts a tenth of that. In the mp4, frame k lies exactly at k / rate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.base import strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.pixels import is_black
from scrubin.media.decode import decoded

OPTIONS = {"movflags": "+faststart", "fflags": "+bitexact"}
LIMITED_BLACK, FULL_RANGE = 16, 2
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
    """Yield every frame, and whether it is black as a whole, which hidden frames are."""
    for frame in decoded(path, name):
        plane = frame.planes[0]
        luma = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)[: frame.height, : frame.width]
        black = 0 if frame.color_range == FULL_RANGE else LIMITED_BLACK
        yield is_black(luma, black), frame


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


CHANNELS, WHITE = 3, 255
Stats = dict[str, list[Any]]


def of_whole_numbers(values: Iterable[tuple[int, int]], scale: Fraction = Fraction(1)) -> Stats:
    """Return the statistics of whole numbers times ``scale``.

    Parameters
    ----------
    values
        Ranges ``first, end`` of consecutive numbers, ``end`` excluded.
    """
    ranges = [(first, end) for first, end in values if end > first]
    count = _total(end - first for first, end in ranges)
    sums = _total((first + end - 1) * (end - first) // 2 for first, end in ranges)
    squares = _total(_squares_below(end) - _squares_below(first) for first, end in ranges)
    mean, variance = Fraction(sums, count), Fraction(squares, count) - Fraction(sums, count) ** 2
    low, high = min(first for first, _ in ranges), max(end - 1 for _, end in ranges)
    return {
        "min": [float(low * scale)],
        "max": [float(high * scale)],
        "mean": [float(mean * scale)],
        "std": [math.sqrt(variance) * float(scale)],
        "count": [count],
    }


def of_scores(scores: list[tuple[int, list[float | None]]]) -> Stats | None:
    """Return the statistics of scores per episode, each weighing as its frames do; None where a score is never there.

    Parameters
    ----------
    scores
        The number of frames and the scores of each episode.
    """
    columns = []
    for number in range(len(scores[0][1]) if scores else 0):
        there = [(count, value) for count, own in scores if (value := own[number]) is not None]
        if not there:
            return None
        frames = _total(count for count, _ in there)
        mean = math.fsum(count * value for count, value in there) / frames
        variance = math.fsum(count * (value - mean) ** 2 for count, value in there) / frames
        columns.append((min(value for _, value in there), max(value for _, value in there), mean, math.sqrt(variance)))
    named = {name: [column[place] for column in columns] for place, name in enumerate(("min", "max", "mean", "std"))}
    return named | {"count": [_total(count for count, _ in scores)]}


@dataclass
class PictureStatistics:
    """Of the red, green and blue values of pictures, from 0 to 1; shapes (3, 1, 1)."""

    pictures: int = 0
    counts: Any = field(default_factory=lambda: np.zeros((CHANNELS, WHITE + 1), np.int64))

    def add(self, picture: Rgb) -> None:
        """Take a picture, shape (height, width, 3), into account."""
        self.pictures += 1
        for channel in range(CHANNELS):
            self.counts[channel] += np.bincount(picture[:, :, channel].ravel(), minlength=WHITE + 1)

    @property
    def stats(self) -> Stats | None:
        """The statistics; None without a picture."""
        if not self.pictures:
            return None
        columns = [self._channel([int(count) for count in of]) for of in self.counts]
        named = {name: [[[column[place]]] for column in columns] for place, name in enumerate(("min", "max", "mean", "std"))}
        return named | {"count": [self.pictures]}

    @staticmethod
    def _channel(counts: list[int]) -> tuple[float, float, float, float]:
        there = [value for value, count in enumerate(counts) if count]
        pixels = _total(counts)
        mean = Fraction(_total(value * count for value, count in enumerate(counts)), pixels)
        variance = Fraction(_total(value * value * count for value, count in enumerate(counts)), pixels) - mean**2
        return there[0] / WHITE, there[-1] / WHITE, float(mean / WHITE), math.sqrt(variance) / WHITE


def _total(values: Iterable[int]) -> int:
    """Return the sum of whole numbers."""
    return sum(values)


def _squares_below(end: int) -> int:
    """Return 0 + 1 + 4 + ... + (end - 1)^2."""
    return (end - 1) * end * (2 * end - 1) // 6
