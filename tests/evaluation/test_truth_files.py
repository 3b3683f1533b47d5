"""Ground truth of whatever kind says which frames are to be predicted, and what is in them."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from challenge_cases import CLASSES, labels, vector, write_labels
from score_runs import put
from scrubin.base.errors import AnnotationError
from scrubin.evaluate import submission_truth


def npz(path, frames, **arrays):
    put(path.parents[1], **{path.parent.name: {path.name: {"frame": np.array(frames, np.int64), **arrays}}})


def refused(path, message, **how):
    with pytest.raises(AnnotationError, match=message):
        submission_truth.read(path, **how)


OCCURS = np.zeros((3, CLASSES), np.int8)
OCCURS[[0, 1], [17, 60]] = 1
"""The triplet of frame 1 has a box, that of frame 2 has none, frame 5 shows nothing."""


@pytest.fixture
def own(tmp_path):
    """Our own ground truth of two recordings, one without boxes and phases."""
    folder = tmp_path / "release/groundtruth/cholect50"
    for name in ("one", "two"):
        npz(folder / f"recognition/{name}.npz", [1, 2, 5], ivt=OCCURS)
    (folder.parent / "manifest.json").write_text("{}")
    boxes = {"frame": [1, 5], "list": [[[17, 0, 1.0, 0.1, 0.2, 0.3, 0.4]], []]}
    phases = "frame,phase_id,phase\n1,0,preparation\n2,3,gallbladder dissection\n"
    return put(folder, detection={"one.json": boxes}, phases={"one.csv": phases})


@pytest.mark.parametrize("below", ["", "..", "../..", "recognition"])
def test_our_own_ground_truth_is_found_at_any_level(own, below):
    truth = submission_truth.read((own / below).resolve())
    assert list(truth.videos) == ["one", "two"]
    one, two = truth.videos["one"], truth.videos["two"]
    assert (one.frames.tolist(), one.boxed_frames.tolist(), one.phase_frames.tolist()) == ([1, 2, 5], [1, 5], [1, 2])
    assert (one.boxes.triplets.tolist(), one.boxes.boxes_xywh.tolist(), one.phases.tolist()) == ([17], [[0.1, 0.2, 0.3, 0.4]], [0, 3])
    assert np.array_equal(one.targets, OCCURS)
    assert np.array_equal(two.targets, OCCURS)
    assert (two.boxes, two.phases, truth.verdict.format) == (None, None, "ground-truth")


def test_two_vocabularies_must_be_told_apart(own):
    shutil.copytree(own, own.parent / "prostatd")
    refused(own.parent, r"several vocabularies \(cholect50, prostatd\); name one of these folders")
    assert submission_truth.read(own.parent, vocabulary_name="cholect50").videos.keys() == {"one", "two"}


def test_a_matrix_of_another_vocabulary_is_refused(own):
    npz(own / "recognition/one.npz", [1, 2, 5], ivt=np.zeros((3, 89), np.int8))
    refused(own, r"one\.npz: 89 classes, expected 100 triplets of 'cholect50'")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("recognition/one.npz", b"PK", r"one\.npz"),
        ("recognition/one.npz", {"frame": [1, 2, 2], "ivt": OCCURS}, r"one\.npz, frame 2: the frame stands twice"),
        ("recognition/one.npz", {"frame": [-1, 2, 5], "ivt": OCCURS}, r"one\.npz"),
        ("recognition/one.npz", {"frame": [1, 2], "ivt": OCCURS}, r"one\.npz"),
        (
            "recognition/one.npz",
            {"frame": [1, 2, 5], "ivt": OCCURS / 2},
            r"one\.npz: has the score 0\.5 of class 17 in frame 1, but labels are 0 or 1; are ground",
        ),
        ("recognition/one.npz", {"frame": [1, 2, 5], "scores": OCCURS}, r"one\.npz: has scores, but labels are 0 or 1"),
        ("detection/one.json", b'{"frame": [1], "list": [[], []]}', r"one\.json"),
        ("detection/one.json", b'{"frame": [1], "list": [[[17, 0, 1.0, 0.1]]]}', r"one\.json"),
        ("detection/one.json", b'{"frame": [1], "list": [', r"one\.json"),
        ("phases/one.csv", b"\0\0", r"one\.csv"),
        ("phases/one.csv", b"frame,phase_id,phase\n1,x,preparation\n", r"one\.csv, frame 1: 'x' is no phase"),
        ("phases/one.csv", b"frame,phase_id,phase\n1,0,preparation\n1,3,gallbladder dissection\n", r"one\.csv"),
        ("phases/one.csv", b"frame,phase_id,phase\n1,99,preparation\n", r"one\.csv"),
    ],
)
def test_a_damaged_file_of_our_own_ground_truth_is_refused_by_name(own, file, content, message):
    if isinstance(content, bytes):
        (own / file).write_bytes(content)
    else:
        np.savez(own / file, **{name: np.array(values) for name, values in content.items()})
    refused(own, message)


def test_frames_in_any_order_keep_their_labels(own):
    npz(own / "recognition/one.npz", [5, 2, 1], ivt=OCCURS[::-1])
    assert np.array_equal(submission_truth.read(own).videos["one"].targets, OCCURS)


def test_cholect50_labels_give_triplets_boxes_and_phases(tmp_path):
    made = labels(4, 30)
    truth = submission_truth.read(write_labels(tmp_path / "gt", {"VID01": made}, box=(0.1, 0.2, 0.3, 0.4)))
    video = truth.videos["VID01"]
    assert np.array_equal(video.targets, made)
    assert len(video.boxes.frames) == made.sum()
    assert video.phases.tolist() == [7 * at // 30 for at in range(30)]


def test_a_frame_with_an_instance_without_box_is_not_scored_in_detection(tmp_path):
    folder = write_labels(tmp_path / "gt", {"VID01": labels(4, 3)})
    document = json.loads((folder / "VID01.json").read_text())
    document["annotations"] = {"0": [vector(17, 0, (0.1, 0.2, 0.3, 0.4)), vector(60, 0, (-1, -1, -1, -1))], "1": [[-1] * 14 + [0]]}
    (folder / "VID01.json").write_text(json.dumps(document))
    video = submission_truth.read(folder).videos["VID01"]
    assert (video.boxed_frames.tolist(), len(video.boxes.frames), int(video.targets.sum())) == ([1], 0, 2)


def test_images_and_lists_give_frames_without_labels(tmp_path):
    put(tmp_path, set={f"videos/VID01/{frame:06}.png": b"" for frame in (0, 1, 2)})
    (tmp_path / "frames.csv").write_text("video,frame\nVID01,2\nVID01,0\nVID01,1\n")
    for path in (tmp_path / "set", tmp_path / "set/videos", tmp_path / "frames.csv"):
        truth = submission_truth.read(path)
        assert truth.videos["VID01"].frames.tolist() == [0, 1, 2]
        assert truth.videos["VID01"].targets is None
        assert len(truth.vocabulary.triplets) == CLASSES


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("line", ["VID01,-1", "VID01,x", ",3", "VID01,0", "VID01"])
def test_a_list_with_a_wrong_line_is_refused_with_its_number(tmp_path, line, delimiter):
    (tmp_path / "frames.csv").write_text(f"video,frame\nVID01,0\n\n{line}\n".replace(",", delimiter))
    refused(tmp_path / "frames.csv", r"frames\.csv, line 4")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"frame\n1\n", "no format of labels"),
        (b"video,frame\n", "has no frames"),
        (b"", r"no format of labels \(frames\.csv is empty\)"),
        (b"video,frame\n\xff,1\n", r"frames\.csv, line 2: byte 0xff"),
    ],
)
def test_a_list_without_frames_or_videos_is_refused(tmp_path, text, message):
    (tmp_path / "frames.csv").write_bytes(text)
    refused(tmp_path / "frames.csv", message)


def test_labels_of_another_format_are_read_by_its_name(tmp_path):
    put(tmp_path, gt={"video01-phase.txt": "Frame\tPhase\n" + "".join(f"{frame}\tPreparation\n" for frame in range(5))})
    video = submission_truth.read(tmp_path / "gt", form="cholec80").videos["video01"]
    assert (video.frames, video.phase_frames.tolist()) == (None, [0, 1, 2, 3, 4])


def test_only_the_videos_that_are_asked_for_count(tmp_path):
    folder = write_labels(tmp_path / "gt", {"VID01": labels(1, 3), "VID02": labels(2, 3)})
    assert list(submission_truth.read(folder, only=["VID02"]).videos) == ["VID02"]
    refused(folder, "no video VID03 in it; there are VID01, VID02", only=["VID03"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        ("missing", "there is no such file or folder"),
        ("empty", "there is no file in it"),
        ("other", "name the format by --from: .*cholect50"),
    ],
)
def test_what_is_no_ground_truth_is_refused_as_by_every_other_command(tmp_path, make, message):
    path = tmp_path / "gt"
    if make != "missing":
        path.mkdir()
    if make == "other":
        (path / "readme.txt").write_text("x")
    refused(path, message)
