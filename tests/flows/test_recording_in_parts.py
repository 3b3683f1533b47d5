"""A recording that the recorder cut into files is released as if it had been one."""

from __future__ import annotations

import csv

import pandas as pd
import pytest

import clips
import made_once
import small_study

pytestmark = pytest.mark.slow
CUT_AT = "100,200"
NAME = "operation_02"


def studies(folder, factory):
    """The same study twice: in the second one an operation is three files with the same pictures."""
    whole, parts = small_study.project(folder / "whole"), folder / "parts"
    video = whole / f"data/raw/videos/{NAME}.mp4"
    options = ("-c:v", "libx264", "-crf", "12", "-g", "50", "-bf", "0", "-video_track_timescale", "12800")
    clips.ffmpeg("-i", video, *options, video.with_suffix(".mov"))
    video.unlink()
    made_once.copy(whole, parts)
    video = parts / f"data/raw/videos/{NAME}.mov"
    cut = ("-c", "copy", "-f", "segment", "-segment_frames", CUT_AT, "-reset_timestamps", "1")
    clips.ffmpeg("-i", video, *cut, video.with_name(f"{NAME}_%d.mov"))
    video.unlink()
    for project in (whole, parts):
        rows(project / "data/raw/recordings.csv", in_parts=project is parts)
        small_study.release(small_study.share_store(project, factory))
    return whole, parts


def rows(path, *, in_parts: bool) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        every = list(csv.DictReader(file))
    (own,) = [row for row in every if row["recording"] == NAME]
    every.remove(own)
    numbers = range(3) if in_parts else [None]
    every += [own | {"path": f"videos/{NAME}{'' if n is None else f'_{n}'}.mov", "part": "" if n is None else str(n + 1)} for n in numbers]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, (*small_study.COLUMNS, "part"), restval="")
        writer.writeheader()
        writer.writerows(every)


def table(project, name: str) -> pd.DataFrame:
    return pd.read_parquet(project / f"data/tables/{name}.parquet")


def test_it_is_released_with_the_same_frames_labels_and_times(tmp_path, tmp_path_factory):
    whole, parts = studies(tmp_path, tmp_path_factory)
    files = pd.read_parquet(parts / "data/interim/parts.parquet")
    own = files[files["recording"] == NAME]
    assert own[["first_frame", "frame_count", "start_s"]].to_numpy().tolist() == [[0, 100, "0"], [0, 100, "4"], [0, 100, "8"]]
    for name in ("frames", "phases", "triplets", "labelled", "splits", "skill"):
        pd.testing.assert_frame_equal(table(whole, name), table(parts, name))
    videos = [table(project, "videos").drop(columns="sha256") for project in (whole, parts)]
    pd.testing.assert_frame_equal(*videos)
    id_ = pd.read_parquet(parts / "data/private/linkage.parquet").set_index("recording").loc[NAME, "id"]
    path = f"data/release/{table(parts, 'videos').set_index('id').loc[id_, 'path']}"
    assert all(
        (one == other).all()
        for one, other in zip(clips.pictures(whole / path, (96, 64)), clips.pictures(parts / path, (96, 64)), strict=True)
    )
