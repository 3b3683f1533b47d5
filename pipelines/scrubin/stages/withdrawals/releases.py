"""Releases that hold somebody who withdrew: held back, told of by the next.

While a new release is refused the lock file would still name the one before, perhaps with somebody who withdrew. DVC writes
the entry anew when the stage `release` has ended well.
"""

from __future__ import annotations

import configparser
import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base import files
from scrubin.base.errors import ReleaseError, StageError
from scrubin.base.faults import count_text
from scrubin.base.files import write_text
from scrubin.base.layout import RELEASE
from scrubin.base.params import conflict_line
from scrubin.base.private_paths import DVC_CONFIGS
from scrubin.data.diff import Step, is_below, next_version

STAGE = "release"
CONFLICT = (
    f"take one side whole, with the parameters of its run: 'git checkout --theirs dvc.lock params.yaml' (in a merge that of the other "
    f"clone, --ours that of this one), 'git add' them and commit, then 'dvc pull --allow-missing --force {RELEASE}' and 'make repro'"
)
LOCK, PIPELINE = Path("dvc.lock"), Path("dvc.yaml")
DVC = Path(".dvc")
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
    if not (project / LOCK).is_file():
        return False
    with _alone(project):
        return HeldBack(project / LOCK).take()


class HeldBack:
    """The entry of the release, taken out of the lock file while stages that come before it run.

    Parameters
    ----------
    path
        The lock file. Nobody else may write it meanwhile: who calls is DVC, or holds its lock.
    """

    def __init__(self, path: Path = LOCK) -> None:
        self._path, self._lines, self._entry = path, list[str](), None

    def take(self) -> bool:
        """Take the entry out, whole or not at all; return whether there was one."""
        text = self._path.read_text(encoding="utf-8") if self._path.is_file() else ""
        left = without(text, STAGE, self._path)
        if left == text:
            return False
        self._lines, self._entry = _of_stage(text, STAGE)[1], _stages(_loaded(text, self._path))[STAGE]
        write_text(self._path, left)
        return True

    def put_back(self) -> None:
        """Put back what was taken out, at the end of the file: nothing that it depends on has changed."""
        if self._entry is None:
            return
        text = self._path.read_text(encoding="utf-8")
        lock = _loaded(text, self._path)
        wanted = {**lock, "stages": {**_stages(lock), STAGE: self._entry}}
        joined = text.rstrip("\n") + "\n" + "".join(self._lines)
        write_text(self._path, _as_wanted(joined, wanted))
        self._entry = None


def names_release(project: Path = Path()) -> bool:
    """Return whether the lock file says what the release is.

    Raises
    ------
    ReleaseError
        When it cannot be read.
    """
    path = project / LOCK
    return path.is_file() and STAGE in _stages(_loaded(path.read_text(encoding="utf-8"), path))


def needed(project: Path = Path()) -> set[str]:
    """Return the stages without which there is no release, and itself; none where no stage makes one."""
    stages: Mapping[str, Any] = yaml.safe_load((project / PIPELINE).read_text(encoding="utf-8"))["stages"]
    made_by = {_path(out): name for name, stage in stages.items() for out in stage.get("outs", ())}
    before, left = set[str](), [STAGE] if STAGE in stages else []
    while left:
        name = left.pop()
        if name not in before:
            before.add(name)
            left += [made_by[dep] for dep in stages[name].get("deps", ()) if dep in made_by]
    return before


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
    cut = "".join(_of_stage(text, stage)[0])
    return _as_wanted(cut, wanted)


def _as_wanted(text: str, wanted: Mapping[str, Any]) -> str:
    """Return the text of a lock file if it says what is wanted, else one that does: somebody may have laid it out otherwise."""
    with contextlib.suppress(ReleaseError):
        if wanted["stages"] and _loaded(text, LOCK) == wanted:
            return text
    return str(yaml.safe_dump(wanted, sort_keys=False))


def _of_stage(text: str, stage: str) -> tuple[list[str], list[str]]:
    """Return the lines of a lock file as DVC lays it out: all others, and those of a stage."""
    others, own, is_inside = list[str](), list[str](), False
    for line in text.splitlines(keepends=True):
        if line.strip() and not line.startswith(INDENT * 2):
            is_inside = line.rstrip() == f"{INDENT}{stage}:"
        (own if is_inside else others).append(line)
    return others, own


def _stages(lock: Mapping[str, Any]) -> Mapping[str, Any]:
    return lock.get("stages") or {}


def _loaded(text: str, path: Path) -> dict[str, Any]:
    try:
        lock = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
        return {**lock, "stages": {**_stages(lock)}} if "stages" in lock else {**lock}
    except (yaml.YAMLError, TypeError, AttributeError) as error:
        why, mend = why_unread(text, error)
        raise ReleaseError(f"{path}: it cannot be read ({why}), so nobody knows which release it names; {mend}") from error


def why_unread(text: str, error: Exception) -> tuple[str, str]:
    """Return why a lock file cannot be read, and the mend.

    Parameters
    ----------
    text, error
        What it says, and what was raised of it.
    """
    if line := conflict_line(text.encode()):
        return f"git left a merge conflict at line {line}", CONFLICT
    return type(error).__name__, "run 'make repro', or restore it from git"


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
    config.read([project / name for name in DVC_CONFIGS], encoding="utf-8")
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


TOMBSTONES_NAME = "metadata/withdrawn.json"


def gone(lost: Iterable[str], withdrawn: Memory) -> dict[str, str]:
    """Return those of the lost recordings that were withdrawn, with the reason of each."""
    return {name: reason for name in lost if (reason := withdrawn.reason(name)) is not None}


def refuse_number(last: str, now: str, withdrawn: Mapping[str, str]) -> None:
    """Refuse a release that lacks somebody and does not say so by its number.

    Raises
    ------
    ReleaseError
        Names the lowest number that fits.
    """
    if withdrawn and is_below(now, lowest := next_version(last, Step.MAJOR)):
        msg = (
            f"withdrawn of version {last}: {count_text(len(withdrawn), 'recording')}, so this is a major step: "
            f"set release.version in params.yaml to {lowest}, it is {now}, and run again"
        )
        raise ReleaseError(msg)


def tombstones_text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the file of the release."""
    return files.json_text({"withdrawn": list(entries)})


def tombstones(before: Sequence[Mapping[str, Any]], withdrawn: Mapping[str, str], number: str) -> list[dict[str, Any]]:
    """Return one entry per version and reason, in the order of versions.

    Parameters
    ----------
    before
        Those of the last release.
    withdrawn
        Reason by recording, of what the last release held.
    number
        Version of this release.

    >>> tombstones([], {"a": "consent", "b": "consent"}, "2.0.0")
    [{'version': '2.0.0', 'recordings': 2, 'reason': 'consent'}]
    """
    count: Counter[tuple[str, str]] = Counter()
    for one in before:
        count[one["version"], one["reason"]] += one["recordings"]
    count.update((number, reason) for reason in withdrawn.values())
    ordered = sorted(count, key=lambda key: ([int(part) for part in key[0].split(".")], key[1]))
    return [{"version": number, "recordings": count[number, reason], "reason": reason} for number, reason in ordered]
