"""What another user of this machine can read: a program that runs under another user's name looks through a folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

NOBODY = 65534
FIND = ("find", ".", "-type", "f", "-readable", "-printf", "%P\\n", "-o", "-type", "d", "-writable", "-printf", "%P/\\n")

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


def reaches(project: Path) -> set[str]:
    """Return the files of a project that another user can read, and the folders that it can write to; these end in a slash.

    It starts in the folder, so that nothing above protects it.
    """
    done = subprocess.run(
        FIND, cwd=project, user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True, errors="replace", check=False
    )
    assert "find: ‘.’" not in done.stderr
    return set(done.stdout.splitlines())


def below(paths: set[str], *folders: str) -> set[str]:
    """Return the paths that lie in one of these folders."""
    return {path for path in paths if path.startswith(tuple(f"{folder}/" for folder in folders))}
