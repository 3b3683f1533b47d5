"""Decoded frames as pictures: upright, of the wanted size."""

from __future__ import annotations

import av
import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]


def upright(frame: av.VideoFrame) -> Picture:
    """Return a frame as players show it: blue, green, red, shape (height, width, 3)."""
    picture = np.asarray(frame.to_ndarray(format="bgr24"), dtype=np.uint8)
    return np.ascontiguousarray(np.rot90(picture, frame.rotation // 90)) if frame.rotation else picture


def shrunk(picture: Picture, height: int | None) -> Picture:
    """Return a picture of at most ``height`` px, averaged over areas; its width is even and keeps the aspect.

    >>> shrunk(np.zeros((540, 960, 3), np.uint8), 360).shape
    (360, 640, 3)
    """
    if height is None or picture.shape[0] <= height:
        return picture
    rows, columns = picture.shape[:2]
    width = max(2, 2 * ((columns * height + rows) // (2 * rows)))
    return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
