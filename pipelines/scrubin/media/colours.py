"""Which colours the numbers of a picture stand for: matrix, primaries, transfer (code points of ITU-T H.273) and range.

A container may state them, and its stream as well. FFmpeg believes the stream, also one that says "not known"; where the stream is silent,
what the container states holds.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import av
from av.video.codeccontext import VideoCodecContext

from scrubin.media.decode import decoded
from scrubin.media.opening import open_video
from scrubin.media.probe import VIDEO_RANGE, picture_stream

RGB, UNKNOWN = 0, 2
HD_WIDTH, SD_HEIGHT = 1280, 576
BT601 = 6
MATRICES = {1: "bt709", 4: "fcc", 5: "bt601", 6: "bt601", 7: "smpte240m", 9: "bt2020"}
"""Those that ffmpeg converts, by its names; 5 and 6 are the same numbers."""
UNCONVERTED = {8: "YCgCo", 10: "BT.2020 with constant luminance", 14: "ICtCp", 16: "YCgCo-Re", 17: "YCgCo-Ro"}
"""Some of those that it does not convert."""


@dataclass(frozen=True)
class Colours:
    """What is stated.

    Parameters
    ----------
    matrix, primaries, transfer
        2: not known.
    range
        As FFmpeg counts: 0 not known, 1 video range, 2 full range.
    """

    matrix: int
    primaries: int
    transfer: int
    range: int

    @classmethod
    def of(cls, shown: av.VideoFrame | VideoCodecContext) -> Colours:
        """Return what a frame states, or a stream that is open: before its first frame is decoded, that is what the container says."""
        return cls(int(shown.colorspace), int(shown.color_primaries), int(shown.color_trc), int(shown.color_range))

    def write(self, context: VideoCodecContext) -> None:
        """State them in the header of a stream that is to be written."""
        context.color_range, context.colorspace = self.range, self.matrix
        context.color_primaries, context.color_trc = self.primaries, self.transfer

    def is_left_to(self, container: Colours, pixel_format: str) -> bool:
        """Return whether the matrix of frames that state these is known from their container alone: programs differ in what they show.

        Of a matrix that nobody converts, or that these pixels cannot have, nothing is believed.
        """
        return self.matrix == UNKNOWN and container.matrix in MATRICES and not is_rgb(pixel_format)


def stated(path: Path, name: str) -> tuple[Colours, Colours]:
    """Return what the container of a file states, and what its first frame does.

    Raises
    ------
    VideoError
        When it has no stream of pictures.
    av.error.FFmpegError
        When it cannot be read.
    """
    with open_video(path) as container:
        stream = picture_stream(container, name)
        of_container = Colours.of(stream.codec_context)
        first = next(container.decode(stream), None)
        return of_container, of_container if first is None else Colours.of(first)


@dataclass(frozen=True)
class Coding:
    """How the pixels of a frame are coded: its matrix and range, as in `Colours`, and the format in which FFmpeg decodes it."""

    matrix: int
    range: int
    pixel_format: str

    @classmethod
    def of(cls, frame: av.VideoFrame) -> Coding:
        """Return that of a frame."""
        return cls(int(frame.colorspace), int(frame.color_range), frame.format.name)

    @property
    def is_rgb(self) -> bool:
        """See the function of this name."""
        return is_rgb(self.pixel_format)

    @property
    def is_converted(self) -> bool:
        """Whether ffmpeg converts such pixels to another matrix, as far as it is known."""
        return self.is_rgb or self.matrix in {UNKNOWN, *MATRICES}

    @property
    def is_misnamed(self) -> bool:
        """Whether the format says full range and the frame does not: FFmpeg's decoder keeps the format, and its filters believe that."""
        return self.range == VIDEO_RANGE and self.pixel_format.startswith("yuvj")

    @property
    def layout(self) -> str:
        """The format without what it says of the range."""
        return self.pixel_format.replace("yuvj", "yuv")


def codings(path: Path, name: str, end: int) -> dict[int, Coding]:
    """Decode a file up to a frame, which is left out, and return the number of each frame that is coded otherwise than the one before it.

    Raises
    ------
    VideoError
        See `scrubin.media.decode.decoded`.
    """
    found: dict[int, Coding] = {}
    last = None
    for number, frame in enumerate(islice(decoded(path, name), end)):
        coding = Coding.of(frame)
        if coding != last:
            found[number] = last = coding
    return found


def is_rgb(pixel_format: str) -> bool:
    """Return whether pixels are red, green and blue, also by a palette."""
    described = av.VideoFormat(pixel_format)
    return described.is_rgb or described.has_palette


def rgb_matrix(width: int, height: int) -> str:
    """Return the matrix by which red, green and blue become luma and chroma, as ffmpeg names it.

    It is the one that players take for a picture of this size in px that states none, for those that do not read what is stated.

    >>> rgb_matrix(1280, 720), rgb_matrix(720, 576)
    ('bt709', 'bt601')
    """
    return "bt709" if width >= HD_WIDTH or height > SD_HEIGHT else "bt601"


def unstated_matrix(stated: AbstractSet[int], width: int, height: int) -> int:
    """Return the matrix of pictures that state none beside others of their size in px that state these; not known where none is stated.

    >>> unstated_matrix({1}, 1280, 720), unstated_matrix({1}, 720, 576), unstated_matrix({1, 6}, 1280, 720)
    (1, 6, 6)
    """
    only = min(stated, default=UNKNOWN)
    return only if not stated or {MATRICES.get(one) for one in stated} == {rgb_matrix(width, height)} else BT601
