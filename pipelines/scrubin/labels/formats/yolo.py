"""YOLO text: one file per frame, a row per instance; the class and the box by centre and size in 0..1.

``yolo`` rows are ``class cx cy w h`` (predictions: and the confidence), ``yolo4`` rows are ProstaTD's
``triplet instrument action target cx cy w h``. Classes are numbered from 0; ``data.yaml`` or ``classes.txt``
names them, without one they are the triplets of the vocabulary. An empty file is labelled as "no instrument".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np
import yaml

from scrubin.core.faults import Fault, Faults, warning
from scrubin.errors import AnnotationError
from scrubin.labels import boxes, documents, evidence, fields
from scrubin.labels.categories import Classes, classes_of, names_of, whole_list
from scrubin.labels.formats.coco import class_of, ids_of, one_list
from scrubin.labels.model import IDS, Clock, Collection, LabelFiles, Labels, Layer, by_position, instance_rows
from scrubin.labels.registry import ByHand, Output, dataset_format, writes
from scrubin.vocabulary import vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

PATTERN = r"(?:[^/]+[_/][0-9]{1,15}\.txt|[^/]+\.ya?ml|classes\.txt)"
EXPECTED = "<recording>_<frame>.txt or <recording>/<frame>.txt, and data.yaml or classes.txt with the names of the classes"
LIST = "classes.txt"
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
NAMES_CLASSES = (".yaml", ".yml")
LISTS_CLASSES = "classes.txt"
DEFAULT = "prostatd"
Row = Callable[[list[float], Classes], dict[str, Any] | str]
"""The ids of a row, or what is wrong with them and the mend, separated by a semicolon."""


def _rows_of(*columns: int, alone: bool) -> evidence.Evidence:
    """Return a sign: rows of so many columns; ``alone`` is whether files that only name classes, or are empty, tell it."""

    def sign(path: Path) -> bool:
        if path.suffix.lower() in NAMES_CLASSES or path.name == LISTS_CLASSES:
            return alone
        text = evidence.head(path)
        lines = [line.split() for line in text.splitlines()[:-1] or [text] if line.strip()]
        return all(len(line) in columns for line in lines) and (bool(lines) or alone)

    return sign


BY_HAND = ByHand(fps=Fraction(1), fps_unstated=True, evidence=_rows_of(5, 6, alone=True))


@dataset_format("yolo", pattern=PATTERN, expected=EXPECTED, title="YOLO txt: class cx cy w h", by_hand=BY_HAND)
def read(source: LabelFiles) -> Collection:
    """Return the labels of all recordings in a folder of YOLO files.

    Raises
    ------
    AnnotationError
        Names file, line and value of every fault.
    """
    return _read(source, "yolo", (5, 6), _single)


@dataset_format(
    "yolo4",
    pattern=PATTERN,
    expected=EXPECTED,
    title="YOLO txt as in ProstaTD: triplet instrument action target cx cy w h",
    by_hand=replace(BY_HAND, evidence=_rows_of(8, alone=False)),
)
def read_four(source: LabelFiles) -> Collection:
    """Return the labels of all recordings in a folder of YOLO files with four ids per row.

    Raises
    ------
    AnnotationError
        Names file, line and value of every fault.
    """
    return _read(source, "yolo4", (8, 9), _four)


def _read(source: LabelFiles, name: Literal["yolo", "yolo4"], widths: tuple[int, int], row_of: Row) -> Collection:
    faults = Faults()
    classes, note = _classes(source)
    if name == "yolo4" and not classes.triplets:
        raise AnnotationError(
            [
                Fault(
                    min(source.files),
                    "classes-form",
                    "yolo4 names a triplet in each row, but the classes are instruments",
                    "read it as yolo",
                )
            ]
        )
    found: dict[str, dict[int, list[dict[str, Any]]]] = {}
    for file in sorted(source.files):
        where = fields.recording_and_frame(file) if file.endswith(".txt") and PurePosixPath(file).name != LIST else None
        if where is None:
            continue
        recording, frame = where
        if frame in found.setdefault(recording, {}):
            faults.error(file, "format", f"frame {frame} of {recording} has two files", "keep one of them")
        found[recording][frame] = _rows(source, file, widths, row_of, classes, faults)
    AnnotationError.raise_any(faults)
    detail: Literal["triplet", "instrument"] = "triplet" if classes.triplets else "instrument"
    recordings = []
    for recording, frames in sorted(found.items()):
        rows = [{"position": frame, **row} for frame in sorted(frames) for row in frames[frame]]
        layer = Layer(recording, np.array(sorted(frames), np.int64), instance_rows(rows))
        recordings.append(Labels(recording, name, classes.vocabulary, Clock(Fraction(1)), instances=layer, detail=detail))
    return Collection(tuple(recordings), faults=note)


def _classes(source: LabelFiles) -> tuple[Classes, tuple[Fault, ...]]:
    """Return the classes, and what a user should know of them."""
    named = [file for file in sorted(source.files) if not file.endswith(".txt") or PurePosixPath(file).name == LIST]
    given = source.vocabulary if source.vocabulary.name else None
    if not named:
        words = given or vocabulary.load(DEFAULT)
        note = f"no data.yaml or classes.txt names the classes; they are taken as the {_kind(words)} of '{words.name}'"
        return whole_list(words), () if given else (warning(min(source.files), "classes-unnamed", note, "choose others by --vocabulary"),)
    if len(named) > 1:
        raise AnnotationError([Fault(named[1], "format", f"the classes are also named in {named[0]}", "keep one of them")])
    file = named[0]
    text = documents.text(file, source.files[file])
    names = [line.strip() for line in text.rstrip().splitlines()] if file.endswith(".txt") else _names_of(file, text)
    if not names or not all(names):
        raise AnnotationError([Fault(file, "format", "a class has no name", "give the names of the classes by id, from 0")])
    return classes_of(file, names, given, source.label_map), ()


def _kind(words: Vocabulary) -> str:
    return f"{len(words.triplets)} triplets" if words.triplets else f"{len(words.instruments)} instruments"


def _names_of(file: str, text: str) -> list[str]:
    """Return the names in a data.yaml, by class."""
    try:
        # Nodes only: no dates or numbers are made of names, and a key that stands twice is seen.
        root = _pairs(yaml.compose(text, Loader=yaml.BaseLoader))
        names = root.get("names")
        listed = names.value if isinstance(names, yaml.SequenceNode) else _by_id(_pairs(names))
    except (yaml.YAMLError, RecursionError) as error:
        raise AnnotationError([Fault(file, "format", "not YAML", "export it again")]) from error
    except KeyError as error:
        raise AnnotationError([Fault(file, "format", f"the key {error} stands twice", "keep one of them")]) from error
    if not listed or not all(isinstance(name, yaml.ScalarNode) for name in listed):
        raise AnnotationError(
            [Fault(file, "format", "'names' is no list of names", "give the names of the classes by id, from 0 without a gap")]
        )
    count = root.get("nc", listed[0])
    if "nc" in root and count.value != str(len(listed)):
        raise AnnotationError(
            [Fault(file, "format", f"nc is {str(count.value)[:40]}, but there are {len(listed)} names", "correct one of them")]
        )
    return [str(name.value).strip() for name in listed]


def _pairs(node: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in node.value if isinstance(node, yaml.MappingNode) else []:
        if str(key.value) in found:
            raise KeyError(str(key.value))
        found[str(key.value)] = value
    return found


def _by_id(names: Mapping[str, Any]) -> list[Any]:
    by_id = {documents.frame_number(key): name for key, name in names.items()}
    return [by_id.get(i) for i in range(len(names))]


def _rows(source: LabelFiles, file: str, widths: tuple[int, int], row_of: Row, classes: Classes, faults: Faults) -> list[dict[str, Any]]:
    rows = []
    text = documents.opened(documents.text, file, source.files[file], faults) or ""
    for number, line in enumerate(text.splitlines(), start=1):
        cells = line.split()
        place = f"line {number}"
        if not cells:
            continue
        if not all(NUMBER.fullmatch(cell) for cell in cells):
            faults.error(
                file, "format", f"'{line.strip()[:60]}' is not all numbers", "give ids and the box, separated by blanks", place=place
            )
            continue
        values = [float(cell) for cell in cells]
        if len(values) not in widths:
            other = "; rows with four ids are the format yolo4" if len(values) in (8, 9) else ""
            other = "; rows with one id are the format yolo" if len(values) in (5, 6) else other
            faults.error(
                file,
                "format",
                f"{len(values)} values, expected {widths[0]}, or {widths[1]} with confidence{other}",
                "export it again",
                place=place,
            )
            continue
        ids = row_of(values, classes)
        if isinstance(ids, str):
            what, _, fix = ids.partition("; ")
            faults.error(file, "ids", what, fix, place=place)
            continue
        at = widths[0] - 4
        cx, cy, w, h = values[at : at + 4]
        box = _box(source, file, place, (cx, cy, w, h), faults)
        score = values[-1] if len(values) == widths[1] else 1.0
        if not 0 <= score <= 1:
            faults.error(file, "format", f"confidence {score:g} is not in 0..1", "export it again", place=place)
        elif box is not None:
            rows.append({**ids, **dict(zip("xywh", box, strict=True)), "score": score})
    return rows


def _box(source: LabelFiles, file: str, place: str, centred: boxes.XYWH, faults: Faults) -> boxes.XYWH | None:
    cx, cy, w, h = centred
    shares = (cx - w / 2, cy - h / 2, w, h)
    checked = boxes.check(shares, source.box_tolerance)
    if checked.box_xywh is not None:
        return checked.box_xywh if source.cut_boxes else shares
    mend = checked.mend
    if w > 0 and h > 0 and max(centred) <= 1:
        others = (centred, (cx, cy, w - cx, h - cy))
        fits = any(boxes.check(other, source.box_tolerance).box_xywh is not None for other in others)
        mend = "it may be a corner and a size, or two corners; give centre and size" if fits else "draw it inside the image"
    fault = f"box {' '.join(f'{value:g}' for value in centred)} is not a centre and a size in 0..1 inside the image"
    faults.error(file, "format", fault, mend, place=place)
    return None


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
        before = classes.ids[int(values[0]) - 1] if values[0] > 0 else None
        mend = fields.shift_mend(words.triplets, before, got)
        return f"triplet {int(values[0])} is {words.triplet_name(ids['triplet_id'])}, ids {wanted}, but the row has {got}; {mend}"
    return ids


def _index(value: float, size: int, kind: str) -> str:
    if not 0 <= value < size or value != int(value):
        if value == size:
            return f"{kind} {value:g} is not in 0..{size - 1}, just beyond the last; {fields.FROM_ZERO}"
        return f"{kind} {value:g} is not in 0..{size - 1}; correct it, or name the classes in data.yaml"
    return ""


@writes("yolo", holds=("instances", "actions", "boxes", "repeats", "scores", "empty frames"))
def write(collection: Collection, out: Output) -> None:
    """Write ``labels/<recording>_<frame>.txt`` per labelled frame and ``data.yaml``."""
    _write(collection, out, lambda classes, row: [class_of(classes, row)])


@writes(
    "yolo4",
    holds=("instances", "actions", "boxes", "repeats", "scores", "empty frames"),
    takes=lambda words: bool(words.triplets),
    needs=IDS,
)
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
