"""What is black in a picture of a video: rectangles, as pixels of pictures of any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from scrubin.labels.masks import rle
from scrubin.labels.masks.rle import IntArray

Rectangle = tuple[int, int, int, int]
"""Left, top, right and bottom in px, half open."""
Size = tuple[int, int]
"""Width and height in px."""


class Black(Protocol):
    """What is black in one picture."""

    @property
    def width(self) -> int:
        """Of the picture in which it is known, in px."""

    @property
    def height(self) -> int:
        """Of that picture, in px."""

    def runs(self, height: int, width: int) -> IntArray:
        """Return the run lengths of what is black in a picture of this size."""


@dataclass(frozen=True)
class BlackPixels:
    """Pixels that are black in one picture, whatever their shape.

    Parameters
    ----------
    pixels
        Run lengths.
    width, height
        Of the picture in px.
    """

    pixels: IntArray
    width: int
    height: int

    def runs(self, height: int, width: int) -> IntArray:
        """Return the run lengths in a picture of another size: every pixel that any of them touches.

        >>> BlackPixels(np.array([2, 2, 4]), 4, 2).runs(1, 2).tolist()
        [0, 1, 1]
        """
        if (height, width) == (self.height, self.width):
            return self.pixels
        black = rle.picture(self.pixels, self.height, self.width)
        before = np.zeros((self.height + 1, self.width + 1), np.int64)
        before[1:, 1:] = black.cumsum(axis=0).cumsum(axis=1)
        top, bottom = _touched(height, self.height)
        left, right = _touched(width, self.width)
        counted = before[np.ix_(bottom, right)] - before[np.ix_(top, right)] - before[np.ix_(bottom, left)] + before[np.ix_(top, left)]
        return rle.runs_of_picture(counted > 0)


@dataclass(frozen=True)
class Blackened:
    """The rectangles that are black in one frame of a video.

    Parameters
    ----------
    rectangles
        Left, top, right and bottom of each in px of the video, half open.
    width, height
        Of the video in px.
    """

    rectangles: Sequence[Rectangle]
    width: int
    height: int

    def runs(self, height: int, width: int) -> IntArray:
        """Return the run lengths of all rectangles in a picture of another size: every pixel that any of them touches.

        >>> Blackened([(1, 0, 2, 2)], 4, 2).runs(1, 2).tolist()
        [0, 1, 1]
        """
        pixels = np.zeros((height, width), np.bool_)
        for rectangle in self.rectangles:
            left, top, right, bottom = scaled_outwards(rectangle, (self.width, self.height), (width, height))
            pixels[top:bottom, left:right] = True
        return rle.runs_of_picture(pixels)


def by_frame(frames: pd.DataFrame, hidden: pd.DataFrame, videos: pd.DataFrame) -> Mapping[tuple[str, int], Blackened]:
    """Return what is black in frames, by recording and frame; frames without a rectangle have none.

    Parameters
    ----------
    frames
        Rows of the table ``frames``, of one camera per recording.
    hidden, videos
        The tables of the same name; rows of ``hidden`` without a rectangle are of whole frames, and are left out here.
    """
    sizes = {(row["id"], row["camera"]): (int(row["width"]), int(row["height"])) for row in videos.to_dict("records")}
    found: dict[tuple[str, int], list[Rectangle]] = {}
    size_of: dict[str, tuple[int, int]] = {}
    by_video = dict(list(frames.groupby(["id", "camera"])))
    for row in hidden[hidden["x"].notna()].to_dict("records"):
        id_, camera = str(row["id"]), str(row["camera"])
        own = by_video.get((id_, camera))
        if own is None:
            continue
        size_of[id_] = sizes[id_, camera]
        x, y, w, h = (int(row[name]) for name in "xywh")
        touched = own.loc[own["source_frame"].between(int(row["first_frame"]), int(row["last_frame"])), "frame"]
        for frame in touched.tolist():
            found.setdefault((id_, int(frame)), []).append((x, y, x + w, y + h))
    return {key: Blackened(tuple(rectangles), *size_of[key[0]]) for key, rectangles in found.items()}


def scaled_outwards(rectangle: Rectangle, size: Size, to_size: Size, *, shown: Size | None = None) -> Rectangle:
    """Return a rectangle in the pixels of another size: with every pixel of which any part is in it.

    Parameters
    ----------
    rectangle
        In px of the picture of the first size.
    size
        Width and height of the picture in which it is known.
    to_size
        Those of the other one, which has the same content.
    shown
        What of the first picture a video shows, from its left top corner, where the sides of a video are even and those of the picture
        are not: what is beyond is hidden with what touches that edge. None: all of it.

    >>> scaled_outwards((33, 10, 90, 20), (100, 50), (50, 25))
    (16, 5, 45, 10)
    >>> scaled_outwards((33, 10, 100, 20), (101, 50), (50, 25), shown=(100, 50))
    (16, 5, 50, 10)
    """
    left, top, right, bottom = rectangle
    ends = shown or size
    return (
        min(left * to_size[0] // size[0], to_size[0]),
        min(top * to_size[1] // size[1], to_size[1]),
        to_size[0] if right >= ends[0] else -(-right * to_size[0] // size[0]),
        to_size[1] if bottom >= ends[1] else -(-bottom * to_size[1] // size[1]),
    )


def _touched(side: int, of_side: int) -> tuple[IntArray, IntArray]:
    """Return the first pixel of a side that each pixel of another size touches, and the one after the last."""
    at = np.arange(side)
    return at * of_side // side, -(-(at + 1) * of_side // side)
