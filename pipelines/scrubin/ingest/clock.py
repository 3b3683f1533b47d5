"""When each file of a recording began, by the recorder's own clock, and how much is missing between two of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path, PurePosixPath

from av.error import FFmpegError

from scrubin.core.errors import VideoError
from scrubin.dicom import header
from scrubin.ingest.params import DICOM_TIME, FILE_NAME, NO_CLOCK, TIMECODE, ClockParams
from scrubin.video.joining import JoinedPart
from scrubin.video.opening import open_video
from scrubin.video.unreadable_error import UnreadableError

RESOLUTION_S = 1
"""Recorders write whole seconds: a difference that is no longer says nothing. A timecode is exact to the frame."""
HALF_DAY_S = 12 * 3600
_DIGITS = {"%Y": r"\d{4}", "%m": r"\d{2}", "%d": r"\d{2}", "%H": r"\d{2}", "%M": r"\d{2}", "%S": r"\d{2}", "%f": r"\d{1,6}"}
_TIMECODE = re.compile(r"(?P<hours>\d\d):(?P<minutes>\d\d):(?P<seconds>\d\d)(?P<drop>[:;.])(?P<frames>\d\d)")
_DICOM_TIME = re.compile(r"(\d{14})(\.\d{1,6})?")
FIX = "write none into the column 'clock' of recordings.csv for this recording, or set ingest.clock in params.yaml to what its files say"


def gaps_s(raw: Path, paths: Sequence[str], parts: Sequence[JoinedPart], clock: ClockParams) -> list[Fraction]:
    """Return how much is missing before each file; nothing before the first.

    Parameters
    ----------
    paths
        The files of one camera in order, relative to the raw folder.
    parts
        What each holds, frames that stand in two files included.
    clock
        What says when a file began.

    Raises
    ------
    VideoError
        When a file does not say it, or began before the one that it follows.
    """
    if clock.source == NO_CLOCK or len(paths) == 1:
        return [Fraction(0)] * len(paths)
    begins_s = [begin_s(raw, path, part, clock) for path, part in zip(paths, parts, strict=True)]
    resolution_s = 1 / parts[0].probe.fps if clock.source == TIMECODE else Fraction(RESOLUTION_S)
    gaps = [Fraction(0)]
    for place in range(1, len(paths)):
        passed_s = begins_s[place] - begins_s[place - 1]
        if clock.source == TIMECODE and passed_s < -HALF_DAY_S:
            passed_s += 2 * HALF_DAY_S  # a timecode begins again at midnight
        if passed_s < 0:
            reason = f"by its clock it began {-float(passed_s):g} s before '{paths[place - 1]}', the part before"
            raise VideoError(paths[place], reason, "correct the order in the column 'part' of recordings.csv")
        missing_s = passed_s - parts[place - 1].length_s
        gaps.append(missing_s if missing_s > resolution_s else Fraction(0))
    return gaps


def begin_s(raw: Path, path: str, part: JoinedPart, clock: ClockParams) -> Fraction:
    """Return when a file began, in seconds from an instant that all files of a recorder share.

    Raises
    ------
    VideoError
        When it does not say so.
    """
    if clock.source == TIMECODE:
        return timecode_s(path, _tag(raw / path, path, "timecode"), part.probe.fps)
    if clock.source == FILE_NAME:
        return _since_epoch_s(named(path, clock.format))
    if clock.source == DICOM_TIME:
        return _since_epoch_s(_dicom_time(raw / path, path))
    text = _tag(raw / path, path, "creation_time")
    try:
        return _since_epoch_s(datetime.fromisoformat(text))
    except ValueError as error:
        raise VideoError(path, "it does not say when it was recorded (creation_time)", FIX) from error


def timecode_s(path: str, text: str, fps: Fraction) -> Fraction:
    """Return the time of a SMPTE timecode, in seconds from midnight, exact to the frame.

    With a semicolon (drop-frame) numbers are left out so that the count keeps up with the clock: at 30000/1001 frames per second the first
    two of every minute, but for every tenth; at 60000/1001 the first four (SMPTE ST 12-1, section 4.2.2).

    Raises
    ------
    VideoError
        When there is none.

    >>> timecode_s("a.mxf", "00:01:00;02", Fraction(30000, 1001)) * Fraction(30000, 1001)
    Fraction(1800, 1)
    """
    match = _TIMECODE.fullmatch(text.strip())
    if match is None:
        raise VideoError(path, "it has no timecode", FIX)
    hours, minutes, seconds, frames = (int(match[name]) for name in ("hours", "minutes", "seconds", "frames"))
    rate = round(fps)
    number = (3600 * hours + 60 * minutes + seconds) * rate + frames
    if match["drop"] in ";." and rate % 30 == 0:
        whole_minutes = 60 * hours + minutes
        number -= rate // 15 * (whole_minutes - whole_minutes // 10)
    return number / fps


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


def _tag(path: Path, name: str, tag: str) -> str:
    """Return a tag of the container or of one of its streams; empty when there is none."""
    try:
        with open_video(path) as container:
            streams = [*container.streams.video, *container.streams.data]
            every = [container.metadata, *(stream.metadata for stream in streams)]
            return next((tags[tag] for tags in every if tags.get(tag)), "")
    except FFmpegError as error:
        raise VideoError(name, f"it cannot be read as a video ({error.strerror})", FIX) from error


def _dicom_time(path: Path, name: str) -> datetime:
    try:
        started = header.read(path).started
    except UnreadableError as error:
        raise VideoError(name, error.reason, error.fix) from error
    match = _DICOM_TIME.match(started)
    if match is None:
        raise VideoError(name, "its header does not say when it was recorded (AcquisitionDateTime, or ContentDate and ContentTime)", FIX)
    try:
        return datetime.strptime(match[1], "%Y%m%d%H%M%S") + timedelta(seconds=float(match[2] or 0))
    except ValueError as error:
        raise VideoError(name, "the time of recording in its header is no time", FIX) from error


def _since_epoch_s(time: datetime) -> Fraction:
    passed = time.replace(tzinfo=None) - datetime(1970, 1, 1)
    return Fraction(passed // timedelta(microseconds=1), 1_000_000)
