"""The folder of the release: put together beside its place, moved there in one step once it was audited.

Videos and pictures of the release before that wait again, with the same size and time, stay where they lie: nobody copies them, DVC
knows them again and does not hash them, the audit reads them.
"""

from __future__ import annotations

import contextlib
import shutil
import stat
import zipfile
from collections.abc import Callable, Container, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scrubin.base import file_lists
from scrubin.base.files import sha256_of
from scrubin.base.layout import RELEASE, UNRELEASED
from scrubin.base.machine import cores
from scrubin.base.private_paths import BESIDE, PARTS, standing_part
from scrubin.base.store import renewal, store
from scrubin.base.store.code_of import code_of
from scrubin.stages.release import added_files


def waiting() -> dict[str, Path]:
    """Return every file that waits for the release, by the name that it will have there, sorted."""
    files = (path for part in PARTS for path in (UNRELEASED / part).rglob("*") if path.is_file())
    return {path.relative_to(UNRELEASED).as_posix(): path for path in sorted(files)}


@dataclass(frozen=True)
class Assembled:
    """A folder with every file that waited, and the archives of the release before that hold just these.

    Parameters
    ----------
    folder
        Beside the place of the release.
    sha256
        Of each of its files, by name, as it was stated or read.
    """

    folder: Path
    sha256: Mapping[str, str]


def set_aside() -> bool:
    """Take the release out of its place, in one step; what waits again is left aside for the next one, all else is removed.

    Return whether there was one: a release in its place was audited.
    """
    there = RELEASE.is_dir()
    if there:
        remove_leftovers()
        RELEASE.rename(standing_part(BESIDE.name))
    elif RELEASE.is_symlink() or RELEASE.exists():
        RELEASE.unlink()
    keep_what_waits()
    return there


def keep_what_waits() -> None:
    """Leave aside what a release that was refused, killed, or taken out of its place shares with the next: nothing that looks finished."""
    if BESIDE.exists():
        # By name alone an older version would stay: a list with somebody who withdrew, a video in which less is hidden.
        same = {name for name, path in waiting().items() if _is_same(path, BESIDE / name)}
        archives = (path for path in (BESIDE / added_files.ARCHIVES).glob("*.zip") if _packs_only(path, same))
        renewal.keep_only(BESIDE, {*(BESIDE / name for name in same), *archives})


def _is_same(waits: Path, aside: Path) -> bool:
    """Return whether two files have the same size and time, which is that of their content where a stage has given it."""
    try:
        one, other = waits.stat(), aside.lstat()
    except OSError:
        return False
    return (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns)


def _packs_only(archive: Path, names: Container[str]) -> bool:
    """Return whether all members of an archive are such videos: nobody's may stay who is no longer among them."""
    try:
        # A pipe would be waited for.
        if not stat.S_ISREG(archive.lstat().st_mode):
            return False
        with zipfile.ZipFile(archive) as packed:
            return all(added_files.name_of_member(member) in names for member in packed.namelist())
    except (OSError, ValueError, RuntimeError, zipfile.BadZipFile):  # RuntimeError: what this library does not know
        return False


@contextlib.contextmanager
def of_release(
    files: Mapping[str, Path], stated: Mapping[str, str], one_more: Callable[[], object], *, audited: bool
) -> Iterator[Assembled]:
    """Yield a folder with every file; it becomes the release when the block succeeds, and looks like none when it does not.

    A copy shares its blocks with the file that waits where the file system can, and never the file itself: a byte that
    changes in one of them harms no other. The audit reads every file, and refuses one whose bytes are not those that are stated.

    Parameters
    ----------
    files
        As `waiting` returns them.
    stated
        SHA-256 of those files of which a stage states it; the copy is held to it.
    one_more
        Called for each file that is in the folder.
    audited
        What is left aside was a release until now, see `set_aside`: its files are known by their times. After a refusal each is
        read first, so that one which was damaged refuses no second release.

    Raises
    ------
    StageError
        When a file holds other bytes than are stated.
    """
    try:
        keep_what_waits()
        standing_part(BESIDE.name).mkdir(exist_ok=True)
        sha256 = _renew_all(files, stated, one_more, read=not audited)
        yield Assembled(BESIDE, sha256 | _archives_that_stay(sha256, read=not audited))
        BESIDE.rename(RELEASE)
    finally:
        keep_what_waits()


def _renew_all(files: Mapping[str, Path], stated: Mapping[str, str], one_more: Callable[[], object], *, read: bool) -> dict[str, str]:
    def renewed(name: str) -> str:
        sha256 = stated.get(name) or sha256_of(files[name])
        renewal.renew(files[name], BESIDE / name, sha256, read=read)
        return sha256

    pool, done = ThreadPoolExecutor(cores()), dict[str, str]()
    try:
        for name, sha256 in zip(files, pool.map(renewed, files), strict=True):
            done[name] = sha256
            one_more()
    finally:
        pool.shutdown(cancel_futures=True)
    return done


def _archives_that_stay(sha256: Mapping[str, str], *, read: bool) -> dict[str, str]:
    """Return the hashes of the archives that are as they would be written again, by name; the others are removed."""
    stay = {}
    for name, key in _keys(sha256).items():
        path, entry = BESIDE / added_files.ARCHIVES / name, store.lookup(key)
        if entry is not None and renewal.stays(path, entry.value, read=read):
            stay[f"{added_files.ARCHIVES}/{name}"] = entry.value
    renewal.keep_only(BESIDE / added_files.ARCHIVES, {BESIDE / name for name in stay})
    return stay


def note_archives(proven: Assembled) -> None:
    """Note which bytes each archive of a release that passed its audit has, so that the next one need not write it again."""
    sha256, _ = file_lists.read_checksums((proven.folder / file_lists.CHECKSUMS).read_text(encoding="utf-8"))
    for name, key in _keys(sha256).items():
        if written := sha256.get(f"{added_files.ARCHIVES}/{name}"):
            store.make(key, partial(_same, written))


def _same(value: str, _: Path) -> str:
    return value


def _keys(sha256: Mapping[str, str]) -> dict[str, store.Key]:
    """Return the key of each archive of videos, by its name: what is in it, and what writes it."""
    packed = added_files.archives_of_videos(sha256)
    code = code_of(added_files.__name__)
    return {name: store.key_of("archives", code, {member: sha256[of] for member, of in packed[name].items()}) for name in packed}


def remove_release(project: Path = Path()) -> None:
    """Remove the release, in one step, and what is left aside of one: half of it never lies in its place."""
    remove_leftovers(project)
    if (project / RELEASE).is_dir():
        (project / UNRELEASED).mkdir(parents=True, exist_ok=True)
        (project / RELEASE).rename(project / BESIDE)
        remove_leftovers(project)


def remove_leftovers(project: Path = Path()) -> None:
    """Remove what is left aside of a release, or was put together by a run that was killed."""
    if (project / BESIDE).is_symlink() or (project / BESIDE).is_file():
        (project / BESIDE).unlink()
    elif (project / BESIDE).exists():
        shutil.rmtree(project / BESIDE)
