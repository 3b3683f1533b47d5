"""What whole recordings have: scores, errors, phases, pairs, and the ground truth of a subset."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import loadable_release
from scrubin.base.errors import ReleaseError
from scrubin.cli import main
from scrubin.data.load.warnings import EmptyDatasetWarning
from scrubin.load import Release, collate


def test_skill_is_the_table_of_the_subset(release):
    skill = release.skill("balanced/train")
    assert skill.index.tolist() == ["cimeto"]
    assert skill.loc["cimeto", ["task", "GRS", "n_ratings"]].tolist() == ["PegTransfer", 0.75, 3]
    assert np.isnan(release.skill(task="PegTransfer").loc["dovanu", "GRS"])
    assert len(release.skill(task="Cholecystectomy")) == 0


def test_errors_have_a_column_each_and_missing_is_missing(changed):
    errors = Release(changed).errors()
    assert errors.loc["cimeto", ["cut", "drop"]].tolist() == [False, True]
    table = loadable_release.table_of(changed, "errors")
    loadable_release.replace_table(changed, "errors", table[(table["id"] != "dovanu") | (table["error"] != "cut")])
    assert Release(changed).errors().loc["dovanu", "cut"] is pd.NA
    assert len(Release(changed).errors("balanced/test")) == 1


def test_phases_are_the_sequence_of_the_ground_truth(release):
    phases = release.phases("abelo")
    truth = pd.read_csv(release.folder / "groundtruth/cholect50/phases/abelo.csv", dtype={"phase": "str"})
    assert phases.drop(columns="time_s").equals(truth[["frame", "phase_id", "phase", "hidden"]])
    assert phases["time_s"].is_monotonic_increasing
    assert len(release.phases("cimeto")) == 0
    with pytest.raises(ValueError, match="no recording 'abelu': did you mean 'abelo'"):
        release.phases("abelu")


def test_phases_of_all_recordings_take_one_reading_of_the_frames(release, monkeypatch):
    opened = Release(release.folder)
    read, ids, columns = [], opened.recordings.index, opened.tables.columns
    monkeypatch.setattr(opened.tables, "columns", lambda name, wanted: read.append(name) or columns(name, wanted))
    every = {id_: opened.phases(id_) for id_ in ids}
    assert read.count("frames") == 1
    for id_, phases in every.items():
        pd.testing.assert_frame_equal(phases, Release(release.folder).phases(id_))
    assert [*map(len, every.values())].count(0) not in (0, len(every))
    assert {len({*phases.dtypes.items()} ^ {*every["abelo"].dtypes.items()}) for phases in every.values()} == {0}


def test_pairs_are_both_pictures_of_a_number(release):
    pairs = release.stereo("balanced/train", ["errors"])
    assert repr(pairs) == "StereoDataset(7 pairs of 'balanced/train'; left out: 0 hidden, 0 unpaired)"
    left, right = (release.frames("balanced/train", camera=camera) for camera in ("left", "right"))
    for pair, one, other in zip(pairs, left, right, strict=True):
        assert np.array_equal(pair["left"], one["image"])
        assert np.array_equal(pair["right"], other["image"])
        assert (pair["id"], pair["frame"]) == (one["id"], one["frame"])
        assert pair["errors"].tolist() == [0, 1]
    assert not np.array_equal(pairs[6]["left"], pairs[6]["right"])
    assert [pair["frame"] for pair in pairs[2:4]] == [2, 3]
    assert "camera" not in pairs[0]
    assert pairs.classes == {"errors": ("cut", "drop")}


def test_a_pair_of_which_one_picture_is_missing_or_hidden_is_left_out(changed):
    frames = loadable_release.table_of(changed, "frames")
    own = (frames["id"] == "cimeto") & (frames["camera"] == "right")
    frames.loc[own & (frames["frame"] == 2), "redacted"] = True
    loadable_release.replace_table(changed, "frames", frames[~(own & (frames["frame"] == 4))])
    pairs = Release(changed).stereo("balanced/train")
    assert [pair["frame"] for pair in pairs] == [0, 1, 3, 5, 6]
    assert pairs.left_out == {"hidden": 1, "unpaired": 1}
    assert [pair["hidden"] for pair in Release(changed).stereo("balanced/train", include_hidden=True)][2]


def test_an_empty_data_set_says_why(changed):
    frames = loadable_release.table_of(changed, "frames")
    frames.loc[frames["camera"] == "right", "redacted"] = True
    loadable_release.replace_table(changed, "frames", frames)
    with pytest.warns(EmptyDatasetWarning, match=r"no stereo pairs of 'balanced/train': 7 have hidden frames: include_hidden=True"):
        assert len(Release(changed).stereo("balanced/train")) == 0
    with pytest.warns(EmptyDatasetWarning, match="no frames of 'balanced/train': 7 have hidden frames"):
        assert len(Release(changed).frames("balanced/train", camera="right")) == 0


def test_boxes_are_of_the_picture_that_was_labelled(release):
    _, mask = release.frames(labels=["boxes"], camera="right").targets("boxes")
    assert not mask.any()


@pytest.mark.parametrize(("metric", "split"), [("recognition", "cv/1/test"), ("phases", "cv/1/test"), ("skill", "balanced/train")])
def test_the_ground_truth_of_a_subset_is_taken_by_score(release, metric, split, tmp_path):
    truth = release.ground_truth(split)
    inside = {"phases": release.folder / "groundtruth/cholect50/phases", "recognition": truth.folder / "cholect50/recognition.parquet"}
    predictions = str(inside.get(metric, truth.folder / "skill"))
    out = tmp_path / "scores.json"
    assert main(["score", metric, *truth.score_arguments, "--predictions", predictions, "--out", str(out)]) == 0
    assert "1.0" in out.read_text() or metric == "skill"


def test_the_files_of_a_subset_are_those_of_its_recordings(release):
    truth = release.ground_truth("cv/1/test")
    assert set(truth.files) == {"abelo", "dovanu"}
    assert all(path.is_file() for paths in truth.files.values() for path in paths)
    assert release.folder / "groundtruth/cholect50/phases/abelo.csv" in truth.files["abelo"]
    assert (truth.folder / "cholect50/recognition.parquet").is_file()


def test_a_ground_truth_of_other_recordings_is_refused(changed):
    listed = changed / "groundtruth/splits/balanced/0/test/files.json"
    listed.write_text(listed.read_text().replace('"borunga"', '"abelo"'))
    with pytest.raises(ReleaseError, match=r"files.json and tables/splits.parquet differ in 'abelo'.*scrubin verify"):
        Release(changed).ground_truth("balanced/test")


def test_items_become_a_batch_and_what_differs_in_size_a_list(release):
    dataset = release.frames(labels=["triplets", "phases", "boxes"])
    batch = collate([dataset[0], dataset[2]])
    assert batch["image"].shape == (2, 64, 96, 3)
    assert batch["id"] == ["abelo", "abelo"]
    assert batch["phases"].tolist() == [0, 1]
    assert batch["triplets_mask"].tolist() == [True, True]
    assert [len(boxes) for boxes in batch["boxes"]] == [2, 0]
    assert collate([]) == {}
