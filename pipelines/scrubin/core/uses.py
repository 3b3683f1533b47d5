"""Which stored results the current outputs use: each run of a stage notes the keys that it took, so that the rest may go.

The notes of a run that did not end well stay beside those of the last one that did: what it finished is wanted by
the next one.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = ".uses"


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
    folder = root / FOLDER / run.stage / run.number
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _NOTES.name).open("a", encoding="ascii") as notes:
        notes.write(f"{key}\n")


def current() -> Run | None:
    """Return the run of a stage that this process works for, if any."""
    return _NOTES.run


def used(root: Path) -> frozenset[str]:
    """Return the keys of all results that the last runs of the stages used."""
    keys: set[str] = set()
    for notes in (root / FOLDER).glob("*/*/*"):
        with contextlib.suppress(OSError):
            keys.update(notes.read_text(encoding="ascii").split())
    return frozenset(keys)
