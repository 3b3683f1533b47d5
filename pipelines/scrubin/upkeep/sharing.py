"""What is released lies in DVC's cache; then the store keeps no bytes of its own for it."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scrubin.core import elsewhere, store, uses
from scrubin.core.cores import cores
from scrubin.core.files import sha256_of, write_text
from scrubin.upkeep import outputs
from scrubin.upkeep.outputs import CACHE, LOCK

DONE = ".shared"


def share(project: Path) -> int:
    """Remove files of the store whose bytes DVC's cache holds as well, and note where they are; return the bytes that this frees.

    Only what stages have copied into outputs is looked at, and every object of the cache is read before the store's file goes.
    The store proves the bytes again when it copies them. When somebody removes the object (`dvc gc`), the result is made again.

    Parameters
    ----------
    project
        Its folder; nobody else works in it.
    """
    root, done = project / store.STORE_PATH, project / store.STORE_PATH / DONE
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
            free += elsewhere.give_up(entry.folder, root, others) if others else 0
    write_text(done, lock)
    return free


def _candidates(project: Path, root: Path) -> list[tuple[store.Entry, dict[str, Path]]]:
    """Return results with the objects of DVC's cache that should hold the bytes of their own files."""
    md5s = outputs.read(project).files
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
