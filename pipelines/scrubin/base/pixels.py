"""Pixels of pictures: how many a header may state, rectangles of them, levels of their brightness."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import FileError
from scrubin.base.strangers import MB, read_bytes, refuse_above

Box = tuple[int, int, int, int]
"""Left, top, width and height."""
PNG = b"\x89PNG\r\n\x1a\n"
PALETTE = 3


def shared_px(a: Box, b: Box) -> int:
    """Return how many pixels two rectangles share.

    >>> shared_px((0, 0, 10, 10), (8, 5, 10, 10))
    10
    """
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return max(width, 0) * max(height, 0)


BLACK_MAX, BLOCK_PX = 2, 16


def is_black(picture: npt.NDArray[np.uint8], black: int = 0) -> bool:
    """Return whether a picture is black as a whole, as encoders leave it, so that nothing can be seen in it.

    It has one value, at most 2 above black, and may have other such ones in its first 16 px from the left. Pictures of pure black that
    x264 encoded (crf 1 to 40, eight presets, six sizes, both ranges) were exactly black up to crf 24, and so from 25 on: an encoder
    rounds the first block of each slice, from which the others are predicted.

    Parameters
    ----------
    picture
        Shape (height, width) of luma, or (height, width, 3) of red, green and blue.
    black
        The value of black: 16 for luma of limited range.

    >>> is_black(np.full((32, 32, 3), 1, np.uint8)), is_black(np.eye(32, dtype=np.uint8))
    (True, False)
    """
    # Almost every picture is known by a few of its pixels.
    if any(int(some.max(initial=0)) > black + BLACK_MAX for some in (picture[::BLOCK_PX, ::BLOCK_PX], picture)):
        return False
    rest = np.maximum(picture[:, BLOCK_PX:], black)
    return rest.size == 0 or bool(rest.min() == rest.max())


LEVELS = np.arange(256)
# 16 to 235 (luma) and 16 to 240 (colour) stretched to 0 to 255 (ITU-R BT.601, section 2.5.3).
STRETCHED_LUMA = np.clip(np.rint((LEVELS - 16) * 255 / 219), 0, 255).astype(np.uint8)
STRETCHED_COLOUR = np.clip(np.rint((LEVELS - 128) * 255 / 224 + 128), 0, 255).astype(np.uint8)


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Return the width and height that a picture's header states, in pixels; None for what is none of the usual kinds.

    >>> picture_size(b"GIF89a" + bytes([2, 1, 3, 0]))
    (258, 3)
    """
    try:
        if data.startswith(PNG):
            return struct.unpack_from(">II", data, 16)
        if data.startswith(b"\xff\xd8"):
            return _jpeg_size(data)
        if data[:6] in (b"GIF87a", b"GIF89a"):
            return struct.unpack_from("<HH", data, 6)
        if data.startswith(b"BM"):
            width, height = struct.unpack_from("<ii", data, 18)
            return abs(width), abs(height)
        if data[:4] in (b"II*\0", b"MM\0*"):
            return _tiff_size(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp_size(data)
    except (struct.error, IndexError, KeyError):
        return None
    return None


def refuse_huge_picture(data: bytes, path: Path | str) -> None:
    """Raise a `FileError` when the header of a picture states more pixels than the limit, or none that can be told."""
    size = picture_size(data)
    if size is None:
        raise FileError(path, "it cannot be decoded: it is no picture whose size can be told; write it as JPEG or PNG")
    pixels = size[0] * size[1] / MB
    refuse_above(path, f"its picture has {size[0]} x {size[1]} pixels", pixels, "picture_megapixels")


def read_picture(path: Path, *, inside: Path | None = None) -> npt.NDArray[np.uint8] | None:
    """Return a picture file's blue, green, red, shape (height, width, 3); None where OpenCV cannot decode it.

    Raises
    ------
    FileError
        When it is no plain file, or its header states more pixels than the limit.
    OSError
        When it is not there.
    """
    data = read_bytes(path, inside=inside)
    refuse_huge_picture(data, path)
    import cv2

    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    return None if picture is None else np.asarray(picture, np.uint8)


def stored_png(data: bytes, path: Path | str) -> npt.NDArray[np.uint8]:
    """Return a PNG as it is stored: grey (height, width), or red, green, blue and how opaque, (height, width, 3 or 4).

    Parameters
    ----------
    path
        Where it is from, for messages.

    Raises
    ------
    FileError
        When it is no whole PNG of 8 bits per channel, or its header states more pixels than the limit.
    """
    if not _is_whole_png(data):
        raise FileError(path, "it is no whole PNG")
    depth, kind = data[24], data[25]
    if depth != 8 and kind != PALETTE:
        raise FileError(path, f"it has {depth} bits per channel, not 8")
    refuse_huge_picture(data, path)
    import cv2

    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if picture is None:
        raise FileError(path, "it cannot be decoded")
    return np.asarray(picture if picture.ndim == 2 else picture[..., [2, 1, 0, 3][: picture.shape[2]]], np.uint8)


def _is_whole_png(data: bytes) -> bool:
    """Return whether data is a PNG up to its end, each part with its checksum: a decoder may pass over what lacks."""
    at = len(PNG) if data.startswith(PNG) else len(data)
    while at + 12 <= len(data):
        end = at + 12 + int.from_bytes(data[at : at + 4])
        if end > len(data) or zlib.crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end]):
            return False
        if data[at + 4 : at + 8] == b"IEND":
            return True
        at = end
    return False


def shrunk(picture: npt.NDArray[np.uint8], height: int | None) -> npt.NDArray[np.uint8]:
    """Return a picture of at most ``height`` px, averaged over areas; its width is even and keeps the aspect.

    >>> shrunk(np.zeros((540, 960, 3), np.uint8), 360).shape
    (360, 640, 3)
    """
    if height is None or picture.shape[0] <= height:
        return picture
    import cv2

    rows, columns = picture.shape[:2]
    width = max(2, 2 * ((columns * height + rows) // (2 * rows)))
    return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        else:
            at += 2 if marker == 0x01 or 0xD0 <= marker <= 0xD8 else 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def _tiff_size(data: bytes) -> tuple[int, int]:
    """Return the largest width and height of the pages of a TIFF."""
    order = "<" if data.startswith(b"II") else ">"
    (at,) = struct.unpack_from(f"{order}I", data, 4)
    width = height = pages = 0
    while at and pages < 1000:
        (entries,) = struct.unpack_from(f"{order}H", data, at)
        tags: Mapping[int, int] = {
            tag: struct.unpack_from(f"{order}H" if kind == 3 else f"{order}I", data, at + 2 + 12 * i + 8)[0]
            for i in range(entries)
            for tag, kind in [struct.unpack_from(f"{order}HH", data, at + 2 + 12 * i)]
        }
        width, height, pages = max(width, tags[256]), max(height, tags[257]), pages + 1
        (at,) = struct.unpack_from(f"{order}I", data, at + 2 + 12 * entries)
    return width, height


def _webp_size(data: bytes) -> tuple[int, int] | None:
    if data[12:16] == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    if data[12:16] == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if data[12:16] == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return None
