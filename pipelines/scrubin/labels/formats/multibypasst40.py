"""MultiBypassT40 JSON: one file per video with images, annotations, categories and metadata.

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

from scrubin.core.faults import Fault, Faults, warning
from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence, fields
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, by_position, instance_rows, phase_of, phase_rows
from scrubin.labels.registry import ByHand, Output, dataset_format, writes
from scrubin.vocabulary import own, vocabulary
from scrubin.vocabulary.vocabulary import Naming, Vocabulary

KINDS: tuple[Naming, ...] = ("instrument", "verb", "target")
IDS = {"instrument_id": "instrument", "verb_id": "verb", "target_id": "target", "category_id": "triplet"}
IMAGE_KEYS = {"id", "raw_id", "file_name", "width", "height", "fps", "phase_label", "phase_label_name"}
ANNOTATION_KEYS = {"id", "image_id", "raw_id", "category_id", "instrument_id", "verb_id", "target_id", "classnames", "iscrowd"}
LOWEST_FPS, HIGHEST_FPS = 0.01, 1000
NULL_PHASE = "write null for both, or give the phase"
INSTANCE_IDS = ("instrument_id", "verb_id", "target_id", "triplet_id")
CATEGORIES = ("phase", "instrument", "verb", "target", "triplet")


@dataset_format(
    "multibypasst40",
    pattern=r"[^/]+\.json",
    expected="<video>.json with images, annotations and categories",
    title="MultiBypassT40 JSON: triplets and phases without boxes; a file per video",
    by_hand=ByHand(brings_words=True, evidence=evidence.keys(images=list, annotations=list, categories=dict)),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of all videos.

    Raises
    ------
    AnnotationError
        Names file, image or annotation, and value of every fault.
    """
    faults = Faults()
    found: dict[str, Labels] = {}
    for file, data in sorted(source.files.items()):
        recording = PurePosixPath(file).stem
        if recording in found:
            faults.error(file, "format", f"{recording} has two files", "keep one of them")
            continue
        try:
            labels = _read_one(recording, file, documents.json_object(file, data), source, faults)
        except AnnotationError as error:
            faults.extend(error.faults)
            continue
        found[recording] = labels
    AnnotationError.raise_any(faults)
    return Collection(tuple(labels for _, labels in sorted(found.items())))


def _read_one(recording: str, file: str, document: Mapping[str, Any], source: LabelFiles, faults: Faults) -> Labels:
    words, differing = _vocabulary(file, document)
    images = _images(file, document, words, faults)
    rows = _instances(file, document, images, words, faults)
    note = (*fields.unkept(file, _unkept(document)), *_other_names(file, images))
    positions = np.array(sorted(images), np.int64)
    frames = pd.DataFrame([{"position": position, **images[position]} for position in sorted(images)])
    phases = {position: int(image["phase"]) for position, image in images.items() if image["phase"] is not None}
    at = sorted(phases)
    period_s, rate = _period_s(file, images)
    layer = Layer(file, np.array(at, np.int64), phase_rows(at, [phases[position] for position in at]))
    return Labels(
        recording=recording,
        format="multibypasst40",
        vocabulary=words,
        clock=Clock(period_s),
        phases=layer if at else None,
        instances=Layer(file, positions, instance_rows(sorted(rows, key=lambda row: int(row["position"])))),
        frames=frames.drop(columns="phase") if len(frames) else None,
        faults=(*differing, *rate, *note),
        about={"multibypasst40": {"categories": document.get("categories"), "metadata": document.get("metadata", {})}},
    )


def _vocabulary(file: str, document: Mapping[str, Any]) -> tuple[Vocabulary, tuple[Fault, ...]]:
    lists = own.id_lists(file, document.get("categories"))
    missing = sorted(set(CATEGORIES) - set(lists))
    if missing:
        msg = f"{file}, categories: {', '.join(missing)} missing; export the file again"
        raise AnnotationError(msg)
    counts = vocabulary.facts("multibypasst40")["counts"]
    differing = [f"{len(lists[kind])} {kind}s instead of {counts[kind]}" for kind in CATEGORIES if len(lists[kind]) != counts[kind]]
    what = f"the categories have {', '.join(differing)}"
    return own.of_categories(file, lists), (warning(file, "category-count", what),) if differing else ()


def _images(file: str, document: Mapping[str, Any], words: Vocabulary, faults: Faults) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for i, image in enumerate(fields.list_of_objects(file, document, "images", faults)):
        number = fields.whole(file, f"image {i}", image, "id", faults)
        place = f"image {number}"
        if number is None:
            continue
        if number in found:
            faults.error(file, "format", "the image stands twice", "keep one of them", place=place)
            continue
        width = fields.whole(file, place, image, "width", faults, low=1)
        height = fields.whole(file, place, image, "height", faults, low=1)
        if image.get("raw_id") is not None:
            fields.whole(file, place, image, "raw_id", faults)
        if image.get("fps") is not None and not (fields.is_number(image["fps"]) and LOWEST_FPS <= image["fps"] <= HIGHEST_FPS):
            fault = f"'fps' is {documents.shown(image['fps'])}, expected frames per second in {LOWEST_FPS}..{HIGHEST_FPS}"
            faults.error(file, "format", fault, "correct it, or write null", place=place)
        if not isinstance(image.get("file_name", ""), str):
            faults.error(
                file, "format", f"'file_name' is {documents.shown(image['file_name'])}, expected text", "export the file again", place=place
            )
        phase = None
        if image.get("phase_label") is None and image.get("phase_label_name") is not None:
            faults.error(
                file,
                "format",
                f"phase_label is null, but phase_label_name {documents.shown(image['phase_label_name'])}",
                NULL_PHASE,
                place=place,
            )
        if image.get("phase_label") is not None:
            phase = fields.whole(file, place, image, "phase_label", faults, high=len(words.phases) - 1)
            _check_name(file, place, image.get("phase_label_name"), phase, words, faults)
        details = {key: image.get(key) for key in ("raw_id", "file_name", "fps")}
        found[number] = {**details, "width": width, "height": height, "phase": phase}
    return found


def _check_name(file: str, place: str, name: Any, phase: int | None, words: Vocabulary, faults: Faults) -> None:
    if phase is not None and name is not None and name != words.phases[phase]:
        fault = f"phase_label {phase} is '{words.phases[phase]}', but phase_label_name is '{name}'"
        faults.error(file, "format", fault, "correct one of them", place=place)


def _instances(
    file: str, document: Mapping[str, Any], images: Mapping[int, Any], words: Vocabulary, faults: Faults
) -> list[dict[str, Any]]:
    sizes = {"instrument": len(words.instruments), "verb": len(words.verbs), "target": len(words.targets), "triplet": len(words.triplets)}
    rows = []
    for i, one in enumerate(fields.list_of_objects(file, document, "annotations", faults)):
        place = f"annotation {i}"
        ids = {key: fields.whole(file, place, one, key, faults, high=sizes[kind] - 1) for key, kind in IDS.items()}
        if fields.id_of(one, "image_id") not in images:
            faults.error(
                file, "format", f"image_id {documents.shown(one.get('image_id'))} is no image of the file", "correct it", place=place
            )
            continue
        raw, of_image = one.get("raw_id"), images[one["image_id"]]["raw_id"]
        if raw is not None and of_image is not None and raw != of_image:
            fault = f"raw_id {documents.shown(raw)}, but image {one['image_id']} has {documents.shown(of_image)}"
            faults.error(file, "format", fault, "correct image_id or raw_id", place=place)
            continue
        triplet = ids["category_id"]
        if triplet is None or any(value is None for value in ids.values()):
            continue
        parts = (ids["instrument_id"], ids["verb_id"], ids["target_id"])
        if words.triplets[triplet] != parts:
            fault = f"category_id {triplet} is {words.triplet_name(triplet)}, ids {words.triplets[triplet]}, but the annotation has {parts}"
            faults.error(file, "format", fault, fields.shift_mend(words.triplets, triplet - 1, parts), place=place)
            continue
        wrong = _wrong_name(one.get("classnames"), triplet, words)
        if wrong:
            faults.error(file, "format", wrong, "correct one of them", place=place)
            continue
        instrument, verb, target = words.triplets[triplet]
        row = {"position": one["image_id"], "instrument_id": instrument, "verb_id": verb, "target_id": target}
        rows.append({**row, "triplet_id": triplet, "score": 1.0})
    return rows


def _unkept(document: Mapping[str, Any]) -> set[str]:
    """Return what a file says beyond labels, by kind."""
    found = {f"'{key}' of the file" for key in document.keys() - {"images", "annotations", "categories", "metadata"}}
    for key, known in (("images", IMAGE_KEYS), ("annotations", ANNOTATION_KEYS)):
        listed = document.get(key)
        for one in listed if isinstance(listed, list) else []:
            found |= {f"'{name}' of {key}" for name in one.keys() - known} if isinstance(one, Mapping) else set()
    return found


def _other_names(file: str, images: Mapping[int, Mapping[str, Any]]) -> tuple[Fault, ...]:
    """Return a warning when file names number the images otherwise than their ids."""
    stems = {number: PurePosixPath(str(image["file_name"] or "")).stem for number, image in images.items()}
    others = [number for number, stem in sorted(stems.items()) if documents.frame_number(stem) not in (None, number)]
    if not others:
        return ()
    what = f"the file names of {len(others)} images say other numbers than their ids, by which they are read"
    return (warning(file, "image-number", what),)


def _wrong_name(names: Any, triplet: int, words: Vocabulary) -> str:
    if not isinstance(names, Mapping):
        return ""
    instrument, verb, target = words.triplets[triplet]
    wanted = {
        "triplet": words.triplet_name(triplet),
        "instrument": words.instruments[instrument],
        "verb": words.verbs[verb],
        "target": words.targets[target],
    }
    wrong = [kind for kind, name in wanted.items() if kind in names and names[kind] != name]
    return f"classnames: {wrong[0]} is '{names[wrong[0]]}', but the id says '{wanted[wrong[0]]}'" if wrong else ""


def _period_s(file: str, images: Mapping[int, Mapping[str, Any]]) -> tuple[Fraction, tuple[Fault, ...]]:
    """Return the time between images ``id`` and ``id + 1``: the usual difference of their frames in the source."""
    rates = {image["fps"] for image in images.values() if fields.is_number(image["fps"]) and image["fps"] >= LOWEST_FPS}
    steps: Counter[Fraction] = Counter()
    pairs = [(number, image["raw_id"]) for number, image in sorted(images.items()) if fields.is_whole(image["raw_id"])]
    for (a, raw_a), (b, raw_b) in itertools.pairwise(pairs):
        if raw_b > raw_a:
            steps[Fraction(raw_b - raw_a, b - a)] += 1
    if len(rates) != 1 or not steps:
        return Fraction(1), (
            warning(file, "rate-unstated", "the frames of the source do not say the rate of the images; taken as 1 per second"),
        )
    fps = Fraction(rates.pop()).limit_denominator(1001)  # 30000/1001 is given as 29.97
    step = min(steps, key=lambda one: (-steps[one], one))
    note = f"{len(pairs) - 1 - steps[step]} of {len(pairs) - 1} images do not follow the one before at the usual distance"
    return step / fps, (warning(file, "frame-distance", note),) if len(steps) > 1 else ()


@writes(
    "multibypasst40",
    holds=("phases", "instances", "actions", "boxless", "repeats", "empty frames"),
    frames=("raw_id", "file_name", "fps"),
    needs=INSTANCE_IDS,
    takes=lambda words: bool(words.triplets),
    pixels=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.json`` per recording, as Python's ``json`` spells it."""
    for labels in collection.recordings:
        words, phases, instances = labels.vocabulary, phase_of(labels.phases), by_position(labels.instances)
        details = {} if labels.frames is None else labels.frames.set_index("position").to_dict("index")
        fps = 1 if labels.clock.period_s is None else 1 / labels.clock.period_s
        out.lose("frames whose instruments are not labelled, which look as if there were none", len(set(phases) - set(instances)))
        images, annotations = [], []
        for position in sorted({*phases, *instances}):
            image = _image(position, details[position], phases.get(position), words, fps)
            images.append(image)
            annotations += [_annotation(position, image["raw_id"], row, words) for row in instances.get(position, [])]
        about = labels.about.get("multibypasst40", {})
        lists = own.as_categories(words)
        categories = {kind: [{"id": i, "name": name} for i, name in enumerate(lists.get(kind, []))] for kind in CATEGORIES}
        document = {
            "images": images,
            "annotations": annotations,
            "categories": about.get("categories") or categories,
            "metadata": about.get("metadata", {}),
        }
        out.files[f"{labels.recording}.json"] = json.dumps(document, allow_nan=False).encode()


def _image(position: int, details: Mapping[Any, Any], phase: int | None, words: Vocabulary, fps: Fraction | int) -> dict[str, Any]:
    def given(key: str, default: Any) -> Any:
        value = details.get(key)
        return default if value is None or pd.isna(value) else value

    rate = given("fps", float(fps))
    return {
        "id": position,
        "raw_id": int(given("raw_id", position)),
        "file_name": given("file_name", f"{position:06d}.jpg"),
        "width": int(details["width"]),
        "height": int(details["height"]),
        "fps": int(rate) if rate == int(rate) else rate,
        "phase_label": phase,
        "phase_label_name": None if phase is None else words.phases[phase],
    }


def _annotation(position: int, raw_id: int, row: Mapping[str, Any], words: Vocabulary) -> dict[str, Any]:
    names = {
        "triplet": words.triplet_name(row["triplet_id"]),
        "instrument": words.instruments[row["instrument_id"]],
        "verb": words.verbs[row["verb_id"]],
        "target": words.targets[row["target_id"]],
    }
    ids = {key: row[key if key != "category_id" else "triplet_id"] for key in ("category_id", "instrument_id", "verb_id", "target_id")}
    return {"image_id": position, "raw_id": raw_id, **ids, "classnames": names, "iscrowd": 0}
