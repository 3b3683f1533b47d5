"""COCO detection JSON: one file of images, annotations with boxes in px, and categories numbered from 1.

Categories are triplets (``instrument,verb,target``) or instruments. An image belongs to the recording
and frame that it names (``recording``, ``frame``), else to those in its file name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrubin.core.faults import Fault, Faults, warning
from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence, fields
from scrubin.labels.categories import Classes, classes_of, names_of, whole_list
from scrubin.labels.model import Clock, Collection, Detail, LabelFiles, Labels, Layer, by_position, instance_rows
from scrubin.labels.registry import ByHand, Output, dataset_format, writes
from scrubin.vocabulary.vocabulary import Vocabulary

IMAGE_KEYS = {"id", "file_name", "width", "height", "recording", "frame"}
ANNOTATION_KEYS = {"id", "image_id", "category_id", "bbox", "area", "iscrowd", "score"}
PIXEL_DIGITS = 4
EMPTY: tuple[Any, ...] = (None, 0, "", [], {})
Place = tuple[str, int]


@dataclass
class Reading:
    """What was read so far: images and instances by recording and position, and classes by file."""

    source: LabelFiles
    faults: Faults = field(default_factory=Faults)
    images: dict[Place, dict[str, Any]] = field(default_factory=dict)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    classes: Classes | None = None
    unkept: Counter[str] = field(default_factory=Counter)
    merged: Counter[tuple[str, str, str]] = field(default_factory=Counter)


def _is_coco(path: Path) -> bool:
    # Endoscapes calls its files so.
    return evidence.keys(images=list, annotations=list, categories=list)(path) and not path.stem.endswith("_coco")


@dataset_format(
    "coco",
    pattern=r"[^/]+\.json",
    expected="<any name>.json with images, annotations and categories",
    title="COCO JSON: boxes in px; categories are triplets or instruments",
    by_hand=ByHand(fps=Fraction(1), fps_unstated=True, evidence=_is_coco),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of all recordings in one or more COCO files.

    Raises
    ------
    AnnotationError
        Names file, image or annotation, and value of every fault.
    """
    reading = Reading(source)
    for file, data in sorted(source.files.items()):
        document = documents.opened(documents.json_object, file, data, reading.faults)
        if document is None:
            continue
        category_ids = category_ids_of(reading, file, document)
        images = _images(reading, file, document)
        if category_ids is not None:
            read_annotations(reading, file, document, images, category_ids)
    AnnotationError.raise_any(reading.faults)
    return Collection(labels_of(reading, "coco"), faults=unkept_of(reading))


def unkept_of(reading: Reading) -> tuple[Fault, ...]:
    """Return the warning of what images and annotations say beyond labels."""
    listed = ", ".join(f"{what} ({count})" for what, count in sorted(reading.unkept.items()))
    return (warning(min(reading.source.files), "not-kept", f"not kept: {listed}"),) if listed else ()


def note_unkept(reading: Reading, of: str, one: Mapping[str, Any], known: set[str]) -> None:
    """Count what an image or annotation says beyond labels; empty values say nothing."""
    for key in one.keys() - known:
        if one[key] not in EMPTY:
            reading.unkept[f"'{key}' of {of}"] += 1
    if one.get("iscrowd") not in EMPTY:
        reading.unkept["'iscrowd' of annotations, which are read as single instances"] += 1


def category_lists(file: str, document: Mapping[str, Any], faults: Faults) -> tuple[list[int], list[str]]:
    """Return ids and names of the categories, by id."""
    pairs: dict[int, str] = {}
    for i, category in enumerate(fields.list_of_objects(file, document, "categories", faults)):
        number = fields.whole(file, f"category {i}", category, "id", faults)
        name = category.get("name")
        if number is None or not isinstance(name, str) or number in pairs:
            faults.error(
                file,
                "format",
                f"{documents.shown(category)} is no new id with a name",
                "give every class one id and name",
                place=f"category {i}",
            )
        else:
            pairs[number] = name
    return sorted(pairs), [pairs[number] for number in sorted(pairs)]


def category_ids_of(reading: Reading, file: str, document: Mapping[str, Any]) -> dict[int, int] | None:
    """Return the id of each category in the vocabulary, or None when the categories cannot be used."""
    numbers, names = category_lists(file, document, reading.faults)
    given = reading.source.vocabulary if reading.source.vocabulary.name else None
    try:
        classes = classes_of(file, names, given, reading.source.label_map)
    except AnnotationError as error:
        reading.faults.extend(error.faults)
        return None
    if reading.classes is not None and (classes.vocabulary.name, classes.triplets) != (
        reading.classes.vocabulary.name,
        reading.classes.triplets,
    ):
        reading.faults.error(file, "format", "they are others than in the files before", "convert the files one by one", place="categories")
    reading.classes = classes
    return dict(zip(numbers, classes.ids, strict=True))


def _images(reading: Reading, file: str, document: Mapping[str, Any]) -> dict[int, Place]:
    places: dict[int, Place] = {}
    for i, image in enumerate(fields.list_of_objects(file, document, "images", reading.faults)):
        number = fields.whole(file, f"image {i}", image, "id", reading.faults)
        width = fields.whole(file, f"image {i}", image, "width", reading.faults, low=1)
        height = fields.whole(file, f"image {i}", image, "height", reading.faults, low=1)
        where = place_of(image)
        note_unkept(reading, "images", image, IMAGE_KEYS)
        if where is None:
            fault = f"'{image.get('file_name')}' does not say of which recording and frame the image is"
            reading.faults.error(
                file, "format", fault, "name it <recording>_<frame>.jpg, or give 'recording' and 'frame'", place=f"image {i}"
            )
        elif where in reading.images or number in places:
            reading.faults.error(
                file, "format", f"id {number}, {where[0]} frame {where[1]}, stands twice", "keep one of them", place=f"image {i}"
            )
        elif number is not None and width is not None and height is not None:
            places[number] = where
            reading.images[where] = {"file_name": str(image.get("file_name", "")), "width": width, "height": height}
            reading.rows.setdefault(where[0], [])
    return places


def place_of(image: Mapping[str, Any]) -> Place | None:
    """Return recording and frame of an image, or None."""
    recording, frame = image.get("recording"), image.get("frame")
    if (
        isinstance(recording, str)
        and recording
        and "/" not in recording
        and isinstance(frame, int)
        and fields.is_whole(frame)
        and frame >= 0
    ):
        return recording, frame
    return fields.recording_and_frame(str(image.get("file_name", "")))


def read_annotations(
    reading: Reading, file: str, document: Mapping[str, Any], images: Mapping[int, Place], category_ids: Mapping[int, int]
) -> None:
    """Add the instances of a file; ``images`` and ``category_ids`` say what its ids mean."""
    faults, source, classes = reading.faults, reading.source, reading.classes
    if classes is None:
        return
    merges = {category: classes.merges[k] for k, category in enumerate(sorted(category_ids)) if k in classes.merges}
    seen: set[int] = set()
    for i, one in enumerate(fields.list_of_objects(file, document, "annotations", faults)):
        place = f"annotation {one.get('id', i)}"
        number = fields.id_of(one, "id")
        if number in seen:
            faults.error(file, "format", "the id stands twice", "keep one of them, or number the annotations anew", place=place)
            continue
        seen |= {number} - {-1}
        where = images.get(fields.id_of(one, "image_id"))
        if where is None:
            faults.error(
                file, "format", f"image_id {documents.shown(one.get('image_id'))} is no image of the file", "correct it", place=place
            )
            continue
        category = one.get("category_id")
        if not isinstance(category, int) or not fields.is_whole(category) or category not in category_ids:
            faults.error(
                file,
                "format",
                f"category_id {documents.shown(category)} is no category of the file",
                _shift(category, category_ids),
                place=place,
            )
            continue
        size = (reading.images[where]["width"], reading.images[where]["height"])
        box = fields.pixel_box(file, place, one, size, source.box_tolerance, cut=source.cut_boxes, faults=faults)
        score = one.get("score", 1.0)
        if not fields.is_number(score) or not 0 <= score <= 1:
            faults.error(file, "format", f"score {documents.shown(score)} is not in 0..1", "ground truth has 1", place=place)
        elif box is not None:
            ids = ids_of(classes, category_ids[category])
            note_unkept(reading, "annotations", one, ANNOTATION_KEYS)
            if category in merges:
                reading.merged[where[0], *merges[category]] += 1
            reading.rows[where[0]].append({"position": where[1], **ids, **dict(zip("xywh", box, strict=True)), "score": score})


def ids_of(classes: Classes, id_: int) -> dict[str, int]:
    """Return the ids of an instance of a class."""
    if not classes.triplets:
        return {"instrument_id": id_}
    instrument, verb, target = classes.vocabulary.triplets[id_]
    return {"instrument_id": instrument, "verb_id": verb, "target_id": target, "triplet_id": id_}


def _shift(category: Any, known: Mapping[int, int]) -> str:
    numbers = sorted(known)
    if numbers and category == numbers[0] - 1:
        return f"categories are numbered from {numbers[0]}; these look numbered from {category}"
    return f"known are {numbers[0]} to {numbers[-1]}" if numbers else "the file has no categories"


def labels_of(reading: Reading, name: str) -> tuple[Labels, ...]:
    """Return what was read, recording by recording."""
    found = []
    by_recording: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for (recording, frame), image in sorted(reading.images.items(), key=lambda one: one[0]):
        by_recording.setdefault(recording, []).append((frame, image))
    for recording, rows in sorted(reading.rows.items()):
        images = by_recording[recording]
        frames = pd.DataFrame([{"position": frame, **image} for frame, image in images])
        positions = np.array([frame for frame, _ in images], np.int64)
        classes = reading.classes
        words = reading.source.vocabulary if classes is None else classes.vocabulary
        detail: Detail = "triplet" if classes is not None and classes.triplets else "instrument"
        layer = Layer(recording, positions, instance_rows(sorted(rows, key=lambda row: int(row["position"]))))
        merged = {(of, to): n for (where, of, to), n in reading.merged.items() if where == recording}
        clock = Clock(Fraction(1))
        found.append(Labels(recording, name, words, clock, instances=layer, detail=detail, frames=frames, merged=merged))
    return tuple(found)


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
