"""What the store holds, and what of it no current output uses."""

from __future__ import annotations

import shutil
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
        Its bytes.
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
    kept = []
    for folder in sorted(root.glob("[0-9a-f][0-9a-f]/*")):
        entry = store.read_entry(folder)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        # A number behind the key: an earlier one was damaged.
        key = folder.parent.name + folder.name.partition("-")[0]
        sound = entry is not None and entry.is_sound(read=False)
        kept.append(Kept(folder, size, sound and key in used, folder.stat().st_mtime_ns))
    return kept


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
