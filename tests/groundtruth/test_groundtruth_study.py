import csv
import hashlib
import io as text_io
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from ground_truths import write_ground_truth
from scrubin.base import files
from scrubin.base.tables import io
from scrubin.base.tables.public import ERRORS, LABELLED, PHASES, SPLITS, TRIPLETS, skill_table
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import truth
from scrubin.labels.truth import detection
from scrubin.stages import groundtruth
from scrubin.stages.groundtruth import writing

ASPECTS = ("depth_perception",)


@pytest.fixture(scope="module")
def scores():
    rows = [("aboreta", 0.5, 0.25), ("belumi", np.nan, np.nan), ("coresa", -2.5, np.nan)]
    declared = skill_table(ASPECTS)
    shared = {"task": "PegTransfer", "n_ratings": 2, "disagreement": 0.1, "strong_disagreement": False}
    return io.frame_of(declared, [{"id": id_, "GRS": grs, "depth_perception": depth, **shared} for id_, grs, depth in rows])


@pytest.fixture(scope="module")
def errors():
    rows = [(id_, error, error == "dropped") for id_ in ("aboreta", "belumi") for error in ("dropped", "cut")]
    return io.frame_of(ERRORS, [{"id": id_, "task": "PegTransfer", "error": error, "occurred": o} for id_, error, o in rows])


def splits(*rows):
    return io.frame_of(SPLITS, [dict(zip(("scheme", "fold", "subset", "id"), row, strict=True)) for row in rows])


def written(folder, tables, scores, errors):
    """Write a whole ground truth as the flow does; return its manifest."""
    of_split = splits(("balanced", 0, "train", "aboreta"), ("balanced", 0, "test", "belumi"))
    return write_ground_truth(folder, {**tables, "skill": scores, "errors": errors, "splits": of_split})


def read_csv(text):
    return list(csv.DictReader(text_io.StringIO(text)))


@pytest.fixture(scope="module")
def whole(tables, scores, errors, tmp_path_factory):
    """The folder of a whole ground truth, and its manifest."""
    folder = tmp_path_factory.mktemp("whole") / "g"
    return folder, written(folder, tables, scores, errors)


def test_every_kind_of_label_has_its_file_and_nothing_else(whole):
    folder, _ = whole
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert found == [
        "README.md",
        "cholect50/coco.json",
        "cholect50/detection/aboreta.json",
        "cholect50/phases.stamp.json",
        "cholect50/phases/aboreta.csv",
        "cholect50/phases/dimora.csv",
        "cholect50/recognition.parquet",
        "cholect50/recognition/aboreta.npz",
        "cholect50/recognition/belumi.npz",
        "cholect50/recognition/coresa.npz",
        "cholect50/yolo.stamp.json",
        *(f"cholect50/yolo/{name}" for name in ("data.yaml", *(f"frames/aboreta/mono/00000{k}.txt" for k in range(3)))),
        "cholect50/yolo4.stamp.json",
        *(f"cholect50/yolo4/{name}" for name in ("data.yaml", *(f"frames/aboreta/mono/00000{k}.txt" for k in range(3)))),
        "errors.stamp.json",
        "errors/PegTransfer.csv",
        "manifest.json",
        "skill.stamp.json",
        "skill/PegTransfer.csv",
        "splits/balanced/0/test/cholect50/recognition.parquet",
        "splits/balanced/0/test/errors/PegTransfer.csv",
        "splits/balanced/0/test/files.json",
        "splits/balanced/0/test/skill/PegTransfer.csv",
        "splits/balanced/0/train/cholect50/coco.json",
        "splits/balanced/0/train/cholect50/recognition.parquet",
        "splits/balanced/0/train/cholect50/yolo.txt",
        "splits/balanced/0/train/errors/PegTransfer.csv",
        "splits/balanced/0/train/files.json",
        "splits/balanced/0/train/skill/PegTransfer.csv",
    ]


def test_the_manifest_stamps_files_vocabulary_contract_and_counts(whole):
    folder, manifest = whole
    data = (folder / "cholect50/coco.json").read_bytes()
    assert manifest["files"]["cholect50/coco.json"] == hashlib.sha256(data).hexdigest()
    assert "manifest.json" not in manifest["files"]
    assert manifest["vocabularies"]["cholect50"]["version"]
    assert "presentation time is >= k / fps" in manifest["frame_contract"]
    assert manifest["recordings"]["belumi"]["detection_frames"] is None
    assert manifest["recordings"]["aboreta"]["recognition_frames"] == 3
    assert manifest["recordings"]["coresa"]["recognition_components"] == ["i"]


def test_the_manifest_has_the_hash_of_every_input(tmp_path):
    (tmp_path / "triplets.parquet").write_bytes(b"x")
    (tmp_path / "annotations.sha256").write_text("5a\n")
    stamped = groundtruth.Stamps.of_files({"triplets": tmp_path / "triplets.parquet"}, tmp_path / "annotations.sha256")
    manifest = groundtruth.manifest(files.fresh_folder(tmp_path / "g"), stamped.inputs, [], {}, Fraction(1))
    assert manifest["inputs"] == {"annotations": "5a", "triplets": hashlib.sha256(b"x").hexdigest()}
    assert str(tmp_path) not in json.dumps(manifest)


def test_phases_are_a_sequence_per_recording(tables, labelled, tmp_path):
    text = writing.phases(labelled["aboreta"], labelled["aboreta"].phases)
    assert text == "frame,phase_id,phase,hidden\n0,0,preparation,False\n1,0,preparation,False\n2,3,gallbladder-dissection,False\n"


def test_undefined_scores_are_empty_and_subsets_stand_beside_the_id(scores):
    text = writing.skill_sheets(scores, splits(("balanced", 0, "train", "aboreta"), ("balanced", 0, "test", "belumi")))["PegTransfer"]
    rows = read_csv(text)
    assert list(rows[0]) == ["id", "split_balanced", "GRS", "depth_perception", "n_ratings", "disagreement", "strong_disagreement"]
    assert [(row["id"], row["split_balanced"], row["GRS"], row["depth_perception"]) for row in rows] == [
        ("aboreta", "train", "0.5", "0.25"),
        ("belumi", "test", "", ""),
        ("coresa", "", "-2.5", ""),
    ]


def test_errors_are_one_column_each(errors):
    rows = read_csv(writing.error_sheets(errors, splits(("balanced", 0, "train", "aboreta")))["PegTransfer"])
    assert rows[1] == {"id": "belumi", "split_balanced": "", "cut": "False", "dropped": "True"}


def test_every_fold_of_a_scheme_is_a_column():
    columns = truth.split_columns(splits(("cv", 0, "test", "a"), ("cv", 1, "train", "a"), ("balanced", 0, "val", "a")))
    assert columns.reset_index().to_dict("records") == [{"id": "a", "split_balanced": "val", "split_cv_0": "test", "split_cv_1": "train"}]


def test_skill_is_read_with_whatever_aspects_it_has(scores, tmp_path):
    io.write(skill_table(ASPECTS), scores, tmp_path / "skill.parquet")
    assert writing.read_skill(tmp_path / "skill.parquet").equals(scores)


def test_a_study_without_labels_and_ratings_has_just_manifest_and_readme(tables, tmp_path):
    none = {table.name: io.frame_of(table, []) for table in (LABELLED, TRIPLETS, PHASES, skill_table(()), ERRORS)}
    made = {**tables, **none, "splits": splits()}
    nothing = write_ground_truth(tmp_path / "g", made)
    assert list(nothing["files"]) == ["README.md"]
    assert nothing["recordings"] == {}


def test_a_dropped_frame_is_left_out_of_what_is_scored_and_counted(tables, labelled, scores, errors, tmp_path):
    frames = tables["frames"].copy()
    frames.loc[(frames.id == "aboreta") & (frames.frame == 2), ["path", "dropped"]] = [None, True]
    kept = {one.id: one for one in truth.with_files(list(labelled.values()), frames)}
    manifest = written(tmp_path / "g", {**tables, "frames": frames}, scores, errors)
    assert manifest["recordings"]["aboreta"]["dropped_frames_left_out"] == 1
    assert manifest["recordings"]["aboreta"]["recognition_frames"] == 2
    assert manifest["recordings"]["belumi"]["dropped_frames_left_out"] == 0
    with np.load(tmp_path / "g/cholect50/recognition/aboreta.npz") as archive:
        assert archive["frame"].tolist() == [0, 1]
    coco = json.loads((tmp_path / "g/cholect50/coco.json").read_text())
    assert [image["frame"] for image in coco["images"]] == [0, 1]
    assert all(image["file_name"] for image in coco["images"])
    assert [row["frame"] for row in read_csv((tmp_path / "g/cholect50/phases/aboreta.csv").read_text())] == ["0", "1"]
    assert {one: kept[one] for one in ("belumi", "coresa")} == {one: labelled[one] for one in ("belumi", "coresa")}


def test_a_hidden_frame_stays_with_its_labels_and_is_marked_in_every_file(tables, scores, errors, tmp_path):
    frames = tables["frames"].copy()
    frames.loc[(frames.id == "aboreta") & (frames.frame == 1), "redacted"] = True
    manifest = written(tmp_path / "g", {**tables, "frames": frames}, scores, errors)
    assert {id_: facts["hidden_frames"] for id_, facts in manifest["recordings"].items() if facts["hidden_frames"]} == {"aboreta": 1}
    folder = tmp_path / "g/cholect50"
    with np.load(folder / "recognition/aboreta.npz") as archive:
        assert archive["hidden"].tolist() == [False, True, False]
        assert archive["frame"].tolist() == [0, 1, 2]
    table = pd.read_parquet(folder / "recognition.parquet")
    assert table.loc[table.hidden, ["id", "frame"]].to_numpy().tolist() == [["aboreta", 1]]
    assert [row["hidden"] for row in read_csv((folder / "phases/aboreta.csv").read_text())] == ["False", "True", "False"]
    assert json.loads((folder / "detection/aboreta.json").read_text())["hidden"] == [False, True, False]
    images = json.loads((folder / "coco.json").read_text())["images"]
    assert [(image["recording"], image["frame"]) for image in images if image["hidden"]] == [("aboreta", 1)]


def test_of_a_stereo_pair_only_the_labelled_view_decides(stereo):
    right, left = (stereo.copy() for _ in range(2))
    right.loc[stereo.camera == "right", "path"] = None
    left.loc[(stereo.camera == "left") & (stereo.frame == 0), "path"] = None
    assert writing.images(right)["path"].tolist() == ["frames/aboreta/left/000000.jpg", "frames/aboreta/left/000001.jpg"]
    assert writing.images(left)["path"].tolist() == ["frames/aboreta/left/000001.jpg"]


def test_coco_has_the_size_of_the_files_not_of_the_videos(tables, labelled):
    frames = tables["frames"].assign(width=160, height=120)
    coco = detection.coco(vocabulary.load("cholect50"), [detection.boxed(labelled["aboreta"])], writing.images(frames))
    assert {(image["width"], image["height"]) for image in coco["images"]} == {(160, 120)}
    assert coco["annotations"][0]["bbox"] == [40.0, 60.0, 80.0, 30.0]
