"""The frames of all released videos: extracted once per video, kept, and described."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.core import store
from scrubin.frames.extract import extract
from scrubin.frames.params import FramesParams
from scrubin.tables.io import records

CODE = ("frames", "video")
PACKAGES = ("av", "numpy", "opencv-python-headless")
Spans = Mapping[tuple[str, str], list[tuple[int, int]]]


@dataclass(frozen=True)
class Video:
    """A released video whose frames are to be extracted."""

    id: str
    task: str
    camera: str
    path: str
    sha256: str


@dataclass(frozen=True)
class Extracted:
    """The kept frames of one video."""

    video: Video
    entry: store.Entry

    @property
    def folder(self) -> str:
        """Where its frames lie in the release."""
        return f"frames/{self.video.task}/{self.video.camera}/{self.video.id}"


def videos_of(table: pd.DataFrame) -> list[Video]:
    """Return the videos of the table `videos`."""
    return [Video(**row) for row in records(table[["id", "task", "camera", "path", "sha256"]])]


def extract_stored(release: Path, video: Video, params: FramesParams) -> Extracted:
    """Return the frames of one video, extracted now or kept from an earlier run.

    Raises
    ------
    VideoError
        When the video cannot be decoded.
    """
    inputs = {"sha256": video.sha256, "fps": str(params.fps), "quality": params.quality}
    key = store.key_of("frames", store.code_version(CODE, PACKAGES), inputs)
    entry, _ = store.make(key, lambda folder: extract(release / video.path, folder, params, video.path))
    return Extracted(video, entry)


def hidden_spans(hidden: pd.DataFrame) -> Spans:
    """Return by (id, camera) the first and last frames of all spans that are black as a whole."""
    spans: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for row in records(hidden[hidden.x.isna()]):
        spans.setdefault((row["id"], row["camera"]), []).append((row["first_frame"], row["last_frame"]))
    return spans


def frame_rows(extracted: Iterable[Extracted], hidden: Spans) -> list[dict[str, Any]]:
    """Return the rows of the public table `frames`."""
    return [
        {
            **row,
            "id": item.video.id,
            "camera": item.video.camera,
            "path": f"{item.folder}/{row['frame']:06d}.jpg",
            "redacted": any(a <= row["source_frame"] <= b for a, b in hidden.get((item.video.id, item.video.camera), ())),
        }
        for item in extracted
        for row in item.entry.value
    ]
