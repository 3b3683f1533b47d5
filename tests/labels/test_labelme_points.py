"""Points of LabelMe belong to the box or outline with their group, are written back, and refused with their place."""

import json

import pytest

from label_examples import dumps, read_files
from scrubin.base.errors import AnnotationError
from scrubin.labels.formats.objects.labelme import write
from scrubin.labels.points import POINTS, Point
from scrubin.labels.registry import Output

BOX = {"label": "grasper", "points": [[10, 10], [40, 30]], "shape_type": "rectangle", "group_id": 7}
OUTLINE = {"label": "hook", "points": [[50, 10], [90, 10], [90, 40]], "shape_type": "polygon", "group_id": 8}
TIP = {"label": "tip", "points": [[20, 20]], "shape_type": "point", "group_id": 7}


def read(shapes):
    files = {"v/000003.json": dumps({"shapes": shapes, "imageWidth": 100, "imageHeight": 50})}
    return read_files("labelme", files, vocabulary="cholect50")


def points(shapes):
    return read(shapes).recordings[0].instances.rows[POINTS].tolist()


def test_a_point_is_of_the_instance_of_its_group():
    hidden = TIP | {"label": "hinge", "points": [[60, 25]], "group_id": 8, "flags": {"hidden": True}}
    assert points([TIP, BOX, OUTLINE, hidden]) == [(Point("tip", 0.2, 0.4, 2),), (Point("hinge", 0.6, 0.5, 1),)]


def test_what_was_written_is_read_as_the_same():
    hidden = TIP | {"label": "hinge", "flags": {"hidden": True}}
    before, out = read([BOX, TIP, hidden, OUTLINE | {"group_id": None}]), Output()
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
        ([BOX, TIP | {"group_id": None}], "shape 1: points-group"),
        ([BOX, TIP | {"group_id": 9}], ": points-group"),
        ([BOX, OUTLINE | {"group_id": 7}, TIP], ": points-group"),
        ([BOX, TIP, TIP], "shape 2: point-repeated"),
        ([BOX, TIP | {"points": [[20, 20], [30, 30]]}], "shape 1: points-form"),
        ([BOX, TIP | {"points": [[120, 20]]}], "shape 1: point-outside"),
        ([BOX, TIP | {"label": None}], "shape 1: value-type"),
    ],
)
def test_a_point_that_belongs_to_nothing_or_lies_nowhere_is_refused(shapes, said):
    with pytest.raises(AnnotationError) as caught:
        read(shapes)
    assert said in [f"{fault.place}: {fault.rule}" for fault in caught.value.faults]
