"""Folders of outputs that are renewed where they lie: a file that holds the right bytes stays, all else goes.

DVC knows a file again by its inode, size and time, so what stays is neither copied nor hashed by it anew. A stage whose
folder is renewed says ``persist`` in ``dvc.yaml``; otherwise DVC would remove the folder first.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Container, Mapping
from pathlib import Path

from scrubin.base.files import copy, fixed_time_ns, set_fixed_time, sha256_of
from scrubin.base.store import uses
from scrubin.base.store.store import Entry


def keep_only(folder: Path, paths: Container[Path]) -> None:
    """Make a folder, or remove from it all but the regular files at these paths, and every folder that is empty then.

    Parameters
    ----------
    folder
        Links in it are removed and never followed.
    paths
        Each begins as that of the folder does.
    """
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    for place, folders, files in os.walk(folder, topdown=False):
        for path in (Path(place, name) for name in (*files, *folders)):
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                if not any(path.iterdir()):
                    path.rmdir()
            elif not (stat.S_ISREG(mode) and path in paths):
                path.unlink()


def remove_dead_links(folder: Path) -> None:
    """Remove the links in a folder that lead nowhere, such as into a cache that is gone: DVC cannot run a stage whose output has one."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                remove_dead_links(Path(entry.path))
            elif entry.is_symlink() and not Path(entry.path).exists():
                Path(entry.path).unlink()


def stays(path: Path, sha256: str, *, read: bool) -> bool:
    """Return whether a file holds certain bytes and shares them with no other name; it then has the time of its content.

    Parameters
    ----------
    path, sha256
        The file, and what its bytes must be.
    read
        Read it in any case. Else the time of its content is believed, as the store believes it: who uses the bytes proves them.
    """
    try:
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode) or state.st_nlink > 1:
            return False
        if state.st_mtime_ns == fixed_time_ns(sha256):
            return not read or sha256_of(path) == sha256
        if sha256_of(path) != sha256:
            return False
        set_fixed_time(path, sha256)
    except OSError:  # not there, or damaged so that it cannot be read
        return False
    return True


def renew(source: Path, target: Path, sha256: str, *, read: bool) -> None:
    """Let a file hold the bytes of another: it stays if it does, see `stays`, else they are copied, see `scrubin.base.files.copy`."""
    if not stays(target, sha256, read=read):
        copy(source, target, sha256)


def renew_all(entry: Entry, targets: Mapping[str, Path]) -> None:
    """Let files hold what is stored: those stay that have the time of their content, the others are copied.

    Parameters
    ----------
    entry
        A stored result.
    targets
        Where each of its files belongs, by the name that it has in the result.
    """
    there = {name: target for name, target in targets.items() if stays(target, entry.files[name], read=False)}
    uses.note_copies(entry.folder, entry.root, there)
    entry.copy({name: target for name, target in targets.items() if name not in there})
