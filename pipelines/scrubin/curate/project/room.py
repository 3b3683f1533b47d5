"""What the store or the cache holds that nothing uses, so that it may go.

Everything of which ``dvc.lock`` and the ``.dvc`` files of the project speak now stays; older versions of outputs go, and so do
notes of runs that made them.
"""

from __future__ import annotations

import shutil
import stat
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import yaml

from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ReleaseError, StageError, TableError
from scrubin.base.files import sha256_of, write_text
from scrubin.base.layout import LINKAGE_PATH
from scrubin.base.machine import cores
from scrubin.base.store import store, uses, workspaces
from scrubin.base.tables import io
from scrubin.base.tables.private import LINKAGE
from scrubin.curate.project import outputs
from scrubin.curate.project.outputs import CACHE
from scrubin.stages.withdrawals import notice
from scrubin.stages.withdrawals.releases import LOCK

STAGES = ("ingest", "screen", "render", "frames", "stereo", "release")
"""They keep results; each must have noted what it uses before anything else may go."""


@dataclass(frozen=True)
class Kept:
    """One folder of the store.

    Parameters
    ----------
    folder
        Where it lies.
    size
        Its bytes, but for those that it shares with a result that was counted already: one that was adopted has its files twice.
    used
        Whether a current output uses it.
    time_ns
        When it was written.
    """

    folder: Path
    size: int
    used: bool
    time_ns: int


def store_contents(root: Path) -> list[Kept]:
    """Return everything that is kept in a store, in the order of its keys."""
    used = uses.used(root)
    known = {folder: _is_used(folder, used) for folder in sorted(root.glob("[0-9a-f][0-9a-f]/*"))}
    counted: set[int] = set()
    # What is shared with a result that stays is not gained by removing the other.
    sizes = {folder: _size(folder, counted) for folder in sorted(known, key=lambda one: not known[one])}
    return [Kept(folder, sizes[folder], is_used, folder.stat().st_mtime_ns) for folder, is_used in known.items()]


def _is_used(folder: Path, used: frozenset[str]) -> bool:
    entry = store.read_entry(folder)
    # A number behind the key: an earlier one was damaged.
    key = folder.parent.name + folder.name.partition("-")[0]
    return entry is not None and entry.is_sound(read=False) and key in used


def _size(folder: Path, counted: set[int]) -> int:
    """Return the bytes of a folder's files that are not counted yet, and note which they are."""
    found = {status.st_ino: status.st_size for path in folder.rglob("*") if stat.S_ISREG((status := path.stat()).st_mode)}
    new = {inode: size for inode, size in found.items() if inode not in counted}
    counted.update(new)
    return sum(new.values())


def prune_store(root: Path, budget_bytes: int = 0) -> list[Kept]:
    """Remove results that no current output uses, the oldest first, until they take no more than a budget; return them.

    Raises
    ------
    StageError
        When a stage has not noted yet what it uses.
    """
    silent = [stage for stage in STAGES if not (root / uses.FOLDER / stage).is_dir()]
    if silent:
        msg = f"nobody has noted yet what the stages {', '.join(silent)} use; run 'dvc repro --force {' '.join(silent)}' once, then again"
        raise StageError(msg)
    workspaces.remove_leftovers(root)
    spare = sorted((one for one in store_contents(root) if not one.used), key=lambda one: (one.time_ns, one.folder))
    left = sum(one.size for one in spare)
    gone = []
    for one in spare:
        if left <= budget_bytes:
            break
        shutil.rmtree(one.folder, ignore_errors=True)
        gone.append(one)
        left -= one.size
    for folder in root.glob("[0-9a-f][0-9a-f]"):
        if not any(folder.iterdir()):
            folder.rmdir()
    return gone


SHARED_MARK = ".shared"


def share_with_cache(project: Path) -> int:
    """Remove files of the store whose bytes DVC's cache holds as well, and note where they are; return the bytes that this frees.

    Only what stages have copied into outputs is looked at, and every object of the cache is read before the store's file goes.
    The store proves the bytes again when it copies them. When somebody removes the object (`dvc gc`), the result is made again.

    Parameters
    ----------
    project
        Its folder; nobody else works in it.
    """
    root, done = project / store.STORE_PATH, project / store.STORE_PATH / SHARED_MARK
    if not (project / LOCK).is_file() or not root.is_dir():
        return 0
    lock = sha256_of(project / LOCK)
    if done.is_file() and done.read_text(encoding="utf-8") == lock:
        return 0
    free = 0
    with ThreadPoolExecutor(cores()) as pool:
        for entry, candidates in _candidates(project, root):
            same = pool.map(lambda name, entry=entry, of=candidates: sha256_of(of[name]) == entry.files[name], candidates)
            others = {name: candidates[name] for name, is_same in zip(candidates, same, strict=True) if is_same}
            free += store.give_up_bytes(entry.folder, root, others) if others else 0
    write_text(done, lock)
    return free


def _candidates(project: Path, root: Path) -> list[tuple[store.Entry, dict[str, Path]]]:
    """Return results with the objects of DVC's cache that should hold the bytes of their own files."""
    md5s = outputs.read_outputs(project).files
    targets: dict[str, dict[str, str]] = defaultdict(dict)
    for folder, name, target in uses.copies(root):
        # A stage that works on several machines names its outputs by their absolute path.
        path = Path(target)
        relative = path.relative_to(project.resolve()) if path.is_relative_to(project.resolve()) else path
        if relative.as_posix() in md5s:
            targets[folder][name] = md5s[relative.as_posix()]
    candidates = []
    for folder, names in sorted(targets.items()):
        entry = store.read_entry(root / folder)
        if entry is not None:
            objects = {name: outputs.object_path(project / CACHE, md5) for name, md5 in sorted(names.items()) if name in entry.files}
            candidates.append((entry, {name: path for name, path in objects.items() if _equal_size(entry.folder / name, path)}))
    return candidates


def _equal_size(own: Path, other: Path) -> bool:
    try:
        return own.stat().st_size == other.stat().st_size
    except OSError:
        return False


READ, RUNS, STATE = Path(".dvc/cache"), Path(".dvc/cache/runs"), Path(".cache/dvc")
PREFECT = Path(".cache/prefect")
"""Prefect's notes of earlier runs, in which earlier editions said why a stage failed."""


@dataclass(frozen=True)
class Removed:
    """How many objects and notes of runs were removed from DVC's cache, and their bytes."""

    objects: int
    runs: int
    size: int


def remove_unused(project: Path, raw: Path) -> Removed | None:
    """Remove from DVC's cache what no output uses, when somebody has withdrawn; None when nobody has.

    Raises
    ------
    StageError
        When somebody who withdrew is still in the outputs, the cache is shared with other projects, or a list of files is missing.
    """
    withdrawn = withdrawal_memory.load(project)
    if not withdrawn and not notice.take(project / raw, project):
        return None
    _refuse_unfinished(project, raw, withdrawn)
    used = _used(project)
    gone = [path for path in _objects(project) if _md5(path) not in used]
    notes = [path for path in sorted((project / RUNS).glob("*/*/*")) if path.is_file() and not _is_current(path, used)]
    size = sum(path.stat().st_size for path in (*gone, *notes))
    for path in (*gone, *notes):
        path.unlink()
    _remove_empty(project / RUNS)
    # DVC's own notes name every file that it ever hashed; it hashes them again. Prefect's are read by nobody.
    for notes_of in (STATE, PREFECT):
        shutil.rmtree(project / notes_of, ignore_errors=True)
    return Removed(len(gone), len(notes), size)


def _refuse_unfinished(project: Path, raw: Path, withdrawn: Memory) -> None:
    again = "run 'make repro', then 'scrubin store --prune' again; of DVC's cache nothing was removed"
    known = set(withdrawn.recordings) == set(notice.take(project / raw, project).recordings)
    try:
        there = [name for name in io.read(LINKAGE, project / LINKAGE_PATH).recording if name in withdrawn]
    except TableError as error:
        raise StageError(f"{error}; {again}") from error
    if there or not known:
        raise StageError(f"somebody who withdrew is still in the outputs: {again}")
    if elsewhere := outputs.cache_elsewhere(project):
        raise StageError(f"{elsewhere}, where other projects may have theirs; there 'dvc gc' must do it")


def _used(project: Path) -> set[str]:
    """Return the MD5 of all objects that the project's outputs use, with those of the lists.

    Raises
    ------
    StageError
        When a list is missing: then nobody knows which files it named.
    """
    try:
        said = outputs.read_outputs(project)
    except ReleaseError as error:
        raise StageError(str(error)) from error
    if said.lists:
        raise StageError(f"DVC's cache lacks the list of {', '.join(said.lists)}; run 'make repro', then again; nothing of it was removed")
    used = {*said.files.values(), *outputs.stated(project / LOCK)}
    for path in outputs.dvc_files(project):
        for one in outputs.stated(path):
            members = outputs.members(project, one)
            if members is None:
                raise StageError(f"DVC's cache lacks the list of files of {path}; run 'dvc commit' for it, then again; nothing was removed")
            used |= {one, *members}
    return used


def _objects(project: Path) -> Iterator[Path]:
    """Yield what DVC keeps: objects, and where its second edition kept them lists of folders that runs read, which name raw files."""
    found = [*(project / CACHE).glob("??/*"), *(project / READ).glob(f"??/*{outputs.LIST}")]
    return (path for path in sorted(found) if path.is_file())


def _md5(path: Path) -> str:
    return path.parent.name + path.name


def _is_current(path: Path, used: set[str]) -> bool:
    """Whether all that the note of a run speaks of as made is still used."""
    try:
        return all(md5 in used for md5 in outputs.stated(path))
    except (OSError, yaml.YAMLError, AttributeError):
        return False


def _remove_empty(folder: Path) -> None:
    for path in sorted((one for one in folder.rglob("*") if one.is_dir()), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()
