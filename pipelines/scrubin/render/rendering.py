"""One video file from the raw study to the release: plan, encode, check, keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.core import store
from scrubin.core.code_of import code_of
from scrubin.core.errors import RecordingError
from scrubin.render.execution import execute
from scrubin.render.jitter import trimmed_end_s
from scrubin.render.params import RenderParams
from scrubin.render.plan import Plan, Redaction
from scrubin.render.preparation import FileToRender, prepare
from scrubin.tables.io import records
from scrubin.tables.private.quarantine import quarantine_row
from scrubin.video.opening import left_behind_text
from scrubin.video.sources import sources

FILE_NAME = "video.mkv"
FPS_DIGITS = 1001


@dataclass(frozen=True)
class Released:
    """A rendered file: its plan, where it is kept, and what it holds.

    Parameters
    ----------
    plan
        Without ``ticks``: a study has millions of frames.
    fps
        The source's exact rate; the average of the kept part where the rate varies.
    """

    file: FileToRender
    plan: Plan
    fps: str
    source_px: tuple[int, int]
    entry: store.Entry
    was_kept: bool

    @property
    def mode(self) -> str:
        """``smart`` or ``reencode``."""
        return str(self.entry.value["mode"])

    @property
    def copied_frames(self) -> int:
        """Number of frames that were copied bit for bit."""
        return int(self.entry.value["copied_frames"])

    @property
    def left_behind(self) -> str | None:
        """Elements of the source's DICOM header by group, see `scrubin.dicom.elements.text`; None when it has none."""
        return self.entry.value["left_behind"] or None

    @property
    def why(self) -> str | None:
        """Why nothing was copied; None when something was."""
        return self.entry.value["why"] or None


def to_render(
    recordings: pd.DataFrame,
    parts: pd.DataFrame,
    linkage: pd.DataFrame,
    redactions: pd.DataFrame,
    quarantined: Iterable[str],
    jitter_s: float,
) -> list[FileToRender]:
    """Return the cameras of the kept recordings, trimmed by ``jitter_s`` at most, with all that is hidden in them."""
    kept = recordings[(recordings.status == "kept") & ~recordings.recording.isin(set(quarantined))]
    joined = kept.merge(linkage, on="recording", how="left", validate="many_to_one")
    hidden: dict[tuple[str, str], list[Redaction]] = {}
    for row in records(redactions[redactions.accepted]):
        box = None if row["x"] is None else (row["x"], row["y"], row["w"], row["h"])
        hidden.setdefault((row["recording"], row["camera"]), []).append(Redaction(row["start_s"], row["end_s"], box))
    files = sources(parts)
    names = ("recording", "camera", "task", "id", "start_s", "fps", "variable_rate")
    return [
        FileToRender(
            **{name: row[name] for name in names},
            source=files[row["recording"], row["camera"]],
            end_s=trimmed_end_s((row["start_s"], row["end_s"]), Fraction(row["fps"]), row["draw"], jitter_s),
            redactions=tuple(hidden.get((row["recording"], row["camera"]), ())),
        )
        for row in records(joined)
    ]


def render(raw: Path, file: FileToRender, params: RenderParams) -> Released:
    """Return the released video of one file, made now or kept from an earlier run.

    Raises
    ------
    VideoError
        When the file cannot be rendered, or the result is not what was planned.
    """
    known = prepare(raw, file, params)
    planned = known.plan

    def work(folder: Path) -> dict[str, Any]:
        with file.source.proven(raw):
            done = execute(known.files, folder / FILE_NAME, known.probe, planned, known.parts, params, file.path)
            left_behind = left_behind_text([raw / path for path in file.source.paths])
        copied = planned.frame_count - done.encoded_count
        return {"mode": done.mode, "copied_frames": copied, "left_behind": left_behind, "why": done.why}

    entry, was_kept = store.make(key_of(file, planned, params), work)
    size_px = (known.probe.width, known.probe.height)
    return Released(file, replace(planned, ticks=()), _fps(file, planned), size_px, entry, was_kept)


def key_of(file: FileToRender, planned: Plan, params: RenderParams) -> store.Key:
    """Return under which key the released video of a file is kept."""
    # The id is no part of the key: another name for the same pictures needs no rendering. Source and
    # first frame determine all times.
    inputs = {
        "sha256": file.source.sha256,
        "frames": [planned.first_source_frame, planned.frame_count],
        "hidden": [asdict(item) for item in planned.hidden],
        "params": {"mode": params.mode, "crf": params.crf, "preset": params.preset},
    }
    return store.key_of("render", code_of(__name__), inputs, kind="render" if len(file.source.parts) == 1 else "render/joined")


def _fps(file: FileToRender, planned: Plan) -> str:
    if not file.variable_rate or planned.frame_count == 1:
        return file.fps
    return str(Fraction((planned.frame_count - 1) / planned.times_s[-1]).limit_denominator(FPS_DIGITS))


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
            errors[recording] = RecordingError(items[0].file.path, reason, "export both cameras again, frames are missing in one")
    return errors
