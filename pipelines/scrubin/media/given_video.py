"""A video file that somebody names: it is there, and stays as it is while it is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scrubin.base.errors import VideoError


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
    # The time of change as well: a file may have been moved away and back.
    if any(getattr(before, name) != getattr(after, name) for name in ("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")):
        raise VideoError(str(path), "it changed while it was read", "wait until it is copied completely, then run again")
