"""What has been read of a copy: a verification that was stopped goes on from here, and so does one after a mend."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from scrubin.core.errors import ReleaseError
from scrubin.download.folder import Entry


def default_path(folder: Path) -> Path:
    """Return where the journal of a folder lies: among the caches of this user, never in the release."""
    home = Path.home()
    if sys.platform == "win32":
        cache = Path(os.environ.get("LOCALAPPDATA") or home / "AppData/Local")
    elif sys.platform == "darwin":
        cache = home / "Library/Caches"
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return cache / "scrubin/verify" / f"{hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:24]}.jsonl"


class Journal:
    """SHA-256 by name of the files that were read, kept line by line; a line counts while its file is as it was.

    Parameters
    ----------
    path
        The journal.
    folder
        The release, which it must not lie in.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
            msg = f"{path}: it lies in the release, which is only read; name a file elsewhere with --state"
            raise ReleaseError(msg)
        self.path = path
        self._file: IO[str] | None = None

    def __enter__(self) -> Journal:
        """Open it for writing; where that is not possible, nothing is kept."""
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a", buffering=1, encoding="ascii", newline="\n")
            self._file.write("\n")  # behind a line that was cut off
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None

    def known(self, files: Mapping[str, Entry]) -> dict[str, str]:
        """Return the SHA-256 of the files that are as they were when they were read."""
        try:
            lines = self.path.read_text(encoding="ascii", errors="replace").splitlines()
        except OSError:
            return {}
        known: dict[str, str] = {}
        for line in lines:
            try:
                name, sha256, *entry = json.loads(line)
                if files.get(name) == Entry(*entry):
                    known[name] = str(sha256)
            except (ValueError, TypeError):  # an empty line, or one that was cut off
                continue
        return known

    def keep(self, name: str, sha256: str, entry: Entry) -> None:
        """Add what was read."""
        if self._file is not None:
            with suppress(OSError):
                self._file.write(json.dumps([name, sha256, entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode]) + "\n")

    def forget(self) -> None:
        """Remove it: the next verification reads everything."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
