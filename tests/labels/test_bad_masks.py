"""What can be wrong with masks, by format: every command names the same file and place and what to do; what looks odd is read right."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass

import numpy as np
import pytest
from pycocotools import mask as reference

from label_examples import EXAMPLES, dumps, faults_of, read_files
from png_files import png
from scrubin import cli
from scrubin.labels.masks import counts, rle, segmentation

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
WIDTH, HEIGHT = 20, 12
LEGEND = [{"name": None, "color": [0, 0, 0], "classid": 0}, {"name": "liver", "color": [9, 9, 9], "classid": 9}]
BOX = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [2, 2, 6, 6], "area": 36, "iscrowd": 0}


def coco(mask, name="c/annotations.json", **more):
    images = [{"id": 1, "file_name": "v_000003.png", "width": WIDTH, "height": HEIGHT}]
    annotations = [{**BOX, "segmentation": mask}]
    return {name: dumps({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "snare"}], **more})}


def endoscapes(mask):
    document = json.loads(EXAMPLES["endoscapes"][next(iter(sorted(EXAMPLES["endoscapes"])))])
    document["annotations"][0]["segmentation"] = mask
    return {**EXAMPLES["endoscapes"], next(iter(sorted(EXAMPLES["endoscapes"]))): dumps(document)}


def grasp(mask):
    ((file, data),) = EXAMPLES["grasp"].items()
    document = json.loads(data)
    document["annotations"][0]["segmentation"] = mask
    return {file: dumps(document)}


def labelme(**shape):
    whole = {"label": "snare", "points": [[2, 2], [9, 2], [9, 9]], "shape_type": "polygon", "group_id": None, "flags": {}, **shape}
    return {"v/000003.json": dumps({"shapes": [whole], "imageWidth": WIDTH, "imageHeight": HEIGHT})}


def pictures(name, *, wrong=77, size=(HEIGHT, WIDTH)):
    """The example of a format of pictures with a pixel of no class, or with one picture of another size."""
    files = dict(EXAMPLES[name])
    file = max(file for file in files if file.endswith(".png"))
    values = np.zeros((*size, 3))
    values[3, 4] = wrong
    return {**files, file: png(values)}, file


@dataclass(frozen=True)
class Bad:
    """Files, and what must be said of them: the file with its place, what is wrong, what to do."""

    files: dict
    said: tuple[str, ...]


def of_pictures(name):
    files, file = pictures(name)
    return Bad(files, (file.rsplit("/", 1)[-1], "colour 77,77,77, 1 pixels, the first at x 4, y 3; correct the pixels"))


def of_sizes(name):
    files, file = pictures(name, wrong=0, size=(8, 9))
    return Bad(files, (file.rsplit("/", 1)[-1], "it has 9x8 pixels", "write the masks of a recording in the size of its frames"))


SHORT = {"size": [HEIGHT, WIDTH], "counts": [5, 5]}
TURNED = {"size": [WIDTH, HEIGHT], "counts": [0, WIDTH * HEIGHT]}
OF_CLASSES = ("cholecseg8k", "sarrarp50-masks", "autolaparo-masks", "endovis2017", "dsad")
BAD = {
    **{f"a colour of no class, {name}": of_pictures(name) for name in OF_CLASSES},
    **{f"another size, {name}": of_sizes(name) for name in ("sarrarp50-masks", "autolaparo-masks", "dsad")},
    "a colour of no class, masks-png": Bad(
        {"m/legend.json": dumps(LEGEND), "m/v/000003.png": png(np.full((HEIGHT, WIDTH), 8))},
        ("000003.png: 1 colour is not in", "grey value 8, 240 pixels, the first at x 0, y 0; correct the pixels, or add the colour"),
    ),
    "runs of another length, coco": Bad(
        coco(SHORT),
        ("annotation 1", "the runs of a mask cover 10 px, its picture of 20 x 12 px has 240", "give a mask of the size of the picture"),
    ),
    "height and width swapped, coco": Bad(
        coco(TURNED), ("annotation 1: a mask has the size [20, 12], its picture is 12 px high and 20 px wide; give the height first",)
    ),
    "runs of another length, endoscapes": Bad(endoscapes(SHORT), ("a mask has the size [12, 20], its picture is", "give height and width")),
    "runs of another length, grasp": Bad(grasp(SHORT), ("a mask has the size [12, 20], its picture is 800", "give height and width")),
    "two corners, coco": Bad(coco([[1, 1, 5, 5]]), ("annotation 1: polygon 0 of a mask has 2 corners; draw at least three",)),
    "a point far outside, coco": Bad(
        coco([[1, 1, 90, 1, 90, 9]]), ("annotation 1: the mask leaves the image of 20x12 by 350.0 % of its side; draw it inside",)
    ),
    "a point outside, labelme": Bad(
        labelme(points=[[2, 2], [30, 2], [9, 9]]), ("000003.json, shape 0: points", "in an image of 20x12; draw the box inside the image")
    ),
    "two corners, labelme": Bad(labelme(points=[[2, 2], [9, 9]]), ("000003.json, shape 0: points are", "give three or more corners")),
    "pixels of another size, labelme": Bad(
        labelme(shape_type="mask", points=[[2, 2], [9, 9]], mask=base64.b64encode(png(np.ones((3, 3)))).decode()),
        ("000003.json, shape 0: 'mask' has 3x3 pixels, from corner to corner there are 8x8; give the first and the last pixel",),
    ),
    "a point outside, yolo-seg": Bad(
        {"y/labels/v_000003.txt": b"0 0.1 0.1 0.5 0.1 1.5 0.9\n", "y/data.yaml": b"nc: 1\nnames: [snare]\n"},
        ("v_000003.txt, line 1: corners from 0.1 0.1 to 1.5 0.9",),
    ),
}


QUICK = ("cholecseg8k", "dsad", "masks-png", "yolo-seg")
"""Of these formats, and of one kind for COCO and LabelMe, every run of the tests asks all commands."""
OFTEN = {case for case in BAD if case.endswith(QUICK)} | {"runs of another length, coco", "pixels of another size, labelme"}


@pytest.mark.cases(3)
@pytest.mark.parametrize("case", [case if case in OFTEN else pytest.param(case, marks=pytest.mark.slow) for case in BAD])
def test_every_command_names_the_place_and_what_to_do(case, tmp_path, capsys):
    path, form = tmp_path / "in", case.rsplit(", ", 1)[1]
    for file, data in BAD[case].files.items():
        (path / file).parent.mkdir(parents=True, exist_ok=True)
        (path / file).write_bytes(data)
    rate = ["--fps", "1"] if form in ("masks-png", "dsad") else []
    named = ["--from", form]
    commands = {
        "validate": ["validate", str(path), *named, "--all"],
        "convert": ["convert", str(path), *named, "--to", "coco", "--out", str(tmp_path / "out"), *rate],
        "score": ["score", "detection", "--ground-truth", str(path), *named, "--predictions", str(path), "--variant", "kind=pixels", *rate],
        "submission check": ["submission", "check", str(path), "--ground-truth", str(path), *named, "--task", "pixels"],
        "rank": ["rank", str(path), "--ground-truth", str(path), *named, "--metric", "pixels"],
    }
    for name, typed in commands.items():
        code = cli.main(typed)
        captured = capsys.readouterr()
        said = captured.out + captured.err
        assert code == 1, (name, said)
        assert all(words in said for words in BAD[case].said), (name, said)
    assert not (tmp_path / "out").exists()


def drawn(polygon):
    return reference.decode(reference.merge(reference.frPyObjects([polygon], HEIGHT, WIDTH))).astype(bool)


def test_a_polygon_that_crosses_itself_is_filled_as_pycocotools_fills_it():
    crossing = [2, 2, 15, 10, 15, 2, 2, 10]
    runs = segmentation.runs_of_segmentation([crossing], HEIGHT, WIDTH)
    assert (rle.picture(runs, HEIGHT, WIDTH) == drawn(crossing)).all()
    assert not [fault for fault in faults_of("coco", coco([crossing])) if fault.severity == "error"]


def test_a_hole_is_a_hole_and_ids_that_jump_are_ids():
    ring = np.zeros((HEIGHT, WIDTH), bool)
    ring[2:10, 2:10], ring[4:6, 4:6] = True, False
    text = counts.text_of_runs(rle.runs_of_picture(ring))
    document = json.loads(coco({"size": [HEIGHT, WIDTH], "counts": text})["c/annotations.json"])
    document["images"][0]["id"] = document["annotations"][0]["image_id"] = 70_001
    document["annotations"][0]["id"] = 9_000_000
    (labels,) = read_files("coco", {"c/annotations.json": dumps(document)}).recordings
    assert (rle.picture(counts.runs_of_text(labels.instances.rows["mask"][0], HEIGHT, WIDTH), HEIGHT, WIDTH) == ring).all()


@pytest.mark.slow
def test_a_picture_of_8k_is_read():
    values = np.zeros((4320, 7680), np.uint8)
    values[1000:3000, 2000:7000] = 9
    (labels,) = read_files("masks-png", {"m/legend.json": dumps(LEGEND), "m/v/000003.png": png(values)}).recordings
    (mask,) = labels.instances.rows["mask"]
    assert rle.area(counts.runs_of_text(mask, 4320, 7680)) == 10_000_000
