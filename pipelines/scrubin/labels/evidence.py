"""What the sign of a format is made of: whether a file that has a name of the format looks like it, too."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

HEAD_BYTES = 4096
Evidence = Callable[[Path], bool]


def never(path: Path) -> bool:
    """Return False: a format without a sign has to be named."""
    return False


def named(path: Path) -> bool:
    """Return whether there is such a file: its name alone tells."""
    return path.is_file()


def document(path: Path) -> Any:
    """Return what a JSON file holds; None for any other, or a broken one."""
    if path.suffix.lower() != ".json":
        return None
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None


def head(path: Path) -> str:
    """Return the beginning of a text file."""
    with path.open("rb") as file:
        return file.read(HEAD_BYTES).decode("utf-8-sig", errors="replace")


def keys(*wanted: str, **kinds: type) -> Evidence:
    """Return a sign: a JSON object with all these keys, some of a kind."""

    def fits(path: Path) -> bool:
        found = document(path)
        return (
            isinstance(found, Mapping)
            and all(key in found for key in wanted)
            and all(isinstance(found.get(key), kind) for key, kind in kinds.items())
        )

    return fits


def objects_by_frame(path: Path) -> bool:
    """Return whether ``annotations`` has objects per frame; in videos without any instance only the other keys tell."""
    found = document(path)
    frames = found.get("annotations") if isinstance(found, Mapping) else None
    rows = [row for rows in frames.values() if isinstance(rows, list) for row in rows] if isinstance(frames, Mapping) else []
    empty = not rows and isinstance(frames, Mapping) and (isinstance(found.get("video"), Mapping) or "categories" not in found)
    return (bool(rows) and all(isinstance(row, Mapping) for row in rows)) or (empty and bool(frames))
