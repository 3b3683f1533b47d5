"""Where a release lies: in a folder, or in an object store, of which files are fetched into a cache when they are first needed.

The cache is a folder that is like the release, but for the files that nobody asked for. Its name is the hash of the release's list
of hashes: another version has another one. A file appears in it when its bytes are proven by that list, and not before.
"""

from __future__ import annotations

import csv
import hashlib
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from scrubin.base import posix, strangers
from scrubin.base.errors import PlatformError, ReleaseError, ScrubinError
from scrubin.base.file_lists import CHECKSUMS, FILE_LIST
from scrubin.base.files import disk_of
from scrubin.base.object_store import MissingObjectError, ObjectFolder
from scrubin.data.verify import lists

MIRROR, WORK = "release", "fetching"
EDITION_DIGITS = 32


class Place(Protocol):
    """Where a release lies."""

    @property
    def folder(self) -> Path:
        """The folder from which files are read."""

    @property
    def address(self) -> str:
        """How people call it."""

    def hold(self, name: str) -> None:
        """See to it that a file of the release lies in the folder, if there is one of this name."""

    def names(self, start: str) -> list[str]:
        """Return the files whose names begin so, sorted."""


@dataclass(frozen=True)
class InFolder:
    """A release in a folder: everything is there."""

    folder: Path

    @property
    def address(self) -> str:
        """The folder."""
        return str(self.folder)

    def hold(self, name: str) -> None:
        """Do nothing."""

    def names(self, start: str) -> list[str]:
        """Return the files below a folder of the release."""
        return sorted(path.relative_to(self.folder).as_posix() for path in (self.folder / start).rglob("*") if path.is_file())


@dataclass(frozen=True)
class InStore:
    """A release in an object store, with its cache.

    Parameters
    ----------
    store
        Where it lies.
    folder
        What of it lies here.
    """

    store: ObjectFolder
    folder: Path

    @property
    def address(self) -> str:
        """The address."""
        return self.store.shown

    def hold(self, name: str) -> None:
        """Fetch a file, unless it is here; several threads and processes may ask for it at once.

        Raises
        ------
        ReleaseError
            When it is not to be had, or its bytes are not those of the list.
        """
        listed = _listed(self.folder)
        sha256 = listed.sha256.get(name)
        if sha256 is None or self._is_here(name, listed.bytes.get(name)):
            return
        work = self.folder.parent / WORK
        with _usable(work):
            work.mkdir(exist_ok=True)
            # So few, not one per file, because a file that is locked must stay.
            with _alone(work / f"{sha256[:2]}.lock") as alone:
                if self._is_here(name, listed.bytes.get(name)):
                    return
                part = work / sha256 if alone else _own_part(work, sha256)
                self._fetch(name, sha256, listed.bytes.get(name), part)

    def names(self, start: str) -> list[str]:
        """Return the files of the list whose names begin so."""
        return sorted(name for name in _listed(self.folder).sha256 if name.startswith(start))

    def _is_here(self, name: str, size: int | None) -> bool:
        try:
            status = (self.folder / name).stat()
        except OSError:
            return False
        return size is None or status.st_size == size

    def _fetch(self, name: str, sha256: str, size: int | None, part: Path) -> None:
        digest, fetched, target = hashlib.sha256(), 0, self.folder / name
        if not Path(os.path.normpath(target)).is_relative_to(os.path.normpath(self.folder)):
            msg = f"{self.store.of(name)}: its name leads out of the release, so it is not fetched; tell who keeps the release"
            raise ReleaseError(msg)
        try:
            with part.open("wb") as file:
                for data in self.store.pieces(name, self.store.size(name) if size is None else size):
                    digest.update(data)
                    fetched += file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if digest.hexdigest() != sha256:
                found = f"{fetched:,} bytes with the SHA-256 {digest.hexdigest()}"
                mend = "open the release again if a new version was put there, else tell who keeps it"
                raise ReleaseError(f"{self.store.of(name)}: it is another file than {CHECKSUMS} lists: {found}; {mend}")
            target.parent.mkdir(parents=True, exist_ok=True)
            part.replace(target)
        except MissingObjectError as error:
            raise ReleaseError(f"{self.store.of(name)}: {CHECKSUMS} lists it, and it is not there; tell who keeps the release") from error
        finally:
            part.unlink(missing_ok=True)


@dataclass(frozen=True)
class _Listed:
    sha256: Mapping[str, str]
    bytes: Mapping[str, int]


def _listed(folder: Path) -> _Listed:
    """Return hash and size of every file, as the two lists in a cache say."""
    return _read(folder, has_sizes=(folder / FILE_LIST).is_file())


@lru_cache(maxsize=8)
def _read(folder: Path, *, has_sizes: bool) -> _Listed:
    sha256 = lists.read_sums(strangers.read_bytes(folder / CHECKSUMS)).sha256
    if FILE_LIST not in sha256 or not has_sizes:
        return _Listed(sha256, {})
    rows = csv.reader(strangers.read_text(folder / FILE_LIST).splitlines())
    sizes = {row[0]: int(row[1]) for row in rows if len(row) == 3 and row[1].isdecimal()}
    return _Listed(sha256, sizes)


@contextmanager
def _usable(folder: Path) -> Iterator[None]:
    """Say what can be done when the cache cannot be written to."""
    try:
        with disk_of(folder):
            yield
    except ScrubinError:
        raise
    except OSError as error:
        msg = f"{folder}: it cannot be written to ({error.strerror or error}); name another folder as cache=, or give yourself the right"
        raise ReleaseError(msg) from error


def _own_part(folder: Path, name: str) -> Path:
    """Return the name of a file that no other thread, process or machine writes to; not by mkstemp, whose files others cannot read."""
    return folder / f"{name}-{secrets.token_hex(8)}"


@contextmanager
def _alone(path: Path) -> Iterator[bool]:
    """Hold a lock; False where the system or the disk has none: then a file may be fetched twice, and is right both times."""
    with _HELD.opened(path) as descriptor:
        try:
            posix.lock(descriptor, wait=True)
        except (PlatformError, OSError):
            yield False
            return
        yield True


class _Held:
    """Files with locks. A process that is forked meanwhile has them open, too, and would keep the locks for as long as it lives."""

    def __init__(self) -> None:
        self._descriptors: set[int] = set()
        self._changing = threading.Lock()
        if hasattr(os, "register_at_fork"):
            release = self._changing.release
            os.register_at_fork(before=self._changing.acquire, after_in_parent=release, after_in_child=self._let_go)

    @contextmanager
    def opened(self, path: Path) -> Iterator[int]:
        """Open a file, and make it if there is none."""
        with self._changing:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            self._descriptors.add(descriptor)
        try:
            yield descriptor
        finally:
            with self._changing:
                # Not one that a fork has closed here, whose number may be another file's by now.
                if descriptor in self._descriptors:
                    self._descriptors.remove(descriptor)
                    os.close(descriptor)

    def _let_go(self) -> None:
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()
        self._changing.release()


_HELD = _Held()


def in_store(address: str, cache: str | Path | None, options: Mapping[str, Any] | None) -> InStore:
    """Return a release in an object store; its list of hashes is fetched each time, with which everything else is compared.

    Parameters
    ----------
    cache
        The folder for all caches; None: ``scrubin`` in the user's folder of caches.

    Raises
    ------
    ReleaseError
        When there is no release, or nothing can be read.
    """
    store = ObjectFolder(address.rstrip("/"), options or {})
    try:
        data = store.read(CHECKSUMS)
    except MissingObjectError as error:
        msg = f"{store.shown}: this is no release: it has no {CHECKSUMS}, which is put there last; check the address"
        raise ReleaseError(msg) from error
    ReleaseError.raise_any(lists.read_sums(data).faults)
    home = Path(cache) if cache is not None else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scrubin"
    place = InStore(store, home.absolute() / hashlib.sha256(data).hexdigest()[:EDITION_DIGITS] / MIRROR)
    with _usable(place.folder):
        place.folder.mkdir(parents=True, exist_ok=True)
        _keep(place.folder / CHECKSUMS, data)
    place.hold(FILE_LIST)
    return place


def _keep(path: Path, data: bytes) -> None:
    if path.is_file() and path.read_bytes() == data:
        return
    part = _own_part(path.parent, f".{path.name}")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
