"""Videos of which players show less than is decoded here: what they crop away must not be released.

PyAV does not know the crop of a container, and takes away what a stream itself crops at the left only by steps of many pixels. FFmpeg as a
program does both, and so do players. RFC 9559, 5.1.4.1.28.8 (PixelCropBottom and its kin); ISO/IEC 14496-12, 12.1.4 (clap);
ITU-T H.264, 7.4.2.1.1, and H.265, 7.4.3.2.1 (cropping and conformance window).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from av.codec.context import Flags
from av.error import FFmpegError

from scrubin.base.errors import VideoError
from scrubin.media.containers.pieces import Pieces
from scrubin.media.opening import content, open_video
from scrubin.media.probe import Probe, picture_stream, unreadable

FIX = "export it again with nothing but what is to be seen: by a program that cuts the rest off, and does not only say so"
CROPPING = frozenset(["h264", "hevc", "theora", "vvc"])
"""Codecs whose streams say what is cropped."""
_SEGMENT, _TRACKS, _TRACK, _VIDEO = (bytes.fromhex(name) for name in ("18538067", "1654AE6B", "AE", "E0"))
_PIXEL_CROP = {bytes.fromhex(name) for name in ("54AA", "54BB", "54CC", "54DD")}
_TO_TABLE = (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd")
_TABLE_HEAD, _ENTRY_HEAD, _ENTRY_SIZE_AT = 8, 78, 24
_LARGE, _TO_THE_END = 1, 0
_MOST_BYTES = 16

_Span = tuple[int, int]
_Header = Callable[[Pieces, int, int], tuple[bytes, int, int] | None]
"""Of what starts at a position, inside something with an end: name, where its content starts, where it ends; None: nothing is there."""


def refuse_cropped(path: Path, name: str, probed: Probe) -> None:
    """Refuse a video of which players show less than `probed` says; no more than its head and its first frames are read.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it.
    probed
        What it holds.

    Raises
    ------
    VideoError
        When players crop its picture otherwise than it is decoded here.
    """
    said = _crop_of_container(content(path), probed)
    if said:
        raise VideoError(name, f"its header says that players show a part of its picture alone ({said})", FIX)
    decoded = (probed.height, probed.width) if probed.rotation_deg % 180 else (probed.width, probed.height)
    shown = _shown_size(path, name) if probed.codec in CROPPING else None
    if shown not in (None, decoded):
        sizes = " of its ".join("{}x{}".format(*size) for size in (shown or decoded, decoded))
        raise VideoError(name, f"it crops its picture at the left: players show {sizes} pixels", FIX)


def _shown_size(path: Path, name: str) -> _Span | None:
    """Return width and height of the first frame as players show it, not yet turned; None when there is none."""
    try:
        with open_video(path) as container:
            stream = picture_stream(container, name)
            stream.codec_context.flags |= Flags.unaligned
            return next(((frame.width, frame.height) for frame in container.decode(stream)), None)
    except FFmpegError as error:
        raise unreadable(path, name, error) from error


def _crop_of_container(file: Pieces, probed: Probe) -> str:
    """Return how the crop of a container is called; "" when it states none."""
    kind, whole = probed.container.split(",")[0], (0, file.size)
    if kind == "matroska":
        # Behind the first list of tracks come the pictures of hours.
        for tracks in _first(_found(file, whole, (_SEGMENT, _TRACKS), _element)):
            for video in _found(file, tracks, (_TRACK, _VIDEO), _element):
                if any(any(_read(file, *span)) for name, span in _children(file, video, _element) if name in _PIXEL_CROP):
                    return "PixelCrop"
    if kind == "mov":
        for start, end in _found(file, whole, _TO_TABLE, _box):
            for _, entry in _children(file, (start + _TABLE_HEAD, end), _box):
                if any(_is_smaller(file, span, entry) for span in _found(file, (entry[0] + _ENTRY_HEAD, entry[1]), (b"clap",), _box)):
                    return "clean aperture"
    return ""


def _is_smaller(file: Pieces, aperture: _Span, entry: _Span) -> bool:
    """Return whether a clean aperture is smaller than the picture whose entry it is in."""
    stated, size = _read(file, *aperture), _read(file, entry[0] + _ENTRY_SIZE_AT, entry[0] + _ENTRY_SIZE_AT + 4)
    if len(stated) < 16 or len(size) < 4:
        return False
    width, of_width, height, of_height = struct.unpack(">4I", stated)
    whole = struct.unpack(">HH", size)
    return bool(width < whole[0] * of_width or height < whole[1] * of_height)


def _first(spans: Iterator[_Span]) -> list[_Span]:
    return [span for _, span in zip(range(1), spans, strict=False)]


def _found(file: Pieces, inside: _Span, names: tuple[bytes, ...], header: _Header) -> Iterator[_Span]:
    """Yield where the content is of all that is reached by these names, one inside the other."""
    if not names:
        yield inside
        return
    for name, span in _children(file, inside, header):
        if name == names[0]:
            yield from _found(file, span, names[1:], header)


def _children(file: Pieces, inside: _Span, header: _Header) -> Iterator[tuple[bytes, _Span]]:
    position, end = inside
    while position < end and (found := header(file, position, end)):
        name, content, behind = found
        if not position < content <= behind:
            return  # damaged, which others say
        yield name, (content, min(behind, end))
        position = behind


def _element(file: Pieces, position: int, end: int) -> tuple[bytes, int, int] | None:
    """Read the head of an element of Matroska (RFC 8794, 5 and 6)."""
    data = _read(file, position, min(position + 12, end))
    name_bytes = 9 - data[0].bit_length() if data else 0
    if not 0 < name_bytes <= 4 or len(data) <= name_bytes or not data[name_bytes]:
        return None
    size_bytes = 9 - data[name_bytes].bit_length()
    content, most = position + name_bytes + size_bytes, (1 << 7 * size_bytes) - 1
    size = int.from_bytes(data[name_bytes : name_bytes + size_bytes], "big") & most
    return data[:name_bytes], content, end if size == most else content + size


def _box(file: Pieces, position: int, end: int) -> tuple[bytes, int, int] | None:
    """Read the head of a box (ISO/IEC 14496-12, 4.2)."""
    data = _read(file, position, min(position + 16, end))
    if len(data) < 8:
        return None
    size, content = int.from_bytes(data[:4], "big"), position + 8
    if size == _LARGE:
        size, content = int.from_bytes(data[8:16], "big"), position + 16
    return data[4:8], content, end if size == _TO_THE_END else position + size


def _read(file: Pieces, start: int, end: int) -> bytes:
    """Return what stands there, the first `_MOST_BYTES` of it."""
    file.seek(start)
    return file.read(min(end - start, _MOST_BYTES))
