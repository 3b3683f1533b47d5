"""The clips of a finished release from which a random sample is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from scrubin.core import checksum_list
from scrubin.core.errors import ReviewError, TableError
from scrubin.review.coverage import Run, true_runs
from scrubin.review.events import Clip
from scrubin.review.released import RELEASE, ReleasedVideo
from scrubin.review.sample import Interval, clips_of, videos_sha256
from scrubin.review.standing import FileKey
from scrubin.review.status import Boundaries
from scrubin.tables import io
from scrubin.tables.private.hidden import HIDDEN

SUMS = RELEASE / checksum_list.NAME


def of_release(videos: Mapping[FileKey, ReleasedVideo]) -> str:
    """Return what tells the videos of a release from all others."""
    return videos_sha256({video.path: video.sha256 for video in videos.values()})


def require_finished(folder: Path, videos: Mapping[FileKey, ReleasedVideo]) -> None:
    """Refuse to sample what is no finished release, or another one than the tables state.

    Raises
    ------
    ReviewError
        Says what to run.
    """
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        msg = f"{SUMS}: there is no finished release to draw a sample from ({error.strerror}); run: make repro"
        raise ReviewError(msg) from error
    listed = {path: sha256 for sha256, _, path in (line.partition("  ") for line in lines) if path.startswith("videos/")}
    if videos_sha256(listed) != of_release(videos):
        msg = f"{SUMS}: the release is of other videos than the pipeline has rendered since; run: make repro"
        raise ReviewError(msg)


def population(folder: Path, videos: Mapping[FileKey, ReleasedVideo], boundaries_s: Boundaries) -> list[Clip]:
    """Return all clips of a release that show something, sorted.

    Parameters
    ----------
    folder
        The project.
    videos
        By recording and camera.
    boundaries_s
        Presentation times of a source file: released frames keep the distances of their source frames.

    Raises
    ------
    ReviewError
        When the table of what is hidden is missing.
    """
    black = _black_frames(folder)
    of_recording: dict[str, list[tuple[float, list[Interval]]]] = {}
    for key, video in videos.items():
        source_s = boundaries_s(key)
        times_s = source_s[video.first_source_frame : video.first_source_frame + video.frame_count + 1]
        times_s = times_s - times_s[0]
        flags = np.zeros(video.frame_count, dtype=np.bool_)
        for first, last in black.get((video.id, key[1]), ()):
            flags[first : last + 1] = True
        hidden = [(float(times_s[first]), float(times_s[last + 1])) for first, last in true_runs(flags)]
        of_recording.setdefault(key[0], []).append((float(times_s[-1]), hidden))
    ids = {key[0]: video.id for key, video in videos.items()}
    clips = [
        clip
        for recording, cameras in of_recording.items()
        for clip in clips_of(ids[recording], recording, max(end_s for end_s, _ in cameras), [hidden for _, hidden in cameras])
    ]
    return sorted(clips)


def _black_frames(folder: Path) -> dict[tuple[str, str], list[Run]]:
    """Return of each released video the runs of frames of which the whole picture is hidden."""
    try:
        rows = io.records(io.read(HIDDEN, folder / "data/interim/hidden.parquet"))
    except TableError as error:
        raise ReviewError(str(error)) from error
    black: dict[tuple[str, str], list[Run]] = {}
    for row in rows:
        if row["x"] is None:
            black.setdefault((row["id"], row["camera"]), []).append((row["first_frame"], row["last_frame"]))
    return black
