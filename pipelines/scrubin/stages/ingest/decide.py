"""Kept, excluded or quarantined: one decision per recording, each with its reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import pandas as pd

from scrubin.base.errors import RecordingError
from scrubin.base.tables import io
from scrubin.base.tables.private import RECORDINGS
from scrubin.media.probe import Probe
from scrubin.stages.ingest.manifest import IngestParams, ManifestProblem, ManifestRow, TaskParams
from scrubin.stages.recordings_list import NAME


@dataclass(frozen=True)
class Media:
    """One video file that could be read; see `scrubin.media.probe.Probe`."""

    sha256: str
    container: str
    codec: str
    width: int
    height: int
    rotation_deg: int
    fps: Fraction
    variable_rate: bool
    frame_count: int
    end_s: Fraction
    has_audio: bool


MOST_ROUNDING_S = 0.002
"""A container that rounds times to milliseconds moves the last frames of two files apart by less; rates that do by more are different."""
MOST_SPELLING_SHARE, MOST_SPELLING_FRAMES = 2e-6, 0.25
"""Apart from one another by this share, 30000/1001 and 2997/100 are two spellings, as long as frames of one number are of one instant."""
OF_MEDIA = ("sha256", "container", "codec", "width", "height", "rotation_deg", "variable_rate", "frame_count", "has_audio")
"""What the table `recordings` has as it is."""


def media_of(sha256: str, probe: Probe) -> Media:
    """Return what a probe says of a file, or of several that are joined."""
    return Media(sha256, *(getattr(probe, field.name) for field in fields(Media)[1:]))


@dataclass(frozen=True)
class Decision:
    """What happens to a recording: its interval in source seconds, its status and why."""

    status: str
    start_s: float | None = None
    end_s: float | None = None
    reason: str | None = None
    error: RecordingError | None = None


def decisions(
    recordings: Mapping[str, list[ManifestRow]],
    media: Mapping[str, Media | RecordingError],
    sha256: Mapping[str, str],
    doubts: Mapping[str, Sequence[str]],
    params: IngestParams,
) -> dict[str, Decision]:
    """Return what happens to each recording.

    Parameters
    ----------
    recordings
        Rows of each, one per file, in the order of cameras and parts.
    media
        By the pictures of the first row of each camera, see `decide`.
    sha256
        By path, of every file that could be read.
    doubts
        By the pictures of the first row of each camera, what a person should look at.
    params
        The limits.
    """
    repeated = repeated_bytes(recordings, sha256)
    decided = {}
    for recording, rows in recordings.items():
        if recording in repeated:
            decided[recording] = Decision("quarantined", error=repeated[recording])
        else:
            sentences = [sentence for row in first_parts(rows) for sentence in doubts.get(row.pictures, ())]
            decided[recording] = doubted(decide(first_parts(rows), media, params), sentences)
    return decided


def doubted(decision: Decision, sentences: Sequence[str]) -> Decision:
    """Return a decision with what is doubtful about a recording that is kept."""
    if decision.status != "kept" or not sentences:
        return decision
    return replace(decision, reason="; ".join([*([decision.reason] if decision.reason else []), *sentences]))


def problems(recordings: Mapping[str, list[ManifestRow]], decided: Mapping[str, Decision]) -> list[ManifestProblem]:
    """Return the quarantined recordings as problems, one each."""
    return [
        ManifestProblem(recording, next((row.camera for row in rows if row.path == error.file), rows[0].camera), error)
        for recording, rows in recordings.items()
        if (error := decided[recording].error) is not None
    ]


def recordings_table(
    recordings: Mapping[str, list[ManifestRow]], media: Mapping[str, Media | RecordingError], decided: Mapping[str, Decision]
) -> pd.DataFrame:
    """Return the table `recordings`: one row per camera of the recordings that the manifest names usably."""
    rows = []
    for recording, members in recordings.items():
        first = first_parts(members)
        files = _of_one_rate([media.get(row.pictures) for row in first])
        rows += [_recording_row(row, item, decided[recording]) for row, item in zip(first, files, strict=True)]
    return io.frame_of(RECORDINGS, rows)


def _of_one_rate(files: Sequence[Media | RecordingError | None]) -> list[Media | RecordingError | None]:
    """Return the files of a recording with the simplest of their rates where these are one: its cameras are trimmed by one rate."""
    known = [item for item in files if isinstance(item, Media) and not item.variable_rate]
    if len(known) < len(files) or not all(_keep_step(known[0], item) for item in known):
        return list(files)
    fps = min((item.fps for item in known), key=lambda rate: rate.denominator)
    return [replace(item, fps=fps) for item in known]


def first_parts(rows: list[ManifestRow]) -> list[ManifestRow]:
    """Return the first row of each camera, which stands for all its files."""
    by_camera: dict[str, ManifestRow] = {}
    for row in rows:
        by_camera.setdefault(row.camera, row)
    return list(by_camera.values())


def decide(rows: list[ManifestRow], media: Mapping[str, Media | RecordingError], params: IngestParams) -> Decision:
    """Return what happens to one recording.

    Parameters
    ----------
    rows
        Its rows, the first of each camera.
    media
        By the pictures of this row: what the camera's files hold, or why they cannot be read. Not needed when excluded.
    params
        The limits of its task.
    """
    if rows[0].exclude.strip():
        return Decision("excluded", reason=f"the curator: {rows[0].exclude.strip()}")
    readable: list[Media] = []
    for row in rows:
        item = media[row.pictures]
        if isinstance(item, RecordingError):
            return Decision("quarantined", error=item)
        readable.append(item)
    error = _disagreement(rows, readable, params.stereo_tolerance_s) or _outside(rows, readable)
    if error:
        return Decision("quarantined", error=error)
    start_s = rows[0].start_s or 0.0
    last_s = min(float(item.end_s) for item in readable)
    end_s = min(rows[0].end_s if rows[0].end_s is not None else last_s, last_s)
    return _limited(start_s, end_s, rows[0].task, params.tasks[rows[0].task])


def repeated_bytes(rows: Mapping[str, list[ManifestRow]], sha256: Mapping[str, str]) -> dict[str, RecordingError]:
    """Return, by recording, the error for files whose bytes occur twice.

    Which of the two the ratings and labels belong to cannot be known, so neither is used.
    """
    by_sha256: dict[str, list[ManifestRow]] = defaultdict(list)
    for members in rows.values():
        for row in members:
            if row.path in sha256:
                by_sha256[sha256[row.path]].append(row)
    errors = {}
    for same in by_sha256.values():
        # One file may hold the views of both cameras.
        if len({row.path for row in same}) > 1:
            paths = " and ".join(sorted(f"'{row.path}'" for row in same))
            for row in same:
                fix = "copy the right file, or remove the rows of the wrong recording"
                errors[row.recording] = RecordingError(row.path, f"{paths} have the same bytes", fix)
    return errors


def _recording_row(row: ManifestRow, item: Media | RecordingError | None, decision: Decision) -> dict[str, Any]:
    media = vars(item) if isinstance(item, Media) else {}
    reason, fix = decision.reason, None
    if decision.error:
        reason, fix = f"{decision.error.where}: {decision.error.reason}", decision.error.fix
    return {
        "recording": row.recording,
        "participant": row.participant,
        "trial": row.trial or None,
        "site": row.site or None,
        "task": row.task,
        "camera": row.camera,
        "path": row.path,
        **{name: media.get(name) for name in OF_MEDIA},
        "fps": str(media["fps"]) if media else None,
        "duration_s": float(media["end_s"]) if media else None,
        "start_s": decision.start_s,
        "end_s": decision.end_s,
        "status": decision.status,
        "reason": reason,
        "mend": fix,
    }


def _disagreement(rows: list[ManifestRow], cameras: list[Media], tolerance_s: float) -> RecordingError | None:
    first, last = cameras[0], cameras[-1]
    if abs(first.end_s - last.end_s) > Fraction(tolerance_s):
        reason = f"{rows[0].camera} lasts {float(first.end_s):.3f} s, {rows[-1].camera} {float(last.end_s):.3f} s"
        return RecordingError(rows[0].path, reason, "export both cameras again, or raise ingest.stereo_tolerance_s")
    if not (first.variable_rate or last.variable_rate or _keep_step(first, last)):
        reason = f"{rows[0].camera} has {first.fps} frames per second, {rows[-1].camera} {last.fps}"
        return RecordingError(rows[0].path, reason, "export both cameras with the same rate")
    if (first.width, first.height) != (last.width, last.height):
        reason = f"{rows[0].camera} is {first.width}x{first.height}, {rows[-1].camera} {last.width}x{last.height}"
        return RecordingError(rows[0].path, reason, "export both cameras with the same size")
    return None


def _keep_step(first: Media, last: Media) -> bool:
    return are_one_rate(first.fps, last.fps, max(first.frame_count, last.frame_count))


def are_one_rate(one: Fraction, other: Fraction, frame_count: float) -> bool:
    """Whether two constant rates are one: but for a container's rounding, or for how they are spelt.

    >>> are_one_rate(Fraction(15), Fraction(89000, 5933), 90), are_one_rate(Fraction(15), Fraction(89000, 5933), 54_000)
    (True, False)
    >>> are_one_rate(Fraction(30000, 1001), Fraction(2997, 100), 120 * 60 * 30), are_one_rate(Fraction(30), Fraction(30000, 1001), 90)
    (True, False)
    """
    drift_s = abs(1 / one - 1 / other) * frame_count
    are_spellings = abs(one / other - 1) < MOST_SPELLING_SHARE and drift_s * max(one, other) < MOST_SPELLING_FRAMES
    return drift_s < MOST_ROUNDING_S or are_spellings


def _outside(rows: list[ManifestRow], cameras: list[Media]) -> RecordingError | None:
    last_s = min(item.end_s for item in cameras)
    # An interval noted to the hundredth may round past the last frame: half a frame is forgiven.
    slack_s = max(1 / item.fps for item in cameras) / 2
    for column, value in (("start_s", rows[0].start_s), ("end_s", rows[0].end_s)):
        beyond = value is not None and (Fraction(value) > last_s + slack_s or (column == "start_s" and Fraction(value) >= last_s))
        if beyond:
            reason = f"{column} {value:g} lies outside the video '{rows[0].path}', which ends at {float(last_s):.3f} s"
            return RecordingError(NAME, reason, "correct the interval", f"line {rows[0].line}")
    return None


def _limited(start_s: float, end_s: float, task: str, params: TaskParams) -> Decision:
    limit_s = params.time_limit_s
    if limit_s is None or end_s - start_s <= limit_s:
        return Decision("kept", start_s, end_s)
    length = f"it lasts {end_s - start_s:.1f} s, the limit of {task} is {limit_s:g} s"
    if params.over_limit == "truncate":
        return Decision("kept", start_s, start_s + limit_s, reason=f"truncated: {length}")
    return Decision("excluded", start_s, end_s, reason=length)
