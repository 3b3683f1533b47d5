"""CholecT50 JSON: one file per recording; frame key k is label second ``k / fps`` of the source.

A vector has 15 items: triplet, instrument, its score and box x, y, w, h, verb, target, its score
and box, phase; -1 is null. A key without vectors, or with -1 for triplet and instrument, is
labelled as "no instrument". Score and box of the target are details of the instance: the tables
have one box per instance, that of the instrument.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np

from scrubin.core.faults import Fault, Faults, warning
from scrubin.errors import AnnotationError
from scrubin.labels import boxes, documents, evidence, fields
from scrubin.labels.model import BOX, Clock, Collection, LabelFiles, Labels, Layer, by_position, detailed_rows, phase_of, phase_rows
from scrubin.labels.registry import ByHand, Output, label_format, writes
from scrubin.vocabulary import own, vocabulary
from scrubin.vocabulary.vocabulary import KINDS, Kind, Vocabulary

ITEMS = ("triplet", "instrument", "score", "x", "y", "w", "h", "verb", "target", "target score", "tx", "ty", "tw", "th", "phase")
ID_ITEMS = {"triplet": 0, "instrument": 1, "verb": 7, "target": 8, "phase": 14}
TARGET = {"target_score": 9, "target_x": 10, "target_y": 11, "target_w": 12, "target_h": 13}
NULL = -1
HIGHEST_FPS = 1000
NUMBERED = re.compile(r"(?i:vid(?:eo)?)?_?(?P<number>[0-9]{1,15})")
"""Recordings that are numbered videos; no number is made up for others."""
UNLABELLED = "frames whose instruments are not labelled, which look as if there were none"
CATEGORIES = ("instrument", "verb", "target", "phase", "triplet")
FROM_ZERO = fields.FROM_ZERO


@dataclass
class _Reading:
    """What was read of one file so far."""

    file: str
    vocabulary: Vocabulary
    box_tolerance: float
    cut_boxes: bool = True
    faults: Faults = field(default_factory=Faults)
    instances: list[dict[str, Any]] = field(default_factory=list)
    phases: dict[int, int] = field(default_factory=dict)
    outside: list[float] = field(default_factory=list)

    def refuse(self, place: str, fault: str, mend: str) -> None:
        self.faults.error(self.file, "format", fault, mend, place=place)


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary:
    """Return CholecT50's vocabulary, or the file's own categories where most of its names are others."""
    ((file, data),) = files.items()
    words = vocabulary.load("cholect50")
    categories = documents.json_object(file, data).get("categories")
    if not isinstance(categories, dict) or not all(isinstance(names, dict) for names in categories.values()):
        return words
    named = [(kind, str(name)) for kind in KINDS for name in categories.get(kind, {}).values()]
    known = [name for kind, name in named if vocabulary.fold(name) in words.spellings[kind]]
    return words if 2 * len(known) >= len(named) else own.of_categories(file, own.id_lists(file, categories))


def _has_vectors(path: Path) -> bool:
    """Return whether frames have vectors; where no frame has one, the categories beside them tell."""
    document = evidence.document(path)
    frames = document.get("annotations") if isinstance(document, Mapping) else None
    if not isinstance(frames, Mapping):
        return False
    rows = [row for vectors in frames.values() if isinstance(vectors, list) for row in vectors]
    if rows:
        return any(isinstance(row, list) for row in rows)
    return "video" in document and "categories" in document and not evidence.objects_by_frame(path)


@label_format(
    "cholect50",
    pattern=r"(?P<recording>[^/]+)\.json",
    expected="<recording>.json",
    title="CholecT50 JSON: triplets, boxes, phases; one file per video",
    by_hand=ByHand(vocabulary_of=vocabulary_of, evidence=_has_vectors),
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of one CholecT50 file.

    Raises
    ------
    AnnotationError
        Names file, frame and value of every fault.
    """
    ((file, data),) = source.files.items()
    document = documents.json_object(file, data)
    reading = _Reading(file, source.vocabulary, source.box_tolerance, source.cut_boxes)
    period_s = _period_s(reading, document)
    _check_categories(reading, document.get("categories"))
    frames = _frames(reading, document)
    for position in sorted(frames):
        _read_frame(reading, position, frames[position])
    AnnotationError.raise_any(reading.faults)
    phase_positions = sorted(reading.phases)
    # A file without a gap is of the whole video; the published extracts have few of its frames.
    gapless = len(frames) > 1 and sorted(frames) == list(range(len(frames)))
    phases = phase_rows(phase_positions, [reading.phases[position] for position in phase_positions])
    return Labels(
        recording=source.recording,
        format="cholect50",
        vocabulary=source.vocabulary,
        clock=Clock(period_s),
        phases=Layer(file, np.array(phase_positions, np.int64), phases) if phase_positions else None,
        instances=Layer(
            file, np.array(sorted(frames), np.int64), detailed_rows(reading.instances, dict.fromkeys(TARGET, "float64")), gapless
        ),
        faults=(*_count_warning(file, document, len(frames)), *_outside_warning(reading)),
        about={"cholect50": {key: None if key == "annotations" else value for key, value in document.items()}},
    )


def _period_s(reading: _Reading, document: Mapping[str, Any]) -> Fraction:
    fps = document.get("fps", 1)
    if not fields.is_number(fps) or fps != int(fps) or not 1 <= fps <= HIGHEST_FPS:
        reading.refuse("", f"'fps' is {documents.shown(fps)}, expected a whole number in 1..{HIGHEST_FPS}", "CholecT50 has 1")
        return Fraction(1)
    return Fraction(1, int(fps))


def _check_categories(reading: _Reading, categories: Any) -> None:
    # The file's own dictionary must say the same as ours, or its ids mean something else.
    if categories is None:
        return
    if not isinstance(categories, dict) or not all(isinstance(names, dict) for names in categories.values()):
        reading.refuse("categories", "expected an object of objects, id to name", "export the file again")
        return
    kinds: tuple[Kind | Literal["triplet"], ...] = (*KINDS, "triplet")
    for kind in kinds:
        for key, name in categories.get(kind, {}).items():
            try:
                wanted = _id_of(reading.vocabulary, kind, str(name))
            except AnnotationError as error:
                reading.refuse(
                    f"categories, {kind} {key}", str(error), "choose the vocabulary of this file (in params.yaml, by hand --vocabulary)"
                )
                continue
            if key != str(wanted):
                mend = FROM_ZERO if key == str(wanted + 1) else "export the file with the ids of the vocabulary"
                reading.refuse(f"categories, {kind} {key}", f"'{name}' has id {wanted} in '{reading.vocabulary.name}'", mend)


def _id_of(words: Vocabulary, kind: Kind | Literal["triplet"], name: str) -> int:
    return words.triplet_of(name) if kind == "triplet" else words.id_of(kind, name)


def _frames(reading: _Reading, document: Mapping[str, Any]) -> dict[int, list[Any]]:
    annotations = document.get("annotations")
    if not isinstance(annotations, dict):
        reading.refuse("annotations", "expected an object, frame to list of vectors", "export the file again")
        return {}
    frames: dict[int, list[Any]] = {}
    for key, vectors in annotations.items():
        if documents.frame_number(key) is None:
            reading.refuse(f"frame '{key}'", "the key is no frame number", "keys are whole numbers from 0")
        elif int(key) in frames:
            reading.refuse(f"frame '{key}'", "the frame stands twice", "keep one of them")
        elif not isinstance(vectors, list):
            reading.refuse(f"frame {key}", f"expected a list of vectors, but got {documents.shown(vectors)}", "write [] for none")
        else:
            frames[int(key)] = vectors
    return frames


def _read_frame(reading: _Reading, position: int, vectors: list[Any]) -> None:
    seen: set[int] = set()
    for i, vector in enumerate(vectors):
        place = f"frame {position}, vector {i}"
        if not _is_vector(reading, place, vector):
            continue
        seen.add(vector[14])
        if vector[0] == NULL and vector[1] == NULL:
            if vector[7] != NULL or vector[8] != NULL:
                reading.refuse(place, f"verb {vector[7]} and target {vector[8]} without an instrument", "name the instrument's id")
            if any(value > 0 for value in (*vector[3:7], *vector[10:14])):
                reading.refuse(place, "a box, but neither triplet nor instrument", "name the instrument's id, or write -1 for the box")
            continue
        ids = _instance_ids(reading, place, vector)
        box = _box(reading, place, vector)
        score = None if vector[2] == NULL else vector[2]
        if score is not None and not 0 <= score <= 1:
            reading.refuse(place, f"score {score} is not in 0..1", "ground truth has 1")
        target = {name: None if vector[i] == NULL else float(vector[i]) for name, i in TARGET.items()}
        reading.instances.append({"position": position, **ids, **box, "score": score, **target})
    if len(seen) > 1:
        reading.refuse(f"frame {position}", f"its vectors have different phases {sorted(seen)}", "a frame has one phase")
    elif seen and seen != {NULL}:
        reading.phases[position] = seen.pop()


def _is_vector(reading: _Reading, place: str, vector: Any) -> bool:
    if not isinstance(vector, list) or len(vector) != len(ITEMS):
        got = f"{len(vector)} items" if isinstance(vector, list) else documents.shown(vector)
        reading.refuse(place, f"expected a vector of {len(ITEMS)} items, but got {got}", f"they are {', '.join(ITEMS)}")
        return False
    before = len(reading.faults)
    vocabulary = reading.vocabulary
    sizes = {
        "triplet": len(vocabulary.triplets),
        "instrument": len(vocabulary.instruments),
        "verb": len(vocabulary.verbs),
        "target": len(vocabulary.targets),
        "phase": len(vocabulary.phases),
    }
    for i, (name, value) in enumerate(zip(ITEMS, vector, strict=True)):
        if name not in ID_ITEMS:
            if not fields.is_number(value) and not (isinstance(value, float) and name in BOX):
                reading.refuse(place, f"item {i} ({name}) is {documents.shown(value)}, expected a number", "-1 is null")
        elif isinstance(value, bool) or not isinstance(value, int):
            reading.refuse(place, f"item {i} ({name}) is {documents.shown(value)}, expected a whole number", "-1 is null")
        elif not NULL <= value < sizes[name]:
            mend = FROM_ZERO if value == sizes[name] else "-1 is null"
            reading.refuse(place, f"{name} {value} is not in 0..{sizes[name] - 1}", mend)
    return len(reading.faults) == before


def _instance_ids(reading: _Reading, place: str, vector: list[Any]) -> dict[str, int | None]:
    vocabulary = reading.vocabulary
    triplet = None if vector[0] == NULL else int(vector[0])
    ids = [None if value == NULL else int(value) for value in (vector[1], vector[7], vector[8])]
    if triplet is not None:
        wanted = vocabulary.triplets[triplet]
        if any(got is not None and got != want for got, want in zip(ids, wanted, strict=True)):
            fault = f"triplet {triplet} is {vocabulary.triplet_name(triplet)}, ids {wanted}, but the vector has {tuple(ids)}"
            reading.refuse(place, fault, fields.shift_mend(vocabulary.triplets, triplet - 1, ids))
        ids = list(wanted)
    else:
        instrument, verb, target = ids
        if instrument is not None and verb is not None and target is not None:
            triplet = vocabulary.triplet_id(instrument, verb, target)
            if triplet is None:
                names = f"{vocabulary.instruments[instrument]},{vocabulary.verbs[verb]},{vocabulary.targets[target]}"
                reading.refuse(place, f"'{names}' is no triplet of '{vocabulary.name}'", "correct it, or leave verb and target -1")
    return {"instrument_id": ids[0], "verb_id": ids[1], "target_id": ids[2], "triplet_id": triplet}


def _box(reading: _Reading, place: str, vector: list[Any]) -> dict[str, float | None]:
    x, y, w, h = (float(value) for value in vector[3:7])
    if (x, y, w, h) == (NULL, NULL, NULL, NULL):
        return dict.fromkeys("xywh")
    checked = boxes.check((x, y, w, h), reading.box_tolerance)
    if checked.box_xywh is None:
        reading.refuse(place, checked.fault, checked.mend)
        return dict.fromkeys("xywh")
    if checked.outside > 0:
        reading.outside.append(checked.outside)
    return dict(zip("xywh", checked.box_xywh if reading.cut_boxes else (x, y, w, h), strict=True))


def _count_warning(file: str, document: Mapping[str, Any], n_frames: int) -> tuple[Fault, ...]:
    stated = document.get("num_frames", n_frames)
    what = f"num_frames says {documents.shown(stated)}, but {n_frames} frames are labelled"
    return () if stated == n_frames else (warning(file, "frame-count", what),)


def _outside_warning(reading: _Reading) -> tuple[Fault, ...]:
    outside = reading.outside if reading.cut_boxes else []  # as drawn: whoever cuts them says so
    return boxes.cut_warning(reading.file, outside)


@writes(
    "cholect50",
    holds=("phases", "instances", "actions", "boxes", "boxless", "partial", "repeats", "scores", "details", "empty frames"),
    whole_fps=True,
    vocabulary="cholect50",
    takes=lambda words: bool(words.triplets) and words.name != "cholectrack20",
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.json`` per recording; what an earlier file said of itself is kept.

    Raises
    ------
    AnnotationError
        For a rate that is no whole number, which the format cannot state.
    """
    for labels in collection.recordings:
        annotations = {str(position): vectors for position, vectors in _vectors(labels, out).items()}
        document = {**_head(labels, len(annotations)), "annotations": annotations}
        out.files[f"{labels.recording}.json"] = json.dumps(document, allow_nan=False).encode()


def _head(labels: Labels, n_frames: int) -> dict[str, Any]:
    rate = Fraction(1) if labels.clock.period_s is None else 1 / labels.clock.period_s
    if rate.denominator != 1:
        msg = f"{labels.recording}: cholect50 states a whole number of labels per second, but these are {rate}; give --to-fps, such as 1"
        raise AnnotationError(msg)
    fps = int(rate)
    given = dict(labels.about.get("cholect50", {}))
    if given and given.get("fps", 1) == fps:
        return given
    number = NUMBERED.fullmatch(labels.recording)
    video = {"video": int(number["number"])} if number else {}
    return {"categories": _categories(labels.vocabulary), **video, "fps": fps, "num_frames": n_frames}


def _categories(words: Vocabulary) -> dict[str, dict[str, str]]:
    lists = own.as_categories(words)
    return {kind: {str(i): name for i, name in enumerate(lists.get(kind, []))} for kind in CATEGORIES}


def _vectors(labels: Labels, out: Output) -> dict[int, list[list[Any]]]:
    instances, phases = by_position(labels.instances), phase_of(labels.phases)
    found: dict[int, list[list[Any]]] = {}
    out.lose(UNLABELLED, len(set(phases) - set(instances)))
    for position in sorted({*instances, *phases}):
        phase = phases.get(position, NULL)
        rows = instances.get(position, [])
        known = {"target_score", "target_x", "target_y", "target_w", "target_h"}
        for row in rows:
            out.lose("details of instances, such as tracks", len({name for name in row if row[name] is not None} - known - _OURS))
        found[position] = [_vector(row, phase) for row in rows]
        if not rows and phase != NULL:
            found[position] = [_vector({}, phase)]
    return found


_OURS = {"position", "instrument_id", "verb_id", "target_id", "triplet_id", *BOX, "score"}


def _vector(row: dict[str, Any], phase: int) -> list[Any]:
    def number(name: str) -> float:
        return float(NULL if row.get(name) is None else row[name])

    def id_(name: str) -> int:
        return int(NULL if row.get(name) is None else row[name])

    tool = [id_("triplet_id"), id_("instrument_id"), number("score"), *(number(side) for side in BOX)]
    target = [number(name) for name in ("target_score", "target_x", "target_y", "target_w", "target_h")]
    return [*tool, id_("verb_id"), id_("target_id"), *target, phase]
