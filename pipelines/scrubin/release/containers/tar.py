"""Tar archives of extracted frames: headers that tell nothing, and no byte outside the members.

Source: POSIX.1-2017, pax, "ustar Interchange Format".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from scrubin.core.files import FIXED_TIME_S
from scrubin.release.audit.findings import Contents, Fault, Text

BLOCK = 512
RECORD = 20 * BLOCK  # archives are filled up to a multiple of it
LIMIT = 1 << 28  # an extracted frame is never that large
MAGICS = (b"ustar\x0000", b"ustar  \x00")
PLAIN_FILE = (b"0", b"\0")
LINK, OWNER, GROUP = slice(157, 257), slice(265, 297), slice(297, 329)
TIMES_S = (0, FIXED_TIME_S)


@dataclass(frozen=True)
class Member:
    """One file of an archive: its header, and where its bytes lie."""

    name: str
    header: bytes
    start: int
    size: int


def read(file: BinaryIO, take: Callable[[Member], None]) -> Contents:
    """Return the faults and texts of all headers of a tar.

    Parameters
    ----------
    file
        Its bytes.
    take
        Gets each member when the file is there, to read it; it raises nothing.

    Raises
    ------
    ValueError
        When it is damaged.
    """
    in_file, odd = [], []
    for member in members(file):
        in_file.append(member)
        take(member)
        if _is_followed(file, member):
            odd.append(f"the bytes behind member {member.name!r} are not empty; pack it again")
    faults = [Fault("tar", f"member {member.name!r}", problem) for member in in_file for problem in _header(member.header)]
    names = [member.name for member in in_file]
    if names != sorted(set(names)):
        faults.append(Fault("order", "members", "the members are not sorted by name, or one stands twice; pack them sorted"))
    faults += [Fault("tar", "padding", problem) for problem in (*odd, *_rest(file, in_file))]
    texts = [Text(f"member {member.name!r}", f"{_text(member, OWNER)} {_text(member, GROUP)} {_text(member, LINK)}") for member in in_file]
    return Contents(faults, texts)


def members(file: BinaryIO) -> Iterator[Member]:
    """Yield all members in their order.

    Raises
    ------
    ValueError
        When a header is damaged, or a member reaches behind the end.
    """
    position, end = 0, file.seek(0, os.SEEK_END)
    while position < end:
        file.seek(position)
        header = file.read(BLOCK)
        if not header.strip(b"\0"):
            break
        if len(header) < BLOCK or sum(header[:148]) + sum(header[156:]) + 8 * ord(" ") != _number(header[148:156]):
            msg = f"the header at byte {position} is damaged"
            raise ValueError(msg)
        name, prefix = (header[part].split(b"\0")[0].decode(errors="replace") for part in (slice(100), slice(345, 500)))
        size = _number(header[124:136])
        if position + BLOCK + size > end:
            msg = f"member {name!r} is cut short"
            raise ValueError(msg)
        yield Member(f"{prefix}/{name}" if prefix else name, header, position + BLOCK, size)
        position += BLOCK + -(-size // BLOCK) * BLOCK


def read_member(file: BinaryIO, member: Member) -> bytes:
    """Return the bytes of a member.

    Raises
    ------
    ValueError
        When it is too large to be a picture.
    """
    if member.size > LIMIT:
        msg = f"member {member.name!r} has {member.size} bytes, which no extracted frame has"
        raise ValueError(msg)
    file.seek(member.start)
    return file.read(member.size)


def _header(header: bytes) -> Iterator[str]:
    if header[257:265] not in MAGICS or header[156:157] not in PLAIN_FILE:
        yield f"a member of type {header[156:157].decode(errors='replace')!r} cannot be proven clean; pack plain files as ustar"
    owners = [_number(header[108:116]), _number(header[116:124]), header[OWNER].strip(b"\0"), header[GROUP].strip(b"\0")]
    if any(owners):
        yield "its header names an owner; pack it with owner and group 0 and without names"
    if _number(header[136:148]) not in TIMES_S:
        yield "its header carries a time; fix it to 0 or 2000-01-01"
    # Behind the end of a name, and where links and devices would stand.
    rests = [header[part].partition(b"\0")[2] for part in (slice(100), slice(345, 500))]
    if any(rest.strip(b"\0") for rest in (*rests, header[LINK], header[500:])) or any(map(_number, (header[329:337], header[337:345]))):
        yield "its header holds more than a name and a size; pack plain files as ustar"


def _is_followed(file: BinaryIO, member: Member) -> bool:
    """Whether anything stands between the end of a member and that of its last block."""
    file.seek(member.start + member.size)
    return bool(file.read(-member.size % BLOCK).strip(b"\0"))


def _rest(file: BinaryIO, in_file: list[Member]) -> Iterator[str]:
    """Yield what stands behind the last member."""
    end = in_file[-1].start + -(-in_file[-1].size // BLOCK) * BLOCK if in_file else 0
    file.seek(end)
    rest = file.read(2 * RECORD)
    if rest.strip(b"\0") or not 2 * BLOCK <= len(rest) <= 2 * BLOCK + RECORD:
        yield f"{len(rest)} bytes follow the last member, expected two empty blocks filled up to {RECORD}; pack it again"


def _text(member: Member, part: slice) -> str:
    return member.header[part].decode(errors="replace").replace("\0", " ").strip()


def _number(field: bytes) -> int:
    """Return an octal number; one that is none is wrong in any place."""
    text = field.strip(b"\0 ")
    try:
        return int(text, 8) if text else 0
    except ValueError:
        return -1
