"""The data files of this package: each is read only when its SHA-256 is that of the index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrubin.core.errors import SplitError
from scrubin.core.files import sha256_of

FOLDER = Path(__file__).resolve().parent
INDEX = "index.json"


def index(folder: Path = FOLDER) -> dict[str, str]:
    """Return the SHA-256 of every data file, by its name."""
    sha256_by_name: dict[str, str] = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    return sha256_by_name


def document(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """Return a data file.

    Raises
    ------
    SplitError
        When its bytes are not those that the index states: an official split must not change unnoticed.
    """
    stated, path = index(folder).get(name), folder / name
    if stated is None or not path.is_file():
        msg = f"{name}: {'not in the index of' if stated is None else 'missing among'} the official splits; install scrubin again"
        raise SplitError(msg)
    actual = sha256_of(path)
    if actual != stated:
        msg = f"{name}: its SHA-256 is {actual}, but the index states {stated}; install scrubin again, or correct {INDEX}"
        raise SplitError(msg)
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
