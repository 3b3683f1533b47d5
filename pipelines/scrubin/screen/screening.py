"""One video file through the detector and the curator's decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrubin.errors import VideoError
from scrubin.screen.decisions import Decisions
from scrubin.screen.detect import detect
from scrubin.screen.params import ScreenParams
from scrubin.screen.redactions import redactions
from scrubin.screen.stored import stored_features
from scrubin.tables.io import records
from scrubin.tables.redactions import REDACTIONS
from scrubin.video.cached import stored_probe


@dataclass(frozen=True)
class File:
    """A video file that is to be screened."""

    recording: str
    camera: str
    path: str
    sha256: str


def cameras(recordings: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """Return the cameras of every recording in the table `recordings`."""
    return {str(name): tuple(sorted(rows.camera)) for name, rows in recordings.groupby("recording")}


def to_screen(recordings: pd.DataFrame) -> list[File]:
    """Return the files of the kept recordings."""
    kept = recordings.loc[recordings.status == "kept", ["recording", "camera", "path", "sha256"]]
    return [File(**row) for row in records(kept)]


def screen(raw: Path, file: File, decided: Decisions, params: ScreenParams) -> list[dict[str, Any]]:
    """Return the rows of the table `redactions` for one file.

    Raises
    ------
    RecordingError
        When the file cannot be decoded, or a decision about it cannot be carried out.
    """
    if file.recording in decided.errors:
        raise decided.errors[file.recording]
    found = stored_probe(raw / file.path, file.path, file.sha256)
    features = stored_features(raw / file.path, file.path, file.sha256, params.thumbnail_height)
    if len(features.pts) != found.frame_count:
        reason = f"only {len(features.pts)} of its {found.frame_count} frames can be decoded"
        raise VideoError(file.path, reason, "export it again, from a key frame on")
    # The probe's times: a decoder's guesses for AVI are not even in order.
    times_s = np.array([float(time) for time in found.times_s])
    boundaries_s = np.append(times_s, float(found.end_s))
    mine = [row for row in decided.rows if (row.recording, row.camera) == (file.recording, file.camera)]
    spans = detect(features, times_s, params)
    return redactions(file.recording, file.camera, spans, mine, (found.width, found.height), boundaries_s, params)


def in_step(rows: Iterable[dict[str, Any]], cameras_of: Mapping[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    """Return the rows with every detected out-of-body span for all cameras of its recording.

    What one camera of a pair sees, the other sees as well, even when it looks less striking there.
    """
    copied = []
    for row in rows:
        seen = row["source"] == "detector" and row["kind"] == "out_of_body" and row["accepted"]
        copied += [{**row, "camera": camera} for camera in (cameras_of[row["recording"]] if seen else (row["camera"],))]
    return distinct(copied)


def distinct(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows without repetitions: a curator may add the same span twice."""
    return list({tuple(row[name] for name in REDACTIONS.key): row for row in rows}.values())
