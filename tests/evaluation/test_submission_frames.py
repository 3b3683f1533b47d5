"""Frames of a submission: missing, further, shifted, at another rate, written otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from challenge_cases import FRAMES, document, labels, write, write_labels
from scrubin.evaluate import submission, submission_truth


def test_a_missing_video_is_told(given, checked):
    del given["VID02"]
    assert checked() == [("video-missing", "error", "VID02.json", [])]


@pytest.mark.parametrize(
    ("spelling", "rule", "severity"),
    [
        ("{:05d}", "key-padded", "deviation"),
        ("{}.0", "key-malformed", "error"),
        (" {}", "key-malformed", "error"),
        ("frame_{:06d}", "key-malformed", "error"),
        ("{:06d}.png", "key-malformed", "error"),
    ],
)
def test_keys_in_other_spellings_are_one_problem_with_all_frames(given, checked, spelling, rule, severity):
    given["VID01"] = {spelling.format(int(key)): value for key, value in given["VID01"].items()}
    assert checked() == [(rule, severity, "VID01.json", list(range(FRAMES)))]


def test_a_key_that_is_no_frame_is_shown(faults, given):
    given["VID01"]["1e1"] = given["VID01"]["info\n"] = {}
    (problem,) = faults()
    assert problem.sentence == r'VID01.json: no frame number: "1e1", "info\n" (2 times); keys are frame numbers such as 0 and 12'


@pytest.mark.parametrize("shift", [1, -1, 5, 100])
def test_shifted_frames_are_told_with_the_likely_offset(faults, given, shift):
    given["VID01"] = {str(int(key) + shift): value for key, value in given["VID01"].items()}
    found = {one.rule: one for one in faults()}
    if shift < 0:
        assert set(found) == {"frames-missing", "key-negative"}
        assert found["key-negative"].fix.endswith("add 1 to every frame number")
        assert found["frames-missing"].frames == (FRAMES - 1,)
    else:
        assert f"shifted by +{shift}" in found["frames-shifted"].what
        hedge = {1: "; if they are right, predict frame 0 too", 5: "; if they are right, predict frames 0-4 too"}.get(shift, "")
        assert found["frames-shifted"].fix == f"subtract {shift} from every frame number{hedge}"
        assert found["frames-missing"].frames == tuple(range(min(shift, FRAMES)))
        assert found["frames-extra"].frames == tuple(range(max(FRAMES, shift), FRAMES + shift))


def test_a_file_without_frame_0_is_not_called_counted_from_1_where_another_has_it(faults, given):
    del given["VID01"]["0"]
    assert ["from 1" in one.fix for one in faults()] == [False]


def test_frames_of_a_25_fps_video_are_recognised(faults, given):
    given["VID01"] = {str(25 * int(key)): value for key, value in given["VID01"].items()}
    found = faults()
    assert any("divide every frame number by 25" in one.fix for one in found)


def test_a_key_that_stands_twice_is_told_where_json_would_keep_the_last(tmp_path, truth, given):
    folder = write(tmp_path / "team", given)
    text = (folder / "VID01.json").read_text()
    (folder / "VID01.json").write_text(text[:-1] + ', "4": {"recognition": [], "recognition": []}}')
    found = {one.rule: one for one in submission.check(folder, truth).faults}
    assert found["key-repeated"].frames == (4,)
    assert found["recognition-classes"].frames == (4,)


def test_a_frame_under_two_spellings_is_told(given, checked):
    given["VID01"]["004"] = given["VID01"]["4"]
    assert checked() == [("key-padded", "deviation", "VID01.json", [4]), ("key-repeated", "error", "VID01.json", [4])]


def test_frames_between_sparse_labels_are_only_a_deviation(tmp_path):
    numbers = {"VID01": [16, 23, 33]}
    truth = submission_truth.read(write_labels(tmp_path / "truth", {"VID01": labels(1, 3)}, numbers))
    folder = write(tmp_path / "team", {"VID01": document(np.full((40, 100), 0.5))})
    (problem,) = submission.check(folder, truth).faults
    assert (problem.rule, problem.severity, len(problem.frames)) == ("frames-extra", "deviation", 37)


def test_no_frame_is_hidden_however_many_there_are(faults, given):
    for key in given["VID01"]:
        if int(key) % 2:
            given["VID01"][key]["recognition"][0] = -1
    (problem,) = faults()
    assert problem.frames == tuple(range(1, FRAMES, 2))
    assert "frames 1, 3, 5, 7, 9, 11, 13, 15, 17, 19:" in problem.sentence
    assert problem.as_json()["frames"] == [[frame, frame] for frame in range(1, FRAMES, 2)]
