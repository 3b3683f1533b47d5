import json

import pytest

from scrubin.base.vocabulary import vocabulary
from scrubin.labels import truth
from scrubin.labels.truth import detection
from scrubin.stages.groundtruth import writing

WORDS = vocabulary.load("cholect50")
BOX = [0.25, 0.5, 0.5, 0.25]


@pytest.fixture
def coco(tables, labelled):
    return detection.coco(WORDS, [detection.boxed(labelled["aboreta"])], writing.images(tables["frames"]))


def test_list_and_dict_are_what_ivtmetrics_takes(labelled):
    found = detection.layouts(detection.boxed(labelled["aboreta"]), WORDS)
    assert found["frame"] == [0, 1, 2]
    assert found["list"] == [[[17, 0, 1.0, *BOX], [12, 0, 1.0, *BOX]], [], [[94, 0, 1.0, *BOX]]]
    assert found["dict"][2] == [{"triplet": 94, "instrument": [0, 1.0, *BOX]}]
    assert json.loads(json.dumps(found)) == found


def test_nine_columns_are_what_ivtdmetrics_takes(labelled):
    found = detection.layouts(detection.boxed(labelled["aboreta"]), WORDS)
    assert found["list_9"] == [[[17, 0, 1.0, 1, 0, *BOX], [12, 0, 1.0, 0, 13, *BOX]], [], [[94, 0, 1.0, 9, 14, *BOX]]]
    assert [[[*row[:3], *row[5:]] for row in rows] for rows in found["list_9"]] == found["list"]


def test_recordings_without_boxes_have_no_detection(labelled):
    assert [detection.boxed(labelled[id_]) for id_ in ("belumi", "coresa", "dimora")] == [None] * 3


def test_boxes_of_instruments_alone_are_no_detection_and_neither_are_the_empty_frames_beside_them(tables):
    triplets = tables["triplets"].assign(triplet_id=None, verb_id=None, target_id=None)
    found = {one.id: one for one in truth.of_tables(tables["labelled"], triplets, tables["phases"])}
    assert detection.boxed(found["aboreta"]) is None


def test_a_frame_with_an_instance_without_box_is_left_out_and_counted(tables):
    triplets = tables["triplets"].copy()
    triplets.loc[1, ["x", "y", "w", "h"]] = None
    found = {one.id: one for one in truth.of_tables(tables["labelled"], triplets, tables["phases"])}
    boxed = detection.boxed(found["aboreta"])
    assert boxed.frames == [1, 2]
    assert boxed.left_out == 1


def test_coco_counts_from_one_and_has_pixels_of_the_released_image(coco):
    assert [category["id"] for category in coco["categories"]] == list(range(1, 101))
    assert coco["categories"][94] == {"id": 95, "name": "grasper,null_verb,null_target", "supercategory": "grasper"}
    assert [image["id"] for image in coco["images"]] == [1, 2, 3]
    assert coco["images"][2]["file_name"] == "frames/aboreta/mono/000002.jpg"
    first = coco["annotations"][0]
    assert (first["id"], first["image_id"], first["category_id"], first["iscrowd"]) == (1, 1, 18, 0)
    assert first["bbox"] == [80.0, 120.0, 160.0, 60.0]
    assert first["area"] == 9600.0
    assert [row["image_id"] for row in coco["annotations"]] == [1, 1, 3]


def test_a_frame_labelled_as_nothing_is_an_image_without_annotation(coco):
    assert coco["images"][1]["frame"] == 1
    assert 2 not in {row["image_id"] for row in coco["annotations"]}
