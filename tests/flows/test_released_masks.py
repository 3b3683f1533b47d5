"""A study with masks and points in one file of many recordings goes through the whole pipeline: nothing that is hidden shows in them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import small_study
from scrubin.base.errors import StageError
from scrubin.labels.masks import rle
from scrubin.stages.annotations import details

pytestmark = pytest.mark.slow
SIZE = (48, 32)
"""Of the labelled pictures: half of the video's."""
WHOLLY, PARTLY, SHOWN = "operation_01", "operation_02", "operation_03"
RECTANGLE = (9, 8, 40, 17)
SECONDS = 8


def label(project) -> None:
    """Say that the whole picture is the instrument, whose tip is in the rectangle and whose hinge is not."""
    images, annotations = [], []
    for name in (WHOLLY, PARTLY, SHOWN):
        for second in range(SECONDS):
            images.append({"id": len(images), "file_name": f"{name}_{second:06d}.png", "width": SIZE[0], "height": SIZE[1]})
            mask = {"size": list(SIZE[::-1]), "counts": [0, SIZE[0] * SIZE[1]]}
            one = {"id": len(annotations), "image_id": images[-1]["id"], "category_id": 1, "bbox": [0, 0, *SIZE], "iscrowd": 0}
            annotations.append({**one, "segmentation": mask, "keypoints": [10, 6, 2, 40, 6, 1], "num_keypoints": 2})
    category = {"id": 1, "name": small_study.CHOLECT50.triplet_name(17), "keypoints": ["tip", "hinge"], "skeleton": []}
    path = project / "data/raw/annotations/coco/masks.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"images": images, "annotations": annotations, "categories": [category]}))
    params = project / "params.yaml"
    source = "{format: coco, folder: annotations/coco, vocabulary: cholect50, label_map: null, fps: null}"
    params.write_text(params.read_text().replace("    - {format: cholect50,", f"    - {source}\n    - {{format: cholect50,", 1))
    with (project / "data/raw/redactions.csv").open("a") as file:
        file.write(f"{PARTLY},,text,0,12,{','.join(map(str, RECTANGLE))},add\n")


def test_no_mask_and_no_point_of_a_release_shows_what_is_hidden(tmp_path, tmp_path_factory, monkeypatch):
    project = small_study.project(tmp_path / "study")
    label(project)
    small_study.release(small_study.share_store(project, tmp_path_factory))
    ids = pd.read_parquet(project / "data/private/linkage.parquet").set_index("recording")["id"]
    masks, points = (pd.read_parquet(project / f"data/release/tables/{name}.parquet") for name in ("masks", "points"))
    frames = pd.read_parquet(project / "data/release/tables/frames.parquet")
    black = frames.loc[(frames["id"] == ids[WHOLLY]) & frames["redacted"], "frame"]
    assert len(black)
    assert not set(black) & {*masks.loc[masks["id"] == ids[WHOLLY], "frame"], *points.loc[points["id"] == ids[WHOLLY], "frame"]}
    assert len(masks[masks["id"] == ids[SHOWN]])
    hidden = np.zeros(SIZE[::-1], bool)
    hidden[4:13, 4:25] = True  # the rectangle in pixels of the labelled picture, outwards
    for row in masks.itertuples():
        shown = rle.picture(rle.runs_of_text(row.counts, row.height, row.width), row.height, row.width)
        assert (shown == ~hidden).all() if row.id == ids[PARTLY] else shown.all()
    places = points[points["id"] == ids[PARTLY]].groupby("point")["visibility"].unique()
    assert {name: of.tolist() for name, of in places.items()} == {"hinge": [1], "tip": [0]}
    report = json.loads((project / "reports/annotations.json").read_text())
    assert report["totals"]["masks_cut"] == report["totals"]["points_hidden"] - len(black) * 2 > 0

    monkeypatch.setattr(details, "cleared", lambda runs, *_: runs)
    with pytest.raises(StageError, match="detail_shows_hidden"):
        small_study.regenerate(project, ("annotations", "validate"))
