"""Masks from files to numbers: COCO truth and results as `scrubin score` reads them, beside pycocotools on the same files."""

import contextlib
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from mask_cases import HEIGHT, LENGTHS, WIDTH, drawn
from score_runs import put, results
from scrubin.labels.masks import rle

PLACES = [(video, frame) for video, length in zip("abc", LENGTHS, strict=True) for frame in range(length)]
NAMES = ("grasper", "bipolar", "hook")
TRUTH, FOUND = "truth/truth.json", "found/found.json"


@pytest.fixture
def files(tmp_path):
    """Truth and results of one study; no mask is empty, as no box may be."""
    truth, found = (kept(side) for side in drawn(3))
    images = [
        {"id": at + 1, "file_name": f"{video}_{frame:06d}.jpg", "width": WIDTH, "height": HEIGHT}
        for at, (video, frame) in enumerate(PLACES)
    ]
    categories = [{"id": at + 1, "name": name} for at, name in enumerate(NAMES)]
    annotations = [annotation(number, one) for number, one in enumerate(truth)]
    write(tmp_path, TRUTH, {"images": images, "categories": categories, "annotations": annotations})
    write(tmp_path, FOUND, [result(one) for one in found])
    return tmp_path


def write(files, name, document):
    side, _, file = name.partition("/")
    put(files, **{side: {file: document}})


def read(files, name):
    return json.loads((files / name).read_text())


def kept(side):
    return [replace(one, area=float(one.pixels.sum()) if one.area is None else one.area) for one in side if one.pixels.any()]


def annotation(number, one):
    box = rle.box_xywh_px(rle.runs_of_picture(one.pixels), HEIGHT)
    whole = {"id": number + 1, "bbox": list(box), "area": one.area, "iscrowd": int(one.crowd)}
    return {**{key: value for key, value in result(one).items() if key != "score"}, **whole}


def result(one):
    text = rle.text_of_runs(rle.runs_of_picture(one.pixels))
    mask = {"size": [HEIGHT, WIDTH], "counts": text}
    return {"image_id": one.place + 1, "category_id": one.class_ + 1, "score": one.score, "segmentation": mask}


def numbers(files, capsys, *variant):
    return results(capsys, files, "detection", *variant)[0]


def of_masks(files, capsys):
    found = numbers(files, capsys, "kind=masks", "component=i")
    values = [one["overall"]["value"] for one in found if one["metric"] in ("mask AP", "mask AR")]
    return [-1 if value is None else value for value in values]


def published(files, kind="segm"):
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(str(files / TRUTH))
        evaluation = COCOeval(truth, truth.loadRes(str(files / FOUND)), kind)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation.stats


ISINET = ("--semantics", "compat")


def test_pixels_that_the_labels_do_not_count_are_not_said_to_be_of_the_results(files, capsys):
    truth = read(files, TRUTH)
    truth["images"][0]["ignored"] = {"size": [HEIGHT, WIDTH], "counts": [0, HEIGHT, HEIGHT * (WIDTH - 1)]}
    write(files, TRUTH, truth)
    assert "not to be counted" not in results(capsys, files, "detection", "kind=masks", "component=i")[1]
    # A published program counts them.
    assert "1 frame of the ground truth with pixels" in results(capsys, files, "detection", "program=ISINet", more=ISINET)[1]
    # Who writes it down said it.
    write(files, FOUND, truth)
    assert "1 frame of the predictions with pixels" in results(capsys, files, "detection", "kind=masks", "component=i")[1]


@pytest.mark.parametrize("kind", ["kind=boxes", "kind=masks", "kind=pixels"])
def test_results_without_a_detection_are_looked_at_twice(files, capsys, kind):
    said = "nothing is predicted in any video; look whether whatever predicts has written its files to the end"
    assert said not in results(capsys, files, "detection", kind)[1]
    write(files, FOUND, [])
    assert said in results(capsys, files, "detection", kind)[1]


def test_a_file_of_results_with_masks_alone_has_the_numbers_of_pycocotools(files, capsys):
    assert of_masks(files, capsys) == pytest.approx(published(files), abs=1e-12)


def test_an_annotation_without_a_mask_is_not_taken_for_the_first_line_of_a_table(files, capsys):
    document = read(files, TRUTH)
    last = max(one["image_id"] for one in document["annotations"])
    document["images"] = [one for one in document["images"] if one["id"] <= last]
    for one in document["annotations"]:
        if one["image_id"] == last:
            del one["segmentation"]
    write(files, TRUTH, document)
    write(files, FOUND, [one for one in read(files, FOUND) if one["image_id"] <= last])
    assert "pandas" not in results(capsys, files, "detection", "kind=masks", "component=i")[1]


def test_an_area_that_a_file_states_counts_also_where_it_is_that_of_the_box(files, capsys):
    document = read(files, TRUTH)
    for one in document["annotations"]:
        one["area"] = one["bbox"][2] * one["bbox"][3]
    write(files, TRUTH, document)
    assert of_masks(files, capsys) == pytest.approx(published(files), abs=1e-12)


@pytest.mark.parametrize("said", [{}, {"bbox": True}, {"bbox": True, "area": 7.0}, {"area": 7.0}])
def test_results_are_as_large_as_their_boxes_and_those_with_masks_alone_as_their_masks(files, capsys, said):
    # pycocotools sets the area of a result itself, whatever it states: of its box, or without one of its mask.
    found = read(files, FOUND)
    for one, mask in zip(found, kept(drawn(3)[1]), strict=True):
        one.update(said | ({"bbox": annotation(0, mask)["bbox"]} if "bbox" in said else {}))
    write(files, FOUND, found)
    every, by_size = published(files, "bbox")[0], published(files, "bbox")[3:6]
    values = [one["overall"]["value"] for one in numbers(files, capsys, "kind=sizes", "component=i")]
    assert values == [None if value < 0 else pytest.approx(value, abs=1e-12) for value in (every, *by_size)]


def test_pixels_of_annotations_scored_against_themselves_are_perfect(files, capsys):
    own = ("image_id", "category_id", "segmentation")
    write(files, FOUND, [{**{key: one[key] for key in own}, "score": 0.9} for one in read(files, TRUTH)["annotations"]])
    values = {one["metric"]: one["overall"]["value"] for one in numbers(files, capsys, "kind=pixels", "component=i", "tolerance=0")}
    assert values == {"pixels Dice": 1, "pixels IoU": 1, "pixels NSD": 1, "pixels HD95": 0}


def test_intervals_and_runs_are_computed_of_masks_as_of_boxes(files, capsys):
    more = ("--predictions", files / FOUND, "--html", files / "s.html", "--bootstrap", "20")
    found, _ = results(capsys, files, "detection", "kind=masks", "component=i", more=more)
    assert "panoptic quality" in (files / "s.html").read_text()
    spread = [one for one in found if "SD" in json.dumps(one["variant"])]
    assert {one["overall"]["value"] for one in spread if one["metric"] == "panoptic quality"} == {0}
    assert np.isfinite(next(one["overall"]["value"] for one in spread if one["metric"] == "mask AR"))
