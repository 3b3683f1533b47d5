"""A run as it is seen from outside: where it may begin, one at a time, how far it has come."""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from scrubin.base import posix
from scrubin.base.errors import PlatformError, StageError
from scrubin.base.faults import count_text, printable

ALL_LETTERS = "utf-8"
LOCALES = ("LC_ALL", "LC_CTYPE", "LANG")
"""Variables that say which letters there are: the first one that is set."""
SET_LETTERS = "export PYTHONUTF8=1, or LC_ALL=C.UTF-8"


def few_letters() -> str:
    """Return what is wrong when names of files cannot have every letter here; "" when they can."""
    encoding = sys.getfilesystemencoding()
    return "" if encoding == ALL_LETTERS else f"names of files are read as {encoding}, so that those with other letters would be missing"


def require_letters() -> None:
    """Refuse to begin where a file whose name has other letters would be taken for missing: a release would lack it.

    Raises
    ------
    PlatformError
        When the locale has not every letter.
    """
    if wrong := few_letters():
        named = next((f"{name}={value}" for name in LOCALES if (value := os.environ.get(name))), "no locale is set")
        raise PlatformError(f"{printable(named)}: {wrong}; {SET_LETTERS}, then run again")


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
        if not posix.lock(lock.fileno(), wait=False):
            lock.seek(0)
            msg = f"another run is going on in this folder (process {lock.read().strip()}); wait for it, or end it, then run again"
            raise StageError(msg)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        with _dvc_held(project / DVC) as is_held:
            other = _stage_of_dvc(project / DVC_STAGES)
            if other or not is_held:
                raise StageError(f"DVC is at work in this folder{other}; wait for it, or end it, then run again")
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
        while not (is_held := posix.lock(lock.fileno(), wait=False)) and time.monotonic() < until:
            time.sleep(STEP_S)
        yield is_held


def _stage_of_dvc(at: Path) -> str:
    """Return which living process runs a stage, as DVC notes it: while a stage runs, it lets go of its lock."""
    try:
        held = json.loads(at.read_text(encoding="utf-8"))
        writers = {int(by["pid"]): str(by["cmd"]) for by in held.get("write", {}).values()}
        alive = sorted(pid for pid, command in writers.items() if command and command in posix.command_of(pid))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""
    return f" (process {alive[0]})" if alive else ""


LARGE_BYTES = 8 << 20
"""Smaller files are read before anybody asks."""
SHOWN = 4
MINUTE_S, HOUR_S = 60, 3600


def progress_sentence(name: str, done: int, total: int, elapsed_s: float, shares: Mapping[str, float], unit: str = "recording") -> str:
    """Return one line: how many are done, how fast, how long it will take, and where the long ones are.

    Parameters
    ----------
    name
        Of the work.
    elapsed_s
        Since it began.
    shares
        By file that is being read, how much of it has been, 0 to 1.

    >>> progress_sentence("screen", 12, 97, 240, {"a.mkv": 0.43})
    'screen: 12 of 97 recordings done, 3.1 a minute, about 27 min left; reading a.mkv (43 %)'
    >>> progress_sentence("screen", 0, 1, 60, {})
    'screen: 0 of 1 recording done after 1 min'
    """
    said = f"{name}: {done:,} of {count_text(total, unit)} done"
    work = min(done + math.fsum(shares.values()), float(total))
    if work > 0:
        said += f", {work / elapsed_s * MINUTE_S:.1f} a minute, about {time_text((total - work) * elapsed_s / work)} left"
    else:
        said += f" after {time_text(elapsed_s)}"
    return said + (f"; {reading_text(shares)}" if shares else "")


def reading_text(shares: Mapping[str, float]) -> str:
    """Return which files are being read, and how far; empty when none is.

    >>> reading_text({"a.mkv": 0.43, "b.mkv": 0.05})
    'reading a.mkv (43 %), b.mkv (5 %)'
    """
    first = sorted(shares.items())[:SHOWN]
    more = f" and {len(shares) - SHOWN} more" if len(shares) > SHOWN else ""
    return "reading " + ", ".join(f"{name} ({100 * share:.0f} %)" for name, share in first) + more if shares else ""


def time_text(seconds: float) -> str:
    """Return a time for reading.

    >>> time_text(20), time_text(90), time_text(9000)
    ('1 min', '2 min', '2.5 h')
    """
    return f"{max(1, round(seconds / MINUTE_S))} min" if seconds < 2 * HOUR_S else f"{seconds / HOUR_S:.1f} h"


def shares_read(pid: int | None = None) -> dict[str, float]:
    """Return how far this process, and all that it started, have read the large files that they have open; empty where nobody knows.

    Programs that read a film from its beginning to its end are as far as their place in the file.
    """
    shares: dict[str, float] = {}
    for one in _descendants(os.getpid() if pid is None else pid):
        for path, share in _open_files(one):
            shares[path.name] = max(share, shares.get(path.name, 0.0))
    return dict(sorted(shares.items()))


def _descendants(pid: int) -> Iterator[int]:
    yield pid
    try:
        tasks = sorted(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return
    for task in tasks:
        try:
            children = (task / "children").read_text(encoding="ascii").split()
        except OSError:
            continue
        for child in children:
            yield from _descendants(int(child))


def _open_files(pid: int) -> Iterator[tuple[Path, float]]:
    try:
        links = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return
    for link in links:
        try:
            path, state = link.readlink(), link.stat()
            if not stat.S_ISREG(state.st_mode) or state.st_size < LARGE_BYTES or path.is_relative_to(sys.prefix):
                continue
            words = Path(f"/proc/{pid}/fdinfo/{link.name}").read_text(encoding="ascii").split()
            facts = dict(zip(words[::2], words[1::2], strict=False))
            if int(facts["flags:"], 8) & os.O_ACCMODE == os.O_RDONLY:
                yield path, min(int(facts["pos:"]) / state.st_size, 1.0)
        except (OSError, ValueError, KeyError):
            continue  # closed in the meantime
