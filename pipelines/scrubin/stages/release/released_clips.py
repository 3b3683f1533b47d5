"""What a sample is drawn from: the clips of a finished release that show something."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scrubin.base import file_lists
from scrubin.base.errors import ReviewError, TableError
from scrubin.base.layout import CUTS_PATH, HIDDEN_PATH, RELEASE, VIDEOS_PATH
from scrubin.base.tables import io
from scrubin.base.tables.private import CUTS, HIDDEN
from scrubin.base.tables.public import VIDEOS
from scrubin.stages.review.events import CLIP_S, Clip
from scrubin.stages.review.sample import Interval, videos_sha256
from scrubin.stages.review.standing import FileKey, Run, true_runs
from scrubin.stages.review.study import Boundaries


@dataclass(frozen=True)
class ReleasedVideo:
    """A released video: frame k of it is frame ``first_source_frame + k`` of its source.

    Parameters
    ----------
    id
        Released id of the recording.
    path
        Relative to the release folder.
    """

    id: str
    path: str
    sha256: str
    first_source_frame: int
    frame_count: int


def load_released(folder: Path = Path()) -> Mapping[FileKey, ReleasedVideo]:
    """Return the released videos by recording and camera.

    Raises
    ------
    ReviewError
        When nothing is rendered yet.
    """
    try:
        cuts = io.read(CUTS, folder / CUTS_PATH)
        videos = io.read(VIDEOS, folder / VIDEOS_PATH)
    except TableError as error:
        raise ReviewError(f"{error}; the stage render makes the released videos, run: .venv/bin/dvc repro render") from error
    by_id = {(row["id"], row["camera"]): row for row in io.records(videos)}
    done = {}
    for row in io.records(cuts):
        video = by_id[row["id"], row["camera"]]
        path = str(video["path"])
        done[row["recording"], row["camera"]] = ReleasedVideo(
            row["id"], path, video["sha256"], row["first_source_frame"], row["frame_count"]
        )
    return done


SUMS = RELEASE / file_lists.CHECKSUMS


def sha256_of_release(videos: Mapping[FileKey, ReleasedVideo]) -> str:
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
        raise ReviewError(f"{SUMS}: there is no finished release to draw a sample from ({error.strerror}); run: make repro") from error
    listed = {path: sha256 for sha256, _, path in (line.partition("  ") for line in lines) if path.startswith("videos/")}
    if videos_sha256(listed) != sha256_of_release(videos):
        raise ReviewError(f"{SUMS}: the release is of other videos than the pipeline has rendered since; run: make repro")


def require_reviewed(released: Iterable[FileKey], files: Container[FileKey]) -> None:
    """Refuse to sample what was released of files that the study has no more: nobody can say where in them something is.

    Parameters
    ----------
    files
        What is reviewed.

    Raises
    ------
    ReviewError
        Names them.
    """
    gone = [f"'{recording}', {camera}" for recording, camera in sorted(released) if (recording, camera) not in files]
    if gone:
        msg = (
            f"{VIDEOS_PATH}: released, but quarantined or no longer in the study since: {'; '.join(gone)}; run: make repro, "
            "then start 'scrubin review --sample' again"
        )
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
        source_s = boundaries_s[key]
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
        rows = io.records(io.read(HIDDEN, folder / HIDDEN_PATH))
    except TableError as error:
        raise ReviewError(str(error)) from error
    black: dict[tuple[str, str], list[Run]] = {}
    for row in rows:
        if row["x"] is None:
            black.setdefault((row["id"], row["camera"]), []).append((row["first_frame"], row["last_frame"]))
    return black


def clips_of(id_: str, recording: str, duration_s: float, black: Sequence[Sequence[Interval]]) -> list[Clip]:
    """Return the clips of a released recording that show something; the last one ends with it.

    Parameters
    ----------
    black
        Of each camera the intervals in which its whole picture is hidden, sorted and apart: what is black in all
        cameras shows nothing, and the audit proves that it is black.
    """
    clips = []
    start_s = 0
    while start_s < duration_s:
        end_s = min(float(start_s + CLIP_S), duration_s)
        if not all(any(first_s <= start_s and end_s <= last_s for first_s, last_s in camera) for camera in black):
            clips.append(Clip(id_, recording, float(start_s), end_s))
        start_s += CLIP_S
    return clips
