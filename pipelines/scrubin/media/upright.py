"""Decoded frames as players show them: turned by the rotation that their file states."""

from __future__ import annotations

import struct
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


EXIF, ORIENTATION = b"Exif\0\0", 0x0112
MIRRORED = (2, 4, 5, 7)
"""Of the eight orientations of EXIF."""


def is_mirrored(frame: av.VideoFrame, packet: bytes = b"") -> bool:
    """Return whether players show the mirror image of a frame, which no rotation gives.

    Parameters
    ----------
    packet
        Of which the frame was decoded: what EXIF says in it is asked where PyAV does not know the kind of the frame's side data.
    """
    try:
        matrix: Any = frame.side_data.get("DISPLAYMATRIX")
    except ValueError:
        return orientation(packet) in MIRRORED
    if matrix is None:
        return False
    a, b, _, c, d, *_ = struct.unpack("=9i", bytes(matrix))
    return bool(a * d - b * c < 0)


def orientation(picture: bytes) -> int:
    """Return the orientation, 1 to 8, that EXIF states in a JPEG picture; 1 where it states none."""
    start = picture.find(EXIF) + len(EXIF)
    order = {b"MM": ">", b"II": "<"}.get(picture[start : start + 2], "")
    if start < len(EXIF) or not order:
        return 1
    try:
        (first,) = struct.unpack_from(f"{order}I", picture, start + 4)
        (count,) = struct.unpack_from(f"{order}H", picture, start + first)
        entries = [struct.unpack_from(f"{order}HHIH", picture, start + first + 2 + 12 * i) for i in range(count)]
    except struct.error:
        return 1
    return next((value for tag, _, _, value in entries if tag == ORIENTATION), 1)
