"""How many cores and how much memory this process may use: what a container or a batch system allows, not what the machine has."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
MEMORY = Path("/proc/meminfo")
DECODER_THREADS = "SCRUBIN_DECODER_THREADS"
"""In a worker: so many threads are its share of the cores."""


def cores() -> int:
    """Return how many cores this process may use, at least 1."""
    try:
        there = len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        there = os.cpu_count() or 1
    return max(1, min([there, *(math.ceil(limit) for limit in _core_limits())]))


def memory_bytes() -> int | None:
    """Return how many bytes this process may use now; None where nobody says so."""
    try:
        lines = dict(line.split(":", 1) for line in MEMORY.read_text(encoding="ascii").splitlines())
        limits = [int(lines["MemAvailable"].split()[0]) * 1024]
    except (OSError, ValueError, KeyError):
        limits = []
    for folder in _groups():
        for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
            most = _number(folder / limit)
            if most is not None:
                limits.append(max(0, most - (_number(folder / used) or 0)))
    return min(limits, default=None)


def decoder_threads() -> int:
    """Return how many threads a decoder should use; what comes out does not depend on it."""
    share = os.environ.get(DECODER_THREADS, "")
    return int(share) if share.isdecimal() and int(share) else cores()


def _core_limits() -> Iterator[float]:
    for folder in _groups():
        try:
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
        except (OSError, ValueError):
            quota, period = str(_number(folder / "cpu.cfs_quota_us") or "max"), str(_number(folder / "cpu.cfs_period_us") or 100_000)
        if quota.isdecimal() and int(quota) > 0:
            yield int(quota) / int(period)


def _groups() -> Iterator[Path]:
    """Yield the folders of the control groups that hold this process, from its own up to the root."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, inside = line.split(":", 2)
        for root in (CGROUPS, *(CGROUPS / name for name in controllers.split(",") if name in ("cpu", "memory")), CGROUPS / controllers):
            folder = root / inside.strip("/")
            yield folder
            yield from (parent for parent in folder.parents if parent.is_relative_to(CGROUPS))


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
