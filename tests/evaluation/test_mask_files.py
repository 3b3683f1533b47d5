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
from score_runs import fault, good
from scrubin.labels.masks import counts, rle

PLACES = [(video, frame) for video, length in zip("abc", LENGTHS, strict=True) for frame in range(length)]
NAMES = ("grasper", "bipolar", "hook")


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
    (tmp_path / "truth.json").write_text(json.dumps({"images": images, "categories": categories, "annotations": annotations}))
    (tmp_path / "found.json").write_text(json.dumps([result(one) for one in found]))
    return tmp_path


def kept(side):
    return [replace(one, area=float(one.pixels.sum()) if one.area is None else one.area) for one in side if one.pixels.any()]


def annotation(number, one):
    box = rle.box_xywh_px(rle.runs_of_picture(one.pixels), HEIGHT)
    whole = {"id": number + 1, "bbox": list(box), "area": one.area, "iscrowd": int(one.crowd)}
    return {**{key: value for key, value in result(one).items() if key != "score"}, **whole}


def result(one):
    text = counts.text_of_runs(rle.runs_of_picture(one.pixels))
    mask = {"size": [HEIGHT, WIDTH], "counts": text}
    return {"image_id": one.place + 1, "category_id": one.class_ + 1, "score": one.score, "segmentation": mask}


def numbers(files, capsys, *variant):
    out = files / "s.json"
    sides = ("--ground-truth", files / "truth.json", "--predictions", files / "found.json")
    good(capsys, "detection", *sides, "--out", out, "--variant", *variant)
    return json.loads(out.read_text())["results"]


def published(files, kind="segm"):
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(str(files / "truth.json"))
        evaluation = COCOeval(truth, truth.loadRes(str(files / "found.json")), kind)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation.stats


def test_a_file_of_results_with_masks_alone_has_the_numbers_of_pycocotools(files, capsys):
    found = [
        one["overall"]["value"] for one in numbers(files, capsys, "kind=masks", "component=i") if one["metric"] in ("mask AP", "mask AR")
    ]
    assert [-1 if value is None else value for value in found] == pytest.approx(published(files), abs=1e-12)


def test_an_annotation_without_a_mask_is_not_taken_for_the_first_line_of_a_table(files, capsys):
    document = json.loads((files / "truth.json").read_text())
    last = max(one["image_id"] for one in document["annotations"])
    document["images"] = [one for one in document["images"] if one["id"] <= last]
    for one in document["annotations"]:
        if one["image_id"] == last:
            del one["segmentation"]
    (files / "truth.json").write_text(json.dumps(document))
    found = [one for one in json.loads((files / "found.json").read_text()) if one["image_id"] <= last]
    (files / "found.json").write_text(json.dumps(found))
    sides = ("--ground-truth", files / "truth.json", "--predictions", files / "found.json")
    said = good(capsys, "detection", *sides, "--variant", "kind=masks", "component=i").err
    assert "pandas" not in said


def test_an_area_that_a_file_states_counts_also_where_it_is_that_of_the_box(files, capsys):
    document = json.loads((files / "truth.json").read_text())
    for one in document["annotations"]:
        one["area"] = one["bbox"][2] * one["bbox"][3]
    (files / "truth.json").write_text(json.dumps(document))
    found = [
        one["overall"]["value"] for one in numbers(files, capsys, "kind=masks", "component=i") if one["metric"] in ("mask AP", "mask AR")
    ]
    assert [-1 if value is None else value for value in found] == pytest.approx(published(files), abs=1e-12)


@pytest.mark.parametrize("said", [{}, {"bbox": True}, {"bbox": True, "area": 7.0}, {"area": 7.0}])
def test_results_are_as_large_as_their_boxes_and_those_with_masks_alone_as_their_masks(files, capsys, said):
    # pycocotools sets the area of a result itself, whatever it states: of its box, or without one of its mask.
    found = json.loads((files / "found.json").read_text())
    for one, mask in zip(found, kept(drawn(3)[1]), strict=True):
        one.update({"area": said["area"]} if "area" in said else {})
        one.update({"bbox": annotation(0, mask)["bbox"]} if "bbox" in said else {})
    (files / "found.json").write_text(json.dumps(found))
    every, by_size = published(files, "bbox")[0], published(files, "bbox")[3:6]
    values = [one["overall"]["value"] for one in numbers(files, capsys, "kind=sizes", "component=i")]
    assert values == [None if value < 0 else pytest.approx(value, abs=1e-12) for value in (every, *by_size)]


def test_a_segmentation_that_cannot_be_used_is_an_error_with_its_place(files, capsys):
    results = json.loads((files / "found.json").read_text())
    results[2]["segmentation"]["counts"] = "05"
    (files / "found.json").write_text(json.dumps(results))
    said = fault(
        capsys, "detection", "--ground-truth", files / "truth.json", "--predictions", files / "found.json", "--variant", "kind=masks"
    )
    assert "found.json, annotation 3" in said
    assert "the runs of a mask cover 5 px, its picture of 160 x 120 px has 19200" in said


def test_pixels_of_annotations_scored_against_themselves_are_perfect(files, capsys):
    truth = json.loads((files / "truth.json").read_text())
    results = [{**{key: one[key] for key in ("image_id", "category_id", "segmentation")}, "score": 0.9} for one in truth["annotations"]]
    (files / "found.json").write_text(json.dumps(results))
    values = {one["metric"]: one["overall"]["value"] for one in numbers(files, capsys, "kind=pixels", "component=i", "tolerance=0")}
    assert values == {"pixels Dice": 1, "pixels IoU": 1, "pixels NSD": 1, "pixels HD95": 0}


def test_intervals_and_runs_are_computed_of_masks_as_of_boxes(files, capsys):
    out = files / "s.json"
    sides = ("--ground-truth", files / "truth.json", "--predictions", files / "found.json", files / "found.json")
    shown = ("--out", out, "--html", files / "s.html", "--bootstrap", "20")
    good(capsys, "detection", *sides, *shown, "--variant", "kind=masks", "component=i")
    assert "panoptic quality" in (files / "s.html").read_text()
    spread = [one for one in json.loads(out.read_text())["results"] if "SD" in json.dumps(one["variant"])]
    assert {one["overall"]["value"] for one in spread if one["metric"] == "panoptic quality"} == {0}
    assert np.isfinite(next(one["overall"]["value"] for one in spread if one["metric"] == "mask AR"))
