"""A decoded frame and its small picture, which several observers look at and which is made once."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

HEIGHT_PX = 180
SMALLEST_PX = 16
GRID_STEP = 4


class DecodedPicture:
    """One frame of a pass over a file.

    Parameters
    ----------
    frame
        As decoded; its memory is used again for a later one.
    reformatter
        That of the file's frames.
    """

    def __init__(self, frame: av.VideoFrame, reformatter: VideoReformatter) -> None:
        self.frame = frame
        self._reformatter = reformatter

    @property
    def displayed_px(self) -> tuple[int, int]:
        """Width and height in which the frame is displayed."""
        return (self.frame.height, self.frame.width) if self._turned else (self.frame.width, self.frame.height)

    @cached_property
    def small(self) -> av.VideoFrame:
        """The frame as it is displayed, 180 px high, in 4:2:0 of limited range; its matrix stays."""
        frame, size = self.frame, small_size(*self.displayed_px)
        if frame.rotation or frame.format.is_rgb:
            shown = size[::-1] if self._turned else size
            bgr = self._reformatter.reformat(frame, *shown, "bgr24", interpolation="AREA").to_ndarray()
            upright = np.ascontiguousarray(np.rot90(bgr, round(frame.rotation / 90)), dtype=np.uint8)
            frame = av.VideoFrame.from_ndarray(upright, format="bgr24")
            return frame.reformat(*size, "yuv420p", dst_colorspace="ITU601", dst_color_range="MPEG")
        return self._reformatter.reformat(frame, *size, "yuv420p", interpolation="AREA", dst_color_range="MPEG")

    @cached_property
    def grid(self) -> npt.NDArray[np.int16]:
        """Luma of every fourth point of every fourth row of the small picture: enough to see that something has changed."""
        luma = self.small.planes[0]
        points = np.frombuffer(memoryview(luma), np.uint8).reshape(luma.height, luma.line_size)
        return points[::GRID_STEP, : luma.width : GRID_STEP].astype(np.int16)

    @property
    def _turned(self) -> bool:
        return self.frame.rotation % 180 != 0


def small_size(width: int, height: int) -> tuple[int, int]:
    """Return width and height of the small picture of one that is displayed in this size; both are even.

    >>> small_size(1920, 1080), small_size(720, 576), small_size(97, 65)
    ((320, 180), (224, 180), (96, 64))
    """
    small_height = max(SMALLEST_PX, min(HEIGHT_PX, height // 2 * 2))
    return max(SMALLEST_PX, 2 * round(Fraction(width * small_height, 2 * height))), small_height
