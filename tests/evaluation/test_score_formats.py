"""What only scores were read from are formats like others: known by what they look like, and read alike by every command."""

from __future__ import annotations

import contextlib
import csv
import json

import numpy as np
import pandas as pd
import pytest

from score_runs import fault, good, put, sides
from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.labels.files.detect import detected
from scrubin.labels.files.reader import Options, read_path
from scrubin.labels.files.verdict import verdict_of
from scrubin.labels.registry import format_of

BOX = [0.1, 0.1, 0.3, 0.3]
ROW = [17, 0, 1.0, *BOX]
COCO_RESULT = {"image_id": 1, "category_id": 1, "bbox": [1, 1, 9, 9], "score": 0.5}


def ground_truth(folder, boxed=(1, 5)):
    """Our own ground truth of one recording: triplet 17 in frames 1 and 2, nothing in 5; boxes of the frames that are boxed."""
    ivt = np.zeros((3, 100), np.int8)
    ivt[:2, 17] = 1
    put(folder, recognition={"one.npz": {"frame": np.array([1, 2, 5]), "ivt": ivt}})
    put(folder, detection={"one.json": {"frame": list(boxed), "list": [[ROW] if frame < 5 else [] for frame in boxed]}})
    return put(folder, phases={"one.csv": "frame,phase_id,phase\n1,0,preparation\n2,3,gallbladder dissection\n"})


@pytest.mark.parametrize(
    ("name", "content", "wanted", "expected"),
    [
        ("a.npz", {"targets": np.eye(3, 100)}, None, "matrices"),
        ("a.npy", np.ones((3, 100)) / 2, None, "matrices"),
        ("a.csv", "0,0.5,0.25,0.1\n", None, "matrices"),
        ("a.csv", "frame,ivt_0,ivt_1\n0,1,0\n", None, "matrices"),
        ("a.npy", np.zeros(3, np.int64), None, "phase-tables"),
        ("a.csv", "frame,phase\n0,cutting\n", None, "phase-tables"),
        ("a.txt", "0\n0\n1\n", None, "phase-tables"),
        ("video01-phase.txt", "Frame\tPhase\n0\tPreparation\n", "phases", "cholec80"),
        ("a.json", {"frame": [0], "list": [[ROW]]}, None, "box-lists"),
        ("a.json", [COCO_RESULT], None, "coco-results"),
        ("a.json", [], None, "coco-results"),
    ],
)
def test_files_are_known_by_what_they_look_like(tmp_path, name, content, wanted, expected):
    folder = put(tmp_path, given={name: content}) / "given"
    assert [detected(path, wanted).name for path in (folder, folder / name)] == [expected, expected]


@pytest.mark.parametrize("content", [[COCO_RESULT], {"frame": [0], "list": [[ROW]]}, {"0": {"recognition": [0.5] * 100}}, "neither"])
def test_a_file_is_parsed_once_however_many_formats_are_asked_whether_it_is_theirs(tmp_path, monkeypatch, content):
    read, path = [], tmp_path / "a.json"
    path.write_text(json.dumps(content))
    value = strangers.read_json
    monkeypatch.setattr(strangers, "read_json", lambda path: read.append(path) or value(path))
    with contextlib.suppress(AnnotationError):
        detected(path)
    assert read == [path]


def test_lists_of_scores_of_instruments_can_be_named_as_matrices(tmp_path):
    # Lists of a hundred are submissions as in 2021.
    (tmp_path / "a.json").write_text(json.dumps({"0": [0.5] * 6, "2": [0.25] * 6}))
    (labels,) = read_path(tmp_path, format_of("matrices"), Options()).collection.recordings
    assert (labels.recognition.classes, labels.recognition.positions.tolist()) == ("i", [0, 2])


def test_texts_of_other_kinds_are_no_phases(tmp_path):
    (tmp_path / "notes.txt").write_text("hello\nworld\n")
    with pytest.raises(AnnotationError, match="looks like no format of labels"):
        detected(tmp_path)


@pytest.mark.parametrize("below", ["", "..", "../..", "recognition"])
def test_our_ground_truth_is_one_format_at_every_level_and_its_parts_are_read_together(tmp_path, below):
    folder = ground_truth(tmp_path / "release/groundtruth/cholect50")
    (folder.parent / "manifest.json").write_text("{}")
    reading = read_path((folder / below).resolve(), None, Options())
    assert (reading.form.name, reading.faults) == ("ground-truth", ())
    (labels,) = reading.collection.recordings
    assert labels.vocabulary.name == "cholect50"
    assert labels.instances.positions.tolist() == [1, 2, 5]
    # Frame 2 has a triplet without box, so boxes cannot be scored on it.
    assert vars(verdict_of(reading).recordings["one"]) == {"recognition": 3, "detection": 2, "phases": 2, "spans": 0, "marks": 0}


def test_ground_truth_without_boxes_says_nothing_about_detection(tmp_path):
    put(tmp_path, cholect50={"recognition/one.npz": {"frame": np.arange(2), "ivt": np.zeros((2, 100), np.int8)}})
    (counts,) = verdict_of(read_path(tmp_path / "cholect50", None, Options())).recordings.values()
    assert (counts.recognition, counts.detection) == (2, 0)


def test_predictions_in_the_layout_of_the_ground_truth_are_scores_and_no_labels(tmp_path, capsys):
    for side, values in (("truth", np.eye(3, 100, dtype=np.int8)), ("found", np.eye(3, 100) / 2)):
        put(tmp_path, **{side: {"cholect50/recognition/one.npz": {"frame": np.arange(3), "ivt": values}}})
    refused = "recognition/one.npz: has the score 0.5 of class 0 in frame 0, but labels are 0 or 1; are ground truth and"
    assert refused in fault(capsys, "recognition", "--ground-truth", tmp_path / "found", "--predictions", tmp_path / "truth")
    assert refused in fault(capsys, *sides(tmp_path, "recognition"))
    assert "classes=100; component=ivt" in good(capsys, *sides(tmp_path, "recognition", "--predictions-from", "matrices")).out


def test_damaged_files_of_a_part_are_not_passed_over(tmp_path):
    folder = put(ground_truth(tmp_path / "cholect50"), detection={"one.json": '{"frame": [1], "list": ['}, phases={"one.csv": b"\0"})
    faults = read_path(folder, None, Options()).faults
    assert [one.file.removeprefix(f"{folder}/") for one in faults] == ["detection/one.json", "phases/one.csv"]


def test_two_vocabularies_of_ground_truth_must_be_told_apart(tmp_path, capsys):
    for name, triplets in (("cholect50", 100), ("prostatd", 89)):
        put(tmp_path, gt={f"{name}/recognition/one.npz": {"frame": np.arange(2), "ivt": np.eye(2, triplets, dtype=np.int8)}})
    arguments = ("recognition", "--ground-truth", tmp_path / "gt", "--predictions", tmp_path / "gt")
    assert "there is ground truth of several vocabularies (cholect50, prostatd)" in fault(capsys, *arguments)
    assert "classes=89; component=ivt" not in good(capsys, *arguments, "--vocabulary", "cholect50").out


def faults_of_archive(tmp_path, **arrays):
    """Sentences on an archive of arrays, from its name on."""
    put(tmp_path, given={"a.npz": arrays})
    return [one.sentence.partition("given/")[2] for one in read_path(tmp_path / "given", None, Options()).faults]


def test_an_archive_of_both_sides_is_labels_and_scores(tmp_path):
    put(tmp_path, given={"a.npz": {"targets": np.eye(3, 100, dtype=int), "predictions": np.full((3, 100), 0.5)}})
    (labels,) = read_path(tmp_path / "given", None, Options()).collection.recordings
    assert labels.instances.rows["triplet_id"].tolist() == [0, 1, 2]
    assert labels.recognition.scores.shape == (3, 100)


def test_every_fault_of_every_matrix_is_said_with_its_frames(tmp_path):
    wrong = np.zeros((4, 100))
    wrong[2, 3] = 2
    put(tmp_path, given={"a.npz": {"labels": wrong}, "b.npz": {"scores": np.zeros((2, 94))}})
    faults = read_path(tmp_path / "given", None, Options()).faults
    assert [(one.rule, one.frames) for one in faults] == [("label-value", (2,)), ("matrix-classes", ())]


def test_an_archive_that_numbers_its_columns_is_read_by_these_numbers(tmp_path, capsys):
    put(tmp_path, truth={"a.npz": {"ivt": np.eye(3, 100, dtype=int)}})
    scores, order = np.random.default_rng(0).random((3, 100)), np.random.default_rng(1).permutation(100)
    said = []
    for arrays in ({"ivt": scores}, {"ivt": scores[:, order], "ivt_ids": order}):
        said.append(good(capsys, *sides(put(tmp_path, found={"a.npz": arrays}), "recognition")).out)
    assert said[0] == said[1]
    for wrong in (order[:99], np.zeros(100, int), order + 1, order / 2):
        (refused,) = faults_of_archive(tmp_path, ivt=scores, ivt_ids=wrong)
        assert refused.startswith(
            "a.npz: 'ivt_ids' does not number the 100 columns of the matrix from 0, each class once; give the id of each"
        )


def test_known_arrays_are_found_in_whatever_case_they_are_written(tmp_path):
    scores, order = np.random.default_rng(0).random((3, 100)), np.random.default_rng(1).permutation(100)
    assert faults_of_archive(tmp_path, Scores=scores[:, order], IVT_IDS=order, Frame=np.array([2, 1, 0])) == []
    (labels,) = read_path(tmp_path / "given", None, Options()).collection.recordings
    assert np.array_equal(labels.recognition.scores, scores[::-1])
    assert faults_of_archive(tmp_path, ivt=scores, IVT=scores) == ["a.npz: the arrays 'ivt' and 'IVT' have one name; keep one of them"]


@pytest.mark.parametrize("rows", [3, 100])
@pytest.mark.parametrize("name", ["ids", "classes", "class_ids", "i_ids"])
def test_columns_are_not_read_in_order_beside_an_array_that_may_number_them(name, rows, tmp_path):
    order = np.random.default_rng(1).permutation(100)
    said = f"nothing known numbers the columns, and the array '{name}' may do it; call it 'ivt_ids' if it does, else leave it out"
    for numbers in (order, order.astype(float), order[None], *([] if rows == 100 else [order + 1, order.astype(str)])):
        found = faults_of_archive(tmp_path, frame=np.arange(rows), ivt=np.full((rows, 100), 0.5), **{name: numbers})
        assert found == [f"a.npz: {said}"]


@pytest.mark.parametrize(
    "beside",
    [
        {"classes": np.arange(6)},  # the vocabulary's order
        {"i_ids": np.arange(6), "names": np.array(list("abcdef"))},
        {"threshold": np.linspace(0.1, 0.6, 6)},
        {"seen": np.array([1, 0, 1, 1, 0, 1])},
        {"hidden": np.zeros(6, bool), "stamp": np.array("{}")},
        {"video_lengths": np.array([1, 0, 2, 3, 0, 0]), "videos": np.array(list("abcdef"))},
        {"picture": np.array(list("abcdef")), "second": np.arange(6) * 2},
    ],
)
def test_arrays_that_cannot_number_columns_stand_beside_a_matrix(beside, tmp_path):
    assert faults_of_archive(tmp_path, frame=np.arange(6), i=np.full((6, 6), 0.5), **beside) == []


@pytest.mark.parametrize("beside", [[10, 20, 30, 40, 55, 60], [-1.0, 0.0, 1.0, 2.0, 3.0, 4.0], [1, 2, 3, 4, 5, 6]])
def test_numbers_that_are_no_other_order_of_the_classes_may_stand_beside_a_matrix(tmp_path, beside):
    assert faults_of_archive(tmp_path, scores=np.full((9, 6), 0.5), support=np.array(beside)) == []


def test_videos_that_label_only_instruments_do_not_count_beside_those_with_triplets(tmp_path, capsys):
    put(tmp_path, truth={"a.npz": {"ivt": np.eye(3, 100, dtype=int)}, "b.npz": {"i": np.eye(3, 6, dtype=int)}})
    put(tmp_path, found={"a.npy": np.eye(3, 100) / 2})
    said = good(capsys, *sides(tmp_path, "recognition"))
    assert "videos with instances that are no whole triplet do not count (1 of 2, first b)" in said.err
    assert "component=ivt" in said.out
    # Such a video may be predicted in its own classes: the labels themselves are.
    own = good(capsys, "recognition", "--ground-truth", tmp_path / "truth", "--predictions", tmp_path / "truth")
    assert "scope=global" in own.out
    assert "0.0000" not in own.out


def test_labels_in_one_table_are_scores_too_where_some_videos_have_none_of_triplets(tmp_path, capsys):
    truth = pd.DataFrame({"id": list("aab"), "frame": [0, 1, 0]} | {f"ivt_{k}": [k == 0, k == 1, None] for k in range(100)})
    truth[[f"i_{k}" for k in range(6)]] = np.eye(3, 6, dtype=bool)
    put(tmp_path, truth={"a.npz": {"ivt": np.eye(2, 100, dtype=int)}, "b.npz": {"i": np.eye(1, 6, dtype=int)}})
    put(tmp_path, found={"recognition.parquet": truth.to_parquet()})
    said = good(capsys, *sides(tmp_path, "recognition"))
    assert "component=ivt" in said.out
    assert "  1.0000" in said.out


def test_faults_stand_in_the_document_of_scores(tmp_path, capsys):
    put(tmp_path, truth={"a.npz": {"targets": np.eye(3, 100, dtype=int)}}, found={"a.npz": {"scores": np.eye(4, 100) / 2}})
    document = json.loads(good(capsys, *sides(tmp_path, "recognition", "--json")).out)
    assert [(one["rule"], one["frames"]) for one in document["faults"]] == [("frames-extra", [[3, 3]])]
    assert document["notes"] == [document["faults"][0]["sentence"]]
    assert document["notes"][0].startswith("a.npz, frame 3: ")


def test_a_name_of_a_video_is_no_formula_in_the_sheet_of_scores_and_itself_in_the_document(tmp_path, capsys):
    of_side = {"truth": {"targets": np.eye(3, 100, dtype=int)}, "found": {"scores": np.eye(3, 100)}}
    put(tmp_path, **{side: {"@SUM(1).npz": arrays} for side, arrays in of_side.items()})
    run = sides(tmp_path, "recognition", "--json", "--out", tmp_path / "scores.csv", "--variant", "scope=video-wise")
    assert "'@SUM" not in good(capsys, *run).out
    rows = list(csv.DictReader((tmp_path / "scores.csv").read_text().splitlines()))
    assert {row["key"] for row in rows if row["level"] == "video"} == {"'@SUM(1)"}


def test_phases_of_spans_are_scored_at_the_instant_that_is_named(tmp_path, capsys):
    """Somebody who takes frame k at k x 1000 + 999 ms, as the authors of MultiBypass140 do, has other phases at each border."""
    spans = [(0, 4301, "preparation", 0), (4301, 9000, "gastric_pouch_creation", 1)]
    listed = [{"start": start, "end": end, "label_name": name, "label_id": id_} for start, end, name, id_ in spans]
    put(tmp_path, truth={"v1.mp4.json": {"phases": listed, "steps": []}})
    put(tmp_path, found={"v1.csv": "frame,phase_id\n" + "".join(f"{k},{int(k > 3)}\n" for k in range(9))})
    values = {}
    for instant in ("start", "end"):
        document = json.loads(good(capsys, *sides(tmp_path, "phases", "--json", "--instant", instant)).out)
        values[instant] = next(one["overall"]["value"] for one in document["results"] if one["metric"] == "phase recognition accuracy")
        assert ("frames have the phase at the end of their period, not at its start" in document["notes"]) == (instant == "end")
    assert values["end"] == 1 > values["start"]


POINT = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 9, 9], "area": 81, "iscrowd": 0, "keypoints": [2, 2, 2]}
BOXED = {
    "a.json": {
        "images": [{"id": 1, "file_name": "a_000001.jpg", "width": 40, "height": 30}],
        "categories": [{"id": 1, "name": "grasper", "keypoints": ["tip"], "skeleton": []}],
        "annotations": [POINT],
    }
}
LABELS = {
    "recognition": {"a.npz": {"targets": np.eye(3, 100, dtype=int)}},
    "phases": {"a.csv": "frame,phase\n0,cutting\n"},
    "criteria": {"a.csv": "frame,C1,C2,C3\n0,1,0,1\n"},
    "detection": BOXED,
    "points": BOXED,
}


@pytest.mark.parametrize("metric", LABELS)
def test_who_has_to_name_a_format_is_told_the_option_of_that_side(tmp_path, capsys, metric):
    put(tmp_path, truth=LABELS[metric], found={"a.csv": ""}, empty={"a.csv": ""})
    unknown = "this looks like no format of labels (a.csv is empty); name the format by"
    assert f"{unknown} --predictions-from: " in fault(capsys, *sides(tmp_path, metric))
    assert f"{unknown} --from: " in fault(capsys, metric, "--ground-truth", tmp_path / "empty", "--predictions", tmp_path / "found")
