"""Matroska, element by element.

Every byte outside the compressed pictures belongs to an element of the list below, or is a
fault: an allow list cannot forget a kind of tag. Element ids: RFC 8794 (EBML), RFC 9559 (Matroska).
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from scrubin.release.findings import Contents, Fault, Text

WRITERS = ("", "Lavf")  # what the muxer writes in its bit-exact mode: a name without a version
LANGUAGES = ("", "und")
VIDEO_TRACK = 1
TEXT_LIMIT = 1 << 20
UNKNOWN_SIZE_S = 1.0
_DURATION = re.compile(r"(\d{2,}):(\d{2}):(\d{2}\.\d{1,9})")

# name and kind: m = holds elements, n = number or fixed binary, s = text, p = picture bytes, v = void, x = never allowed
ELEMENTS: dict[int, tuple[str, str]] = {
    0x1A45DFA3: ("EBML", "m"),
    0x4286: ("EBMLVersion", "n"),
    0x42F7: ("EBMLReadVersion", "n"),
    0x42F2: ("EBMLMaxIDLength", "n"),
    0x42F3: ("EBMLMaxSizeLength", "n"),
    0x4282: ("DocType", "s"),
    0x4287: ("DocTypeVersion", "n"),
    0x4285: ("DocTypeReadVersion", "n"),
    0x18538067: ("Segment", "m"),
    0x114D9B74: ("SeekHead", "m"),
    0x4DBB: ("Seek", "m"),
    0x53AB: ("SeekID", "n"),
    0x53AC: ("SeekPosition", "n"),
    0xEC: ("Void", "v"),
    0xBF: ("CRC-32", "n"),
    0x1549A966: ("Info", "m"),
    0x2AD7B1: ("TimestampScale", "n"),
    0x4489: ("Duration", "n"),
    0x4D80: ("MuxingApp", "s"),
    0x5741: ("WritingApp", "s"),
    0x7BA9: ("Title", "x"),
    0x4461: ("DateUTC", "x"),
    0x73A4: ("SegmentUUID", "x"),
    0x7384: ("SegmentFilename", "x"),
    0x3CB923: ("PrevUUID", "x"),
    0x3C83AB: ("PrevFilename", "x"),
    0x3EB923: ("NextUUID", "x"),
    0x3E83BB: ("NextFilename", "x"),
    0x4444: ("SegmentFamily", "x"),
    0x1654AE6B: ("Tracks", "m"),
    0xAE: ("TrackEntry", "m"),
    0xD7: ("TrackNumber", "n"),
    0x73C5: ("TrackUID", "n"),
    0x83: ("TrackType", "n"),
    0xB9: ("FlagEnabled", "n"),
    0x88: ("FlagDefault", "n"),
    0x55AA: ("FlagForced", "n"),
    0x9C: ("FlagLacing", "n"),
    0x6DE7: ("MinCache", "n"),
    0x23E383: ("DefaultDuration", "n"),
    0x55EE: ("MaxBlockAdditionID", "n"),
    0x536E: ("Name", "x"),
    0x22B59C: ("Language", "s"),
    0x22B59D: ("LanguageBCP47", "s"),
    0x86: ("CodecID", "s"),
    0x63A2: ("CodecPrivate", "n"),
    0x258688: ("CodecName", "x"),
    0xE0: ("Video", "m"),
    0x9A: ("FlagInterlaced", "n"),
    0x9D: ("FieldOrder", "n"),
    0xB0: ("PixelWidth", "n"),
    0xBA: ("PixelHeight", "n"),
    0x54B0: ("DisplayWidth", "n"),
    0x54BA: ("DisplayHeight", "n"),
    0x54B2: ("DisplayUnit", "n"),
    0x55B0: ("Colour", "m"),
    **{number: ("Colour value", "n") for number in range(0x55B1, 0x55BE)},
    0xE1: ("Audio", "x"),
    0x6D80: ("ContentEncodings", "x"),
    0x41E4: ("BlockAdditionMapping", "x"),
    0x1F43B675: ("Cluster", "m"),
    0xE7: ("Timestamp", "n"),
    0xA7: ("Position", "n"),
    0xAB: ("PrevSize", "n"),
    0xA3: ("SimpleBlock", "p"),
    0xA0: ("BlockGroup", "m"),
    0xA1: ("Block", "p"),
    0x9B: ("BlockDuration", "n"),
    0xFB: ("ReferenceBlock", "n"),
    0x75A1: ("BlockAdditions", "x"),
    0x1C53BB6B: ("Cues", "m"),
    0xBB: ("CuePoint", "m"),
    0xB3: ("CueTime", "n"),
    0xB7: ("CueTrackPositions", "m"),
    0xF7: ("CueTrack", "n"),
    0xF1: ("CueClusterPosition", "n"),
    0xF0: ("CueRelativePosition", "n"),
    0xB2: ("CueDuration", "n"),
    0x1254C367: ("Tags", "m"),
    0x7373: ("Tag", "m"),
    0x63C0: ("Targets", "m"),
    0x68CA: ("TargetTypeValue", "n"),
    0x63C5: ("TagTrackUID", "n"),
    0x67C8: ("SimpleTag", "m"),
    0x45A3: ("TagName", "s"),
    0x447A: ("TagLanguage", "s"),
    0x4484: ("TagDefault", "n"),
    0x4487: ("TagString", "s"),
    0x4485: ("TagBinary", "x"),
    0x1043A770: ("Chapters", "x"),
    0x1941A469: ("Attachments", "x"),
}
NUMBER_BYTES = 8
BINARY = ("CodecPrivate", "SeekID")
CODEC_PRIVATE_BYTES = 4096


@dataclass
class _Walk:
    file: BinaryIO
    faults: list[Fault] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    tracks: int = 0
    scale_ns: int = 1_000_000
    duration: float = math.nan
    tag: str = ""
    durations_s: list[float] = field(default_factory=list)

    def fault(self, place: str, message: str, rule: str = "container") -> None:
        self.faults.append(Fault(rule, place, message))


def read(path: Path) -> Contents:
    """Return the faults and texts of a Matroska file."""
    with path.open("rb") as file:
        walk = _Walk(file)
        _elements(walk, 0, path.stat().st_size, "")
    if walk.tracks != 1:
        walk.fault("Tracks", f"expected one track, but got {walk.tracks}", "streams")
    length_s = walk.duration * walk.scale_ns / 1e9
    if any(not abs(tagged_s - length_s) < UNKNOWN_SIZE_S for tagged_s in walk.durations_s):
        walk.fault("Tags", f"a DURATION tag does not agree with the file's own {length_s:.3f} s: it tells about the source")
    return Contents(walk.faults, walk.texts)


def _elements(walk: _Walk, start: int, end: int, parent: str) -> None:
    position = start
    while position < end:
        header = _header(walk.file, position, end)
        if header is None:
            walk.fault(f"{parent or 'file'} at byte {position}", f"{end - position} bytes belong to no element; write the file again")
            return
        number, body, size = header
        name, kind = ELEMENTS.get(number, (f"0x{number:X}", "?"))
        _element(walk, name, kind, body, size, f"{parent}/{name}".lstrip("/"))
        position = body + size


def _element(walk: _Walk, name: str, kind: str, body: int, size: int, place: str) -> None:
    at = f"{place} at byte {body}"
    if kind == "m":
        walk.tracks += name == "TrackEntry"
        _elements(walk, body, body + size, place)
    elif kind == "s":
        _text(walk, name, _bytes(walk.file, body, min(size, TEXT_LIMIT)).rstrip(b"\0").decode(errors="replace"), at)
    elif kind == "v":
        if _has_content(walk.file, body, size):
            walk.fault(at, "the unused space is not empty; write the file again")
    elif kind == "n":
        limit = CODEC_PRIVATE_BYTES if name in BINARY else NUMBER_BYTES
        if size > limit:
            walk.fault(at, f"expected a value of at most {limit} bytes, but got {size}")
        _number(walk, name, _bytes(walk.file, body, min(size, NUMBER_BYTES)), at)
    elif kind == "?":
        walk.fault(at, "this element is not known, so it cannot be proven clean; write the file without it")
    elif kind == "x":
        walk.texts.append(Text(place, _bytes(walk.file, body, min(size, TEXT_LIMIT)).decode(errors="replace")))
        walk.fault(at, f"the element {name} may not be in a release; write the file without it")


def _text(walk: _Walk, name: str, text: str, at: str) -> None:
    walk.texts.append(Text(at, text))
    if name in ("MuxingApp", "WritingApp") and text not in WRITERS:
        walk.fault(at, f"expected a writer without version, but got {text!r}; mux in bit-exact mode")
    elif name in ("Language", "LanguageBCP47", "TagLanguage") and text not in LANGUAGES:
        walk.fault(at, f"expected an undetermined language, but got {text!r}")
    elif name == "TagName":
        walk.tag = text
    elif name == "TagString":
        match = _DURATION.fullmatch(text)
        if walk.tag == "DURATION" and match:
            walk.durations_s.append(int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3]))
        else:
            walk.fault(at, f"the tag {walk.tag} = {text!r} may not be in a release; strip all tags")


def _number(walk: _Walk, name: str, value: bytes, at: str) -> None:
    if name == "TimestampScale":
        walk.scale_ns = int.from_bytes(value, "big")
    elif name == "Duration" and len(value) in (4, 8):
        walk.duration = struct.unpack(">f" if len(value) == 4 else ">d", value)[0]
    elif name == "TrackType" and int.from_bytes(value, "big") != VIDEO_TRACK:
        walk.fault(at, f"expected video only, but got a track of type {int.from_bytes(value, 'big')}", "streams")


def _header(file: BinaryIO, position: int, end: int) -> tuple[int, int, int] | None:
    """Return id, first byte and size of an element; None when it does not fit into its parent."""
    data = _bytes(file, position, 12)
    if not data or data[0] == 0:
        return None
    id_length = 9 - data[0].bit_length()
    if id_length > 4 or len(data) <= id_length or data[id_length] == 0:
        return None
    size_length = 9 - data[id_length].bit_length()
    if len(data) < id_length + size_length:
        return None
    raw = int.from_bytes(data[id_length : id_length + size_length], "big")
    size = raw & ((1 << (7 * size_length)) - 1)
    body = position + id_length + size_length
    # All ones mean "until the parent ends", which only live streams need: no walk can check it.
    if size == (1 << (7 * size_length)) - 1 or body + size > end:
        return None
    return int.from_bytes(data[:id_length], "big"), body, size


def _bytes(file: BinaryIO, start: int, size: int) -> bytes:
    file.seek(start)
    return file.read(size)


def _has_content(file: BinaryIO, start: int, size: int) -> bool:
    file.seek(start)
    while size > 0:
        data = file.read(min(size, TEXT_LIMIT))
        if not data or data.strip(b"\0"):
            return True
        size -= len(data)
    return False
