"""What one command in a checkout took: CPU and wall seconds, bytes read, memory.

- CPU seconds are those of the command and everything that it started and waited for.
- Peak memory is the largest sum over the processes of its session of resident bytes, with pages that several share counted for each
  (sampled ten times a second), and the largest of a single process.
- Bytes read are what the processes read by system calls (``rchar`` in /proc/PID/io, which the kernel adds up over children that were
  waited for); what is mapped into memory does not count.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MB = 1_000_000
SAMPLE_S = 0.1


@dataclass(frozen=True)
class Cost:
    """What one command took: CPU and wall seconds, bytes read and of memory, exit code, and what it printed."""

    cpu_s: float
    wall_s: float
    read: int
    peak: int
    largest: int
    code: int
    output: str = field(repr=False)


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of a command in a checkout: its own sources, however the environment was installed."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PREFECT_API_URL", "PYTHONDONTWRITEBYTECODE")}
    path = f"{folder / '.venv/bin'}:{os.environ['PATH']}"
    return {**kept, "PYTHONPATH": str(folder / "pipelines"), "DVC_NO_ANALYTICS": "1", "PATH": path}


def measure(folder: Path, *command: str) -> Cost:
    """Run a command in a checkout and return what it took."""
    log = folder / ".cache/process_cost.log"
    log.parent.mkdir(exist_ok=True)
    begin = time.monotonic()
    with log.open("w+", encoding="utf-8") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        peaks = [0, 0]
        ended = threading.Event()
        sampler = threading.Thread(target=_sample, args=(process.pid, peaks, ended))
        sampler.start()
        # While it is a zombie, the kernel still has what it and its children read.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        read = int(re.search(r"rchar: (\d+)", Path(f"/proc/{process.pid}/io").read_text()).group(1))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        ended.set()
        sampler.join()
        out.seek(0)
        output = out.read()
    cpu_s = usage.ru_utime + usage.ru_stime
    return Cost(cpu_s, time.monotonic() - begin, read, peaks[0], max(peaks[1], usage.ru_maxrss * 1024), process.returncode, output)


def _sample(session: int, peaks: list[int], ended: threading.Event) -> None:
    while not ended.wait(SAMPLE_S):
        sizes = list(_resident(session))
        peaks[0] = max(peaks[0], sum(sizes))
        peaks[1] = max(peaks[1], *sizes, 0)


def _resident(session: int) -> Iterator[int]:
    """Yield the resident bytes of each process of a session."""
    page = os.sysconf("SC_PAGE_SIZE")
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            # State, parent, group and session come after the name; resident pages are the 24th field.
            if int(fields[3]) == session:
                yield int(fields[21]) * page
