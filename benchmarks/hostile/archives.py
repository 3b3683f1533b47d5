"""Hostile arrays, tables of parquet, archives and workbooks."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import re
import struct
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

from hostile.kinds import Place, kind

# fmt: off

_ZEROS: dict[int, tuple[bytes, int]] = {}


def zeros(size: int) -> tuple[bytes, int]:
    """Return so many NULs as a raw deflate stream, and their CRC: 64 MB are packed once and repeated."""
    if size not in _ZEROS:
        block = b"\0" * (64 << 20)
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        piece = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
        checksum = 0
        for _ in range(size // len(block)):
            checksum = zlib.crc32(block, checksum)
        last = zlib.compressobj(9, zlib.DEFLATED, -15).flush()
        _ZEROS[size] = piece * (size // len(block)) + last, checksum
    return _ZEROS[size]


def packed(members: list[tuple[str, bytes, int, int, int]]) -> bytes:
    """Return a zip of members that are packed already: name, packed bytes, size that is claimed, CRC, flags."""
    out, directory = io.BytesIO(), io.BytesIO()
    for name, data, size, checksum, flags in members:
        start, raw = out.tell(), name.encode()
        claimed = min(size, 0xFFFFFFFF)
        common = struct.pack("<HHHHHIIIHH", 20, flags, 8, 0, 33, checksum, len(data), claimed, len(raw), 0)
        out.write(b"PK\x03\x04" + common + raw + data)
        directory.write(b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, start) + raw)
    begin = out.tell()
    out.write(directory.getvalue())
    out.write(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), directory.tell(), begin, 0))
    return out.getvalue()


def npy_head(shape: str, kind_of: str = "<f8", order: str = "False") -> bytes:
    """Return the head of an array."""
    text = f"{{'descr': '{kind_of}', 'fortran_order': {order}, 'shape': {shape}, }}"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text) + 1) + text.encode() + b"\n"


@kind("npz bomb", "npz", "zip")
def _(at: Place) -> bytes:
    size = at.rng.choice([1, 3]) << 30
    data, checksum = zeros(size)
    if at.family == "zip":
        return packed([(f"{n}.mkv", data, size, checksum, 0) for n in range(at.rng.choice([1, 4]))])
    head = npy_head(f"({size // 800}, 100)")
    stored = struct.pack("<BHH", 0, len(head), 0xFFFF - len(head)) + head
    whole = zlib.crc32(b"\0" * (64 << 20), 0)  # of the head and the zeros, by pieces
    whole = zlib.crc32(head)
    for _ in range(size >> 26):
        whole = zlib.crc32(b"\0" * (64 << 20), whole)
    with zipfile.ZipFile(io.BytesIO(at.sound)) as sound:
        names = sound.namelist()
    return packed([(name, stored + data, size + len(head), whole, 0) for name in names])


def arrays(at: Place, array: bytes) -> bytes:
    """Return an array as this family has it: alone, or as every member of the sound archive."""
    if at.family == "npy":
        return array
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(at.sound)) as sound, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        hit = at.rng.choice(sound.namelist())
        for name in sound.namelist():
            made.writestr(name, array if name == hit else sound.read(name))
    return out.getvalue()


@kind("npy head of 728 TiB", "npy", "npz")
def _(at: Place) -> bytes:
    heads = [
        npy_head("(1000000000000, 100)"), npy_head("(100000000000000,)"), npy_head("(-1, 100)"), npy_head("(20, 100, 0)"),
        npy_head("(9223372036854775807, 2)"), npy_head("(20, 100)", "<U1000000000"), npy_head("(20, 100)", "|V99999999999"),
        npy_head("(2.5, 100)"), npy_head("(" * 300 + ")" * 300), npy_head("(20,100)", "<c16"), npy_head("(20, 100)", "<M8[ns]"),
        npy_head("__import__('os').system('true')"), b"\x93NUMPY\x09\x00\xff\xff",
        b"\x93NUMPY\x02\x00" + struct.pack("<I", 0xFFFFFFF0) + b"{", npy_head("(20, 100)")[:-30],
    ]
    return arrays(at, at.rng.choice(heads) + at.rng.choice([b"", b"\0" * 16000]))


class Touch:
    """An object that, when it is unpickled, writes a file outside."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.path}",)


@kind("array of pickled objects", "npy", "npz", "parquet", "json", "csv")
def _(at: Place) -> bytes:
    bomb = pickle.dumps(Touch(at.outside / "pwned"))
    if at.family in ("npy", "npz"):
        return arrays(at, npy_head("(1,)", "|O") + bomb) if at.rng.random() < 0.8 else bomb
    return bomb if at.rng.random() < 0.5 else gzip.compress(bomb)


@kind("parquet of odd types", "parquet")
def _(at: Place) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(at.sound))
    column = at.rng.randrange(table.num_columns)
    rows, name = table.num_rows, table.column_names[column]
    deep: Any = 1
    for _ in range(40):
        deep = [deep]
    odd = [
        pa.array([{"a": [{"b": 1}]}] * rows), pa.array([[("k", 1)]] * rows, pa.map_(pa.string(), pa.int64())), pa.array([deep] * rows),
        pa.array([b"\xff\xfe"] * rows, pa.binary()), pa.nulls(rows), pa.array([10**30] * rows, pa.decimal128(38)),
        pa.array([float("nan")] * rows), pa.array([2**63 - 1] * rows), pa.array(["x" * 100_000] * rows).dictionary_encode(),
        pa.array([True] * rows), pa.array([0] * rows, pa.timestamp("ns")), pa.array(["\x00../../x\n"] * rows), pa.array([-1] * rows),
    ]
    way = at.rng.randrange(5)
    if way == 0:
        table = table.drop_columns([name])
    elif way == 1:
        table = table.append_column(name, table.column(column))  # a column twice
    else:
        table = table.set_column(column, name, at.rng.choice(odd))
    if at.rng.random() < 0.3:
        table = table.replace_schema_metadata({"pandas": '{"index_columns": ["' + "x" * 1000 + '"], "columns": 7}'})
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


@kind("parquet of huge numbers of rows", "parquet")
def _(at: Place) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(at.sound))
    if at.rng.random() < 0.3:  # a footer that claims other numbers
        data = bytearray(at.sound)
        for _ in range(6):
            place = len(data) - 8 - at.rng.randrange(200)
            data[place] = at.rng.choice([0xFF, 0x7F, 0xFE])
        return bytes(data)
    some = pa.table(
        {name: pa.array([table.column(name)[0].as_py()] * 1_000_000, table.schema.field(name).type) for name in table.column_names},
        schema=table.schema,
    )
    out = io.BytesIO()
    with pq.ParquetWriter(out, table.schema, compression="zstd", use_dictionary=True) as writer:
        for _ in range(at.rng.choice([10, 60])):
            writer.write_table(some)
    return out.getvalue()


@kind("archive with members that lead out", "zip", "tar", "npz", "xlsx")
def _(at: Place) -> bytes:
    names = [
        "../../outside/pwned", "/tmp/pwned_by_archive", "..\\..\\pwned", "a/../../../outside/pwned", "link", "C:\\pwned", "a\0b",
        "x" * 5000, "./.", " ",
    ]
    name, out = at.rng.choice(names), io.BytesIO()
    if at.family == "tar":
        with tarfile.open(fileobj=io.BytesIO(at.sound)) as sound, tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as made:
            members = sound.getmembers()
            hit = at.rng.randrange(len(members))
            for place, member in enumerate(members):
                data = sound.extractfile(member).read()  # type: ignore[union-attr]
                if place == hit and name == "link":
                    made.addfile(linked(member.name, at))
                    continue
                entry = tarfile.TarInfo(name if place == hit and name else member.name)
                entry.size = len(data)
                made.addfile(entry, io.BytesIO(data))
        return out.getvalue()
    with zipfile.ZipFile(io.BytesIO(at.sound)) as sound, zipfile.ZipFile(out, "w") as made:
        hit = at.rng.choice(sound.namelist())
        for one in sound.namelist():
            made.writestr(name if one == hit and name != "link" else one, sound.read(one))
        if name == "link":
            entry = zipfile.ZipInfo(hit)
            entry.external_attr = 0o120777 << 16
            made.writestr(entry, str(at.secret))
    return out.getvalue()


def linked(name: str, at: Place) -> tarfile.TarInfo:
    """Return a member that is a link out, a device or a FIFO."""
    entry = tarfile.TarInfo(name)
    entry.type = at.rng.choice([tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
    entry.linkname, entry.devmajor, entry.devminor = str(at.secret), 1, 5
    return entry


@kind("archive: encrypted, nested, lying", "zip", "tar", "npz", "xlsx")
def _(at: Place) -> bytes:
    if at.family == "tar":
        data = bytearray(at.sound)
        way = at.rng.randrange(4)
        if way == 0:  # a member of 8 GB that is not there
            data[124:136] = b"77777777777\0"
        elif way == 1:  # a negative or gigantic size in base 256
            data[124:136] = at.rng.choice([b"\xff" * 12, b"\x80" + b"\x7f" * 11])
        elif way == 2:
            return gzip.compress(bytes(data))
        else:  # a chain of long names
            data[156:157] = b"L"
        data[148:156] = b" " * 8
        data[148:156] = f"{sum(data[:512]):06o}\0 ".encode()
        return bytes(data)
    data = bytearray(at.sound)
    way = at.rng.randrange(4)
    if way == 0:  # every member is encrypted
        for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            place = data.find(mark)
            while place >= 0:
                data[place + offset] |= 1
                place = data.find(mark, place + 4)
    elif way == 1:  # unknown packing
        place = data.find(b"PK\x01\x02")
        data[place + 10 : place + 12] = struct.pack("<H", at.rng.choice([1, 12, 14, 93, 99]))
    elif way == 2:  # 65,535 members
        place = data.rfind(b"PK\x05\x06")
        data[place + 8 : place + 12] = b"\xff\xff\xff\xff"
    else:  # the directory lies elsewhere
        place = data.rfind(b"PK\x05\x06")
        data[place + 16 : place + 20] = struct.pack("<I", at.rng.randrange(1 << 32))
    return bytes(data)


@kind("workbook with XML entities", "xlsx")
def _(at: Place) -> bytes:
    bomb = '<!DOCTYPE x [<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)) + "]>"
    quadratic = f'<!DOCTYPE x [<!ENTITY a "{"x" * 100_000}">]>'
    outward = f'<!DOCTYPE x [<!ENTITY a SYSTEM "file://{at.outside / "secret.txt"}">]>'
    far = f'<!DOCTYPE x [<!ENTITY a SYSTEM "http://127.0.0.1:{at.port}/entity">]>'
    head, inside = at.rng.choice(
        [(bomb, "&a11;"), (quadratic, "&a;" * 20_000), (outward, "&a;"), (far, "&a;"), ("", "<a>" * 50_000), ("", "x" * (100 << 20))]
    )
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(at.sound)) as sound, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        hit = at.rng.choice([name for name in sound.namelist() if name.endswith(".xml")])
        for name in sound.namelist():
            text = sound.read(name)
            if name == hit or (name.endswith(("sheet1.xml", "sharedStrings.xml")) and at.rng.random() < 0.7):
                first, mark, rest = text.partition(b"?>")
                body = rest if mark else first
                body = re.sub(rb"(<(?:t|v)[^>]*>)[^<]*", lambda found: found.group(1) + inside.encode(), body, count=1)
                text = (first + mark if mark else b"") + head.encode() + body
            made.writestr(name, text)
    return out.getvalue()
