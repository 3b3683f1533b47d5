"""Masks, points, tracks and marks through the real pipeline: from label files to the release, its ground truth and what reads them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import small_study
from scrubin.cli import main
from scrubin.labels.masks import rle
from scrubin.load import Release

pytestmark = pytest.mark.slow

WIDTH, HEIGHT = 96, 64
HIDDEN = (16, 8, 24, 16)
"""Left, top, width and height of what is hidden of the whole recording."""
BOXES = ((8, 4, 40, 24), (60, 30, 20, 20))


def mask(box):
    x, y, w, h = box
    pixels = np.zeros((HEIGHT, WIDTH), bool)
    pixels[y : y + h, x : x + w] = True
    return pixels


def coco():
    images = [{"id": second + 1, "file_name": f"peg_02/{20 * second:06d}.jpg", "width": WIDTH, "height": HEIGHT} for second in range(2)]
    annotations = [
        {
            **{"id": 2 * second + at + 1, "image_id": second + 1, "category_id": at + 1, "bbox": list(box), "iscrowd": 0},
            "area": box[2] * box[3],
            "segmentation": {"size": [HEIGHT, WIDTH], "counts": rle.runs_of_picture(mask(box)).tolist()},
            "keypoints": [box[0] + box[2] / 2, box[1] + box[3] / 2, 2, box[0], box[1], 1],
            "num_keypoints": 2,
            "track_id": at + 5,
        }
        for second in range(2)
        for at, box in enumerate(BOXES)
    ]
    categories = [{"id": at + 1, "name": name, "keypoints": ["middle", "corner"]} for at, name in enumerate(("grasper", "hook"))]
    return {"images": images, "annotations": annotations, "categories": categories}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = small_study.project(tmp_path_factory.mktemp("drawn") / "project")
    annotations = folder / "data/raw/annotations"
    (annotations / "coco").mkdir()
    (annotations / "coco/all.json").write_text(json.dumps(coco()))
    (annotations / "cvschallenge/operation_00").mkdir(parents=True)
    rows = [f"{25 * second},{int(second > 3)},{int(second > 5)},1" for second in range(0, 12, 2)]
    (annotations / "cvschallenge/operation_00/frame.csv").write_text("\n".join(["frame_id,c1_rater1,c1_rater2,c1_rater3", *rows, ""]))
    with (folder / "data/raw/redactions.csv").open("a") as file:
        file.write(f"peg_02,,text,,,{','.join(map(str, HIDDEN))},add\n")
    small_study.release(folder)
    return folder


@pytest.fixture(scope="module")
def release(project):
    return project / "data/release"


def recording(project, name):
    linkage = pd.read_parquet(project / "data/private/linkage.parquet")
    return str(linkage.loc[linkage["recording"] == name, "id"].iloc[0])


def test_the_release_has_what_was_drawn_less_what_is_hidden(project, release):
    id_ = recording(project, "peg_02")
    masks, points, tracks = (pd.read_parquet(release / f"tables/{name}.parquet") for name in ("masks", "points", "tracks"))
    assert set(masks["id"]) == set(points["id"]) == set(tracks["id"]) == {id_}
    for row in masks.itertuples():
        shown = rle.picture(rle.runs_of_text(row.counts, row.height, row.width), row.height, row.width)
        assert np.array_equal(shown, mask(BOXES[row.instance]) & ~mask(HIDDEN))
    middle = points[points["point"] == "middle"].set_index(["frame", "instance"])
    assert middle["visibility"].tolist() == [0, 2, 0, 2]
    assert tracks.groupby("instance")["track"].unique().map(list).to_dict() == {0: [5], 1: [6]}
    marks = pd.read_parquet(release / "tables/marks.parquet")
    assert set(marks["rater"]) == {"1", "2", "3"}
    assert len(marks) == 18


def test_the_release_is_sound_and_its_ground_truth_of_its_tables(release, capsys):
    assert main(["verify", str(release)]) == 0
    assert main(["ground-truth-check", str(release / "groundtruth")]) == 0
    assert main(["validate", str(release)]) == 0


def test_the_loader_and_exports_give_them(project, release, tmp_path, capsys):
    id_ = recording(project, "peg_02")
    frames = Release(release).frames(labels=["masks", "points", "tracks"], task="PegTransfer")
    drawn = [item for item in frames if item["masks_mask"]]
    assert {item["id"] for item in drawn} == {id_}
    for item in drawn:
        assert item["masks"].shape == (2, HEIGHT, WIDTH)
        assert np.array_equal(item["masks"][0], mask(BOXES[0]) & ~mask(HIDDEN))
        # What is hidden is black, and no mask shows an outline in it.
        x, y, w, h = HIDDEN
        assert item["image"][y + 2 : y + h - 2, x + 2 : x + w - 2].max() < 40
    assert main(["export", str(release), str(tmp_path / "hf"), "--to", "huggingface"]) == 0


def test_documents_name_the_kinds(release):
    said = (release / "metadata/datasheet.md").read_text()
    assert "4 masks." in said
    assert "18 marks of annotators." in said
    described = json.loads((release / "croissant.json").read_text())
    named = {one["@id"] for one in described["recordSet"]} | {one["@id"] for one in described["distribution"]}
    assert {"masks", "points", "tracks", "marks", "mask-files", "point-files", "track-files", "mark-files"} <= named
