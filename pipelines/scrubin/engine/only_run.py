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
        with _dvc_held(project / DVC) as is_held:
            other = _stage_of_dvc(project / DVC_STAGES)
            if other or not is_held:
                msg = f"DVC is at work in this folder{other}; wait for it, or end it, then run again"
                raise StageError(msg)
            # A killed run leaves its notes, perhaps unfinished: DVC then reads nothing, or waits for whoever has its number now.
            (project / DVC_STAGES).unlink(missing_ok=True)
        yield


@contextlib.contextmanager
def _dvc_held(at: Path) -> Iterator[bool]:
    """Hold DVC's lock, after waiting for a moment, because its short commands hold it as well; yield whether it is held."""
    if not at.is_file():
        yield True
        return
    until = time.monotonic() + WAIT_S
    with at.open("rb") as lock:
        while not (is_held := _is_free(lock.fileno())) and time.monotonic() < until:
            time.sleep(STEP_S)
        yield is_held


def _stage_of_dvc(at: Path) -> str:
    """Return which living process runs a stage, as DVC notes it: while a stage runs, it lets go of its lock."""
    try:
        held = json.loads(at.read_text(encoding="utf-8"))
        writers = {int(by["pid"]): str(by["cmd"]) for by in held.get("write", {}).values()}
        alive = sorted(pid for pid, command in writers.items() if owners.is_alive(pid) and command in _command(pid))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""
    return f" (process {alive[0]})" if alive else ""


def _command(pid: int) -> str:
    """Return how a process was called: numbers of processes are used again."""
    return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " ")


def _is_free(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
