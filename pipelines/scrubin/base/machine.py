"""What this machine gives a process: cores, memory, packages of extras."""

from __future__ import annotations

import importlib.util
import math
import os
from collections.abc import Iterator, Sequence
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


LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Addresses under which this machine alone reaches itself."""
EXTRAS: dict[str, tuple[str, ...]] = {
    "evaluate": ("jinja2", "markupsafe", "tqdm", "yaml"),
    "load": ("av", "cv2", "tqdm", "yaml"),
    "review": ("anyio", "av", "cv2", "jinja2", "markupsafe", "starlette", "tqdm", "uvicorn", "yaml"),
    "curate": (
        *("av", "cv2", "dvc", "fastapi", "ffmpeg", "gibberish", "glin_profanity", "great_expectations", "highspy", "imageio_ffmpeg"),
        *("jinja2", "krippendorff", "markupsafe", "matplotlib", "onnxruntime", "pingouin", "prefect", "pydicom", "scipy", "sklearn"),
        *("starlette", "tqdm", "yaml"),
    ),
    "cluster": ("distributed",),
}
"""By extra, what it brings that we import, under the names of imports; the smallest extra first."""
EXTRA_OF = {module: extra for extra, modules in reversed(EXTRAS.items()) for module in modules}
"""By package, the smallest extra that brings it."""


class MissingPackageError(ModuleNotFoundError):
    """A package of an extra is needed and not installed; the text says what for, and what to do."""


def missing_package(module: str, what: str) -> MissingPackageError:
    """Return the error for something that cannot be had without a package, such as "--html".

    >>> raise missing_package(module="jinja2", what="--html")
    Traceback (most recent call last):
    scrubin.base.machine.MissingPackageError: --html needs jinja2, which is not installed: pip install 'scrubin[evaluate]'
    """
    return MissingPackageError(f"{what} needs {module}, which is not installed: {install_command(EXTRA_OF[module])}", name=module)


def require_package(module: str, what: str) -> None:
    """Say before any work that a package is needed and not installed.

    Raises
    ------
    MissingPackageError
        When it is not.
    """
    if not is_installed(module):
        raise missing_package(module, what)


def is_installed(module: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    return importlib.util.find_spec(module) is not None


def install_command(*extras: str) -> str:
    """Return the command that installs extras.

    >>> install_command("load", "review")
    "pip install 'scrubin[load,review]'"
    """
    return f"pip install 'scrubin[{','.join(extras)}]'"


def missing_sentence(command: str, needs: Sequence[str], error: ModuleNotFoundError) -> str | None:
    """Return one line about a package that a command did not find; None when no extra brings it: that is a fault of ours.

    Parameters
    ----------
    command
        Its words.
    needs
        Extras without which it does nothing.
    """
    if error.name not in EXTRA_OF:
        return None
    known = any(error.name in EXTRAS[extra] for extra in needs)
    if isinstance(error, MissingPackageError) and not known:
        return f"scrubin {command}: {error}"
    extras = needs if known else (EXTRA_OF[error.name],)
    return f"scrubin {command} needs packages that are not installed ({error.name}): {install_command(*extras)}"
