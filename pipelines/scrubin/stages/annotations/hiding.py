"""What a released picture hides, in the pixels of the pictures that were labelled: no mask and no point may show it.

The rule
--------
1. A label stands for the picture it was drawn on and for that of our frame, which may be another one. What is hidden in either of them,
   or in a picture between the two, is hidden for the label.
2. A rectangle is scaled outwards: a labelled pixel of which any part is hidden is hidden.
3. What a released picture lacks at its right and bottom edge, as the sides of a video are even, is hidden with what touches that edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.labels.masks import rle
from scrubin.labels.masks.blackened import Rectangle, scaled_outwards
from scrubin.labels.model import SOURCE_FRAMES, Clock, IntArray
from scrubin.stages.annotations.placing import TIE_NS, Timeline, source_times_ns

ROUNDING_PX = 0.01
"""A point that is this near to a rectangle is in it: label files round."""


@dataclass(frozen=True)
class HiddenAreas:
    """What is hidden in one released video.

    Parameters
    ----------
    source_size
        Width and height in px of the source picture, which is the one that was labelled in whatever size.
    video_size
        Those of the released picture: its pixels are those of the source, without an odd row or column at its end.
    first_frames, last_frames
        First and last frame of each hidden span, numbers in the released video, shape (n,).
    rectangles
        Left, top, right and bottom in px of the released picture, shape (n, 4).
    is_whole
        Whether the whole picture is hidden, shape (n,).
    """

    source_size: tuple[int, int]
    video_size: tuple[int, int]
    first_frames: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    last_frames: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    rectangles: IntArray = field(default_factory=lambda: np.zeros((0, 4), np.int64))
    is_whole: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    def between(self, first: int, last: int) -> list[Rectangle] | None:
        """Return the rectangles that are hidden in any of these frames of the released video; None where a whole picture is."""
        at = (self.first_frames <= last) & (self.last_frames >= first)
        if self.is_whole[at].any():
            return None
        return [(left, top, right, bottom) for left, top, right, bottom in self.rectangles[at].tolist()]

    def scaled(self, rectangle: Rectangle, to_size: tuple[int, int]) -> Rectangle:
        """Return a rectangle in the pixels of a labelled picture of this width and height, scaled outwards.

        >>> HiddenAreas((101, 50), (100, 50)).scaled((33, 10, 100, 20), (50, 25))
        (16, 5, 50, 10)
        """
        return scaled_outwards(rectangle, self.source_size, to_size, shown=self.video_size)


def areas_of(hidden: pd.DataFrame, source_size: tuple[int, int], video_size: tuple[int, int]) -> HiddenAreas:
    """Return what is hidden in one video; ``hidden`` are its rows of the table of this name, the sizes as of `HiddenAreas`."""
    whole = hidden["x"].isna().to_numpy(np.bool_)
    x, y, w, h = (hidden[name].fillna(0).to_numpy(np.int64) for name in "xywh")
    first, last = (hidden[name].to_numpy(np.int64) for name in ("first_frame", "last_frame"))
    return HiddenAreas(source_size, video_size, first, last, np.stack([x, y, x + w, y + h], axis=1), whole)


def pictures_of(positions: IntArray, frames: IntArray, clock: Clock, line: Timeline) -> tuple[IntArray, IntArray]:
    """Return the first and last picture that each label stands for, as numbers in the released video, (n,) each.

    Where the time of a label is that of an extracted frame, or its number is known, that picture is exact. Else it is one of those
    between the extracted frames before and after it.

    Parameters
    ----------
    positions, clock
        Of the labels, (n,).
    frames
        Where each one was placed, (n,), all of them among those of the line.
    """
    placed = line.source_frames[np.searchsorted(line.frames, frames)]
    if clock == SOURCE_FRAMES:
        low = high = np.asarray(positions, np.int64)
    else:
        times_ns = source_times_ns(positions, clock, line)
        before = np.searchsorted(line.times_ns, times_ns + TIE_NS, side="right") - 1
        after = np.searchsorted(line.times_ns, times_ns - TIE_NS, side="left")
        low = np.where(before < 0, line.start_source_frame, line.source_frames[before.clip(0)])
        high = np.where(
            after == len(line.times_ns), line.end_source_frame - 1, line.source_frames[after.clip(None, len(line.times_ns) - 1)]
        )
    first, last = np.minimum(np.minimum(low, high), placed), np.maximum(np.maximum(low, high), placed)
    return first - line.start_source_frame, last - line.start_source_frame


def cleared(runs: IntArray, size: tuple[int, int], rectangles: Sequence[Rectangle]) -> IntArray:
    """Return a mask without its pixels in the rectangles.

    Parameters
    ----------
    runs
        Run lengths of the mask.
    size
        Width and height of its picture in px.
    rectangles
        In px of that picture.

    >>> cleared(np.array([0, 6]), (3, 2), [(1, 0, 3, 1)]).tolist()
    [0, 2, 1, 1, 1, 1]
    """
    width, height = size
    pixels = rle.picture(runs, height, width).copy()
    for left, top, right, bottom in rectangles:
        pixels[top:bottom, left:right] = False
    return rle.runs_of_picture(pixels)


def is_inside(x: float, y: float, size: tuple[int, int], rectangles: Sequence[Rectangle]) -> bool:
    """Return whether a point is in a rectangle or on its edge; ``x`` and ``y`` are shares of the picture's width and height."""
    x_px, y_px = x * size[0], y * size[1]
    return any(
        left - ROUNDING_PX <= x_px <= right + ROUNDING_PX and top - ROUNDING_PX <= y_px <= bottom + ROUNDING_PX
        for left, top, right, bottom in rectangles
    )
