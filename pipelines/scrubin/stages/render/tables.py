"""The tables that describe the released videos, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import pandas as pd

from scrubin.base.errors import RecordingError
from scrubin.base.tables.private import quarantine_row
from scrubin.stages.render.rendering import FILE_NAME, FileToRender, Released


def video_path(item: Released) -> str:
    """Return where a video lies in the release: LASANA's layout, task / camera / id."""
    return f"videos/{item.file.task}/{item.file.camera}/{item.file.id}.mkv"


def video_rows(released: Sequence[Released]) -> list[dict[str, Any]]:
    """Return the rows of the public table `videos`."""
    return [
        {
            "id": item.file.id,
            "task": item.file.task,
            "camera": item.file.camera,
            "path": video_path(item),
            "width": item.plan.width,
            "height": item.plan.height,
            "fps": item.fps,
            "variable_rate": item.file.variable_rate,
            "frame_count": item.plan.frame_count,
            "duration_s": float(item.plan.duration_s),
            "sha256": item.entry.files[FILE_NAME],
        }
        for item in released
    ]


def gap_rows(released: Sequence[Released], parts: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of the public table `gaps`: those with frames on both sides.

    Parameters
    ----------
    released
        The videos.
    parts
        The table `parts`.
    """
    files = {key: rows.sort_values("part") for key, rows in parts.groupby(["recording", "camera"])}
    rows = []
    for item in released:
        of_camera = files[item.file.recording, item.file.camera]
        # The source's number of the first frame of each file.
        starts = [0, *accumulate(of_camera["frame_count"])][:-1]
        for start, gap_s in zip(starts, map(Fraction, of_camera["gap_s"]), strict=True):
            last = start - item.plan.first_source_frame - 1
            if gap_s and 0 <= last < item.plan.frame_count - 1:
                rows.append({"id": item.file.id, "camera": item.file.camera, "last_frame": last, "gap_s": float(gap_s)})
    return rows


def cut_rows(released: Sequence[Released]) -> list[dict[str, Any]]:
    """Return the rows of the private table `cuts`."""
    return [
        {
            "recording": item.file.recording,
            "camera": item.file.camera,
            "id": item.file.id,
            "offset_s": str(item.plan.offset_s),
            "first_source_frame": item.plan.first_source_frame,
            "frame_count": item.plan.frame_count,
            "source_width": item.source_px[0],
            "source_height": item.source_px[1],
            "mode": item.mode,
            "copied_frames": item.copied_frames,
            "left_behind": item.left_behind,
            "why": item.why,
        }
        for item in released
    ]


def hidden_rows(released: Sequence[Released]) -> list[dict[str, Any]]:
    """Return the rows of the private table `hidden`."""
    return [
        {
            "id": item.file.id,
            "camera": item.file.camera,
            "first_frame": span.first,
            "last_frame": span.last,
            **dict(zip("xywh", span.box_xywh or (None,) * 4, strict=True)),
        }
        for item in released
        for span in item.plan.hidden
    ]


def quarantine_rows(files: Iterable[FileToRender], errors: Mapping[str, RecordingError]) -> list[dict[str, str]]:
    """Return one row of the table `quarantine` per recording with an error, for the camera that has it."""
    by_recording: dict[str, list[FileToRender]] = {}
    for file in files:
        by_recording.setdefault(file.recording, []).append(file)
    rows = []
    for recording, error in errors.items():
        mine = by_recording[recording]
        camera = next((file.camera for file in mine if file.path == error.file), mine[0].camera)
        rows.append(quarantine_row(recording, camera, "render", error))
    return rows


def unequal_cameras(released: Iterable[Released]) -> dict[str, RecordingError]:
    """Return, by recording, the error where the cameras of a pair were cut to different numbers of frames."""
    by_recording: dict[str, list[Released]] = {}
    for item in released:
        by_recording.setdefault(item.file.recording, []).append(item)
    errors: dict[str, RecordingError] = {}
    for recording, items in by_recording.items():
        if len({item.plan.frame_count for item in items}) > 1:
            counts = ", ".join(f"{item.file.camera} {item.plan.frame_count}" for item in items)
            reason = f"its cameras have different numbers of frames in the kept interval ({counts})"
            fix = "export both cameras again, frames are missing in one, or leave these out by 'start_s' or 'end_s' in recordings.csv"
            errors[recording] = RecordingError(items[0].file.path, reason, fix)
    return errors
