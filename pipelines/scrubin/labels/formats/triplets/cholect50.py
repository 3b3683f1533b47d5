"""CholecT50 JSON: one file per recording; frame key k is label second ``k / fps`` of the source.

A vector has 15 items: triplet, instrument, its score and box x, y, w, h, verb, target, its score
and box, phase; -1 is null. A key without vectors, or with -1 for triplet and instrument, is
labelled as "no instrument". ``video`` must be the number of a recording that is called by one.
Score and box of the target are details of the instance: the tables have one box per instance,
that of the instrument. Files are written as Python's ``json`` spells them, which is how the
published files are spelled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import KINDS, Kind, Vocabulary, fold, load
from scrubin.labels import boxes, registry
from scrubin.labels.formats.triplets import plain_vectors
from scrubin.labels.model import BOX, Clock, Collection, LabelFiles, Labels, Layer, by_position, detailed_rows, layer_of_phases, phase_of
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, label_format, writes

ITEMS = ("triplet", "instrument", "score", "x", "y", "w", "h", "verb", "target", "target score", "tx", "ty", "tw", "th", "phase")
ID_ITEMS = {"triplet": 0, "instrument": 1, "verb": 7, "target": 8, "phase": 14}
TARGET = {"target_score": 9, "target_x": 10, "target_y": 11, "target_w": 12, "target_h": 13}
CATEGORIES = ("instrument", "verb", "target", "phase", "triplet")
OWN_COLUMNS = {"position", "instrument_id", "verb_id", "target_id", "triplet_id", *BOX, "score", *TARGET}
HEAD = {"video", "categories", "fps", "num_frames"}
NULL = -1
HIGHEST_FPS = 1000
NUMBERED = re.compile(r"(?i:vid(?:eo)?)?_?(?P<number>[0-9]{1,15})")
"""Recordings that are numbered videos; no number is made up for others."""
UNLABELLED = "frames whose instruments are not labelled, which look as if there were none"
OTHER_VOCABULARY = "choose the vocabulary of this file (in params.yaml, by hand --vocabulary)"


@dataclass
class _Reading:
    """What was read of one file so far."""

    where: Where
    source: LabelFiles
    instances: list[dict[str, Any]] = field(default_factory=list)
    phases: dict[int, int] = field(default_factory=dict)

    @property
    def vocabulary(self) -> Vocabulary:
        return self.source.vocabulary

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many ids there are, by item of a vector."""
        of = self.vocabulary
        kinds = (of.triplets, of.instruments, of.verbs, of.targets, of.phases)
        return dict(zip(ID_ITEMS, map(len, kinds), strict=True))


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary:
    """Return CholecT50's vocabulary, or the file's own categories where most of its names are others."""
    ((file, data),) = files.items()
    cholect50 = load("cholect50")
    categories = documents.json_object(file, data).get("categories")
    if not isinstance(categories, dict) or not all(isinstance(names, dict) for names in categories.values()):
        return cholect50
    named = [(kind, str(name)) for kind in KINDS for name in categories.get(kind, {}).values()]
    known = [name for kind, name in named if fold(name) in cholect50.spellings[kind]]
    return cholect50 if 2 * len(known) >= len(named) else own_categories.known_or_own(file, own_categories.id_lists(file, categories))


def _has_vectors(path: Path) -> bool:
    """Return whether frames have lists of numbers; where no frame has anything, the other keys tell."""
    document = registry.document(path)
    frames = document.get("annotations") if isinstance(document, Mapping) else None
    if not isinstance(frames, Mapping) or isinstance(document.get("video"), Mapping):
        return False
    vectors = [vector for of_frame in frames.values() if isinstance(of_frame, list) for vector in of_frame]
    if any(isinstance(vector, Mapping) for vector in vectors):
        return False
    return any(isinstance(vector, list) for vector in vectors) or bool(HEAD & set(document))


@label_format(
    "cholect50",
    pattern=r"(?P<recording>[^/]+)\.json",
    expected="<recording>.json",
    title="CholecT50 JSON: triplets, boxes, phases; one file per video",
    by_hand=ByHand(vocabulary_of=vocabulary_of, evidence=_has_vectors, beside=r"label_mapping\.txt"),
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of one CholecT50 file.

    Raises
    ------
    AnnotationError
        With every fault, each with its frame.
    """
    ((file, data),) = source.files.items()
    document = documents.json_object(file, data)
    reading = _Reading(Where(Faults(), file), source)
    period_s = _period_s(reading.where, document)
    _check_video(reading.where, document.get("video"), source.recording)
    _check_categories(reading.where, source.vocabulary, document.get("categories"))
    frames = _frames(reading.where, document)
    plain = plain_vectors.read(frames, source.vocabulary, tuple(TARGET))
    for position in sorted(frames) if plain is None else ():
        _read_frame(reading, position, frames[position])
    stated = document.get("num_frames", len(frames))
    if stated != len(frames):
        what = f"num_frames says {documents.shown(stated)}, but {len(frames)} frames are labelled"
        reading.where.warning("frame-count", what)
    AnnotationError.raise_any(reading.where.faults)
    rows, phase_by_position = plain or (detailed_rows(reading.instances, dict.fromkeys(TARGET, "float64")), reading.phases)
    # A file without a gap is of the whole video; the published extracts have few of its frames.
    gapless = len(frames) > 1 and sorted(frames) == list(range(len(frames)))
    return Labels(
        recording=source.recording,
        format="cholect50",
        vocabulary=source.vocabulary,
        clock=Clock(period_s),
        phases=layer_of_phases(file, phase_by_position) if phase_by_position else None,
        instances=Layer(file, np.array(sorted(frames), np.int64), rows, gapless),
        faults=reading.where.faults.all(),
        about={"cholect50": {key: None if key == "annotations" else value for key, value in document.items()}},
    )


def _period_s(where: Where, document: Mapping[str, Any]) -> Fraction:
    fps = document.get("fps", 1)
    if not fields.is_number(fps) or fps != int(fps) or not 1 <= fps <= HIGHEST_FPS:
        where.error("rate", f"'fps' is {documents.shown(fps)}, expected a whole number in 1..{HIGHEST_FPS}", "CholecT50 has 1")
        return Fraction(1)
    return Fraction(1, int(fps))


def _check_video(where: Where, video: Any, recording: str) -> None:
    """Note a file that says it is of another video than the numbered one that it is called like."""
    named = NUMBERED.fullmatch(recording)
    stated = NUMBERED.fullmatch(str(video)) if fields.is_whole(video) or isinstance(video, str) else None
    if named is not None and stated is not None and int(named["number"]) != int(stated["number"]):
        what = f"'video' is {documents.shown(video)}, but the file is called like video {int(named['number'])}"
        where.at("video").error("video-name", what, "call the file after its video, or correct 'video'")


def _check_categories(where: Where, vocabulary: Vocabulary, categories: Any) -> None:
    # The file's own dictionary must say the same as ours, or its ids mean something else.
    if categories is None:
        return
    if not isinstance(categories, dict) or not all(isinstance(names, dict) for names in categories.values()):
        where.at("categories").error("value-type", "expected an object of objects, id to name", "export the file again")
        return
    kinds: tuple[Kind | Literal["triplet"], ...] = (*KINDS, "triplet")
    for kind in kinds:
        for key, name in categories.get(kind, {}).items():
            at = where.at(f"categories, {kind} {key}")
            if kind == "triplet":
                wanted = at.triplet_of(vocabulary, str(name), OTHER_VOCABULARY)
            else:
                wanted = at.id_of(vocabulary, kind, str(name), OTHER_VOCABULARY)
            if wanted is not None and key != str(wanted):
                fix = fields.FROM_ZERO if key == str(wanted + 1) else "export the file with the ids of the vocabulary"
                rule = "id-from-one" if key == str(wanted + 1) else "name-of-id"
                at.error(rule, f"'{name}' has id {wanted} in '{vocabulary.name}'", fix)


def _frames(where: Where, document: Mapping[str, Any]) -> dict[int, list[Any]]:
    annotations = document.get("annotations")
    if not isinstance(annotations, dict):
        where.at("annotations").error("value-type", "expected an object, frame to list of vectors", "export the file again")
        return {}
    frames: dict[int, list[Any]] = {}
    for key, vectors in annotations.items():
        if documents.frame_number(key) is None:
            where.at(f"frame '{key}'").error("frame-key", "the key is no frame number", "keys are whole numbers from 0")
        elif int(key) in frames:
            where.at(f"frame '{key}'").error("frame-repeated", "the frame stands twice", "keep one of them")
        elif not isinstance(vectors, list):
            got = documents.shown(vectors)
            where.at_frame(int(key)).error("value-type", f"expected a list of vectors, but got {got}", "write [] for none")
        else:
            frames[int(key)] = vectors
    return frames


def _read_frame(reading: _Reading, position: int, vectors: list[Any]) -> None:
    seen: set[int] = set()
    for i, vector in enumerate(vectors):
        where = reading.where.at_frame(position, f"vector {i}")
        if not _is_vector(where, vector, reading.sizes):
            continue
        seen.add(vector[14])
        if vector[0] == NULL and vector[1] == NULL:
            _check_nothing(where, vector)
            continue
        ids = _instance_ids(where, vector, reading.vocabulary)
        box = _box(where, vector, reading.source.box_tolerance)
        score = None if vector[2] == NULL else vector[2]
        if score is not None and not 0 <= score <= 1:
            where.error("score-range", f"score {score} is not in 0..1", "ground truth has 1")
        target = {name: None if vector[i] == NULL else float(vector[i]) for name, i in TARGET.items()}
        reading.instances.append({"position": position, **ids, **box, "score": score, **target})
    if len(seen) > 1:
        what = f"its vectors have different phases {sorted(seen)}"
        reading.where.at_frame(position).error("phases-differ", what, "a frame has one phase")
    elif seen and seen != {NULL}:
        reading.phases[position] = seen.pop()


def _check_nothing(where: Where, vector: list[Any]) -> None:
    """Refuse a vector without triplet and instrument that says more than that nothing is there."""
    if vector[7] != NULL or vector[8] != NULL:
        what = f"verb {vector[7]} and target {vector[8]} without an instrument"
        where.error("instrument-missing", what, "name the instrument's id")
    if any(value > 0 for value in (*vector[3:7], *vector[10:14])):
        where.error("instrument-missing", "a box, but neither triplet nor instrument", "name the instrument's id, or write -1 for the box")


def _is_vector(where: Where, vector: Any, sizes: Mapping[str, int]) -> bool:
    if not isinstance(vector, list) or len(vector) != len(ITEMS):
        got = f"{len(vector)} items" if isinstance(vector, list) else documents.shown(vector)
        where.error("layout", f"expected a vector of {len(ITEMS)} items, but got {got}", f"they are {', '.join(ITEMS)}")
        return False
    is_sound = True
    for i, (name, value) in enumerate(zip(ITEMS, vector, strict=True)):
        if name not in ID_ITEMS:
            if not fields.is_number(value) and not (isinstance(value, float) and name in BOX):
                where.error("value-type", f"item {i} ({name}) is {documents.shown(value)}, expected a number", "-1 is null")
                is_sound = False
        elif isinstance(value, bool) or not isinstance(value, int):
            where.error("value-type", f"item {i} ({name}) is {documents.shown(value)}, expected a whole number", "-1 is null")
            is_sound = False
        elif not NULL <= value < sizes[name]:
            rule, fix = ("id-from-one", fields.FROM_ZERO) if value == sizes[name] else ("id-range", "-1 is null")
            where.error(rule, f"{name} {value} is not in 0..{sizes[name] - 1}", fix)
            is_sound = False
    return is_sound


def _instance_ids(where: Where, vector: list[Any], vocabulary: Vocabulary) -> dict[str, int | None]:
    triplet = None if vector[0] == NULL else int(vector[0])
    ids = [None if value == NULL else int(value) for value in (vector[1], vector[7], vector[8])]
    if triplet is not None:
        wanted = vocabulary.triplets[triplet]
        if any(got is not None and got != want for got, want in zip(ids, wanted, strict=True)):
            fields.note_other_parts(where, vocabulary, ("triplet", triplet), "the vector", ids)
        ids = list(wanted)
    else:
        instrument, verb, target = ids
        if instrument is not None and verb is not None and target is not None:
            triplet = vocabulary.triplet_id(instrument, verb, target)
            if triplet is None:
                names = f"{vocabulary.instruments[instrument]},{vocabulary.verbs[verb]},{vocabulary.targets[target]}"
                what = f"'{names}' is no triplet of '{vocabulary.name}'"
                where.error("triplet-unknown", what, "correct it, or leave verb and target -1")
    return {"instrument_id": ids[0], "verb_id": ids[1], "target_id": ids[2], "triplet_id": triplet}


def _box(where: Where, vector: list[Any], tolerance: float) -> dict[str, float | None]:
    x, y, w, h = (float(value) for value in vector[3:7])
    if (x, y, w, h) == (NULL, NULL, NULL, NULL):
        return dict.fromkeys("xywh")
    wrong = boxes.check((x, y, w, h), tolerance)
    if wrong is not None:
        where.error(wrong.rule, wrong.what, wrong.fix)
        return dict.fromkeys("xywh")
    return dict(zip("xywh", (x, y, w, h), strict=True))


@writes(
    "cholect50",
    holds=("phases", "instances", "actions", "boxes", "boxless", "partial", "repeats", "scores", "details", "empty frames"),
    whole_fps=True,
    vocabulary="cholect50",
    takes=lambda vocabulary: bool(vocabulary.triplets) and vocabulary.name != "cholectrack20",
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
        what = f"cholect50 states a whole number of labels per second, but these are {rate}"
        raise AnnotationError([Fault(labels.recording, "rate", what, "give --to-fps, such as 1")])
    fps = int(rate)
    earlier = dict(labels.about.get("cholect50", {}))
    if earlier and earlier.get("fps", 1) == fps:
        return earlier
    number = NUMBERED.fullmatch(labels.recording)
    video = {"video": int(number["number"])} if number else {}
    lists = own_categories.as_categories(labels.vocabulary)
    categories = {kind: {str(i): name for i, name in enumerate(lists.get(kind, []))} for kind in CATEGORIES}
    return {"categories": categories, **video, "fps": fps, "num_frames": n_frames}


def _vectors(labels: Labels, out: Output) -> dict[int, list[list[Any]]]:
    instances, phases = by_position(labels.instances), phase_of(labels.phases)
    out.lose(UNLABELLED, len(set(phases) - set(instances)))
    vectors: dict[int, list[list[Any]]] = {}
    for position in sorted({*instances, *phases}):
        phase = phases.get(position, NULL)
        rows = instances.get(position, [])
        for row in rows:
            out.lose("details of instances, such as tracks", len({name for name in row if row[name] is not None} - OWN_COLUMNS))
        vectors[position] = [_vector(row, phase) for row in rows]
        if not rows and phase != NULL:
            vectors[position] = [_vector({}, phase)]
    return vectors


def _vector(row: dict[str, Any], phase: int) -> list[Any]:
    def number(name: str) -> float:
        return float(NULL if row.get(name) is None else row[name])

    def id_(name: str) -> int:
        return int(NULL if row.get(name) is None else row[name])

    tool = [id_("triplet_id"), id_("instrument_id"), number("score"), *(number(side) for side in BOX)]
    target = [number(name) for name in TARGET]
    return [*tool, id_("verb_id"), id_("target_id"), *target, phase]
