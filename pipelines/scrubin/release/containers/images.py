"""JPEG and PNG: only what the picture needs.

Sources: ITU-T T.81 annex B (JPEG markers), T.871 (JFIF); W3C PNG, third edition, section 11.
"""

from __future__ import annotations

import struct
from pathlib import Path

from scrubin.release.findings import Contents, Fault, Text

JFIF = b"JFIF\0"
JFIF_BYTES = 14  # without a thumbnail
START, END, SCAN = 0xD8, 0xD9, 0xDA
COMMENT = 0xFE
# Quantisation, Huffman and arithmetic tables, restart interval, frame headers.
JPEG_PLAIN = frozenset({0xDB, 0xC4, 0xCC, 0xDD, *range(0xC0, 0xD0)} - {0xC8})
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_PLAIN = frozenset({b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"sRGB", b"cICP", b"sBIT", b"bKGD", b"pHYs"})


def read_jpeg(path: Path) -> Contents:
    """Return the faults and texts of a JPEG file."""
    data = path.read_bytes()
    faults: list[Fault] = []
    texts: list[Text] = []
    if data[:2] != bytes((0xFF, START)):
        return Contents([Fault("unreadable", "byte 0", "it does not begin like a JPEG file")])
    position = 2
    while position < len(data):
        if data[position] != 0xFF or position + 1 >= len(data):
            faults.append(Fault("image-metadata", f"byte {position}", f"{len(data) - position} bytes belong to no segment"))
            break
        marker = data[position + 1]
        if marker == END:
            if position + 2 < len(data):
                faults.append(Fault("image-metadata", f"byte {position + 2}", f"{len(data) - position - 2} bytes after the picture"))
                texts.append(Text("after the picture", data[position + 2 :].decode(errors="replace")))
            break
        size = int.from_bytes(data[position + 2 : position + 4], "big")
        body = data[position + 4 : position + 2 + size]
        if not _is_plain(marker, body):
            name = "COM" if marker == COMMENT else f"APP{marker - 0xE0}" if 0xE0 <= marker <= 0xEF else f"0x{marker:02X}"
            faults.append(Fault("image-metadata", f"segment {name} at byte {position}", f"{size} bytes that no picture needs; strip them"))
            texts.append(Text(f"segment {name}", body.decode(errors="replace")))
        position += 2 + size
        if marker == SCAN:
            position = _end_of_scan(data, position)
    else:
        faults.append(Fault("unreadable", f"byte {len(data)}", "the picture has no end"))
    return Contents(faults, texts)


def _is_plain(marker: int, body: bytes) -> bool:
    if marker == 0xE0:
        return body.startswith(JFIF) and len(body) == JFIF_BYTES
    return marker == SCAN or marker in JPEG_PLAIN


def _end_of_scan(data: bytes, position: int) -> int:
    """Return where the compressed bytes end: at a marker that is neither stuffing nor a restart."""
    while (position := data.find(b"\xff", position)) >= 0 and position + 1 < len(data):
        if data[position + 1] == 0 or 0xD0 <= data[position + 1] <= 0xD7:
            position += 2
        elif data[position + 1] == 0xFF:
            position += 1
        else:
            return position
    return len(data)


def read_png(path: Path) -> Contents:
    """Return the faults and texts of a PNG file."""
    data = path.read_bytes()
    if not data.startswith(PNG_SIGNATURE):
        return Contents([Fault("unreadable", "byte 0", "it does not begin like a PNG file")])
    faults: list[Fault] = []
    texts: list[Text] = []
    position = len(PNG_SIGNATURE)
    while position + 12 <= len(data):
        size, kind = struct.unpack(">I4s", data[position : position + 8])
        if kind not in PNG_PLAIN:
            name = kind.decode("latin-1")
            faults.append(Fault("image-metadata", f"chunk {name} at byte {position}", f"{size} bytes that no picture needs; strip them"))
            texts.append(Text(f"chunk {name}", data[position + 8 : position + 8 + size].decode(errors="replace")))
        position += 12 + size
        if kind == b"IEND":
            break
    if position != len(data):
        faults.append(Fault("image-metadata", f"byte {position}", "the file does not end with its picture"))
        texts.append(Text("after the picture", data[position:].decode(errors="replace")))
    return Contents(faults, texts)
