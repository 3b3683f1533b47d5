"""YOLO files are read back, by our own reader and by the command, to the boxes they were made of."""

import json
from pathlib import Path

import numpy as np
import pytest

from scrubin.base.vocabulary import vocabulary
from scrubin.cli import main
from scrubin.labels.truth import detection
from scrubin.labels.truth.detection import BoxedFrames

WORDS = vocabulary.load("cholect50")
PROSTATD = vocabulary.load("prostatd")
BOX = (0.25, 0.5, 0.5, 0.25)


def test_rows_are_centre_and_size_with_one_id_or_four():
    found = BoxedFrames("abelo", [3, 7], [[(17, 0, BOX)], []], 0, [False, False])
    pictures = {3: "frames/T/mono/abelo/000003.jpg", 7: "frames/T/mono/abelo/000007.jpg"}
    single = detection.label_files(found, WORDS, pictures, "yolo")
    assert single == {"frames/T/mono/abelo/000003.txt": "17 0.500000 0.625000 0.500000 0.250000\n", "frames/T/mono/abelo/000007.txt": ""}
    four = detection.label_files(found, WORDS, pictures, "yolo4")
    assert four["frames/T/mono/abelo/000003.txt"] == "17 0 1 0 0.500000 0.625000 0.500000 0.250000\n"


def test_pictures_in_an_archive_are_named_as_they_lie_once_it_is_unpacked():
    found = BoxedFrames("abelo", [3], [[(17, 0, BOX)]], 0, [False])
    pictures = {3: "frames/T/mono/abelo.tar/000003.png"}
    assert list(detection.label_files(found, WORDS, pictures, "yolo")) == ["frames/T/mono/abelo/000003.txt"]
    assert detection.picture_list([found], {"abelo": pictures}) == "./frames/T/mono/abelo/000003.png\n"


def test_the_last_class_of_prostatd_is_88():
    lines = detection.names(PROSTATD).splitlines()
    assert (lines[0], lines[-1].split(":")[0].strip()) == ("nc: 89", "88")


@pytest.mark.parametrize("layout", ["yolo", "yolo4"])
def test_rows_are_those_of_the_other_writer(written_once, tmp_path, layout, capsys):
    coco = str(written_once / "cholect50/coco.json")
    assert main(["convert", coco, "--from", "coco", "--vocabulary", "cholect50", "--to", layout, "--out", str(tmp_path / "y")]) == 0
    ours = {f"{path.parent.name}_{path.name}": path.read_text() for path in (written_once / "cholect50" / layout).rglob("*.txt")}
    theirs = {path.name: path.read_text() for path in (tmp_path / "y/labels").glob("*.txt")}
    assert set(ours) == set(theirs)
    for name, text in ours.items():
        one, other = (np.array([line.split() for line in side.splitlines()], float) for side in (text, theirs[name]))
        # Pixels in COCO have four digits.
        np.testing.assert_allclose(one, other, rtol=0, atol=3e-6)
    assert (tmp_path / "y/data.yaml").read_text() == (written_once / "cholect50" / layout / "data.yaml").read_text()


def test_the_list_of_a_subset_names_its_pictures_that_have_labels(written_once):
    lines = (written_once / "splits/cv/0/test/cholect50/yolo.txt").read_text().splitlines()
    labels = [written_once / "cholect50/yolo" / Path(line).with_suffix(".txt") for line in lines]
    assert all(label.is_file() for label in labels)
    assert {label.parent.name for label in labels} == {"cenopa", "dufila"}
    listed = json.loads((written_once / "splits/cv/0/test/files.json").read_text())["recordings"]
    assert len(lines) == sum(one["folders"][name]["count"] for one in listed.values() for name in one["folders"] if "/yolo/" in name)
