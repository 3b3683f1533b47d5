"""LabelMe: boxes, outlines, masks and points by label and group, written back, and refused with file and shape."""

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
from scrubin.labels.formats.objects import labelme
from scrubin.labels.formats.objects.labelme import write
from scrubin.labels.points import POINTS, Point
from scrubin.labels.registry import Output

FOLDER = "annotations/labelme/case one"
NAN = float("nan")
LEFT, RIGHT = [[2, 2], [20, 2], [20, 30], [2, 30]], [[40, 10], [60, 10], [60, 40]]
POLYGON = {"shape_type": "polygon", "points": LEFT}


@pytest.fixture
def read(make):
    def read(*documents):
        return labelme.read(make.named({f"{FOLDER}/{i * 25:06d}.json": data for i, data in enumerate(documents)}))

    return read


def test_two_corners_in_pixels_become_a_box_of_the_image(read, make):
    labels = read(make.labelme([make.shape(points=((10, 20), (60, 70)))], width=100, height=200))
    row = labels.instances.rows.iloc[0]
    assert (row["x"], row["y"], row["w"], row["h"]) == (0.1, 0.1, 0.5, 0.25)
    assert row[["instrument_id", "verb_id", "target_id", "triplet_id", "score"]].tolist() == [0, 1, 0, 17, 1.0]
    assert labels.picture_files == {0: f"{FOLDER}/000000.json"}


def test_corners_may_be_drawn_in_any_order(read, make):
    one = read(make.labelme([make.shape(points=((60, 70), (10, 20)))])).instances.rows
    other = read(make.labelme([make.shape(points=((10, 70), (60, 20)))])).instances.rows
    assert one.equals(other)


def test_a_file_without_shapes_is_labelled_as_nothing(read, make):
    labels = read(make.labelme([]), make.labelme([make.shape()]))
    assert labels.instances.positions.tolist() == [0, 25]
    assert labels.instances.rows["position"].tolist() == [25]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"label": "graspr"}, "shape 0, label: 'graspr' is no instrument .* did you mean 'grasper'"),
        ({"label": None}, "shape 0: label is null, expected the name of the instrument"),
        ({"action": "retrakt"}, "shape 0, attribute Action: 'retrakt' is no verb .* did you mean 'retract'"),
        ({"target": "spleen"}, "shape 0, attribute Target: 'spleen' is no target"),
        ({"action": "clip"}, "shape 0: 'grasper,clip,gallbladder' is no triplet of 'cholect50'"),
        ({"shape_type": "circle"}, 'shape 0: shape_type is "circle"; only rectangles, polygons, masks and points can be read'),
        ({"attributes": ["retract"]}, "shape 0: expected a shape with label, points and attributes"),
        ({"points": [[1, 2]]}, "shape 0: points are .*; give two corners"),
        ({"points": [[1, 2], ["3", 4]]}, "shape 0: points are .*; give two corners"),
        ({"points": [[1, 2], [1, 9]]}, "shape 0: points .* in an image of 100x200; they enclose nothing"),
        ({"points": [[1, 2], [190, 9]]}, "shape 0: points .* in an image of 100x200; draw the box inside"),
        ({"points": [[1, 2], [NAN, 9]]}, "shape 0: points"),
        (POLYGON | {"points": LEFT[:2]}, "shape 0: points are .*; give three or more corners in pixels"),
        (POLYGON | {"points": [[1, 1], [90, 1], [90, 250]]}, "shape 0: points .*; draw the box inside the image"),
        (POLYGON | {"points": [[1, 1], [NAN, 1], [9, 9]]}, "shape 0: points are "),
    ],
)
def test_a_broken_shape_is_refused_by_file_and_number(read, make, changes, text):
    for before in (0, 1):
        numbered = text.replace("shape 0", f"shape {before}")
        with pytest.raises(AnnotationError, match=rf"labelme/case one/000000\.json, {numbered}"):
            read(make.labelme([make.shape()] * before + [make.shape(**changes)]))


@each(
    "changes, text",
    [
        ({"imageWidth": 0}, "imageWidth, imageHeight are"),
        ({"imageWidth": None}, "imageWidth, imageHeight are"),
        ({"imageHeight": "200"}, "imageWidth, imageHeight are"),
        ({"imageHeight": 1.5}, "imageWidth, imageHeight are"),
        ({"imageWidth": 10**9, "imageHeight": 10**9}, "000000.json: a mask is of an image of 1000000000x1000000000; correct the size"),
        ({"shapes": None}, "shapes: expected a list, but got null"),
    ],
)
def test_a_broken_image_is_refused(read, make, changes, text):
    with pytest.raises(AnnotationError, match=text):
        read(make.labelme(**{"shapes": [make.shape(**POLYGON)], **changes}))


def test_one_frame_in_two_files_is_refused(make):
    with pytest.raises(AnnotationError, match="frame 25 is also in"):
        labelme.read(make.named({f"{FOLDER}/000025.json": make.labelme([]), f"{FOLDER}/0000025.json": make.labelme([])}))


def test_the_faults_of_all_files_are_named(read, make):
    with pytest.raises(AnnotationError) as caught:
        read(b"{", make.labelme([make.shape(label="x"), make.shape(points=[])]), make.labelme([make.shape()]))
    assert len(caught.value.faults) == 3


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


RECTANGLE = {"label": "grasper", "points": [[10, 10], [40, 30]], "shape_type": "rectangle", "group_id": 7}
OUTLINE = {"label": "hook", "points": [[50, 10], [90, 10], [90, 40]], "shape_type": "polygon", "group_id": 8}
TIP = {"label": "tip", "points": [[20, 20]], "shape_type": "point", "group_id": 7}


def read_shapes(shapes):
    return read_files("labelme", files_of(shapes, 100, 50), vocabulary="cholect50")


def points_of(shapes):
    return read_shapes(shapes).recordings[0].instances.rows[POINTS].tolist()


def test_a_point_is_of_the_instance_of_its_group():
    hidden = TIP | {"label": "hinge", "points": [[60, 25]], "group_id": 8, "flags": {"hidden": True}}
    assert points_of([TIP, RECTANGLE, OUTLINE, hidden]) == [(Point("tip", 0.2, 0.4, 2),), (Point("hinge", 0.6, 0.5, 1),)]


def test_what_was_written_is_read_as_the_same():
    hidden = TIP | {"label": "hinge", "flags": {"hidden": True}}
    before, out = read_shapes([RECTANGLE, TIP, hidden, OUTLINE | {"group_id": None}]), Output()
    write(before, out)
    shapes = json.loads(out.files["v/000003.json"])["shapes"]
    assert [(one["label"], one["shape_type"], one["group_id"]) for one in shapes] == [
        ("grasper", "rectangle", 0),
        ("tip", "point", 0),
        ("hinge", "point", 0),
        ("hook", "polygon", None),
    ]
    after = read_files("labelme", out.files, vocabulary="cholect50")
    assert [one.recordings[0].instances.rows[POINTS].tolist()[0] for one in (before, after)] == [
        (Point("tip", 0.2, 0.4, 2), Point("hinge", 0.2, 0.4, 1))
    ] * 2


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ([RECTANGLE, TIP | {"group_id": None}], "shape 1: points-group"),
        ([RECTANGLE, TIP | {"group_id": 9}], ": points-group"),
        ([RECTANGLE, OUTLINE | {"group_id": 7}, TIP], ": points-group"),
        ([RECTANGLE, TIP, TIP], "shape 2: point-repeated"),
        ([RECTANGLE, TIP | {"points": [[20, 20], [30, 30]]}], "shape 1: points-form"),
        ([RECTANGLE, TIP | {"points": [[120, 20]]}], "shape 1: point-outside"),
        ([RECTANGLE, TIP | {"label": None}], "shape 1: value-type"),
    ],
)
def test_a_point_that_belongs_to_nothing_or_lies_nowhere_is_refused(shapes, said):
    with pytest.raises(AnnotationError) as caught:
        read_shapes(shapes)
    assert said in [f"{fault.place}: {fault.rule}" for fault in caught.value.faults]
