"""A raw stream as a QuickTime movie: a head of times in front of bytes that stay where they are.

Raw streams state no presentation times. The head gives each picture its time and its place; the pictures are those of
the stream, byte for byte, which no program but FFmpeg's demuxer will ever see. ISO/IEC 14496-12 (boxes), 8.6.1.2 (stts),
8.6.1.3 (ctts), 8.6.2 (stss), 8.7 (stsz, stsc, co64), 8.4.2 (mdhd).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import numpy.typing as npt

CODES = {"h264": (b"avc1", b"avcC"), "hevc": (b"hev1", b"hvcC"), "mpeg2video": (b"m2v1", b""), "mjpeg": (b"jpeg", b"")}
"""By codec: the name of its sample entry, and of the box for its header."""
QUICKTIME, MP4 = "qt  ", "mp42"
"""Brands: for FFmpeg alone, and for every player."""
FINEST_TICKS = 1_000_000
"""Of a second, where times are no multiples of something coarser: microseconds."""
_MATRIX = struct.pack(">9i", 1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30)


@dataclass(frozen=True)
class Picture:
    """What is the same for all pictures of a stream."""

    codec: str
    width: int
    height: int
    extradata: bytes


@dataclass(frozen=True)
class Samples:
    """The pictures of a stream in their order of decoding.

    Parameters
    ----------
    sizes
        In bytes; shape (n,).
    ranks
        Which frame each one is, from 0 in order of presentation; shape (n,).
    keys
        Whether it is a key picture; shape (n,).
    """

    sizes: npt.NDArray[np.int64]
    ranks: npt.NDArray[np.int64]
    keys: npt.NDArray[np.bool_]


def head(picture: Picture, samples: Samples, boundaries_s: list[Fraction], brand: str = QUICKTIME) -> bytes:
    """Return everything in front of the stream itself.

    Parameters
    ----------
    boundaries_s
        When each frame is shown, from 0, and the end of the last; n + 1 exact seconds.
    brand
        An MP4 also says at which instant of its clock the first frame is shown, an edit list.
    """
    scale = _scale(boundaries_s)
    ticks = np.array([round(time_s * scale) for time_s in boundaries_s], dtype=np.int64)
    shown = ticks[samples.ranks]
    # A picture is decoded in its turn, and so long before it is shown that none is shown before it is decoded.
    late = int(np.max(ticks[:-1] - shown, initial=0))
    clock = _Clock(scale, ticks, shown + late - ticks[:-1], late if brand == MP4 else 0)
    kind = _box(b"ftyp", brand.encode(), bytes(4), *[name.encode() for name in ([brand, "isom", "avc1"] if brand == MP4 else [brand])])
    moov_size = len(_moov(picture, samples, clock, 0))
    data_header = struct.pack(">I4sQ", 1, b"mdat", 16 + int(samples.sizes.sum()))
    start = len(kind) + moov_size + len(data_header)
    return kind + _moov(picture, samples, clock, start) + data_header


@dataclass(frozen=True)
class _Clock:
    """Ticks of a second; when pictures are decoded, and how much later each is shown; where the first is shown, 0: not stated."""

    scale: int
    ticks: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]
    first: int


def _scale(boundaries_s: list[Fraction]) -> int:
    exact = lcm(*{time_s.denominator for time_s in boundaries_s})
    return exact if exact <= FINEST_TICKS else FINEST_TICKS


def _moov(picture: Picture, samples: Samples, clock: _Clock, start: int) -> bytes:
    scale, count, duration = clock.scale, len(samples.sizes), int(clock.ticks[-1])
    table = _box(
        b"stbl",
        _full(b"stsd", 0, struct.pack(">I", 1), _entry(picture)),
        _runs(b"stts", np.diff(clock.ticks)),
        _runs(b"ctts", clock.offsets),
        _full(b"stss", 0, struct.pack(">I", int(samples.keys.sum())), _big(np.flatnonzero(samples.keys) + 1)),
        _full(b"stsc", 0, struct.pack(">IIII", 1, 1, count, 1)),
        _full(b"stsz", 0, struct.pack(">II", 0, count), _big(samples.sizes)),
        _full(b"co64", 0, struct.pack(">IQ", 1, start)),
    )
    here = _full(b"url ", 1)
    media = _box(
        b"mdia",
        _full(b"mdhd", 1 << 24, struct.pack(">QQIQHH", 0, 0, scale, duration, 0x55C4, 0)),
        _full(b"hdlr", 0, bytes(4), b"vide", bytes(13)),
        _box(b"minf", _full(b"vmhd", 1, bytes(8)), _box(b"dinf", _full(b"dref", 0, struct.pack(">I", 1), here)), table),
    )
    track_head = struct.pack(">QQIIQ", 0, 0, 1, 0, duration) + bytes(16) + _MATRIX
    edit = _full(b"elst", 1 << 24, struct.pack(">IQqI", 1, duration, clock.first, 1 << 16))
    track = _box(
        b"trak",
        _full(b"tkhd", 1 << 24 | 3, track_head, struct.pack(">II", picture.width << 16, picture.height << 16)),
        _box(b"edts", edit) if clock.first else b"",
        media,
    )
    movie_head = struct.pack(">QQIQIH", 0, 0, scale, duration, 1 << 16, 1 << 8) + bytes(10) + _MATRIX + bytes(24)
    return _box(b"moov", _full(b"mvhd", 1 << 24, movie_head, struct.pack(">I", 2)), track)


def _entry(picture: Picture) -> bytes:
    name, header = CODES[picture.codec]
    fixed = bytes(6) + struct.pack(">H", 1) + bytes(16) + struct.pack(">HH", picture.width, picture.height)
    fixed += struct.pack(">III", 72 << 16, 72 << 16, 0) + struct.pack(">H", 1) + bytes(32) + struct.pack(">Hh", 24, -1)
    return _box(name, fixed, _box(header, picture.extradata) if header and picture.extradata else b"")


def _runs(name: bytes, values: npt.NDArray[np.int64]) -> bytes:
    """Return a table of values as runs of equal ones."""
    firsts = np.flatnonzero(np.diff(values, prepend=values[0] - 1)) if len(values) else np.array([], dtype=np.int64)
    lengths = np.diff(np.append(firsts, len(values)))
    return _full(name, 0, struct.pack(">I", len(firsts)), _big(np.column_stack([lengths, values[firsts]])))


def _big(values: npt.NDArray[np.int64]) -> bytes:
    return values.astype(">u4").tobytes()


def _full(name: bytes, version_flags: int, *content: bytes) -> bytes:
    return _box(name, struct.pack(">I", version_flags), *content)


def _box(name: bytes, *content: bytes) -> bytes:
    body = b"".join(content)
    return struct.pack(">I4s", 8 + len(body), name) + body
