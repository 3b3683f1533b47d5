"""Frames as a data set: which are in it, and how it is indexed."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import loadable_release
from scrubin.base.errors import ReleaseError
from scrubin.data.load.warnings import EmptyDatasetWarning
from scrubin.load import Release


def keys(dataset):
    return list(dataset.table[["id", "camera", "frame"]].itertuples(index=False, name=None))


def test_hidden_and_dropped_frames_are_left_out_and_counted(release):
    dataset = release.frames(task=loadable_release.OPERATION)
    assert len(dataset) == 7 + 7 - 2
    assert dataset.left_out == {"hidden": 1, "dropped": 1, "unlabelled": 0}
    assert "left out: 1 hidden, 1 dropped, 0 unlabelled" in repr(dataset)
    shown = release.frames(task=loadable_release.OPERATION, include_hidden=True)
    assert [item["frame"] for item in shown if item["hidden"]] == [5]
    assert shown.left_out == {"hidden": 0, "dropped": 1, "unlabelled": 0}


def test_frames_that_lack_a_label_are_left_out_when_asked(release):
    dataset = release.frames(labels=["phases", "triplets"], missing="drop")
    assert keys(dataset) == [("abelo", "mono", frame) for frame in range(loadable_release.LABELLED_COUNT)]
    assert dataset.left_out["unlabelled"] == len(release.frames()) - len(dataset)


def test_where_no_frame_is_chosen_the_data_set_is_empty(release):
    # An operation has one view.
    with pytest.warns(EmptyDatasetWarning, match="the subset, task or camera has no extracted frames"):
        dataset = release.frames(labels=["phases", "triplets", "skill"], task=loadable_release.OPERATION, camera="right")
    assert list(dataset) == []


def test_a_split_has_exactly_its_recordings(release):
    every = {name: set(release.frames(name).table["id"]) for name in release.splits}
    assert every["balanced/train"] == {"abelo", "cimeto"}
    assert every["cv/1/train"] == {"borunga", "cimeto"}
    assert release.frames("balanced/0/train").table.equals(release.frames("balanced/train").table)


def test_of_a_pair_the_camera_that_labels_refer_to_is_taken(release):
    assert set(release.frames(task="PegTransfer").table["camera"]) == {"left"}
    assert set(release.frames(task="PegTransfer", camera="right").table["camera"]) == {"right"}
    assert set(release.frames(camera="all").table["camera"]) == {"left", "right", "mono"}


def test_it_is_indexed_as_a_list_is(release):
    dataset = release.frames()
    everything = [(item["id"], item["frame"]) for item in dataset]
    assert len(dataset) == len(everything)
    last = dataset[-1]
    assert (last["id"], last["frame"]) == everything[-1]
    assert dataset[np.int64(3)]["frame"] == everything[3][1]
    assert [(item["id"], item["frame"]) for item in dataset[2:9:3]] == everything[2:9:3]
    assert [(item["id"], item["frame"]) for item in dataset[[4, 1]]] == [everything[4], everything[1]]
    assert len(dataset[np.array([True] * 2 + [False] * (len(dataset) - 2))]) == 2
    with pytest.raises(IndexError):
        dataset[len(dataset)]


def test_a_transform_is_called_with_the_picture(release):
    item = release.frames(transform=lambda picture: picture[:4, :2].astype(np.float32))[0]
    assert item["image"].shape == (4, 2, 3)
    assert item["image"].dtype == np.float32


def test_it_survives_pickling_and_stays_small(release):
    dataset = release.frames(labels=["triplets", "skill"])
    again = pickle.loads(pickle.dumps(dataset))
    assert np.array_equal(again[0]["image"], dataset[0]["image"])
    assert repr(again) == repr(dataset)
    assert len(pickle.dumps(dataset[:1].rows)) < 20_000


@pytest.mark.parametrize(
    ("split", "says"),
    [
        ("balanced/trian", r"did you mean 'balanced/train'\? \(known are balanced/test, balanced/train, cv/0/test"),
        ("cv/test", "has the folds 0, 1; name one, such as 'cv/0/test'"),
        ("cv/7/test", "no split 'cv/7/test'"),
        ("balanced", "no split 'balanced'"),
        ("", "no split ''"),
    ],
)
def test_an_unknown_split_is_named_with_what_there_is(release, split, says):
    with pytest.raises(ValueError, match=says):
        release.frames(split)


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ({"task": "PegTransfr"}, "no task 'PegTransfr': did you mean 'PegTransfer'"),
        ({"camera": "lefft"}, "no camera 'lefft': did you mean 'left'"),
        ({"missing": "dropp"}, "did you mean 'drop'"),
    ],
)
def test_an_unknown_name_is_refused(release, argument, says):
    with pytest.raises(ValueError, match=says):
        release.frames(**argument)


def test_a_recording_in_two_subsets_of_a_fold_is_refused(changed):
    splits = loadable_release.table_of(changed, "splits")
    twice = splits[(splits["scheme"] == "balanced") & (splits["id"] == "abelo")].assign(subset="test")
    loadable_release.replace_table(changed, "splits", pd.concat([splits, twice]))
    with pytest.raises(ReleaseError, match=r"has 2 rows of scheme balanced, fold 0, id abelo: subset train and test.*scrubin verify"):
        Release(changed).frames("balanced/train")


def test_a_split_sheet_that_was_changed_is_refused(changed):
    sheet = changed / "splits/balanced.csv"
    sheet.write_text(sheet.read_text().replace("cimeto,PegTransfer,train", "cimeto,PegTransfer,test"))
    with pytest.raises(ReleaseError, match=r"splits/balanced.csv and tables/splits.parquet differ: cimeto.*scrubin verify"):
        Release(changed).frames("cv/0/train")


def test_a_release_of_which_somebody_got_no_split_sheets_is_loaded(changed):
    for sheet in (changed / "splits").iterdir():
        sheet.unlink()
    assert len(Release(changed).frames("balanced/train")) == 14
