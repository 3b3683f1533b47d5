"""The release put together in a private folder beside its place, and moved there in one step once it is whole and was audited."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scrubin.core.cores import cores
from scrubin.core.files import copy, fresh_folder, sha256_of
from scrubin.core.unreleased import PARTS, UNRELEASED

RELEASE = Path("data/release")
BESIDE = UNRELEASED / "release"
"""On the same disk as the release, and in a folder that nobody else may look into."""


def waiting() -> dict[str, Path]:
    """Return every file that waits for the release, by the name that it will have there, sorted."""
    files = (path for part in PARTS for path in (UNRELEASED / part).rglob("*") if path.is_file())
    return {path.relative_to(UNRELEASED).as_posix(): path for path in sorted(files)}


@contextlib.contextmanager
def of_release(files: Mapping[str, Path], stated: Mapping[str, str], one_more: Callable[[], object]) -> Iterator[Path]:
    """Yield a folder with a copy of every file; it becomes the release when the block succeeds, and goes when it does not.

    A copy shares its blocks with the file that waits where the file system can, and never the file itself: a byte that
    changes in one of them harms no other.

    Parameters
    ----------
    files
        As `waiting` returns them.
    stated
        SHA-256 of those files of which a table states it; the copy is held to it.
    one_more
        Called for each copied file.

    Raises
    ------
    StageError
        When a file holds other bytes than are stated.
    """
    try:
        _copy_all(files, fresh_folder(BESIDE), stated, one_more)
        yield BESIDE
        BESIDE.rename(RELEASE)
    finally:
        remove_leftovers()


def remove_release(project: Path = Path()) -> None:
    """Remove the release, in one step: half of it never lies in its place."""
    remove_leftovers(project)
    if (project / RELEASE).is_dir():
        (project / UNRELEASED).mkdir(parents=True, exist_ok=True)
        (project / RELEASE).rename(project / BESIDE)
        remove_leftovers(project)


def remove_leftovers(project: Path = Path()) -> None:
    """Remove what a run that was killed has put together."""
    if (project / BESIDE).exists():
        shutil.rmtree(project / BESIDE)


def _copy_all(files: Mapping[str, Path], folder: Path, stated: Mapping[str, str], one_more: Callable[[], object]) -> None:
    pool = ThreadPoolExecutor(cores())
    try:
        for _ in pool.map(lambda name: copy(files[name], folder / name, stated.get(name) or sha256_of(files[name])), files):
            one_more()
    finally:
        pool.shutdown(cancel_futures=True)
