"""What only POSIX systems do: locks that end with their process, blocks that two files share, users that are kept out.

No other file imports a module that Windows lacks, so that a release is loaded, verified and scored there as well. A script of the
sandbox does, which nothing imports: it is started on Linux alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from scrubin.base.errors import PlatformError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PROCESSES = Path("/proc")
FICLONE = 0x40049409
"""Linux asks a file system with this number to share blocks."""
ELSEWHERE = "on Windows use WSL, or the container of docs/platforms.md"


def is_here() -> bool:
    """Return whether this is a POSIX system."""
    return fcntl is not None


def is_linux() -> bool:
    """Return whether this is Linux, whose kernel alone isolates programs as we need it."""
    return is_here() and sys.platform == "linux"


def require(what: str) -> None:
    """Refuse what would be unsafe on another system.

    Parameters
    ----------
    what
        What needs it, as the beginning of a sentence.

    Raises
    ------
    PlatformError
        When this is no POSIX system.
    """
    if not is_here():
        msg = f"{what} needs locks and permissions of Linux or macOS, which keep other users out of what is private; {ELSEWHERE}"
        raise PlatformError(msg)


def lock(descriptor: int, *, wait: bool) -> bool:
    """Lock an open file for this process; return whether it is ours. The lock ends with the process, however that ends.

    Parameters
    ----------
    wait
        Until whoever has it lets go.

    Raises
    ------
    PlatformError
        When this is no POSIX system.
    OSError
        When the file system knows no locks, and one is waited for.
    """
    require("a lock")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # somebody has it, or this file system knows no locks
        if wait:
            raise
        return False
    return True


def shares_blocks(old: int, new: int) -> bool:
    """Let a new file share the blocks of an old one; False when the system or the file system cannot."""
    if not is_linux():
        return False
    try:
        fcntl.ioctl(new, FICLONE, old)
    except OSError:
        return False
    return True


def command_of(pid: int) -> str:
    """Return how a living process was called, with spaces between the words; empty when there is none.

    Numbers of processes are used again: who finds one that somebody noted down looks whether it is still the same program.
    """
    if not (PROCESSES / "self").exists():
        # macOS; a process that has ended is told as "<defunct>" or not at all.
        done = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, check=False)
        return os.fsdecode(done.stdout).strip()
    try:
        return (PROCESSES / str(pid) / "cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " ")
    except OSError:
        return ""
