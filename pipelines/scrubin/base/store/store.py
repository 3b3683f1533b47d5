"""A content-addressed store of per-recording results, outside DVC's outputs, which takes those of earlier editions.

Most updates change no byte of what is stored: a module moves, another gets a helper. Then its code is another one
(see `scrubin.base.store.code_of`), and a study would render all its videos again. The data file names, by kind of result, the
code of today and those of editions that came to the same. It holds for just that code: after any later change of what
the kind imports, nothing earlier is taken, until `benchmarks/earlier_codes.py` has been run again by somebody who knows why.

DVC deletes a stage's outputs before it runs the stage. What was made for a recording is
therefore kept here under a key of everything that it depends on, and copied into the
output. One more recording costs one recording; a killed run goes on where it stopped.
It is a cache: deleting the folder costs time and nothing else. Any number of processes may
share it, also of several machines: the first sound result of a key is everybody's.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from scrubin.base.files import copy, disk_of, fixed_time_ns, set_fixed_time, sha256_of, write_json
from scrubin.base.store import uses, workspaces
from scrubin.base.store.code_of import EARLIER_CODES, LIBRARY, version_of


@dataclass(frozen=True)
class Earlier:
    """The code that a kind of result had in an earlier edition.

    Parameters
    ----------
    edition
        Its version.
    code
        Its digest, as the edition itself formed it.
    packages
        Versions of the packages of others that went into it, by name.
    why
        Why its results are those of today.
    """

    edition: str
    code: str
    packages: dict[str, str]
    why: str

    @property
    def has_packages_of_today(self) -> bool:
        """Whether it was made with the versions that are installed now."""
        return all(version_of(package) == known for package, known in self.packages.items())


@dataclass(frozen=True)
class Kind:
    """A kind of result: the code for which the earlier ones stand, and these, the newest first."""

    code: str
    earlier: tuple[Earlier, ...]

    @cached_property
    def accepted(self) -> tuple[str, ...]:
        """The codes of editions that were run with the packages of today."""
        return tuple(one.code for one in self.earlier if one.has_packages_of_today)


def of(kind: str, code: str) -> tuple[str, ...]:
    """Return the earlier codes whose results may be taken for those of a kind's code; the newest first."""
    known = read(LIBRARY / EARLIER_CODES).get(kind)
    return () if known is None or known.code != code else known.accepted


@cache
def read(path: Path) -> dict[str, Kind]:
    """Return the kinds of result that a file names; none when there is no file."""
    text: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {name: Kind(kind["code"], tuple(Earlier(**one) for one in kind["earlier"])) for name, kind in text.items()}


STORE_PATH = Path(".cache/store")
MANIFEST = "manifest.json"
CYCLE_DAYS, DAY_S = 30, 86_400
GENERATIONS = 8
SEALED_AT_A_TIME = 8
_ROOT: ContextVar[Path] = ContextVar("store", default=STORE_PATH)
_LOCKS: dict[str, threading.Lock] = {}
_LOCKS_GUARD = threading.Lock()


@contextlib.contextmanager
def kept_in(root: Path) -> Iterator[None]:
    """Look up and keep results below ``root``: a worker of a cluster has another working folder."""
    token = _ROOT.set(root)
    try:
        yield
    finally:
        _ROOT.reset(token)


class Key(str):
    """The key of a result, as 64 hex digits, with the keys that it had in earlier editions, the newest first."""

    earlier: tuple[str, ...] = ()


def key_of(stage: str, code: str, inputs: Mapping[str, Any], kind: str | None = None) -> Key:
    """Return the key of a result: stage, code (see `scrubin.base.store.code_of`) and all inputs, as 64 hex digits.

    Parameters
    ----------
    stage, code, inputs
        What the result depends on.
    kind
        The name under which `scrubin.base.store.store` knows the code; None: it is the stage's.
    """
    key = Key(_key(stage, code, inputs))
    key.earlier = tuple(_key(stage, earlier, inputs) for earlier in of(kind or stage, code))
    return key


def _key(stage: str, code: str, inputs: Mapping[str, Any]) -> str:
    text = json.dumps({"stage": stage, "code": code, "inputs": inputs}, sort_keys=True, allow_nan=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Entry:
    """One stored result: a folder of files and a small JSON value about them."""

    folder: Path
    files: Mapping[str, str]  # relative name -> sha256
    value: Any

    @property
    def root(self) -> Path:
        """The folder of the store."""
        return self.folder.parents[1]

    def path(self, name: str) -> Path:
        """Return where the bytes of a file lie: in the result's own folder, or elsewhere."""
        return self._paths([name])[name]

    def copy(self, targets: Mapping[str, Path]) -> None:
        """Copy files to other places, by name; see `scrubin.base.files.copy`."""
        for name, path in self._paths(targets).items():
            copy(path, targets[name], self.files[name])
        uses.note_copies(self.folder, self.root, targets)

    def is_sound(self, *, read: bool) -> bool:
        """Return whether all files are there as they were written; ``read``: by their bytes, also where their time fits."""
        absent = {name: sha256 for name, sha256 in self.files.items() if not _is_intact(self.folder / name, sha256, read=read)}
        others = read_elsewhere(self.folder) if absent else {}
        return all(name in others and others[name].is_intact(self.root, sha256, read=read) for name, sha256 in absent.items())

    def _paths(self, names: Iterable[str]) -> dict[str, Path]:
        paths = {name: self.folder / name for name in names}
        absent = [name for name, path in paths.items() if not path.exists()]
        others = read_elsewhere(self.folder) if absent else {}
        return paths | {name: self.root / others[name].path for name in absent if name in others}


def lookup(key: str, root: Path | None = None, *, read: bool = False) -> Entry | None:
    """Return the stored result, or None when there is none or its bytes have changed.

    A file's time comes from its content, so whoever writes to it changes its time as well, and the time is
    looked at first. All of it is read where that does not fit, when ``read`` says so, and on one day of thirty,
    another one for each key, so that a disk that forgets is noticed.
    """
    root = root or _ROOT.get()
    entry = _sound(key, root, read=read) or (_adopted(key, root, read=read) if isinstance(key, Key) else None)
    if entry is not None:
        uses.note(key, root)
    return entry


def _sound(key: str, root: Path, *, read: bool) -> Entry | None:
    for generation in range(GENERATIONS):
        entry = read_entry(_folder(key, root, generation))
        if entry is not None and entry.is_sound(read=read or _is_due(key)):
            return entry
    return None


def _adopted(key: Key, root: Path, *, read: bool) -> Entry | None:
    """Return what an earlier edition stored, from now on under today's key as well; None when it stored nothing sound.

    Both results share their bytes, so that it costs no room, and an older checkout that shares the store keeps its own.
    """
    for earlier in key.earlier:
        entry = _sound(earlier, root, read=read)
        if entry is None or _is_refusal(entry):
            continue
        with disk_of(root), workspaces.workspace(root) as workspace:
            part = workspace / "entry"
            for path in [path for path in sorted(entry.folder.rglob("*")) if path.is_file()]:
                target = part / path.relative_to(entry.folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                try:
                    os.link(path, target)
                except OSError:  # no links on this disk: it is made again
                    return None
            return _published(part, key, root)
    return None


def _is_refusal(entry: Entry) -> bool:
    """Return whether a file was refused: a newer edition may take it, or give another reason."""
    return isinstance(entry.value, dict) and "reason" in entry.value


def read_entry(folder: Path) -> Entry | None:
    """Return what a folder of the store says it holds; None when it does not say, or its words have changed."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        entry = Entry(folder, manifest["files"], manifest["value"])
        return entry if manifest["sha256"] == _digest(entry.files, entry.value) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def make(key: str, work: Callable[[Path], Any], root: Path | None = None) -> tuple[Entry, bool]:
    """Return the stored result of ``work`` and whether it was already there.

    ``work`` gets an empty folder, writes its files there and returns a JSON value. The folder
    gets its final name in one step, so a killed run leaves nothing that looks finished.
    """
    root = root or _ROOT.get()
    with _lock(key):
        entry = lookup(key, root)
        return (entry, True) if entry is not None else (_stored(key, work, root), False)


def _stored(key: str, work: Callable[[Path], Any], root: Path) -> Entry:
    with disk_of(root), workspaces.workspace(root) as workspace:
        part = workspace / "entry"
        part.mkdir()
        value = work(part)
        paths = [path for path in sorted(part.rglob("*")) if path.is_file()]
        # Several at a time, because a disk flushes many files while it flushes one: 180 frames in a fifth of the time.
        with ThreadPoolExecutor(SEALED_AT_A_TIME) as pool:
            files = dict(zip((path.relative_to(part).as_posix() for path in paths), pool.map(_sealed, paths), strict=True))
        text = {"files": files, "value": value, "sha256": _digest(files, value)}
        # Last and flushed: a folder with a manifest is complete, also after a power cut.
        with (part / MANIFEST).open("w", encoding="utf-8") as manifest:
            json.dump(text, manifest, sort_keys=True, allow_nan=False)
            manifest.flush()
            os.fsync(manifest.fileno())
        entry = _published(part, key, root)
    uses.note(key, root)
    return entry


def _published(part: Path, key: str, root: Path) -> Entry:
    """Give a finished folder its name, unless another process was faster: the first sound one stays.

    Nothing is ever removed here, because what looks damaged to one process may just have been replaced by another:
    beside a damaged result the new one gets the next number, and `scrubin store --prune` removes the old one.
    """
    for generation in range(GENERATIONS):
        folder = _folder(key, root, generation)
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not folder.exists():
            try:
                part.rename(folder)
            except OSError:
                # Somebody was faster; or NFS did it, lost its answer, and was asked again.
                if part.exists() and not folder.exists():
                    raise
        entry = read_entry(folder)
        if entry is not None and entry.is_sound(read=False):
            return entry
    raise OSError(f"{_folder(key, root, 0)}: {GENERATIONS} results in a row were damaged; check the disk, then run 'scrubin store --prune'")


def _digest(files: Mapping[str, str], value: Any) -> str:
    """Return the hash of what a manifest says: a number that changed on the disk must not pass for a result."""
    return hashlib.sha256(json.dumps([dict(files), value], sort_keys=True, allow_nan=False).encode()).hexdigest()


def _is_due(key: str) -> bool:
    # The clock decides only how much is read, never what comes out.
    return (int(key[:8], 16) + int(time.time() // DAY_S)) % CYCLE_DAYS == 0


@contextlib.contextmanager
def _lock(key: str) -> Iterator[None]:
    """Let one thread at a time make a result: two raw files may render to the same bytes."""
    with _LOCKS_GUARD:
        lock = _LOCKS.setdefault(key, threading.Lock())
    with lock:
        yield


def _folder(key: str, root: Path, generation: int) -> Path:
    return root / key[:2] / (key[2:] + (f"-{generation}" if generation else ""))


def _is_intact(path: Path, sha256: str, *, read: bool) -> bool:
    try:
        if not read and path.stat().st_mtime_ns == fixed_time_ns(sha256):
            return True
        return sha256_of(path) == sha256
    except OSError:
        return False


def _sealed(path: Path) -> str:
    # Read-only, and with the time that tells whether somebody wrote to it.
    with path.open("rb") as file:
        os.fsync(file.fileno())
    sha256 = sha256_of(path)
    path.chmod(0o444)
    set_fixed_time(path, sha256)
    return sha256


ELSEWHERE = "elsewhere.json"


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


def read_elsewhere(folder: Path) -> dict[str, Elsewhere]:
    """Return the files of a result that lie elsewhere, by name; none when there is no list or it is damaged."""
    try:
        text = json.loads((folder / ELSEWHERE).read_text(encoding="utf-8"))
        return {name: Elsewhere(str(one["path"]), int(one["size"]), int(one["time_ns"])) for name, one in text.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def give_up_bytes(folder: Path, root: Path, others: Mapping[str, Path]) -> int:
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
    listed = read_elsewhere(folder)
    for name, path in others.items():
        state = path.stat()
        listed[name] = Elsewhere(os.path.relpath(path, root), state.st_size, state.st_mtime_ns)
    # The list comes first: a reader finds a file here or there at any time.
    write_json(folder / ELSEWHERE, {name: vars(one) for name, one in listed.items()})
    free = 0
    for name in others:
        free += (folder / name).stat().st_size
        (folder / name).unlink()
    return free
