"""Files that hold more than their size says, such as arrays of numpy, parquet, zips: what they state is held to a limit.

Nothing is allocated before that fits the limits of ``scrubin.base.strangers``. What is wrong is a `FileError` of one line.
"""

from __future__ import annotations

import io
import math
import struct
import tokenize
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import FileError
from scrubin.base.faults import printable
from scrubin.base.strangers import GB, limits, refuse_above, refuse_unless_plain

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq


NUMBER_BYTES = 8
"""What a number counts, as most are computed with as float64."""
NPY_START, NPY_LARGEST_HEADER = b"\x93NUMPY", 10_000
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, KeyError, IndexError, ValueError, struct.error)
"""What a damaged zip, or one with a password, may raise."""
BROKEN_NPY = (ValueError, TypeError, KeyError, SyntaxError, tokenize.TokenError, RecursionError, MemoryError, EOFError, OverflowError)
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
TEXTS = ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")


def arrays(data: bytes, path: Path | str, *, packed: bool) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of an npz file by name, or the one of an npy file under ""; never a pickled object.

    Parameters
    ----------
    data, path
        The content, and what names it in errors.
    packed
        Whether it is an npz.

    Raises
    ------
    FileError
        When it is damaged, or unpacks to more than ``unpacked_gb``.
    """
    if not packed:
        return {"": _array(data, path)}
    with zipped(data, path) as archive:
        found = {}
        for member in archive.infolist():
            name = member.filename.removesuffix(".npy")
            if name in found:
                raise FileError(path, f"its array '{printable(name)}' stands twice; write it again")
            found[name] = _array(archive.read(member), f"{path}, array '{name}'")
        refuse_unpacked(path, sum(array.size * max(NUMBER_BYTES, array.itemsize) for array in found.values()), len(data))
    return found


@contextmanager
def zipped(source: bytes | Path, path: Path | str, most_members: int = 100_000) -> Iterator[zipfile.ZipFile]:
    """Yield a zip whose members may all be read; what a member has beyond its stated size is an error of ``zipfile``.

    Parameters
    ----------
    source, path
        The content, or the plain file; and what names it in errors.
    most_members
        So many members it may have.

    Raises
    ------
    FileError
        When it is damaged, has a password, a member twice, or unpacks to more than ``unpacked_gb``; also for what its reader meets
        inside the block.
    """
    file = io.BytesIO(source) if isinstance(source, bytes) else refuse_unless_plain(source)
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if len(members) > most_members:
                raise FileError(path, f"it has {len(members)} members, more than {most_members}; write fewer")
            named = Counter(str(PurePosixPath(one.filename)) for one in members if not one.is_dir())
            twice = [name for name, count in named.items() if count > 1]
            if twice:
                raise FileError(path, f"its member '{printable(twice[0])}' stands twice; write it again")
            size = len(source) if isinstance(source, bytes) else source.stat().st_size
            refuse_unpacked(path, sum(one.file_size for one in members), size)
            yield archive
    except FileError:
        raise
    except BROKEN_ZIP as error:
        msg = f"it cannot be unpacked ({printable(str(error)) or type(error).__name__}); write it again, without a password"
        raise FileError(path, msg) from error


def refuse_unpacked(path: Path | str, unpacked_bytes: int, file_bytes: int) -> None:
    """Refuse what unpacks to more than the limit, unless the file itself is as large."""
    if unpacked_bytes > file_bytes:
        refuse_above(path, f"it unpacks to {unpacked_bytes / GB:.3g} GB", unpacked_bytes / GB, "unpacked_gb")


def parquet_schema(path: Path, *, inside: Path | None = None) -> pa.Schema:
    """Return names, types and metadata of a parquet file; errors as of `parquet`."""
    with _parquet_file(path, inside) as file:
        return file.schema_arrow


def parquet(source: Path | bytes, path: Path | str, columns: Sequence[str] | None = None, *, inside: Path | None = None) -> pa.Table:
    """Return a parquet file, or some columns of it.

    Parameters
    ----------
    source, path
        The file or its content; and what names it in errors.
    columns
        Names; None: all.
    inside
        The folder that the file has to be in.

    Raises
    ------
    FileError
        When it is damaged, or has more columns or larger values than limits allow.
    OSError
        When it is not there.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _parquet_file(source, inside, path) as file:
        metadata = file.metadata
        repeating = _refuse_values(path, metadata, None if columns is None else frozenset(columns))
        if not repeating:
            return file.read(columns=None if columns is None else list(columns))
        # A text that may stand there many times is read once, and all are counted before they are written out.
        again = pq.ParquetFile(
            io.BytesIO(source) if isinstance(source, bytes) else refuse_unless_plain(source, inside=inside), read_dictionary=repeating
        )
        with again:
            table = again.read(columns=None if columns is None else list(columns))
        wanted = file.schema_arrow
        size = sum(_written_out(column) for column in table.columns)
        refuse_unpacked(path, size, 0)
        fields = [wanted.field(name) for name in table.column_names]
        return table.cast(pa.schema(fields, table.schema.metadata))


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Return a table in pandas; a note for pandas inside of it that makes no sense is passed over."""
    try:
        frame: pd.DataFrame = table.to_pandas()
    except (TypeError, KeyError, AttributeError):
        frame = table.to_pandas(ignore_metadata=True)
    return frame


@contextmanager
def _parquet_file(source: Path | bytes, inside: Path | None, path: Path | str = "") -> Iterator[pq.ParquetFile]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = path or (source if isinstance(source, Path) else "")
    try:
        file = pq.ParquetFile(pa.BufferReader(source) if isinstance(source, bytes) else refuse_unless_plain(source, inside=inside))
        with file:
            refuse_above(name, f"it has {file.metadata.num_columns} columns", file.metadata.num_columns, "table_columns")
            yield file
    except (FileNotFoundError, IsADirectoryError, PermissionError, FileError):
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, OverflowError, MemoryError) as error:
        reason = printable((str(error).strip().splitlines() or [type(error).__name__])[0])
        raise FileError(name, f"it cannot be read as parquet ({reason}); get or write it again") from error


def _refuse_values(path: Path | str, metadata: Any, columns: frozenset[str] | None) -> list[str]:
    """Refuse more values than the limit; return the columns of text of which that cannot be told before they are read."""
    size, repeating = 0, set[str]()
    most = limits().unpacked_gb * GB
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for number in range(row_group.num_columns):
            chunk = row_group.column(number)
            name = chunk.path_in_schema
            if columns is not None and name not in columns and name.split(".")[0] not in columns:
                continue
            size += chunk.num_values * max(NUMBER_BYTES, WIDTHS.get(chunk.physical_type, NUMBER_BYTES))
            if chunk.physical_type in TEXTS:
                size += chunk.total_uncompressed_size
                # At worst every value is one text that fills the chunk.
                if chunk.num_values * chunk.total_uncompressed_size > most / max(1, metadata.num_columns):
                    repeating.add(name)
    refuse_unpacked(path, size, 0)
    return sorted(repeating)


def _written_out(values: pa.ChunkedArray | pa.Array) -> int:
    """Return the bytes of values with every repeated text written out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values, pa.ChunkedArray):
        return sum(_written_out(chunk) for chunk in values.chunks)
    if isinstance(values, pa.ListArray | pa.LargeListArray | pa.FixedSizeListArray | pa.MapArray):
        return int(values.nbytes) + _written_out(values.values)
    if isinstance(values, pa.StructArray):
        return sum(map(_written_out, values.flatten()))
    if not isinstance(values, pa.DictionaryArray):
        return int(values.nbytes)
    if pa.types.is_nested(values.dictionary.type) or not len(values.dictionary):
        return int(values.nbytes)
    lengths = pc.binary_length(values.dictionary).fill_null(0).to_numpy(zero_copy_only=False)
    used = values.indices.drop_null().to_numpy(zero_copy_only=False)
    return int(lengths[used].sum(dtype=np.int64)) if len(used) else 0


def _array(data: bytes, path: Path | str) -> npt.NDArray[Any]:
    if not data.startswith(NPY_START):
        raise FileError(path, "it is no array of numpy; write it again")
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
        if read is not None:
            shape, _, dtype = read(file, max_header_size=NPY_LARGEST_HEADER)
            if any(length < 0 for length in shape):
                raise FileError(path, f"its shape is {shape}; write it again")
            stated, held = math.prod(shape), len(data) - file.tell()
            if not dtype.hasobject and (stated * dtype.itemsize > held or (stated > held and not dtype.itemsize)):
                msg = f"its header states {stated} values of {dtype.itemsize} bytes, but it holds {held} bytes; write it again"
                raise FileError(path, msg)
            refuse_unpacked(path, stated * NUMBER_BYTES, len(data))
        file.seek(0)
        array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False, max_header_size=NPY_LARGEST_HEADER)
    except FileError:
        raise
    except BROKEN_NPY as error:
        msg = f"it cannot be read as an array ({printable(str(error).split(chr(10))[0]) or type(error).__name__}); write it again"
        raise FileError(path, msg) from error
    return array
