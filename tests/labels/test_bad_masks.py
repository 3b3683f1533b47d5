"""What can be wrong with masks, by format: a score names file and place and what to do; what looks odd is read right."""

from __future__ import annotations

import numpy as np
import pytest

from label_examples import dumps, read_files
from png_files import png
from score_runs import fault
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


SHORT = {"size": [HEIGHT, WIDTH], "counts": [5, 5]}
BAD = {
    "masks-png": (
        {"m/legend.json": dumps(LEGEND), "m/v/000003.png": png(np.full((HEIGHT, WIDTH), 8))},
        ("000003.png: 1 colour is not in", "grey value 8, 240 pixels, the first at x 0, y 0; correct the pixels, or add the colour"),
    ),
    "coco": (
        coco(SHORT),
        ("annotation 1", "the runs of a mask cover 10 px, its picture of 20 x 12 px has 240", "give a mask of the size of the picture"),
    ),
}


@pytest.mark.parametrize("form", BAD)
def test_a_score_of_pixels_names_the_place_and_what_to_do(form, tmp_path, capsys):
    files, said = BAD[form]
    path = put(tmp_path / "in", files)
    rate = ["--fps", "1"] if form == "masks-png" else []
    shown = fault(capsys, "detection", "--ground-truth", path, "--from", form, "--predictions", path, "--variant", "kind=pixels", *rate)
    assert all(words in shown for words in said), shown


@pytest.mark.slow
def test_a_picture_of_8k_is_read():
    values = np.zeros((4320, 7680), np.uint8)
    values[1000:3000, 2000:7000] = 9
    (labels,) = read_files("masks-png", {"m/legend.json": dumps(LEGEND), "m/v/000003.png": png(values)}).recordings
    (mask,) = labels.instances.rows["mask"]
    assert rle.area(rle.runs_of_text(mask, 4320, 7680)) == 10_000_000
