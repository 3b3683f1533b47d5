"""COCO results: a JSON list of detections by image id, as pycocotools takes them; the images stand in another file.

Each has a box, a mask (``segmentation``) or points (``keypoints``), or several of them; without a box it is the smallest around the
mask or the points.

By themselves they say neither which frames they are of nor which classes: they are read beside the COCO file that is the
ground truth, as ``scrubin score detection`` does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from scrubin.base import strangers
from scrubin.base.faults import Faults
from scrubin.labels import registry
from scrubin.labels.formats.objects import coco
from scrubin.labels.model import IGNORED, Collection, LabelFiles
from scrubin.labels.parse import documents
from scrubin.labels.registry import ByHand, dataset_format

NAME = "coco-results"
KEYS = {"image_id", "category_id"}
PLACES = {"bbox", "segmentation", "keypoints"}
IMAGES_IN = ("coco", "endoscapes", "grasp")
"""Formats of files with images and categories by id."""


def _is_results(path: Path) -> bool:
    document = registry.document(path)
    if document == []:  # nobody found anything; of labels it would say nothing
        return True
    first = document[0] if isinstance(document, list) else None
    return isinstance(first, Mapping) and set(first) >= KEYS and bool(PLACES & set(first))


@dataset_format(
    NAME,
    pattern=r"[^/]+\.json",
    expected="<any name>.json, a list of image_id, category_id, bbox, segmentation or keypoints, and score",
    title="COCO results: boxes, masks or key points by image id, to be scored against a COCO file; read only",
    by_hand=ByHand(fps=Fraction(1), fps_unstated=True, evidence=_is_results, holds=("instances", "boxes", "masks", "points", "scores")),
)
def read(source: LabelFiles) -> Collection:
    """Return nothing but the fault that results are no labels by themselves."""
    faults = Faults()
    for file in sorted(source.files):
        what = "these are COCO results by image id, which name no image"
        faults.error(file, "images-unknown", what, "score them against the COCO file that has the images")
    return Collection(faults=faults.all())


def with_images(file: str, results: bytes, images: bytes, faults: Faults) -> bytes | None:
    """Return results as a COCO file of their own, with the images and categories of another one; None after noting what is wrong.

    An ``area`` that a result states is left out, as pycocotools replaces it: by that of the box, or without one by that of the mask.

    Parameters
    ----------
    file
        Where the results stand.
    results, images
        Content of both files; they are known to be JSON.
    """
    annotations: list[dict[str, Any]] = []
    for number, one in enumerate(documents.opened(documents.json_value, file, results, faults) or ()):
        if isinstance(one, Mapping) and "score" in one:
            own = {key: value for key, value in one.items() if key != coco.AREA}
            annotations.append({"iscrowd": 0, **own, "id": number + 1})
            continue
        what = "has no score" if isinstance(one, Mapping) else "is no object"
        faults.error(
            file,
            "results-layout",
            f"result {number} {what}",
            "give image_id, category_id, bbox, segmentation or keypoints, and score of each",
        )
    if faults.errors():
        return None
    document: dict[str, Any] = {**strangers.json_value(images, file), "annotations": annotations}
    # What is not counted the labels say, and no result does.
    document["images"] = [{key: value for key, value in image.items() if key != IGNORED} for image in document["images"]]
    return json.dumps(document).encode()
