"""YOLO text: one file per frame, a row per instance; the class and the box by centre and size in 0..1.

``yolo`` rows are ``class cx cy w h`` (predictions: and the confidence), ``yolo4`` rows are ProstaTD's
``triplet instrument action target cx cy w h``. Classes are numbered from 0; ``data.yaml`` names them,
without one they are the triplets of the vocabulary. An empty file is labelled as "no instrument".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, Literal

import numpy as np
import yaml

from scrubin.annotations import documents, fields
from scrubin.annotations.categories import Classes, classes_of, names_of, whole_list
from scrubin.annotations.collection import Collection
from scrubin.annotations.formats.coco import class_of, ids_of, one_list
from scrubin.annotations.labels import Clock, LabelFiles, Labels, Layer, by_position, instance_rows
from scrubin.annotations.problems import AnnotationProblems, Problems
from scrubin.annotations.registry import ByHand, Output, dataset_format, writes
from scrubin.vocabulary import vocabulary

PATTERN = r"(?:[^/]+[_/][0-9]{1,15}\.txt|[^/]+\.ya?ml)"
EXPECTED = "<recording>_<frame>.txt or <recording>/<frame>.txt, and data.yaml with the names of the classes"
BY_HAND = ByHand(fps=Fraction(1), fps_unstated=True)
DEFAULT = "prostatd"
Row = Callable[[list[float], Classes], dict[str, Any] | str]


@dataset_format("yolo", pattern=PATTERN, expected=EXPECTED, title="YOLO txt: class cx cy w h", by_hand=BY_HAND)
def read(source: LabelFiles) -> Collection:
    """Return the labels of all recordings in a folder of YOLO files.

    Raises
    ------
    AnnotationProblems
        Names file, line and value of every fault.
    """
    return _read(source, "yolo", (5, 6), _single)


@dataset_format(
    "yolo4",
    pattern=PATTERN,
    expected=EXPECTED,
    title="YOLO txt as in ProstaTD: triplet instrument action target cx cy w h",
    by_hand=BY_HAND,
)
def read_four(source: LabelFiles) -> Collection:
    """Return the labels of all recordings in a folder of YOLO files with four ids per row.

    Raises
    ------
    AnnotationProblems
        Names file, line and value of every fault.
    """
    return _read(source, "yolo4", (8, 9), _four)


def _read(source: LabelFiles, name: Literal["yolo", "yolo4"], widths: tuple[int, int], row_of: Row) -> Collection:
    problems = Problems()
    classes = _classes(source)
    if name == "yolo4" and not classes.triplets:
        raise AnnotationProblems(
            [f"{min(source.files)}: yolo4 names a triplet in each row, but the classes are instruments; read it as yolo"]
        )
    found: dict[str, dict[int, list[dict[str, Any]]]] = {}
    for file in sorted(source.files):
        where = fields.recording_and_frame(file) if file.endswith(".txt") else None
        if where is None:
            continue
        recording, frame = where
        if frame in found.setdefault(recording, {}):
            problems.add(file, "", f"frame {frame} of {recording} has two files", "keep one of them")
        found[recording][frame] = _rows(source, file, widths, row_of, classes, problems)
    problems.raise_any()
    detail: Literal["triplet", "instrument"] = "triplet" if classes.triplets else "instrument"
    recordings = []
    for recording, frames in sorted(found.items()):
        rows = [{"position": frame, **row} for frame in sorted(frames) for row in frames[frame]]
        layer = Layer(recording, np.array(sorted(frames), np.int64), instance_rows(rows))
        recordings.append(Labels(recording, name, classes.vocabulary, Clock(Fraction(1)), instances=layer, detail=detail))
    return Collection(tuple(recordings))


def _classes(source: LabelFiles) -> Classes:
    named = [file for file in sorted(source.files) if not file.endswith(".txt")]
    given = source.vocabulary if source.vocabulary.name else None
    if not named:
        return whole_list(given or vocabulary.load(DEFAULT))
    if len(named) > 1:
        raise AnnotationProblems([f"{named[1]}: the classes are also named in {named[0]}; keep one of them"])
    file = named[0]
    try:
        document = yaml.safe_load(documents.text(file, source.files[file]))
    except yaml.YAMLError as error:
        raise AnnotationProblems([f"{file}: not YAML; export it again"]) from error
    names = document.get("names") if isinstance(document, dict) else None
    if isinstance(names, dict) and sorted(names) == list(range(len(names))):
        names = [names[i] for i in range(len(names))]
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise AnnotationProblems([f"{file}: 'names' is {documents.shown(names)}; give the names of the classes by id, from 0"])
    return classes_of(file, names, given, source.label_map)


def _rows(
    source: LabelFiles, file: str, widths: tuple[int, int], row_of: Row, classes: Classes, problems: Problems
) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(documents.text(file, source.files[file]).splitlines(), start=1):
        cells = line.split()
        place = f"line {number}"
        if not cells:
            continue
        try:
            values = [float(cell) for cell in cells]
        except ValueError:
            problems.add(file, place, f"'{line.strip()[:60]}' is not all numbers", "give ids and the box, separated by blanks")
            continue
        if len(values) not in widths:
            other = "; rows with four ids are the format yolo4" if len(values) in (8, 9) else ""
            other = "; rows with one id are the format yolo" if len(values) in (5, 6) else other
            problems.add(
                file, place, f"{len(values)} values, expected {widths[0]}, or {widths[1]} with confidence{other}", "export it again"
            )
            continue
        ids = row_of(values, classes)
        if isinstance(ids, str):
            problems.add(file, place, ids, _mend(ids))
            continue
        at = widths[0] - 4
        cx, cy, w, h = values[at : at + 4]
        box = fields.share_box(file, place, [cx - w / 2, cy - h / 2, w, h], source.box_tolerance, cut=source.cut_boxes, problems=problems)
        score = values[-1] if len(values) == widths[1] else 1.0
        if not 0 <= score <= 1:
            problems.add(file, place, f"confidence {score:g} is not in 0..1", "export it again")
        elif box is not None:
            rows.append({**ids, **dict(zip("xywh", box, strict=True)), "score": score})
    return rows


def _mend(fault: str) -> str:
    return fields.FROM_ZERO if fault.endswith("just beyond the last") else "correct it, or name the classes in data.yaml"


def _single(values: list[float], classes: Classes) -> dict[str, Any] | str:
    fault = _index(values[0], len(classes.ids), "class")
    return fault or ids_of(classes, classes.ids[int(values[0])])


def _four(values: list[float], classes: Classes) -> dict[str, Any] | str:
    words = classes.vocabulary
    sizes = (len(classes.ids), len(words.instruments), len(words.verbs), len(words.targets))
    for value, size, kind in zip(values, sizes, ("triplet", "instrument", "action", "target"), strict=False):
        fault = _index(value, size, kind)
        if fault:
            return fault
    ids = ids_of(classes, classes.ids[int(values[0])])
    got = tuple(int(value) for value in values[1:4])
    wanted = (ids["instrument_id"], ids["verb_id"], ids["target_id"])
    if got != wanted:
        return f"triplet {int(values[0])} is {words.triplet_name(ids['triplet_id'])}, ids {wanted}, but the row has {got}"
    return ids


def _index(value: float, size: int, kind: str) -> str:
    if not 0 <= value < size or value != int(value):
        beyond = ", just beyond the last" if value == size else ""
        return f"{kind} {value:g} is not in 0..{size - 1}{beyond}"
    return ""


@writes("yolo", holds=("instances", "actions", "boxes", "repeats", "scores", "empty frames"))
def write(collection: Collection, out: Output) -> None:
    """Write ``labels/<recording>_<frame>.txt`` per labelled frame and ``data.yaml``."""
    _write(collection, out, lambda classes, row: [class_of(classes, row)])


@writes("yolo4", holds=("instances", "actions", "boxes", "repeats", "scores", "empty frames"), takes=lambda words: bool(words.triplets))
def write_four(collection: Collection, out: Output) -> None:
    """Write ``labels/<recording>_<frame>.txt`` with four ids per row, and ``data.yaml``."""
    _write(collection, out, lambda _, row: [row["triplet_id"], row["instrument_id"], row["verb_id"], row["target_id"]])


def _write(collection: Collection, out: Output, ids: Callable[[Classes, Mapping[str, Any]], list[int]]) -> None:
    labelled = [labels for labels in collection.recordings if labels.instances is not None]
    classes = one_list(labelled)
    for labels in labelled:
        per_frame = by_position(labels.instances)
        scored = any(row["score"] not in (None, 1.0) for rows in per_frame.values() for row in rows)
        for position, rows in per_frame.items():
            text = "".join(_line(ids(classes, row), row, scored=scored) for row in rows)
            name = PurePosixPath("labels", f"{labels.recording}_{position:06d}.txt")
            out.files[str(name)] = text.encode()
    out.files["data.yaml"] = _names_text(names_of(classes)).encode()


def _line(ids: Sequence[int], row: Mapping[str, Any], *, scored: bool) -> str:
    box = (row["x"] + row["w"] / 2, row["y"] + row["h"] / 2, row["w"], row["h"])
    confidence = [] if not scored else [f"{1.0 if row['score'] is None else row['score']:.6f}"]
    return " ".join([*(str(id_) for id_ in ids), *(f"{side:.6f}" for side in box), *confidence]) + "\n"


def _names_text(names: Sequence[str]) -> str:
    return f"nc: {len(names)}\nnames:\n" + "".join(f"  {i}: {json.dumps(name, ensure_ascii=False)}\n" for i, name in enumerate(names))
