"""When each file of a recording began, by the recorder's own clock, and how much is missing between two of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from pathlib import Path, PurePosixPath

from av.error import FFmpegError

from scrubin.core.errors import VideoError
from scrubin.ingest.params import CREATION_TIME, NO_CLOCK, ClockParams
from scrubin.video.opening import open_video

RESOLUTION_S = 1
"""Recorders write whole seconds: a difference that is no longer says nothing."""
_DIGITS = {"%Y": r"\d{4}", "%m": r"\d{2}", "%d": r"\d{2}", "%H": r"\d{2}", "%M": r"\d{2}", "%S": r"\d{2}", "%f": r"\d{1,6}"}
FIX = "set ingest.clock in params.yaml to none, or the format to what the names hold"


def gaps_s(raw: Path, paths: Sequence[str], lengths_s: Sequence[Fraction], clock: ClockParams) -> list[Fraction]:
    """Return how much is missing before each file; nothing before the first.

    Parameters
    ----------
    paths
        The files of one camera in order, relative to the raw folder.
    lengths_s
        For how long the frames of each are shown, doubled ones included.
    clock
        What says when a file began.

    Raises
    ------
    VideoError
        When a file does not say it, or began before the one that it follows.
    """
    if clock.source == NO_CLOCK or len(paths) == 1:
        return [Fraction(0)] * len(paths)
    begins = [_created(raw / path, path) if clock.source == CREATION_TIME else named(path, clock.format) for path in paths]
    gaps = [Fraction(0)]
    for place in range(1, len(paths)):
        passed_s = Fraction((begins[place] - begins[place - 1]).total_seconds()).limit_denominator(1_000_000)
        if passed_s < 0:
            reason = f"by its clock it began {-float(passed_s):g} s before '{paths[place - 1]}', the part before"
            raise VideoError(paths[place], reason, "correct the order in the column 'part' of recordings.csv")
        missing_s = passed_s - lengths_s[place - 1]
        gaps.append(missing_s if missing_s > RESOLUTION_S else Fraction(0))
    return gaps


def named(path: str, form: str) -> datetime:
    """Return the time in a file's name.

    Raises
    ------
    VideoError
        When there is none of this form.

    >>> named("videos/case3_20240131_140509_part.mp4", "%Y%m%d_%H%M%S")
    datetime.datetime(2024, 1, 31, 14, 5, 9)
    """
    pattern = "".join(_DIGITS.get(piece, re.escape(piece)) for piece in re.findall(r"%[a-zA-Z]|.", form))
    for match in re.finditer(pattern, PurePosixPath(path).stem):
        try:
            return datetime.strptime(match[0], form)
        except ValueError:
            continue
    raise VideoError(path, f"its name holds no time of the form '{form}'", FIX)


def _created(path: Path, name: str) -> datetime:
    try:
        with open_video(path) as container:
            stream = next((stream for stream in container.streams.video), None)
            text = container.metadata.get("creation_time") or (stream.metadata.get("creation_time") if stream else None)
    except FFmpegError as error:
        raise VideoError(name, f"it cannot be read as a video ({error.strerror})", FIX) from error
    try:
        return datetime.fromisoformat(text or "").replace(tzinfo=None)
    except ValueError as error:
        raise VideoError(name, "it does not say when it was recorded (creation_time)", FIX) from error
