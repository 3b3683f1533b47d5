"""MultiBypassT40 JSON: one file per video with images, annotations, categories, metadata.

The position of a label is the image's ``id``; ``raw_id`` is the frame of the source, which says how
many images a second has. The file's own categories are the vocabulary: no other list is published.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary import vocabulary as vocabularies
from scrubin.base.vocabulary.vocabulary import PARTS, Vocabulary
from scrubin.labels import registry
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, by_position, instance_rows, layer_of_phases, phase_of
from scrubin.labels.parse import documents, fields, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

IDS = {"instrument_id": "instrument", "verb_id": "verb", "target_id": "target", "category_id": "triplet"}
KEYS = {"images", "annotations", "categories", "metadata"}
IMAGE_KEYS = {"id", "raw_id", "file_name", "width", "height", "fps", "phase_label", "phase_label_name"}
ANNOTATION_KEYS = {"id", "image_id", "raw_id", "category_id", "instrument_id", "verb_id", "target_id", "classnames", "iscrowd"}
LOWEST_FPS, HIGHEST_FPS = 0.01, 1000
INSTANCE_IDS = ("instrument_id", "verb_id", "target_id", "triplet_id")
CATEGORIES = ("phase", "instrument", "verb", "target", "triplet")


@dataset_format(
    "multibypasst40",
    pattern=r"[^/]+\.json",
    expected="<video>.json with images, annotations and categories",
    title="MultiBypassT40 JSON: triplets and phases without boxes; a file per video",
    by_hand=ByHand(names_vocabulary=True, evidence=registry.keys(images=list, annotations=list, categories=dict)),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of the videos without an error; all faults are in ``Collection.faults``."""
    return video_files.collection_of(source, {file: PurePosixPath(file).stem for file in source.files}, _labels)


def _labels(where: Where, recording: str, data: bytes) -> Labels | None:
    document = documents.opened(documents.json_object, where.file, data, where.faults)
    vocabulary = None if document is None else _vocabulary(where, document)
    if document is None or vocabulary is None:
        return None
    images = _images(where, document, vocabulary)
    rows = _instances(where, document, images, vocabulary)
    period_s = _period_s(where, images)
    beyond = fields.keys_beyond(document, KEYS, {"images": IMAGE_KEYS, "annotations": ANNOTATION_KEYS})
    where.faults.extend(fields.unkept(where.file, beyond))
    _note_other_names(where, images)
    frames = pd.DataFrame([{"position": position, **images[position]} for position in sorted(images)])
    phases = {position: int(image["phase"]) for position, image in images.items() if image["phase"] is not None}
    ordered = sorted(rows, key=lambda row: int(row["position"]))
    return Labels(
        recording=recording,
        format="multibypasst40",
        vocabulary=vocabulary,
        clock=Clock(period_s),
        phases=layer_of_phases(where.file, phases) if phases else None,
        instances=Layer(where.file, np.array(sorted(images), np.int64), instance_rows(ordered)),
        frames=frames.drop(columns="phase") if len(frames) else None,
        about={"multibypasst40": {"categories": document.get("categories"), "metadata": document.get("metadata", {})}},
    )


def _vocabulary(where: Where, document: Mapping[str, Any]) -> Vocabulary | None:
    """Return the vocabulary of the file's own categories; None after noting why they are none."""
    try:
        lists = own_categories.id_lists(where.file, document.get("categories"))
        missing = sorted(set(CATEGORIES) - set(lists))
        if missing:
            where.at("categories").error("part-missing", f"{', '.join(missing)} missing", "export the file again")
            return None
        vocabulary = own_categories.known_or_own(where.file, lists)
    except AnnotationError as error:
        where.faults.extend(error.faults)
        return None
    counts = vocabularies.facts("multibypasst40")["counts"]
    differing = [f"{len(lists[kind])} {kind}s instead of {counts[kind]}" for kind in CATEGORIES if len(lists[kind]) != counts[kind]]
    if differing and vocabulary.name not in vocabularies.known():
        where.warning("category-count", f"the categories have {', '.join(differing)}")
    return vocabulary


def _images(where: Where, document: Mapping[str, Any], vocabulary: Vocabulary) -> dict[int, dict[str, Any]]:
    images: dict[int, dict[str, Any]] = {}
    for i, image in enumerate(fields.list_of_objects(where, document, "images")):
        number = fields.whole(where.at(f"image {i}"), image, "id")
        if number is None:
            continue
        at = where.at(f"image {number}")
        if number in images:
            at.error("frame-repeated", "the image stands twice", "keep one of them")
            continue
        width, height = (fields.whole(at, image, key, low=1) for key in ("width", "height"))
        _check_details(at, image)
        phase = _phase(at, image, vocabulary)
        details = {key: image.get(key) for key in ("raw_id", "file_name", "fps")}
        images[number] = {**details, "width": width, "height": height, "phase": phase}
    return images


def _check_details(where: Where, image: Mapping[str, Any]) -> None:
    if image.get("raw_id") is not None:
        fields.whole(where, image, "raw_id")
    if image.get("fps") is not None and not (fields.is_number(image["fps"]) and LOWEST_FPS <= image["fps"] <= HIGHEST_FPS):
        what = f"'fps' is {documents.shown(image['fps'])}, expected frames per second in {LOWEST_FPS}..{HIGHEST_FPS}"
        where.error("rate", what, "correct it, or write null")
    if not isinstance(image.get("file_name", ""), str):
        what = f"'file_name' is {documents.shown(image['file_name'])}, expected text"
        where.error("value-type", what, "export the file again")


def _phase(where: Where, image: Mapping[str, Any], vocabulary: Vocabulary) -> int | None:
    name = image.get("phase_label_name")
    if image.get("phase_label") is None:
        if name is not None:
            what = f"phase_label is null, but phase_label_name {documents.shown(name)}"
            where.error("name-of-id", what, "write null for both, or give the phase")
        return None
    phase = fields.whole(where, image, "phase_label", high=len(vocabulary.phases) - 1)
    if phase is not None and name is not None and name != vocabulary.phases[phase]:
        what = f"phase_label {phase} is '{vocabulary.phases[phase]}', but phase_label_name is '{name}'"
        where.error("name-of-id", what, "correct one of them")
    return phase


def _instances(
    where: Where, document: Mapping[str, Any], images: Mapping[int, Mapping[str, Any]], vocabulary: Vocabulary
) -> list[dict[str, Any]]:
    rows = [
        _instance(where.at(f"annotation {i}"), one, images, vocabulary)
        for i, one in enumerate(fields.list_of_objects(where, document, "annotations"))
    ]
    return [row for row in rows if row is not None]


def _instance(
    where: Where, one: Mapping[str, Any], images: Mapping[int, Mapping[str, Any]], vocabulary: Vocabulary
) -> dict[str, Any] | None:
    sizes = {naming: len(vocabulary.names(naming)) for naming in PARTS} | {"triplet": len(vocabulary.triplets)}
    ids = {key: fields.whole(where, one, key, high=sizes[naming] - 1) for key, naming in IDS.items()}
    if fields.id_of(one, "image_id") not in images:
        where.error("id-unknown", f"image_id {documents.shown(one.get('image_id'))} is no image of the file", "correct it")
        return None
    raw, of_image = one.get("raw_id"), images[one["image_id"]]["raw_id"]
    if raw is not None and of_image is not None and raw != of_image:
        what = f"raw_id {documents.shown(raw)}, but image {one['image_id']} has {documents.shown(of_image)}"
        where.error("id-unknown", what, "correct image_id or raw_id")
        return None
    triplet = ids["category_id"]
    if triplet is None or any(value is None for value in ids.values()):
        return None
    parts = (ids["instrument_id"], ids["verb_id"], ids["target_id"])
    wanted, wrong_name = vocabulary.triplets[triplet], _wrong_name(one.get("classnames"), triplet, vocabulary)
    if wanted != parts:
        fields.note_other_parts(where, vocabulary, ("category_id", triplet), "the annotation", parts)
        return None
    if wrong_name:
        where.error("name-of-id", wrong_name, "correct one of them")
        return None
    instrument, verb, target = wanted
    row = {"position": one["image_id"], "instrument_id": instrument, "verb_id": verb, "target_id": target}
    return {**row, "triplet_id": triplet, "score": 1.0}


def _note_other_names(where: Where, images: Mapping[int, Mapping[str, Any]]) -> None:
    """Note images whose file names number them otherwise than their ids."""
    stems = {number: PurePosixPath(str(image["file_name"] or "")).stem for number, image in images.items()}
    others = [number for number, stem in sorted(stems.items()) if documents.frame_number(stem) not in (None, number)]
    if others:
        what = f"the file names of {len(others)} images say other numbers than their ids, by which they are read"
        where.warning("image-number", what)


def _wrong_name(names: Any, triplet: int, vocabulary: Vocabulary) -> str:
    if not isinstance(names, Mapping):
        return ""
    instrument, verb, target = vocabulary.triplets[triplet]
    wanted = {
        "triplet": vocabulary.triplet_name(triplet),
        "instrument": vocabulary.instruments[instrument],
        "verb": vocabulary.verbs[verb],
        "target": vocabulary.targets[target],
    }
    wrong = [part for part, name in wanted.items() if part in names and names[part] != name]
    return f"classnames: {wrong[0]} is '{names[wrong[0]]}', but the id says '{wanted[wrong[0]]}'" if wrong else ""


def _period_s(where: Where, images: Mapping[int, Mapping[str, Any]]) -> Fraction:
    """Return the time between images ``id`` and ``id + 1``: the usual difference of their frames in the source."""
    rates = {image["fps"] for image in images.values() if fields.is_number(image["fps"]) and image["fps"] >= LOWEST_FPS}
    steps: Counter[Fraction] = Counter()
    pairs = [(number, image["raw_id"]) for number, image in sorted(images.items()) if fields.is_whole(image["raw_id"])]
    for (a, raw_a), (b, raw_b) in itertools.pairwise(pairs):
        if raw_b > raw_a:
            steps[Fraction(raw_b - raw_a, b - a)] += 1
    if len(rates) != 1 or not steps:
        what = "the frames of the source do not say the rate of the images; taken as 1 per second"
        where.warning("rate-unstated", what)
        return Fraction(1)
    fps = Fraction(rates.pop()).limit_denominator(1001)  # 30000/1001 is given as 29.97
    step = min(steps, key=lambda one: (-steps[one], one))
    if len(steps) > 1:
        what = f"{len(pairs) - 1 - steps[step]} of {len(pairs) - 1} images do not follow the one before at the usual distance"
        where.warning("frame-distance", what)
    return step / fps


@writes(
    "multibypasst40",
    holds=("phases", "instances", "actions", "boxless", "repeats", "empty frames"),
    frames=("raw_id", "file_name", "fps"),
    needs=INSTANCE_IDS,
    takes=lambda vocabulary: bool(vocabulary.triplets),
    pixels=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.json`` per recording, as Python's ``json`` spells it."""
    for labels in collection.recordings:
        vocabulary, phases, instances = labels.vocabulary, phase_of(labels.phases), by_position(labels.instances)
        details = {} if labels.frames is None else labels.frames.set_index("position").to_dict("index")
        fps = 1 if labels.clock.period_s is None else 1 / labels.clock.period_s
        out.lose("frames whose instruments are not labelled, which look as if there were none", len(set(phases) - set(instances)))
        images, annotations = [], []
        for position in sorted({*phases, *instances}):
            image = _image(position, details[position], phases.get(position), vocabulary, fps)
            images.append(image)
            annotations += [_annotation(position, image["raw_id"], row, vocabulary) for row in instances.get(position, [])]
        about = labels.about.get("multibypasst40", {})
        lists = own_categories.as_categories(vocabulary)
        categories = {kind: [{"id": i, "name": name} for i, name in enumerate(lists.get(kind, []))] for kind in CATEGORIES}
        document = {
            "images": images,
            "annotations": annotations,
            "categories": about.get("categories") or categories,
            "metadata": about.get("metadata", {}),
        }
        out.files[f"{labels.recording}.json"] = json.dumps(document, allow_nan=False).encode()


def _image(position: int, details: Mapping[Any, Any], phase: int | None, vocabulary: Vocabulary, fps: Fraction | int) -> dict[str, Any]:
    def stated(key: str, default: Any) -> Any:
        value = details.get(key)
        return default if value is None or pd.isna(value) else value

    rate = stated("fps", float(fps))
    return {
        "id": position,
        "raw_id": int(stated("raw_id", position)),
        "file_name": stated("file_name", f"{position:06d}.jpg"),
        "width": int(details["width"]),
        "height": int(details["height"]),
        "fps": int(rate) if rate == int(rate) else rate,
        "phase_label": phase,
        "phase_label_name": None if phase is None else vocabulary.phases[phase],
    }


def _annotation(position: int, raw_id: int, row: Mapping[str, Any], vocabulary: Vocabulary) -> dict[str, Any]:
    names = {
        "triplet": vocabulary.triplet_name(row["triplet_id"]),
        "instrument": vocabulary.instruments[row["instrument_id"]],
        "verb": vocabulary.verbs[row["verb_id"]],
        "target": vocabulary.targets[row["target_id"]],
    }
    ids = {key: row[key if key != "category_id" else "triplet_id"] for key in ("category_id", "instrument_id", "verb_id", "target_id")}
    return {"image_id": position, "raw_id": raw_id, **ids, "classnames": names, "iscrowd": 0}
