"""Folders that are made once in a run of the tests, whichever process asks first, and copies of them."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


def folder(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that all processes of this run share, for tests that only read it or take a copy.

    The process that asks first makes it, the others wait. What was begun and not finished is made anew.

    Parameters
    ----------
    make
        Fills a folder that is not there yet.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each has a folder of its own, below that of the run
        base = base.parent
    place = base / "made_once" / name
    place.mkdir(parents=True, exist_ok=True)
    made, is_whole = place / "made", place / "is_whole"
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_whole.exists():
            shutil.rmtree(made, ignore_errors=True)
            make(made)
            is_whole.touch()
    return made


def copy(source: Path, target: Path) -> Path:
    """Copy a folder with its links and times, and return the copy: of thousands of files in a fifth of the time that Python takes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", source, target], check=True)
    return target
