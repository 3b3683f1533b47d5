"""Pairs that are rectified while they are loaded, by the calibration of the release."""

from __future__ import annotations

import pickle
import shutil
from dataclasses import dataclass, replace

import cv2
import numpy as np
import pandas as pd
import pytest

import loadable_release
from ground_truths import write_ground_truth
from scrubin.base.errors import CalibrationError, ReleaseError
from scrubin.base.files import write_text
from scrubin.base.tables import io
from scrubin.base.tables.private import HIDDEN
from scrubin.base.tables.public import LABELLED, MASKS, POINTS, TRACKS, TRIPLETS, public_tables
from scrubin.data.load import stereo
from scrubin.data.load.stereo import rectified_pairs
from scrubin.data.load.warnings import EmptyDatasetWarning
from scrubin.labels.masks import rle
from scrubin.load import Release
from scrubin.media.rigs import rig_file, written_rig
from scrubin.media.rigs.rig import rectification, rectified, seen
from scrubin.stages.stereo import drawing


@pytest.fixture
def calibrated(storages, tmp_path):
    """A release of small PNG frames of which one recording is calibrated, for its videos."""
    folder = loadable_release.copy(storages["small"], tmp_path / "release")
    video = loadable_release.table_of(folder, "videos").set_index("id").loc["cimeto"].iloc[0]
    rig = drawing.rig(np.random.default_rng(1), (int(video["width"]), int(video["height"])))
    for path, text in written_rig.documents({"Olympus 2": rig}, {"cimeto": "Olympus 2"}).items():
        write_text(folder / path, text)
    return folder, rig


def test_pairs_are_rectified_at_the_size_of_the_frames(calibrated):
    folder, rig = calibrated
    release = Release(folder)
    plain, pairs = release.stereo("balanced/train"), release.stereo("balanced/train", rectified=0.5)
    assert len(pairs) == len(plain) == 7
    assert pairs.left_out["uncalibrated"] == 0
    height, width = plain[0]["left"].shape[:2]
    way = rectification(rig.scaled(width, height), 0.5)
    for side in ("left", "right"):
        assert np.array_equal(pairs[3][side], rectified(plain[3][side], way.maps(side)))
    assert not np.array_equal(pairs[3]["left"], plain[3]["left"])
    assert np.array_equal(pickle.loads(pickle.dumps(pairs))[3]["right"], pairs[3]["right"])
    assert np.allclose(release.rig("cimeto").rotation, rig.rotation)


def test_the_transform_gets_rectified_pictures(calibrated):
    release = Release(calibrated[0])
    means = release.stereo("balanced/train", rectified=0.0, transform=lambda picture: float(picture.mean()))
    pairs = release.stereo("balanced/train", rectified=0.0)
    assert means[2]["left"] == pairs[2]["left"].mean()


def test_recordings_without_calibration_are_left_out_and_counted(calibrated, release):
    calibrated_release = Release(calibrated[0])
    pairs = calibrated_release.stereo(rectified=0.0)
    assert set(pairs.table["id"]) == {"cimeto"}
    assert pairs.left_out["uncalibrated"] == 7
    with pytest.warns(EmptyDatasetWarning, match="7 pairs are of recordings without calibration: rectified=None keeps them"):
        calibrated_release.stereo("balanced/test", rectified=0.0)
    with pytest.raises(ReleaseError, match="has no calibration of its cameras"):
        release.stereo(rectified=0.0)
    for wrong in (2, "0", True, float("nan")):
        with pytest.raises(ValueError, match=f"rectified={wrong!r}: it is alpha, from 0 .* to 1"):
            calibrated_release.stereo(rectified=wrong)
    with pytest.raises(ValueError, match="no calibration of 'cimetto': did you mean 'cimeto'"):
        calibrated_release.rig("cimetto")


def test_calibrations_are_parsed_once_for_a_release_not_for_each_recording_asked_for(calibrated, monkeypatch):
    release, parsed, read = Release(calibrated[0]), [], rig_file.read
    monkeypatch.setattr(rig_file, "read", lambda path, name, **how: parsed.append(name) or read(path, name, **how))
    assert release.rig("cimeto") is release.rig("cimeto")
    assert len(parsed) == 1


def test_a_calibration_of_another_shape_is_an_error_and_no_stretched_picture(calibrated):
    folder, rig = calibrated
    (folder / "calibration/rig_1.yaml").unlink()
    wide = rig.cropped((0, 0, rig.width, rig.height // 2))
    for path, text in written_rig.documents({"a": wide}, {"cimeto": "a"}).items():
        write_text(folder / path, text)
    with pytest.raises(ReleaseError, match="recording 'cimeto': its calibration does not fit its pictures"):
        Release(folder).stereo("balanced/train", rectified=0.0)[0]


def test_a_release_with_a_lens_model_that_folds_is_read_without_opencv_and_refused_from_a_curator(calibrated, monkeypatch):
    folder, rig = calibrated
    (path,) = (folder / "calibration").glob("*.yaml")
    bent = replace(rig.left, distortion=np.array([-0.9, 0.05, 0, 0, 0]))
    text = written_rig.documents({"a": replace(rig, left=bent)}, {"cimeto": "a"})["calibration/rig_1.yaml"]
    path.write_text(text)
    corner = np.array([[0.0, 0.0], bent.matrix[:2, 2]])
    assert np.isfinite(rectification(Release(folder).rig("cimeto"), 0.0).points(corner, "left")).all(axis=1).tolist() == [False, True]
    monkeypatch.setattr("scrubin.media.rigs.rig.opencv", None)
    assert len(Release(folder).stereo("balanced/train", rectified=0.0)) == 7
    with pytest.raises(CalibrationError, match="the lens model of the left camera folds in"):
        rig_file.read(path, "rig.yaml")


def test_released_calibrations_tell_neither_names_nor_order_nor_days(tmp_path):
    rigs = {name: replace(drawing.rig(np.random.default_rng(seed)), date="2024-03-18") for name, seed in (("Theatre 3", 1), ("Meyer", 2))}
    made = written_rig.documents(rigs, {"abelo": "Meyer", "cimeto": "Theatre 3", "borunga": "Meyer"})
    for meyer, theatre in (("a", "b"), ("b", "a")):
        renamed = {meyer: rigs["Meyer"], theatre: rigs["Theatre 3"]}
        assert made == written_rig.documents(renamed, {"cimeto": theatre, "borunga": meyer, "abelo": meyer})
    assert sorted(made) == ["calibration/rig_1.yaml", "calibration/rig_2.yaml"]
    together = "".join(made.values())
    assert not any(word in together for word in ("Theatre", "Meyer", "date", "2024"))
    made = written_rig.documents(rigs, {"abelo": "Meyer", "cimeto": "Theatre 3", "borunga": "Meyer"}, with_year=True)
    assert not any("03-18" in text for text in made.values())
    for path, text in made.items():
        write_text(tmp_path / path, text)
    assert {id_: rig.date for id_, rig in written_rig.rigs(tmp_path).items()} == dict.fromkeys(("abelo", "borunga", "cimeto"), "2024")
    write_text(tmp_path / "calibration/rig_3.yaml", made["calibration/rig_1.yaml"])
    with pytest.raises(CalibrationError, match="stands in another calibration, too"):
        written_rig.rigs(tmp_path)


SIZE = (96, 64)
DISCS = {0: [(30, 24, 10)], 2: [(80, 50, 9), (1, 1, 1)], 3: []}
"""By frame: centre and radius in px; the second disc of frame 2 is outside of what is left with alpha 0."""


def disc(x, y, radius):
    return cv2.circle(np.zeros(SIZE[::-1], np.uint8), (x, y), radius, 255, -1)


def _write(folder, table, rows):
    path = folder / f"tables/{table.name}.parquet"
    path.unlink()
    io.write(table, rows, path)


@pytest.fixture
def painted(storages, tmp_path):
    """A calibrated release in whose left pictures discs are painted and labelled, with a rectangle hidden in frame 0."""
    folder = loadable_release.copy(storages["png"], tmp_path / "release")
    rig = drawing.rig(np.random.default_rng(1), SIZE)
    for path, text in written_rig.documents({"a": rig}, {"cimeto": "a"}).items():
        write_text(folder / path, text)
    frames = loadable_release.table_of(folder, "frames")
    triplets, masks, points, tracks, labelled = [], [], [], [], []
    for frame, discs in DISCS.items():
        own = (frames["id"] == "cimeto") & (frames["camera"] == "left") & (frames["frame"] == frame)
        path = folder / frames.loc[own, "path"].iloc[0]
        path.unlink()
        picture = np.zeros((*SIZE[::-1], 3), np.uint8)
        labelled.append(loadable_release._labelled("cimeto", "instances", frame, "instrument"))
        for number, (x, y, radius) in enumerate(discs):
            own = disc(x, y, radius)
            picture[own > 0] = 255
            box = {"x": (x - radius) / 96, "y": (y - radius) / 64, "w": (2 * radius + 1) / 96, "h": (2 * radius + 1) / 64}
            triplets.append(loadable_release._instrument("cimeto", frame, number, number) | box)
            key = {"id": "cimeto", "frame": frame, "instance": number}
            text = rle.text_of_runs(rle.runs_of_picture(own > 0))
            masks.append({**key, "width": 96, "height": 64, "counts": text})
            points.append({**key, "point": "tip", "x": (x + 0.5) / 96, "y": (y + 0.5) / 64, "visibility": 2})
            tracks.append({**key, "kind": "track", "track": number + 7})
        cv2.imwrite(str(path), picture)
    for table, rows in ((TRIPLETS, triplets), (MASKS, masks), (POINTS, points), (TRACKS, tracks)):
        _write(folder, table, io.frame_of(table, rows))
    listed = pd.concat([loadable_release.table_of(folder, "labelled"), pd.DataFrame(labelled)])
    listed = listed[(listed["id"] == "cimeto") | (listed["layer"] == "phases")]
    _write(folder, LABELLED, io.conform(LABELLED, listed))
    tables = {
        name: io.conform(table, loadable_release.table_of(folder, name))
        for name, table in public_tables(()).items()
        if (folder / f"tables/{name}.parquet").is_file()
    }
    black = {"id": "cimeto", "camera": "left", "first_frame": 0, "last_frame": 0, "x": 20, "y": 14, "w": 8, "h": 6}
    shutil.rmtree(folder / "groundtruth")
    write_ground_truth(folder / "groundtruth", {**tables, "hidden": io.frame_of(HIDDEN, [black])})
    return folder, rig


PLACED = ["boxes", "masks", "points", "tracks", "instruments"]


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_labels_lie_on_what_they_are_of_in_rectified_pictures(painted, alpha):
    folder, rig = painted
    release = Release(folder)
    pairs = release.stereo("balanced/train", PLACED, missing="drop", rectified=alpha)
    plain = release.stereo("balanced/train", PLACED, missing="drop")
    way = rectification(rig, alpha)
    maps = way.maps("left")
    assert [pair["frame"] for pair in pairs] == [0, 2, 3]
    for pair, recorded in zip(pairs, plain, strict=True):
        shown = pair["left"][..., 0] > 127
        assert shown.any() == bool(DISCS[pair["frame"]])
        ignored = cv2.remap(recorded["masks_ignored"].astype(np.float32), *maps, cv2.INTER_LINEAR) > 0
        assert np.array_equal(pair["masks_ignored"], ignored | ~seen(maps))
        assert ignored.any() == (pair["frame"] == 0)
        for number in range(len(pair["masks"])):
            x, y, radius = DISCS[pair["frame"]][number]
            own = rectified(disc(x, y, radius), maps) > 127
            mask, counted = pair["masks"][number], ~pair["masks_ignored"]
            assert not (mask & ~counted).any()
            assert (mask & own).sum() / ((mask | own) & counted).sum() > 0.9 - 0.6 * (radius < 2)
            rows, columns = np.nonzero(own)
            box = pair["boxes"][number] * [96, 64, 96, 64]
            edges = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
            off = np.abs([box[0], box[1], box[0] + box[2], box[1] + box[3]] - np.array(edges))
            assert off.max() < 2 + 0.15 * radius
            tip = pair["points"][number, 0]
            assert tip[2] == 2
            assert np.abs(tip[:2] * [96, 64] - 0.5 - [columns.mean(), rows.mean()]).max() < 0.6
        assert pair["tracks"].tolist() == recorded["tracks"].tolist()
        assert pair["instruments"].tolist() == recorded["instruments"].tolist()
    values, mask = pairs.left.targets("boxes")
    assert mask.all()
    assert np.array_equal(values[0], pairs[0]["boxes"])
    assert not np.array_equal(pairs[0]["boxes"], plain[0]["boxes"])


def test_what_leaves_the_rectified_picture_is_left_out_of_its_labels(painted):
    pair = Release(painted[0]).stereo("balanced/train", PLACED, missing="drop", rectified=0.0)[1]
    assert len(pair["boxes"]) == len(pair["masks"]) == 1
    assert pair["boxes_instruments"].tolist() == pair["masks_instruments"].tolist() == pair["masks_instances"].tolist() == [0]
    assert pair["boxes_triplets"].shape == (1,)
    assert pair["points"].shape == (2, 1, 3)
    assert np.isnan(pair["points"][1, 0, :2]).all()
    assert pair["points"][1, 0, 2] == 0
    assert pair["boxes_mask"]
    assert pair["tracks"].tolist() == [[7], [8]]


@pytest.mark.parametrize("strength", [-0.3, -0.4])
def test_what_a_strong_lens_moves_out_of_the_picture_does_not_stretch_its_boxes(strength):
    width, height = 480, 300
    lens = {"matrix": np.array([[480.0, 0, 243], [0, 480, 146], [0, 0, 1]]), "distortion": np.array([strength, 0.05, 0, 0, 0])}
    rig = drawing.rig(np.random.default_rng(1), (width, height))
    way = rectification(replace(rig, left=replace(rig.left, **lens), right=replace(rig.right, **lens)), 0.0)
    # Where each pixel of the rectified picture was recorded, from the corner of the picture.
    column, row = (recorded + 0.5 for recorded in way.maps("left"))
    rng = np.random.default_rng(0)
    off, kept_without = [], 0
    for _ in range(400):
        size = rng.uniform(0.04, (0.3, 0.4))
        box = np.concatenate([rng.uniform(0, 1 - size), size])
        moved, kept = stereo._boxes(box[None].astype(np.float32), way)
        x, y, w, h = box * [width, height, width, height]
        rows, columns = np.nonzero((column >= x) & (column <= x + w) & (row >= y) & (row <= y + h))
        if not len(rows):
            kept_without += int(kept[0])
            continue
        x, y, w, h = moved[0] * [width, height, width, height]
        off.append(np.abs([x - columns.min(), y - rows.min(), x + w - columns.max() - 1, y + h - rows.max() - 1]).max())
    # No centre of a pixel lies in a sliver at the edge, which a few boxes have.
    assert np.quantile(off, 0.99) < 1
    assert max(off) < 10
    assert kept_without <= 1
    assert len(off) > 300


def test_no_pixel_that_depends_on_a_hidden_one_is_counted():
    rng = np.random.default_rng(3)
    maps = rectification(drawing.rig(rng, (320, 240)), 0.5).maps("left")
    for _ in range(40):
        hidden = np.zeros((240, 320), np.bool_)
        x, y = rng.integers(0, 290), rng.integers(0, 210)
        hidden[y : y + rng.integers(2, 30), x : x + rng.integers(2, 30)] = True
        picture = rng.integers(0, 256, hidden.shape, dtype=np.uint8)
        black, white = (rectified(np.where(hidden, grey, picture).astype(np.uint8), maps) for grey in (0, 255))
        _, ignored = stereo._masks(np.zeros((0, *hidden.shape), np.bool_), hidden, maps)
        assert not ((black != white) & ~ignored).any()


def test_boxes_and_points_without_a_place_in_the_rectified_picture_are_left_out_and_not_labelled():
    lens = {"matrix": np.array([[528.0, 0, 482], [0, 530, 268], [0, 0, 1]]), "distortion": np.array([-0.33, 0.016, 0, 0, 0])}
    rig = drawing.rig(np.random.default_rng(1), (960, 540))
    way = rectification(replace(rig, left=replace(rig.left, **lens), right=replace(rig.right, **lens)), 1.0)
    _, kept = stereo._boxes(np.array([[0.45, 0.45, 0.1, 0.1], [0.0, 0.0, 0.2, 0.2]], np.float32), way)
    assert kept.tolist() == [True, False]
    points = stereo._points(np.array([[[0.5, 0.5, 2], [0.01, 0.01, 2]]], np.float32), way)
    assert points[0, :, 2].tolist() == [2, 0]
    assert np.isnan(points[0, 1, :2]).all()


def test_labels_that_nobody_can_rectify_are_refused_by_name(calibrated):
    @dataclass
    class Outlines:
        name = "outlines"

    pairs = Release(calibrated[0]).stereo("balanced/train")
    pairs = replace(pairs, left=replace(pairs.left, labels=(Outlines(),)))
    with pytest.raises(ValueError, match="labels 'outlines' cannot be rectified: take them with rectified=None"):
        rectified_pairs(pairs, calibrated[0], 0.0)


def test_labels_and_what_is_missing_of_them_are_of_the_left_camera(painted):
    for kind in PLACED:
        pairs = Release(painted[0]).stereo("balanced/train", [kind], missing="drop")
        assert [pair["frame"] for pair in pairs] == [0, 2, 3]
        assert pairs.left_out == {"hidden": 0, "unpaired": 0, "unlabelled": 4}


def test_pairs_of_two_instants_are_left_out_and_counted(changed):
    frames = loadable_release.table_of(changed, "frames")
    late = (frames["id"] == "cimeto") & (frames["camera"] == "right") & frames["frame"].isin([2, 5])
    frames.loc[late, "time_s"] += 0.05
    frames.loc[late & (frames["frame"] == 5), "time_s"] -= 0.03  # 20 ms: less than half a frame of 20 per second
    loadable_release.replace_table(changed, "frames", frames)
    pairs = Release(changed).stereo("balanced/train")
    assert [pair["frame"] for pair in pairs] == [0, 1, 3, 4, 5, 6]
    assert pairs.left_out == {"hidden": 0, "unpaired": 0, "apart": 1}
    frames.loc[(frames["id"] == "cimeto") & (frames["camera"] == "right"), "time_s"] += 0.1
    loadable_release.replace_table(changed, "frames", frames)
    with pytest.warns(
        EmptyDatasetWarning, match="7 pairs are of two instants, half a frame or more apart: the clocks of both cameras differ"
    ):
        Release(changed).stereo("balanced/train")
