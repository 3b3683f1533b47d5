"""Corners of YOLO's segmentation are masks where the size of the images is said, and boxes where it is not."""

from __future__ import annotations

import json
import random
import re

import numpy as np
import pytest
from pycocotools import mask as reference

from each import each
from fault_lines import sentences
from label_examples import EXAMPLES, faults_of, read_files
from scrubin import cli
from scrubin.base.errors import AnnotationError
from scrubin.labels.files import reader
from scrubin.labels.files.reader import Options

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
SIZE = (57, 41)


def files_of(*rows):
    return {"y/v1_000004.txt": "".join(f"{row}\n" for row in rows).encode(), "y/classes.txt": b"cutter\nhook 2\n"}


def row_of(corners, class_=0, *more):
    return " ".join(map(str, [class_, *np.ravel(corners).tolist(), *more]))


def test_corners_are_the_mask_that_pycocotools_draws_in_pixels():
    rng = random.Random(2)
    drawn = [[[round(rng.random(), 4), round(rng.random(), 4)] for _ in range(rng.randint(5, 9))] for _ in range(50)]
    files = files_of(*(row_of(corners) for corners in drawn))
    (labels,) = read_files("yolo-seg", files, image_size=SIZE).recordings
    for row, corners in zip(labels.instances.rows.to_dict("records"), drawn, strict=True):
        (expected,) = reference.frPyObjects([(np.array(corners) * SIZE).ravel().tolist()], *SIZE[::-1])
        assert row["mask"] == expected["counts"].decode()
        low, high = np.min(corners, axis=0), np.max(corners, axis=0)
        assert [row[side] for side in "xywh"] == pytest.approx([*low, *(high - low)])
    assert labels.frames.to_dict("records") == [{"position": 4, "width": 57, "height": 41}]


TRIANGLE = [[0.1, 0.1], [0.9, 0.1], [0.5, 0.8]]


def test_a_confidence_stands_behind_the_corners():
    (labels,) = read_files("yolo-seg", files_of(row_of(TRIANGLE, 1, 0.25), row_of(TRIANGLE)), image_size=SIZE).recordings
    assert labels.instances.rows["score"].tolist() == [0.25, 1.0]
    assert labels.instances.rows["instrument_id"].tolist() == [1, 0]
    assert labels.instances.rows["mask"].nunique() == 1


def test_without_the_size_of_the_images_only_boxes_are_read_and_that_is_told():
    files = files_of(row_of(TRIANGLE))
    (labels,) = read_files("yolo-seg", files).recordings
    assert "mask" not in labels.instances.rows
    assert sentences(faults_of("yolo-seg", files)) == (
        "y/v1_000004.txt, line 1: only the box around the corners is read; say the size of the images: --image-size",
    )


def test_the_size_that_convert_is_told_makes_masks(tmp_path, capsys):
    for file, data in EXAMPLES["yolo-seg"].items():
        (tmp_path / "in" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / file).write_bytes(data)
    sized = ["convert", str(tmp_path / "in"), "--to", "coco", "--image-size", "57x41", "--out", str(tmp_path / "out.json")]
    assert cli.main(sized) == 0
    assert "masks of instances" not in capsys.readouterr().err
    (labels,) = reader.read_path(tmp_path / "out.json", None, Options()).collection.recordings
    assert labels.instances.rows["mask"].notna().tolist() == [True, True]


@each(
    "row, message",
    [
        ("0 .1 .1 .5 .5", "5 values, expected a class and three or more corners; rows with one id are the format yolo"),
        ("0 .1 .1 .5 .5 .2 .9 1.5", r"confidence 1.5 is not in 0\.\.1"),
        ("7 .1 .1 .5 .5 .2 .9", r"class 7 is not in 0\.\.1"),
        ("0 .1 .1 .5 .5 .2 1.9", "corners from 0.1 0.1 to 0.5 1.9: .* it leaves the image by 0.9"),
        ("0 .1 .1 .1 .5 .1 .9", "it has no area"),
        ("0 .1 .1 nan .5 .1 .9", "is not all numbers"),
        ("0 12 12 40 12 12 40", "it looks like pixels"),
    ],
)
def test_a_row_that_is_none_is_refused_with_its_line(row, message):
    with pytest.raises(AnnotationError, match=f"v1_000004.txt, line 1: .*{message}"):
        read_files("yolo-seg", files_of(row), image_size=SIZE)


def coco_of(*sizes):
    """A COCO file with a mask of two parts, or of one pixel, in an image of each size."""
    images, annotations = [], []
    for at, (width, height) in enumerate(sizes):
        pixels = np.zeros((height, width), np.uint8, order="F")
        pixels[height // 3 : -1, 1 : width // 2] = pixels[0, -1] = 1
        counts = reference.encode(pixels)["counts"].decode()
        images.append({"id": at, "file_name": f"v{at}_000000.png", "width": width, "height": height})
        mask = {"size": [height, width], "counts": counts}
        annotations.append({"id": at + 1, "image_id": at, "category_id": 1, "bbox": [0, 0, width, height], "segmentation": mask})
    return json.dumps({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "grasper"}]})


@pytest.mark.parametrize("size", [(57, 41), (854, 480), (8191, 5461)])
def test_the_size_that_convert_says_when_it_writes_reads_the_same_pixels_back(size, tmp_path, capsys):
    (tmp_path / "labels.json").write_text(coco_of(size))
    assert cli.main(["convert", str(tmp_path / "labels.json"), "--to", "yolo-seg", "--out", str(tmp_path / "y")]) == 0
    (said,) = re.findall(r"yolo-seg: no file states the size of the images; to read masks back, say (.*)\n", capsys.readouterr().err)
    assert said == f"--image-size {size[0]}x{size[1]}"
    assert cli.main(["convert", str(tmp_path / "y"), "--to", "coco", *said.split(), "--out", str(tmp_path / "again.json")]) == 0
    first, again = (json.loads((tmp_path / name).read_text())["annotations"][0] for name in ("labels.json", "again.json"))
    assert again["segmentation"] == first["segmentation"]


def test_images_of_several_sizes_are_told_to_need_a_folder_each(tmp_path, capsys):
    (tmp_path / "labels.json").write_text(coco_of((57, 41), (64, 48), (57, 41)))
    assert cli.main(["convert", str(tmp_path / "labels.json"), "--to", "yolo-seg", "--out", str(tmp_path / "y")]) == 0
    assert (
        "yolo-seg: no file states the size of the images, and these are of 2: 57x41, 64x48; --image-size is one for all that is read, so "
        "convert images of each size into a folder of their own\n"
    ) in capsys.readouterr().err
