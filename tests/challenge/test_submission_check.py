"""Everything that can be wrong with a submission, told with file and frame."""

from __future__ import annotations

import json

import numpy as np
import pytest

from challenge_cases import document, labels, scores, write, write_labels
from scrubin.challenge import submission, truth_files
from scrubin.errors import AnnotationError

FRAMES = 20
DETECTION = {"triplet": 17, "instrument": [0, 0.5, 0.1, 0.2, 0.3, 0.4]}


@pytest.fixture
def truth(tmp_path):
    videos = {"VID01": labels(1, FRAMES), "VID02": labels(2, FRAMES)}
    return truth_files.read(write_labels(tmp_path / "truth", videos))


@pytest.fixture
def given(truth):
    """A submission without a fault, as documents."""
    return {name: document(scores(3, video.targets, 1)) for name, video in truth.videos.items()}


@pytest.fixture
def checked(tmp_path, truth, given):
    """Check the submission after the test changed it; return problems as (rule, severity, file, frames)."""

    def checked(tasks=()):
        outcome = submission.check(write(tmp_path / "team", given), truth, tasks=tasks)
        return [(one.rule, one.severity, one.file, list(one.frames)) for one in outcome.problems]

    return checked


def rows(content, change):
    """Apply a change to every frame of a document."""
    return {key: change(value) for key, value in content.items()}


def test_a_good_submission_has_no_problem(tmp_path, truth, given):
    outcome = submission.check(write(tmp_path / "team", given), truth)
    assert outcome.problems == ()
    assert (outcome.videos, outcome.frames, outcome.tasks) == (2, 2 * FRAMES, ("recognition",))


def test_every_fault_of_every_file_is_told_at_once(given, checked):
    given["VID01"]["3"]["recognition"][5] = 1.5
    given["VID01"]["4"]["recognition"] = [0.5] * 94
    del given["VID01"]["7"], given["VID01"]["8"]
    given["VID02"]["20"] = given["VID02"]["0"]
    given["VID02"]["9"]["recognition"][0] = float("nan")
    given["VID03"] = given["VID02"]
    assert sorted(checked()) == [
        ("frames-extra", "error", "VID02.json", [20]),
        ("frames-missing", "error", "VID01.json", [7, 8]),
        ("name-video", "error", "VID03.json", []),
        ("recognition-above-1", "error", "VID01.json", [3]),
        ("recognition-classes", "error", "VID01.json", [4]),
        ("recognition-nan", "error", "VID02.json", [9]),
    ]


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


def test_a_key_that_is_no_frame_is_shown(tmp_path, truth, given):
    given["VID01"]["1e1"] = given["VID01"]["info\n"] = {}
    (problem,) = submission.check(write(tmp_path / "team", given), truth).problems
    assert problem.sentence == r'VID01.json: no frame number: "1e1", "info\n" (2 times); keys are frame numbers such as 0 and 12'


@pytest.mark.parametrize("shift", [1, -1, 5, 100])
def test_shifted_frames_are_told_with_the_likely_offset(tmp_path, truth, given, shift):
    given["VID01"] = {str(int(key) + shift): value for key, value in given["VID01"].items()}
    found = {one.rule: one for one in submission.check(write(tmp_path / "team", given), truth).problems}
    if shift < 0:
        assert set(found) == {"frames-missing", "key-negative"}
        assert found["key-negative"].mend.endswith("add 1 to every frame number")
        assert found["frames-missing"].frames == (FRAMES - 1,)
    else:
        assert f"shifted by +{shift}" in found["frames-shifted"].fault
        assert found["frames-shifted"].mend == f"subtract {shift} from every frame number"
        assert found["frames-missing"].frames == tuple(range(min(shift, FRAMES)))
        assert found["frames-extra"].frames == tuple(range(max(FRAMES, shift), FRAMES + shift))


def test_frames_of_a_25_fps_video_are_recognised(tmp_path, truth, given):
    given["VID01"] = {str(25 * int(key)): value for key, value in given["VID01"].items()}
    found = submission.check(write(tmp_path / "team", given), truth).problems
    assert any("divide every frame number by 25" in one.mend for one in found)


def test_a_key_that_stands_twice_is_told_where_json_would_keep_the_last(tmp_path, truth, given):
    folder = write(tmp_path / "team", given)
    text = (folder / "VID01.json").read_text()
    (folder / "VID01.json").write_text(text[:-1] + ', "4": {"recognition": [], "recognition": []}}')
    found = {one.rule: one for one in submission.check(folder, truth).problems}
    assert found["key-repeated"].frames == (4,)
    assert found["recognition-classes"].frames == (4,)


def test_a_frame_under_two_spellings_is_told(given, checked):
    given["VID01"]["004"] = given["VID01"]["4"]
    assert checked() == [("key-padded", "deviation", "VID01.json", [4]), ("key-repeated", "error", "VID01.json", [4])]


@pytest.mark.parametrize(
    ("value", "rule", "severity"),
    [
        ("0.5", "recognition-type", "error"),
        (True, "recognition-type", "error"),
        (None, "recognition-type", "error"),
        ({}, "recognition-type", "error"),
        (float("inf"), "recognition-infinite", "error"),
        (-0.1, "recognition-below-0", "error"),
        (1.0000001, "recognition-above-1", "error"),
        (10**400, "recognition-above-1", "error"),
        (2, "recognition-above-1", "error"),
        (1, None, None),
        (0, None, None),
        (-0.0, None, None),
        (5e-324, None, None),
    ],
)
def test_values_that_are_no_probability_are_told_with_frame_and_triplet(tmp_path, truth, given, value, rule, severity):
    given["VID02"]["11"]["recognition"][42] = value
    found = submission.check(write(tmp_path / "team", given), truth).problems
    assert [(one.rule, one.severity, one.frames) for one in found] == ([] if rule is None else [(rule, severity, (11,))])
    if rule:
        assert "triplet 42" in found[0].fault


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


def test_a_misspelt_key_is_told_with_the_right_one(tmp_path, truth, given):
    given["VID01"]["2"] = {"Recogniton": given["VID01"]["2"]["recognition"]}
    found = {one.rule: one for one in submission.check(write(tmp_path / "team", given), truth).problems}
    assert found["frame-key"].mend == "write 'recognition'"
    assert found["frame-key"].frames == found["frame-layout"].frames == (2,)


def test_vectors_without_the_null_triplets_are_recognised(tmp_path, truth, given):
    given["VID01"]["2"]["recognition"] = [0.5] * 94
    (problem,) = submission.check(write(tmp_path / "team", given), truth).problems
    assert problem.sentence == "VID01.json, frame 2: 94 probabilities instead of 100; give 100, one per triplet, the 6 null ones included"


def test_percentages_and_logits_are_recognised(tmp_path, truth, given):
    given["VID01"]["2"]["recognition"] = [37.0] * 100
    given["VID02"]["2"]["recognition"] = [3.0, -3.0] * 50
    found = {(one.file, one.rule): one.mend for one in submission.check(write(tmp_path / "team", given), truth).problems}
    assert "percentages" in found["VID01.json", "recognition-above-1"]
    assert "sigmoid" in found["VID02.json", "recognition-below-0"]
    assert "sigmoid" in found["VID02.json", "recognition-above-1"]


def test_all_videos_in_one_file_and_frames_below_a_key_are_told(given, checked):
    given["VID01"] = {"VID01": given["VID01"], "VID02": given["VID02"]}
    given["VID02"] = {"predictions": {**given["VID02"], "99": {}}}
    assert checked() == [
        ("file-layout", "error", "VID01.json", []),
        ("file-layout", "error", "VID02.json", []),
        ("frames-extra", "error", "VID02.json", [99]),
        ("frame-layout", "error", "VID02.json", [99]),
    ]


@pytest.mark.parametrize(
    ("data", "rule", "words"),
    [
        (b"", "file-empty", "is empty"),
        (b"  \n", "file-empty", "is empty"),
        (b"{}", "file-layout", "has no frames"),
        (b"null", "file-layout", "null"),
        (b"[[0.1]]", "file-layout", "a list of 1 item "),
        (b"3", "file-layout", "3"),
        (b'{"0": {"recognition": [0.1, 0.', "file-json", "line 1"),
        (b'{"0": {"recogni', "file-json", "is cut off"),
        (b'{"0": {"recognition": [0.1,', "file-json", "is cut off"),
        (b"{'0': []}", "file-json", "is not JSON"),
        (b'{"0": ' + b"[" * 200_000, "file-json", "nested too deeply"),
        (b'{"0": ' + b"1" * 5000 + b"}", "file-json", "digits"),
        ('{"0": {}}'.encode("utf-16"), "file-encoding", "is UTF-16"),
        ('{"0": {}}'.encode("utf-16-le"), "file-encoding", "UTF-16"),
        (b'{"0": "\xff"}', "file-encoding", "byte 0xff is not UTF-8"),
        (b"PK\x03\x04rest", "file-encoding", "zip archive"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_problem_beside_the_others(tmp_path, truth, given, data, rule, words):
    given["VID02"]["9"]["recognition"][0] = 7
    folder = write(tmp_path / "team", given)
    (folder / "VID01.json").write_bytes(data)
    found = submission.check(folder, truth).problems
    assert [(one.file, one.rule) for one in found] == [("VID01.json", rule), ("VID02.json", "recognition-above-1")]
    assert words in found[0].fault


def test_a_byte_order_mark_is_a_deviation(tmp_path, truth, given):
    folder = write(tmp_path / "team", given)
    (folder / "VID01.json").write_bytes(b"\xef\xbb\xbf" + (folder / "VID01.json").read_bytes())
    (problem,) = submission.check(folder, truth).problems
    assert (problem.rule, problem.severity) == ("file-byte-order-mark", "deviation")


def test_a_file_far_too_large_is_not_read(tmp_path, truth, given, monkeypatch):
    from scrubin.challenge import documents

    monkeypatch.setattr(documents, "BASE_BYTES", 1000)
    folder = write(tmp_path / "team", given)
    (folder / "VID01.json").write_bytes(b" " * (1000 + 100 * 100 * FRAMES + 1))
    assert [one.rule for one in submission.check(folder, truth).problems] == ["file-size"]


@pytest.mark.parametrize("name", ["vid01.json", "VID01.JSON", "VID01_pred.json", "team-VID01.json", "video1.json", "VID01.v2.json"])
def test_a_name_that_nearly_fits_is_told_and_its_content_checked(tmp_path, truth, given, name):
    given["VID01"]["3"]["recognition"][5] = 1.5
    folder = write(tmp_path / "team", given)
    (folder / "VID01.json").rename(folder / name)
    found = [(one.file, one.rule) for one in submission.check(folder, truth).problems]
    assert sorted(found) == [(name, "name-video"), (name, "recognition-above-1")]


@pytest.mark.parametrize("name", ["VID01.txt", "VID01.json.gz", "VID01.zip"])
def test_a_video_with_another_suffix_is_told(tmp_path, truth, given, name):
    folder = write(tmp_path / "team", given)
    (folder / "VID01.json").rename(folder / name)
    assert sorted(one.rule for one in submission.check(folder, truth).problems) == ["name-suffix", "video-missing"]


def test_other_files_are_noted_and_hidden_ones_passed_over(tmp_path, truth, given):
    folder = write(tmp_path / "team", given)
    (folder / "method.pdf").write_bytes(b"x")
    (folder / ".DS_Store").write_bytes(b"x")
    (folder / "__MACOSX").mkdir()
    outcome = submission.check(folder, truth)
    assert (outcome.problems, outcome.notes) == ((), ("method.pdf was not looked at: no part of a submission",))


def test_files_in_a_folder_within_are_told_with_the_folder_to_name(tmp_path, truth, given):
    write(tmp_path / "team/results", given)
    (problem,) = submission.check(tmp_path / "team", truth).problems
    assert problem.file == "results/"
    assert "name this folder" in problem.mend


@pytest.mark.parametrize("make", ["missing", "empty", "file", "zip"])
def test_what_is_no_folder_with_files_is_said_in_one_sentence(tmp_path, truth, make):
    path = tmp_path / "team"
    if make == "empty":
        path.mkdir()
        (problem,) = submission.check(path, truth).problems
        assert problem.rule == "folder-empty"
        return
    if make == "file":
        path.write_bytes(b"x")
    if make == "zip":
        import zipfile

        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("VID01.json", "{}")
    words = {"missing": "no such folder", "file": "is a file", "zip": "zip archive; unpack it"}[make]
    with pytest.raises(AnnotationError, match=words):
        submission.check(path, truth)


def test_frames_between_sparse_labels_are_only_a_deviation(tmp_path):
    numbers = {"VID01": [16, 23, 33]}
    truth = truth_files.read(write_labels(tmp_path / "truth", {"VID01": labels(1, 3)}, numbers))
    folder = write(tmp_path / "team", {"VID01": document(np.full((40, 100), 0.5))})
    (problem,) = submission.check(folder, truth).problems
    assert (problem.rule, problem.severity, len(problem.frames)) == ("frames-extra", "deviation", 37)


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


def test_corners_and_pixels_are_named(tmp_path, truth, given):
    given["VID01"]["0"]["detection"] = [{"triplet": 17, "instrument": [0, 0.5, 0.5, 0.5, 0.9, 0.9]}]
    given["VID01"]["1"]["detection"] = [{"triplet": 17, "instrument": [0, 0.5, 100, 200, 300, 400]}]
    found = {one.frames: one.mend for one in submission.check(write(tmp_path / "team", given), truth).problems}
    assert "two corners" in found[(0,)]
    assert "pixels" in found[(1,)]


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
    assert sorted((one.rule, one.file, one.frames) for one in outcome.problems) == [
        ("frames-extra", "VID02.csv", (20,)),
        ("frames-missing", "VID02.csv", (5,)),
        ("key-malformed", "VID02.csv", ()),
        ("key-repeated", "VID02.csv", (6,)),
        ("phase-columns", "VID02.csv", ()),
        ("phase-id", "VID02.csv", (2,)),
        ("phase-id", "VID02.csv", (3, 4)),
    ]


def test_phases_may_be_names_and_must_agree_with_ids(tmp_path, truth):
    folder = tmp_path / "team"
    folder.mkdir()
    lines = [f"{frame},0,preparation" for frame in range(FRAMES)]
    (folder / "VID01.csv").write_text("\n".join(["frame,phase_id,phase", *lines]))
    lines[3], lines[4] = "3,1,preparation", "4,0,preparing"
    (folder / "VID02.csv").write_text("\n".join(["frame,phase_id,phase", *lines]))
    found = submission.check(folder, truth).problems
    assert [(one.file, one.frames) for one in found] == [("VID02.csv", (3,)), ("VID02.csv", (4,))]


def test_no_frame_is_hidden_however_many_there_are(tmp_path, truth, given):
    for key in given["VID01"]:
        if int(key) % 2:
            given["VID01"][key]["recognition"][0] = -1
    (problem,) = submission.check(write(tmp_path / "team", given), truth).problems
    assert problem.frames == tuple(range(1, FRAMES, 2))
    assert "frames 1, 3, 5, 7, 9, 11, 13, 15, 17, 19:" in problem.sentence
    assert problem.plain()["frames"] == [[frame, frame] for frame in range(1, FRAMES, 2)]


def test_what_no_terminal_prints_is_escaped(tmp_path, truth, given):
    folder = write(tmp_path / "team", given)
    (folder / "VID01.json").write_text('{"\\ud800": {}}')
    (folder / "notes\n.txt").write_text("x")
    outcome = submission.check(folder, truth)
    text = "".join([*(one.sentence for one in outcome.problems), *outcome.notes])
    assert text.isprintable()
    assert r'"\ud800"' in text
    assert r"notes\n.txt was not looked at" in text


def test_a_value_nested_without_end_is_shown_short(tmp_path, truth, given):
    folder = write(tmp_path / "team", given)
    text = (folder / "VID01.json").read_text()
    (folder / "VID01.json").write_text(text[:-1] + ', "3": {"recognition": ' + "[" * 900 + "]" * 900 + "}}")
    found = {one.rule: one for one in submission.check(folder, truth).problems}
    assert found["recognition-layout"].fault == "'recognition' is nested too deeply ([[...]])"
