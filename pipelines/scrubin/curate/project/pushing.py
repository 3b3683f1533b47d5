"""A release as it is, file by file, at an address: put there behind the gate, and nobody takes it for a release before it is whole.

``SHA256SUMS`` is what a release is known by, so it is put there last. Until then a mark says of which release the files are: who was
killed goes on where it stopped, because a store shows no object before it is complete. Nothing that lies there is ever changed.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from scrubin.base import files
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import Fault, count_text, error
from scrubin.base.file_lists import CHECKSUMS, read_checksums
from scrubin.base.layout import RELEASE
from scrubin.base.object_store import MissingObjectError, ObjectFolder
from scrubin.curate.project import readiness

MARK = "UNFINISHED"
"""The object that says of which release files are there already, by the hash of its list."""
AT_ONCE = 8
GATE: Mapping[str, readiness.Check] = {name: readiness.CHECKS[name] for name in ("release", "dvc status", "checksums")}
"""What of a version's checks must hold: it was released, it is what the lock says, its bytes are those of its list."""
MEND = "name an address where nothing lies, one for each version, or remove what lies there yourself"
Shown = Callable[[Iterable[str]], Iterable[str]]


def gate(project: Path) -> Iterator[Fault]:
    """Yield what stands in the way of publishing the release of a project as it is now."""
    for check in GATE.values():
        yield from check(project, "")


@dataclass(frozen=True)
class Pushed:
    """How many files were put there, with their bytes, and how many lay there already."""

    files: int
    bytes: int
    there: int

    def __str__(self) -> str:
        """Return it as one sentence."""
        return f"{count_text(self.files, 'file')} put there, {self.bytes:,} bytes; {self.there:,} lay there already"


def push(release: Path, store: ObjectFolder, shown: Shown = iter, sums: bytes | None = None) -> Pushed:
    """Put a release into an object store; of one that lies there whole nothing is sent.

    Each file is held to the list when it is sent, and the list that is sent in the end is the one that was given.

    Parameters
    ----------
    release
        A folder that passed `gate`.
    shown
        Passes on the names of files, and shows how far it is.
    sums
        The bytes of ``SHA256SUMS`` that the gate has seen; None: as it is now.

    Raises
    ------
    ReleaseError
        When something else lies at the address, a file is not the one of the list, or the store refuses, or goes on failing.
    """
    sums = (release / CHECKSUMS).read_bytes() if sums is None else sums
    wanted = read_checksums(sums.decode("utf-8"))[0]
    edition = hashlib.sha256(sums).hexdigest()
    sizes = {name: _size(release, name, wanted) for name in wanted} | {CHECKSUMS: len(sums)}
    there = store.sizes()
    _refuse_others(store, there, sizes, sums, edition)
    known = {name for name in wanted if there.get(name) == sizes[name]}
    missing = sorted(set(wanted) - known)
    is_marked = CHECKSUMS not in there or MARK in there
    if is_marked and MARK not in there:
        _put(store, MARK, f"{edition}\n".encode("ascii"))
        _refuse_company(store, sums, edition, {})
    broken = threading.Event()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in shown(pool.map(lambda name: _sent(store, release, name, wanted, broken), missing)):
            pass
    if CHECKSUMS not in there:
        _refuse_company(store, sums, edition, {name: sizes[name] for name in wanted})
        _put(store, CHECKSUMS, sums)
        missing.append(CHECKSUMS)
    if is_marked:
        store.remove(MARK)
    return Pushed(len(missing), sum(sizes[name] for name in missing), len(known) + (CHECKSUMS in there))


def _put(store: ObjectFolder, name: str, data: bytes) -> None:
    with TemporaryDirectory() as folder:
        source = Path(folder) / name
        source.write_bytes(data)
        store.write(name, source)


def _sent(store: ObjectFolder, release: Path, name: str, wanted: Mapping[str, str], broken: threading.Event) -> str:
    """Put a file there, if it is the one of the list from the beginning to the end; nothing once another one could not be put there."""
    if broken.is_set():
        return name
    try:
        before = _state(release / name)
        if before is None or files.sha256_of(release / name) != wanted[name]:
            raise _changed(release, name, wanted)
        try:
            store.write(name, release / name)
        except MissingObjectError:  # of the address, or the file itself went
            if _state(release / name) == before:
                raise
        if _state(release / name) != before:
            # Else it would be taken for what is there already, by its size, when the push goes on.
            store.remove(name)
            raise _changed(release, name, wanted)
    except BaseException:
        broken.set()
        raise
    return name


def _state(path: Path) -> tuple[int, ...] | None:
    """Return what differs when a file was replaced or written to; None when there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _size(release: Path, name: str, wanted: Mapping[str, str]) -> int:
    state = _state(release / name)
    if state is None:
        raise _changed(release, name, wanted)
    return state[1]


def _changed(release: Path, name: str, wanted: Mapping[str, str]) -> ReleaseError:
    place = f"line {list(wanted).index(name) + 1} of {CHECKSUMS}"
    what = "it is no longer the file that was checked: a run or somebody changed the release while it was pushed"
    return ReleaseError([error(str(release / name), "changed", what, "wait until no run writes there, then push again", place=place)])


def _refuse_others(store: ObjectFolder, there: Mapping[str, int], sizes: Mapping[str, int], sums: bytes, edition: str) -> None:
    """Raise a `ReleaseError` when what lies at the address is not of this release."""
    if CHECKSUMS in there:
        if store.read(CHECKSUMS) != sums:
            raise ReleaseError(f"{store.shown}: another release lies there; {MEND}")
    elif MARK in there:
        if store.read(MARK).decode("ascii", "replace").strip() != edition:
            raise ReleaseError(f"{store.shown}: a part of another release lies there, which was never finished; {MEND}")
    elif there:
        raise ReleaseError(f"{store.shown}: something lies there, such as {min(there)}; {MEND}")
    if strange := sorted(set(there) - set(sizes) - {MARK}):
        raise ReleaseError(f"{store.shown}: {strange[0]} lies there, which is no file of this release; {MEND}")


def _refuse_company(store: ObjectFolder, sums: bytes, edition: str, put: Mapping[str, int]) -> None:
    """Raise a `ReleaseError` when more lies there than was put, or something else: somebody pushes another release at the same time.

    No store that fsspec reaches has a lock. So both may be refused, and then the mark goes: no later push may take the files of one for
    those of the other.
    """
    there = store.sizes()
    if CHECKSUMS in there and store.read(CHECKSUMS) == sums:
        return  # of the same release, by somebody who was quicker
    if CHECKSUMS not in there:
        try:
            is_ours = store.read(MARK).decode("ascii", "replace").strip() == edition
        except MissingObjectError:
            is_ours = False
        if is_ours and {name: size for name, size in there.items() if name != MARK} == put:
            return
        store.remove(MARK)
    raise ReleaseError(f"{store.shown}: somebody else put or removed something there meanwhile; {MEND}")


def push_project(project: Path, store: ObjectFolder, shown: Shown = iter) -> Pushed:
    """Put the release of a project at an address when its gate is open, see `push` and `gate`."""
    sums = project / RELEASE / CHECKSUMS
    # Before the gate, and never again: what comes in its place later has not been checked.
    checked = sums.read_bytes() if sums.is_file() else None
    ReleaseError.raise_any(gate(project))
    if checked is None:
        raise ReleaseError(f"{sums}: it came while the release was checked; wait until no run writes there, then push again")
    try:
        return push(project / RELEASE, store, shown, checked)
    except MissingObjectError as missing:
        raise ReleaseError(f"{store.shown}: there is no such bucket or folder; make it, then push again") from missing
