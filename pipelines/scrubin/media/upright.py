"""Decoded frames as players show them: turned by the rotation that their file states."""

from __future__ import annotations

from typing import Any

import av
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]


def upright(frame: av.VideoFrame, pixel_format: str = "bgr24") -> Picture:
    """Return a frame as it is displayed, shape (height, width, 3): by default blue, green and red."""
    return turned(frame.to_ndarray(format=pixel_format), frame)


def turned(picture: npt.NDArray[Any], frame: av.VideoFrame) -> Picture:
    """Return what was made of a frame's pixels as it is displayed.

    Parameters
    ----------
    picture
        (height, width) or (height, width, colours), at any scale, as the frame was decoded.
    frame
        Which states its rotation, anti-clockwise and a multiple of 90 degrees.
    """
    return np.ascontiguousarray(np.rot90(picture, round(frame.rotation / 90)), dtype=np.uint8)
