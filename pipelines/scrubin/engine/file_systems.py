"""Which file system a path lies on, and whether other machines can share it."""

from __future__ import annotations

import os
from pathlib import Path

SHARED = ("9p", "afs", "beegfs", "ceph", "cifs", "fuse.sshfs", "glusterfs", "gpfs", "lustre", "nfs", "nfs4", "panfs", "pvfs2", "smb3")
_ESCAPED = {"\\040": " ", "\\011": "\t", "\\012": "\n", "\\134": "\\"}


def type_of(path: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """Return the type of the file system that holds a path, such as ``ext4`` or ``nfs4``; empty where nobody says so.

    Parameters
    ----------
    path
        An existing folder or file.
    mounts
        The kernel's list.
    """
    at = Path(os.path.realpath(path))
    best, kind = -1, ""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        _, where, name, *_ = line.split(" ")
        for escaped, letter in _ESCAPED.items():
            where = where.replace(escaped, letter)
        # A later mount at the same place hides the earlier one.
        if at.is_relative_to(where) and len(Path(where).parts) >= best:
            best, kind = len(Path(where).parts), name
    return kind


def is_shared(path: Path) -> bool:
    """Return whether a path lies on a file system that other machines share."""
    return type_of(path) in SHARED
