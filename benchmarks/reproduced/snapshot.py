"""Files of a commit of a repository that somebody has on disk: a clone, a bare clone or a snapshot, without a work tree."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Snapshot:
    """A git directory and one commit of it.

    Parameters
    ----------
    folder
        The git directory or a folder with one.
    commit
        Whole or abbreviated hash.
    """

    folder: Path
    commit: str

    def _git(self, *words: str) -> bytes | None:
        done = subprocess.run(["git", "-C", self.folder, *words], capture_output=True, check=False)
        return done.stdout if done.returncode == 0 else None

    def names(self, under: str) -> list[str]:
        """Return the paths of all files below a folder, sorted; SystemExit when the commit or the folder is not there."""
        listed = self._git("ls-tree", "-r", "--name-only", "-z", self.commit, f"{under}/")
        names = sorted(name for name in (listed or b"").decode().split("\0") if name)
        if not names:
            msg = f"{self.folder}: there is no {under} in commit {self.commit}; is this a copy with its whole history?"
            raise SystemExit(msg)
        return names

    def read(self, name: str) -> bytes | None:
        """Return a file; None where the copy lacks its content, as copies do with large files."""
        return self._git("show", f"{self.commit}:{name}")

    def write(self, under: str, out: Path) -> list[Path]:
        """Write all files below a folder that have content into another folder, by their paths below it."""
        written = []
        for name in self.names(under):
            data = self.read(name)
            if data is not None:
                path = out / name.removeprefix(f"{under}/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                written.append(path)
        return written
