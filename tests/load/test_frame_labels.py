"""Labels of frames: those of the ground truth, and what is not labelled is masked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import loadable_release
from loadable_release import DROPPED, LABELLED_COUNT, WORDS
from scrubin.base.errors import ReleaseError
from scrubin.load import Release

COMPONENTS = {"triplets": "ivt", "instruments": "i", "verbs": "v", "targets": "t"}


def whole(release, labels, **more):
    """All frames of the operations, also hidden ones: what the ground truth is of."""
    return release.frames(labels=labels, task=loadable_release.OPERATION, include_hidden=True, **more)


@pytest.mark.parametrize("label", COMPONENTS)
def test_matrices_are_those_of_the_ground_truth_bit_for_bit(release, label):
    dataset = whole(release, [label])
    values, mask = dataset.targets(label)
    table, compared = dataset.table, 0
    for path in sorted((release.folder / "groundtruth/cholect50/recognition").glob("*.npz")):
        own = (table["id"] == path.stem).to_numpy()
        with np.load(path, allow_pickle=False) as truth:
            if COMPONENTS[label] not in truth:
                assert not mask[own].any()
                continue
            expected, frames, hidden = truth[COMPONENTS[label]], truth["frame"], truth["hidden"]
        known = own & mask
        assert table["frame"][known].tolist() == frames.tolist()
        assert table["hidden"][known].tolist() == hidden.tolist()
        assert values[known].tobytes() == expected.astype(np.float32).tobytes()
        compared += len(frames)
    assert compared == mask.sum() > 0
    assert np.isnan(values[~mask]).all()


def test_phases_are_those_of_the_ground_truth(release):
    dataset = whole(release, ["phases"])
    ids, mask = dataset.targets("phases")
    truth = pd.read_csv(release.folder / "groundtruth/cholect50/phases/abelo.csv")
    assert dataset.table["frame"][mask].tolist() == truth["frame"].tolist()
    assert ids[mask].tolist() == truth["phase_id"].tolist()
    assert [dataset.classes["phases"][id_] for id_ in ids[mask]] == truth["phase"].tolist()
    assert (ids[~mask] == -100).all()


def test_boxes_are_those_of_the_ground_truth(release):
    dataset = whole(release, ["boxes"])
    truth = loadable_release.read_json(release.folder / "groundtruth/cholect50/detection/abelo.json")
    items = [item for item in dataset if item["boxes_mask"]]
    assert [(item["id"], item["frame"]) for item in items] == [("abelo", frame) for frame in truth["frame"]]
    for item, rows in zip(items, truth["list"], strict=True):
        assert item["boxes"].tolist() == [row[3:] for row in rows]
        assert item["boxes_triplets"].tolist() == [row[0] for row in rows]
        assert item["boxes_instruments"].tolist() == [row[1] for row in rows]
    assert [len(item["boxes"]) for item in items] == [2, 1, 0, 1, 0, 0]


def test_a_frame_without_instrument_is_a_true_negative_and_one_without_label_is_none(release):
    items = {(item["id"], item["frame"]): item for item in release.frames(labels=["triplets", "instruments"])}
    empty, unlabelled = items["abelo", 2], items["abelo", LABELLED_COUNT]
    assert empty["triplets_mask"] is True
    assert not empty["triplets"].any()
    assert unlabelled["triplets_mask"] is False
    assert np.isnan(unlabelled["triplets"]).all()
    assert items["abelo", 0]["triplets"].nonzero()[0].tolist() == [12, 17]


def test_where_only_instruments_are_labelled_the_rest_of_the_triplet_is_unknown(release):
    item = next(item for item in release.frames(labels=list(COMPONENTS)) if item["id"] == "borunga" and item["frame"] == 0)
    assert {name: item[f"{name}_mask"] for name in COMPONENTS} == {name: name == "instruments" for name in COMPONENTS}
    assert item["instruments"].tolist() == [0, 0, 1, 0, 0, 0]


def test_boxes_of_instruments_alone_come_without_triplets(changed):
    triplets = loadable_release.table_of(changed, "triplets")
    its = triplets["id"] == "borunga"
    triplets.loc[its & (triplets["frame"] != 3), ["x", "y", "w", "h"]] = [0.1, 0.2, 0.3, 0.4]
    loadable_release.replace_table(changed, "triplets", triplets)
    items = {item["frame"]: item for item in Release(changed).frames(labels=["boxes", "instruments"]) if item["id"] == "borunga"}
    assert {frame: item["boxes_mask"] for frame, item in items.items() if item["instruments_mask"]} == {0: True, 2: True, 3: False}
    assert items[0]["boxes"].tolist() == [pytest.approx([0.1, 0.2, 0.3, 0.4])]
    assert (items[0]["boxes_instruments"].tolist(), items[0]["boxes_triplets"].tolist()) == ([2], [-100])
    assert items[2]["boxes"].shape == (0, 4)


def test_skill_and_errors_come_with_a_mask_of_each_value(release):
    items = {item["id"]: item for item in release.frames(labels=["skill", "errors"])}
    assert items["cimeto"]["skill"].tolist() == [0.75]
    assert items["cimeto"]["errors"].tolist() == [0, 1]
    assert items["cimeto"]["errors_mask"].tolist() == [True, True]
    assert np.isnan(items["dovanu"]["skill"]).all()
    assert items["dovanu"]["skill_mask"].tolist() == [False]
    assert np.isnan(items["abelo"]["errors"]).all()
    assert release.frames(labels=["skill", "errors"]).classes == {"skill": ("GRS",), "errors": ("cut", "drop")}


def test_labels_of_a_dropped_frame_are_no_labels_as_in_the_ground_truth(release):
    dataset = whole(release, ["instruments"], include_dropped=True, source="videos")
    _, mask = dataset.targets("instruments")
    place = dataset.table.index[(dataset.table["id"] == DROPPED[0]) & (dataset.table["frame"] == DROPPED[1])]
    assert len(place) == 1
    assert not mask[place[0]]


def test_classes_are_named_in_the_order_of_ids(release):
    classes = release.frames(labels=list(COMPONENTS)).classes
    assert classes["triplets"][94] == WORDS.triplet_name(94)
    assert (classes["instruments"], classes["verbs"], classes["targets"]) == (WORDS.instruments, WORDS.verbs, WORDS.targets)


def test_every_item_has_the_same_fields_and_never_none(release):
    dataset = release.frames(labels=["triplets", "phases", "skill", "errors"], camera="all")
    shapes = {tuple((name, type(value).__name__, np.shape(value)) for name, value in item.items()) for item in dataset}
    assert len(shapes) == 1
    assert len(dataset) == 6 * 7 - 2


def test_an_unknown_label_is_named_with_the_nearest_one(release):
    with pytest.raises(ValueError, match="no label 'triplet': did you mean 'triplets'"):
        release.frames(labels=["triplet"])
    with pytest.raises(KeyError, match="no label 'triplets': name it in labels"):
        release.frames(labels=["phases"]).targets("triplets")


def test_a_label_without_frame_is_refused(changed):
    frames = loadable_release.table_of(changed, "frames")
    loadable_release.replace_table(changed, "frames", frames[(frames["id"] != "abelo") | (frames["frame"] != 3)])
    with pytest.raises(ReleaseError, match=r"frame 3 of 'abelo' is labelled .*scrubin verify"):
        Release(changed).frames(labels=["phases"])


def test_a_label_row_that_nobody_labelled_is_refused(changed):
    labelled = loadable_release.table_of(changed, "labelled")
    loadable_release.replace_table(changed, "labelled", labelled[(labelled["layer"] != "phases") | (labelled["frame"] != 2)])
    with pytest.raises(ReleaseError, match=r"frame 2 .*scrubin verify"):
        Release(changed).frames(labels=["phases"])


def test_names_that_the_installed_vocabulary_does_not_have_are_refused(changed):
    phases = loadable_release.table_of(changed, "phases")
    loadable_release.replace_table(changed, "phases", phases.assign(phase_id=(phases["phase_id"] + 1) % 7))
    with pytest.raises(ReleaseError, match="phase 1 is 'preparation' in the release"):
        Release(changed).frames(labels=["phases"])


@pytest.fixture
def several(changed):
    """Instruments of ``borunga`` in another vocabulary."""
    for name in ("triplets", "labelled"):
        table = loadable_release.table_of(changed, name)
        table.loc[table["id"] == "borunga", "vocabulary"] = "prostatd"
        if name == "triplets":
            own = table["id"] == "borunga"
            names = loadable_release.vocabulary.load("prostatd").instruments
            table.loc[own, "instrument"] = [names[int(id_)] for id_ in table.loc[own, "instrument_id"]]
        loadable_release.replace_table(changed, name, table)
    return Release(changed)


@pytest.mark.parametrize(
    ("table", "labels"), [("labelled", ["phases"]), ("triplets", ["phases"]), ("skill", ["skill"]), ("errors", ["errors"])]
)
def test_a_table_that_a_download_lacks_is_named_with_the_mend(changed, table, labels):
    (changed / f"tables/{table}.parquet").unlink()
    with pytest.raises(ReleaseError, match=rf"tables/{table}\.parquet is missing, .*; run 'scrubin verify "):
        Release(changed).frames(labels=labels)


def test_labels_of_several_vocabularies_need_a_choice_and_the_others_are_masked(several):
    with pytest.raises(ValueError, match="2 vocabularies, cholect50, prostatd: name one by vocabulary='cholect50'"):
        several.frames(labels=["instruments"])
    dataset = several.frames(labels=["instruments"], vocabulary="prostatd")
    values, mask = dataset.targets("instruments")
    assert values.shape[1] == 7
    assert set(dataset.table["id"][mask]) == {"borunga"}
    assert len(several.frames("balanced/train", ["instruments"])) > 0
    with pytest.raises(ValueError, match="no label is of the vocabulary 'prostad': did you mean 'prostatd'"):
        several.frames(labels=["instruments"], vocabulary="prostad")
    with pytest.raises(ValueError, match="no label of phases is of the vocabulary 'prostatd': known are cholect50"):
        several.frames(labels=["phases"], vocabulary="prostatd")
    assert {one.name for one in several.frames(labels=["phases", "instruments"], vocabulary="prostatd").labels} == {"phases", "instruments"}


@pytest.mark.slow
def test_subsets_have_the_same_columns_whatever_their_recordings_have(release):
    labels = ["triplets", "instruments", "phases", "errors", "skill"]
    every = [release.frames(split, labels) for split in release.splits]
    every += [release.frames(labels=labels, task=task) for task in ("PegTransfer",)]
    assert all(dataset.classes == every[0].classes for dataset in every)
    assert every[-1][0]["triplets"].shape == (100,)
    operations = release.frames(labels=labels, task=loadable_release.OPERATION)
    assert operations[0]["errors"].shape == (0,)
    assert release.errors(task=loadable_release.OPERATION).columns.tolist() == ["task"]
