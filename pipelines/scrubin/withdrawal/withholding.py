"""A release that must not be published any more: its entry is taken out of ``dvc.lock``, which alone tells `dvc push` what to send.

While a new release is refused the lock file would still name the one before, perhaps with somebody who withdrew. DVC writes
the entry anew when the stage `release` has ended well.
"""

from __future__ import annotations

import configparser
import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from scrubin.core.errors import ReleaseError, StageError
from scrubin.core.files import write_text

STAGE = "release"
LOCK, PIPELINE = Path("dvc.lock"), Path("dvc.yaml")
DVC = Path(".dvc")
CONFIGS = (DVC / "config", DVC / "config.local")
INDENT = "  "


def withhold(project: Path = Path()) -> bool:
    """Take the entry of the release out of the lock file, whole or not at all; return whether there was one.

    Raises
    ------
    ReleaseError
        When the file cannot be read: then nobody knows what it names.
    StageError
        When another command of DVC works in the project.
    """
    path = project / LOCK
    if not path.is_file():
        return False
    with _alone(project):
        text = path.read_text(encoding="utf-8")
        left = without(text, STAGE, path)
        if left != text:
            write_text(path, left)
    return left != text


def names_release(project: Path = Path()) -> bool:
    """Return whether the lock file says what the release is.

    Raises
    ------
    ReleaseError
        When it cannot be read.
    """
    path = project / LOCK
    return path.is_file() and STAGE in _stages(_loaded(path.read_text(encoding="utf-8"), path))


def stops_release(failed: Iterable[str], project: Path = Path()) -> bool:
    """Return whether any of these stages comes before the release: then there was none of what the study is now."""
    stages: Mapping[str, Any] = yaml.safe_load((project / PIPELINE).read_text(encoding="utf-8"))["stages"]
    made_by = {_path(out): name for name, stage in stages.items() for out in stage.get("outs", ())}
    before, left = set[str](), [STAGE]
    while left:
        name = left.pop()
        if name not in before:
            before.add(name)
            left += [made_by[dep] for dep in stages[name].get("deps", ()) if dep in made_by]
    return not before.isdisjoint(failed)


def without(text: str, stage: str, path: Path) -> str:
    r"""Return the text of a lock file without a stage, all other lines as they are.

    >>> print(without("schema: '2.0'\nstages:\n  frames:\n    cmd: a\n  release:\n    cmd: b\n", "release", LOCK))
    schema: '2.0'
    stages:
      frames:
        cmd: a
    <BLANKLINE>
    """
    lock = _loaded(text, path)
    if stage not in _stages(lock):
        return text
    wanted = {**lock, "stages": {name: value for name, value in lock["stages"].items() if name != stage}}
    left, is_inside = [], False
    for line in text.splitlines(keepends=True):
        if line.strip() and not line.startswith(INDENT * 2):
            is_inside = line.rstrip() == f"{INDENT}{stage}:"
        if not is_inside:
            left.append(line)
    cut = "".join(left)
    # A file that somebody wrote by hand may be laid out otherwise.
    return cut if wanted["stages"] and _loaded(cut, path) == wanted else str(yaml.safe_dump(wanted, sort_keys=False))


def _stages(lock: Mapping[str, Any]) -> Mapping[str, Any]:
    return lock.get("stages") or {}


def _loaded(text: str, path: Path) -> dict[str, Any]:
    try:
        lock = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
        return {**lock, "stages": {**_stages(lock)}} if "stages" in lock else {**lock}
    except (yaml.YAMLError, TypeError, AttributeError) as error:
        msg = f"{path}: it cannot be read ({type(error).__name__}), so nobody knows which release it names; run 'make repro', or restore it"
        raise ReleaseError(msg) from error


def _path(out: Any) -> str:
    return str(next(iter(out)) if isinstance(out, dict) else out)


@contextlib.contextmanager
def _alone(project: Path) -> Iterator[None]:
    """Hold DVC's own lock, which it frees while a stage works: nobody else writes the file then, or sends what it names."""
    if not (project / DVC).is_dir():
        yield
        return
    # Not before it is needed: it takes a moment.
    from dvc.lock import LockError, make_lock

    config = configparser.ConfigParser(interpolation=None, strict=False)
    config.read([project / name for name in CONFIGS], encoding="utf-8")
    folder = (project / DVC / "tmp").absolute()
    folder.mkdir(exist_ok=True)
    is_hardlink = config.getboolean("core", "hardlink_lock", fallback=False)
    lock = make_lock(str(folder / "lock"), tmp_dir=str(folder), hardlink_lock=is_hardlink)
    try:
        lock.lock()
    except LockError as error:
        msg = f"{project / LOCK}: another command of DVC works in this project, such as 'dvc push'; wait until it has ended, then run again"
        raise StageError(msg) from error
    try:
        yield
    finally:
        lock.unlock()
