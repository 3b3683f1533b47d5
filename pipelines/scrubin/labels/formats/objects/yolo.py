"""YOLO text: one file per frame, a row per instance; the class, then the box by centre, size in 0..1.

``yolo`` rows are ``class cx cy w h`` (predictions: and the confidence; of trackers: and the id of the track), ``yolo4`` rows are
ProstaTD's ``triplet instrument action target cx cy w h``. Classes are numbered from 0; ``data.yaml``, ``classes.txt`` or darknet's
``obj.names`` names them, as ``obj.data`` beside it says. Without one they are those of a vocabulary that somebody names, in predictions the
classes that the ground truth lists, or instruments that it labels; only videos called as in ProstaTD have its triplets.
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

from scrubin.base.faults import Faults, warning
from scrubin.base.text import csv_text
from scrubin.base.vocabulary.vocabulary import Vocabulary, fold, load
from scrubin.labels import boxes, registry, tracks
from scrubin.labels.formats.objects.coco import class_of, ids_of, one_list
from scrubin.labels.model import IDS, MASK, ClassList, Clock, Collection, LabelFiles, Labels, Layer, by_position, detailed_rows
from scrubin.labels.parse import documents, fields, yolo_rows
from scrubin.labels.parse.columns import Classes, as_listed, classes_of, names_of, note_beyond, whole_list
from scrubin.labels.parse.fields import Where
from scrubin.labels.points import POINTS
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

PATTERN = rf"(?:[^/]+[_/][0-9]{{1,15}}{fields.OF_ROBOFLOW}\.txt|[^/]+\.ya?ml|classes\.txt|[^/]+\.names|obj\.data)"
EXPECTED = "<recording>_<frame>.txt or <recording>/<frame>.txt, and data.yaml, classes.txt or obj.names with the names of the classes"
DEFAULT = "prostatd"
OF_PROSTATD = re.compile("(?:esad|psi|pwh)v[0-9]{1,3}", re.IGNORECASE)
"""Its videos, whose rows of one id number its triplets."""
LISTS = "data.yaml or classes.txt"
OTHER_FORMAT = {
    **dict.fromkeys((5, 6), "rows with one id are the format yolo"),
    **dict.fromkeys((8, 9), "rows with four ids are the format yolo4"),
}
NAMES_STATED = re.compile(r"^\s*names\s*=\s*(\S+)\s*$", re.MULTILINE)
Numbers = Callable[[Where, list[float], Classes], dict[str, Any] | None]
"""Reads the ids of a row; None after noting what is wrong with them."""
Row = Callable[[Where, str, Classes | None], dict[str, Any] | None]
"""Reads a row, an instance; None after noting what is wrong with it, or where the classes are not known."""


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
        lines = yolo_rows.first_rows(path)
        if yolo_rows.kinds(path) or (lines and not any(character.isdigit() for cell in lines[0] for character in cell)):
            return False  # names of columns, or another format
        return bool(lines) and (all(len(line) in columns for line in lines) or (alone and yolo_rows.are_tracked(lines)))

    return fits


LISTS_PICTURES = r"(?:train|val|valid|test)\.txt"
BY_HAND = ByHand(fps=Fraction(1), fps_unstated=True, evidence=_rows_of(5, 6, alone=True), holds=("tracks",), beside=LISTS_PICTURES)


@dataset_format("yolo", pattern=PATTERN, expected=EXPECTED, title="YOLO txt: class cx cy w h", by_hand=BY_HAND)
def read(source: LabelFiles) -> Collection:
    """Return the labels of the recordings whose files have no error; all faults are in ``Collection.faults``."""
    read = collection_of(source, "yolo", partial(_row, source, (5, 6), single))
    last = [row[-1] for row in rows_of(source) if len(row) == yolo_rows.OF_BOX + 1]
    if last and all(map(yolo_rows.is_whole, last)) and not any(fault.severity == "error" for fault in read.faults):
        what = "the last value of every row is 1, and is read as the confidence: ids of tracks would be lost"
        fix = "write the confidence before the id if these are ids, or 1.0 if they are none"
        return replace(read, faults=(*read.faults, warning(min(source.files), "confidence-whole", what, fix)))
    return read


@dataset_format(
    "yolo4",
    pattern=PATTERN,
    expected=EXPECTED,
    title="YOLO txt as in ProstaTD: triplet instrument action target cx cy w h",
    by_hand=replace(BY_HAND, evidence=_rows_of(8, 9, alone=False), holds=()),
)
def read_four(source: LabelFiles) -> Collection:
    """Return the labels of the recordings whose files have no error; all faults are in ``Collection.faults``."""
    return collection_of(source, "yolo4", partial(_row, source, (8, 9), _four))


def collection_of(source: LabelFiles, name: Literal["yolo", "yolo4", "yolo-seg", "yolo-pose"], row_of: Row) -> Collection:
    """Return what the files of a data set say whose rows are read by ``row_of``, without recordings that have a faulty file."""
    faults = Faults()
    named = _named(source, faults)
    # Rows of four ids say what their triplets are.
    classes = None if faults.errors() else _classes(replace(source, lists=()) if name == "yolo4" else source, named, faults, name)
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
            where.error("frame-repeated", f"frame {frame} of {recording} has two files", fields.fix_of_two(recording))
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
        instances = detailed_rows(rows, {MASK: "str", POINTS: "object", tracks.ONLY: "Int64"})
        of_tracks = Faults()
        tracks.note(recording, tracks.ONLY, instances, classes.vocabulary, of_tracks)
        faulty |= {recording} if of_tracks.errors() else set()
        faults.extend(of_tracks.all())
        layer = Layer(recording, positions, instances)
        sizes = None
        if name in ("yolo-seg", "yolo-pose") and source.image_size is not None:
            sizes = pd.DataFrame({"position": positions, "width": source.image_size[0], "height": source.image_size[1]})
        if recording not in faulty:
            sound.append(Labels(recording, name, classes.vocabulary, Clock(Fraction(1)), instances=layer, detail=detail, frames=sizes))
    lists = () if not named else (ClassList(named[0], classes.ids, triplets=classes.triplets),)
    return Collection(tuple(sound), faults=faults.all(), lists=lists)


def _named(source: LabelFiles, faults: Faults) -> list[str]:
    """Return the files that name the classes; of darknet's those that ``obj.data`` names, and it is noted when nothing is there.

    Beside YAML a list of darknet that no ``obj.data`` names counts where it has as many names; else it is one of something else.
    """
    every = [file for file in sorted(source.files) if registry.only_names_classes(PurePosixPath(file))]
    points = [file for file in every if PurePosixPath(file).name == registry.POINTS_TO_NAMES]
    listed = [file for file in every if file not in points]
    spoken_of: set[str] = set()
    for file in points:
        text = documents.opened(documents.text, file, source.files[file], faults) or ""
        stated = NAMES_STATED.search(text)
        path = PurePosixPath("" if stated is None else stated[1].replace("\\", "/"))
        spoken_of |= {path.name} - {""}
        is_there = any(PurePosixPath(one).name == path.name for one in listed)
        if path.name and not is_there and all(one.endswith(registry.OF_DARKNET) for one in listed):
            what = f"the classes are named in {path}, and there is no such file"
            faults.error(file, "file-missing", what, "put it beside this file")
    in_yaml = next((_names_in(source, one, Faults()) or [] for one in listed if one.endswith(registry.NAMES_CLASSES)), None)
    kept = []
    for file in listed:
        is_spoken_of = not file.endswith(registry.OF_DARKNET) or PurePosixPath(file).name in spoken_of
        if is_spoken_of or (in_yaml is None and not spoken_of):
            kept.append(file)
        elif in_yaml and not spoken_of:
            names = _names_in(source, file, Faults()) or []
            if len(names) == len(in_yaml):
                kept.append(file)
            else:
                what = f"not read: it has {len(names)} names and the YAML beside it {len(in_yaml)}"
                faults.warning(file, "list-other", what, "name it in obj.data if it is that of the classes")
    return kept


def _are_alike(names: Sequence[str], others: Sequence[str]) -> bool:
    return [fold(name) or name for name in names] == [fold(name) or name for name in others]


def _classes(source: LabelFiles, named: Sequence[str], faults: Faults, form: str) -> Classes | None:
    """Return the classes; None after noting why the file that names them cannot be used."""
    chosen = source.vocabulary if source.vocabulary.name else None
    if not named and source.lists:
        return as_listed(Where(faults, min(source.files)), source, LISTS)
    if not named:
        vocabulary = chosen or load(DEFAULT)
        if chosen is None:
            what = f"no {LISTS} names the classes"
            recordings = {image[0] for file in source.files if (image := fields.recording_and_frame(file, source.root)) is not None}
            if form != "yolo4" and not all(map(OF_PROSTATD.fullmatch, recordings)):
                fix = "give their names by id, from 0, or choose the vocabulary that they number by --vocabulary"
                faults.error(min(source.files), "classes-unnamed", what, fix)
                return None
            what = f"{what}; they are taken as the {_size_of(vocabulary)} of '{vocabulary.name}'"
            faults.warning(min(source.files), "classes-unnamed", what, "choose others by --vocabulary")
        return whole_list(vocabulary)
    names = _names_in(source, named[0], faults)
    are_one = True
    for other in named[1:]:
        of_other = Faults()
        there = _names_in(source, other, of_other)
        if names is not None and there is not None and _are_alike(names, there):
            continue
        are_one = False
        faults.extend(of_other.all() if there is None else ())
        if names is not None:
            what = f"the classes are also named in {named[0]}{'' if there is None else ', and not as here'}"
            faults.error(other, "classes-repeated", what, "keep one, or move it out of the folder")
    if names is None or not are_one:
        return None
    return classes_of(Where(faults, named[0]).at("categories"), names, chosen, source.label_map)


def _names_in(source: LabelFiles, file: str, faults: Faults) -> list[str] | None:
    """Return the names that a file lists, by class; None after noting why it cannot be used."""
    where, text = Where(faults, file), documents.opened(documents.text, file, source.files[file], faults)
    if text is None:
        return None
    is_list = not file.endswith(registry.NAMES_CLASSES)
    names = [line.strip() for line in text.rstrip().splitlines()] if is_list else _names_of(where, text)
    if names is not None and not (names and all(names)):
        where.error("classes-form", "a class has no name", "give the names of the classes by id, from 0")
        return None
    return names


def _size_of(vocabulary: Vocabulary) -> str:
    return f"{len(vocabulary.triplets)} triplets" if vocabulary.triplets else f"{len(vocabulary.instruments)} instruments"


def _names_of(where: Where, text: str) -> list[str] | None:
    """Return the names in a data.yaml, by class."""
    root = yolo_rows.pairs_of_text(where, text)
    if root is None:
        return None
    names = yolo_rows.plain(root.get("names"))
    listed = names if isinstance(names, list) else _by_id(names if isinstance(names, dict) else {})
    if not listed or not all(isinstance(name, str) for name in listed):
        what = "'names' is no list of names"
        where.error("classes-form", what, "give the names of the classes by id, from 0 without a gap")
        return None
    count = yolo_rows.plain(root["nc"]) if "nc" in root else str(len(listed))
    if count != str(len(listed)):
        what = f"nc is {str(count)[:40]}, but there are {len(listed)} names"
        where.error("classes-form", what, "correct one of them")
        return None
    return [str(name).strip() for name in listed]


def _by_id(names: Mapping[str, Any]) -> list[Any]:
    by_id = {documents.frame_number(key): name for key, name in names.items()}
    return [by_id.get(i) for i in range(len(names))]


def _rows(source: LabelFiles, where: Where, row_of: Row, classes: Classes | None) -> list[dict[str, Any]]:
    text = documents.opened(documents.text, where.file, source.files[where.file], where.faults) or ""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    rows = [row_of(where.at(f"line {number}"), line, classes) for number, line in lines]
    return [row for row in rows if row is not None]


def rows_of(source: LabelFiles) -> list[list[str]]:
    """Return the cells of all rows."""
    names = [file for file in source.files if not registry.only_names_classes(PurePosixPath(file))]
    texts = (source.files[file].decode("utf-8-sig", errors="replace") for file in names)
    return [line.split() for text in texts for line in text.splitlines() if line.strip()]


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
    track = None
    if len(values) == widths[1] + 1 and yolo_rows.is_whole(line.split()[-1]):
        track = int(values.pop())
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
        where.error("score-range", f"confidence {score:g} is not in 0..1", "write it before the id of a track, if this is one")
        return None
    return None if ids is None or box is None else {**ids, **dict(zip("xywh", box, strict=True)), "score": score, tracks.ONLY: track}


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
    write_rows(collection, out, lambda classes, _, row, scored: line_of([class_of(classes, row)], _centred(row), row, scored=scored))


@writes(
    "yolo4",
    holds=("instances", "actions", "boxes", "repeats", "scores", "empty frames"),
    takes=lambda vocabulary: bool(vocabulary.triplets),
    needs=IDS,
)
def write_four(collection: Collection, out: Output) -> None:
    """Write ``labels/<recording>_<frame>.txt`` with four ids per row, and ``data.yaml``."""
    order = ("triplet_id", *IDS[:3])
    write_rows(collection, out, lambda _, __, row, scored: line_of([row[id_] for id_ in order], _centred(row), row, scored=scored))


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
