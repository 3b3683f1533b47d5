"""The files of one camera put in a row, by names, clocks, pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd
from av.error import FFmpegError

from scrubin.base.errors import VideoError
from scrubin.base.faults import count_text
from scrubin.base.store import store
from scrubin.base.store.code_of import code_of
from scrubin.base.tables import io
from scrubin.base.tables.private import PARTS
from scrubin.media import crops
from scrubin.media.containers import dicom_header as header
from scrubin.media.containers.pieces import UnreadableError
from scrubin.media.opening import contradictions, open_video
from scrubin.media.probe import Probe
from scrubin.media.raw_file import stored, stored_probe, stored_sha256
from scrubin.media.source import FilePart, JoinedPart, Source, joined_probe, start_times_s
from scrubin.media.timecode_rate import counted_fps, stated_rate
from scrubin.stages.ingest import file_names
from scrubin.stages.ingest.decide import Media, media_of
from scrubin.stages.ingest.file_names import Name
from scrubin.stages.ingest.manifest import DICOM_TIME, FILE_NAME, NO_CLOCK, TIME_CODES, TIMECODE, ClockParams, ManifestRow
from scrubin.stages.ingest.seam import SHOWN_S, Doubt, around, seams

RESOLUTION_S = 1
"""Recorders write whole seconds: a difference that is no longer says nothing. A timecode is exact to the frame."""
PAUSE_S = 5
"""Where a file has no frame for longer, it is said."""
MINUTES_OF_DAY = 24 * 60
# FFmpeg writes as many digits as the numbers of a second need.
_TIMECODE = re.compile(r"(?P<hours>\d\d):(?P<minutes>\d\d):(?P<seconds>\d\d)(?P<drop>[:;.])(?P<frames>\d{1,5})")
FIX_CLOCK = (
    "write none into the column 'clock' of recordings.csv for this recording, or set ingest.clock in params.yaml to what its files say"
)


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
    begins = [begin(raw, path, part, clock) for path, part in zip(paths, parts, strict=True)]
    gaps = [Fraction(0)]
    for place in range(1, len(paths)):
        before = begins[place - 1]
        passed_s = begins[place].time_s - before.time_s
        if before.day_s is not None and passed_s < -before.day_s / 2:
            passed_s += before.day_s
        if passed_s < 0:
            reason = f"by its clock it began {-float(passed_s):g} s before '{paths[place - 1]}', the part before"
            raise VideoError(paths[place], reason, "correct the order in the column 'part' of recordings.csv")
        missing_s = passed_s - parts[place - 1].length_s
        gaps.append(missing_s if missing_s > before.resolution_s else Fraction(0))
    return gaps


@dataclass(frozen=True)
class Begin:
    """When a file began.

    Parameters
    ----------
    time_s
        In seconds from an instant that all files of a recorder share.
    resolution_s
        A difference that is no longer says nothing.
    day_s
        After how long the clock begins again; None when it does not.
    """

    time_s: Fraction
    resolution_s: Fraction = Fraction(RESOLUTION_S)
    day_s: Fraction | None = None


def begin(raw: Path, path: str, part: JoinedPart, clock: ClockParams) -> Begin:
    """Return when a file began.

    Raises
    ------
    VideoError
        When it does not say so.
    """
    if clock.source == TIMECODE:
        stated, is_exact = stated_rate(raw / path), not part.probe.variable_rate
        counted = counted_fps(part.probe.fps, stated, is_exact=is_exact)
        return timecode(path, _tag(raw / path, path, "timecode"), counted, is_exact=is_exact or stated is not None)
    if clock.source == FILE_NAME:
        return Begin(_since_epoch_s(named(path, clock.format)))
    if clock.source == DICOM_TIME:
        return Begin(_since_epoch_s(_dicom_time(raw / path, path)))
    text = _tag(raw / path, path, "creation_time")
    try:
        return Begin(_since_epoch_s(datetime.fromisoformat(text)))
    except ValueError as error:
        raise VideoError(path, "it does not say when it was recorded (creation_time)", FIX_CLOCK) from error


def timecode(path: str, text: str, fps: Fraction, *, is_exact: bool = True) -> Begin:
    """Return the time of a SMPTE timecode from midnight on, exact to the frame.

    With a semicolon (drop-frame) numbers are left out so that the count keeps up with the clock: at 30000/1001 frames per second the first
    two of every minute, but for every tenth; at 60000/1001 the first four (SMPTE ST 12-1, section 4.2.2). A day ends with the number
    23:59:59 and its last frame, so without dropped numbers it lasts longer than one by the clock at these rates.

    Parameters
    ----------
    path, text
        The file, and what it says.
    fps
        Numbers a second.
    is_exact
        Whether it is that, not an average.

    Raises
    ------
    VideoError
        When there is none, or a number of a frame that this rate does not have.

    >>> timecode("a.mxf", "00:01:00;02", Fraction(30000, 1001)).time_s * Fraction(30000, 1001)
    Fraction(1800, 1)
    """
    match, base = _TIMECODE.fullmatch(text.strip()), round(fps)
    # What is called a timecode may be a time with milliseconds. An average rate may be below the one that is counted by.
    numbers, digits = max(1, base), max(2, len(str(base - 1)))
    if match is None or len(match["frames"]) > digits or (is_exact and int(match["frames"]) >= numbers):
        raise VideoError(path, "it has no timecode", FIX_CLOCK)
    hours, minutes, seconds, frames = (int(match[name]) for name in ("hours", "minutes", "seconds", "frames"))
    dropped = base // 15 if match["drop"] in ";." and base % 30 == 0 else 0

    def number(minutes: int) -> int:
        return 60 * minutes * base - dropped * (minutes - minutes // 10)

    return Begin((number(60 * hours + minutes) + seconds * base + frames) / fps, 1 / fps, number(MINUTES_OF_DAY) / fps)


def named(path: str, form: str) -> datetime:
    """Return the time in a file's name.

    Raises
    ------
    VideoError
        When there is none of this form.

    >>> named("videos/case3_20240131_140509_part.mp4", "%Y%m%d_%H%M%S")
    datetime.datetime(2024, 1, 31, 14, 5, 9)
    """
    pattern = "".join(TIME_CODES.get(piece, re.escape(piece)) for piece in re.findall(r"%[a-zA-Z]|.", form))
    for match in re.finditer(pattern, PurePosixPath(path).stem):
        try:
            return datetime.strptime(match[0], form)
        except ValueError:
            continue
    raise VideoError(path, f"its name holds no time of the form '{form}'", FIX_CLOCK)


def _tag(path: Path, name: str, tag: str) -> str:
    """Return a tag of the container or of one of its streams; empty when there is none."""
    try:
        with open_video(path) as container:
            streams = [*container.streams.video, *container.streams.data]
            every = [container.metadata, *(stream.metadata for stream in streams)]
            return next((tags[tag] for tags in every if tags.get(tag)), "")
    except FFmpegError as error:
        raise VideoError(name, f"it cannot be read as a video ({error.strerror})", FIX_CLOCK) from error


def _dicom_time(path: Path, name: str) -> datetime:
    try:
        recorded = header.read(path).recorded
    except UnreadableError as error:
        raise VideoError(name, error.reason, error.fix) from error
    if recorded is None:
        raise VideoError(
            name, "its header does not say when it was recorded (AcquisitionDateTime, or ContentDate and ContentTime)", FIX_CLOCK
        )
    return recorded


def _since_epoch_s(time: datetime) -> Fraction:
    passed = time.replace(tzinfo=None) - datetime(1970, 1, 1)
    return Fraction(passed // timedelta(microseconds=1), 1_000_000)


SECOND = 2
FIX_MISSING_PART = "add the row of the missing file; hidden until somebody says in the review that none is missing"
FIX_ORDER = "correct the order; hidden until somebody says in the review that it is right"


def doubtful(paths: Sequence[str]) -> dict[int, str]:
    """Return, by the place of a file from 0, what its name says against its place behind the one before.

    Only names that differ in their number are compared: `case_001` and `case_003`, not `case_001` and `closing_003`.

    >>> doubtful(["videos/a_001.mp4", "videos/a_003.mp4"])[1]
    "the names skip from number 1 ('videos/a_001.mp4') to 3 ('videos/a_003.mp4'): add the row of the missing file; \
hidden until somebody says in the review that none is missing"
    >>> doubtful(["videos/100MEDIA/DJI_0999.MP4", "videos/101MEDIA/DJI_0001.MP4"])
    {}
    """
    read = [file_names.read(PurePosixPath(path)) for path in paths]
    said: dict[int, str] = {}
    for place in range(1, len(paths)):
        sentence = _between(read[place - 1], read[place], paths[place - 1], paths[place])
        if sentence:
            said[place] = sentence
    first, last = read[0].count, read[-1].count
    # A camera counts on from card to card, but seldom from 2 on.
    if first is not None and (first.number > 1 if first.is_part else first.number == SECOND) and len(paths) > 1:
        said[0] = f"'{paths[0]}' is the first file and calls itself number {first.number}: {FIX_MISSING_PART}"
    if last is not None and last.of is not None and last.number < last.of:
        told = f"'{paths[-1]}' is the last file and calls itself number {last.number} of {last.of}: {FIX_MISSING_PART}"
        said[len(paths) - 1] = "; ".join(filter(None, (said.get(len(paths) - 1), told)))
    return said


def _between(before: Name, after: Name, path_before: str, path: str) -> str:
    """Return what two names say against that the second file follows the first; "" when nothing."""
    if before.key[1] != after.key[1]:
        return ""
    is_part = after.count is not None and after.count.is_part
    if before.recorded_s is not None and after.recorded_s is not None and before.recorded_s != after.recorded_s:
        if after.recorded_s < before.recorded_s:
            return f"by the times in their names '{path}' was recorded before '{path_before}': {FIX_ORDER}"
        if not is_part:
            return ""  # a number behind a time may count within that time
    if after.count is None:
        return ""
    # `case12` and `case12-2`: the first one is not numbered.
    first, second = before.count.number if before.count else 1, after.count.number
    if file_names.follows(first, second):
        return ""
    here = f"from number {first} ('{path_before}') to {second} ('{path}')"
    if second == first:
        return f"number {first} is there twice, '{path_before}' and '{path}': {FIX_ORDER}"
    return f"the names skip {here}: {FIX_MISSING_PART}" if second > first else f"the names go back {here}: {FIX_ORDER}"


@dataclass(frozen=True)
class CameraRecording:
    """All files of one camera of a recording, in order."""

    rows: tuple[ManifestRow, ...]

    @property
    def path(self) -> str:
        """The first file, by which messages name it."""
        return self.rows[0].path

    @property
    def pictures(self) -> str:
        """What stands for its pictures, see `Row.pictures`."""
        return self.rows[0].pictures


@dataclass(frozen=True)
class Joined:
    """What the files of one camera are together.

    Parameters
    ----------
    source
        How they follow each other.
    media
        What they hold together.
    parts
        Rows of the table `parts`.
    doubts
        What a person should look at, a sentence each.
    """

    source: Source
    media: Media
    parts: tuple[Mapping[str, Any], ...]
    doubts: tuple[str, ...] = ()


def by_camera(rows: Iterable[ManifestRow]) -> list[CameraRecording]:
    """Return the files of each camera; rows are sorted by recording, camera and part."""
    cameras: dict[tuple[str, str], list[ManifestRow]] = {}
    for row in rows:
        cameras.setdefault((row.recording, row.camera), []).append(row)
    return [CameraRecording(tuple(members)) for members in cameras.values()]


def read(raw: Path, camera: CameraRecording, clock: ClockParams) -> Joined:
    """Return what the files of a camera are together.

    Parameters
    ----------
    clock
        That of all recordings for which the list says none.

    Raises
    ------
    VideoError
        When the content of a part cannot be used, or parts do not belong together.
    StageError
        When a file cannot be read now.
    """
    view = camera.rows[0].view
    files, whole = zip(*(_read_file(raw, row) for row in camera.rows), strict=True)
    plain = Source(files, view)
    # Of an hour a probe has a hundred thousand times: it is taken from the store once.
    probes = [probe if view is None else view.of_probe(probe, part.path) for part, probe in zip(files, whole, strict=True)]
    of_files = _with_probes(plain, probes)
    joined_probe(of_files)  # refuses what does not belong together before anything is decoded
    gaps = gaps_s(raw, plain.paths, of_files, replace(clock, source=camera.rows[0].clock or clock.source))
    seen = seams(raw, plain.parts, gaps)
    parts = tuple(replace(part, first=first, gap_s=gap_s) for part, first, gap_s in zip(plain.parts, seen.doubled, gaps, strict=True))
    source = Source(parts, view)
    of_files = _with_probes(source, probes)
    probed = joined_probe(of_files)
    doubts = (*seen.doubts, *_of_names(of_files))
    of_headers = (f"'{path}': {sentence}" for path in plain.paths for sentence in contradictions(raw / path))
    told = (*(one.sentence for one in doubts), *of_headers, *_of_pauses(of_files))
    return Joined(source, media_of(source.sha256, probed), tuple(_rows(camera, source, of_files, doubts)), told)


def _read_file(raw: Path, row: ManifestRow) -> tuple[FilePart, Probe]:
    sha256 = stored_sha256(raw / row.path, row.path)
    probed = stored_probe(raw / row.path, row.path, sha256)
    _refuse_cropped(raw / row.path, row.path, sha256, probed)
    return FilePart(row.path, sha256), probed


def _refuse_cropped(path: Path, name: str, sha256: str, probed: Probe) -> None:
    """Refuse what `scrubin.media.crops.refuse_cropped` refuses; a frame is decoded of files that have not been looked at before."""

    def look() -> dict[str, Any]:
        crops.refuse_cropped(path, name, probed)
        return {}

    stored(store.key_of("crops", code_of(crops.__name__), {"sha256": sha256}), look, path, name, sha256)


def _with_probes(source: Source, probes: Sequence[Probe]) -> list[JoinedPart]:
    return [JoinedPart(part.path, probe, part.first, part.gap_s) for part, probe in zip(source.parts, probes, strict=True)]


def sha256_by_path(every: Iterable[Joined]) -> dict[str, str]:
    """Return the hash of every file."""
    return {part.path: part.sha256 for one in every for part in one.source.parts}


def parts_table(every: Iterable[Joined]) -> pd.DataFrame:
    """Return the table `parts`."""
    return io.frame_of(PARTS, (row for one in every for row in one.parts))


def _of_names(parts: Sequence[JoinedPart]) -> Iterator[Doubt]:
    """Yield what the names of the files say against their order, unless a clock says how much is missing there."""
    counts = [part.probe.frame_count for part in parts]
    for place, sentence in doubtful([part.path for part in parts]).items():
        if not parts[place].gap_s:
            before, behind = (max(1, round(SHOWN_S * parts[one].probe.fps)) for one in (max(0, place - 1), place))
            yield Doubt(place, sentence, *around(place, counts, parts[place].first, (before, behind)))


def _of_pauses(parts: Sequence[JoinedPart]) -> Iterator[str]:
    """Yield where the frames of a file pause: between them time passes of which nothing was recorded, or its clock jumps."""
    for part in parts:
        ticks = np.array(part.probe.pts, dtype=np.int64)
        steps = np.diff(ticks)
        pauses = np.flatnonzero(steps * float(part.probe.time_base) > PAUSE_S)
        if len(pauses):
            lasts_s, at_s = (float(int(value) * part.probe.time_base) for value in (steps[pauses[0]], ticks[pauses[0]] - ticks[0]))
            places = "" if len(pauses) == 1 else f", and {count_text(len(pauses) - 1, 'more pause')} behind it"
            yield (
                f"'{part.path}' has no frame for {lasts_s:.2f} s behind frame {pauses[0]} (at {at_s:.2f} s){places}: "
                "did the recorder pause, or does its clock jump? What is extracted from it is the frame behind it, again and again"
            )


def _rows(camera: CameraRecording, source: Source, parts: Sequence[JoinedPart], doubts: Sequence[Doubt]) -> Iterable[Mapping[str, Any]]:
    begins = [0, *accumulate(part.probe.frame_count - part.first for part in parts)]
    starts = start_times_s(parts)
    for place, (row, part, of_file, start_s) in enumerate(zip(camera.rows, source.parts, parts, starts, strict=True)):
        mine = [doubt for doubt in doubts if doubt.part == place]
        numbers = [begins[at] + max(0, frame - parts[at].first) for doubt in mine for at, frame in doubt.stretch]
        yield {
            "recording": row.recording,
            "camera": row.camera,
            "part": row.part,
            "path": part.path,
            "sha256": part.sha256,
            "first_frame": part.first,
            "frame_count": of_file.probe.frame_count - part.first,
            "start_s": str(start_s),
            **dict(zip("xywh", (None,) * 4 if source.view is None else astuple(source.view), strict=True)),
            "gap_s": str(part.gap_s),
            "doubt": "; ".join(doubt.sentence for doubt in mine) or None,
            "doubtful_first": min(numbers) if numbers else None,
            "doubtful_last": max(numbers) - 1 if numbers else None,
        }
