"""What commands are given, checked: files that must exist, sections of params.yaml where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from scrubin.core import params
from scrubin.errors import VideoError

T = TypeVar("T")


def existing_video(name: str) -> Path:
    """Return a video file as a path.

    Raises
    ------
    VideoError
        When it is missing, empty or no file.
    """
    path = Path(name)
    if not path.is_file():
        raise VideoError(name, "the file is missing" if not path.exists() else "it is not a file", "name a video file")
    if path.stat().st_size == 0:
        raise VideoError(name, "the file is empty (0 bytes)", "copy it again from the recorder")
    return path


@contextmanager
def steady(path: Path) -> Iterator[None]:
    """Refuse what was made of a file that changed in the meantime.

    Raises
    ------
    VideoError
        When the file was still being copied, or was replaced.
    """
    before = path.stat()
    yield
    after = path.stat()
    if (before.st_size, before.st_mtime_ns, before.st_ino) != (after.st_size, after.st_mtime_ns, after.st_ino):
        raise VideoError(str(path), "it changed while it was read", "wait until it is copied completely, then run again")


def section_or(section: str, default: T) -> T:
    """Return a section of the params.yaml in the working folder, or the default where there is none."""
    return params.load(section, type(default)) if params.PARAMS_PATH.is_file() else default
