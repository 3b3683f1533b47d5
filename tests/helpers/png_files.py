"""PNG files of 8 bits per channel made without a library, for readers of them."""

from __future__ import annotations

import struct
import zlib

import numpy as np


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(picture, palette=None):
    """Return grey values (height, width), or red, green, blue and opaqueness (height, width, 3 or 4), as a PNG.

    With a palette, (colours, 3), the values are places in it.
    """
    pixels = np.asarray(picture, np.uint8)
    height, width = pixels.shape[:2]
    kind = 3 if palette is not None else {1: 0, 3: 2, 4: 6}[pixels.size // (height * width)]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    listed = b"" if palette is None else chunk(b"PLTE", np.asarray(palette, np.uint8).tobytes())
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + listed + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
