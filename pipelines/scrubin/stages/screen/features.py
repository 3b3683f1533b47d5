"""What every frame looks like: its histogram, its brightest point, whether it stands still."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

from scrubin.base.pixels import LEVELS, STRETCHED_COLOUR, STRETCHED_LUMA
from scrubin.media.probe import is_full_range
from scrubin.stages.screen.pass_over_file import DecodedPicture, Observed, Observer
from scrubin.stages.screen.proposals import Numbers

Plane = npt.NDArray[np.uint8]
# Planar formats of one byte per sample: luma and two planes of colour.
PLANAR = frozenset(f"yuv{j}{sampling}p" for j in ("", "j") for sampling in (410, 411, 420, 422, 440, 444))


@dataclass(frozen=True)
class Thumbnail:
    """Sampled planes, each of shape (height, width); luma and colour in full range, 0 to 255."""

    y: Plane
    u: Plane
    v: Plane


class Thumbnailer:
    """Takes thumbnails of frames of one size.

    Parameters
    ----------
    height
        Of a thumbnail, in pixels; its width follows the frame's shape.
    """

    def __init__(self, height: int) -> None:
        self._height = height
        self._places: dict[tuple[int, int, int], npt.NDArray[np.int64]] = {}
        self._reformatter = VideoReformatter()

    def of(self, frame: av.VideoFrame) -> Thumbnail:
        """Return the thumbnail of a frame.

        Sampled, not averaged: averaging needs every pixel and doubles the cost of decoding.
        """
        width = max(2, round(Fraction(frame.width * self._height, frame.height)))
        if frame.format.name in PLANAR:
            y, u, v = (self._sampled(plane, width) for plane in frame.planes)
            full = is_full_range(frame)
        else:
            small = self._reformatter.reformat(frame, width, self._height, "yuv444p", interpolation="POINT", dst_color_range="JPEG")
            y, u, v = small.to_ndarray()
            full = True
        if full:
            return Thumbnail(y, u, v)
        return Thumbnail(STRETCHED_LUMA[y], STRETCHED_COLOUR[u], STRETCHED_COLOUR[v])

    def _sampled(self, plane: av.video.plane.VideoPlane, width: int) -> Plane:
        size = (plane.height, plane.width, plane.line_size)
        if size not in self._places:
            # The middle of each of the thumbnail's cells; a colour plane may be smaller than the thumbnail.
            rows, columns = ((2 * np.arange(n) + 1) * side // (2 * n) for n, side in ((self._height, plane.height), (width, plane.width)))
            self._places[size] = rows[:, None] * plane.line_size + columns
        sampled: Plane = np.frombuffer(memoryview(plane), np.uint8)[self._places[size]]
        return sampled


# 8x8 cells of the colour plane, 16 of brightness, 8 of texture: coarse, so that moving instruments change little.
COLOUR_CELLS = 8
LUMA_CELLS = 16
TEXTURE_CELLS = 8
GROUPS = (
    slice(0, COLOUR_CELLS**2),
    slice(COLOUR_CELLS**2, COLOUR_CELLS**2 + LUMA_CELLS),
    slice(COLOUR_CELLS**2 + LUMA_CELLS, COLOUR_CELLS**2 + LUMA_CELLS + TEXTURE_CELLS),
)
"""Where colour, brightness and texture stand in a histogram."""
CELLS = GROUPS[-1].stop
Histograms = npt.NDArray[np.unsignedinteger[Any]]
# Chroma of tissue and plastics lies near grey, so its middle half is resolved twice as finely.
V_CELL = np.clip((LEVELS - 64) * COLOUR_CELLS // 128, 0, COLOUR_CELLS - 1).astype(np.uint8)
U_CELL = V_CELL * COLOUR_CELLS
LUMA_CELL = (LEVELS * LUMA_CELLS // 256).astype(np.uint8)
# Steps between neighbouring points double from cell to cell: 0, 1, 2-3, 4-7 ... 64 and more.
TEXTURE_CELL = np.minimum(np.ceil(np.log2(LEVELS + 1)), TEXTURE_CELLS - 1).astype(np.uint8)


def histogram(thumbnail: Thumbnail, luma: npt.NDArray[np.int16]) -> npt.NDArray[np.int64]:
    """Return the counts of a thumbnail's cells, shape (88,); ``luma`` is its luma as wider integers."""
    colours = np.bincount((U_CELL[thumbnail.u] + V_CELL[thumbnail.v]).ravel(), minlength=COLOUR_CELLS**2)
    brightness = np.bincount(LUMA_CELL[thumbnail.y].ravel(), minlength=LUMA_CELLS)
    steps = np.abs(luma[:, 1:] - luma[:, :-1])
    return np.concatenate([colours, brightness, np.bincount(TEXTURE_CELL[steps].ravel(), minlength=TEXTURE_CELLS)])


NAME = "features"
# A frozen picture that was encoded again (x264 up to crf 30, MPEG-4, fixed bitrate) moved by more than 12 levels in up to
# 2 of 100 points, the most at a new key frame. Real and synthetic footage stayed within these limits for at most 0.7 s.
STILL_LEVELS = 12
STILL_SHARE = 0.03
STILL_MAX_LEVELS = 64


@dataclass(frozen=True)
class Features:
    """Features of every frame of a recording, in presentation order.

    Parameters
    ----------
    histograms
        Counts of the thumbnail's points: colour, brightness and texture cells; shape (n, 88).
    brightest
        Highest luma of the thumbnail, 0 to 255 in full range, shape (n,).
    still_since
        The first frame of those up to this one that all show the same picture, shape (n,).
    """

    histograms: Histograms
    brightest: npt.NDArray[np.uint8]
    still_since: npt.NDArray[np.uint32]


def observer(thumbnail_height: int) -> Observer:
    """Return what measures the features of every frame while a file is decoded."""
    return Observer(NAME, __name__, {"height": thumbnail_height}, lambda times_s: _Measuring(thumbnail_height, times_s))


def features(observed: Observed) -> Features:
    """Return the features that `observer` has measured."""
    return Features(observed.arrays["histograms"], observed.arrays["brightest"], observed.arrays["still_since"])


class _Measuring:
    def __init__(self, thumbnail_height: int, times_s: Numbers) -> None:
        self._thumbnailer = Thumbnailer(thumbnail_height)
        # Whole at once: a list of small arrays takes twice the memory for a recording of hours.
        self._histograms = np.zeros((len(times_s), CELLS), dtype=np.uint16)
        self._brightest = np.zeros(len(times_s), dtype=np.uint8)
        self._still_since = np.zeros(len(times_s), dtype=np.uint32)
        self._still: tuple[int, npt.NDArray[np.int16]] | None = None

    def see(self, number: int, decoded: DecodedPicture) -> None:
        thumbnail = self._thumbnailer.of(decoded.frame)
        luma = thumbnail.y.astype(np.int16)
        if number == 0 and luma.size > np.iinfo(self._histograms.dtype).max:
            self._histograms = self._histograms.astype(np.uint32)
        self._histograms[number] = histogram(thumbnail, luma)
        self._brightest[number] = thumbnail.y.max()
        if self._still is None or not _same(luma, self._still[1]):
            self._still = number, luma
        self._still_since[number] = self._still[0]

    def finish(self) -> Observed:
        arrays: dict[str, npt.NDArray[Any]] = {
            "histograms": self._histograms,
            "brightest": self._brightest,
            "still_since": self._still_since,
        }
        return Observed(arrays)


def _same(luma: npt.NDArray[np.int16], before: npt.NDArray[np.int16]) -> bool:
    """Whether two thumbnails show the same picture, up to the noise of a codec."""
    moved = np.abs(luma - before)
    return bool(moved.max() <= STILL_MAX_LEVELS) and np.count_nonzero(moved > STILL_LEVELS) <= STILL_SHARE * moved.size
