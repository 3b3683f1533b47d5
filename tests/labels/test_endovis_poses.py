"""Joints of EndoVis 2015: tools with their points, and what cannot be placed."""

import json

import pytest

from label_examples import EXAMPLES, faults_of, read_files
from scrubin.labels.points import POINTS, Point

FILE = "poses/train1_labels.json"


def images():
    return json.loads(EXAMPLES["endovis-pose"][FILE])


def read(changed):
    return read_files("endovis-pose", {FILE: json.dumps(changed).encode()}).recordings[0]


def test_an_image_with_points_is_labelled_and_one_without_is_not():
    labels = read(images())
    assert labels.instances.positions.tolist() == [1]
    assert labels.instances.rows["x"].isna().all()
    first = labels.instances.rows[POINTS][0]
    assert first == (Point("LeftClasperPoint", 410.75 / 720, 194 / 576, 2), Point("HeadPoint", 536.5 / 720, 125.25 / 576, 2))
    assert [labels.vocabulary.instruments[id_] for id_ in labels.instances.rows["instrument_id"]] == ["right clasper", "right scissor"]


def test_an_occluded_point_is_hidden():
    changed = images()
    changed[1]["annotations"][0]["occluded"] = True
    assert read(changed).instances.rows[POINTS][0][0].visibility == 1


def test_points_of_no_tool_or_that_a_tool_has_twice_are_not_read_and_said():
    changed = images()
    of = changed[1]["annotations"]
    of += [of[0] | {"x": 1.0}, {"class": "EndPoint", "x": 3, "y": 4}]
    labels = read(changed)
    assert [point.name for point in labels.instances.rows[POINTS][0]] == ["HeadPoint"]
    assert sorted({fault.rule for fault in labels.faults}) == ["point-alone", "point-repeated"]


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("id", "tool9", 'image 1, point 0: id is "tool9"'),
        ("x", 900, "image 1, point 0: it lies outside of the image by 25.0 % of its side"),
        ("y", None, "image 1, point 0: x, y are [410.75, null]"),
        ("class", "", 'image 1, point 0: class is "", expected the name of the point'),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(place, value, said):
    changed = images()
    changed[1]["annotations"][0][place] = value
    found = faults_of("endovis-pose", {FILE: json.dumps(changed).encode()})
    assert any(said in f"{fault.place}: {fault.what}" for fault in found)


def test_images_are_numbered_once_each():
    changed = images()
    changed[2]["filename"] = changed[1]["filename"]
    changed[0]["filename"] = "picture.png"
    said = [fault.rule for fault in faults_of("endovis-pose", {FILE: json.dumps(changed).encode()})]
    assert sorted(said) == ["frame-repeated", "image-name"]
