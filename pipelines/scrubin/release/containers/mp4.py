"""MP4 and MOV, box by box, against a list of the boxes that one plain video track needs.

Source: ISO/IEC 14496-12 (ISO base media file format), sections 4.2 and 8.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from scrubin.release.findings import Contents, Fault, Text

PARENTS = ("moov", "trak", "mdia", "minf", "dinf", "stbl")
PLAIN = ("ftyp", "vmhd", "stts", "stss", "ctts", "stsc", "stco", "co64", "sgpd", "sbgp", "sdtp", "cslg")
SAMPLE_ENTRIES = ("avc1", "avc3", "hvc1", "hev1")
SAMPLE_BOXES = ("avcC", "hvcC", "pasp", "colr", "btrt", "fiel")
SMALL_BOXES = ("pasp", "colr", "btrt", "fiel")
SMALL_BYTES = 24
HANDLER_NAMES = ("", "VideoHandler")
MEANING = {
    "edts": "an edit list hides pictures that are still in the file; cut the video itself",
    "elst": "an edit list hides pictures that are still in the file; cut the video itself",
    "udta": "user data hold tags; strip all metadata",
    "meta": "metadata may not be in a release; strip them",
    "tref": "a track reference points to chapters or a timecode; strip them",
    "uuid": "a private box cannot be proven clean; write the file without it",
}
TEXT_LIMIT = 1 << 20
MOOV_LIMIT = 1 << 28
SAMPLE_ENTRY_HEADER = 78
COMPRESSOR_NAME = slice(42, 74)


@dataclass
class _Walk:
    file: BinaryIO
    faults: list[Fault] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    media_bytes: int = 0
    sample_bytes: int = 0
    tracks: int = 0

    def fault(self, place: str, message: str, rule: str = "container") -> None:
        self.faults.append(Fault(rule, place, message))


def read(path: Path) -> Contents:
    """Return the faults and texts of an MP4 or MOV file."""
    with path.open("rb") as file:
        walk = _Walk(file)
        _boxes(walk, 0, path.stat().st_size, "")
    if walk.tracks != 1:
        walk.fault("moov", f"expected one track, but got {walk.tracks}", "streams")
    if walk.media_bytes != walk.sample_bytes:
        walk.fault("mdat", f"{walk.media_bytes} bytes of media, but the track uses {walk.sample_bytes}; write the file again")
    return Contents(walk.faults, walk.texts)


def _boxes(walk: _Walk, start: int, end: int, parent: str) -> None:
    position = start
    while position < end:
        walk.file.seek(position)
        head = walk.file.read(16)
        size, kind = (struct.unpack(">I4s", head[:8])) if len(head) >= 8 else (0, b"")
        length = 8
        if size == 1 and len(head) == 16:
            size, length = struct.unpack(">Q", head[8:])[0], 16
        elif size == 0 and kind == b"mdat":
            size = end - position
        if size < length or position + size > end:
            walk.fault(f"{parent or 'file'} at byte {position}", f"{end - position} bytes belong to no box; write the file again")
            return
        name = kind.decode("latin-1")
        _box(walk, name, position + length, size - length, f"{parent}/{name}".lstrip("/"))
        position += size


def _box(walk: _Walk, name: str, body: int, size: int, place: str) -> None:
    at = f"{place} at byte {body}"
    if name in PARENTS:
        walk.tracks += name == "trak"
        _boxes(walk, body, body + size, place)
        return
    if name == "mdat":
        walk.media_bytes += size
        return
    if size > MOOV_LIMIT:
        walk.fault(at, f"a box of {size} bytes cannot be checked")
        return
    walk.file.seek(body)
    data = walk.file.read(size)
    if name in PLAIN:
        return
    if name in _CHECKS:
        _CHECKS[name](walk, data, body, at)
    elif name in SAMPLE_ENTRIES:
        _sample_entry(walk, data, body, at)
    elif name in SMALL_BOXES and size > SMALL_BYTES:
        walk.fault(at, f"expected at most {SMALL_BYTES} bytes, but got {size}; write the file without it")
    elif name not in SAMPLE_BOXES:
        walk.texts.append(Text(at, data[:TEXT_LIMIT].decode(errors="replace")))
        walk.fault(at, MEANING.get(name, "this box is not known, so it cannot be proven clean; write the file without it"))


def _unused(walk: _Walk, data: bytes, _: int, at: str) -> None:
    if data.strip(b"\0"):
        walk.texts.append(Text(at, data[:TEXT_LIMIT].decode(errors="replace")))
        walk.fault(at, "the unused space is not empty; write the file again")


def _times(walk: _Walk, data: bytes, _: int, at: str) -> None:
    width = 8 if data[:1] == b"\x01" else 4
    if data[4 : 4 + 2 * width].strip(b"\0"):
        walk.fault(at, "it holds a creation or modification time; mux in bit-exact mode")


def _language_and_times(walk: _Walk, data: bytes, body: int, at: str) -> None:
    _times(walk, data, body, at)
    language = int.from_bytes(data[-4:-2], "big")
    letters = "".join(chr(0x60 + (language >> shift & 0x1F)) for shift in (10, 5, 0))
    if language and letters != "und":
        walk.fault(at, f"expected an undetermined language, but got {letters!r}")


def _handler(walk: _Walk, data: bytes, _: int, at: str) -> None:
    kind = data[8:12].decode("latin-1")
    name = data[24:].strip(b"\0").decode(errors="replace")
    walk.texts.append(Text(at, name))
    if kind != "vide":
        walk.fault(at, f"expected video only, but got a track of type {kind!r}", "streams")
    if name not in HANDLER_NAMES:
        walk.fault(at, f"expected the handler name VideoHandler, but got {name!r}; strip all metadata")


def _sizes(walk: _Walk, data: bytes, _: int, __: str) -> None:
    fixed, count = struct.unpack(">II", data[4:12])
    walk.sample_bytes += fixed * count if fixed else sum(struct.unpack(f">{count}I", data[12 : 12 + 4 * count]))


def _inner(walk: _Walk, data: bytes, body: int, at: str) -> None:
    _boxes(walk, body + 8, body + len(data), at.split(" at ")[0])


def _url(walk: _Walk, data: bytes, _: int, at: str) -> None:
    if data[4:]:
        walk.texts.append(Text(at, data[4:].decode(errors="replace")))
        walk.fault(at, "the media lie in another file; write the file again")


def _sample_entry(walk: _Walk, data: bytes, body: int, at: str) -> None:
    name = data[COMPRESSOR_NAME].strip(b"\0")
    if name:
        walk.texts.append(Text(at, name.decode(errors="replace")))
        walk.fault(at, f"it names its encoder, {name[1:].decode(errors='replace')!r}; strip all tags")
    _boxes(walk, body + SAMPLE_ENTRY_HEADER, body + len(data), at.split(" at ")[0])


_CHECKS = {
    "free": _unused,
    "skip": _unused,
    "wide": _unused,
    "mvhd": _times,
    "tkhd": _times,
    "mdhd": _language_and_times,
    "hdlr": _handler,
    "stsz": _sizes,
    "stsd": _inner,
    "dref": _inner,
    "url ": _url,
}
