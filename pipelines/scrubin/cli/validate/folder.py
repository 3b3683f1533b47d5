"""Our own tables from a folder or a released dataset, as found: parquet, or CSV."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from scrubin.cli.validate.material import Material
from scrubin.core.faults import Fault
from scrubin.errors import AnnotationError, TableError
from scrubin.labels.formats.tables import files as table_files
from scrubin.labels.formats.tables import notes as table_notes
from scrubin.labels.formats.tables.notes import Notes
from scrubin.tables.catalogue import PRIVATE_TABLES, public_tables
from scrubin.tables.declare import ARROW, Table
from scrubin.validate.study import StoredTable, stored_table
from scrubin.vocabulary import vocabulary

PUBLIC = public_tables(())
PRIVATE = tuple(table.name for table in PRIVATE_TABLES)


def read(path: Path) -> Material:
    """Return the tables of a folder, or one of them.

    Raises
    ------
    AnnotationError
        When there is no table.
    """
    files = [path] if path.is_file() else _files(path)
    if not files:
        msg = f"{path}: there is no table in it; expected {', '.join(sorted(PUBLIC))}, each .parquet or .csv"
        raise AnnotationError(msg)
    made = Material("tables", len(files))
    for file in files:
        name = file.stem
        if name in PRIVATE:
            made.faults.append(Fault(file.name, "table", f"the table '{name}' is private and lies among public ones", "take it away"))
        elif name not in PUBLIC:
            made.faults.append(Fault(file.name, "table", f"it is none of our tables ({', '.join(sorted(PUBLIC))})", "give it its name"))
        elif name in made.tables:
            made.faults.append(Fault(file.name, "table", f"the table is also in {made.file_of[name, '']}", "keep one of them"))
        else:
            _add(made, file)
    notes = _notes(files[0].parent / table_notes.NOTES, made)
    made.vocabularies = {**{name: vocabulary.load(name) for name in vocabulary.known()}, **notes.vocabularies}
    made.period_s = {name: 1 / note.fps for name, note in notes.recordings.items()}
    return made


def _files(folder: Path) -> list[Path]:
    inner = folder / "tables"
    for place in (folder, inner):
        found = sorted(file for file in place.iterdir() if _is_table(file)) if place.is_dir() else []
        if found:
            return found
    return []


def _is_table(file: Path) -> bool:
    return file.is_file() and (file.suffix == ".parquet" or (file.suffix == ".csv" and file.stem in (*PUBLIC, *PRIVATE)))


def _add(made: Material, file: Path) -> None:
    try:
        arrow = pq.read_table(file) if file.suffix == ".parquet" else _csv(file, made)
        made.tables[file.stem] = _found(file.stem, arrow)
        made.file_of[file.stem, ""] = file.name
    except (OSError, UnicodeDecodeError, pa.ArrowException, TableError) as error:
        kind = "parquet" if file.suffix == ".parquet" else "CSV"
        made.faults.append(Fault(file.name, "table", f"it cannot be read as {kind}: {str(error).splitlines()[0]}", "write it again"))


def _found(name: str, arrow: pa.Table) -> StoredTable:
    return stored_table(_declared(name, arrow.schema.names), arrow)


def _declared(name: str, columns: list[str]) -> Table:
    return table_files.declared(name, columns) if name == "skill" else PUBLIC[name]


def _csv(file: Path, made: Material) -> pa.Table:
    """Return a CSV with the declared types; a column in which a value does not fit stays text, which a rule reports."""
    header = pa_csv.open_csv(file).schema.names
    texts = pa_csv.read_csv(
        file,
        parse_options=pa_csv.ParseOptions(newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(header, pa.string()), null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=True
        ),
    )
    types = {column.name: ARROW[column.dtype] for column in _declared(file.stem, header).columns}
    for place, name in enumerate(texts.schema.names):
        if name in types and types[name] != pa.string():
            texts = texts.set_column(place, name, _typed(file, name, texts[name], types[name], made))
    return texts


def _typed(file: Path, name: str, values: pa.ChunkedArray, wanted: pa.DataType, made: Material) -> pa.ChunkedArray:
    try:
        return values.cast(wanted)
    except pa.ArrowInvalid:
        row = next(i for i, value in enumerate(values) if not _fits(value, wanted))
        where = f"column '{name}', row {row + 1}"
        made.faults.append(Fault(file.name, "table", f"{where}: '{values[row].as_py()}' is no {wanted}", "correct it"))
        return values


def _fits(value: pa.Scalar, wanted: pa.DataType) -> bool:
    try:
        value.cast(wanted)
    except pa.ArrowInvalid:
        return False
    return True


def _notes(file: Path, made: Material) -> Notes:
    """Return what ``labels.json`` says beside the tables, as `scrubin convert` writes it; nothing when there is none."""
    try:
        return table_notes.read(file.name, file.read_bytes()) if file.is_file() else Notes()
    except AnnotationError as error:
        made.faults += error.faults
        return Notes()
