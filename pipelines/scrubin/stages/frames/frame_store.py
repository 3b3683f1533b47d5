"""The frames of all released videos: extracted once per video, kept, described, dropped where they are poor."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from scrubin.base.errors import VideoError
from scrubin.base.files import sha256_of
from scrubin.base.store import store
from scrubin.base.store.code_of import code_of
from scrubin.base.tables.io import records
from scrubin.stages.frames.extract import extract, file_name, without
from scrubin.stages.frames.frame_params import NOTHING, SHARD_NAME, DropParams, FramesParams


def why_dropped(measured: Mapping[str, Any], limits: DropParams) -> str | None:
    """Return the first threshold that a frame is beyond, with its value; None for a frame that is kept.

    A value on its threshold is kept.

    Parameters
    ----------
    measured
        The quality columns of the table `frames`, of the full-size picture.
    limits
        ``min_<column>`` and ``max_<column>``.

    >>> why_dropped({"contrast": 3.25}, DropParams(None, None, None, 8.0, None))
    'contrast 3.25 is below 8'
    """
    for limit in fields(limits):
        threshold = getattr(limits, limit.name)
        if threshold is None:
            continue
        end, _, column = limit.name.partition("_")
        value = measured[column]
        if end == "min" and value < threshold:
            return f"{column} {value:.9g} is below {threshold:.9g}"
        if end == "max" and value > threshold:
            return f"{column} {value:.9g} is above {threshold:.9g}"
    return None


RENDER_AGAIN = "run 'dvc repro', whose stage render makes it again"
IN_A_GAP = "gap: nothing was recorded at this time"
Spans = Mapping[tuple[str, str], list[tuple[int, int]]]
Gaps = Mapping[tuple[str, str], frozenset[int]]
"""By id and camera, the numbers in the video of the first frame after each gap."""


@dataclass(frozen=True)
class ReleasedVideo:
    """A released video whose frames are to be extracted."""

    id: str
    task: str
    camera: str
    path: str
    sha256: str


@dataclass(frozen=True)
class ExtractedFrames:
    """The frames of one video: what is kept of them, and the rows of all."""

    video: ReleasedVideo
    entry: store.Entry
    rows: list[dict[str, Any]]

    @property
    def place(self) -> str:
        """Where its frames lie in the release: a folder, or a shard without its suffix."""
        return f"frames/{self.video.task}/{self.video.camera}/{self.video.id}"

    def places(self, release: Path) -> dict[str, Path]:
        """Return where each file that is kept lies in a release, by the name that it has in the store."""
        if SHARD_NAME in self.entry.files:
            return {SHARD_NAME: release / f"{self.place}.tar"}
        return {PurePosixPath(row["path"]).name: release / row["path"] for row in self.rows if row["path"] is not None}


def videos_of(table: pd.DataFrame) -> list[ReleasedVideo]:
    """Return the videos of the table `videos`."""
    return [ReleasedVideo(**row) for row in records(table[["id", "task", "camera", "path", "sha256"]])]


def extract_stored(release: Path, video: ReleasedVideo, params: FramesParams, hidden: Spans, gaps: Gaps) -> ExtractedFrames:
    """Return the frames of one video, extracted now or kept from an earlier run.

    Thresholds of ``params.drop`` cost nothing to change: all frames are kept in the store. What falls into a gap is dropped: the frame
    contract takes the first frame after it, which shows another time.

    Raises
    ------
    VideoError
        When the video cannot be decoded, or is another file than the table states.
    """
    spans = hidden.get((video.id, video.camera), [])
    inputs = {**asdict(replace(params, drop=NOTHING)), "sha256": video.sha256, "fps": str(params.fps), "hidden": spans}
    code = code_of(__name__)

    def work(folder: Path) -> list[dict[str, Any]]:
        _prove(release / video.path, video)
        return extract(release / video.path, folder, params, video.path, spans)

    entry, _ = store.make(store.key_of("frames", code, inputs), work)
    after_gaps = gaps.get((video.id, video.camera), frozenset())
    rows = [judged(row, params, after_gaps) for row in entry.value]
    dropped = [row["frame"] for row in rows if row["dropped"]]
    if params.shards != "none" and dropped:
        key = store.key_of("frames-kept", code, {"sha256": entry.files[SHARD_NAME], "dropped": dropped})
        whole = entry.path(SHARD_NAME)
        entry, _ = store.make(key, lambda folder: without(whole, dropped, folder / SHARD_NAME))
    extracted = ExtractedFrames(video, entry, rows)
    return replace(extracted, rows=[{**row, **_named(extracted, row, params)} for row in rows])


def _prove(path: Path, video: ReleasedVideo) -> None:
    """Refuse a file with other bytes: what is kept under a video's hash must never come from another one."""
    try:
        is_stated = sha256_of(path) == video.sha256
    except OSError as error:
        raise VideoError(video.path, f"it cannot be read ({error.strerror or error})", RENDER_AGAIN) from error
    if not is_stated:
        reason = "its bytes are not those of the table 'videos': it was changed or damaged since it was rendered"
        raise VideoError(video.path, reason, RENDER_AGAIN)


def judged(row: Mapping[str, Any], params: FramesParams, after_gaps: Container[int] = ()) -> dict[str, Any]:
    """Return a row with whether and why its frame is dropped; a hidden frame is never dropped, it is marked already."""
    why = None
    if not row["redacted"]:
        in_gap = row["source_frame"] in after_gaps and float(row["frame"] / params.fps) < row["time_s"]
        why = IN_A_GAP if in_gap else why_dropped(row, params.drop)
    return {**row, "dropped": why is not None, "dropped_why": why}


def hidden_spans(hidden: pd.DataFrame) -> Spans:
    """Return by (id, camera) the first and last frames of all spans that are black as a whole."""
    spans: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for row in records(hidden[hidden.x.isna()]):
        spans.setdefault((row["id"], row["camera"]), []).append((row["first_frame"], row["last_frame"]))
    return spans


def frames_after_gaps(gaps: pd.DataFrame) -> Gaps:
    """Return by (id, camera) the first frames after the rows of the table `gaps`."""
    return {(str(id_), str(camera)): frozenset(rows["last_frame"] + 1) for (id_, camera), rows in gaps.groupby(["id", "camera"])}


def frame_rows(extracted: Iterable[ExtractedFrames]) -> list[dict[str, Any]]:
    """Return the rows of the public table `frames`."""
    return [row for item in extracted for row in item.rows]


def stated(extracted: Iterable[ExtractedFrames]) -> dict[str, str]:
    """Return the SHA-256 of every file that is kept, by the name that it has in a release."""
    return {path.as_posix(): item.entry.files[name] for item in extracted for name, path in item.places(Path()).items()}


def _named(item: ExtractedFrames, row: Mapping[str, Any], params: FramesParams) -> dict[str, Any]:
    folder = item.place if params.shards == "none" else f"{item.place}.tar"
    path = None if row["dropped"] else f"{folder}/{file_name(row['frame'], params.format)}"
    return {"id": item.video.id, "camera": item.video.camera, "path": path}
