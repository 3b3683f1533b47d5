"""Files of a submission: names, suffixes, folders, and content that cannot be read."""

from __future__ import annotations

import zipfile

import pytest

from challenge_cases import FRAMES, write
from scrubin.base.errors import AnnotationError
from scrubin.evaluate import submission
from scrubin.labels.formats.submission import documents


def test_all_videos_in_one_file_and_frames_below_a_key_are_told(given, checked):
    given["VID01"] = {"VID01": given["VID01"], "VID02": given["VID02"]}
    given["VID02"] = {"predictions": {**given["VID02"], "99": {}}}
    assert checked() == [
        ("file-layout", "error", "VID01.json", []),
        ("file-layout", "error", "VID02.json", []),
        ("frame-layout", "error", "VID02.json", [99]),
        ("frames-extra", "deviation", "VID02.json", [99]),
    ]


@pytest.mark.parametrize(
    ("data", "rule", "words"),
    [
        (b"", "file-empty", "is empty"),
        (b"  \n", "file-empty", "is empty"),
        (b"{}", "file-layout", "has no frames"),
        (b"null", "file-layout", "null"),
        (b"[[0.1]]", "file-layout", "a list of 1 item "),
        (b"[]", "file-layout", "holds an empty list instead"),
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
    found = submission.check(folder, truth).faults
    assert [(one.file, one.rule) for one in found] == [("VID01.json", rule), ("VID02.json", "recognition-above-1")]
    assert words in found[0].what


def test_a_byte_order_mark_is_a_deviation(tmp_path, truth, given):
    folder = write(tmp_path / "team", given)
    (folder / "VID01.json").write_bytes(b"\xef\xbb\xbf" + (folder / "VID01.json").read_bytes())
    (problem,) = submission.check(folder, truth).faults
    assert (problem.rule, problem.severity) == ("file-byte-order-mark", "deviation")


def test_a_file_far_too_large_is_not_read(tmp_path, truth, given, monkeypatch):
    monkeypatch.setattr(documents, "BASE_BYTES", 1000)
    folder = write(tmp_path / "team", given)
    (folder / "VID01.json").write_bytes(b" " * (1000 + 100 * 100 * FRAMES + 1))
    assert [one.rule for one in submission.check(folder, truth).faults] == ["file-size"]


@pytest.mark.parametrize("name", ["vid01.json", "vid01.JSON", "VID01_pred.json", "team-VID01.json", "video1.json", "VID01.v2.json"])
def test_a_name_that_nearly_fits_is_told_and_its_content_checked(tmp_path, truth, given, name):
    given["VID01"]["3"]["recognition"][5] = 1.5
    folder = write(tmp_path / "team", given)
    (folder / "VID01.json").rename(folder / name)
    found = [(one.file, one.rule) for one in submission.check(folder, truth).faults]
    assert sorted(found) == [(name, "name-video"), (name, "recognition-above-1")]


def test_an_extension_in_capitals_is_the_same_and_so_is_a_file_of_both(tmp_path, truth, given):
    folder = write(tmp_path / "team", given)
    for name in ("VID01", "VID02"):
        (folder / f"{name}.json").rename(folder / f"{name}.JSON")
    assert submission.check(folder, truth).faults == ()
    write(folder, {"VID01": given["VID01"]})
    (problem,) = submission.check(folder, truth).errors
    assert problem.sentence == "VID01.json: there is VID01.JSON as well, which is the same name; keep one of them"


@pytest.mark.parametrize("name", ["VID01.txt", "VID01.json.gz", "VID01.zip"])
def test_a_video_with_another_suffix_is_told(tmp_path, truth, given, name):
    folder = write(tmp_path / "team", given)
    (folder / "VID01.json").rename(folder / name)
    assert sorted(one.rule for one in submission.check(folder, truth).faults) == ["name-suffix", "video-missing"]


def test_other_files_are_noted_and_what_systems_leave_is_passed_over(tmp_path, truth, given):
    folder = write(tmp_path / "team", given)
    (folder / "method.pdf").write_bytes(b"x")
    for name in (".DS_Store", "ehthumbs.db", "~$method.docx"):
        (folder / name).write_bytes(b"x")
    (folder / "__MACOSX").mkdir()
    outcome = submission.check(folder, truth)
    assert (outcome.faults, outcome.notes) == ((), ("method.pdf was not looked at: no part of a submission",))


def test_files_in_a_folder_within_are_told_with_the_folder_to_name(tmp_path, truth, given):
    write(tmp_path / "team/results", given)
    (problem,) = submission.check(tmp_path / "team", truth).faults
    assert problem.file == "results/"
    assert "name this folder" in problem.fix


@pytest.mark.parametrize(("make", "words"), [("missing", "no such folder"), ("file", "is a file"), ("zip", "zip archive; unpack it")])
def test_what_is_no_folder_is_said_in_one_sentence(tmp_path, truth, make, words):
    if make == "file":
        (tmp_path / "team").write_bytes(b"x")
    if make == "zip":
        with zipfile.ZipFile(tmp_path / "team", "w") as archive:
            archive.writestr("VID01.json", "{}")
    with pytest.raises(AnnotationError, match=words):
        submission.check(tmp_path / "team", truth)


def test_an_empty_folder_is_one_problem(tmp_path, truth):
    (tmp_path / "team").mkdir()
    assert [problem.rule for problem in submission.check(tmp_path / "team", truth).faults] == ["folder-empty"]


def test_what_no_terminal_prints_is_escaped(tmp_path, truth, given):
    folder = write(tmp_path / "team", given)
    (folder / "VID01.json").write_text('{"\\ud800": {}}')
    (folder / "notes\n.txt").write_text("x")
    outcome = submission.check(folder, truth)
    text = "".join([*(one.sentence for one in outcome.faults), *outcome.notes])
    assert text.isprintable()
    assert r'"\ud800"' in text
    assert r"notes\n.txt was not looked at" in text
