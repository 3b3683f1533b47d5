"""Conversion never writes over what it reads, mixes old labels with new ones, reads half a folder, or drops something unsaid."""

import json
import os
import re
from pathlib import Path

import pytest

from label_examples import EXAMPLES
from scrubin import cli
from verdict_cases import write_files as put

SAME = ("--from", "cholect50", "--to", "cholect50", "--out")
LABELS = EXAMPLES["cholect50"]["labels/VID07.json"]


@pytest.fixture
def labels(tmp_path):
    """Return a folder with one CholecT50 file."""
    return put(tmp_path / "labels", {"VID07.json": LABELS})


@pytest.fixture
def told(capsys):
    """Convert, with an exit code that must be; return what stderr says."""

    def told(*arguments, code=0):
        assert cli.main(["convert", *map(str, arguments)]) == code
        return capsys.readouterr().err

    return told


@pytest.mark.parametrize(
    ("path", "out"), [("VID07.json", "."), ("VID07.json", "VID07.json"), (".", "."), ("VID07.json", "../labels"), ("../linked", ".")]
)
def test_an_input_is_never_overwritten_however_it_is_called(labels, monkeypatch, told, path, out):
    (labels.parent / "linked").symlink_to(labels)
    monkeypatch.chdir(labels)
    assert "this is what is read, which is never overwritten; name another path" in told(path, *SAME, out, code=1)
    assert {file.name: file.read_bytes() for file in labels.iterdir()} == {"VID07.json": LABELS}


def test_labels_of_another_conversion_are_not_mixed_with_new_ones(labels, tmp_path, told):
    out = tmp_path / "o"
    for _ in range(2):
        told(labels, *SAME, out)
    put(out, {"README.txt": b"mine", "VID99.json": LABELS})
    assert "o/VID99.json: 1 other files of the format are in " in told(labels, *SAME, out, code=1)
    (out / "VID99.json").unlink()
    told(labels, *SAME, out)
    assert (out / "README.txt").read_text() == "mine"


def test_a_conversion_that_fails_leaves_nothing(labels, tmp_path, monkeypatch, told):
    written, real = [], Path.write_bytes

    def full_disk(path, data):
        written.append(path)
        if len(written) > 2:
            raise OSError(28, "No space left on device")
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    said = told(labels, "--from", "cholect50", "--to", "tables", "--out", tmp_path / "a/o", code=1)
    assert "o: cannot be written: No space left on device; make it writable, or name another folder" in said
    assert list((tmp_path / "a").iterdir()) == []


def test_folders_are_followed_through_links_and_loops_end(labels, tmp_path, told):
    study = tmp_path / "study"
    study.mkdir()
    for link, to in (("linked", labels), ("loop", study)):
        (study / link).symlink_to(to)
    told(study, *SAME, tmp_path / "o")
    assert (tmp_path / "o/VID07.json").read_bytes() == LABELS
    for link, to in (("gone.json", tmp_path / "nothing"), ("self.json", study / "self.json")):
        (study / link).symlink_to(to)
    os.mkfifo(study / "pipe.json")
    said = told(study, *SAME, tmp_path / "p", code=1)
    assert "gone.json: cannot be read: No such file or directory" in said
    assert "self.json: cannot be read: Too many levels of symbolic links" in said
    assert "pipe.json: it is a pipe, no plain file" in said


@pytest.mark.parametrize("path", ["self", "pipe", "x" * 5000, "a\0b"])
def test_a_path_that_is_none_is_named(tmp_path, told, path):
    (tmp_path / "self").symlink_to(tmp_path / "self")
    os.mkfifo(tmp_path / "pipe")
    said = told(f"{tmp_path}/{path}", *SAME, tmp_path / "o", code=1)
    assert re.search("there is no such file or folder|it is no plain file and no folder", said)


@pytest.mark.parametrize("out", ["x" * 5000, "a\0b", "labels/VID07.json/deep"])
def test_an_output_that_can_be_none_is_named(labels, tmp_path, told, out):
    assert re.search("there can be no such path|cannot be written", told(labels, *SAME, f"{tmp_path}/{out}", code=1))


def test_files_of_no_format_are_named(labels, tmp_path, told):
    put(labels, {"VID08.json~": LABELS, "notes": b""})
    said = told(labels, *SAME, tmp_path / "o")
    assert "2 other files in " in said
    assert said.endswith("labels are not of this format: VID08.json~, notes\n")


@pytest.mark.parametrize("rate", ["nan", "1e400", "-1", "1001", "1/0"])
def test_a_rate_that_is_none_is_refused(labels, tmp_path, told, rate):
    assert f"--to-fps {rate}: give a rate above 0 and up to 1000" in told(labels, *SAME, tmp_path / "o", f"--to-fps={rate}", code=2)


def test_numbers_before_the_first_frame_name_the_recording(labels, tmp_path, told):
    said = told(labels, *SAME, tmp_path / "o", "--first-frame", "17", code=1)
    assert said.startswith("scrubin convert: VID07: number 16 is before the first one, 17")


def test_png_numbers_of_cholec80_are_seconds_from_one(tmp_path, told):
    source = put(tmp_path / "in", {"v1-phase.txt": b"Frame\tPhase\n1\tPreparation\n2\tPreparation\n3\tClippingCutting\n"})
    told(source, "--from", "cholec80", "--to", "tables-csv", "--out", tmp_path / "o", "--fps", "1", "--first-frame", "1")
    rows = [row.split(",") for row in (tmp_path / "o/phases.csv").read_text().splitlines()[1:]]
    assert [(row[1], row[3]) for row in rows] == [("0", "Preparation"), ("1", "Preparation"), ("2", "ClippingCutting")]


def test_only_emptied_frames_are_no_result(tmp_path, told):
    said = told(put(tmp_path / "in", EXAMPLES["cholec80"]), "--from", "cholec80", "--to", "yolo", "--out", tmp_path / "o", code=1)
    assert "nothing of these cholec80 files can be written as yolo" in said
    assert "instances without a box (4)" in said
    sensible = {*said.strip().rsplit("formats that make sense: ", 1)[1].split(", ")}
    assert {"cholec80", "cholect50", "tables"} <= sensible
    assert not {"coco", "yolo", "labelme", "endoscapes", "lasana"} & sensible


@pytest.mark.parametrize(
    ("name", "target", "what"),
    [
        ("cholectriplet2022", "cholec80", "frames with a probability per triplet: 2"),
        ("cholectriplet2022", "cholectrack20", "frames with a probability per triplet: 2"),
        ("endoscapes", "coco", "marks of annotators: 3"),
        ("endoscapes", "coco", "the subset of recordings: 1"),
        ("coco", "cholectrack20", "'file_name' of frames: 2"),
        ("jigsaws", "aixsuture", "'skill_level' of recordings: 2"),
        ("lasana", "aixsuture", "'duration_s' of recordings: 1"),
        ("aixsuture", "lasana", "'student' of recordings: 4"),
    ],
)
def test_nothing_is_lost_unsaid(tmp_path, told, name, target, what):
    source = put(tmp_path / "in", EXAMPLES[name])
    said = told(source, "--from", name, "--to", target, "--out", tmp_path / "o", "--image-size", "854x480")
    assert f"not in {target}: {what}\n" in said


def test_multibypasst40_names_its_images_by_number(labels, tmp_path, told):
    told(labels, "--from", "cholect50", "--to", "multibypasst40", "--out", tmp_path / "o", "--image-size", "9x9")
    images = json.loads((tmp_path / "o/VID07.json").read_text())["images"]
    assert [image["file_name"] for image in images] == [f"{number:06d}.jpg" for number in (16, 23, 24, 40)]


def test_a_rate_that_no_file_states_is_told(tmp_path, told):
    source = put(tmp_path / "in", EXAMPLES["cholectrack20"])
    said = "yolo: frames are numbered at 25 per second, which no file of it states; read it with --fps 25\n"
    assert said in told(source, "--from", "cholectrack20", "--to", "yolo", "--out", tmp_path / "yolo")
    told(source, "--from", "cholectrack20", "--to", "multibypasst40", "--out", tmp_path / "o")
    assert json.loads((tmp_path / "o/VID02.json").read_text())["images"][0]["fps"] == 25


def test_a_rate_that_the_target_cannot_state_is_refused(labels, tmp_path, told):
    def at(to, rate, code=1):
        return told(labels, "--from", "cholect50", "--to", to, "--out", tmp_path / "o", "--to-fps", rate, code=code)

    said = "VID07: cholect50 states a whole number of labels per second, but these are 30000/1001"
    assert said in at("cholect50", "30000/1001")
    assert "--to-fps 1: cholec80 has 25 labels per second; leave --to-fps out" in at("cholec80", "1")
    at("tables", "30000/1001", code=0)
    assert json.loads((tmp_path / "o/labels.json").read_text())["recordings"]["VID07"]["fps"] == "30000/1001"


def test_the_first_frame_counts_for_spans_too(tmp_path, told):
    source = put(tmp_path / "in", {"v1-phase.txt": b"Frame\tPhase\n" + b"".join(b"%d\tPreparation\n" % i for i in range(1, 26))})
    told(source, "--from", "cholec80", "--to", "multibypass140", "--out", tmp_path / "o", "--first-frame", "1")
    (phase,) = json.loads((tmp_path / "o/v1.mp4.json").read_text())["phases"]
    assert (phase["start"], phase["end"]) == (0, 1000)
    jigsaws = put(tmp_path / "j", {"transcriptions/Suturing_B001.txt": b"1 30 G1\n31 60 G2\n"})
    back = (jigsaws, "--from", "jigsaws", "--to", "jigsaws", "--out")
    told(*back, tmp_path / "k", "--first-frame", "1")
    assert (tmp_path / "k/transcriptions/Suturing_B001.txt").read_text() == "0 29 G1 \n30 59 G2 \n"
    said = told(*back, tmp_path / "l", "--first-frame", "2", code=1)
    assert "Suturing_B001: a span starts at 1, before the first number, 2" in said


@pytest.mark.parametrize("target", ["multibypasst40", "yolo4"])
def test_instruments_alone_are_not_written_where_triplets_are_needed(tmp_path, told, target):
    named = ("--from", "cholectriplet2022", "--to", target, "--out", tmp_path / "o", "--only-instruments", "--image-size", "9x9")
    assert "instances without a whole triplet (1)" in told(put(tmp_path / "in", EXAMPLES["cholectriplet2022"]), *named, code=1)


def test_many_warnings_do_not_bury_the_result(tmp_path, told):
    files = {f"v{i:02d}-phase.txt": b"Frame\tPhase\n0\tPreparation\n1\tPreparation\n9\tPreparation\n" for i in range(30)}
    (line,) = told(put(tmp_path / "in", files), "--from", "cholec80", "--to", "multibypass140", "--out", tmp_path / "o").splitlines()
    assert "v00-phase.txt: 1 gaps between the rows" in line
    assert line.endswith("v29-phase.txt)")
    assert "(and at 29 more places, also in " in line
    assert all(file in line for file in files)
