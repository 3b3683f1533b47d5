"""Which stored results the current outputs use: each run of a stage notes the keys that it took.

It also notes which files it copied into outputs, so that they need not lie twice. The notes of a run that did not end
well stay beside those of the last one that did: what it finished is wanted by the next one.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = ".uses"
COPY = "["
"""A line that begins so is about a copy; the others are keys."""


@dataclass(frozen=True)
class Run:
    """One run of a stage, also on the machines that help it."""

    stage: str
    number: str


class _Notes:
    """What this process has noted; a fork begins again."""

    def __init__(self) -> None:
        self.run: Run | None = None
        self.begin(None)

    def begin(self, run: Run | None) -> None:
        self.run, self.pid, self.name = run, os.getpid(), uuid.uuid4().hex
        self.keys: set[tuple[Path, str]] = set()


_NOTES = _Notes()


@contextlib.contextmanager
def of_stage(stage: str, root: Path) -> Iterator[Run]:
    """Note what a stage uses; when it ends well, forget what its earlier runs used."""
    run = Run(stage, uuid.uuid4().hex)
    join(run)
    try:
        yield run
    finally:
        _NOTES.begin(None)
    # Also of one that uses nothing, such as the stage stereo of a study with one camera.
    (root / FOLDER / stage).mkdir(parents=True, exist_ok=True)
    for other in (root / FOLDER / stage).glob("*"):
        if other.name != run.number:
            shutil.rmtree(other, ignore_errors=True)


def join(run: Run | None) -> None:
    """Note from now on what this process uses for a run; a worker says so before each piece of work."""
    if _NOTES.run != run or _NOTES.pid != os.getpid():
        _NOTES.begin(run)


def note(key: str, root: Path) -> None:
    """Note that a stored result is used; outside of a stage nothing is noted."""
    run = _NOTES.run
    if run is None or (root, key) in _NOTES.keys:
        return
    if _NOTES.pid != os.getpid():
        _NOTES.begin(run)
    _NOTES.keys.add((root, key))
    _append(root, run, f"{key}\n")


def note_copies(entry: Path, root: Path, targets: Mapping[str, Path]) -> None:
    """Note where files of a stored result were copied to, by name; outside of a stage nothing is noted."""
    run = _NOTES.run
    if run is None:
        return
    # JSON, because a name may hold anything.
    lines = (json.dumps([entry.relative_to(root).as_posix(), name, str(target)]) for name, target in targets.items())
    _append(root, run, "".join(f"{line}\n" for line in lines))


def _append(root: Path, run: Run, text: str) -> None:
    if _NOTES.pid != os.getpid():
        _NOTES.begin(run)
    folder = root / FOLDER / run.stage / run.number
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _NOTES.name).open("a", encoding="ascii") as notes:
        notes.write(text)


def current() -> Run | None:
    """Return the run of a stage that this process works for, if any."""
    return _NOTES.run


def used(root: Path) -> frozenset[str]:
    """Return the keys of all results that the last runs of the stages used."""
    return frozenset(line for line in _lines(root) if not line.startswith(COPY))


def copies(root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield result (folder below ``root``), name and target of every file that the last runs of the stages copied."""
    for line in _lines(root):
        if line.startswith(COPY):
            # A killed process may have left half a line.
            with contextlib.suppress(ValueError):
                entry, name, target = json.loads(line)
                yield entry, name, target


def _lines(root: Path) -> Iterable[str]:
    for notes in sorted((root / FOLDER).glob("*/*/*")):
        with contextlib.suppress(OSError):
            yield from notes.read_text(encoding="ascii").splitlines()
