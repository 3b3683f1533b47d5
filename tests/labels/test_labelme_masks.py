"""Polygons of LabelMe are masks: one of COCO's for the same corners; those of one label and group are one instance."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from pycocotools import mask as reference

from each import each
from label_examples import dumps, faults_of, read_files, write_files
from scrubin.base.errors import AnnotationError
from scrubin.labels.files.loss import Fit, fitted
from scrubin.labels.files.output import writer_of
from verdict_cases import damaged

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
WIDTH, HEIGHT = 64, 48


def polygon(corners, label="grasper", group=None, **more):
    return {"label": label, "points": corners, "shape_type": "polygon", "group_id": group, "flags": {}, **more}


def files_of(shapes, width=WIDTH, height=HEIGHT):
    return {"v/000003.json": dumps({"shapes": shapes, "imageWidth": width, "imageHeight": height})}


def rows_of(shapes):
    (labels,) = read_files("labelme", files_of(shapes), vocabulary="cholect50").recordings
    return labels.instances.rows


def counts_of(*polygons):
    """What pycocotools draws of some polygons."""
    return reference.merge(reference.frPyObjects([np.ravel(one).tolist() for one in polygons], HEIGHT, WIDTH))["counts"].decode()


def corners(rng, few=3):
    return [[rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)] for _ in range(rng.randint(few, 12))]


def test_a_polygon_is_the_mask_that_pycocotools_draws():
    rng = random.Random(6)
    for _ in range(60):
        drawn = corners(rng, few=5)
        (row,) = rows_of([polygon(drawn)]).to_dict("records")
        assert row["mask"] == counts_of(drawn)
        xs, ys = zip(*drawn, strict=True)
        box = [min(xs) / WIDTH, min(ys) / HEIGHT, (max(xs) - min(xs)) / WIDTH, (max(ys) - min(ys)) / HEIGHT]
        assert [row[side] for side in "xywh"] == pytest.approx(box)


LEFT, RIGHT = [[2, 2], [20, 2], [20, 30], [2, 30]], [[40, 10], [60, 10], [60, 40]]


def test_polygons_of_one_label_and_group_are_one_instance():
    rows = rows_of([polygon(LEFT, group=1), polygon(RIGHT, "hook", group=1), polygon(RIGHT, group=1), polygon(RIGHT)])
    assert rows["instrument_id"].tolist() == [0, 2, 0]
    assert rows["mask"].tolist() == [counts_of(LEFT, RIGHT), counts_of(RIGHT), counts_of(RIGHT)]
    whole = rows.iloc[0]
    assert [whole[side] for side in "xywh"] == pytest.approx([2 / WIDTH, 2 / HEIGHT, 58 / WIDTH, 38 / HEIGHT])


def test_polygons_without_a_group_are_instances_of_their_own():
    assert len(rows_of([polygon(LEFT), polygon(RIGHT)])) == 2


def test_rectangles_stay_boxes_whatever_their_group():
    rectangle = {**polygon([[2, 2], [20, 30]], group=1), "shape_type": "rectangle"}
    rows = rows_of([rectangle, rectangle, polygon(RIGHT, group=1)])
    assert rows["mask"].isna().tolist() == [True, True, False]
    assert "mask" not in rows_of([rectangle])
    (told,) = [fault.what for fault in faults_of("labelme", files_of([rectangle]), vocabulary="cholect50") if fault.rule == "not-kept"]
    assert told == "not kept: 'group_id' of shapes"


def test_a_polygon_between_the_centres_of_pixels_keeps_its_box_and_is_told():
    thin = [[3.1, 3.1], [3.2, 3.1], [3.2, 3.2]]
    rows = rows_of([polygon(thin), polygon(LEFT)])
    assert rows["mask"].isna().tolist() == [True, False]
    told = [fault.what for fault in faults_of("labelme", files_of([polygon(thin)]), vocabulary="cholect50") if fault.rule == "polygon"]
    assert told == ["1 instances of polygons cover no pixel, so only their boxes are read"]


@each(
    "shapes, size, message",
    [
        ([polygon(LEFT[:2])], (WIDTH, HEIGHT), "shape 0: points are .*; give three or more corners in pixels"),
        ([polygon(LEFT), polygon([[1, 1], [90, 1], [90, 9]])], (WIDTH, HEIGHT), "shape 1: points .*; draw the box inside the image"),
        ([polygon([[1, 1], [float("nan"), 1], [9, 9]])], (WIDTH, HEIGHT), "shape 0: points are "),
        ([polygon(LEFT)], (10**9, 10**9), "000003.json: a mask is of an image of 1000000000x1000000000; correct the size"),
    ],
)
def test_a_polygon_that_is_none_is_refused_with_its_place(shapes, size, message):
    with pytest.raises(AnnotationError, match=message):
        read_files("labelme", files_of(shapes, *size), vocabulary="cholect50")


def test_masks_of_labelme_become_those_of_coco():
    collection = read_files("labelme", files_of([polygon(LEFT, group=1), polygon(RIGHT, group=1)]), vocabulary="cholect50")
    kept, losses = fitted(collection, writer_of("coco"), Fit("labelme", 1))
    assert not losses
    (one,) = json.loads(write_files("coco", kept).files["annotations.json"])["annotations"]
    assert one["segmentation"] == {"size": [HEIGHT, WIDTH], "counts": counts_of(LEFT, RIGHT)}
    assert one["area"] == reference.area(one["segmentation"])


def test_masks_written_as_polygons_are_read_as_the_same_pixels():
    rng = random.Random(4)
    shapes = [polygon(corners(rng, few=5), group=rng.choice([None, 1, 2])) for _ in range(40)]
    collection = read_files("labelme", files_of(shapes), vocabulary="cholect50")
    (before,) = collection.recordings
    out = write_files("labelme", collection)
    assert set(out.losses) <= {"boxes that are not those around the mask"}
    (after,) = read_files("labelme", {f"out/{file}": data for file, data in out.files.items()}).recordings
    assert before.instances.rows["mask"].tolist() == after.instances.rows["mask"].tolist()
    again = write_files("labelme", read_files("labelme", {f"out/{file}": data for file, data in out.files.items()}))
    assert (again.files, sum(again.losses.values())) == (out.files, 0)


def test_no_damage_of_a_polygon_ends_in_a_traceback():
    rng = random.Random(8)
    whole = {"labelme": files_of([polygon(LEFT, group=1), polygon(RIGHT, group=1)])}
    images = [{"id": 1, "file_name": "a_000003.png", "width": WIDTH, "height": HEIGHT}]
    one = {"id": 1, "image_id": 1, "category_id": 1, "segmentation": [np.ravel(LEFT).tolist(), np.ravel(RIGHT).tolist()]}
    runs = {**one, "id": 2, "segmentation": {"size": [HEIGHT, WIDTH], "counts": [5, 40, WIDTH * HEIGHT - 45]}}
    whole["coco"] = {"c/a.json": dumps({"images": images, "annotations": [one, runs], "categories": [{"id": 1, "name": "grasper"}]})}
    for name, files in whole.items():
        ((file, data),) = files.items()
        for _ in range(250):
            for fault in faults_of(name, {file: damaged(rng, data)}, vocabulary="cholect50"):
                assert fault.file
                assert fault.what
