"""Arguments that several commands have: files that must exist, rates, instants, sections of params.yaml where there is one."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TypeVar, get_args

from scrubin.base import params
from scrubin.base.errors import AnnotationError, VideoError
from scrubin.labels.choices import Instant

HIGHEST_FPS = 1000
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
    # The time of change as well: a file may have been moved away and back.
    if any(getattr(before, name) != getattr(after, name) for name in ("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")):
        raise VideoError(str(path), "it changed while it was read", "wait until it is copied completely, then run again")


def rate_or_none(option: str, text: str | None) -> Fraction | None:
    """Return a rate per second; None when the option is not given.

    Raises
    ------
    AnnotationError
        When it is no rate of frames; names the option.
    """
    if text is None:
        return None
    try:
        rate = Fraction(text)
    except (ValueError, ZeroDivisionError):
        rate = Fraction(0)
    if not 0 < rate <= HIGHEST_FPS:
        msg = f"{option} {text}: give a rate above 0 and up to {HIGHEST_FPS}, such as 25, 1 or 30000/1001"
        raise AnnotationError(msg)
    return rate


def add_instant(parser: argparse.ArgumentParser, of: str) -> None:
    """Declare which instant of a frame decides its phase; ``of`` says of which files."""
    parser.add_argument(
        "--instant",
        choices=get_args(Instant),
        default="start",
        help=f"where {of} has phases as spans of time: a frame has the phase at the start of its period, or at the end "
        "(at 1 per second: k x 1000 + 999 ms, as in the authors' own labels of MultiBypass140; default: %(default)s)",
    )


def section_or(section: str, default: T) -> T:
    """Return a section of the params.yaml in the working folder, or the default where there is none."""
    return params.load(section, type(default)) if params.PARAMS_PATH.is_file() else default
