"""Archives: headers that tell nothing, no byte outside the members.

Source: POSIX.1-2017, pax, "ustar Interchange Format".

Sources: PKWARE APPNOTE 6.3.10, sections 4.3 to 4.5; RFC 1952 (gzip).
"""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from scrubin.audit.expected import Contents, Fault, Text
from scrubin.base.files import FIXED_TIME_S

BLOCK = 512
RECORD = 20 * BLOCK  # archives are filled up to a multiple of it
LIMIT = 1 << 28  # an extracted frame is never that large
MAGICS = (b"ustar\x0000", b"ustar  \x00")
PLAIN_FILE = (b"0", b"\0")
LINK, OWNER, GROUP = slice(157, 257), slice(265, 297), slice(297, 329)
TIMES_S = (0, FIXED_TIME_S)


@dataclass(frozen=True)
class TarMember:
    """One file of an archive: its header, and where its bytes lie."""

    name: str
    header: bytes
    start: int
    size: int


def read(file: BinaryIO, take: Callable[[TarMember], None]) -> Contents:
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


def members(file: BinaryIO) -> Iterator[TarMember]:
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
            raise ValueError(f"the header at byte {position} is damaged")
        name, prefix = (header[part].split(b"\0")[0].decode(errors="replace") for part in (slice(100), slice(345, 500)))
        size = _number(header[124:136])
        if position + BLOCK + size > end:
            raise ValueError(f"member {name!r} is cut short")
        yield TarMember(f"{prefix}/{name}" if prefix else name, header, position + BLOCK, size)
        position += BLOCK + -(-size // BLOCK) * BLOCK


def read_member(file: BinaryIO, member: TarMember) -> bytes:
    """Return the bytes of a member.

    Raises
    ------
    ValueError
        When it is too large to be a picture.
    """
    if member.size > LIMIT:
        raise ValueError(f"member {member.name!r} has {member.size} bytes, which no extracted frame has")
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


def _is_followed(file: BinaryIO, member: TarMember) -> bool:
    """Whether anything stands between the end of a member and that of its last block."""
    file.seek(member.start + member.size)
    return bool(file.read(-member.size % BLOCK).strip(b"\0"))


def _rest(file: BinaryIO, in_file: list[TarMember]) -> Iterator[str]:
    """Yield what stands behind the last member."""
    end = in_file[-1].start + -(-in_file[-1].size // BLOCK) * BLOCK if in_file else 0
    file.seek(end)
    rest = file.read(2 * RECORD)
    if rest.strip(b"\0") or not 2 * BLOCK <= len(rest) <= 2 * BLOCK + RECORD:
        yield f"{len(rest)} bytes follow the last member, expected two empty blocks filled up to {RECORD}; pack it again"


def _text(member: TarMember, part: slice) -> str:
    return member.header[part].decode(errors="replace").replace("\0", " ").strip()


def _number(field: bytes) -> int:
    """Return an octal number; one that is none is wrong in any place."""
    text = field.strip(b"\0 ")
    try:
        return int(text, 8) if text else 0
    except ValueError:
        return -1


FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold
FIXED_DOS = (0, (1 << 5) | 1)  # the same as time and date of a local header
LOCAL = struct.Struct("<4s5H3I2H")
LOCAL_SIGNATURE = b"PK\x03\x04"
ZIP64_EXTRA = 0x0001  # sizes of large members; it tells nothing else
END = struct.Struct("<4s4H2IH")
END_SIGNATURE = b"PK\x05\x06"
END_64 = struct.Struct("<4sQ2H2I4Q")
END_64_SIGNATURE = b"PK\x06\x06"
LOCATOR = struct.Struct("<4sIQI")
LOCATOR_SIGNATURE = b"PK\x06\x07"
UNIX = 3
UTF8_NAME = 0x800
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
GZIP_HEADER = struct.Struct("<2sBBIBB")
GZIP_SIGNATURE = b"\x1f\x8b"
GZIP_FLAGS = {0x04: "an extra field", 0x08: "a file name", 0x10: "a comment"}


@dataclass(frozen=True)
class ZipMember:
    """One file of a zip, and where the bytes lie that are kept of it."""

    entry: zipfile.ZipInfo
    start: int

    @property
    def is_plain(self) -> bool:
        """Whether its bytes lie there as they are."""
        return self.entry.compress_type == zipfile.ZIP_STORED and self.entry.compress_size == self.entry.file_size

    @property
    def end(self) -> int:
        """First byte behind those of it."""
        return self.start + self.entry.compress_size


def read_zip(archive: zipfile.ZipFile, file: BinaryIO) -> tuple[Contents, list[ZipMember]]:
    """Return the faults and texts of all headers of a zip, and its members, whose bytes are for the caller.

    Parameters
    ----------
    archive
        The zip.
    file
        Its bytes: only those beside the members' are read.
    """
    faults: list[Fault] = []
    texts: list[Text] = []
    starts = {}
    entries = archive.infolist()
    if archive.comment:
        faults.append(Fault("zip", "comment", f"{len(archive.comment)} bytes of comment; write the zip without"))
        texts.append(Text("comment", archive.comment.decode(errors="replace")))
    covered = 0
    for entry in sorted(entries, key=lambda item: item.header_offset):
        place = f"member {entry.filename!r}"
        if entry.header_offset != covered:
            faults.append(Fault("zip", place, f"{entry.header_offset - covered} bytes before it belong to no member"))
        problems, local_texts, data = _local(entry, _local_header(file, entry.header_offset))
        faults += [Fault("zip", place, problem) for problem in (*problems, *_central(entry))]
        texts += [Text(place, text) for text in (entry.filename, *local_texts)]
        starts[entry.header_offset] = entry.header_offset + data
        covered = entry.header_offset + data + entry.compress_size
    if covered != archive.start_dir:
        faults.append(Fault("zip", "directory", f"{archive.start_dir - covered} bytes before it belong to no member"))
    faults += [Fault("zip", "end record", problem) for problem in _end(file, archive.start_dir)]
    systems, modes = {entry.create_system for entry in entries}, {entry.external_attr for entry in entries}
    if not systems <= {UNIX} or len(modes) > 1:
        faults.append(Fault("zip", "members", f"systems {sorted(systems)} and modes {sorted(modes)} differ; fix them to one"))
    names = [entry.filename for entry in entries]
    if names != sorted(names):
        faults.append(Fault("order", "members", "the members are not sorted by name; pack them sorted"))
    return Contents(faults, texts), [ZipMember(entry, starts[entry.header_offset]) for entry in entries]


def _local_header(file: BinaryIO, offset: int) -> bytes:
    file.seek(offset)
    fixed = file.read(LOCAL.size)
    return fixed + file.read(sum(LOCAL.unpack(fixed)[-2:])) if len(fixed) == LOCAL.size else fixed


def _end(file: BinaryIO, directory: int) -> Iterator[str]:
    """Yield what stands after the directory beside the end record and, in a large zip, its two companions."""
    file.seek(directory)
    rest = file.read()
    if len(rest) < END.size or not rest.startswith(END_SIGNATURE, len(rest) - END.size):
        yield "the file does not end with it; write the zip again, without comment"
        return
    *_, size, _, comment_bytes = END.unpack(rest[-END.size :])
    between = rest[: -END.size]
    if between[-LOCATOR.size :].startswith(LOCATOR_SIGNATURE) and len(between) >= LOCATOR.size + END_64.size:
        record = END_64.unpack(between[-LOCATOR.size - END_64.size : -LOCATOR.size])
        if record[0] == END_64_SIGNATURE:
            size, between = record[-2], between[: -LOCATOR.size - END_64.size]
    if comment_bytes or size != len(between):
        yield f"{len(between) - size} bytes before it and {comment_bytes} after it belong to no record; write the zip again"


def _central(entry: zipfile.ZipInfo) -> Iterator[str]:
    if entry.date_time != FIXED_DATE:
        yield f"it carries the time {entry.date_time}; fix it to 1980-01-01"
    if entry.comment:
        yield f"it has a comment of {len(entry.comment)} bytes; write the zip without"
    if entry.compress_type not in METHODS or entry.flag_bits & ~(UTF8_NAME | 0x8 | 0x6):
        yield f"method {entry.compress_type} with flags {entry.flag_bits:#x} cannot be read by everyone; store or deflate it"
    if _foreign(entry.extra):
        yield "the directory has an extra field, which can hold times and owners; write the zip without"


def _local(entry: zipfile.ZipInfo, header: bytes) -> tuple[list[str], list[str], int]:
    """Return the problems and texts of a local header, and where the data begin."""
    if len(header) < LOCAL.size or not header.startswith(LOCAL_SIGNATURE):
        return ["its local header is damaged"], [], LOCAL.size
    _, _, _, _, time, date, _, _, _, name_bytes, extra_bytes = LOCAL.unpack(header[: LOCAL.size])
    name = header[LOCAL.size : LOCAL.size + name_bytes].decode(errors="replace")
    extra = header[LOCAL.size + name_bytes : LOCAL.size + name_bytes + extra_bytes]
    problems = []
    if name != entry.orig_filename:
        problems.append("its local header has another name")
    if (time, date) != FIXED_DOS:
        problems.append("its local header carries a time; fix it to 1980-01-01")
    if _foreign(extra):
        problems.append("its local header has an extra field, which can hold times and owners; write the zip without")
    texts = [name, extra.decode(errors="replace"), entry.extra.decode(errors="replace"), entry.comment.decode(errors="replace")]
    return problems, texts, LOCAL.size + name_bytes + extra_bytes


def _foreign(extra: bytes) -> bool:
    position = 0
    while position + 4 <= len(extra):
        field_id, size = struct.unpack("<HH", extra[position : position + 4])
        if field_id != ZIP64_EXTRA:
            return True
        position += 4 + size
    return position != len(extra)


def read_gzip(file: BinaryIO) -> Contents:
    """Return the faults and texts of the header of a gzip file."""
    file.seek(0)
    data = file.read(GZIP_HEADER.size + (1 << 16))
    if len(data) < GZIP_HEADER.size or not data.startswith(GZIP_SIGNATURE):
        return Contents([Fault("unreadable", "byte 0", "it does not begin like a gzip file")])
    _, _, flags, time, _, _ = GZIP_HEADER.unpack(data[: GZIP_HEADER.size])
    faults = [Fault("gzip", "header", f"it holds {what}; write it without") for flag, what in GZIP_FLAGS.items() if flags & flag]
    if time:
        faults.append(Fault("gzip", "header", "it holds a time; write it with mtime 0"))
    texts = [Text("header", data[GZIP_HEADER.size :].split(b"\0")[0].decode(errors="replace"))] if flags else []
    return Contents(faults, texts)
