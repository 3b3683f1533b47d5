"""MP4 or MOV, box by box, against a list of the boxes that one plain video track needs; no byte outside the pictures.

Source: ISO/IEC 14496-12, sections 8.7.3 (stsz), 8.7.4 (stsc) and 8.7.5 (stco).

Source: ISO/IEC 14496-12 (ISO base media file format), sections 4.2 and 8.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import BinaryIO

from scrubin.audit.expected import Contents, Fault, Text

Range = tuple[int, int]


@dataclass
class Samples:
    """The sample tables of one track and the media of its file.

    Parameters
    ----------
    media
        First and end byte of every media box.
    sizes
        Bytes of each sample.
    runs
        First chunk (from 1) of each run of chunks, and how many samples each of its chunks holds.
    chunks
        First byte of each chunk.
    """

    media: list[Range] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    runs: list[tuple[int, int]] = field(default_factory=list)
    chunks: list[int] = field(default_factory=list)

    def faults(self) -> Iterator[str]:
        """Yield what the samples leave out of the media, use twice, or seek outside of them."""
        used = sorted(self._ranges())
        if self._held() != len(self.sizes):
            yield f"its chunks hold {self._held()} pictures, its table of sizes {len(self.sizes)}; write the file again"
        position = 0
        twice = sum(max(0, min(before[1], after[1]) - after[0]) for before, after in pairwise(used))
        if twice:
            yield f"{twice} bytes belong to two pictures; write the file again"
        inside = 0
        for start, end in sorted(self.media):
            position = start
            for first, last in used:
                if start <= first and last <= end:
                    inside += 1
                    if first > position:
                        yield f"{first - position} bytes at byte {position} belong to no picture; write the file again"
                    position = max(position, last)
            if end > position:
                yield f"{end - position} bytes at byte {position} belong to no picture; write the file again"
        if inside != len(used):
            yield f"{len(used) - inside} chunks lie outside the media; write the file again"

    def _per_chunk(self) -> list[int]:
        counts: list[int] = []
        ends = [*(first for first, _ in self.runs[1:]), len(self.chunks) + 1][: len(self.runs)]
        for (first, held), following in zip(self.runs, ends, strict=True):
            counts += [held] * min(max(0, following - first), len(self.chunks) - len(counts))
        return counts

    def _held(self) -> int:
        return sum(self._per_chunk())

    def _ranges(self) -> list[Range]:
        """Return first and end byte of the samples of each chunk, which lie one behind the other."""
        ranges, sample = [], 0
        for start, held in zip(self.chunks, self._per_chunk(), strict=False):
            size = sum(self.sizes[sample : sample + held])
            sample += held
            if size:
                ranges.append((start, start + size))
        return ranges


PARENTS = ("moov", "trak", "mdia", "minf", "dinf", "stbl")
# Tables, by the bytes of an entry; version, flags and the number of entries stand before them.
TABLES = {"stts": 8, "stss": 4, "ctts": 8, "stsc": 12, "stco": 4, "co64": 8}
FIXED = {"vmhd": (12,), "mvhd": (100, 112), "tkhd": (84, 96), "mdhd": (24, 36), "cslg": (24, 44)}
GROUPS = {"sgpd": 64, "sbgp": 1 << 20}
BRANDS = frozenset(("isom", *(f"iso{k}" for k in range(2, 10)), "avc1", "hvc1", "hev1", "mp41", "mp42", "qt  ", "M4V ", "M4VH", "M4VP"))
SAMPLE_ENTRIES = ("avc1", "avc3", "hvc1", "hev1")
SAMPLE_BOXES = ("avcC", "hvcC", "pasp", "colr", "btrt", "fiel")
SMALL_BOXES = ("pasp", "colr", "btrt", "fiel")
SMALL_BYTES = 24
HANDLER_NAMES = ("", "VideoHandler")
# Where a box belongs; the others may stand anywhere, or nowhere.
HOMES = {
    **dict.fromkeys(("ftyp", "moov", "mdat"), ("",)),
    **dict.fromkeys(("mvhd", "trak"), ("moov",)),
    **dict.fromkeys(("tkhd", "mdia"), ("trak",)),
    **dict.fromkeys(("mdhd", "hdlr", "minf"), ("mdia",)),
    **dict.fromkeys(("vmhd", "dinf", "stbl"), ("minf",)),
    **dict.fromkeys((*TABLES, "stsd", "stsz", "cslg", "sdtp", *GROUPS), ("stbl",)),
    **dict.fromkeys(SAMPLE_ENTRIES, ("stsd",)),
    **dict.fromkeys(SAMPLE_BOXES, SAMPLE_ENTRIES),
    "dref": ("dinf",),
    "url ": ("dref",),
}
REPEATED = ("trak", "mdat", "free", "skip", "wide", *GROUPS)
MEANING = {
    "edts": "an edit list hides pictures that are still in the file; cut the video itself",
    "elst": "an edit list hides pictures that are still in the file; cut the video itself",
    "udta": "user data hold tags; strip all metadata",
    "meta": "metadata may not be in a release; strip them",
    "tref": "a track reference points to chapters or a timecode; strip them",
    "moof": "a fragmented file has pictures outside its sample tables; write it in one piece",
    "mvex": "a fragmented file has pictures outside its sample tables; write it in one piece",
    "uuid": "a private box cannot be proven clean; write the file without it",
}
TEXT_LIMIT = 1 << 20
MOOV_LIMIT = 1 << 28
SAMPLES_LIMIT = 1 << 26
SAMPLE_ENTRY_HEADER = 78
COMPRESSOR_NAME = slice(42, 74)


@dataclass
class _Walk:
    file: BinaryIO
    faults: list[Fault] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    tracks: int = 0
    samples: Samples = field(default_factory=Samples)
    dependencies: int | None = None

    def fault(self, place: str, message: str, rule: str = "container") -> None:
        self.faults.append(Fault(rule, place, message))


def read(file: BinaryIO) -> Contents:
    """Return the faults and texts of an MP4 or MOV file."""
    walk = _Walk(file)
    _boxes(walk, 0, file.seek(0, os.SEEK_END), "")
    if walk.tracks != 1:
        walk.fault("moov", f"expected one track, but got {walk.tracks}", "streams")
    for problem in walk.samples.faults():
        walk.fault("mdat", problem)
    if walk.dependencies not in (None, len(walk.samples.sizes)):
        walk.fault("moov/sdtp", f"{walk.dependencies} entries for {len(walk.samples.sizes)} pictures; write the file again")
    return Contents(walk.faults, walk.texts, len(walk.samples.sizes))


def _boxes(walk: _Walk, start: int, end: int, parent: str) -> None:
    position = start
    seen: set[str] = set()
    while position < end:
        walk.file.seek(position)
        head = walk.file.read(16)
        size, box_type = (struct.unpack(">I4s", head[:8])) if len(head) >= 8 else (0, b"")
        length = 8
        if size == 1 and len(head) == 16:
            size, length = struct.unpack(">Q", head[8:])[0], 16
        elif size == 0 and box_type == b"mdat":
            size = end - position
        if size < length or position + size > end:
            walk.fault(f"{parent or 'file'} at byte {position}", f"{end - position} bytes belong to no box; write the file again")
            return
        name = box_type.decode("latin-1")
        place = f"{parent}/{name}".lstrip("/")
        if parent.rpartition("/")[2] not in HOMES.get(name, (parent.rpartition("/")[2],)) or (name in seen and name not in REPEATED):
            walk.fault(f"{place} at byte {position}", "the box stands twice or does not belong here; write the file again")
        else:
            _box(walk, name, position + length, size - length, place)
        seen.add(name)
        position += size


def _box(walk: _Walk, name: str, body: int, size: int, place: str) -> None:
    at = f"{place} at byte {body}"
    if name in PARENTS:
        walk.tracks += name == "trak"
        _boxes(walk, body, body + size, place)
        return
    if name == "mdat":
        walk.samples.media.append((body, body + size))
        return
    if size > MOOV_LIMIT:
        walk.fault(at, f"a box of {size} bytes cannot be checked")
        return
    walk.file.seek(body)
    data = walk.file.read(size)
    if name in FIXED and size not in FIXED[name]:
        walk.fault(at, f"expected {' or '.join(map(str, FIXED[name]))} bytes, but got {size}; write the file again")
    elif name in TABLES:
        _table(walk, name, data, at)
    elif name in _CHECKS:
        _CHECKS[name](walk, data, body, at)
    elif name in SAMPLE_ENTRIES:
        _sample_entry(walk, data, body, at)
    elif name in SMALL_BOXES and size > SMALL_BYTES:
        walk.fault(at, f"expected at most {SMALL_BYTES} bytes, but got {size}; write the file without it")
    elif name in GROUPS:
        if size > GROUPS[name]:
            walk.fault(at, f"expected at most {GROUPS[name]} bytes, but got {size}; write the file without it")
    elif name not in (*FIXED, *SAMPLE_BOXES):
        walk.texts.append(Text(at, data[:TEXT_LIMIT].decode(errors="replace")))
        walk.fault(at, MEANING.get(name, "this box is not known, so it cannot be proven clean; write the file without it"))


def _unused(walk: _Walk, data: bytes, _: int, at: str) -> None:
    if data.strip(b"\0"):
        walk.texts.append(Text(at, data[:TEXT_LIMIT].decode(errors="replace")))
        walk.fault(at, "the unused space is not empty; write the file again")


def _track(walk: _Walk, data: bytes, body: int, at: str) -> None:
    _times(walk, data, body, at)
    if not data[3] & 1:
        walk.fault(at, "the track is switched off, so that no player shows it", "streams")


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
    track_type = data[8:12].decode("latin-1")
    name = data[24:].strip(b"\0").decode(errors="replace")
    walk.texts.append(Text(at, name))
    if track_type != "vide":
        walk.fault(at, f"expected video only, but got a track of type {track_type!r}", "streams")
    if name not in HANDLER_NAMES:
        walk.fault(at, f"expected the handler name VideoHandler, but got {name!r}; strip all metadata")


def _sizes(walk: _Walk, data: bytes, _: int, at: str) -> None:
    fixed, count = struct.unpack(">II", data[4:12])
    if count > SAMPLES_LIMIT or len(data) != 12 + (0 if fixed else 4 * count):
        walk.fault(at, f"{len(data)} bytes do not fit {count} pictures; write the file again")
        return
    walk.samples.sizes += [fixed] * count if fixed else struct.unpack(f">{count}I", data[12:])


def _table(walk: _Walk, name: str, data: bytes, at: str) -> None:
    count = int.from_bytes(data[4:8], "big")
    if len(data) != 8 + TABLES[name] * count:
        walk.fault(at, f"{len(data)} bytes do not fit {count} entries; write the file again")
    elif name == "stsc":
        numbers = struct.unpack(f">{3 * count}I", data[8:])
        walk.samples.runs += list(zip(numbers[::3], numbers[1::3], strict=True))
    elif name in ("stco", "co64"):
        walk.samples.chunks += struct.unpack(f">{count}{'I' if name == 'stco' else 'Q'}", data[8:])


def _brands(walk: _Walk, data: bytes, _: int, at: str) -> None:
    brands = [data[:4], *(data[k : k + 4] for k in range(8, len(data), 4))]
    odd = sorted(name for brand in brands if (name := brand.decode("latin-1")) not in BRANDS)
    if odd:
        walk.texts.append(Text(at, " ".join(odd)))
        walk.fault(at, f"the brands {odd} are not known; write the file again")


def _dependencies(walk: _Walk, data: bytes, _: int, __: str) -> None:
    walk.dependencies = len(data) - 4


def _one_inner(walk: _Walk, data: bytes, body: int, at: str) -> None:
    if int.from_bytes(data[4:8], "big") != 1:
        walk.fault(at, f"expected one kind of sample, but got {int.from_bytes(data[4:8], 'big')}; write the file again")
    _inner(walk, data, body, at)


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
    "tkhd": _track,
    "mdhd": _language_and_times,
    "hdlr": _handler,
    "stsz": _sizes,
    "stsd": _one_inner,
    "ftyp": _brands,
    "sdtp": _dependencies,
    "dref": _inner,
    "url ": _url,
}
