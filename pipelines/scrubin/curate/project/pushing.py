"""A release as it is, file by file, at an address: put there behind the gate, and nobody takes it for a release before it is whole.

``SHA256SUMS`` is what a release is known by, so it is put there last. Until then a mark says of which release the files are: who was
killed goes on where it stopped, because a store shows no object before it is complete. Nothing that lies there is ever changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from scrubin.base import files
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import Fault, count_text
from scrubin.base.file_lists import CHECKSUMS, read_checksums
from scrubin.base.object_store import MissingObjectError, ObjectFolder
from scrubin.curate.project import readiness
from scrubin.stages.release.assembly import RELEASE

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


def push(release: Path, store: ObjectFolder, shown: Shown = iter) -> Pushed:
    """Put a release into an object store; of one that lies there whole nothing is sent.

    Parameters
    ----------
    release
        A folder that passed `gate`.
    shown
        Passes on the names of files, and shows how far it is.

    Raises
    ------
    ReleaseError
        When something else lies at the address, or the store refuses, or goes on failing.
    """
    sums = release / CHECKSUMS
    wanted = read_checksums(sums.read_text(encoding="utf-8"))[0]
    sizes = {name: (release / name).stat().st_size for name in (*wanted, CHECKSUMS)}
    edition = files.sha256_of(sums)
    there = store.sizes()
    _refuse_others(store, there, sizes, sums.read_bytes(), edition)
    known = {name for name in wanted if there.get(name) == sizes[name]}
    missing = sorted(set(wanted) - known)
    is_marked = CHECKSUMS not in there or MARK in there
    if is_marked and MARK not in there:
        with TemporaryDirectory() as folder:
            mark = Path(folder) / MARK
            mark.write_text(f"{edition}\n", encoding="ascii")
            store.write(MARK, mark)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in shown(pool.map(lambda name: _sent(store, release, name), missing)):
            pass
    if CHECKSUMS not in there:
        missing.append(_sent(store, release, CHECKSUMS))
    if is_marked:
        store.remove(MARK)
    return Pushed(len(missing), sum(sizes[name] for name in missing), len(known) + (CHECKSUMS in there))


def _sent(store: ObjectFolder, release: Path, name: str) -> str:
    store.write(name, release / name)
    return name


def _refuse_others(store: ObjectFolder, there: Mapping[str, int], sizes: Mapping[str, int], sums: bytes, edition: str) -> None:
    """Raise a `ReleaseError` when what lies at the address is not of this release."""
    if CHECKSUMS in there:
        if store.read(CHECKSUMS) != sums:
            msg = f"{store.address}: another release lies there; {MEND}"
            raise ReleaseError(msg)
    elif MARK in there:
        if store.read(MARK).decode("ascii", "replace").strip() != edition:
            msg = f"{store.address}: a part of another release lies there, which was never finished; {MEND}"
            raise ReleaseError(msg)
    elif there:
        msg = f"{store.address}: something lies there, such as {min(there)}; {MEND}"
        raise ReleaseError(msg)
    if strange := sorted(set(there) - set(sizes) - {MARK}):
        msg = f"{store.address}: {strange[0]} lies there, which is no file of this release; {MEND}"
        raise ReleaseError(msg)


def push_project(project: Path, store: ObjectFolder, shown: Shown = iter) -> Pushed:
    """Put the release of a project at an address when its gate is open, see `push` and `gate`."""
    ReleaseError.raise_any(gate(project))
    try:
        return push(project / RELEASE, store, shown)
    except MissingObjectError as error:
        msg = f"{store.address}: there is no such bucket or folder; make it, then push again"
        raise ReleaseError(msg) from error
