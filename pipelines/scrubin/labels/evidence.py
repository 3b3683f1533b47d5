"""What a format is known by: whether a file that has a name of the format looks like it, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any

from scrubin.core import strangers, unpacking
from scrubin.tables.declare import Table

HEAD_BYTES = 4096
NOTE = re.compile(r"\..*|manifest\.json|.*\.stamp\.json")
LONGEST_HEADER = 1 << 16
VOCABULARY = "vocabulary"
NAMES_CLASSES = (".yaml", ".yml")
LISTS_CLASSES = "classes.txt"
Evidence = Callable[[Path], bool]


def is_note(file: Path) -> bool:
    """Return whether a file is none of labels: hidden, a manifest, or a stamp beside what we wrote."""
    return NOTE.fullmatch(file.name) is not None


def only_names_classes(file: PurePath) -> bool:
    """Return whether a file beside labels says no more than which classes there are, as those of YOLO do."""
    return file.suffix.lower() in NAMES_CLASSES or file.name == LISTS_CLASSES


def never(path: Path) -> bool:
    """Return False: a format without evidence has to be named."""
    return False


def named(path: Path) -> bool:
    """Return whether there is such a file: its name alone tells."""
    return path.is_file()


def document(path: Path) -> Any:
    """Return what a JSON file holds; None for any other, or a broken one."""
    if path.suffix.lower() != ".json":
        return None
    try:
        return strangers.read_json(path)
    except ValueError:
        return None


def head(path: Path) -> str:
    """Return the beginning of a text file."""
    with strangers.opened(path) as file:
        return file.read(HEAD_BYTES).decode("utf-8-sig", errors="replace")


def keys(*wanted: str, **types: type) -> Evidence:
    """Return the evidence of a JSON object with all these keys, some of a type."""

    def fits(path: Path) -> bool:
        content = document(path)
        return (
            isinstance(content, Mapping)
            and all(key in content for key in wanted)
            and all(isinstance(content.get(key), of_type) for key, of_type in types.items())
        )

    return fits


def is_table(file: Path, table: Table | None) -> bool:
    """Return whether a file is a table of ours: others have tables of the same names, such as segments.csv or frames.parquet.

    Parameters
    ----------
    table
        What is declared under the name of the file; None where nothing is.
    """
    if table is None or not file.is_file() or file.suffix not in (".parquet", ".csv"):
        return False
    names = _columns_of(file)
    there, declared = set(names), set(table.column_names)
    # What cannot be read, or has a column twice, is damaged, and what is wrong is said when it is read.
    is_damaged = "id" in there and (len(there) < len(names) or any("\N{REPLACEMENT CHARACTER}" in name for name in names))
    return is_damaged or not names or ({*table.key, *({VOCABULARY} & declared)} <= there and 2 * len(there & declared) >= len(declared))


def _columns_of(file: Path) -> list[str]:
    """Return the names of columns of a CSV as we write it, or of a parquet file; none for one that cannot be read as parquet."""
    if file.suffix == ".csv":
        # LASANA's sheets have semicolons.
        with strangers.opened(file) as opened:
            header = opened.readline(LONGEST_HEADER).removeprefix(b"\xef\xbb\xbf").replace(b'"', b"").strip()
        return [name.decode(errors="replace") for name in header.split(b",")]
    try:
        return list(unpacking.parquet_schema(file).names)
    except OSError:
        return []
