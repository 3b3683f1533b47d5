"""PNG pictures written without a library of pictures, which the base wing has none of."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]
GREY, COLOURS, PLACES = 0, 2, 3
"""Kinds of PNG: grey values; red, green and blue; places in a palette."""
USUAL = 6


def written(picture: Pixels, palette: Pixels | None = None, *, level: int = USUAL) -> bytes:
    """Return grey values (height, width), or red, green and blue (height, width, 3), as a PNG of 8 bits per channel.

    Parameters
    ----------
    palette
        (colours, 3): the grey values are places in it.
    level
        Of compression; 0 gives the same bytes with every version of zlib.
    """
    height, width = picture.shape[:2]
    kind = PLACES if palette is not None else GREY if picture.ndim == 2 else COLOURS
    # Each row begins with how it is filtered: not at all.
    rows = np.concatenate([np.zeros((height, 1), np.uint8), picture.reshape(height, -1)], axis=1).tobytes()
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))]
    parts += [] if palette is None else [(b"PLTE", palette.tobytes())]
    parts += [(b"IDAT", zlib.compress(rows, level)), (b"IEND", b"")]
    packed = [struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts]
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)
