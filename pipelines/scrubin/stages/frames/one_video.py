"""The frames of one video in a folder of their own, whole or not at all, with their table where one is wanted."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base.errors import ReleaseError
from scrubin.base.files import disk_of, set_fixed_time, sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.public import FRAMES
from scrubin.stages.frames.extract import extract, file_name, without
from scrubin.stages.frames.frame_params import SHARD_NAME, FramesParams
from scrubin.stages.frames.frame_store import judged

FIX = "export it again"


def extract_into(out: Path, video: Path, name: str, params: FramesParams, table_path: Path | None) -> pd.DataFrame:
    """Extract into a folder beside the wanted one, move it there when it is complete, and return the table of frames.

    Parameters
    ----------
    out
        A new or empty folder.
    video, name
        The video, and how it is called in messages.
    params
        How frames are extracted.
    table_path
        Where the table is written as well; None: nowhere.

    Raises
    ------
    ReleaseError
        When the folder is not empty.
    VideoError
        When the video cannot be read.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ReleaseError(f"{out}: it is not an empty folder; name a new one")
    with disk_of(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    with disk_of(out), tempfile.TemporaryDirectory(prefix=".part-", dir=out.parent) as temporary:
        folder = Path(temporary) / "frames"
        folder.mkdir()
        rows = [_row(row, video, params) for row in extract(video, folder, params, name, fix=FIX)]
        _drop(folder, rows, params)
        for path in sorted(folder.iterdir()):
            set_fixed_time(path, sha256_of(path))
        table = io.frame_of(FRAMES, rows)
        if table_path is not None:
            io.write(FRAMES, table, table_path)
        folder.rename(out)
    return table


def _row(row: dict[str, Any], video: Path, params: FramesParams) -> dict[str, Any]:
    place = "" if params.shards == "none" else f"{SHARD_NAME}/"
    decided = judged(row, params)
    path = None if decided["dropped"] else f"{place}{file_name(row['frame'], params.format)}"
    return {**decided, "id": video.stem, "camera": "mono", "path": path}


def _drop(folder: Path, rows: list[dict[str, Any]], params: FramesParams) -> None:
    dropped = [row["frame"] for row in rows if row["dropped"]]
    if params.shards == "none":
        for frame in dropped:
            (folder / file_name(frame, params.format)).unlink()
    elif dropped:
        whole = (folder / SHARD_NAME).rename(folder / f"whole-{SHARD_NAME}")
        without(whole, dropped, folder / SHARD_NAME)
        whole.unlink()
