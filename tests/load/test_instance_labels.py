"""Masks, points, tracks and marks of a release as arrays."""

import json
import shutil

import numpy as np
import pytest

import loadable_release
from ground_truths import write_ground_truth
from object_labels import ellipse, with_objects
from scrubin.base.errors import ReleaseError
from scrubin.base.tables import io
from scrubin.base.tables.private import HIDDEN
from scrubin.base.tables.public import public_tables
from scrubin.labels.masks import rle
from scrubin.load import Release, collate

LABELS = ["masks", "points", "tracks", "marks"]
NAMES = ("masks", "points", "tracks", "marks", "labelled")


@pytest.fixture(scope="module")
def folder(storages, tmp_path_factory):
    folder = loadable_release.copy(storages["loose"], tmp_path_factory.mktemp("drawn") / "release")
    made = {name: loadable_release.table_of(folder, name) for name in ("labelled", "triplets", "frames")}
    found = with_objects(made, ["abelo"], judged=(0, 2, 4))
    for name in NAMES:
        loadable_release.replace_table(folder, name, found[name])
    write_truth(folder)
    return folder


def write_truth(folder, hidden=()):
    """Write the ground truth of the tables anew; ``hidden`` are rows of the table of this name."""
    declared = [table for name, table in public_tables(()).items() if (folder / f"tables/{name}.parquet").is_file()]
    tables = {table.name: io.conform(table, loadable_release.table_of(folder, table.name)) for table in declared}
    shutil.rmtree(folder / "groundtruth")
    write_ground_truth(folder / "groundtruth", {**tables, "hidden": io.frame_of(HIDDEN, hidden)})
    shutil.rmtree(folder / "groundtruth_tables")


@pytest.fixture(scope="module")
def drawn(folder):
    return Release(folder)


def instances_of(release, frame):
    table = release.tables["triplets"]
    return table[(table["id"] == "abelo") & (table["frame"] == frame)].to_dict("records")


def test_masks_are_pixels_of_the_picture_one_for_each_instance(drawn):
    frames = drawn.frames(None, LABELS, task="Cholecystectomy", missing="mask")
    found = 0
    for item in frames:
        if not item["masks_mask"]:
            assert item["masks"].shape == (0, *item["image"].shape[:2])
            continue
        rows = instances_of(drawn, item["frame"])
        assert (item["masks"].shape, item["masks"].dtype) == ((len(rows), *item["image"].shape[:2]), np.bool_)
        assert item["masks_instances"].tolist() == [row["instance"] for row in rows]
        assert [frames.classes["masks"][id_] for id_ in item["masks_instruments"]] == [row["instrument"] for row in rows]
        for mask, row in zip(item["masks"], rows, strict=True):
            found += 1
            height, width = mask.shape
            exact = ellipse(row, (width, height))
            assert (mask & exact).sum() / (mask | exact).sum() > 0.9
    assert found == 4


@pytest.mark.slow
@pytest.mark.parametrize("storage", ["loose", "small"])
def test_what_is_hidden_of_a_frame_is_not_counted_as_in_the_ground_truth(storage, folder, storages, tmp_path):
    copy = loadable_release.copy(storages[storage], tmp_path / "release")
    for name in NAMES:
        loadable_release.replace_table(copy, name, loadable_release.table_of(folder, name))
    rows = [{"id": "abelo", "camera": "mono", "first_frame": 0, "last_frame": 0, "x": 11, "y": 5, "w": 30, "h": 20}]
    write_truth(copy, rows)
    document = json.loads((copy / "groundtruth/cholect50/masks.json").read_text())
    images = {(image["recording"], image["frame"]): image for image in document["images"]}
    assert sum("ignored" in image for image in images.values()) == 1

    def pixels(one):
        return rle.picture(rle.runs_of_text(one["counts"], *one["size"]), *one["size"])

    for item in Release(copy).frames(None, ["masks"], task="Cholecystectomy", missing="drop"):
        image = images[item["id"], item["frame"]]
        assert (item["masks_ignored"].shape, item["masks_ignored"].dtype) == (item["image"].shape[:2], np.bool_)
        assert (item["masks_ignored"] == (pixels(image["ignored"]) if "ignored" in image else False)).all()
        own = [one for one in document["annotations"] if one["image_id"] == image["id"]]
        assert [one["instance"] for one in own] == item["masks_instances"].tolist()
        for mask, one in zip(item["masks"], own, strict=True):
            assert (mask == pixels(one["segmentation"])).all()
            assert not (mask & item["masks_ignored"]).any()


@pytest.mark.slow
def test_masks_whose_hidden_pixels_nobody_can_name_are_refused(folder, tmp_path):
    copy = loadable_release.copy(folder, tmp_path / "release")
    path = copy / "groundtruth/cholect50/masks.json"
    for text, why in (("{}", "cannot be read"), (None, "is missing")):
        path.unlink()
        if text is not None:
            path.write_text(text)
        with pytest.raises(ReleaseError, match=rf"groundtruth/cholect50/masks.json {why}, which names the pixels that are not counted"):
            Release(copy).frames(None, ["masks"], task="Cholecystectomy")
        assert len(Release(copy).frames(None, ["points"], task="Cholecystectomy"))


def test_a_frame_that_was_looked_at_and_shows_no_instrument_has_no_mask_and_is_labelled(drawn):
    item = next(item for item in drawn.frames(None, LABELS, task="Cholecystectomy") if (item["id"], item["frame"]) == ("abelo", 2))
    assert item["masks_mask"]
    assert item["points_mask"]
    assert item["tracks_mask"]
    assert len(item["masks"]) == len(item["points"]) == len(item["tracks"]) == 0


def test_points_tracks_and_marks_are_those_of_the_tables(drawn):
    frames = drawn.frames(None, LABELS, task="Cholecystectomy")
    assert {name: frames.classes[name] for name in LABELS[1:]} == {"points": ("joint", "tip"), "tracks": ("track",), "marks": ("C1", "C2")}
    item = frames[0]
    rows = instances_of(drawn, 0)
    for place, row in zip(item["points"], rows, strict=True):
        assert place[1].tolist() == pytest.approx([row["x"] + row["w"] / 2, row["y"] + row["h"] / 2, 2])
        assert place[0].tolist() == pytest.approx([row["x"], row["y"], 1])
    assert item["tracks"].tolist() == [[1], [2]]
    marks = drawn.tables["marks"]
    own = marks[marks["frame"] == 4]
    at = next(item for item in frames if (item["id"], item["frame"]) == ("abelo", 4))
    assert at["marks_raters"].tolist() == [
        [own[(own["mark"] == m) & (own["rater"] == r)]["value"].item() for r in "123"] for m in ("C1", "C2")
    ]
    assert at["marks"].tolist() == pytest.approx(at["marks_raters"].mean(axis=1).tolist())
    unjudged = next(item for item in frames if (item["id"], item["frame"]) == ("abelo", 1))
    assert np.isnan(unjudged["marks"]).all()
    assert not unjudged["marks_mask"].any()


def test_targets_need_no_picture_and_missing_ones_are_left_out(drawn):
    frames = drawn.frames(None, ["masks", "marks"], missing="drop", include_hidden=True)
    assert frames.table["frame"].tolist() == [0, 2, 4]
    masks, mask = frames.targets("masks")
    means, known = frames.targets("marks")
    assert mask.all()
    assert known.all()
    assert ([len(of_frame) for of_frame in masks], means.shape) == ([2, 0, 0], (3, 2))


def test_items_of_different_numbers_of_instances_become_lists(drawn):
    frames = drawn.frames(None, LABELS, task="Cholecystectomy", missing="drop")
    batch = collate([frames[0], frames[1]])
    assert [len(masks) for masks in batch["masks"]] == [2, 0]
    assert batch["marks"].shape == (2, 2)


def test_the_other_camera_and_clips_have_none(drawn):
    assert not any(item["masks_mask"] for item in drawn.frames(None, ["masks"], task="PegTransfer", camera="right"))
    with pytest.raises(ValueError, match="masks belong to single frames"):
        drawn.clips(1, 1, 2, labels=["masks"])


def test_a_release_without_these_tables_has_nothing_labelled(release):
    for item in release.frames(None, LABELS, task="Cholecystectomy")[:2]:
        assert not item["masks_mask"]
        assert not item["points_mask"]
        assert not item["tracks_mask"]
        assert item["marks"].shape == (0,)


def test_a_mask_that_does_not_cover_its_picture_says_to_verify(folder, tmp_path):
    copy = loadable_release.copy(folder, tmp_path / "release")
    masks = loadable_release.table_of(copy, "masks")
    loadable_release.replace_table(copy, "masks", masks.assign(height=masks["height"] - 1))
    with pytest.raises(ReleaseError, match=r"tables/masks.parquet: .*scrubin verify"):
        Release(copy).frames(None, ["masks"], task="Cholecystectomy")[0]
