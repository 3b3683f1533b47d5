"""A DICOM recording opened as a video: its encapsulated stream, in place, with times for every picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.error import FFmpegError

from scrubin.media.containers import dicom_agreement as agreement
from scrubin.media.containers import dicom_header as header
from scrubin.media.containers import movie
from scrubin.media.containers.dicom_header import FIX_EXPORT, STREAMED, Header
from scrubin.media.containers.picture_order import Order264, Order265, PictureOrder, is_padding
from scrubin.media.containers.pieces import BUFFER_BYTES, Piece, Pieces, UnreadableError

START_CODES = (b"\0\0\1", b"\0\0\0\1")
PACK_START, TS_SYNC, TS_PACKET = b"\0\0\1\xba", 0x47, 188
MP4_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"styp")
JPEG_START = b"\xff\xd8\xff"
# A marker of Adobe tells decoders that colours are not red, green and blue.
ADOBE, KNOWN_COLOURS = b"Adobe", ("YBR_FULL_422", "YBR_FULL", "YBR_PARTIAL_420", "YBR_PARTIAL_422", "MONOCHROME2")
HEAD_BYTES = 4096


@dataclass(frozen=True)
class Stream:
    """Where the stream of a DICOM file lies, and what is put in front of it.

    Parameters
    ----------
    demuxer
        FFmpeg's name of the container that it is or, with ``head``, becomes.
    head
        Times of a raw stream, see `scrubin.media.containers.movie`; empty for a stream in a container.
    told
        Where header and stream differ without harm, see `scrubin.media.containers.dicom_agreement`.
    """

    header: Header
    demuxer: str
    head: bytes
    told: tuple[str, ...] = ()


def opened(path: Path, options: Mapping[str, str]) -> av.container.InputContainer:
    """Open the stream of a DICOM file.

    Raises
    ------
    UnreadableError
        When there is none that is read; says why, and the mend.
    """
    of = stream_of(path)
    return av.open(file_of(path, of), "r", format=of.demuxer, options=dict(options), buffer_size=BUFFER_BYTES, metadata_errors="replace")


def file_of(path: Path, of: Stream) -> Pieces:
    """Return the stream as a file that can be wound."""
    return Pieces(path, [of.head, *of.header.fragments])


def stream_of(path: Path) -> Stream:
    """Return where a file's stream lies; read once in a process, as long as nobody changes the file."""
    status = path.stat()
    return _stream(path, (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev))


@lru_cache(maxsize=16)
def _stream(path: Path, identity: tuple[int, ...]) -> Stream:
    known = header.read(path)
    if not known.fragments:
        raise UnreadableError("its pixel data are empty", FIX_EXPORT)
    start = Pieces(path, known.fragments).read(HEAD_BYTES)
    if known.syntax.codec not in STREAMED:
        _refuse_colours(known, start)
        return Stream(known, "mov", _head_of_jpegs(path, known))
    demuxer = _container(start)
    if demuxer:
        return Stream(known, demuxer, b"", _held_to_its_header(path, known, demuxer))
    if not start.startswith(START_CODES):
        raise UnreadableError(f"its stream is not the {known.syntax.name} that its transfer syntax states", FIX_EXPORT)
    agreement.refuse_codec(known, agreement.raw_codec(start))
    return Stream(known, "mov", *_head_of_raw(path, known))


def _container(start: bytes) -> str:
    """Return FFmpeg's name of the container that a stream is in; "" for a raw one."""
    if start[4:8] in MP4_BOXES:
        return "mov"
    if start[:1] == bytes([TS_SYNC]) and start[TS_PACKET : TS_PACKET + 1] in (b"", bytes([TS_SYNC])):
        return "mpegts"
    return "mpeg" if start.startswith(PACK_START) else ""


def _held_to_its_header(path: Path, known: Header, demuxer: str) -> tuple[str, ...]:
    """Return what is to be told of a stream in a container; one that cannot be opened is the business of whoever opens it."""
    try:
        container = av.open(Pieces(path, known.fragments), "r", format=demuxer, buffer_size=BUFFER_BYTES)
    except FFmpegError:
        return ()
    with container:
        stream = next(iter(container.streams.video), None)
        if stream is None or stream.codec_context is None:
            return ()
        context = stream.codec_context
        agreement.refuse_codec(known, context.name)
        agreement.refuse_picture(known, context.width, context.height)
        return agreement.told(known, context, Fraction(stream.average_rate) if stream.average_rate else None, raw=False)


def _head_of_raw(path: Path, known: Header) -> tuple[bytes, tuple[str, ...]]:
    """Return the times of a raw stream, and what is to be told of it.

    Which picture is shown when is read from the pictures, how long from the header.
    """
    try:
        with av.open(Pieces(path, known.fragments), "r", format=known.syntax.demuxer, buffer_size=BUFFER_BYTES) as container:
            stream = container.streams.video[0]
            context = stream.codec_context
            picture = movie.Picture(known.syntax.codec, context.width, context.height, bytes(context.extradata or b""))
            samples = _samples(container, stream, known.syntax.codec)
            stated = Fraction(context.framerate) if context.framerate else None
            told = agreement.told(known, context, stated, raw=True)
    except (FFmpegError, ValueError, IndexError) as error:
        reason = error.strerror if isinstance(error, FFmpegError) else error
        raise UnreadableError(f"its raw stream cannot be timed ({reason})", "export it with its stream in MP4") from error
    agreement.refuse_other_count(known, len(samples.sizes))
    agreement.refuse_picture(known, picture.width, picture.height)
    return movie.head(picture, samples, agreement.boundaries_s(known, len(samples.sizes), stated)), told


def _samples(container: av.container.InputContainer, stream: av.VideoStream, codec: str) -> movie.Samples:
    order = _order(codec)
    sizes: list[int] = []
    keys, places = [], []
    end = 0
    for packet in container.demux(stream):
        if not packet.size:
            continue
        if packet.pos is not None and packet.pos != end:
            raise ValueError("it has bytes that belong to no picture")
        end += packet.size
        if sizes and is_padding(packet, codec):
            sizes[-1] += packet.size
            continue
        sizes.append(packet.size)
        keys.append(packet.is_keyframe)
        places.append(order.of(packet) if order else _stated(packet))
    if len(set(places)) != len(places):
        raise ValueError("two of its pictures have one place")
    ranks = np.empty(len(sizes), dtype=np.int64)
    ranks[sorted(range(len(sizes)), key=places.__getitem__)] = np.arange(len(sizes))
    return movie.Samples(np.array(sizes, dtype=np.int64), ranks, np.array(keys, dtype=np.bool_))


def _order(codec: str) -> PictureOrder | None:
    """Return what tells the order of pictures; None where the demuxer does."""
    if codec == "h264":
        return Order264()
    return Order265() if codec == "hevc" else None


def _stated(packet: av.Packet[Any]) -> tuple[int, int]:
    if packet.pts is None:
        raise ValueError("a picture does not say when it is shown")
    return 0, packet.pts


def _head_of_jpegs(path: Path, known: Header) -> bytes:
    """Return the times of pictures that are shown in the order in which they lie."""
    sizes = _jpeg_sizes(path, known.fragments)
    agreement.refuse_other_count(known, len(sizes))
    with av.open(Pieces(path, known.fragments), "r", format="mjpeg") as container:
        context = container.streams.video[0].codec_context
        picture = movie.Picture("mjpeg", context.width, context.height, b"")
    agreement.refuse_picture(known, picture.width, picture.height)
    count = len(sizes)
    samples = movie.Samples(np.array(sizes, dtype=np.int64), np.arange(count), np.ones(count, dtype=np.bool_))
    return movie.head(picture, samples, agreement.boundaries_s(known, count, None))


def _jpeg_sizes(path: Path, fragments: Sequence[Piece]) -> list[int]:
    """Return the size of each picture: one begins with every fragment that starts as a JPEG does."""
    sizes: list[int] = []
    file = Pieces(path)
    for piece in fragments:
        file.seek(piece.offset)
        if file.read(len(JPEG_START)) == JPEG_START:
            sizes.append(piece.size)
        elif sizes:
            sizes[-1] += piece.size
        else:
            raise UnreadableError("its first fragment is no JPEG", FIX_EXPORT)
    return sizes


def _refuse_colours(known: Header, start: bytes) -> None:
    if known.photometric not in KNOWN_COLOURS and ADOBE not in start:
        raise UnreadableError(f"its colours are stored as {known.photometric or 'nobody says what'}", "export it as YBR_FULL_422")
