"""Labels to COCO detection JSON: one file of all recordings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from scrubin.errors import AnnotationError
from scrubin.labels.categories import Classes, names_of, whole_list
from scrubin.labels.collection import Collection
from scrubin.labels.model import Labels, by_position
from scrubin.labels.registry import Output, writes
from scrubin.vocabulary.vocabulary import Vocabulary

PIXEL_DIGITS = 4


@writes("coco", holds=("instances", "actions", "boxes", "repeats", "scores", "empty frames"), frames=("file_name",), pixels=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``annotations.json`` of all recordings; ids of images and annotations start at 1."""
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    labelled = [labels for labels in collection.recordings if labels.instances is not None]
    classes = one_list(labelled)
    for labels in labelled:
        details = {} if labels.frames is None else labels.frames.set_index("position").to_dict("index")
        for position, rows in by_position(labels.instances).items():
            images.append(_image(len(images) + 1, labels.recording, position, details[position]))
            for row in rows:
                annotations.append(_annotation(len(annotations) + 1, images[-1], classes, row))
    names = names_of(classes)
    categories = [{"id": i + 1, "name": name, "supercategory": name.split(",")[0]} for i, name in enumerate(names)]
    document = {"images": images, "annotations": annotations, "categories": categories}
    out.files["annotations.json"] = (json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n").encode()


def one_list(recordings: Sequence[Labels]) -> Classes:
    """Return the classes of all recordings: instruments where any has only those.

    Raises
    ------
    AnnotationError
        When they have different vocabularies.
    """
    words: dict[str, Vocabulary] = {labels.vocabulary.name: labels.vocabulary for labels in recordings}
    if len(words) != 1:
        names = ", ".join(sorted(words))
        msg = f"the recordings have {len(words)} vocabularies ({names}), but one file has one list of classes; convert them one by one"
        raise AnnotationError(msg)
    (one,) = words.values()
    if all(labels.detail == "triplet" for labels in recordings) and one.triplets:
        return whole_list(one)
    return Classes(one, False, tuple(range(len(one.instruments))))


def class_of(classes: Classes, row: Mapping[str, Any]) -> int:
    """Return the place of an instance's class in the list."""
    return int(row["triplet_id"] if classes.triplets else row["instrument_id"])


def _image(number: int, recording: str, position: int, details: Mapping[Any, Any]) -> dict[str, Any]:
    name = details.get("file_name")
    return {
        "id": number,
        "file_name": name if isinstance(name, str) and name else f"{recording}/{position:06d}.jpg",
        "width": int(details["width"]),
        "height": int(details["height"]),
        "recording": recording,
        "frame": position,
    }


def _annotation(number: int, image: Mapping[str, Any], classes: Classes, row: Mapping[str, Any]) -> dict[str, Any]:
    sides = (image["width"], image["height"], image["width"], image["height"])
    bbox = [round(row[side] * length, PIXEL_DIGITS) for side, length in zip("xywh", sides, strict=True)]
    score = {} if row["score"] in (None, 1.0) else {"score": row["score"]}
    return {
        "id": number,
        "image_id": image["id"],
        "category_id": class_of(classes, row) + 1,
        "bbox": bbox,
        "area": round(bbox[2] * bbox[3], PIXEL_DIGITS),
        "iscrowd": 0,
        **score,
    }
