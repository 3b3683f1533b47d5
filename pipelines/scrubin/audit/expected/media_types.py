"""What counts as a picture or a video, by name or by its first bytes."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

VIDEO_SUFFIXES = frozenset(
    [
        ".mkv",
        ".mk3d",
        ".webm",
        ".mp4",
        ".m4v",
        ".mov",
        ".qt",
        ".avi",
        ".mpg",
        ".mpeg",
        ".m2v",
        ".vob",
        ".ts",
        ".mts",
        ".m2ts",
        ".wmv",
        ".asf",
        ".flv",
        ".f4v",
        ".3gp",
        ".ogv",
        ".ogg",
        ".mxf",
        ".dv",
        ".h264",
        ".h265",
        ".264",
        ".265",
        ".hevc",
        ".ivf",
        ".y4m",
        ".yuv",
    ]
)
IMAGE_SUFFIXES = frozenset(
    [
        ".jpg",
        ".jpeg",
        ".jpe",
        ".jfif",
        ".png",
        ".gif",
        ".bmp",
        ".tif",
        ".tiff",
        ".webp",
        ".heic",
        ".heif",
        ".avif",
        ".jp2",
        ".jxl",
        ".ppm",
        ".pgm",
        ".pbm",
        ".pnm",
        ".dcm",
        ".svg",
        ".ico",
        ".exr",
        ".raw",
    ]
)
HEAD_BYTES = 400
_STARTS = (
    b"\x1a\x45\xdf\xa3",  # Matroska, WebM
    b"\xff\xd8\xff",  # JPEG
    b"\x89PNG\r\n\x1a\n",
    b"GIF87a",
    b"GIF89a",
    b"II*\0",  # TIFF
    b"MM\0*",
    b"OggS",
    b"FLV\x01",
    b"\x30\x26\xb2\x75\x8e\x66\xcf\x11",  # ASF, WMV
    b"\0\0\x01\xba",  # MPEG program stream
    b"\0\0\x01\xb3",
    b"\0\0\0\x01\x67",  # bare H.264
    b"\0\0\0\x01\x40\x01",  # bare HEVC
    b"\0\0\0\x0cjP  ",  # JPEG 2000
    b"\0\0\0\x0cJXL ",
    b"DKIF",
    b"YUV4MPEG2",
)
# Signatures that do not stand at the first byte, or that begin as a text could.
_AT = ((4, b"ftyp"), (4, b"moov"), (4, b"mdat"), (128, b"DICM"))
_RIFF_TYPES = (b"AVI ", b"WEBP")
_PACKET_BYTES = 188  # of an MPEG transport stream, each beginning with G


def is_media(name: str, head: bytes) -> bool:
    """Whether a file is a picture or a video.

    Parameters
    ----------
    name
        Of the file; its suffix counts in any case.
    head
        Its first ``HEAD_BYTES``.
    """
    if PurePosixPath(name).suffix.lower() in VIDEO_SUFFIXES | IMAGE_SUFFIXES or head.startswith(_STARTS):
        return True
    if any(head.startswith(signature, position) for position, signature in _AT):
        return True
    if head.startswith(b"RIFF") and head[8:12] in _RIFF_TYPES:
        return True
    if head.startswith(b"BM") and len(head) > 10 and not any(head[6:10]):  # the reserved bytes of a bitmap
        return True
    return len(head) > 2 * _PACKET_BYTES and all(head[k * _PACKET_BYTES] == ord("G") for k in range(3))


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file."""
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)
