"""A stereo recording whose recorder wrote both views into one picture goes through the whole pipeline as two cameras."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest

import clips
import small_study

pytestmark = pytest.mark.slow
NAME, SIZE = "peg_03", (96, 64)


def side_by_side(project) -> None:
    """Write both cameras of a recording into one file, and name it in two rows."""
    videos = project / "data/raw/videos"
    left, right = (videos / f"{NAME}_{camera}.mkv" for camera in ("left", "right"))
    scaled = f"[0:v]scale={SIZE[0]}:{SIZE[1]}[l];[1:v]scale={SIZE[0]}:{SIZE[1]}[r];[l][r]hstack"
    clips.ffmpeg("-i", left, "-i", right, "-filter_complex", scaled, "-c:v", "libx264", "-crf", "8", videos / f"{NAME}.mkv")
    path = project / "data/raw/recordings.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["recording"] == NAME:
            x = SIZE[0] * (row["camera"] == "right")
            row |= {"camera": f"{row['camera']}=crop({x} 0 {SIZE[0]} {SIZE[1]})", "path": f"videos/{NAME}.mkv"}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, small_study.COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(rows)


def test_each_camera_is_released_with_its_own_pictures(tmp_path, tmp_path_factory):
    project = small_study.project(tmp_path / "study")
    raw = project / "data/raw/videos"
    shown = {camera: clips.pictures(raw / f"{NAME}_{camera}.mkv", SIZE) for camera in ("left", "right")}
    side_by_side(project)
    for camera in shown:
        (raw / f"{NAME}_{camera}.mkv").unlink()
    small_study.release(small_study.share_store(project, tmp_path_factory))
    id_ = pd.read_parquet(project / "data/private/linkage.parquet").set_index("recording").loc[NAME, "id"]
    videos = pd.read_parquet(project / "data/tables/videos.parquet").set_index(["id", "camera"]).loc[id_]
    assert list(videos.index) == ["left", "right"]
    for camera, row in videos.iterrows():
        assert (row["width"], row["height"], row["frame_count"]) == (*SIZE, len(shown[camera]))
        released = clips.pictures(project / "data/release" / row["path"], SIZE)
        other = shown["right" if camera == "left" else "left"]
        own = np.mean([np.abs(one.astype(int) - two).mean() for one, two in zip(released, shown[camera], strict=True)])
        assert own < 0.5 * np.mean([np.abs(one.astype(int) - two).mean() for one, two in zip(released, other, strict=True)])
