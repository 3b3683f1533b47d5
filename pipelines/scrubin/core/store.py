"""A content-addressed store of per-recording results, outside DVC's outputs.

DVC deletes a stage's outputs before it runs the stage. What was made for a recording is
therefore kept here under a key of everything that it depends on, and linked into the
output. One more recording costs one recording; a killed run goes on where it stopped.
It is a cache: deleting the folder costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scrubin.core.files import link_or_copy, set_fixed_time, sha256_of

STORE_PATH = Path(".cache/store")
MANIFEST = "manifest.json"
LIBRARY = Path(__file__).resolve().parents[1]
_LOCKS: dict[str, threading.Lock] = {}
_LOCKS_GUARD = threading.Lock()


def code_version(parts: Iterable[str], packages: Iterable[str] = ()) -> str:
    """Return a hash of the library's sources and of the packages that a result depends on.

    Parameters
    ----------
    parts
        Files or folders below ``scrubin/``, such as ``"video"`` or ``"core/files.py"``.
    packages
        Installed packages whose version changes the bytes, such as ``"av"``.
    """
    digest = hashlib.sha256()
    for part in sorted(parts):
        path = LIBRARY / part
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        for file in files:
            digest.update(f"{file.relative_to(LIBRARY).as_posix()}\0{sha256_of(file)}\n".encode())
    for package in sorted(packages):
        digest.update(f"{package}=={version(package)}\n".encode())
    return digest.hexdigest()


def key_of(stage: str, code: str, inputs: Mapping[str, Any]) -> str:
    """Return the key of a result: stage, code and all inputs, as 64 hex digits."""
    text = json.dumps({"stage": stage, "code": code, "inputs": inputs}, sort_keys=True, allow_nan=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Entry:
    """One stored result: a folder of files and a small JSON value about them."""

    folder: Path
    files: Mapping[str, str]  # relative name -> sha256
    value: Any

    def link_into(self, folder: Path, rename: Callable[[str], str] = str) -> None:
        """Link every file into ``folder`` under its (renamed) relative name."""
        for name in sorted(self.files):
            link_or_copy(self.folder / name, folder / rename(name))


def lookup(key: str, root: Path = STORE_PATH) -> Entry | None:
    """Return the stored result, or None when there is none or its bytes have changed."""
    folder = _folder(key, root)
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    entry = Entry(folder, manifest["files"], manifest["value"])
    for name, sha256 in entry.files.items():
        path = folder / name
        if not path.is_file() or sha256_of(path) != sha256:
            return None
    return entry


def make(key: str, work: Callable[[Path], Any], root: Path = STORE_PATH) -> tuple[Entry, bool]:
    """Return the stored result of ``work`` and whether it was already there.

    ``work`` gets an empty folder, writes its files there and returns a JSON value. The folder
    gets its final name in one step, so a killed run leaves nothing that looks finished.
    """
    with _lock(key):
        entry = lookup(key, root)
        return (entry, True) if entry is not None else (_stored(key, work, root), False)


def remove_leftovers(root: Path = STORE_PATH, older_than_s: float = 86_400) -> None:
    """Remove what killed runs left behind; not what another run may just be writing."""
    for folder in root.glob("*/.part-*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > older_than_s:
                shutil.rmtree(folder)


def _stored(key: str, work: Callable[[Path], Any], root: Path) -> Entry:
    folder = _folder(key, root)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".part-", dir=folder.parent) as temporary:
        part = Path(temporary) / "entry"
        part.mkdir()
        value = work(part)
        files = {path.relative_to(part).as_posix(): _sealed(path) for path in sorted(part.rglob("*")) if path.is_file()}
        # Last and flushed: a folder with a manifest is complete, also after a power cut.
        with (part / MANIFEST).open("w", encoding="utf-8") as manifest:
            json.dump({"files": files, "value": value}, manifest, sort_keys=True, allow_nan=False)
            manifest.flush()
            os.fsync(manifest.fileno())
        if folder.exists():
            shutil.rmtree(folder)  # it failed the look-up: damaged
        try:
            part.rename(folder)
        except OSError:
            # Another run was faster; what it made has the same key, so it is the same.
            entry = lookup(key, root)
            if entry is None:
                raise
            return entry
    return Entry(folder, files, value)


@contextlib.contextmanager
def _lock(key: str) -> Iterator[None]:
    """Let one thread at a time make a result: two raw files may render to the same bytes."""
    with _LOCKS_GUARD:
        lock = _LOCKS.setdefault(key, threading.Lock())
    with lock:
        yield


def _folder(key: str, root: Path) -> Path:
    return root / key[:2] / key[2:]


def _sealed(path: Path) -> str:
    # Read-only and with a fixed time: the inode is shared with the release and DVC's cache.
    with path.open("rb") as file:
        os.fsync(file.fileno())
    sha256 = sha256_of(path)
    path.chmod(0o444)
    set_fixed_time(path, sha256)
    return sha256
