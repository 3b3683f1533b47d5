"""A folder that appears whole or not at all, never over another one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scrubin.base import strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.files import fresh_folder


@contextmanager
def new_folder(target: Path, release: Path) -> Iterator[Path]:
    """Yield an empty folder beside ``target``, which gets its name when the block succeeds and is removed when it raises.

    Raises
    ------
    ReleaseError
        When something lies there already, or the target would be in the release itself.
    """
    if target.exists() or target.is_symlink():
        msg = f"{target}: it is there already; name a folder that is not, or remove it"
        raise ReleaseError(msg)
    if strangers.real(target).is_relative_to(strangers.real(release)):
        msg = f"{target}: it would lie in the release, which then holds more than its SHA256SUMS; name a folder elsewhere"
        raise ReleaseError(msg)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = fresh_folder(target.with_name(f".part-{target.name}"))
    try:
        yield part
        for path in part.rglob("*"):
            if path.is_file():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
