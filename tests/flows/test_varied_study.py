"""What few studies have goes through the whole pipeline: into the release, its ground truth and what reads them, less what is hidden."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pandas as pd
import pytest

import clips
import made_once
import small_study
from scrubin import cli
from scrubin.base.errors import StageError
from scrubin.base.params import SECTIONS
from scrubin.base.store import store
from scrubin.labels.masks import rle
from scrubin.load import Release
from scrubin.media.rigs.rig_file import read
from scrubin.stages.annotations import details
from scrubin.stages.stereo.samples import Matches, features, matches
from varied_study import (
    BOTH_VIEWS,
    BOXES,
    DRAWN,
    HIDDEN,
    IN_PARTS,
    OUTLINED,
    PARTLY,
    RIG,
    SHOWN,
    SIZE,
    WHOLLY,
    cut_into_parts,
    mask,
    project,
    rig,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return project(tmp_path_factory.mktemp("raw") / "project")


@pytest.fixture(scope="module")
def whole(raw, tmp_path_factory):
    folder = made_once.copy(raw, tmp_path_factory.mktemp("whole") / "project")
    cut_into_parts(folder)
    small_study.regenerate(small_study.share_store(folder, tmp_path_factory))
    return folder


@pytest.fixture(scope="module")
def release(whole):
    return whole / "data/release"


@pytest.fixture(scope="module")
def ids(whole):
    return pd.read_parquet(whole / "data/private/linkage.parquet").set_index("recording")["id"]


def table(folder, name):
    return pd.read_parquet(folder / f"data/tables/{name}.parquet")


def shown(row):
    return rle.picture(rle.runs_of_text(row.counts, row.height, row.width), row.height, row.width)


def test_the_released_calibration_is_that_of_the_released_pictures_and_says_nothing_private(release, ids):
    (path,) = (release / "calibration").iterdir()
    text = path.read_text(encoding="utf-8")
    assert path.name == "rig_1.yaml"
    assert not any(word in text for word in (RIG, "Mansfield", DRAWN, "2024", "date"))
    back = read(path, path.name)
    assert back.recordings == (ids[DRAWN],)
    assert back.size == (320, 180)
    assert np.array_equal(back.right.matrix, rig()[1].right.matrix)
    for name in ("README.md", "data_dictionary.md", "croissant.json", "metadata/files.csv", "SHA256SUMS"):
        assert "calibration/" in (release / name).read_text(encoding="utf-8"), name


def test_its_pairs_were_found_sound_and_pairs_without_a_rig_stop_nothing(whole):
    stereo = pd.read_parquet(whole / "data/interim/stereo.parquet")
    (own,) = stereo[stereo.rig == "rig_1"].to_dict("records")
    assert pd.isna([own["error"], own["warning"], own["undecided"]]).all()
    assert abs(own["offset_px"]) < 0.3
    assert own["matches"] > 300
    others = stereo[stereo.rig.isna()]
    assert len(others) == small_study.PEG_TRANSFERS - 1
    assert others.error.isna().all()
    verdicts = json.loads((whole / "data/interim/validation.json").read_text(encoding="utf-8"))
    (fits,) = [one for one in verdicts["outcomes"] if one["rule"] == "stereo_fits"]
    assert fits["result"] == "passed"
    assert "Stereo pairs" in (whole / "reports/index.html").read_text(encoding="utf-8")


def test_rows_of_its_released_frames_agree_once_rectified_and_not_before(release, ids):
    def off(rectified):
        pairs = Release(release).stereo(rectified=rectified)
        seen = [pair for pair in map(pairs.__getitem__, range(len(pairs))) if not pair["hidden"] and pair["id"] == ids[DRAWN]]
        found = Matches.of_all([matches(*(features(np.asarray(one[side])[..., ::-1]) for side in ("left", "right"))) for one in seen])
        return float(np.median(np.abs(found.left[:, 1] - found.right[:, 1])))

    assert off(0.0) < 0.5 < off(None)


def test_exchanged_cameras_stop_the_release_and_say_so(whole, enter):
    folder = enter(whole)
    manifest = folder / "data/raw/recordings.csv"
    text = manifest.read_text(encoding="utf-8")
    swapped = text.replace(f"{DRAWN}_left", "X").replace(f"{DRAWN}_right", f"{DRAWN}_left").replace("X", f"{DRAWN}_right")
    manifest.write_text(swapped, encoding="utf-8")
    with pytest.raises(StageError, match=r"(?s)table 'stereo'.*rule stereo_fits.*swapped.*exchange the files"):
        small_study.regenerate(folder)


def test_each_view_of_one_picture_is_released_with_its_own_pictures(whole, release, ids, tmp_path_factory):
    cameras = small_study.finished(tmp_path_factory) / "data/raw/videos"
    drawn = {camera: clips.pictures(cameras / f"{BOTH_VIEWS}_{camera}.mkv", SIZE) for camera in ("left", "right")}
    videos = table(whole, "videos").set_index(["id", "camera"]).loc[ids[BOTH_VIEWS]]
    assert list(videos.index) == ["left", "right"]
    for camera, row in videos.iterrows():
        assert (row["width"], row["height"], row["frame_count"]) == (*SIZE, len(drawn[camera]))
        released = clips.pictures(release / row["path"], SIZE)
        other = drawn["right" if camera == "left" else "left"]
        own = np.mean([np.abs(one.astype(int) - two).mean() for one, two in zip(released, drawn[camera], strict=True)])
        assert own < 0.5 * np.mean([np.abs(one.astype(int) - two).mean() for one, two in zip(released, other, strict=True)])


def test_a_recording_in_parts_is_released_with_the_same_frames_labels_and_times(raw, whole, ids, tmp_path):
    joined = made_once.copy(raw, tmp_path / "joined")
    shutil.copytree(whole / store.STORE_PATH, joined / store.STORE_PATH)
    small_study.regenerate(joined, SECTIONS[1 : SECTIONS.index("validate")])
    files = pd.read_parquet(whole / "data/interim/parts.parquet")
    own = files[files["recording"] == IN_PARTS]
    assert own[["first_frame", "frame_count", "start_s"]].to_numpy().tolist() == [[0, 100, "0"], [0, 100, "4"], [0, 100, "8"]]
    for name in ("frames", "phases", "triplets", "masks", "labelled", "splits", "skill"):
        pd.testing.assert_frame_equal(table(joined, name), table(whole, name))
    videos = [table(folder, "videos").drop(columns="sha256") for folder in (joined, whole)]
    pd.testing.assert_frame_equal(*videos)
    path = videos[1].set_index("id").loc[ids[IN_PARTS], "path"]
    pictures = [clips.pictures(folder / path, SIZE) for folder in (joined / "data/unreleased", whole / "data/release")]
    assert all((one == other).all() for one, other in zip(*pictures, strict=True))


def test_the_release_has_what_was_drawn_less_what_is_hidden(release, ids):
    id_ = ids[OUTLINED]
    masks, points, tracks = (pd.read_parquet(release / f"tables/{name}.parquet") for name in ("masks", "points", "tracks"))
    assert set(masks["id"]) == set(points["id"]) == set(ids[[OUTLINED, WHOLLY, PARTLY, SHOWN]])
    assert set(tracks["id"]) == {id_}
    own = masks[masks["id"] == id_]
    assert len(own) == 4
    for row in own.itertuples():
        assert np.array_equal(shown(row), mask(BOXES[row.instance]) & ~mask(HIDDEN))
    middle = points[points["point"] == "middle"].set_index(["frame", "instance"])
    assert middle["visibility"].tolist() == [0, 2, 0, 2]
    assert tracks.groupby("instance")["track"].unique().map(list).to_dict() == {0: [5], 1: [6]}
    marks = pd.read_parquet(release / "tables/marks.parquet")
    assert set(marks["rater"]) == {"1", "2", "3"}
    assert len(marks) == 18
    said = (release / "metadata/datasheet.md").read_text()
    assert f"{len(masks)} masks." in said
    assert "18 marks of annotators." in said
    described = json.loads((release / "croissant.json").read_text())
    named = {one["@id"] for one in described["recordSet"]} | {one["@id"] for one in described["distribution"]}
    assert {"masks", "points", "tracks", "marks", "mask-files", "point-files", "track-files", "mark-files"} <= named


def test_the_release_is_sound_and_its_ground_truth_of_its_tables(release, capsys):
    assert cli.main(["verify", str(release)]) == 0
    assert cli.main(["ground-truth-check", str(release / "groundtruth")]) == 0
    assert cli.main(["validate", str(release)]) == 0


def test_the_loader_and_exports_give_masks(release, ids, tmp_path, capsys):
    frames = Release(release).frames(labels=["masks", "points", "tracks"], task="PegTransfer")
    drawn = [item for item in frames if item["masks_mask"]]
    assert {item["id"] for item in drawn} == {ids[OUTLINED]}
    for item in drawn:
        assert item["masks"].shape == (2, *SIZE[::-1])
        assert np.array_equal(item["masks"][0], mask(BOXES[0]) & ~mask(HIDDEN))
        # What is hidden is black, and no mask shows an outline in it.
        x, y, w, h = HIDDEN
        assert item["image"][y + 2 : y + h - 2, x + 2 : x + w - 2].max() < 40
    assert cli.main(["export", str(release), str(tmp_path / "hf"), "--to", "huggingface"]) == 0


def test_no_mask_and_no_point_of_a_release_shows_what_is_hidden(whole, ids, enter, monkeypatch):
    folder = enter(whole)
    masks, points, frames = (pd.read_parquet(folder / f"data/release/tables/{name}.parquet") for name in ("masks", "points", "frames"))
    black = frames.loc[(frames["id"] == ids[WHOLLY]) & frames["redacted"], "frame"]
    assert len(black)
    assert not set(black) & {*masks.loc[masks["id"] == ids[WHOLLY], "frame"], *points.loc[points["id"] == ids[WHOLLY], "frame"]}
    assert len(masks[masks["id"] == ids[SHOWN]])
    hidden = np.zeros((32, 48), bool)
    hidden[4:13, 4:25] = True  # the rectangle in pixels of the labelled picture, outwards
    for row in masks[masks["id"].isin(ids[[WHOLLY, PARTLY, SHOWN]])].itertuples():
        assert (shown(row) == ~hidden).all() if row.id == ids[PARTLY] else shown(row).all()
    places = points[points["id"] == ids[PARTLY]].groupby("point")["visibility"].unique()
    assert {name: of.tolist() for name, of in places.items()} == {"hinge": [1], "tip": [0]}
    report = json.loads((folder / "reports/annotations.json").read_text())
    assert report["totals"]["masks_cut"] == report["totals"]["points_hidden"] - len(black) * 2 > 0

    monkeypatch.setattr(details, "cleared", lambda runs, *_: runs)
    with pytest.raises(StageError, match="detail_shows_hidden"):
        small_study.regenerate(folder, ("annotations", "validate"))
