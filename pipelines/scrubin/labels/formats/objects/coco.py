"""COCO JSON: one file of images, annotations with boxes in px and masks, categories numbered from 1.

Categories are triplets (``instrument,verb,target``) or instruments. An image belongs to the recording
and frame that it names (``recording``, ``frame``), else to those in its file name. Ids are whole numbers.
Texts of digits can mean one number only and are read as it; other texts are read as names of what they stand for.
Masks are polygons or run lengths (``segmentation``), drawn as pycocotools draws them and written as its compressed counts.
Key points (``keypoints``) are named, in order, by the category. ``track_id`` is the same for one instance of a video. The pixels that
``ignored`` of an image has, as run lengths, count for nobody, as in our ground truth.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.faults import Faults
from scrubin.labels import boxes, registry, tracks
from scrubin.labels.masks import rle
from scrubin.labels.masks.rle import IntArray
from scrubin.labels.model import (
    IGNORED,
    MASK,
    ClassList,
    Clock,
    Collection,
    Detail,
    LabelFiles,
    Labels,
    Layer,
    by_position,
    detailed_rows,
)
from scrubin.labels.parse import documents, fields, masks, points
from scrubin.labels.parse.columns import Classes, classes_of, names_of, one_vocabulary, whole_list
from scrubin.labels.parse.fields import Where
from scrubin.labels.points import POINTS, Point, box_around
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

TRACK, ATTRIBUTES, VIDEO = "track_id", "attributes", "video_id"
"""CVAT has the first among the second."""
NO_TRACK = -1
IMAGE_KEYS = {"id", "file_name", "width", "height", "recording", "frame", IGNORED}
ANNOTATION_KEYS = {
    "id",
    "image_id",
    "category_id",
    "bbox",
    "area",
    "iscrowd",
    "score",
    masks.KEY,
    points.KEY,
    points.COUNT,
    TRACK,
    "instance",
}
"""``instance`` is the number that our tables have; the order of annotations says as much."""
PIXEL_DIGITS = 4
EMPTY: tuple[Any, ...] = (None, 0, "", [], {})
NO_BOX = (math.nan,) * 4
FIRST_PIXELS = [[x, y, 1, 1] for x in (0, 1) for y in (0, 1)]
"""Boxes that look like shares of the image, and are pixels where the mask says so."""
CROWD, AREA = "iscrowd", "area"
"""Details of instances: 1 for a crowd; square pixels where they are not those of the box, as of a mask."""
DETAILS = {CROWD: "float64", AREA: "float64", MASK: "str", POINTS: "object", tracks.ONLY: "Int64"}
Id = int | str
Frame = tuple[str, int]
"""A recording and a frame of it."""


@dataclass
class Reading:
    """What was read so far: images and instances by recording and position, and the classes, which are those of all files.

    ``points`` and ``lines`` are, by class, the names of its points and the lines between them; ``lists`` are the classes by file.
    """

    source: LabelFiles
    faults: Faults = field(default_factory=Faults)
    images: dict[Frame, dict[str, Any]] = field(default_factory=dict)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    classes: Classes | None = None
    merged: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    faulty: set[str] = field(default_factory=set)
    points: dict[int, tuple[str, ...]] = field(default_factory=dict)
    lines: dict[int, list[list[int]]] = field(default_factory=dict)
    lists: list[ClassList] = field(default_factory=list)


@dataclass
class OfFile:
    """What was read of one file so far; ids of images and categories mean something in their file only.

    What is annotated in an image that is ``refused`` has no other fault by that.
    """

    where: Where
    images: dict[Id, Frame] = field(default_factory=dict)
    refused: set[Id] = field(default_factory=set)
    categories: dict[Id, int] = field(default_factory=dict)
    merges: dict[Id, tuple[str, str]] = field(default_factory=dict)
    unkept: Counter[str] = field(default_factory=Counter)
    points: dict[Id, tuple[str, ...]] = field(default_factory=dict)
    has_tracks: bool = False


OF_ENDOSCAPES = ("annotation_coco", "annotation_ds_coco")
WITH_PHASES = ("phase_categories", "phases_categories")
ReadImages = Callable[[Reading, OfFile, Mapping[str, Any]], None]


def _is_coco(path: Path) -> bool:
    # Endoscapes calls its files so; PSI-AVA and GraSP have phases, too.
    document = registry.document(path)
    has_phases = isinstance(document, Mapping) and any(key in document for key in WITH_PHASES)
    is_coco = registry.keys(images=list, annotations=list, categories=list)(path)
    return is_coco and path.stem not in OF_ENDOSCAPES and not has_phases


@dataset_format(
    "coco",
    pattern=r"[^/]+\.json",
    expected="<any name>.json with images, annotations and categories",
    title="COCO JSON: boxes in px, masks and key points; categories are triplets or instruments",
    by_hand=ByHand(fps=Fraction(1), fps_unstated=True, evidence=_is_coco),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of the recordings in files without an error; all faults are in ``Collection.faults``."""
    reading = Reading(source)
    for file, data in sorted(source.files.items()):
        of_file = Faults()
        document = documents.opened(documents.json_object, file, data, of_file)
        if document is not None:
            read_document(reading, OfFile(Where(of_file, file)), document, read_images)
        reading.faults.extend(of_file.all())
    return Collection(labels_of(reading, "coco"), faults=reading.faults.all(), lists=tuple(reading.lists))


def read_document(reading: Reading, of_file: OfFile, document: Mapping[str, Any], read_images: ReadImages) -> None:
    """Add what a file says.

    Parameters
    ----------
    read_images
        Reads the images.
    """
    has_classes = _read_categories(reading, of_file, document)
    read_images(reading, of_file, document)
    if has_classes:
        _read_annotations(reading, of_file, document)
        _note_list(reading, of_file)
    listed = ", ".join(f"{what} ({count})" for what, count in sorted(of_file.unkept.items()))
    if listed:
        of_file.where.warning("not-kept", f"not kept: {listed}")
    if of_file.where.faults.errors():
        reading.faulty |= {recording for recording, _ in of_file.images.values()}


def _note_list(reading: Reading, of_file: OfFile) -> None:
    classes = reading.classes
    if classes is not None and classes.ids:
        recordings = tuple(sorted({recording for recording, _ in of_file.images.values()}))
        reading.lists.append(ClassList(of_file.where.file, classes.ids, triplets=classes.triplets, recordings=recordings))


def note_unkept(of_file: OfFile, what: str, one: Mapping[str, Any], known: set[str]) -> None:
    """Count what an image or annotation says beyond labels; empty values say nothing."""
    for key in one.keys() - known:
        if one[key] not in EMPTY:
            of_file.unkept[f"'{key}' of {what}"] += 1
    if one.get("iscrowd") not in EMPTY:
        of_file.unkept["'iscrowd' of annotations, which are single instances to all but kind=sizes, kind=masks and points of scores"] += 1


def ids_of_list(where: Where, what: str, objects: Iterable[Mapping[str, Any]]) -> list[Id | None]:
    """Return the id of each object of a list: a number, or a name where it is a text; None where it is neither.

    Parameters
    ----------
    what
        Name of the list, in messages.
    """
    stated = [one.get("id") for one in objects]
    _note_texts(where, f"ids of {what}", stated)
    return [_id(value) for value in stated]


def _note_texts(where: Where, what: str, values: Iterable[Any]) -> None:
    texts = [value for value in values if isinstance(value, str) and value]
    digits = sum(documents.frame_number(text) is not None for text in texts)
    if digits:
        fix = "they are read as the numbers; write numbers"
        where.faults.deviation(where.file, "id-text", f"{what} are texts of digits", fix, count=digits)
    if len(texts) > digits:
        fix = "they are read as names; write numbers, as other programs need them"
        where.faults.deviation(where.file, "id-text", f"{what} are texts", fix, count=len(texts) - digits)


def _id(value: Any) -> Id | None:
    if isinstance(value, str) and value:
        number = documents.frame_number(value)
        return value if number is None else number
    number = fields.whole_of(value)
    return number if isinstance(number, int) and fields.is_whole(number) and 0 <= number <= fields.LARGEST else None


def _read_categories(reading: Reading, of_file: OfFile, document: Mapping[str, Any]) -> bool:
    """Note what the categories of a file mean; return whether they can be used."""
    where = of_file.where
    objects = fields.list_of_objects(where, document, "categories")
    names: dict[Id, str] = {}
    is_sound = True
    for i, (category, id_) in enumerate(zip(objects, ids_of_list(where, "categories", objects), strict=True)):
        name = category.get("name")
        if id_ is None or not isinstance(name, str) or id_ in names:
            what = f"{documents.shown(category)} is no new id with a name"
            where.at(f"category {i}").error("category-id", what, "give every class one id and name")
            is_sound = False
            continue
        names[id_] = name
        of_points = points.names_of_category(where.at(f"category {i}"), category)
        is_sound &= of_points is not None
        if of_points:
            of_file.points[id_] = of_points
    numbers = sorted(names, key=lambda id_: (isinstance(id_, str), id_))
    chosen = reading.source.vocabulary if reading.source.vocabulary.name else None
    classes = classes_of(where.at("categories"), [names[id_] for id_ in numbers], chosen, reading.source.label_map)
    if classes is None or not is_sound:
        return False
    before = reading.classes
    if before is not None and (classes.vocabulary.name, classes.triplets) != (before.vocabulary.name, before.triplets):
        where.at("categories").error("vocabularies-differ", "they are others than in the files before", "convert the files one by one")
        return False
    reading.classes = classes
    of_file.categories = dict(zip(numbers, classes.ids, strict=True))
    of_file.merges = {numbers[k]: merge for k, merge in classes.merges.items()}
    for category in objects:
        id_ = _id(category["id"])
        if id_ in of_file.points:
            class_ = of_file.categories[id_]
            reading.points.setdefault(class_, of_file.points[id_])
            reading.lines.setdefault(class_, points.lines_of_category(category))
    return True


def read_images(reading: Reading, of_file: OfFile, document: Mapping[str, Any]) -> None:
    """Add the images of a file, each with its recording and frame."""
    objects = fields.list_of_objects(of_file.where, document, "images")
    # Only several folders tell videos apart: one is called as its owner pleases, and the other side of a score otherwise.
    folders = {str(PurePosixPath(file).parent) for file in reading.source.files}
    folder = str(PurePosixPath(of_file.where.file).parent) if len(folders) > 1 else ""
    of_videos: dict[str, Id] = {}
    for i, (image, id_) in enumerate(zip(objects, ids_of_list(of_file.where, "images", objects), strict=True)):
        where, frame = of_file.where.at(f"image {i}"), frame_of(image, reading.source.root, folder)
        size = size_of(where, image)
        note_unkept(of_file, "images", image, IMAGE_KEYS)
        if id_ is not None and (frame is None or size is None or frame in reading.images):
            of_file.refused.add(id_)
        if id_ is None:
            what = f"'id' is {documents.shown(image.get('id'))}, expected a whole number from 0"
            where.error("value-type", what, "export the file again")
        elif frame is None:
            what = f"'{image.get('file_name')}' does not say of which recording and frame the image is"
            where.error("image-name", what, "name it <recording>_<frame>.jpg, or give 'recording' and 'frame'")
        elif (
            "recording" not in image
            and fields.names_no_recording(frame[0])
            and (video := _id(image.get(VIDEO))) is not None
            and of_videos.setdefault(frame[0], video) != video
        ):
            what = f"it is of another '{VIDEO}' than an image before, but neither name says of which recording it is"
            where.error("image-name", what, "name images <recording>_<frame>.jpg, or give 'recording' and 'frame'")
            of_file.refused.add(id_)
        elif frame in reading.images or id_ in of_file.images:
            what = f"id {id_}, {frame[0]} frame {frame[1]}, stands twice"
            where.error("frame-repeated", what, fields.fix_of_two(frame[0]))
        elif size is not None:
            ignored = masks.runs_of(where.at(f"image {i}, key '{IGNORED}'"), image.get(IGNORED), size, reading.source.box_tolerance)
            of_frame = {} if ignored is None else {IGNORED: masks.text_of(image[IGNORED], ignored)}
            name = str(image.get("file_name", ""))
            add_image(reading, of_file, id_, frame, {"file_name": name, "width": size[0], "height": size[1], **of_frame})


def size_of(where: Where, image: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return width and height of an image in px."""
    width, height = (fields.whole(where, image, key, low=1) for key in ("width", "height"))
    return None if width is None or height is None else (width, height)


def add_image(reading: Reading, of_file: OfFile, id_: Id, frame: Frame, details: dict[str, Any]) -> None:
    """Add an image with its size and name."""
    of_file.images[id_] = frame
    reading.images[frame] = details
    reading.rows.setdefault(frame[0], [])


def frame_of(image: Mapping[str, Any], root: str = "", folder: str = "") -> Frame | None:
    """Return recording and frame of an image, or None; ``root`` and ``folder`` are as of `fields.recording_and_frame`."""
    recording, frame = image.get("recording"), fields.whole_of(image.get("frame"))
    if not isinstance(recording, str) or not recording or "/" in recording or not isinstance(frame, int) or not fields.is_whole(frame):
        return fields.recording_and_frame(str(image.get("file_name", "")).replace("\\", "/"), root, folder)  # of Windows, too
    return (recording, frame) if frame >= 0 else None


def _read_annotations(reading: Reading, of_file: OfFile, document: Mapping[str, Any]) -> None:
    where = of_file.where
    objects = fields.list_of_objects(where, document, "annotations")
    for key in ("image_id", "category_id"):
        _note_texts(where, f"'{key}' of annotations", (one.get(key) for one in objects))
    of_file.has_tracks = _has_tracks(where, objects)
    seen: set[Id] = set()
    for i, (one, id_) in enumerate(zip(objects, ids_of_list(where, "annotations", objects), strict=True)):
        at = where.at(f"annotation {one.get('id', i)}")
        if id_ is not None and id_ in seen:
            at.error("id-repeated", "the id stands twice", "keep one of them, or number the annotations anew")
            continue
        seen |= set() if id_ is None else {id_}
        _read_annotation(reading, of_file, at, one)


def _has_tracks(where: Where, annotations: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether what is called a track among the attributes is one: a number that no other object of its image has; else say why."""
    seen: set[tuple[Id | None, int]] = set()
    for number, one in enumerate(annotations):
        track = _own_track(one)
        is_number, at = fields.is_whole(track) and track >= 0, (_id(one.get("image_id")), track)
        if track is not None and (not is_number or at in seen):
            why = "stands twice in its image" if is_number else "is no whole number from 0"
            what = f"tracks are not read: '{TRACK}' of '{ATTRIBUTES}' {documents.shown(track)} {why}"
            where.at(f"annotation {one.get('id', number)}").warning("not-kept", what, "give each object of an image a number of its own")
            return False
        seen |= set() if track is None else {at}
    return bool(seen)


def _own_track(one: Mapping[str, Any]) -> Any:
    """Return the track among the attributes of an annotation; None where it has none."""
    said = one.get(ATTRIBUTES)
    track = said.get(TRACK) if isinstance(said, Mapping) else None
    return None if track == NO_TRACK else track


def _read_annotation(reading: Reading, of_file: OfFile, where: Where, one: Mapping[str, Any]) -> None:
    image_id, category_id, classes = _id(one.get("image_id")), _id(one.get("category_id")), reading.classes
    frame = None if image_id is None else of_file.images.get(image_id)
    if frame is None and image_id not in of_file.refused:
        where.error("id-unknown", f"image_id {documents.shown(one.get('image_id'))} is no image of the file", "correct it")
        return
    if category_id is None or category_id not in of_file.categories or classes is None:
        what = f"category_id {documents.shown(one.get('category_id'))} is no category of the file"
        where.error(*_shift(category_id, of_file.categories, what))
        return
    if frame is None:
        return
    said = one.get(ATTRIBUTES)
    if of_file.has_tracks and isinstance(said, Mapping) and TRACK in said:
        one = {TRACK: _own_track(one), **one, ATTRIBUTES: {key: value for key, value in said.items() if key != TRACK}}
    size = (reading.images[frame]["width"], reading.images[frame]["height"])
    tolerance = reading.source.box_tolerance
    runs = masks.runs_of(where, one.get(masks.KEY), size, tolerance)
    bbox, of_points = one.get("bbox"), _points_of(of_file, where, one, category_id, size, tolerance)
    if runs is not None and (bbox in EMPTY or (bbox in FIRST_PIXELS and bbox == list(rle.box_xywh_px(runs, size[1])))):
        # As pycocotools takes results: the box and the area are those of the mask.
        box: boxes.XYWH | None = masks.share_box(runs, size)
        one = {AREA: rle.area(runs), **one, "bbox": rle.box_xywh_px(runs, size[1])}
    elif bbox in EMPTY and of_points is not None and "score" in one:
        # As pycocotools takes results; points on one line have no box.
        box = box_around(of_points) or NO_BOX
        one = {AREA: points.area_px2(one), **one, "bbox": [0, 0, 0, 0]}
    else:
        box = fields.pixel_box(where, one, size, tolerance)
    score = one.get("score", 1.0)
    if not fields.is_number(score) or not 0 <= score <= 1:
        fix = "predictions have a confidence in 0..1 (pass logits through a sigmoid first), ground truth has 1 or no score"
        where.error("score-range", f"score {documents.shown(score)} is not in 0..1", fix)
    elif box is not None and _says_how_it_counts(where, one):
        note_unkept(of_file, "annotations", one, ANNOTATION_KEYS)
        if category_id in of_file.merges:
            reading.merged[frame[0], *of_file.merges[category_id]] += 1
        ids = ids_of(classes, of_file.categories[category_id])
        mask = None if runs is None else masks.text_of(one[masks.KEY], runs)
        details = {CROWD: None if one.get(CROWD) in EMPTY else 1.0, AREA: _area_of_its_own(one, runs), MASK: mask, POINTS: of_points}
        details[tracks.ONLY] = None if one.get(TRACK) is None else fields.whole(where, one, TRACK)
        reading.rows[frame[0]].append({"position": frame[1], **ids, **dict(zip("xywh", box, strict=True)), "score": score, **details})


def _says_how_it_counts(where: Where, one: Mapping[str, Any]) -> bool:
    """Return whether an annotation says soundly whether it is a crowd, and how large it is: by both it may not count in a score."""
    crowd: Any = one.get(CROWD)
    area: Any = one.get(AREA)
    if crowd not in (*EMPTY, 1):
        where.error("crowd-form", f"{CROWD} {documents.shown(crowd)} is neither 0 nor 1", "write 0 for an instance, 1 for a crowd")
        return False
    if area not in EMPTY and not (fields.is_number(area) and area >= 0):
        where.error("area-range", f"{AREA} {documents.shown(area)} is no number of square pixels", "correct it, or leave it out")
        return False
    return True


def _points_of(
    of_file: OfFile, where: Where, one: Mapping[str, Any], category: Id, size: tuple[int, int], tolerance: float
) -> tuple[Point, ...] | None:
    """Return the points of an annotation; those of a category that names none are numbered, as many as the first annotation has."""
    names = of_file.points.get(category, ())
    of_points = points.of_annotation(where, one, names, size, tolerance)
    if of_points is not None and not names:
        of_file.points[category] = tuple(point.name for point in of_points)
        what = f"the category {category} names no points"
        of_file.where.at("categories").deviation("points-unnamed", what, "they are numbered from 1; give their names as 'keypoints'")
    return of_points


def _area_of_its_own(one: Mapping[str, Any], runs: IntArray | None) -> float | None:
    """Return the area that an annotation with a sound box states, where it is not that of its box and of its mask."""
    area: Any = one.get(AREA)
    _, _, width, height = one["bbox"]
    drawn = (width * height,) if runs is None else (width * height, rle.area(runs))
    return float(area) if fields.is_number(area) and any(abs(area - other) > 10**-PIXEL_DIGITS for other in drawn) else None


def ids_of(classes: Classes, id_: int) -> dict[str, int]:
    """Return the ids of an instance of a class."""
    if not classes.triplets:
        return {"instrument_id": id_}
    instrument, verb, target = classes.vocabulary.triplets[id_]
    return {"instrument_id": instrument, "verb_id": verb, "target_id": target, "triplet_id": id_}


def _shift(category: Id | None, known: Mapping[Id, int], what: str) -> tuple[str, str, str]:
    """Return rule, ``what`` and fix of a category that there is not."""
    numbers = sorted(id_ for id_ in known if isinstance(id_, int))
    if numbers and category == numbers[0] - 1:
        return "id-range", what, f"categories are numbered from {numbers[0]}; these look numbered from {category}"
    if numbers:
        return "id-unknown", what, f"known are {numbers[0]} to {numbers[-1]}"
    return "id-unknown", what, f"known are {', '.join(map(str, known))}" if known else "the file has no categories"


def labels_of(reading: Reading, name: str) -> tuple[Labels, ...]:
    """Return what was read, recording by recording, without those of faulty files."""
    recordings = []
    by_recording: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for (recording, frame), image in sorted(reading.images.items(), key=lambda one: one[0]):
        by_recording.setdefault(recording, []).append((frame, image))
    classes = reading.classes
    vocabulary = reading.source.vocabulary if classes is None else classes.vocabulary
    detail: Detail = "triplet" if classes is not None and classes.triplets else "instrument"
    for recording, rows in sorted(reading.rows.items()):
        if recording in reading.faulty:
            continue
        images = by_recording[recording]
        frames = pd.DataFrame([{"position": frame, **image} for frame, image in images])
        positions = np.array([frame for frame, _ in images], np.int64)
        ordered = sorted(rows, key=lambda row: int(row["position"]))
        layer = Layer(recording, positions, detailed_rows(ordered, DETAILS))
        tracks.note(recording, tracks.ONLY, layer.rows, vocabulary, reading.faults)
        merged = {(of, to): n for (where, of, to), n in reading.merged.items() if where == recording}
        clock, about = Clock(Fraction(1)), {"coco": {"points": reading.points, "lines": reading.lines}} if reading.points else {}
        own = Labels(recording, name, vocabulary, clock, instances=layer, detail=detail, frames=frames, about=about, merged=merged)
        recordings.append(own)
    return tuple(recordings)


@writes(
    "coco",
    holds=("instances", "actions", "boxes", "masks", "points", "repeats", "scores", "details", "ignored", "empty frames"),
    frames=("file_name",),
    pixels=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``annotations.json`` of all recordings; ids of images and annotations start at 1."""
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    labelled = [labels for labels in collection.recordings if labels.instances is not None]
    classes = one_list(labelled)
    _, names_of_points = points_by_class(labelled, classes)
    for labels in labelled:
        if labels.instances is not None:
            out.lose_details(labels.instances.rows, {tracks.ONLY})
        details = {} if labels.frames is None else labels.frames.set_index("position").to_dict("index")
        for position, of_image in by_position(labels.instances).items():
            images.append(_image(len(images) + 1, labels.recording, position, details[position]))
            for row in of_image:
                class_ = class_of(classes, row)
                annotations.append(annotation(len(annotations) + 1, images[-1], class_, row, names_of_points.get(class_, ())))
    lines = {class_: lines for labels in labelled for class_, lines in labels.about.get("coco", {}).get("lines", {}).items()}
    categories = [
        {"id": i + 1, "name": name, "supercategory": name.split(",")[0], **points.of_class(names_of_points.get(i, ()), lines.get(i, []))}
        for i, name in enumerate(names_of(classes))
    ]
    document = {"images": images, "annotations": annotations, "categories": categories}
    out.files["annotations.json"] = (json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n").encode()


def one_list(recordings: Sequence[Labels]) -> Classes:
    """Return the classes of all recordings: instruments where any has only those.

    Raises
    ------
    AnnotationError
        When they have different vocabularies.
    """
    vocabulary = one_vocabulary(recordings)
    if all(labels.detail == "triplet" for labels in recordings) and vocabulary.triplets:
        return whole_list(vocabulary)
    return Classes(vocabulary, False, tuple(range(len(vocabulary.instruments))))


def class_of(classes: Classes, row: Mapping[str, Any]) -> int:
    """Return the place of an instance's class in the list."""
    return int(row["triplet_id"] if classes.triplets else row["instrument_id"])


def points_by_class(recordings: Sequence[Labels], classes: Classes) -> tuple[dict[int, list[Any]], dict[int, tuple[str, ...]]]:
    """Return the points of the instances of each class, null where one has none, and their names where it has any."""
    values: dict[int, list[Any]] = {}
    for labels in recordings:
        for rows in by_position(labels.instances).values():
            for row in rows:
                values.setdefault(class_of(classes, row), []).append(row.get(POINTS))
    return values, points.by_class(values, points.known_names(recordings))


def _image(number: int, recording: str, position: int, details: Mapping[Any, Any]) -> dict[str, Any]:
    name, ignored = details.get("file_name"), details.get(IGNORED)
    size = int(details["width"]), int(details["height"])
    return {
        "id": number,
        "file_name": name if isinstance(name, str) and name else f"{recording}/{position:06d}.jpg",
        "width": size[0],
        "height": size[1],
        "recording": recording,
        "frame": position,
        **({IGNORED: masks.written(ignored, size)[masks.KEY]} if isinstance(ignored, str) else {}),
    }


def annotation(number: int, image: Mapping[str, Any], class_: int, row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return what a file says of an instance; ``names`` are those of the points of its class."""
    sides = (image["width"], image["height"], image["width"], image["height"])
    bbox = [round(row[side] * length, PIXEL_DIGITS) for side, length in zip("xywh", sides, strict=True)]
    score = {} if row["score"] in (None, 1.0) else {"score": row["score"]}
    return {
        "id": number,
        "image_id": image["id"],
        "category_id": class_ + 1,
        "bbox": bbox,
        "area": round(bbox[2] * bbox[3], PIXEL_DIGITS),
        "iscrowd": 0,
        **masks.written(row.get(MASK), (image["width"], image["height"])),
        **points.written(row.get(POINTS), names, (image["width"], image["height"])),
        **score,
        **({} if row.get(tracks.ONLY) is None else {TRACK: int(row[tracks.ONLY])}),
    }
