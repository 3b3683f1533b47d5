"""What DVC's cache holds that no output uses: after a withdrawal it may be somebody's who withdrew, and goes.

Everything of which ``dvc.lock`` and the ``.dvc`` files of the project speak now stays; older versions of outputs go, and so do
notes of runs that made them.
"""

from __future__ import annotations

import configparser
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from scrubin.core.errors import ReleaseError, StageError, TableError
from scrubin.tables import io
from scrubin.tables.private.linkage import LINKAGE
from scrubin.upkeep import outputs
from scrubin.upkeep.outputs import CACHE, LOCK
from scrubin.withdrawal import memory, notice
from scrubin.withdrawal.memory import Memory

RUNS, STATE = Path(".dvc/cache/runs"), Path(".cache/dvc")
CONFIGS = (Path(".dvc/config"), Path(".dvc/config.local"))
LINKED = Path("data/private/linkage.parquet")
PASSED_OVER = {".venv", ".git", ".cache", ".dvc", "node_modules"}


@dataclass(frozen=True)
class Removed:
    """How many objects and notes of runs were removed from DVC's cache, and their bytes."""

    objects: int
    runs: int
    size: int


def remove(project: Path, raw: Path) -> Removed | None:
    """Remove from DVC's cache what no output uses, when somebody has withdrawn; None when nobody has.

    Raises
    ------
    StageError
        When somebody who withdrew is still in the outputs, the cache is shared with other projects, or a list of files is missing.
    """
    withdrawn = memory.load(project)
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
    # DVC's own notes name every file that it ever hashed; it hashes them again.
    shutil.rmtree(project / STATE, ignore_errors=True)
    return Removed(len(gone), len(notes), size)


def _refuse_unfinished(project: Path, raw: Path, withdrawn: Memory) -> None:
    again = "run 'make repro', then 'scrubin store --prune' again; of DVC's cache nothing was removed"
    known = set(withdrawn.recordings) == set(notice.take(project / raw, project).recordings)
    try:
        there = [name for name in io.read(LINKAGE, project / LINKED).recording if name in withdrawn]
    except TableError as error:
        msg = f"{error}; {again}"
        raise StageError(msg) from error
    if there or not known:
        msg = f"somebody who withdrew is still in the outputs: {again}"
        raise StageError(msg)
    for config in CONFIGS:
        if place := _cache_folder(project / config):
            msg = f"{config} keeps DVC's cache in {place}, where other projects may have theirs; there 'dvc gc' must do it"
            raise StageError(msg)


def _cache_folder(config: Path) -> str | None:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(config, encoding="utf-8")
    return parser.get("cache", "dir", fallback=None)


def _used(project: Path) -> set[str]:
    """Return the MD5 of all objects that the project's outputs use, with those of the lists.

    Raises
    ------
    StageError
        When a list is missing: then nobody knows which files it named.
    """
    try:
        said = outputs.read(project)
    except ReleaseError as error:
        raise StageError(str(error)) from error
    if said.lists:
        msg = f"DVC's cache lacks the list of {', '.join(said.lists)}; run 'make repro', then again; nothing of it was removed"
        raise StageError(msg)
    used = {*said.files.values(), *_stated(project / LOCK)}
    for path in _dvc_files(project):
        for one in _stated(path):
            members = outputs.members(project, one)
            if members is None:
                msg = f"DVC's cache lacks the list of files of {path}; run 'dvc commit' for it, then again; nothing was removed"
                raise StageError(msg)
            used |= {one, *members}
    return used


def _stated(path: Path) -> Iterator[str]:
    """Yield the MD5 of every output of a ``dvc.lock`` or ``.dvc`` file."""
    said: Any = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    stages = said["stages"].values() if "stages" in said else [said]
    for stage in stages:
        for out in stage.get("outs") or ():
            if "md5" in out:
                yield str(out["md5"])


def _dvc_files(project: Path) -> Iterator[Path]:
    for path in sorted(project.iterdir()):
        if path.suffix == ".dvc" and path.is_file():
            yield path
        elif path.is_dir() and not path.is_symlink() and path.name not in PASSED_OVER:
            yield from sorted(one for one in path.rglob("*.dvc") if one.is_file())


def _objects(project: Path) -> Iterator[Path]:
    return (path for path in sorted((project / CACHE).glob("??/*")) if path.is_file())


def _md5(path: Path) -> str:
    return path.parent.name + path.name


def _is_current(path: Path, used: set[str]) -> bool:
    """Whether all that the note of a run speaks of as made is still used."""
    try:
        return all(md5 in used for md5 in _stated(path))
    except (OSError, yaml.YAMLError, AttributeError):
        return False


def _remove_empty(folder: Path) -> None:
    for path in sorted((one for one in folder.rglob("*") if one.is_dir()), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()
