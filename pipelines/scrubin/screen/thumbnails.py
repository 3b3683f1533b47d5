"""Thumbnails of decoded frames: points of the frame's own planes, so that nothing is scaled."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

from scrubin.core.full_range import STRETCHED_COLOUR, STRETCHED_LUMA

Plane = npt.NDArray[np.uint8]
FULL_RANGE = 2  # AVCOL_RANGE_JPEG
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
            full = frame.color_range == FULL_RANGE or frame.format.name.startswith("yuvj")
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
