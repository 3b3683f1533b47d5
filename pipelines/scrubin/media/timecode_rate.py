"""How many numbers a second the timecode of a file counts: FFmpeg reads it from the file, and tells the numbers alone.

QuickTime File Format, timecode sample description; SMPTE ST 377-1 (Timecode Component).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from scrubin.media.containers.pieces import Pieces
from scrubin.media.opening import content

_TO_TABLE = (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd")
_HEADS = frozenset([b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot"])
"""So begin files of boxes."""
_TABLE_HEAD, _SCALE_AT, _DURATION_AT, _LENGTH = 8, 16, 20, 24
_PARTITION = bytes.fromhex("060e2b34020501010d010201")
_LABEL = bytes.fromhex("060e2b34")
_SET = bytes.fromhex("060e2b34025301010d0101010101")
_MATERIAL_PACKAGE, _TIMECODE_COMPONENT = 0x36, 0x14
_ITSELF, _ROUNDED_BASE = 0x3C0A, 0x1502
_TO_COMPONENT = (0x4403, 0x4803, 0x1001)
"""Tracks of a package, the sequence of a track, the components of a sequence."""
_RUN_IN_BYTES, _HEADER_BYTES = 1 << 16, 1 << 22
SLOWER = Fraction(1, 500)
"""A rate that is less away from a whole one is that rate, or by 1000/1001 slower."""

_Span = tuple[int, int]


def stated_rate(path: Path) -> Fraction | None:
    """Return the rate; None where nothing states one, or several are stated.

    It may be 25 of a film of 50 pictures a second: its timecode counts pairs (SMPTE ST 12-1).

    Raises
    ------
    OSError
        When the file cannot be read.
    """
    file = content(path)
    head = file.read(_RUN_IN_BYTES)
    if head[4:8] in _HEADS:
        found = set(_of_boxes(file, (0, file.size), _TO_TABLE))
    elif (start := head.find(_PARTITION)) >= 0:
        found = _of_components(head[start:] + file.read(_HEADER_BYTES))
    else:
        found = set()
    # Of several nobody knows which counts what FFmpeg tells.
    return found.pop() if len(found) == 1 else None


def counted_fps(fps: Fraction, stated: Fraction | None, *, is_exact: bool = True) -> Fraction:
    """Return how many numbers a second a timecode counts.

    A number counts whole pictures, or pairs of them above 30 a second (SMPTE ST 12-1), so it keeps to the pictures: tracks say 30 of a film
    of 30000/1001.

    Parameters
    ----------
    fps
        Pictures a second.
    stated
        What the timecode track says of itself; None where nothing says it: then it counts every picture.
    is_exact
        Whether pictures come at a constant rate.

    >>> counted_fps(Fraction(50), Fraction(25)), counted_fps(Fraction(60000, 1001), Fraction(30))
    (Fraction(25, 1), Fraction(30000, 1001))
    """
    if stated is None:
        return fps
    speed = fps / max(1, round(fps))
    return round(stated) * speed if is_exact and abs(speed - 1) < SLOWER and round(stated) else stated


def _of_boxes(file: Pieces, inside: _Span, names: tuple[bytes, ...]) -> Iterator[Fraction]:
    """Yield the rate of each timecode description that is reached by these names (ISO/IEC 14496-12, 4.2 and 8.5.2)."""
    for name, (start, end) in _boxes(file, inside):
        if not names and name == b"tmcd" and end - start >= _LENGTH:
            file.seek(start)
            entry = file.read(_LENGTH)
            scale, duration = (int.from_bytes(entry[at : at + 4], "big") for at in (_SCALE_AT, _DURATION_AT))
            if scale and duration:
                yield Fraction(scale, duration)
        elif names and name == names[0]:
            yield from _of_boxes(file, (start + (0 if names[1:] else _TABLE_HEAD), end), names[1:])


def _boxes(file: Pieces, inside: _Span) -> Iterator[tuple[bytes, _Span]]:
    position, end = inside
    while position + 8 <= end:
        file.seek(position)
        head = file.read(16)
        size, content = int.from_bytes(head[:4], "big"), position + 8
        if size == 1:
            size, content = int.from_bytes(head[8:16], "big"), position + 16
        behind = position + size if size else end
        if not content <= behind <= end:
            return  # damaged, which others say
        yield head[4:8], (content, behind)
        position = behind


def _of_components(header: bytes) -> set[Fraction]:
    """Return the bases of the timecode components of an MXF file: where its material package has any, of those, which FFmpeg tells."""
    sets = dict(_sets(header))
    reached = {name for name, (kind, _) in sets.items() if kind == _MATERIAL_PACKAGE}
    for tag in _TO_COMPONENT:
        values = [sets[name][1].get(tag, b"") for name in reached if name in sets]
        # A list of names begins with 8 bytes that count them.
        reached |= {value[at : at + 16] for value in values for at in range(len(value) % 16, len(value), 16)}
    base_of = {name: int.from_bytes(of.get(_ROUNDED_BASE, b"")) for name, (kind, of) in sets.items() if kind == _TIMECODE_COMPONENT}
    told = {base for name, base in base_of.items() if name in reached and base}
    return {Fraction(base) for base in told or base_of.values() if base}


def _sets(header: bytes) -> Iterator[tuple[bytes, tuple[int, dict[int, bytes]]]]:
    """Yield the name by which others refer to each set of metadata, its kind and its values by tag; nothing is read twice."""
    at = header.find(_LABEL)
    while at >= 0:
        length, content = _length(header, at + 16)
        end = content + length
        if end > len(header):
            return
        if header.startswith(_SET, at):
            values: dict[int, bytes] = {}
            while content + 4 <= end:
                tag, size = (int.from_bytes(header[place : place + 2]) for place in (content, content + 2))
                values[tag] = header[content + 4 : min(content + 4 + size, end)]
                content += 4 + size
            yield values.get(_ITSELF, at.to_bytes(8)), (header[at + len(_SET)], values)
        at = header.find(_LABEL, end)


def _length(data: bytes, at: int) -> tuple[int, int]:
    """Return a length and where it ends (SMPTE ST 336, BER)."""
    first = data[at] if at < len(data) else 0
    count = first & 0x7F if first & 0x80 else 0
    return (int.from_bytes(data[at + 1 : at + 1 + count], "big") if count else first), at + 1 + count
