"""`scrubin submission check`: exit codes, text and JSON."""

from __future__ import annotations

import json

import pytest

from challenge_cases import document, labels, scores, write, write_labels
from scrubin import cli


@pytest.fixture
def folder(tmp_path):
    truth = {"VID01": labels(1, 10), "VID02": labels(2, 10)}
    write_labels(tmp_path / "gt", truth)
    write(tmp_path / "team", {name: document(scores(1, of, 1)) for name, of in truth.items()})
    return tmp_path


@pytest.fixture
def check(folder, capsys):
    """Check the submission, with an exit code that must be; return what is printed."""

    def check(*more, code=1):
        given = ["submission", "check", str(folder / "team"), "--ground-truth", str(folder / "gt")]
        assert cli.main([*given, *more]) == code
        return capsys.readouterr()

    return check


def test_a_good_submission_ends_with_0(check):
    out, err = check(code=0)
    assert out == "team (recognition): 2 of 2 videos, 20 frames looked at; no problem\n"
    assert "gt: read as cholect50: 2 files, 2 recordings; frames that count: 20 for recognition, 20 for detection, 20 for phases" in err


def test_all_problems_are_told_with_counts_per_file(folder, check):
    content = json.loads((folder / "team/VID01.json").read_text())
    content = {f"{int(key):04}": value for key, value in content.items()}
    content["0003"]["recognition"][7] = 1.25
    (folder / "team/VID01.json").write_text(json.dumps(content))
    (folder / "team/VID02.json").unlink()
    assert check().out.splitlines() == [
        "deviation: VID01.json, frames 0-9: the key is padded with zeros (10 frames); write 12, not 00012",
        "error: VID01.json, frame 3: a probability is above 1 (first: frame 3, triplet 7 is 1.25); give numbers in 0..1",
        "error: VID02.json: the video is not predicted; add it; predicted are VID01",
        "VID01.json: 2 problems",
        "VID02.json: 1 problem",
        "team (recognition): 1 of 2 videos, 10 frames looked at; 3 problems: 2 errors, 1 deviation; it cannot be scored",
    ]


def test_a_video_that_is_there_under_another_name_only_is_not_counted_as_there(folder, check):
    (folder / "team/VID02.json").rename(folder / "team/vid02.json")
    out = check().out
    assert "error: vid02.json: fits no video of the ground truth; did you mean VID02.json?" in out
    assert "team (recognition): 1 of 2 videos, 10 frames looked at; 1 problem: 1 error" in out


def test_the_videos_of_a_split_are_named_as_for_score(folder, check):
    (folder / "team/VID02.json").unlink()
    (folder / "split.csv").write_text("id,task,subset\nVID01,C,test\nVID02,C,train\nVID09,P,test\n")
    out, err = check("--videos", str(folder / "split.csv"), "--subset", "test", code=0)
    assert "team (recognition): 1 of 1 video, 10 frames looked at; no problem" in out
    assert "1 listed video without this kind of ground truth, such as recordings of other tasks; not scored: VID09" in err
    check("--videos", "VID01", code=0)
    check("--videos", "VID01", "--task", "detection")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--subset", "test"], "--subset test: of which split?; name the file of a split by --videos"),
        (["--videos", "nowhere.csv"], "--videos nowhere.csv: there is no such file; give a list of videos or a split"),
    ],
)
def test_a_split_that_is_not_there_is_refused(check, options, says):
    assert says in check(*options).err


def test_a_deviation_alone_also_ends_with_1_and_is_said_to_be_scorable(folder, check):
    path = folder / "team/VID01.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    told = json.loads(check("--json").out)
    assert (told["submission"], told["valid"], told["scorable"]) == ("team", False, True)
    assert [one["rule"] for one in told["problems"]] == ["file-byte-order-mark"]


def test_json_holds_every_frame_as_first_and_last(folder, check):
    (folder / "team/VID01.json").write_text(json.dumps({"4": {"recognition": [0.5] * 100}}))
    (problem,) = json.loads(check("--json").out)["problems"]
    assert (problem["file"], problem["rule"], problem["frames"]) == ("VID01.json", "frames-missing", [[0, 3], [5, 9]])


@pytest.mark.parametrize(("what", "words"), [("team", "no such folder"), ("gt", "there is no such file or folder")])
def test_what_is_not_there_is_one_sentence(folder, check, what, words):
    (folder / what).rename(folder / "elsewhere")
    told = check()
    assert told.out == ""
    assert words in told.err
    assert told.err.startswith("scrubin submission: ")
    assert told.err.count("\n") == 1
