"""What a format is known by: whether a file that has a name of the format looks like it, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any

from scrubin.core import strangers

HEAD_BYTES = 4096
NOTE = re.compile(r"\..*|manifest\.json|.*\.stamp\.json")
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
