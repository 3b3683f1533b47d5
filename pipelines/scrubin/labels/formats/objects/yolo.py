"""YOLO text: one file per frame, a row per instance; the class, then the box by centre, size in 0..1.

``yolo`` rows are ``class cx cy w h`` (predictions: and the confidence), ``yolo4`` rows are ProstaTD's
``triplet instrument action target cx cy w h``. Classes are numbered from 0; ``data.yaml`` or ``classes.txt``
names them. Without one they are the triplets of the vocabulary, in predictions the classes that the ground truth lists, or instruments
that it labels.
An empty file is labelled as "no instrument".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np
import pandas as pd

from scrubin.base import csv_text, machine
from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import Vocabulary, load
from scrubin.labels import boxes, registry
from scrubin.labels.formats.objects.coco import class_of, ids_of, one_list
from scrubin.labels.model import IDS, MASK, ClassList, Clock, Collection, LabelFiles, Labels, Layer, by_position, detailed_rows
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.columns import Classes, as_listed, classes_of, names_of, note_beyond, whole_list
from scrubin.labels.parse.fields import Where
from scrubin.labels.points import POINTS
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

PATTERN = r"(?:[^/]+[_/][0-9]{1,15}\.txt|[^/]+\.ya?ml|classes\.txt)"
EXPECTED = "<recording>_<frame>.txt or <recording>/<frame>.txt, and data.yaml or classes.txt with the names of the classes"
DATA_YAML = "data.yaml"
POINTS_STATED = re.compile(r"^kpt_shape\s*:\s*\[\s*([0-9]{1,4})\s*,\s*([23])\s*\]", re.MULTILINE)
DEFAULT = "prostatd"
FEWEST_WITH_CORNERS = 7
"""Values of a row of segmentation: a class and three corners."""
DEEPEST = 3
"""What data.yaml says of points are names in a list by class."""
FEWEST_WITH_POINTS = 8
"""Values of a row of a pose: a class, a box, and one point."""
OTHER_FORMAT = {
    **dict.fromkeys((5, 6), "rows with one id are the format yolo"),
    **dict.fromkeys((8, 9), "rows with four ids are the format yolo4"),
}
Numbers = Callable[[Where, list[float], Classes], dict[str, Any] | None]
"""Reads the ids of a row; None after noting what is wrong with them."""
Row = Callable[[Where, str, Classes | None], dict[str, Any] | None]
"""Reads a row, an instance; None after noting what is wrong with it, or where the classes are not known."""


def has_corners(path: Path) -> bool:
    """Return whether the rows of a file are classes with corners in 0..1; four ids are whole numbers, corners hardly ever."""
    if registry.only_names_classes(path) or has_points(path):
        return False
    rows = _first_rows(path)
    if not rows or not all(len(row) >= FEWEST_WITH_CORNERS and all(map(csv_text.NUMBER.fullmatch, row)) for row in rows):
        return False
    places = [[float(cell) for cell in row[1:]] for row in rows]
    return any(place % 1 for row in places for place in row[:3]) and all(0 <= place <= 1 for row in places for place in row)


def has_points(path: Path) -> bool:
    """Return whether the rows of a file are classes with a box and points, as data.yaml beside says, or as they look.

    Behind each x and y stands a visibility, 0, 1 or 2; behind all of them may stand a confidence. Corners can be 0 or 1, too, but not
    each third number of several; only with a 2 are one or two points told by that.
    """
    rows = [] if registry.only_names_classes(path) else _first_rows(path)
    if not rows or not all(len(row) >= FEWEST_WITH_POINTS and all(map(csv_text.NUMBER.fullmatch, row)) for row in rows):
        return False
    numbers = _numbers_of_points(path)
    if numbers is not None:
        return all(len(row) - 5 - numbers in (0, 1) for row in rows)
    if not all((len(row) - 5) % 3 in (0, 1) for row in rows):
        return False
    seen = {float(cell) for row in rows for cell in row[7 : 5 + (len(row) - 5) // 3 * 3 : 3]}
    has_box = any(float(cell) % 1 for row in rows for cell in row[1:3])
    return has_box and seen <= {0, 1, 2} and (2 in seen or (1 in seen and min(map(len, rows)) >= FEWEST_WITH_POINTS + 6))


def _numbers_of_points(path: Path) -> int | None:
    """Return of how many numbers the points of a row are, where data.yaml beside or above it says so."""
    for folder in (path.parent, path.parent.parent):
        if (folder / DATA_YAML).is_file():
            stated = POINTS_STATED.search(registry.head(folder / DATA_YAML))
            return None if stated is None else int(stated[1]) * int(stated[2])
    return None


def _first_rows(path: Path) -> list[list[str]]:
    text = registry.head(path)
    return [line.split() for line in text.splitlines()[:-1] or [text] if line.strip()]


def _rows_of(*columns: int, alone: bool) -> registry.Evidence:
    """Return the evidence of rows of so many columns.

    Parameters
    ----------
    alone
        Whether files that only name classes are of the format.
    """

    def fits(path: Path) -> bool:
        if registry.only_names_classes(path):
            return alone
        lines = _first_rows(path)
        if has_corners(path) or has_points(path) or (lines and not any(character.isdigit() for cell in lines[0] for character in cell)):
            return False  # names of columns, or another format
        return bool(lines) and all(len(line) in columns for line in lines)

    return fits


BY_HAND = ByHand(fps=Fraction(1), fps_unstated=True, evidence=_rows_of(5, 6, alone=True))


@dataset_format("yolo", pattern=PATTERN, expected=EXPECTED, title="YOLO txt: class cx cy w h", by_hand=BY_HAND)
def read(source: LabelFiles) -> Collection:
    """Return the labels of the recordings whose files have no error; all faults are in ``Collection.faults``."""
    return collection_of(source, "yolo", partial(_row, source, (5, 6), single))


@dataset_format(
    "yolo4",
    pattern=PATTERN,
    expected=EXPECTED,
    title="YOLO txt as in ProstaTD: triplet instrument action target cx cy w h",
    by_hand=replace(BY_HAND, evidence=_rows_of(8, 9, alone=False)),
)
def read_four(source: LabelFiles) -> Collection:
    """Return the labels of the recordings whose files have no error; all faults are in ``Collection.faults``."""
    return collection_of(source, "yolo4", partial(_row, source, (8, 9), _four))


def collection_of(source: LabelFiles, name: Literal["yolo", "yolo4", "yolo-seg", "yolo-pose"], row_of: Row) -> Collection:
    """Return what the files of a data set say whose rows are read by ``row_of``, without recordings that have a faulty file."""
    faults = Faults()
    named = _named(source)
    # Rows of four ids say what their triplets are.
    classes = _classes(replace(source, lists=()) if name == "yolo4" else source, named, faults)
    if classes is not None and name == "yolo4" and not classes.triplets:
        what = "yolo4 names a triplet in each row, but the classes are instruments"
        faults.error(min(source.files), "classes-form", what, "read it as yolo")
        classes = None
    recordings: dict[str, dict[int, list[dict[str, Any]]]] = {}
    faulty: set[str] = set()
    for file in sorted(source.files):
        of_file = Faults()
        where, image = Where(of_file, file), fields.recording_and_frame(file, source.root)
        if image is None or not file.endswith(".txt") or PurePosixPath(file).name == registry.LISTS_CLASSES:
            continue
        recording, frame = image
        of_recording = recordings.setdefault(recording, {})
        if frame in of_recording:
            where.error("frame-repeated", f"frame {frame} of {recording} has two files", "keep one of them")
        of_recording[frame] = _rows(source, where, row_of, classes)
        faulty |= {recording} if of_file.errors() else set()
        faults.extend(of_file.all())
    if classes is None:
        return Collection(faults=faults.all())
    detail: Literal["triplet", "instrument"] = "triplet" if classes.triplets else "instrument"
    sound = []
    for recording, frames in sorted(recordings.items()):
        rows = [{"position": frame, **row} for frame in sorted(frames) for row in frames[frame]]
        positions = np.array(sorted(frames), np.int64)
        layer = Layer(recording, positions, detailed_rows(rows, {MASK: "str", POINTS: "object"}))
        sizes = None
        if name in ("yolo-seg", "yolo-pose") and source.image_size is not None:
            sizes = pd.DataFrame({"position": positions, "width": source.image_size[0], "height": source.image_size[1]})
        if recording not in faulty:
            sound.append(Labels(recording, name, classes.vocabulary, Clock(Fraction(1)), instances=layer, detail=detail, frames=sizes))
    lists = () if not named else (ClassList(named[0], classes.ids, triplets=classes.triplets),)
    return Collection(tuple(sound), faults=faults.all(), lists=lists)


def _named(source: LabelFiles) -> list[str]:
    """Return the files that name the classes."""
    return [file for file in sorted(source.files) if not file.endswith(".txt") or PurePosixPath(file).name == registry.LISTS_CLASSES]


def _classes(source: LabelFiles, named: Sequence[str], faults: Faults) -> Classes | None:
    """Return the classes; None after noting why the file that names them cannot be used."""
    chosen = source.vocabulary if source.vocabulary.name else None
    if not named and source.lists:
        return as_listed(Where(faults, min(source.files)), source, "data.yaml or classes.txt")
    if not named:
        vocabulary = chosen or load(DEFAULT)
        if chosen is None:
            what = f"no data.yaml or classes.txt names the classes; they are taken as the {_size_of(vocabulary)} of '{vocabulary.name}'"
            faults.warning(min(source.files), "classes-unnamed", what, "choose others by --vocabulary")
        return whole_list(vocabulary)
    for other in named[1:]:
        faults.error(other, "classes-repeated", f"the classes are also named in {named[0]}", "keep one, or move it out of the folder")
    where = Where(faults, named[0])
    text = documents.opened(documents.text, named[0], source.files[named[0]], faults)
    if text is None or named[1:]:
        return None
    is_list = named[0].endswith(".txt")
    names = [line.strip() for line in text.rstrip().splitlines()] if is_list else _names_of(where, text)
    if names is not None and not (names and all(names)):
        where.error("classes-form", "a class has no name", "give the names of the classes by id, from 0")
        return None
    return None if names is None else classes_of(where.at("categories"), names, chosen, source.label_map)


def _size_of(vocabulary: Vocabulary) -> str:
    return f"{len(vocabulary.triplets)} triplets" if vocabulary.triplets else f"{len(vocabulary.instruments)} instruments"


def _names_of(where: Where, text: str) -> list[str] | None:
    """Return the names in a data.yaml, by class."""
    root = pairs_of_text(where, text)
    if root is None:
        return None
    names = plain(root.get("names"))
    listed = names if isinstance(names, list) else _by_id(names if isinstance(names, dict) else {})
    if not listed or not all(isinstance(name, str) for name in listed):
        what = "'names' is no list of names"
        where.error("classes-form", what, "give the names of the classes by id, from 0 without a gap")
        return None
    count = plain(root["nc"]) if "nc" in root else str(len(listed))
    if count != str(len(listed)):
        what = f"nc is {str(count)[:40]}, but there are {len(listed)} names"
        where.error("classes-form", what, "correct one of them")
        return None
    return [str(name).strip() for name in listed]


def pairs_of_text(where: Where, text: str) -> dict[str, Any] | None:
    """Return what a YAML file says by key, as nodes: see `plain`; None after noting why it cannot be read."""
    # Only this one of all files of labels is YAML.
    machine.require_package("yaml", where.file)
    import yaml

    try:
        # Nodes only: no dates or numbers are made of names, and a key that stands twice is seen.
        root = _pairs(yaml.compose(text, Loader=yaml.BaseLoader))
        for key in ("names", "nc", "kpt_shape", "kpt_names"):
            plain(root.get(key))
        return root
    except (yaml.YAMLError, RecursionError):
        where.error("yaml-syntax", "not YAML", "export it again")
    except KeyError as error:
        where.error("key-repeated", f"the key {error} stands twice", "keep one of them")
    return None


def plain(node: Any, depth: int = DEEPEST) -> Any:
    """Return a node of YAML as text, list or dict of text; None for no node, or one that lies deeper, as in a list that holds itself.

    Raises
    ------
    KeyError
        For a key that stands twice.
    """
    if node is None or not depth:
        return None
    if node.id == "scalar":
        return str(node.value)
    if node.id == "sequence":
        return [plain(one, depth - 1) for one in node.value]
    return {key: plain(one, depth - 1) for key, one in _pairs(node).items()}


def _pairs(node: Any) -> dict[str, Any]:
    value_of: dict[str, Any] = {}
    for key, value in node.value if node is not None and node.id == "mapping" else []:
        if str(key.value) in value_of:
            raise KeyError(str(key.value))
        value_of[str(key.value)] = value
    return value_of


def _by_id(names: Mapping[str, Any]) -> list[Any]:
    by_id = {documents.frame_number(key): name for key, name in names.items()}
    return [by_id.get(i) for i in range(len(names))]


def _rows(source: LabelFiles, where: Where, row_of: Row, classes: Classes | None) -> list[dict[str, Any]]:
    text = documents.opened(documents.text, where.file, source.files[where.file], where.faults) or ""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    rows = [row_of(where.at(f"line {number}"), line, classes) for number, line in lines]
    return [row for row in rows if row is not None]


def numbers_of(where: Where, line: str) -> list[float] | None:
    """Return the numbers of a row; None after noting that there are others than numbers."""
    cells = line.split()
    if all(csv_text.NUMBER.fullmatch(cell) for cell in cells):
        return [float(cell) for cell in cells]
    what = f"'{line.strip()[:60]}' is not all numbers"
    where.error("value-type", what, "give ids and the box, separated by blanks")
    return None


def _row(
    source: LabelFiles, widths: tuple[int, int], ids_of_row: Numbers, where: Where, line: str, classes: Classes | None
) -> dict[str, Any] | None:
    values = numbers_of(where, line)
    if values is None:
        return None
    if len(values) not in widths:
        what = f"{len(values)} values, expected {widths[0]}, or {widths[1]} with confidence"
        where.error("row-length", what, OTHER_FORMAT.get(len(values), "export it again"))
        return None
    ids = None if classes is None else ids_of_row(where, values, classes)
    at = widths[0] - 4
    cx, cy, w, h = values[at : at + 4]
    box = centred_box(where, (cx, cy, w, h), source.box_tolerance)
    score = values[-1] if len(values) == widths[1] else 1.0
    if not 0 <= score <= 1:
        where.error("score-range", f"confidence {score:g} is not in 0..1", "export it again")
        return None
    return None if ids is None or box is None else {**ids, **dict(zip("xywh", box, strict=True)), "score": score}


def centred_box(where: Where, centred: boxes.XYWH, tolerance: float) -> boxes.XYWH | None:
    """Return the box of a centre and size in 0..1 as corner and size; None after noting what is wrong with it."""
    cx, cy, w, h = centred
    shares = (cx - w / 2, cy - h / 2, w, h)
    wrong = boxes.check(shares, tolerance)
    if wrong is None:
        return shares
    rule, fix = wrong.rule, wrong.fix
    if w > 0 and h > 0 and max(centred) <= 1:
        others = (centred, (cx, cy, w - cx, h - cy))
        rule, fix = "box-outside", "draw it inside the image"
        if any(boxes.check(other, tolerance) is None for other in others):
            rule, fix = "box-form", "it may be a corner and a size, or two corners; give centre and size"
    what = f"box {' '.join(f'{value:g}' for value in centred)} is not a centre and a size in 0..1 inside the image"
    where.error(rule, what, fix)
    return None


def single(where: Where, values: list[float], classes: Classes) -> dict[str, Any] | None:
    """Return the ids of a row that begins with its class; None after noting that there is no such class."""
    if note_beyond(where, values[0], classes):
        return None
    return ids_of(classes, classes.ids[int(values[0])]) if _is_index(where, values[0], len(classes.ids), "class") else None


def _four(where: Where, values: list[float], classes: Classes) -> dict[str, Any] | None:
    vocabulary = classes.vocabulary
    sizes = (len(classes.ids), len(vocabulary.instruments), len(vocabulary.verbs), len(vocabulary.targets))
    parts = zip(values, sizes, ("triplet", "instrument", "action", "target"), strict=False)
    if not all([_is_index(where, value, size, part) for value, size, part in parts]):
        return None
    ids = ids_of(classes, classes.ids[int(values[0])])
    got = tuple(int(value) for value in values[1:4])
    wanted = (ids["instrument_id"], ids["verb_id"], ids["target_id"])
    if got == wanted:
        return ids
    before = classes.ids[int(values[0]) - 1] if values[0] > 0 else None
    rule, fix = fields.parts_fault(vocabulary.triplets, before, got)
    what = f"triplet {int(values[0])} is {vocabulary.triplet_name(ids['triplet_id'])}, ids {wanted}, but the row has {got}"
    where.error(rule, what, fix)
    return None


def _is_index(where: Where, value: float, size: int, part: str) -> bool:
    """Return whether a value is a class of so many."""
    if 0 <= value < size and value == int(value):
        return True
    if value == size:
        where.error("id-from-one", f"{part} {value:g} is not in 0..{size - 1}, just beyond the last", fields.FROM_ZERO)
    else:
        where.error("id-range", f"{part} {value:g} is not in 0..{size - 1}", "correct it, or name the classes in data.yaml")
    return False


@writes("yolo", holds=("instances", "actions", "boxes", "repeats", "scores", "empty frames"))
def write(collection: Collection, out: Output) -> None:
    """Write ``labels/<recording>_<frame>.txt`` per labelled frame and ``data.yaml``."""
    _write(collection, out, lambda classes, row: [class_of(classes, row)])


@writes(
    "yolo4",
    holds=("instances", "actions", "boxes", "repeats", "scores", "empty frames"),
    takes=lambda vocabulary: bool(vocabulary.triplets),
    needs=IDS,
)
def write_four(collection: Collection, out: Output) -> None:
    """Write ``labels/<recording>_<frame>.txt`` with four ids per row, and ``data.yaml``."""
    _write(collection, out, lambda _, row: [row["triplet_id"], row["instrument_id"], row["verb_id"], row["target_id"]])


def _write(collection: Collection, out: Output, ids: Callable[[Classes, Mapping[str, Any]], list[int]]) -> None:
    def line(classes: Classes, _: tuple[str, int], row: Mapping[str, Any], scored: bool) -> str:
        return line_of(ids(classes, row), _centred(row), row, scored=scored)

    write_rows(collection, out, line)


LineOf = Callable[[Classes, tuple[str, int], Mapping[str, Any], bool], str]
"""The classes, the recording and position of an instance, itself, and whether lines have confidences, to its line."""


def write_rows(collection: Collection, out: Output, line: LineOf) -> None:
    """Write a file per labelled frame, with a line per instance, and the names of the classes."""
    labelled = [labels for labels in collection.recordings if labels.instances is not None]
    classes = one_list(labelled)
    for labels in labelled:
        per_frame = by_position(labels.instances)
        scored = any(row["score"] not in (None, 1.0) for rows in per_frame.values() for row in rows)
        for position, rows in per_frame.items():
            text = "".join(line(classes, (labels.recording, position), row, scored) for row in rows)
            name = PurePosixPath("labels", f"{labels.recording}_{position:06d}.txt")
            out.files[str(name)] = text.encode()
    out.files["data.yaml"] = names_text(names_of(classes)).encode()


def line_of(ids: Sequence[int], shares: Sequence[float], row: Mapping[str, Any], *, scored: bool) -> str:
    """Return ids, places as shares of the image and, where any instance has one, the confidence."""
    confidence = [] if not scored else [f"{1.0 if row['score'] is None else row['score']:.6f}"]
    return " ".join([*(str(id_) for id_ in ids), *(f"{side:.6f}" for side in shares), *confidence]) + "\n"


def line_of_box(ids: Sequence[int], row: Mapping[str, Any]) -> str:
    """Return ids, and the box of an instance by centre and size."""
    return " ".join([*(str(id_) for id_ in ids), *(f"{side:.6f}" for side in _centred(row))])


def _centred(row: Mapping[str, Any]) -> boxes.XYWH:
    return row["x"] + row["w"] / 2, row["y"] + row["h"] / 2, row["w"], row["h"]


def names_text(names: Sequence[str]) -> str:
    """Return what data.yaml says of classes."""
    return f"nc: {len(names)}\nnames:\n" + "".join(f"  {i}: {json.dumps(name, ensure_ascii=False)}\n" for i, name in enumerate(names))
