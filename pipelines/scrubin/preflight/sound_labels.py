"""Which label files were sound when they were last read, so that they are read again only when they, or the library, change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrubin.core import files
from scrubin.core.code_of import code_of_library

PATH = Path(".cache/preflight/labels.json")
"""It is a cache: without it all files are read."""


class SoundLabels:
    """What is remembered of sound label files."""

    def __init__(self, path: Path = PATH) -> None:
        self._path = path
        self._code = code_of_library()
        self._before = self._read()
        self._now: set[str] = set()

    def key(self, raw: Path, names: Sequence[str], how: Sequence[Any]) -> str:
        """Return by what files are known again without reading them: names, sizes, times, and how they are read."""
        states = [(raw / name).stat() for name in names]
        known = [[state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino] for state in states]
        return hashlib.sha256(json.dumps([self._code, str(raw), list(names), list(how), known]).encode()).hexdigest()

    def knows(self, key: str) -> bool:
        """Whether these files were sound; if so, it is remembered further."""
        if key in self._before:
            self._now.add(key)
        return key in self._before

    def add(self, key: str) -> None:
        """Remember that these files are sound."""
        self._now.add(key)

    def write(self) -> None:
        """Keep what this look found, and nothing that it did not ask for."""
        if self._now != self._before:
            files.write_json(self._path, sorted(self._now))

    def _read(self) -> set[str]:
        try:
            return set(json.loads(self._path.read_text(encoding="ascii")))
        except (OSError, ValueError, TypeError):
            return set()
