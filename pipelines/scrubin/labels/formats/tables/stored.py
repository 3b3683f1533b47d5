"""Our own tables as they are stored: where they lie, and whatever columns or values they hold, for those who judge them later."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv

from scrubin.base import strangers, unpacking
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults
from scrubin.base.tables import Table, arrow
from scrubin.base.tables.private import PRIVATE_TABLES
from scrubin.base.tables.public import CONVERTED_TABLES, public_tables
from scrubin.labels.formats.tables import table_files
from scrubin.labels.formats.tables.table_files import NOTES, Notes

PUBLIC = {**public_tables(()), **{table.name: table for table in CONVERTED_TABLES}}
PRIVATE = tuple(table.name for table in PRIVATE_TABLES)
DECLARED = {**PUBLIC, **{table.name: table for table in PRIVATE_TABLES}}
LONGEST_HEADER = 1 << 16
VOCABULARY = "vocabulary"


def lie_at(path: Path) -> bool:
    """Return whether a path is a folder of our own tables, one of them, or a released dataset."""
    if path.is_file():
        return is_table(path, DECLARED.get(path.stem))
    folders = (folder for folder in (path, path / "tables") if folder.is_dir())
    return any(is_table(file, DECLARED.get(file.stem)) for folder in folders for file in folder.iterdir())


def is_table(file: Path, table: Table | None) -> bool:
    """Return whether a file is a table of ours: others have tables of the same names, such as segments.csv or frames.parquet.

    Parameters
    ----------
    table
        What is declared under the name of the file; None where nothing is.
    """
    if table is None or not file.is_file() or file.suffix.lower() not in (".parquet", ".csv"):
        return False
    names = _columns_of(file)
    there, declared = set(names), set(table.column_names)
    # What cannot be read, or has a column twice, is damaged, and what is wrong is said when it is read.
    is_damaged = "id" in there and (len(there) < len(names) or any("\N{REPLACEMENT CHARACTER}" in name for name in names))
    return is_damaged or not names or ({*table.key, *({VOCABULARY} & declared)} <= there and 2 * len(there & declared) >= len(declared))


def _columns_of(file: Path) -> list[str]:
    """Return the names of columns of a CSV as we write it, or of a parquet file; none for one that cannot be read as parquet."""
    if file.suffix.lower() == ".parquet":
        try:
            return list(unpacking.parquet_schema(file).names)
        except OSError:
            return []
    # LASANA's sheets have semicolons.
    with strangers.opened(file) as opened:
        header = opened.readline(LONGEST_HEADER).removeprefix(b"\xef\xbb\xbf").replace(b'"', b"").strip()
    return [name.decode(errors="replace") for name in header.split(b",")]


@dataclass
class StoredTables:
    """The tables of a folder, or one of them.

    Parameters
    ----------
    files
        How many files there are.
    tables
        Declaration and content by name; types and columns are those of the file.
    file_of
        Name of the file by table.
    notes
        What ``labels.json`` says beside the tables.
    faults
        What is wrong with files as such.
    """

    files: int
    tables: dict[str, tuple[Table, pa.Table]] = field(default_factory=dict)
    file_of: dict[str, str] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)
    faults: tuple[Fault, ...] = ()


def read(path: Path) -> StoredTables:
    """Return the tables at a path: one table, a folder of them, or a release with a folder ``tables``.

    Raises
    ------
    AnnotationError
        When there is no table.
    """
    if not path.exists():
        what, fix = "there is no such file or folder", "name the file or folder with the tables"
        raise AnnotationError([Fault(str(path), "file-missing", what, fix)])
    paths = [path] if path.is_file() else _tables_of(path)
    if not paths:
        fix = f"name the folder that has {', '.join(sorted(PUBLIC))}, each .parquet or .csv"
        raise AnnotationError([Fault(str(path), "no-files", "there is no table in it", fix)])
    stored, faults = StoredTables(len(paths)), Faults()
    for file in paths:
        if _is_accepted(file, stored, faults):
            _add(file, stored, faults)
    beside = paths[0].parent / NOTES
    if beside.is_file():
        try:
            stored.notes = table_files.read(NOTES, strangers.read_bytes(beside))
        except AnnotationError as error:
            faults.extend(error.faults)
    stored.faults = faults.all()
    return stored


def _tables_of(folder: Path) -> list[Path]:
    for place in (folder, folder / "tables"):
        paths = sorted(file for file in place.iterdir() if _may_be_table(file)) if place.is_dir() else []
        if paths:
            return paths
    return []


def _may_be_table(file: Path) -> bool:
    return file.is_file() and (file.suffix.lower() == ".parquet" or (file.suffix.lower() == ".csv" and file.stem in (*PUBLIC, *PRIVATE)))


def _is_accepted(file: Path, stored: StoredTables, faults: Faults) -> bool:
    name = file.stem
    if name in PRIVATE:
        faults.error(file.name, "table-private", f"the table '{name}' is private and lies among public ones", "take it away")
    elif name not in PUBLIC:
        faults.error(file.name, "table-unknown", f"it is none of our tables ({', '.join(sorted(PUBLIC))})", "give it its name")
    elif name in stored.tables:
        faults.error(file.name, "table-repeated", f"the table is also in {stored.file_of[name]}", "keep one of them")
    else:
        return True
    return False


def _add(file: Path, stored: StoredTables, faults: Faults) -> None:
    try:
        arrow = unpacking.parquet(file, file.name) if file.suffix.lower() == ".parquet" else _csv(file, faults)
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        form = "parquet" if file.suffix.lower() == ".parquet" else "CSV"
        faults.error(file.name, "table-form", f"it cannot be read as {form}: {str(error).splitlines()[0]}", "write it again")
        return
    twice = sorted(name for name, count in Counter(arrow.schema.names).items() if count > 1)
    for name in twice:
        faults.error(file.name, "column-repeated", f"the column '{name}' stands twice", "keep one of them")
    if not twice:
        stored.tables[file.stem] = (_declared(file.stem, arrow.schema.names), arrow)
        stored.file_of[file.stem] = file.name


def _declared(name: str, columns: list[str]) -> Table:
    return table_files.declared(name, columns) if name == "skill" else PUBLIC[name]


def _csv(file: Path, faults: Faults) -> pa.Table:
    """Return a CSV with the declared types; a column in which a value does not fit stays text, and the first such value is noted."""
    data = pa.py_buffer(strangers.read_bytes(file))
    header = pa_csv.open_csv(pa.BufferReader(data)).schema.names
    strangers.refuse_above(file.name, f"it has {len(header)} columns", len(header), "table_columns")
    texts = pa_csv.read_csv(
        pa.BufferReader(data),
        parse_options=pa_csv.ParseOptions(newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(header, pa.string()), null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=True
        ),
    )
    types = {column.name: arrow(column.dtype) for column in _declared(file.stem, header).columns}
    for place, name in enumerate(texts.schema.names):
        if name in types and types[name] != pa.string():
            texts = texts.set_column(place, name, _typed(file, name, texts.column(place), types[name], faults))
    return texts


def _typed(file: Path, name: str, values: pa.ChunkedArray, wanted: pa.DataType, faults: Faults) -> pa.ChunkedArray:
    try:
        return values.cast(wanted)
    except pa.ArrowInvalid:
        row = next(i for i, value in enumerate(values) if not _fits(value, wanted))
        place = f"column '{name}', row {row + 1}"
        faults.error(file.name, "value-type", f"'{values[row].as_py()}' is no {wanted}", "correct it", place=place)
        return values


def _fits(value: pa.Scalar, wanted: pa.DataType) -> bool:
    try:
        value.cast(wanted)
    except pa.ArrowInvalid:
        return False
    return True
