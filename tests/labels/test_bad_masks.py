"""What can be wrong with masks, by format: every command names the same file and place and what to do; what looks odd is read right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from label_examples import dumps, read_files
from png_files import png
from scrubin import cli
from scrubin.labels.masks import rle
from verdict_cases import write_files as put

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
WIDTH, HEIGHT = 20, 12
LEGEND = [{"name": None, "color": [0, 0, 0], "classid": 0}, {"name": "liver", "color": [9, 9, 9], "classid": 9}]
BOX = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [2, 2, 6, 6], "area": 36, "iscrowd": 0}


def coco(mask, name="c/annotations.json", **more):
    images = [{"id": 1, "file_name": "v_000003.png", "width": WIDTH, "height": HEIGHT}]
    annotations = [{**BOX, "segmentation": mask}]
    return {name: dumps({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "snare"}], **more})}


@dataclass(frozen=True)
class Bad:
    """Files, and what must be said of them: the file with its place, what is wrong, what to do."""

    files: dict
    said: tuple[str, ...]


SHORT = {"size": [HEIGHT, WIDTH], "counts": [5, 5]}
BAD = {
    "masks-png": Bad(
        {"m/legend.json": dumps(LEGEND), "m/v/000003.png": png(np.full((HEIGHT, WIDTH), 8))},
        ("000003.png: 1 colour is not in", "grey value 8, 240 pixels, the first at x 0, y 0; correct the pixels, or add the colour"),
    ),
    "coco": Bad(
        coco(SHORT),
        ("annotation 1", "the runs of a mask cover 10 px, its picture of 20 x 12 px has 240", "give a mask of the size of the picture"),
    ),
}


@pytest.mark.parametrize("form", BAD)
def test_every_command_names_the_place_and_what_to_do(form, tmp_path, capsys):
    path = put(tmp_path / "in", BAD[form].files)
    rate = ["--fps", "1"] if form == "masks-png" else []
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
        assert all(words in said for words in BAD[form].said), (name, said)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_picture_of_8k_is_read():
    values = np.zeros((4320, 7680), np.uint8)
    values[1000:3000, 2000:7000] = 9
    (labels,) = read_files("masks-png", {"m/legend.json": dumps(LEGEND), "m/v/000003.png": png(values)}).recordings
    (mask,) = labels.instances.rows["mask"]
    assert rle.area(rle.runs_of_text(mask, 4320, 7680)) == 10_000_000
