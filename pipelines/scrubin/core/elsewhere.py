"""Files of a stored result whose bytes lie in another place: DVC's cache keeps what is released, and nobody needs it twice."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scrubin.core.files import fixed_time_ns, sha256_of, write_json

FILE = "elsewhere.json"


@dataclass(frozen=True)
class Elsewhere:
    """Where a file's bytes lie.

    Parameters
    ----------
    path
        The other file, relative to the folder of the store.
    size, time_ns
        Its bytes and time when it was last read and was sound.
    """

    path: str
    size: int
    time_ns: int

    def is_intact(self, root: Path, sha256: str, *, read: bool) -> bool:
        """Return whether the other file is there as it was; it is read where its time is another, or when ``read`` says so."""
        path = root / self.path
        try:
            state = path.stat()
            # Whoever restores it gives it the time of its content.
            as_it_was = state.st_size == self.size and state.st_mtime_ns in (self.time_ns, fixed_time_ns(sha256))
            return (as_it_was and not read) or sha256_of(path) == sha256
        except OSError:
            return False


def read(folder: Path) -> dict[str, Elsewhere]:
    """Return the files of a result that lie elsewhere, by name; none when there is no list or it is damaged."""
    try:
        text = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return {name: Elsewhere(str(one["path"]), int(one["size"]), int(one["time_ns"])) for name, one in text.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def give_up(folder: Path, root: Path, others: Mapping[str, Path]) -> int:
    """Remove a result's own files where others hold the same bytes; return how many bytes that frees.

    Parameters
    ----------
    folder
        Folder of the result.
    root
        Folder of the store.
    others
        The other file of each name; who calls has read it and found the same bytes.
    """
    listed = read(folder)
    for name, path in others.items():
        state = path.stat()
        listed[name] = Elsewhere(os.path.relpath(path, root), state.st_size, state.st_mtime_ns)
    # The list comes first: a reader finds a file here or there at any time.
    write_json(folder / FILE, {name: vars(one) for name, one in listed.items()})
    free = 0
    for name in others:
        free += (folder / name).stat().st_size
        (folder / name).unlink()
    return free
