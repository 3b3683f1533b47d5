"""Which kind of files lies at a path: our own tables, or labels of which format."""

from __future__ import annotations

from pathlib import Path

from scrubin.errors import AnnotationError
from scrubin.labels import detect, documents
from scrubin.tables.catalogue import PRIVATE_TABLES, public_tables

OWN = "tables"
TABLES = (*public_tables(()), *(table.name for table in PRIVATE_TABLES))
SUFFIXES = (".parquet", ".csv")
LOOKED_AT = 200
"""So many files of a folder may tell its format."""


def format_of(path: Path) -> str:
    """Return the name of the format: our own tables by their names, others by their signs.

    Raises
    ------
    AnnotationError
        When no file has the signs of a format, or several have different ones.
    """
    if is_own(path):
        return OWN
    if path.is_dir() and not any(file.is_file() for file in path.rglob("[!.]*")):
        msg = f"{path}: there is no file in it; name a folder with label files or tables"
        raise AnnotationError(msg)
    try:
        return detect.format_of_path(path, None).name
    except AnnotationError as error:
        told = _told_by_others(path)
        if len(told) != 1:
            if not told:
                _refuse_damaged(path)
            msg = f"{error} by --from"
            raise AnnotationError(msg) from error
        return told.pop()


def _told_by_others(path: Path) -> set[str]:
    """Return the formats of single files, when the first one is damaged."""
    told = set()
    for file in sorted(path.rglob("[!.]*"))[:LOOKED_AT] if path.is_dir() else ():
        try:
            told.add(detect.format_of_path(file, None).name if file.is_file() else "")
        except AnnotationError:
            continue  # that file tells nothing
    return told - {""}


def _refuse_damaged(path: Path) -> None:
    """Say what is wrong with the first JSON file, when it cannot be read at all."""
    file = path if path.is_file() else next((file for file in sorted(path.rglob("[!.]*.json")) if file.is_file()), None)
    if file is not None and file.suffix == ".json":
        documents.json_object(str(file), file.read_bytes())


def is_own(path: Path) -> bool:
    """Return whether a path is a folder of our own tables, one of them, or a released dataset."""
    if path.is_file():
        return path.suffix == ".parquet" or _own_csv(path)
    return any(_own_file(file) for folder in (path, path / "tables") if folder.is_dir() for file in folder.iterdir())


def _own_file(file: Path) -> bool:
    return file.stem in TABLES and (file.suffix == ".parquet" or _own_csv(file)) and file.is_file()


def _own_csv(file: Path) -> bool:
    if file.suffix != ".csv" or file.stem not in TABLES:
        return False
    # A raw manifest is also called recordings.csv, and has no ids; LASANA's sheets have semicolons.
    with file.open("rb") as opened:
        return b"id" in opened.readline().removeprefix(b"\xef\xbb\xbf").replace(b'"', b"").strip().split(b",")
