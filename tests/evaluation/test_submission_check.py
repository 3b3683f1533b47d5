"""Values of a submission: everything that can be wrong with them, told with file and frame."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import hidden_releases
from challenge_cases import CLASSES, FRAMES, document, labels, scores, write, write_labels
from scrubin.cli import main
from scrubin.evaluate import submission, submission_truth

DETECTION = {"triplet": 17, "instrument": [0, 0.5, 0.1, 0.2, 0.3, 0.4]}


def rows(content, change):
    """Apply a change to every frame of a document."""
    return {key: change(value) for key, value in content.items()}


def test_a_good_submission_has_no_problem(tmp_path, truth, given):
    outcome = submission.check(write(tmp_path / "team", given), truth)
    assert outcome.faults == ()
    assert (outcome.videos, outcome.frames, outcome.tasks) == (2, 2 * FRAMES, ("recognition",))


def test_every_fault_of_every_file_is_told_at_once(given, checked):
    given["VID01"]["3"]["recognition"][5] = 1.5
    given["VID01"]["4"]["recognition"] = [0.5] * 94
    del given["VID01"]["7"], given["VID01"]["8"]
    given["VID02"]["20"] = given["VID02"]["0"]
    given["VID02"]["9"]["recognition"][0] = float("nan")
    given["VID03"] = given["VID02"]
    assert sorted(checked()) == [
        ("frames-extra", "deviation", "VID02.json", [20]),
        ("frames-missing", "error", "VID01.json", [7, 8]),
        ("recognition-above-1", "error", "VID01.json", [3]),
        ("recognition-classes", "error", "VID01.json", [4]),
        ("recognition-nan", "error", "VID02.json", [9]),
        ("video-extra", "deviation", "VID03.json", []),
    ]


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("0.5", "type"),
        (True, "type"),
        (None, "type"),
        ({}, "type"),
        (float("inf"), "infinite"),
        (-0.1, "below-0"),
        (1.0000001, "above-1"),
        (10**400, "above-1"),
        (2, "above-1"),
        *((value, None) for value in (1, 0, -0.0, 5e-324)),
    ],
)
def test_values_that_are_no_probability_are_told_with_frame_and_triplet(given, faults, value, rule):
    given["VID02"]["11"]["recognition"][42] = value
    found = [(one.rule, one.severity, one.frames, "triplet 42" in one.what) for one in faults()]
    assert found == ([] if rule is None else [(f"recognition-{rule}", "error", (11,), True)])


def test_a_probability_just_above_1_is_shown_with_the_digits_that_make_it_so(given, faults):
    given["VID02"]["11"]["recognition"][42] = 1.000000001
    (found,) = faults()
    assert "(first: frame 11, triplet 42 is 1.000000001)" in found.what


@pytest.mark.parametrize(
    ("change", "rule", "severity"),
    [
        (lambda frame: {"recognition": [frame["recognition"]]}, "recognition-nested", "deviation"),
        (lambda frame: {"recognition": [[frame["recognition"]]]}, "recognition-layout", "error"),
        (lambda frame: {"recognition": [[one] for one in frame["recognition"]]}, "recognition-layout", "error"),
        (lambda frame: {"recognition": dict(enumerate(frame["recognition"]))}, "recognition-layout", "error"),
        (lambda frame: {"recognition": None}, "recognition-layout", "error"),
        (lambda frame: {"recognition": []}, "recognition-classes", "error"),
        (lambda frame: frame["recognition"], "frame-bare", "deviation"),
        (lambda frame: {}, "frame-layout", "error"),
        (lambda frame: 0.5, "frame-layout", "error"),
        (lambda frame: [], "frame-layout", "error"),
    ],
)
def test_a_wrong_depth_is_told_with_every_frame(given, checked, change, rule, severity):
    given["VID01"] = rows(given["VID01"], change)
    assert (rule, severity, "VID01.json", list(range(FRAMES))) in checked()


def test_a_misspelt_key_is_told_with_the_right_one(given, faults):
    given["VID01"]["2"] = {"Recogniton": given["VID01"]["2"]["recognition"]}
    found = {one.rule: one for one in faults()}
    assert found["frame-key"].fix == "write 'recognition'"
    assert found["frame-key"].frames == found["frame-layout"].frames == (2,)


def test_vectors_without_the_null_triplets_are_recognised(given, faults):
    given["VID01"]["2"]["recognition"] = [0.5] * 94
    (problem,) = faults()
    assert problem.sentence == "VID01.json, frame 2: 94 probabilities instead of 100; give 100, one per triplet, the 6 null ones included"


def test_percentages_and_logits_are_recognised(given, faults):
    given["VID01"]["2"]["recognition"] = [37.0] * 100
    given["VID02"]["2"]["recognition"] = [3.0, -3.0] * 50
    found = {(one.file, one.rule): one.fix for one in faults()}
    assert "percentages" in found["VID01.json", "recognition-above-1"]
    assert "sigmoid" in found["VID02.json", "recognition-below-0"]
    assert "sigmoid" in found["VID02.json", "recognition-above-1"]


def test_detections_are_checked_value_by_value(given, checked):
    for content in given.values():
        for frame in content.values():
            frame["detection"] = [json.loads(json.dumps(DETECTION))]
    faults = {
        0: {"triplet": 100, "instrument": [0, 0.5, 0.1, 0.2, 0.3, 0.4]},
        1: {"triplet": 17, "instrument": [6, 0.5, 0.1, 0.2, 0.3, 0.4]},
        2: {"triplet": 17, "instrument": [2, 0.5, 0.1, 0.2, 0.3, 0.4]},
        3: {"triplet": 17, "instrument": [0, 1.5, 0.1, 0.2, 0.3, 0.4]},
        4: {"triplet": 17, "instrument": [0, 0.5, 0.1, 0.2, 0.3]},
        5: {"triplet": 17, "instrument": [0, 0.5, 0.5, 0.5, 0.9, 0.9]},
        6: {"triplet": 17, "instrument": [0, 0.5, 100, 200, 300, 400]},
        7: {"triplet": 17, "instrument": [0, 0.5, 0.1, 0.2, 0, 0.4]},
        8: {"triplet": 17, "instrument": [0, "0.5", 0.1, 0.2, 0.3, 0.4]},
        9: [17, 0, 0.5, 0.1, 0.2, 0.3, 0.4],
        10: {"triplet": True, "instrument": [0, 0.5, 0.1, 0.2, 0.3, 0.4]},
        11: {"triplet": 17, "instrument": [0, 0.5, 0.1, None, 0.3, 0.4]},
        14: {"triplet": 17, "instrument": [0, 10**400, 0.1, 0.2, 0.3, 0.4]},
        15: {"triplet": 10**400, "instrument": [0, 0.5, 10**400, 0.2, 0.3, 0.4]},
        12: {"triplet": 17, "instrument": [0, 0.5, 0.71, 0.2, 0.3, 0.4]},  # leaves the image by 1 %: drawing
    }
    for frame, fault in faults.items():
        given["VID01"][str(frame)]["detection"] = [fault]
    given["VID01"]["13"]["detection"] = None
    del given["VID02"]["4"]["detection"]
    found = [(rule, frames) for rule, _, _, frames in checked()]
    assert sorted(found) == [
        ("detection-box", [5]),
        ("detection-box", [6]),
        ("detection-box", [7]),
        ("detection-box", [11, 15]),
        ("detection-instrument-id", [1]),
        ("detection-instrument-of-triplet", [2]),
        ("detection-layout", [9]),
        ("detection-layout", [13]),
        ("detection-missing", [4]),
        ("detection-probability", [3, 8, 14]),
        ("detection-triplet-id", [0]),
        ("detection-triplet-id", [10, 15]),
        ("detection-values", [4]),
    ]


def test_corners_pixels_and_a_box_below_the_picture_are_named(given, faults):
    boxes = {
        0: ([0.5, 0.5, 0.9, 0.9], "two corners"),
        1: ([100, 200, 300, 400], "pixels"),
        2: ([0.3, 0.5, 0.2, 0.9], "it leaves the image"),
    }
    for frame, (box, _) in boxes.items():
        given["VID01"][str(frame)]["detection"] = [{"triplet": 17, "instrument": [0, 0.5, *box]}]
    found = {one.frames: one.sentence for one in faults()}
    for frame, (_, said) in boxes.items():
        assert said in found[(frame,)]


def test_a_task_that_is_asked_for_must_be_there(given, checked):
    frames = list(range(FRAMES))
    wanted = [("detection-missing", "error", file, frames) for file in ("VID01.json", "VID02.json")]
    assert checked(["detection"]) == wanted


def test_phases_are_checked_line_by_line(tmp_path, truth):
    folder = tmp_path / "team"
    folder.mkdir()
    lines = [f"{frame},{7 * frame // FRAMES}" for frame in range(FRAMES)]
    (folder / "VID01.csv").write_text("\n".join(["frame,phase_id", *lines]) + "\n")
    lines[2], lines[3], lines[4], lines[5] = "2,7", "3,-1", "4,x", "5.0,1"
    (folder / "VID02.csv").write_text("\r\n".join(["frame,phase_id", *lines, "6,1", "7", "20,1"]))
    outcome = submission.check(folder, truth)
    assert outcome.tasks == ("phases",)
    assert sorted((one.rule, one.file, one.frames) for one in outcome.faults) == [
        ("frame-form", "VID02.csv", (5,)),
        ("frame-repeated", "VID02.csv", ()),
        ("frames-extra", "VID02.csv", (20,)),
        ("frames-missing", "VID02.csv", (3,)),
        ("id-range", "VID02.csv", ()),
        ("id-range", "VID02.csv", (2,)),
        ("name-unknown", "VID02.csv", (4,)),
        ("row-length", "VID02.csv", ()),
    ]


def test_phases_may_be_names_and_must_agree_with_ids(tmp_path, truth):
    folder = tmp_path / "team"
    folder.mkdir()
    lines = [f"{frame},0,preparation" for frame in range(FRAMES)]
    (folder / "VID01.csv").write_text("\n".join(["frame,phase_id,phase", *lines]))
    lines[3], lines[4] = "3,1,preparation", "4,0,preparing"
    (folder / "VID02.csv").write_text("\n".join(["frame,phase_id,phase", *lines]))
    found = submission.check(folder, truth).faults
    assert [(one.file, one.frames) for one in found] == [("VID02.csv", (3,)), ("VID02.csv", (4,))]


def test_a_value_nested_without_end_is_shown_short(tmp_path, truth, given):
    folder = write(tmp_path / "team", given)
    text = (folder / "VID01.json").read_text()
    (folder / "VID01.json").write_text(text[:-1] + ', "3": {"recognition": ' + "[" * 900 + "]" * 900 + "}}")
    found = {one.rule: one for one in submission.check(folder, truth).faults}
    assert found["recognition-layout"].what == "'recognition' is nested too deeply ([[...]])"


@pytest.mark.parametrize(("value", "word"), [("NaN", "NaN"), ("Infinity", "infinite"), ("-Infinity", "infinite"), ("1e400", "infinite")])
def test_scores_of_diverged_weights_are_a_fault_of_every_command(tmp_path, capsys, value, word):
    truth, team = str(write_labels(tmp_path / "truth", {"VID01": labels(1, 3)})), tmp_path / "team"
    team.mkdir()
    row = f'{{"recognition": [{", ".join([value] * CLASSES)}]}}'
    (team / "VID01.json").write_text(f'{{"0": {row}, "1": {row}, "2": {row}}}')
    commands = [
        ["submission", "check", str(team), "--ground-truth", truth],
        ["score", "recognition", "--ground-truth", truth, "--predictions", str(team)],
        ["validate", str(team)],
        ["convert", str(team), "--to", "tables", "--out", str(tmp_path / "out")],
        ["rank", str(team), "--ground-truth", truth, "--out", str(tmp_path / "ranks")],
    ]
    for command in commands if value == "NaN" else commands[:1]:
        assert main(command) == 1, command
        said = "".join(capsys.readouterr())
        assert f"VID01.json, frames 0-2: a probability is {word} (first: frame 0, triplet 0) (3 frames, 300 times)" in said, command
        assert "none of this file is finite: did the training diverge?" in said, command


@pytest.mark.parametrize("frame", [np.inf, np.nan, 1e300])
def test_a_frame_number_of_a_matrix_is_a_number(tmp_path, capsys, frame):
    truth = write_labels(tmp_path / "truth", {"VID01": labels(1, 3)})
    np.savez(tmp_path / "VID01.npz", frame=np.array([0.0, 1.0, frame]), ivt=np.full((3, CLASSES), 0.5))
    assert main(["score", "recognition", "--ground-truth", str(truth), "--predictions", str(tmp_path / "VID01.npz")]) == 1
    assert "VID01.npz: the frame numbers are no whole numbers; give one per row" in capsys.readouterr().err


@pytest.fixture
def with_instruments_alone(tmp_path):
    """A release of three videos, one of which has no triplets, and whole submissions for the others."""
    release = hidden_releases.release(tmp_path / "release")
    hidden_releases.only_instruments(release, "kliawnimp")
    return release


def test_a_video_with_instruments_alone_is_not_asked_for_beside_those_with_triplets(with_instruments_alone, tmp_path, capsys):
    team = hidden_releases.submission(tmp_path / "team", "recognition")
    truth = ["--ground-truth", str(with_instruments_alone)]
    assert main(["submission", "check", str(team), *truth]) == 0
    assert "(1 of 3, first kliawnimp)" in capsys.readouterr().out
    assert main(["rank", str(team), *truth]) == 0
    assert "0 not ranked" in capsys.readouterr().out
    assert main(["score", "recognition", *truth, "--predictions", str(team)]) == 0


def test_a_prediction_of_a_video_that_cannot_be_scored_is_noted_and_refuses_nothing(with_instruments_alone, tmp_path, capsys):
    team = hidden_releases.submission(tmp_path / "team", "recognition")
    shutil.copy(team / f"{hidden_releases.HIDDEN[0]}.json", team / "kliawnimp.json")
    truth = ["--ground-truth", str(with_instruments_alone)]
    assert main(["submission", "check", str(team), *truth]) == 0
    assert "note: kliawnimp.json was not looked at: its video has no whole triplets, so it does not count" in capsys.readouterr().out
    assert main(["rank", str(team), *truth]) == 0


def test_who_only_detects_needs_no_file_of_a_video_without_boxes(tmp_path):
    release = hidden_releases.release(tmp_path / "release")
    (release / "groundtruth/cholect50/detection/kliawnimp.json").unlink()
    truth = submission_truth.read(release)
    assert submission.check(hidden_releases.submission(tmp_path / "detected", "detection"), truth).errors == ()
    (missing,) = submission.check(hidden_releases.submission(tmp_path / "recognised", "recognition"), truth).errors
    assert (missing.rule, missing.file) == ("video-missing", "kliawnimp.json")


def test_where_a_task_is_asked_for_faults_of_another_are_said_and_refuse_nothing(tmp_path, truth, given):
    given["VID01"]["3"]["detection"] = [DETECTION]
    team = write(tmp_path / "team", given)
    (tmp_path / "team/VID01.csv").write_text("frame,phase_id\n0,99\n")
    (tmp_path / "team/vid02.csv").write_text("frame,phase_id\n0,99\n")
    found = submission.check(team, truth, tasks=["recognition"])
    assert found.errors == ()
    said = {(one.rule, one.severity, one.file) for one in found.faults}
    assert {("detection-missing", "warning", "VID01.json"), ("detection-missing", "warning", "VID02.json")} <= said
    assert {("task-other", "warning", "VID01.csv"), ("name-video", "warning", "vid02.csv")} <= said
    assert "detection-missing" in {one.rule for one in submission.check(team, truth, tasks=["detection"]).errors}
    assert {one.file for one in submission.check(team, truth).errors} >= {"VID01.json", "VID02.json", "VID01.csv"}


def test_files_of_a_task_that_is_asked_for_must_be_there_whatever_else_is(tmp_path, truth, given):
    team = write(tmp_path / "team", given)
    assert {one.file for one in submission.check(team, truth, tasks=["phases"]).errors} == {"VID01.csv", "VID02.csv"}
    (tmp_path / "team/VID02.json").unlink()
    assert {one.file for one in submission.check(team, truth, tasks=["recognition"]).errors} == {"VID02.json"}


def test_probabilities_are_scored_where_a_frame_lacks_its_boxes_and_boxes_are_not(tmp_path, capsys):
    write_labels(tmp_path / "gt", {"VID01": labels(1, FRAMES)})
    rows_of = document(scores(3, labels(1, FRAMES), 1))
    for frame in list(rows_of)[1:]:
        rows_of[frame]["detection"] = []
    team = write(tmp_path / "team", {"VID01": rows_of})
    sides = ["--ground-truth", str(tmp_path / "gt"), "--predictions", str(team)]
    assert main(["score", "recognition", *sides]) == 0
    assert "VID01.json, frame 0: no 'detection'" in capsys.readouterr().err
    assert main(["score", "detection", *sides]) == 1
