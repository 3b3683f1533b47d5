"""Git's own program, asked about a project."""

from __future__ import annotations

import subprocess
from pathlib import Path

from scrubin.core.errors import ReleaseError


def git(project: Path, *arguments: str) -> str:
    """Return what git prints.

    Raises
    ------
    ReleaseError
        When there is no git, or it refuses; with its own words.
    """
    try:
        done = subprocess.run(["git", *arguments], cwd=project, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        msg = f"git {arguments[0]}: there is no git on this machine; install it, for example with 'apt install git'"
        raise ReleaseError(msg) from error
    if done.returncode:
        msg = f"git {arguments[0]}: {done.stderr.strip() or f'exit code {done.returncode}'}"
        raise ReleaseError(msg)
    return done.stdout


def commit_of(project: Path, name: str) -> str | None:
    """Return the commit that a tag or a branch stands for; None when there is none of this name."""
    lines = git(project, "for-each-ref", "--format=%(objectname) %(*objectname)", name).split()
    # Of a tag with a message the second one is the commit, the first one the tag itself.
    return lines[-1] if lines else None
