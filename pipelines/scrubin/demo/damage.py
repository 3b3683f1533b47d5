"""Files as they come back from a failing disk or a hasty copy."""

from __future__ import annotations

import os
from pathlib import Path

from scrubin.core.files import write_text

KEPT_PERCENT = 55


def cut(path: Path) -> None:
    """Cut a file in the middle. An mp4 loses its index at the end and with it every frame."""
    os.truncate(path, path.stat().st_size * KEPT_PERCENT // 100)


def leave_empty(path: Path) -> None:
    """Make a file without a byte."""
    write_text(path, "")


def write_note(path: Path, name: str) -> None:
    """Make a text file that has the name of a video."""
    write_text(path, f"{name}: the video is still on the recorder, ask the theatre for the disk\n")
