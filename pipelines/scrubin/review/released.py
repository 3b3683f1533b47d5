"""Which frames of the source a released video shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scrubin.core.errors import ReviewError, TableError
from scrubin.review.standing import FileKey
from scrubin.tables import io
from scrubin.tables.private.cuts import CUTS
from scrubin.tables.videos import VIDEOS

RELEASE = Path("data/release")


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


def load(folder: Path = Path()) -> Mapping[FileKey, ReleasedVideo]:
    """Return the released videos by recording and camera.

    Raises
    ------
    ReviewError
        When nothing is rendered yet.
    """
    try:
        cuts = io.read(CUTS, folder / "data/interim/cuts.parquet")
        videos = io.read(VIDEOS, folder / "data/tables/videos.parquet")
    except TableError as error:
        msg = f"{error}; the stage render makes the released videos, run: .venv/bin/dvc repro render"
        raise ReviewError(msg) from error
    by_id = {(row["id"], row["camera"]): row for row in io.records(videos)}
    done = {}
    for row in io.records(cuts):
        video = by_id[row["id"], row["camera"]]
        path = str(video["path"])
        done[row["recording"], row["camera"]] = ReleasedVideo(
            row["id"], path, video["sha256"], row["first_source_frame"], row["frame_count"]
        )
    return done
