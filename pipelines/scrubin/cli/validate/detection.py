"""Which format files have: by their names, and JSON by what it holds."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrubin.annotations.registry import readable
from scrubin.convert import formats
from scrubin.errors import AnnotationError
from scrubin.tables.catalogue import PRIVATE_TABLES, public_tables

__all__ = ["OWN", "format_of", "formats"]

OWN = "tables"
TABLES = (*public_tables(()), *(table.name for table in PRIVATE_TABLES))
SUFFIXES = (".parquet", ".csv")
NAMED = ("endoscapes", "labelme")
"""Formats whose JSON is told by the name of the file: its content is like others'."""


def format_of(path: Path) -> str:
    """Return the name of the format.

    Raises
    ------
    AnnotationError
        When no file has a known one, or several have different ones.
    """
    if is_own(path):
        return OWN
    files = [path] if path.is_file() else sorted(files_below(path))
    if not files:
        msg = f"{path}: the folder is empty; name a folder with label files or tables"
        raise AnnotationError(msg)
    told: dict[str, Path] = {}
    unreadable: Path | None = None
    for file in files:
        name = _by_name(file) if file.suffix != ".json" else _by_content(file)
        if name is not None:
            told.setdefault(name, file)
        elif file.suffix == ".json":
            unreadable = unreadable or file
    if len(told) == 1:
        return next(iter(told))
    if told:
        seen = ", ".join(f"{file} is {name}" for name, file in sorted(told.items()))
        msg = f"{path}: files of several formats ({seen}); say by --from which one is meant"
        raise AnnotationError(msg)
    what = f"{unreadable} is no JSON of a known kind" if unreadable else f"{files[0]} has no known name"
    known = ", ".join(readable())
    msg = f"{path}: the format cannot be told, because {what}; name a label file or folder, or say by --from which of {known} it is"
    raise AnnotationError(msg)


def is_own(path: Path) -> bool:
    """Return whether a path is a folder of our own tables, one of them, or a released dataset."""
    if path.is_file():
        return path.suffix == ".parquet" or _own_csv(path)
    return any(_own_file(file) for folder in (path, path / "tables") if folder.is_dir() for file in folder.iterdir())


def files_below(folder: Path) -> list[Path]:
    """Return all files but hidden ones."""
    found = []
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(root) / name for name in names if not name.startswith(".")]
    return found


def _own_file(file: Path) -> bool:
    return file.stem in TABLES and (file.suffix == ".parquet" or _own_csv(file)) and file.is_file()


def _own_csv(file: Path) -> bool:
    if file.suffix != ".csv" or file.stem not in TABLES:
        return False
    # A raw manifest is also called recordings.csv; LASANA's sheets have semicolons.
    with file.open("rb") as opened:
        return opened.readline().startswith((b"id,", b"scheme,", b"\xef\xbb\xbfid,"))


def _by_name(file: Path) -> str | None:
    name = (Path(file.resolve().parent.name) / file.name).as_posix()
    fits = [known for known, form in readable().items() if known != OWN and re.fullmatch(f"(?:.*/)?(?:{form.pattern.pattern})", name)]
    return fits[0] if len(fits) == 1 else None


def _by_content(file: Path) -> str | None:
    name = (Path(file.resolve().parent.name) / file.name).as_posix()
    for known in NAMED:
        if re.fullmatch(f"(?:.*/)?(?:{readable()[known].pattern.pattern})", name):
            return known
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return _of_document(value) if isinstance(value, dict) else None


def _of_document(value: Mapping[str, Any]) -> str | None:
    annotations, categories = value.get("annotations"), value.get("categories")
    if isinstance(value.get("shapes"), list):
        return "labelme"
    if isinstance(value.get("images"), list) and isinstance(annotations, list):
        return "multibypasst40" if isinstance(categories, dict) else "coco"
    if isinstance(annotations, dict):
        tools = [one for of_frame in annotations.values() if isinstance(of_frame, list) for one in of_frame]
        return "cholectrack20" if tools and isinstance(tools[0], dict) else "cholect50"
    if isinstance(value.get("phases"), list) or isinstance(value.get("steps"), list):
        return "multibypass140"
    first = next(iter(value.values()), None)
    return "cholectriplet2022" if isinstance(first, dict) and {"recognition", "detection"} & set(first) else None
