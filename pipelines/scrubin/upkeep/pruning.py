"""What the store holds, and what of it no current output uses."""

from __future__ import annotations

import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from scrubin.core import owners, store, uses
from scrubin.core.errors import StageError

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


def contents(root: Path) -> list[Kept]:
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


def prune(root: Path, budget_bytes: int = 0) -> list[Kept]:
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
    owners.remove_leftovers(root)
    spare = sorted((one for one in contents(root) if not one.used), key=lambda one: (one.time_ns, one.folder))
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
