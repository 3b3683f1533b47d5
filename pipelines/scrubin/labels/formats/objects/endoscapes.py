"""Endoscapes: COCO per subset, ``<video>_<25 fps frame>.jpg``, criteria of the critical view of safety per image.

``<subset>/annotation_coco.json`` (or ``annotation_ds_coco.json``) has images with ``ds``, the three criteria as the mean of three raters,
and boxes of five structures and of tools, in ``train_seg``, ``val_seg`` and ``test_seg`` with their masks: these stand where our tables
have the instrument. An image with ``is_det_keyframe`` false has no labelled instrument, rather than none in view; where
``is_ds_keyframe`` is false, ``ds`` is that of an earlier image, and is not kept, as the authors say. ``<subset>_vids.txt`` lists the
videos of a subset as floats. Files with other classes name their vocabulary in ``info``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import marks, registry
from scrubin.labels.formats.objects.coco import (
    IMAGE_KEYS,
    OfFile,
    ReadImages,
    Reading,
    add_image,
    annotation,
    class_of,
    frame_of,
    ids_of_list,
    labels_of,
    note_unkept,
    one_list,
    read_document,
    size_of,
)
from scrubin.labels.marks import VIEW_OF_SAFETY
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, by_position, mark_rows
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.columns import names_of
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

LIST_SUFFIX = "_vids.txt"
FILE = "annotation_coco.json"
DEFAULT = "endoscapes"
BOXED, JUDGED = "is_det_keyframe", "is_ds_keyframe"
"""Whether an image has its boxes, and its criteria: false where nobody labelled them; not said where all images have."""


@dataclass
class _Subsets:
    """Which videos are in which subset: of the lists, and of the images so far."""

    listed: dict[str, frozenset[int]] = field(default_factory=dict)
    of_images: dict[str, str] = field(default_factory=dict)


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that a file names."""
    for file, data in sorted(files.items()):
        info = documents.peek(data).get("info") if file.endswith(".json") else None
        if isinstance(info, Mapping) and "vocabulary" in info:
            return own_categories.of_reference(file, info["vocabulary"])
    return None


@dataset_format(
    "endoscapes",
    pattern=r"(?:(?:[^/]+/)?annotation_(?:ds_)?coco\.json|[^/]+_vids\.txt)",
    expected="<subset>/annotation_coco.json, and <subset>_vids.txt",
    title="Endoscapes COCO: boxes, masks, critical view of safety, subsets; frames at 25 fps",
    by_hand=ByHand(vocabulary=DEFAULT, vocabulary_of=vocabulary_of, fps=Fraction(25), evidence=registry.named, precedence=0),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of the videos in files without an error; all faults are in ``Collection.faults``."""
    reading, subsets = Reading(source), _Subsets()
    for file, data in sorted(source.files.items()):
        if file.endswith(LIST_SUFFIX):
            subsets.listed[PurePosixPath(file).name.removesuffix(LIST_SUFFIX)] = _videos_of(Where(reading.faults, file), data)
    for file, data in sorted(source.files.items()):
        of_file, subset = Faults(), PurePosixPath(file).parent.name
        document = documents.opened(documents.json_object, file, data, of_file) if file.endswith(".json") else None
        if document is not None:
            read_document(reading, OfFile(Where(of_file, file)), document, _reader_of_images(subset, subsets))
        reading.faults.extend(of_file.all())
    for subset, videos in sorted(subsets.listed.items()):
        lacking = sorted(videos - {int(recording) for recording in subsets.of_images if recording.isdigit()})
        if lacking:
            what = f"{len(lacking)} videos have no labelled image: {', '.join(map(str, lacking[:10]))}"
            reading.faults.warning(f"{subset}{LIST_SUFFIX}", "video-unlabelled", what, "")
    recordings = [_labels(labels, subsets.of_images[labels.recording]) for labels in labels_of(reading, "endoscapes")]
    return Collection(tuple(recordings), faults=reading.faults.all())


def _videos_of(where: Where, data: bytes) -> frozenset[int]:
    """Return the videos that a list names, such as ``1.620000000000000000e+02``."""
    text = documents.opened(documents.text, where.file, data, where.faults)
    videos, wrong = set(), text is None
    for number, line in enumerate((text or "").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = float(line)
        except ValueError:
            value = float("nan")
        if not 1 <= value < 10**9 or value != int(value):
            what = f"'{line.strip()[:40]}' is no number of a video"
            where.at(f"line {number}").error("value-type", what, "list one whole number per line")
            wrong = True
        else:
            videos.add(int(value))
    if not videos and not wrong:
        where.error("no-labels", "lists no video", "remove the file, or export it again")
    return frozenset(videos)


def _reader_of_images(subset: str, subsets: _Subsets) -> ReadImages:
    """Return what reads the images of a subset's file."""

    def read_images(reading: Reading, of_file: OfFile, document: Mapping[str, Any]) -> None:
        objects = fields.list_of_objects(of_file.where, document, "images")
        for i, (image, id_) in enumerate(zip(objects, ids_of_list(of_file.where, "images", objects), strict=True)):
            where, frame = of_file.where.at(f"image {i}"), frame_of(image)
            size = size_of(where, image)
            if frame is None or id_ is None or size is None:
                what = f"{documents.shown(dict(image))} is no image with id and size, named <video>_<frame>.jpg"
                where.error("image-name", what, "export the file again")
                of_file.refused |= set() if id_ is None else {id_}
                continue
            if id_ in of_file.images or frame in reading.images:
                what = f"id {id_}, frame {frame[1]} of video {frame[0]}, stands twice in this file or in another one"
                where.error("frame-repeated", what, "keep one of them, or name the one file to read")
                of_file.refused.add(id_)
                continue
            note_unkept(of_file, "images", image, {*IMAGE_KEYS, "ds", BOXED, JUDGED})
            _check_subset(where, frame[0], subset, subsets)
            details = {"file_name": str(image.get("file_name", "")), "width": size[0], "height": size[1]}
            is_boxed, is_judged = (_flag(where, image, key) for key in (BOXED, JUDGED))
            criteria = _criteria(where, image.get("ds")) if is_judged else {}
            add_image(reading, of_file, id_, frame, {**details, **criteria, BOXED: is_boxed})

    return read_images


def _flag(where: Where, image: Mapping[str, Any], key: str) -> bool:
    value = image.get(key)
    if value is not None and not isinstance(value, bool):
        where.error("value-type", f"'{key}' is {documents.shown(value)}", "write true or false")
    return value is not False


def _check_subset(where: Where, video: str, subset: str, subsets: _Subsets) -> None:
    if subsets.of_images.setdefault(video, subset) != subset:
        what = f"video {video} is also in the subset '{subsets.of_images[video]}'"
        where.error("subset", what, "convert the subsets of one split, such as train, val and test")
    if subset in subsets.listed and video.isdigit() and int(video) not in subsets.listed[subset]:
        where.error("subset", f"video {video} is not in {subset}{LIST_SUFFIX}", "correct one of them")


def _criteria(where: Where, value: Any) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, list) or len(value) != 3 or not all(fields.is_number(one) and 0 <= one <= 1 for one in value):
        where.error("score-range", f"'ds' is {documents.shown(value)}", "give the three criteria, each in 0..1")
        return {}
    return dict(zip(VIEW_OF_SAFETY, map(float, value), strict=True))


def _labels(labels: Labels, subset: str) -> Labels:
    """Return the labels of a video with the criteria of its images as marks of nobody by name: means of three."""
    of_video = replace(labels, clock=SOURCE_FRAMES, about={"endoscapes": {"subset": subset}})
    if labels.frames is None or labels.instances is None:
        return of_video
    # An image with boxes is one that was labelled, whatever it says.
    positions = labels.instances.positions
    is_labelled = labels.frames[BOXED].to_numpy(bool) | np.isin(positions, labels.instances.rows["position"])
    instances = replace(labels.instances, positions=positions[is_labelled]) if is_labelled.any() else None
    frames = labels.frames.drop(columns=BOXED)
    of_video = replace(of_video, frames=frames, instances=instances)
    if not set(VIEW_OF_SAFETY) <= set(frames.columns):
        return of_video
    judged = frames[frames[VIEW_OF_SAFETY[0]].notna()]
    rows = [
        (position, name, "", value)
        for position, *values in judged[["position", *VIEW_OF_SAFETY]].itertuples(index=False, name=None)
        for name, value in zip(VIEW_OF_SAFETY, values, strict=True)
    ]
    layer = Layer(labels.recording, judged["position"].to_numpy(np.int64), mark_rows(rows))
    return replace(of_video, frames=frames.drop(columns=list(VIEW_OF_SAFETY)), marks=layer)


@writes(
    "endoscapes",
    holds=("instances", "boxes", "masks", "repeats", "empty frames", "marks"),
    frames=("file_name",),
    fps=Fraction(25),
    takes=lambda vocabulary: not vocabulary.triplets,
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
    unnumbered = [labels.recording for labels in collection.recordings if not labels.recording.isdigit()]
    if unnumbered:
        what, fix = "endoscapes numbers its videos", "rename the recording to a number"
        raise AnnotationError([Fault(name, "file-name", what, fix) for name in unnumbered])
    for labels in collection.recordings:
        by_subset.setdefault(str(labels.about.get("endoscapes", {}).get("subset", "") or "all"), []).append(labels)
    for subset, recordings in sorted(by_subset.items()):
        out.files[f"{subset}/{FILE}"] = _document(recordings, out)
        videos = sorted(int(labels.recording) for labels in recordings)
        out.files[f"{subset}{LIST_SUFFIX}"] = "".join(f"{video:.18e}\n" for video in videos).encode()


def _document(recordings: list[Labels], out: Output) -> bytes:
    classes = one_list(recordings)
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for labels in recordings:
        details = {} if labels.frames is None else labels.frames.set_index("position").to_dict("index")
        criteria, rows_at = _criteria_of(labels.marks, out), by_position(labels.instances)
        for position in sorted({*rows_at, *criteria}):
            image = _image(len(images), labels.recording, position, details[position], criteria.get(position))
            images.append(image if position in rows_at else {**image, BOXED: False})
            for row in rows_at.get(position, ()):
                annotations.append(annotation(len(annotations), images[-1], class_of(classes, row), {**row, "score": None}, ()))
    categories = [{"id": i + 1, "name": name, "supercategory": name} for i, name in enumerate(names_of(classes))]
    info = {} if classes.vocabulary.name == DEFAULT else {"info": {"vocabulary": own_categories.reference(classes.vocabulary)}}
    return (json.dumps({**info, "images": images, "annotations": annotations, "categories": categories}, allow_nan=False) + "\n").encode()


def _criteria_of(layer: Layer | None, out: Output) -> dict[int, list[float]]:
    """Return the three means by position; what the format has no place for is counted."""
    if layer is None:
        return {}
    out.lose("marks of single annotators, whose mean is written", int((layer.rows["rater"] != "").sum()))
    out.lose("marks other than the three criteria", int((~layer.rows["mark"].isin(VIEW_OF_SAFETY)).sum()))
    values = marks.means(layer, VIEW_OF_SAFETY)
    whole = ~np.isnan(values).any(axis=1)
    out.lose("frames without all three criteria", int((~whole).sum()))
    # The means are the rows that are written, of however many annotators they are.
    out.unwritten["mark"] += len(layer.rows) - int(whole.sum()) * len(VIEW_OF_SAFETY)
    return dict(zip(layer.positions[whole].tolist(), values[whole].tolist(), strict=True))


def _image(number: int, recording: str, position: int, details: Mapping[Any, Any], criteria: list[float] | None) -> dict[str, Any]:
    size = {"width": int(details["width"]), "height": int(details["height"])}
    tags = {} if criteria is None else {"ds": criteria}
    return {"id": number, "file_name": f"{recording}_{position}.jpg", **size, **tags}
