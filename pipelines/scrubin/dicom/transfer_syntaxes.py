"""Transfer syntaxes that are read, by their UIDs: DICOM PS3.6, table A-1; PS3.5, 8.2.5 to 8.2.9 (video), A.4 (encapsulation)."""

from __future__ import annotations

from dataclasses import dataclass

BASE = "1.2.840.10008.1.2.4"
JPEG_BASELINE, JPEG_EXTENDED = f"{BASE}.50", f"{BASE}.51"
H264_HIGH_41, H264_HIGH_42 = f"{BASE}.102", f"{BASE}.104"
FRAGMENTABLE = ".1"


@dataclass(frozen=True)
class TransferSyntax:
    """How pixel data are coded.

    Parameters
    ----------
    codec
        FFmpeg's name of it.
    demuxer
        FFmpeg's name for the raw stream.
    """

    name: str
    codec: str
    demuxer: str


_MOVING = {
    "100": TransferSyntax("MPEG-2 Main Profile, Main Level", "mpeg2video", "mpegvideo"),
    "101": TransferSyntax("MPEG-2 Main Profile, High Level", "mpeg2video", "mpegvideo"),
    "102": TransferSyntax("MPEG-4 AVC/H.264 High Profile, Level 4.1", "h264", "h264"),
    "103": TransferSyntax("MPEG-4 AVC/H.264 BD-compatible High Profile, Level 4.1", "h264", "h264"),
    "104": TransferSyntax("MPEG-4 AVC/H.264 High Profile, Level 4.2, 2D", "h264", "h264"),
    "105": TransferSyntax("MPEG-4 AVC/H.264 High Profile, Level 4.2, 3D", "h264", "h264"),
}
SYNTAXES: dict[str, TransferSyntax] = {
    JPEG_BASELINE: TransferSyntax("JPEG Baseline", "mjpeg", "mjpeg"),
    JPEG_EXTENDED: TransferSyntax("JPEG Extended, 8 bits", "mjpeg", "mjpeg"),
    **{f"{BASE}.{number}": syntax for number, syntax in _MOVING.items()},
    # The same stream, cut into fragments of any length.
    **{f"{BASE}.{number}{FRAGMENTABLE}": syntax for number, syntax in _MOVING.items()},
    f"{BASE}.107": TransferSyntax("HEVC/H.265 Main Profile, Level 5.1", "hevc", "hevc"),
    f"{BASE}.108": TransferSyntax("HEVC/H.265 Main 10 Profile, Level 5.1", "hevc", "hevc"),
}
"""Without those of two eyes in one stream (MVC): decoders show one of them, and the other would be lost in silence."""
TWO_EYES = {f"{BASE}.106", f"{BASE}.106{FRAGMENTABLE}"}
