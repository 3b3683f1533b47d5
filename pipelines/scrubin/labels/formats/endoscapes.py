"""Endoscapes: COCO per subset, ``<video>_<25 fps frame>.jpg``, criteria of the critical view of safety per image.

``<subset>/annotation_coco.json`` (or ``annotation_ds_coco.json``) has images with ``ds``, the three
criteria as the mean of three raters, and boxes of five structures and of tools: these stand where
our tables have the instrument. ``<subset>_vids.txt`` lists the videos of a subset as floats.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

import pandas as pd

from scrubin.core.faults import Fault, Faults, warning
from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence, fields
from scrubin.labels.categories import names_of
from scrubin.labels.formats.coco import (
    IMAGE_KEYS,
    Place,
    Reading,
    category_ids_of,
    class_of,
    labels_of,
    note_unkept,
    one_list,
    place_of,
    read_annotations,
    unkept_of,
)
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, by_position
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

CRITERIA = ("cvs_c1", "cvs_c2", "cvs_c3")
LIST_SUFFIX = "_vids.txt"
FILE = "annotation_coco.json"
PIXEL_DIGITS = 4


@dataset_format(
    "endoscapes",
    pattern=r"(?:(?:[^/]+/)?annotation_(?:ds_)?coco\.json|[^/]+_vids\.txt)",
    expected="<subset>/annotation_coco.json, and <subset>_vids.txt",
    title="Endoscapes COCO: boxes, critical view of safety, subsets; frames at 25 fps",
    by_hand=ByHand(vocabulary="endoscapes", fps=Fraction(25), evidence=evidence.named),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of all videos in the subsets' files.

    Raises
    ------
    AnnotationError
        Names file, image or annotation, and value of every fault.
    """
    reading = Reading(source)
    lists: dict[str, frozenset[int]] = {}
    for file, data in sorted(source.files.items()):
        text = documents.opened(documents.text, file, data, reading.faults) if file.endswith(LIST_SUFFIX) else None
        if text is not None:
            lists[PurePosixPath(file).name.removesuffix(LIST_SUFFIX)] = videos_of(file, text, reading.faults)
    subsets: dict[str, str] = {}
    for file, data in sorted(source.files.items()):
        if not file.endswith(".json"):
            continue
        document = documents.opened(documents.json_object, file, data, reading.faults)
        if document is None:
            continue
        subset = PurePosixPath(file).parent.name
        ids = category_ids_of(reading, file, document)
        images = _images(reading, file, document, subset, subsets, lists)
        if ids is not None:
            read_annotations(reading, file, document, images, ids)
    AnnotationError.raise_any(reading.faults)
    found = [_labels(labels, subsets[labels.recording]) for labels in labels_of(reading, "endoscapes")]
    return Collection(tuple(found), faults=(*unkept_of(reading), *_without_images(lists, subsets)))


def _without_images(lists: Mapping[str, frozenset[int]], subsets: Mapping[str, str]) -> list[Fault]:
    """Return a warning per list with videos that have no image."""
    seen = {int(recording) for recording in subsets if recording.isdigit()}
    lacking = {subset: sorted(videos - seen) for subset, videos in sorted(lists.items())}
    return [
        warning(
            f"{subset}{LIST_SUFFIX}", "video-unlabelled", f"{len(videos)} videos have no labelled image: {', '.join(map(str, videos[:10]))}"
        )
        for subset, videos in lacking.items()
        if videos
    ]


def videos_of(file: str, text: str, faults: Faults) -> frozenset[int]:
    """Return the videos that a list names, such as ``1.620000000000000000e+02``."""
    videos = set()
    before = len(faults)
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = float(line)
        except ValueError:
            value = float("nan")
        if not 1 <= value < 10**9 or value != int(value):
            faults.error(
                file, "format", f"'{line.strip()[:40]}' is no number of a video", "list one whole number per line", place=f"line {number}"
            )
        else:
            videos.add(int(value))
    if not videos and len(faults) == before:
        faults.error(file, "format", "lists no video", "remove the file, or export it again")
    return frozenset(videos)


def _images(
    reading: Reading, file: str, document: Mapping[str, Any], subset: str, subsets: dict[str, str], lists: Mapping[str, frozenset[int]]
) -> dict[int, Place]:
    places: dict[int, Place] = {}
    for i, image in enumerate(fields.list_of_objects(file, document, "images", reading.faults)):
        number = fields.whole(file, f"image {i}", image, "id", reading.faults)
        width = fields.whole(file, f"image {i}", image, "width", reading.faults, low=1)
        height = fields.whole(file, f"image {i}", image, "height", reading.faults, low=1)
        where = place_of(image)
        if where is None or number is None or width is None or height is None:
            fault = f"{documents.shown(dict(image))} is no image with id and size, named <video>_<frame>.jpg"
            reading.faults.error(file, "format", fault, "export the file again", place=f"image {i}")
            continue
        if number in places or where in reading.images:
            fault = f"id {number}, frame {where[1]} of video {where[0]}, stands twice in this file or in another one"
            reading.faults.error(file, "format", fault, "keep one of them, or name the one file to read", place=f"image {i}")
            continue
        note_unkept(reading, "images", image, {*IMAGE_KEYS, "ds"})
        if subsets.setdefault(where[0], subset) != subset:
            fault = f"video {where[0]} is also in the subset '{subsets[where[0]]}'"
            reading.faults.error(file, "format", fault, "convert the subsets of one split, such as train, val and test", place=f"image {i}")
        if subset in lists and where[0].isdigit() and int(where[0]) not in lists[subset]:
            reading.faults.error(
                file, "format", f"video {where[0]} is not in {subset}{LIST_SUFFIX}", "correct one of them", place=f"image {i}"
            )
        criteria = _criteria(reading, file, f"image {i}", image.get("ds"))
        reading.images[where] = {"file_name": str(image.get("file_name", "")), "width": width, "height": height, **criteria}
        reading.rows.setdefault(where[0], [])
        places[number] = where
    return places


def _criteria(reading: Reading, file: str, place: str, value: Any) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, list) or len(value) != 3 or not all(fields.is_number(one) and 0 <= one <= 1 for one in value):
        reading.faults.error(file, "format", f"'ds' is {documents.shown(value)}", "give the three criteria, each in 0..1", place=place)
        return {}
    return dict(zip(CRITERIA, map(float, value), strict=True))


def _labels(labels: Labels, subset: str) -> Labels:
    return replace(labels, clock=SOURCE_FRAMES, about={"endoscapes": {"subset": subset}})


@writes(
    "endoscapes",
    holds=("instances", "boxes", "repeats", "empty frames"),
    frames=(*CRITERIA, "file_name"),
    fps=Fraction(25),
    takes=lambda words: not words.triplets,
    pixels=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<subset>/annotation_coco.json`` and ``<subset>_vids.txt``; recordings without a subset are in ``all``.

    Raises
    ------
    AnnotationError
        When a recording is not named by a number, as the videos of Endoscapes are.
    """
    by_subset: dict[str, list[Labels]] = {}
    for labels in collection.recordings:
        if not labels.recording.isdigit():
            raise AnnotationError([Fault(labels.recording, "format", "endoscapes numbers its videos", "rename the recording to a number")])
        by_subset.setdefault(str(labels.about.get("endoscapes", {}).get("subset", "") or "all"), []).append(labels)
    for subset, recordings in sorted(by_subset.items()):
        out.files[f"{subset}/{FILE}"] = _document(recordings)
        videos = sorted(int(labels.recording) for labels in recordings)
        out.files[f"{subset}{LIST_SUFFIX}"] = "".join(f"{video:.18e}\n" for video in videos).encode()


def _document(recordings: list[Labels]) -> bytes:
    classes = one_list(recordings)
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for labels in recordings:
        details = {} if labels.frames is None else labels.frames.set_index("position").to_dict("index")
        for position, rows in by_position(labels.instances).items():
            images.append(_image(len(images), labels.recording, position, details[position]))
            for row in rows:
                sides = (images[-1]["width"], images[-1]["height"]) * 2
                bbox = [round(row[side] * length, PIXEL_DIGITS) for side, length in zip("xywh", sides, strict=True)]
                one = {"id": len(annotations), "image_id": images[-1]["id"], "category_id": class_of(classes, row) + 1, "bbox": bbox}
                annotations.append({**one, "area": round(bbox[2] * bbox[3], PIXEL_DIGITS), "iscrowd": 0})
    categories = [{"id": i + 1, "name": name, "supercategory": name} for i, name in enumerate(names_of(classes))]
    return (json.dumps({"images": images, "annotations": annotations, "categories": categories}, allow_nan=False) + "\n").encode()


def _image(number: int, recording: str, position: int, details: Mapping[Any, Any]) -> dict[str, Any]:
    size = {"width": int(details["width"]), "height": int(details["height"])}
    criteria = [details.get(name) for name in CRITERIA]
    tags = {} if any(one is None or pd.isna(one) for one in criteria) else {"ds": criteria}
    return {"id": number, "file_name": f"{recording}_{position}.jpg", **size, **tags}
