"""One run at a time: a second one is refused at once, not when DVC gives up waiting."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from scrubin.core import owners
from scrubin.core.errors import StageError

OURS = Path(".cache/repro.lock")
DVC, DVC_STAGES = Path(".dvc/tmp/lock"), Path(".dvc/tmp/rwlock")
WAIT_S, STEP_S = 0.8, 0.1


@contextlib.contextmanager
def only_run(project: Path = Path()) -> Iterator[None]:
    """Hold the run of a project's folder.

    Raises
    ------
    StageError
        When another one is going on, `make repro` or DVC by hand.
    """
    (project / OURS).parent.mkdir(parents=True, exist_ok=True)
    with (project / OURS).open("a+", encoding="ascii") as lock:
        if not _is_free(lock.fileno()):
            lock.seek(0)
            msg = f"another run is going on in this folder (process {lock.read().strip()}); wait for it, or end it, then run again"
            raise StageError(msg)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        other = _stage_of_dvc(project / DVC_STAGES)
        if other or not _dvc_is_free(project / DVC):
            msg = f"DVC is at work in this folder{other}; wait for it, or end it, then run again"
            raise StageError(msg)
        yield


def _dvc_is_free(at: Path) -> bool:
    """Wait for a moment, because DVC's short commands hold its lock as well."""
    if not at.is_file():
        return True
    until = time.monotonic() + WAIT_S
    with at.open("rb") as lock:
        while not _is_free(lock.fileno()):
            if time.monotonic() > until:
                return False
            time.sleep(STEP_S)
        fcntl.flock(lock.fileno(), fcntl.LOCK_UN)
    return True


def _stage_of_dvc(at: Path) -> str:
    """Return which living process runs a stage, as DVC notes it: while a stage runs, it lets go of its lock."""
    try:
        held = json.loads(at.read_text(encoding="utf-8"))
        writers = {int(by["pid"]) for by in held.get("write", {}).values()}
        alive = sorted(pid for pid in writers if owners.is_alive(pid))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""
    return f" (process {alive[0]})" if alive else ""


def _is_free(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
