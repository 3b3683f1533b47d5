"""Conversion never writes over what it reads, mixes old labels with new ones, reads half a folder, or drops something unsaid."""

import json
import os
import re

import pytest

from label_examples import EXAMPLES
from scrubin import cli

SAME = ("--from", "cholect50", "--to", "cholect50", "--out")
LABELS = EXAMPLES["cholect50"]["labels/VID07.json"]


@pytest.fixture
def labels(tmp_path):
    """Return a folder with one CholecT50 file."""
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels/VID07.json").write_bytes(LABELS)
    return tmp_path / "labels"


def convert(*arguments):
    return cli.main(["convert", *map(str, arguments)])


def put(folder, files):
    for file, data in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


@pytest.mark.parametrize(
    ("path", "out"),
    [("VID07.json", "."), ("VID07.json", "VID07.json"), (".", "."), ("VID07.json", "../labels"), ("../linked", ".")],
)
def test_an_input_is_never_overwritten_however_it_is_called(labels, monkeypatch, capsys, path, out):
    (labels.parent / "linked").symlink_to(labels)
    monkeypatch.chdir(labels)
    assert convert(path, *SAME, out) == 1
    assert "this is what is read, which is never overwritten; name another path" in capsys.readouterr().err
    assert [file.name for file in labels.iterdir()] == ["VID07.json"]
    assert (labels / "VID07.json").read_bytes() == LABELS


def test_labels_of_another_conversion_are_not_mixed_with_new_ones(labels, tmp_path, capsys):
    out = tmp_path / "o"
    assert convert(labels, *SAME, out) == 0
    assert convert(labels, *SAME, out) == 0  # the same again
    (out / "README.txt").write_text("mine")
    (out / "VID99.json").write_bytes(LABELS)
    capsys.readouterr()
    assert convert(labels, *SAME, out) == 1
    assert "o/VID99.json: 1 other files of the format are in " in capsys.readouterr().err
    (out / "VID99.json").unlink()
    assert convert(labels, *SAME, out) == 0
    assert (out / "README.txt").read_text() == "mine"


def test_a_conversion_that_fails_leaves_nothing(labels, tmp_path, monkeypatch, capsys):
    from pathlib import Path

    written = []

    def full_disk(path, data):
        written.append(path)
        if len(written) > 2:
            raise OSError(28, "No space left on device")
        return real(path, data)

    real = Path.write_bytes
    monkeypatch.setattr(Path, "write_bytes", full_disk)
    assert convert(labels, "--from", "cholect50", "--to", "tables", "--out", tmp_path / "a/o") == 1
    assert "o: cannot be written: No space left on device; make it writable, or name another folder" in capsys.readouterr().err
    assert list((tmp_path / "a").iterdir()) == []


def test_folders_are_followed_through_links_and_loops_end(labels, tmp_path, capsys):
    (tmp_path / "study").mkdir()
    (tmp_path / "study/linked").symlink_to(labels)
    (tmp_path / "study/loop").symlink_to(tmp_path / "study")
    assert convert(tmp_path / "study", *SAME, tmp_path / "o") == 0
    assert (tmp_path / "o/VID07.json").read_bytes() == LABELS
    (tmp_path / "study/gone.json").symlink_to(tmp_path / "nothing")
    (tmp_path / "study/self.json").symlink_to(tmp_path / "study/self.json")
    os.mkfifo(tmp_path / "study/pipe.json")
    capsys.readouterr()
    assert convert(tmp_path / "study", *SAME, tmp_path / "p") == 1
    told = capsys.readouterr().err
    assert "gone.json: cannot be read: No such file or directory" in told
    assert "self.json: cannot be read: Too many levels of symbolic links" in told
    assert "pipe.json: it is a pipe, no plain file" in told


@pytest.mark.parametrize("path", ["self", "pipe", "x" * 5000, "a\0b"])
def test_a_path_that_is_none_is_named(tmp_path, capsys, path):
    (tmp_path / "self").symlink_to(tmp_path / "self")
    os.mkfifo(tmp_path / "pipe")
    assert convert(f"{tmp_path}/{path}", *SAME, tmp_path / "o") == 1
    assert re.search("there is no such file or folder|it is no plain file and no folder", capsys.readouterr().err)


@pytest.mark.parametrize("out", ["x" * 5000, "a\0b", "labels/VID07.json/deep"])
def test_an_output_that_can_be_none_is_named(labels, tmp_path, capsys, out):
    assert convert(labels, *SAME, f"{tmp_path}/{out}") == 1
    assert re.search("there can be no such path|cannot be written", capsys.readouterr().err)


def test_files_of_no_format_are_named(labels, tmp_path, capsys):
    (labels / "VID08.json~").write_bytes(LABELS)
    (labels / "notes").write_text("")
    assert convert(labels, *SAME, tmp_path / "o") == 0
    assert "2 other files in " in (told := capsys.readouterr().err)
    assert told.endswith("labels are not of this format: VID08.json~, notes\n")


@pytest.mark.parametrize("rate", ["nan", "1e400", "-1", "1001", "1/0"])
def test_a_rate_that_is_none_is_refused(labels, tmp_path, capsys, rate):
    assert convert(labels, *SAME, tmp_path / "o", f"--to-fps={rate}") == 2
    assert f"--to-fps {rate}: give a rate above 0 and up to 1000" in capsys.readouterr().err


def test_numbers_before_the_first_frame_name_the_recording(labels, tmp_path, capsys):
    assert convert(labels, *SAME, tmp_path / "o", "--first-frame", "17") == 1
    assert capsys.readouterr().err.startswith("scrubin convert: VID07: number 16 is before the first one, 17")


def test_png_numbers_of_cholec80_are_seconds_from_one(tmp_path):
    source = put(tmp_path / "in", {"v1-phase.txt": b"Frame\tPhase\n1\tPreparation\n2\tPreparation\n3\tClippingCutting\n"})
    arguments = ("--from", "cholec80", "--to", "tables-csv", "--out", tmp_path / "o", "--fps", "1", "--first-frame", "1")
    assert convert(source, *arguments) == 0
    rows = [row.split(",") for row in (tmp_path / "o/phases.csv").read_text().splitlines()[1:]]
    assert [(row[1], row[3]) for row in rows] == [("0", "Preparation"), ("1", "Preparation"), ("2", "ClippingCutting")]


def test_only_emptied_frames_are_no_result(tmp_path, capsys):
    source = put(tmp_path / "in", EXAMPLES["cholec80"])
    assert convert(source, "--from", "cholec80", "--to", "yolo", "--out", tmp_path / "o") == 1
    told = capsys.readouterr().err
    assert "nothing of these cholec80 files can be written as yolo" in told
    assert "instances without a box (4)" in told
    sensible = told.strip().rsplit("formats that make sense: ", 1)[1].split(", ")
    assert {"cholec80", "cholect50", "tables"} <= set(sensible)
    assert not {"coco", "yolo", "labelme", "endoscapes", "lasana"} & set(sensible)


LOST = [
    ("cholectriplet2022", "cholec80", "frames with a probability per triplet: 2"),
    ("cholectriplet2022", "cholectrack20", "frames with a probability per triplet: 2"),
    ("endoscapes", "coco", "marks of annotators: 3"),
    ("endoscapes", "coco", "the subset of recordings: 1"),
    ("coco", "cholectrack20", "'file_name' of frames: 2"),
    ("jigsaws", "aixsuture", "'skill_level' of recordings: 2"),
    ("lasana", "aixsuture", "'duration_s' of recordings: 1"),
    ("aixsuture", "lasana", "'student' of recordings: 4"),
]


@pytest.mark.parametrize(("name", "target", "what"), LOST)
def test_nothing_is_lost_unsaid(tmp_path, capsys, name, target, what):
    source = put(tmp_path / "in", EXAMPLES[name])
    assert convert(source, "--from", name, "--to", target, "--out", tmp_path / "o", "--image-size", "854x480") == 0
    assert f"not in {target}: {what}\n" in capsys.readouterr().err


def test_multibypasst40_names_its_images_by_number(labels, tmp_path):
    assert convert(labels, "--from", "cholect50", "--to", "multibypasst40", "--out", tmp_path / "o", "--image-size", "9x9") == 0
    images = json.loads((tmp_path / "o/VID07.json").read_text())["images"]
    assert [image["file_name"] for image in images] == [f"{number:06d}.jpg" for number in (16, 23, 24, 40)]


def test_a_rate_that_no_file_states_is_told(tmp_path, capsys):
    source = put(tmp_path / "in", EXAMPLES["cholectrack20"])
    for target in ("yolo", "multibypasst40"):
        assert convert(source, "--from", "cholectrack20", "--to", target, "--out", tmp_path / target) == 0
    told = capsys.readouterr().err
    assert "yolo: frames are numbered at 25 per second, which no file of it states; read it with --fps 25\n" in told
    assert json.loads((tmp_path / "multibypasst40/VID02.json").read_text())["images"][0]["fps"] == 25


def test_a_rate_that_the_target_cannot_state_is_refused(labels, tmp_path, capsys):
    assert convert(labels, *SAME, tmp_path / "o", "--to-fps", "30000/1001") == 1
    assert "VID07: cholect50 states a whole number of labels per second, but these are 30000/1001" in capsys.readouterr().err
    assert convert(labels, "--from", "cholect50", "--to", "cholec80", "--out", tmp_path / "o", "--to-fps", "1") == 1
    assert "--to-fps 1: cholec80 has 25 labels per second; leave --to-fps out" in capsys.readouterr().err
    assert convert(labels, "--from", "cholect50", "--to", "tables", "--out", tmp_path / "o", "--to-fps", "30000/1001") == 0
    assert json.loads((tmp_path / "o/labels.json").read_text())["recordings"]["VID07"]["fps"] == "30000/1001"


def test_the_first_frame_counts_for_spans_too(tmp_path, capsys):
    source = put(tmp_path / "in", {"v1-phase.txt": b"Frame\tPhase\n" + b"".join(b"%d\tPreparation\n" % i for i in range(1, 26))})
    spans = ("--to", "multibypass140", "--out", tmp_path / "o", "--first-frame", "1")
    assert convert(source, "--from", "cholec80", *spans) == 0
    (phase,) = json.loads((tmp_path / "o/v1.mp4.json").read_text())["phases"]
    assert (phase["start"], phase["end"]) == (0, 1000)
    jigsaws = put(tmp_path / "j", {"transcriptions/Suturing_B001.txt": b"1 30 G1\n31 60 G2\n"})
    back = ("--from", "jigsaws", "--to", "jigsaws", "--out")
    assert convert(jigsaws, *back, tmp_path / "k", "--first-frame", "1") == 0
    assert (tmp_path / "k/transcriptions/Suturing_B001.txt").read_text() == "0 29 G1 \n30 59 G2 \n"
    assert convert(jigsaws, *back, tmp_path / "l", "--first-frame", "2") == 1
    assert "Suturing_B001: a span starts at 1, before the first number, 2" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["multibypasst40", "yolo4"])
def test_instruments_alone_are_not_written_where_triplets_are_needed(tmp_path, capsys, target):
    arguments = ("--from", "cholectriplet2022", "--to", target, "--out", tmp_path / "o", "--only-instruments", "--image-size", "9x9")
    assert convert(put(tmp_path / "in", EXAMPLES["cholectriplet2022"]), *arguments) == 1
    assert "instances without a whole triplet (1)" in capsys.readouterr().err


def test_many_warnings_do_not_bury_the_result(tmp_path, capsys):
    files = {f"v{i:02d}-phase.txt": b"Frame\tPhase\n0\tPreparation\n1\tPreparation\n9\tPreparation\n" for i in range(30)}
    assert convert(put(tmp_path / "in", files), "--from", "cholec80", "--to", "multibypass140", "--out", tmp_path / "o") == 0
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert "v00-phase.txt: 1 gaps between the rows" in told[0]
    assert told[0].endswith("v29-phase.txt)")
    assert "(and at 29 more places, also in " in told[0]
    assert all(file in told[0] for file in files)
