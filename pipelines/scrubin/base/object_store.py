"""Files of an object store, or of whatever else fsspec reaches: read in pieces, written whole, tried again a bounded number of times.

fsspec, and what it needs for a kind of store, come with an extra; nothing of them is imported before an address is used.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from scrubin.base import machine
from scrubin.base.errors import ReleaseError

WAITS_S = (0.2, 1.0, 4.0)
"""Before a request that failed is made again. The store's own client repeats nothing, so that this is the whole of it."""
PIECE_BYTES = 16 << 20
"""So much is asked for at a time, and so much memory a file needs, however large it is."""
EXTRA = "s3"
"""Brings fsspec, and what it needs for S3; other kinds of store need a package of their own, which fsspec names."""
Result = TypeVar("Result")
NO_CREDENTIALS = ("NoCredentialsError", "PartialCredentialsError", "ProfileNotFound")
_GONE = (FileNotFoundError, IsADirectoryError, NotADirectoryError)
_NEEDS = {"s3": "s3fs", "s3a": "s3fs"}
_HTTP = ("http://", "https://")
_GONE_STATUS, _REFUSED = (404, 410), (401, 403)
_QUERY = re.compile(r"(?<=\S)\?[^\s'\")]+")
_ON_DISK = ("file", "local")
_QUIET_S3 = {"config_kwargs": {"retries": {"total_max_attempts": 1}}}


def is_address(text: object) -> bool:
    """Return whether somebody named an address, not a folder.

    >>> is_address("s3://bucket/study"), is_address("data/release")
    (True, False)
    """
    return isinstance(text, str) and "://" in text


def plain(name: str) -> str:
    """Return an address as it may be shown: without what follows a question mark, which may be a signature. Files keep their names.

    >>> plain("https://host/one.mp4?sig=a1"), plain("what?.mp4")
    ('https://host/one.mp4', 'what?.mp4')
    """
    return name.partition("?")[0] if is_address(name) else name


@dataclass(frozen=True)
class ObjectFolder:
    """All that lies below an address. It holds no connection, so it can be sent to other processes.

    Parameters
    ----------
    address
        Such as ``s3://bucket/study/1.0.0``.
    options
        What fsspec is given for this kind of store, such as ``{"anon": True}``; may hold secrets.
    """

    address: str
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def shown(self) -> str:
        """The address, as it may be shown."""
        return plain(self.address)

    def of(self, name: str) -> str:
        """Return the address of a file in it, as it may be shown."""
        return plain(f"{self.address.rstrip('/')}/{name}")

    def read(self, name: str) -> bytes:
        """Return a whole file, which is small; errors as of `pieces`."""
        return self._tried(name, lambda system, path: bytes(system.cat_file(path)))

    def size(self, name: str) -> int | None:
        """Return how many bytes a file has; None where this kind of store cannot tell. Errors as of `pieces`."""
        found: int | None = self._tried(name, lambda system, path: system.info(path)["size"])
        return found

    def version(self, name: str) -> str:
        """Return by what a file is known again, as its store has it: a version, an ETag, a time; errors as of `pieces`."""

        def known(system: Any, path: str) -> str:
            system.invalidate_cache()
            found = system.info(path)
            return str([found.get(key) for key in ("VersionId", "ETag", "LastModified", "mtime", "created", "size")])

        return self._tried(name, known)

    def pieces(self, name: str, size: int | None) -> Iterator[bytes]:
        """Yield the first ``size`` bytes of a file in order; only the piece that failed is asked for again.

        Of a file of unknown size there is one piece.

        Raises
        ------
        MissingObjectError
            When it is not there.
        ReleaseError
            When the store refuses, or goes on failing; when the file is shorter; or when what reaches this kind of store is not installed.
        """
        if size is None:
            yield self.read(name)
            return
        for start in range(0, size, PIECE_BYTES):
            end = min(size, start + PIECE_BYTES)

            def piece(system: Any, path: str, start: int = start, end: int = end) -> bytes:
                data = bytes(system.cat_file(path, start=start, end=end))
                if len(data) != end - start:
                    raise OSError(f"bytes {start} to {end} were asked for, and {len(data)} came")
                return data

            yield self._tried(name, piece)

    def write(self, name: str, source: Path) -> None:
        """Put a file there; stores show an object when it is complete, and not before. Errors as of `pieces`."""

        def put(system: Any, path: str) -> None:
            # Of what fsspec reaches, all but these make what folders they need; asked for one, S3 would make a bucket.
            if self.address.partition("://")[0] in _ON_DISK:
                system.makedirs(path.rpartition("/")[0], exist_ok=True)
            system.put_file(str(source), path)

        self._tried(name, put)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there; errors as of `pieces`."""
        try:
            self._tried(name, lambda system, path: system.rm_file(path))
        except MissingObjectError:
            return

    def sizes(self) -> dict[str, int]:
        """Return the bytes of every file below, by name; errors as of `pieces`."""

        def found(system: Any, path: str) -> dict[str, int]:
            system.invalidate_cache()
            prefix = path.rstrip("/") + "/"
            sizes = {name.removeprefix(prefix): int(one["size"]) for name, one in system.find(path, detail=True).items()}
            # A console that "makes a folder" puts an object of no name and no bytes there.
            return {name: size for name, size in sizes.items() if name or size}

        try:
            return self._tried("", found)
        except MissingObjectError:
            return {}

    def _tried(self, name: str, work: Callable[[Any, str], Result]) -> Result:
        """Do some work, again when it fails in a way that may pass."""
        where = self.of(name) if name else self.shown
        system, root = self._system()
        path = f"{root.rstrip('/')}/{name}" if name else root
        for wait_s in (*WAITS_S, None):
            try:
                return work(system, path)
            # Each kind of store has errors of its own, of which no class is common.
            except Exception as error:
                if _is_gone(error, self.address):
                    raise MissingObjectError(f"{where}: it is not there") from error
                if isinstance(error, PermissionError) or _status(error, self.address) in _REFUSED:
                    msg = f"{where}: the store refuses it ({_said(error)}); check the address and your credentials for it"
                    raise ReleaseError(msg) from error
                if type(error).__name__ in NO_CREDENTIALS:
                    mend = "set them, or storage_options={'anon': True} where it is public"
                    raise ReleaseError(f"{where}: there are no credentials ({_said(error)}); {mend}") from error
                if wait_s is None:
                    tries = len(WAITS_S) + 1
                    msg = f"{where}: it failed {tries} times ({_said(error)}); check the network and the address, then try again"
                    raise ReleaseError(msg) from error
                time.sleep(wait_s)
        raise AssertionError

    def _system(self) -> tuple[Any, str]:
        """Return what fsspec reaches it by, one per process, and the path in there."""
        scheme = self.address.partition("://")[0]
        for module in ("fsspec", *([_NEEDS[scheme]] if scheme in _NEEDS else [])):
            if not machine.is_installed(module):
                raise ReleaseError(f"{self.shown}: it needs {module}, which is not installed: {machine.install_command(EXTRA)}")
        import fsspec

        options = {**(_QUIET_S3 if scheme in _NEEDS else {}), **self.options}
        try:
            kind = fsspec.get_filesystem_class(scheme)
            # Not url_to_fs, which cannot pass on an option "url", as DVC has one.
            system = kind(**{**kind._get_kwargs_from_urls(self.address), **options})
            path = kind._strip_protocol(self.address)
        except (ImportError, ValueError) as error:
            msg = f"{self.shown}: it cannot be reached ({_said(error)}); correct the address, or install what reads it"
            raise ReleaseError(msg) from error
        if scheme in _NEEDS:
            system.retries = 1
        return system, path


class MissingObjectError(ReleaseError):
    """There is no such file in the store."""


def _is_gone(error: BaseException, address: str) -> bool:
    """Return whether a file is not there. Over HTTP fsspec says so of every failure, and only the cause tells which it was."""
    status = _status(error, address)
    if status is not None:
        return status in _GONE_STATUS
    cause = error.__cause__ if address.startswith(_HTTP) else None
    return isinstance(error, _GONE) and (cause is None or isinstance(cause, _GONE))


def _status(error: BaseException, address: str) -> int | None:
    """Return what a web server answered; None when it is none, or did not answer."""
    if not address.startswith(_HTTP):
        return None
    found = [getattr(one, "status", None) for one in (error, error.__cause__)]
    return next((status for status in found if isinstance(status, int)), None)


def _said(error: BaseException) -> str:
    said = error.__cause__ if isinstance(error, _GONE) and error.__cause__ is not None else error
    return _QUERY.sub("", (str(said).strip().splitlines() or [type(said).__name__])[0])[:200]
