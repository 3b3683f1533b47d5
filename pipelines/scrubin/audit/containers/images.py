"""JPEG or PNG: only what the picture needs.

Sources: ITU-T T.81 annex B (JPEG markers), T.871 (JFIF); W3C PNG, third edition, sections 5, 10 and 11.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from scrubin.audit.expected import Contents, Fault, Text

JFIF = b"JFIF\0"
JFIF_BYTES = 14  # without a thumbnail
START, END, SCAN, QUANTISATION, HUFFMAN, RESTART, ARITHMETIC = 0xD8, 0xD9, 0xDA, 0xDB, 0xC4, 0xDD, 0xCC
COMMENT = 0xFE
FRAMES = frozenset(range(0xC0, 0xD0)) - {HUFFMAN, ARITHMETIC, 0xC8}
JPEG_PLAIN = FRAMES | {SCAN, QUANTISATION, HUFFMAN, RESTART, ARITHMETIC}
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Chunks that pictures need, with their largest size; image data may have any.
PNG_PLAIN = {
    b"IHDR": 13,
    b"PLTE": 768,
    b"IDAT": None,
    b"IEND": 0,
    b"tRNS": 256,
    b"cHRM": 32,
    b"gAMA": 4,
    b"sRGB": 1,
    b"cICP": 4,
    b"sBIT": 4,
    b"bKGD": 6,
    b"pHYs": 9,
}
PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
RULE = "image-metadata"


def read_jpeg(data: bytes) -> Contents:
    """Return the faults and texts of the bytes of a JPEG file."""
    faults: list[Fault] = []
    texts: list[Text] = []
    if data[:2] != bytes((0xFF, START)):
        return Contents([Fault("unreadable", "byte 0", "it does not begin like a JPEG file")])
    position, frames = 2, 0
    while position < len(data):
        if data[position] != 0xFF or position + 1 >= len(data):
            faults.append(Fault(RULE, f"byte {position}", f"{len(data) - position} bytes belong to no segment"))
            break
        marker = data[position + 1]
        if marker == END:
            if position + 2 < len(data):
                faults.append(Fault(RULE, f"byte {position + 2}", f"{len(data) - position - 2} bytes after the picture"))
                texts.append(Text("after the picture", data[position + 2 :].decode(errors="replace")))
            break
        size = int.from_bytes(data[position + 2 : position + 4], "big")
        body = data[position + 4 : position + 2 + size]
        frames += marker in FRAMES
        if not _is_plain(marker, body) or (marker in FRAMES and frames > 1):
            name = "COM" if marker == COMMENT else f"APP{marker - 0xE0}" if 0xE0 <= marker <= 0xEF else f"0x{marker:02X}"
            faults.append(Fault(RULE, f"segment {name} at byte {position}", f"{size} bytes that no picture needs; strip them"))
            texts.append(Text(f"segment {name}", body.decode(errors="replace")))
        position += 2 + size
        if marker == SCAN:
            position = _end_of_scan(data, position)
    else:
        faults.append(Fault("unreadable", f"byte {len(data)}", "the picture has no end"))
    return Contents(faults, texts)


def mean_step(data: bytes) -> int:
    """Return the largest step in which a JPEG keeps the mean of a block, 1 to 255; 0 for any other file."""
    steps = [0]
    position = 2 if data[:2] == bytes((0xFF, START)) else len(data)
    while position + 4 <= len(data) and data[position + 1] != SCAN:
        size = int.from_bytes(data[position + 2 : position + 4], "big")
        if data[position + 1] == QUANTISATION:
            steps += [table[0] if len(table) == 64 else 255 for table in _quantisation(data[position + 4 : position + 2 + size])]
        position += 2 + max(size, 2)
    return max(steps)


def _is_plain(marker: int, body: bytes) -> bool:
    """Whether a segment is one that pictures need, and holds nothing but that."""
    if marker == 0xE0:
        return body.startswith(JFIF) and len(body) == JFIF_BYTES
    if marker not in JPEG_PLAIN:
        return False
    if marker == QUANTISATION:
        return sum(1 + len(table) for table in _quantisation(body)) == len(body)
    if marker == HUFFMAN:
        return _huffman_bytes(body) == len(body)
    if marker == ARITHMETIC:
        return len(body) <= 16
    expected = {SCAN: 4 + 2 * body[0] if body else 0, RESTART: 2}.get(marker, 6 + 3 * body[5] if len(body) > 5 else 0)
    return len(body) == expected


def _quantisation(body: bytes) -> list[bytes]:
    """Return the complete tables of a segment, 64 or 128 bytes each, without the byte of kind and number."""
    tables, position = [], 0
    while position < len(body):
        size = 128 if body[position] >> 4 else 64
        tables.append(body[position + 1 : position + 1 + size])
        position += 1 + size
    return [table for table in tables if len(table) in (64, 128)]


def _huffman_bytes(body: bytes) -> int:
    position = 0
    while position < len(body):
        position += 17 + sum(body[position + 1 : position + 17])
    return position


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


def read_png(data: bytes) -> Contents:
    """Return the faults and texts of the bytes of a PNG file."""
    if not data.startswith(PNG_SIGNATURE):
        return Contents([Fault("unreadable", "byte 0", "it does not begin like a PNG file")])
    faults: list[Fault] = []
    texts: list[Text] = []
    chunks: dict[bytes, bytes] = {}
    position = len(PNG_SIGNATURE)
    while position + 12 <= len(data):
        size, chunk_type = struct.unpack(">I4s", data[position : position + 8])
        body = data[position + 8 : position + 8 + size]
        name = chunk_type.decode("latin-1")
        limit = PNG_PLAIN.get(chunk_type, 0)
        if chunk_type not in PNG_PLAIN or (limit is not None and (size > limit or chunk_type in chunks)):
            faults.append(Fault(RULE, f"chunk {name} at byte {position}", f"{size} bytes that no picture needs; strip them"))
            texts.append(Text(f"chunk {name}", body.decode(errors="replace")))
        if data[position + 8 + size : position + 12 + size] != struct.pack(">I", zlib.crc32(chunk_type + body)):
            faults.append(Fault("unreadable", f"chunk {name} at byte {position}", "it is damaged; extract it again"))
        chunks[chunk_type] = chunks.get(chunk_type, b"") + body
        position += 12 + size
        if chunk_type == b"IEND":
            break
    if position != len(data):
        faults.append(Fault(RULE, f"byte {position}", "the file does not end with its picture"))
        texts.append(Text("after the picture", data[position:].decode(errors="replace")))
    faults += [Fault(RULE, "chunk IDAT", problem) for problem in _image_data(chunks.get(b"IHDR", b""), chunks.get(b"IDAT", b""))]
    return Contents(faults, texts)


def _image_data(header: bytes, packed: bytes) -> Iterator[str]:
    """Yield what the compressed pixels hold beside pixels."""
    if len(header) != PNG_PLAIN[b"IHDR"] or header[9] not in PNG_CHANNELS:
        yield "its header is damaged; extract it again"
        return
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if interlaced:
        yield "interlaced pictures cannot be proven clean; write it without"
        return
    expected = height * (1 + -(-width * depth * PNG_CHANNELS[colour] // 8))
    unpacking = zlib.decompressobj()
    try:
        pixels = unpacking.decompress(packed, expected + 1)
    except zlib.error as error:
        yield f"its pixels cannot be unpacked ({error}); extract it again"
        return
    if len(pixels) != expected or not unpacking.eof or unpacking.unused_data:
        yield f"{len(pixels)} bytes and {len(unpacking.unused_data)} behind their end, where the picture needs {expected}; write it again"
