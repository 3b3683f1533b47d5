"""Matroska, element by element, against a list of those that one plain video track can have.

Every byte outside the compressed pictures belongs to an element of the list, in its place and as
often as it may be there, or is a fault: an allow list cannot forget a kind of tag. What a player
skips is a fault too: blocks of a track that is not declared, blocks marked as invisible, a second
segment. Source: RFC 9559 (Matroska), sections 5 and 10.
"""

from __future__ import annotations

import math
import os
import re
import struct
from dataclasses import dataclass, field
from typing import BinaryIO

from scrubin.audit.expected import Contents, Fault, Text

# name, kind and where it belongs ("*": anywhere, "": on top). Kinds: m = holds elements, n = number or fixed binary, s = text,
# p = picture bytes, v = void, x = never allowed
ELEMENTS: dict[int, tuple[str, str, str]] = {
    0x1A45DFA3: ("EBML", "m", ""),
    0x4286: ("EBMLVersion", "n", "EBML"),
    0x42F7: ("EBMLReadVersion", "n", "EBML"),
    0x42F2: ("EBMLMaxIDLength", "n", "EBML"),
    0x42F3: ("EBMLMaxSizeLength", "n", "EBML"),
    0x4282: ("DocType", "s", "EBML"),
    0x4287: ("DocTypeVersion", "n", "EBML"),
    0x4285: ("DocTypeReadVersion", "n", "EBML"),
    0x18538067: ("Segment", "m", ""),
    0x114D9B74: ("SeekHead", "m", "Segment"),
    0x4DBB: ("Seek", "m", "SeekHead"),
    0x53AB: ("SeekID", "n", "Seek"),
    0x53AC: ("SeekPosition", "n", "Seek"),
    0xEC: ("Void", "v", "*"),
    0xBF: ("CRC-32", "n", "*"),
    0x1549A966: ("Info", "m", "Segment"),
    0x2AD7B1: ("TimestampScale", "n", "Info"),
    0x4489: ("Duration", "n", "Info"),
    0x4D80: ("MuxingApp", "s", "Info"),
    0x5741: ("WritingApp", "s", "Info"),
    0x7BA9: ("Title", "x", "Info"),
    0x4461: ("DateUTC", "x", "Info"),
    0x73A4: ("SegmentUUID", "x", "Info"),
    0x7384: ("SegmentFilename", "x", "Info"),
    0x3CB923: ("PrevUUID", "x", "Info"),
    0x3C83AB: ("PrevFilename", "x", "Info"),
    0x3EB923: ("NextUUID", "x", "Info"),
    0x3E83BB: ("NextFilename", "x", "Info"),
    0x4444: ("SegmentFamily", "x", "Info"),
    0x1654AE6B: ("Tracks", "m", "Segment"),
    0xAE: ("TrackEntry", "m", "Tracks"),
    0xD7: ("TrackNumber", "n", "TrackEntry"),
    0x73C5: ("TrackUID", "n", "TrackEntry"),
    0x83: ("TrackType", "n", "TrackEntry"),
    0xB9: ("FlagEnabled", "n", "TrackEntry"),
    0x88: ("FlagDefault", "n", "TrackEntry"),
    0x55AA: ("FlagForced", "n", "TrackEntry"),
    0x9C: ("FlagLacing", "n", "TrackEntry"),
    0x6DE7: ("MinCache", "n", "TrackEntry"),
    0x23E383: ("DefaultDuration", "n", "TrackEntry"),
    0x55EE: ("MaxBlockAdditionID", "n", "TrackEntry"),
    0x536E: ("Name", "x", "TrackEntry"),
    0x22B59C: ("Language", "s", "TrackEntry"),
    0x22B59D: ("LanguageBCP47", "s", "TrackEntry"),
    0x86: ("CodecID", "s", "TrackEntry"),
    0x63A2: ("CodecPrivate", "n", "TrackEntry"),
    0x258688: ("CodecName", "x", "TrackEntry"),
    0xE0: ("Video", "m", "TrackEntry"),
    0x9A: ("FlagInterlaced", "n", "Video"),
    0x9D: ("FieldOrder", "n", "Video"),
    0xB0: ("PixelWidth", "n", "Video"),
    0xBA: ("PixelHeight", "n", "Video"),
    0x54B0: ("DisplayWidth", "n", "Video"),
    0x54BA: ("DisplayHeight", "n", "Video"),
    0x54B2: ("DisplayUnit", "n", "Video"),
    0x55B0: ("Colour", "m", "Video"),
    **{number: (f"Colour value {number:X}", "n", "Colour") for number in range(0x55B1, 0x55BE)},
    0xE1: ("Audio", "x", "TrackEntry"),
    0x6D80: ("ContentEncodings", "x", "TrackEntry"),
    0x41E4: ("BlockAdditionMapping", "x", "TrackEntry"),
    0x1F43B675: ("Cluster", "m", "Segment"),
    0xE7: ("Timestamp", "n", "Cluster"),
    0xA7: ("Position", "n", "Cluster"),
    0xAB: ("PrevSize", "n", "Cluster"),
    0xA3: ("SimpleBlock", "p", "Cluster"),
    0xA0: ("BlockGroup", "m", "Cluster"),
    0xA1: ("Block", "p", "BlockGroup"),
    0x9B: ("BlockDuration", "n", "BlockGroup"),
    0xFB: ("ReferenceBlock", "n", "BlockGroup"),
    0x75A1: ("BlockAdditions", "x", "BlockGroup"),
    0x1C53BB6B: ("Cues", "m", "Segment"),
    0xBB: ("CuePoint", "m", "Cues"),
    0xB3: ("CueTime", "n", "CuePoint"),
    0xB7: ("CueTrackPositions", "m", "CuePoint"),
    0xF7: ("CueTrack", "n", "CueTrackPositions"),
    0xF1: ("CueClusterPosition", "n", "CueTrackPositions"),
    0xF0: ("CueRelativePosition", "n", "CueTrackPositions"),
    0xB2: ("CueDuration", "n", "CueTrackPositions"),
    0x1254C367: ("Tags", "m", "Segment"),
    0x7373: ("Tag", "m", "Tags"),
    0x63C0: ("Targets", "m", "Tag"),
    0x68CA: ("TargetTypeValue", "n", "Targets"),
    0x63C5: ("TagTrackUID", "n", "Targets"),
    0x67C8: ("SimpleTag", "m", "Tag"),
    0x45A3: ("TagName", "s", "SimpleTag"),
    0x447A: ("TagLanguage", "s", "SimpleTag"),
    0x4484: ("TagDefault", "n", "SimpleTag"),
    0x4487: ("TagString", "s", "SimpleTag"),
    0x4485: ("TagBinary", "x", "SimpleTag"),
    0x1043A770: ("Chapters", "x", "Segment"),
    0x1941A469: ("Attachments", "x", "Segment"),
}
REPEATED = frozenset(
    ("Seek", "Cluster", "SimpleBlock", "BlockGroup", "ReferenceBlock", "CuePoint", "Tag", "SimpleTag", "Void", "TrackEntry", "TagTrackUID")
)
"""Elements that may stand more than once in their parent; tracks are counted."""

WRITERS = ("", "none", "Lavf")  # no name, or what the muxer writes in its bit-exact mode: a name without a version
LANGUAGES = ("", "und")
DOCUMENTS = ("matroska", "webm")
CODECS = ("V_MPEG4/ISO/AVC", "V_MPEGH/ISO/HEVC")
LARGEST_UID = 1 << 16  # larger ones are drawn at random: they tell one muxing from another
BLOCK_HEAD_BYTES = 4
# Of the flags of a block only these two leave a picture to be shown as it is: keyframe, discardable.
SIMPLE_FLAGS = 0x81
VIDEO_TRACK = 1
TEXT_LIMIT = 1 << 20
UNKNOWN_SIZE_S = 1.0
_DURATION = re.compile(r"(\d{2,}):(\d{2}):(\d{2}\.\d{1,9})")

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
    blocks: int = 0
    declared: set[int] = field(default_factory=set)
    used: set[int] = field(default_factory=set)

    def fault(self, place: str, message: str, rule: str = "container") -> None:
        self.faults.append(Fault(rule, place, message))


def read(file: BinaryIO) -> Contents:
    """Return the faults and texts of a Matroska file."""
    walk = _Walk(file)
    _elements(walk, 0, file.seek(0, os.SEEK_END), "")
    if walk.tracks != 1:
        walk.fault("Tracks", f"expected one track, but got {walk.tracks}", "streams")
    if walk.used - walk.declared:
        walk.fault(
            "Cluster", f"blocks of the tracks {sorted(walk.used - walk.declared)}, which are not declared: no player shows them", "streams"
        )
    length_s = walk.duration * walk.scale_ns / 1e9
    if any(not abs(tagged_s - length_s) < UNKNOWN_SIZE_S for tagged_s in walk.durations_s):
        walk.fault("Tags", f"a DURATION tag does not agree with the file's own {length_s:.3f} s: it tells about the source")
    return Contents(walk.faults, walk.texts, walk.blocks)


def _elements(walk: _Walk, start: int, end: int, parent: str) -> None:
    position = start
    seen: set[str] = set()
    while position < end:
        header = _header(walk.file, position, end)
        if header is None:
            walk.fault(f"{parent or 'file'} at byte {position}", f"{end - position} bytes belong to no element; write the file again")
            return
        number, body, size = header
        name, content, home = ELEMENTS.get(number, (f"0x{number:X}", "?", "*"))
        place = f"{parent}/{name}".lstrip("/")
        if home not in ("*", parent.rpartition("/")[2]) or (name in seen and name not in REPEATED):
            why = "stands twice" if name in seen else "does not belong here"
            walk.texts.append(Text(place, _bytes(walk.file, body, min(size, TEXT_LIMIT)).decode(errors="replace")))
            walk.fault(f"{place} at byte {body}", f"the element {name} {why}, so players pass over it; write the file again")
        else:
            _element(walk, name, content, body, size, place)
        seen.add(name)
        position = body + size


def _element(walk: _Walk, name: str, content: str, body: int, size: int, place: str) -> None:
    at = f"{place} at byte {body}"
    if content == "m":
        walk.tracks += name == "TrackEntry"
        _elements(walk, body, body + size, place)
    elif content == "s":
        _text(walk, name, _bytes(walk.file, body, min(size, TEXT_LIMIT)).rstrip(b"\0").decode(errors="replace"), at)
    elif content == "v":
        if _has_content(walk.file, body, size):
            walk.fault(at, "the unused space is not empty; write the file again")
    elif content == "p":
        _block(walk, name, _bytes(walk.file, body, min(size, BLOCK_HEAD_BYTES)), at)
    elif content == "n":
        limit = CODEC_PRIVATE_BYTES if name in BINARY else NUMBER_BYTES
        if size > limit:
            walk.fault(at, f"expected a value of at most {limit} bytes, but got {size}")
        _number(walk, name, _bytes(walk.file, body, min(size, NUMBER_BYTES)), at)
    elif content == "?":
        walk.fault(at, "this element is not known, so it cannot be proven clean; write the file without it")
    elif content == "x":
        walk.texts.append(Text(place, _bytes(walk.file, body, min(size, TEXT_LIMIT)).decode(errors="replace")))
        walk.fault(at, f"the element {name} may not be in a release; write the file without it")


def _block(walk: _Walk, name: str, head: bytes, at: str) -> None:
    """Look at the header of a block: track, time, flags (RFC 9559, 10.1 and 10.2)."""
    if len(head) < BLOCK_HEAD_BYTES or not head[0] & 0x80:
        walk.fault(at, "its header cannot be read; write the file again")
        return
    walk.blocks += 1
    walk.used.add(head[0] & 0x7F)
    odd = head[3] & ~(SIMPLE_FLAGS if name == "SimpleBlock" else 0)
    if odd:
        walk.fault(at, f"its flags {odd:#04x} make it invisible, lace several pictures or have no meaning; write the file again")


def _text(walk: _Walk, name: str, text: str, at: str) -> None:
    walk.texts.append(Text(at, text))
    if name in ("MuxingApp", "WritingApp") and text not in WRITERS:
        walk.fault(at, f"expected a writer without version, but got {text!r}; mux in bit-exact mode")
    elif name in ("DocType", "CodecID") and text not in (DOCUMENTS if name == "DocType" else CODECS):
        walk.fault(at, f"{name} is {text!r}; release H.264 or HEVC in plain Matroska")
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
    elif name == "TrackNumber":
        walk.declared.add(int.from_bytes(value, "big"))
    elif name in ("TrackUID", "TagTrackUID") and int.from_bytes(value, "big") >= LARGEST_UID:
        walk.fault(at, "a track's identity is drawn at random and tells files apart; mux in bit-exact mode")
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
