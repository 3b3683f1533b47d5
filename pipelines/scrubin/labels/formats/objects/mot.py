"""Tracks as text: ``<video>.txt``, a box per line: frame, id, left, top, width, height, confidence, class, and what is not read.

``mot`` is that of MOTChallenge, as its files and most trackers write it: frames are numbered from 1, boxes are in px, and the size of the
images stands in ``seqinfo.ini`` beside the file (``imWidth``, ``imHeight``), or is named by ``--image-size``. ``cholectrack20-txt`` is
what CholecTrack20's benchmark takes: frames are those of its JSON, as they stand there, at 25 fps, and images are of 854x480.
An id is a name and means something in its video only; below 0 it is none, as in files of detections. Classes are the instruments of the
vocabulary from 0, or those that ``seqinfo.ini`` lists as ``classes``, with commas, else in predictions those that the ground truth
lists; -1 is none. In ten columns the last three are a place in the world, which is not kept, unless the last two are -1. Boxes are drawn
whole, also where they leave the image. Where ``seqinfo.ini`` has ``seqLength``, every frame is labelled; else those with a box are.
Of labels whose confidences are 0 and 1 alone, a box with 0 is not considered, and left out. ``frameRate`` is by how many frames a second
frames are numbered, maybe rounded. ``<video>/gt/gt.txt`` is named after its folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import fold
from scrubin.labels import registry, tracks
from scrubin.labels.formats.objects.coco import ids_of
from scrubin.labels.model import (
    SOURCE_FRAMES,
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
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.columns import Classes, as_listed, classes_of, note_beyond
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

PATTERN = r"(?:[^/]+\.txt|seqinfo\.ini)"
EXPECTED = "<video>.txt or <video>/gt/gt.txt, with <video>/seqinfo.ini"
COLUMNS = ("frame", "id", "left", "top", "width", "height", "confidence", "class", "visibility")
CLASS_AT = COLUMNS.index("class")
FEWEST, MOST = 7, 10
NAMES: Mapping[str, tuple[str, ...]] = {
    "frame": ("frame", "frameid", "frameindex", "framenumber", "frameno"),
    "id": ("id", "trackid", "objectid", "objid", "targetid", "identity"),
    "left": ("left", "bbleft", "bboxleft", "x", "x1", "xmin"),
    "top": ("top", "bbtop", "bboxtop", "y", "y1", "ymin"),
    "width": ("width", "bbwidth", "bboxwidth", "w"),
    "height": ("height", "bbheight", "bboxheight", "h"),
    "confidence": ("confidence", "conf", "score"),
    "class": ("class", "classid", "category", "categoryid", "cls"),
    "visibility": ("visibility", "vis", "visible"),
}
"""What the columns are called where the first line names them, folded; those of a place in the world are called anything."""
SEQINFO = "seqinfo.ini"
LABELS = "labels.txt"
"""Beside ``gt.txt``: the names of the classes, one per line, of which the first is class 1, as CVAT and datumaro write it."""
VISIBLE = "visible_share"
DETAILS = {tracks.ONLY: "Int64", VISIBLE: "float64"}
TEXT = r"[^/]+\.txt"
NUMBER = re.compile(r"[+-]?(?:[0-9]{1,15}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?")
STATED = re.compile(r"^\s*(imWidth|imHeight|seqLength)\s*=\s*([0-9]{1,9})\s*$", re.MULTILINE)
FRAME_RATE = re.compile(r"^\s*frameRate\s*=\s*([0-9]{1,4}(?:\.[0-9]{1,9})?)\s*$", re.MULTILINE)
CLASSES = re.compile(r"^\s*classes\s*=\s*(.*?)\s*$", re.MULTILINE)
PX_DIGITS = 4
RATE_DIGITS = 6
BEYOND = 1.0
"""So far of its side a box may leave the image."""


@dataclass(frozen=True)
class Layout:
    """What is not the same in the two formats.

    Parameters
    ----------
    name
        Of the format.
    first
        The number of the first frame.
    clock
        What a frame counts.
    size
        Width and height of images in px where nothing states it; None: it is asked for.
    """

    name: str
    first: int
    clock: Clock
    size: tuple[int, int] | None = None


MOT = Layout("mot", 1, Clock(Fraction(1)))
CHOLECTRACK20 = Layout("cholectrack20-txt", 0, SOURCE_FRAMES, (854, 480))


def _cells(path: Path) -> list[str]:
    """Return the cells of the first line with any, if all are numbers and so many that no other table has them."""
    lines = [line for line in registry.head(path).splitlines() if line.strip()] if path.suffix.lower() == ".txt" else []
    header, *first = [_split(line) for line in lines[:2]] or [[]]
    if not _misnamed(header):
        return first[0] if first and len(first[0]) == len(header) and all(map(NUMBER.fullmatch, first[0])) else []
    cells = header
    return cells if len(cells) in (len(COLUMNS), MOST) and all(NUMBER.fullmatch(cell) for cell in cells) else []


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.rstrip().rstrip(",").split(",")]


def _misnamed(header: Sequence[str]) -> list[str]:
    """Return what a first line calls columns otherwise than they are read; all of it where they are too few, or too many."""
    if not FEWEST <= len(header) <= MOST:
        return list(header)
    of_world = len(COLUMNS) - 2 if len(header) == MOST else len(COLUMNS)
    return [cell for name, cell in list(zip(COLUMNS, header, strict=False))[:of_world] if fold(cell) not in NAMES[name]]


def _is_mot(path: Path) -> bool:
    return (
        "imWidth" in registry.head(path) if registry.known_name(path) == SEQINFO else bool(_cells(path)) and not _is_of_cholectrack20(path)
    )


def _is_of_cholectrack20(path: Path) -> bool:
    cells = _cells(path)
    return len(cells) == MOST and not cells[7].startswith("-") and all(float(cell) == -1 for cell in cells[8:])


@dataset_format(
    "mot",
    pattern=PATTERN,
    expected=EXPECTED,
    title="MOTChallenge text: frame, id, left, top, width, height, confidence, class; frames from 1, boxes in px",
    by_hand=ByHand(
        vocabulary="cholectrack20",
        fps=Fraction(1),
        fps_unstated=True,
        first=MOT.first,
        evidence=_is_mot,
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return the tracks of the videos whose files have no error; all faults are in ``Collection.faults``."""
    return _read(source, MOT)


@dataset_format(
    "cholectrack20-txt",
    pattern=TEXT,
    expected="<video>.txt",
    title="CholecTrack20's predictions: frame as in its JSON, id, left, top, width, height, confidence, class, -1, -1; read only",
    by_hand=ByHand(
        vocabulary="cholectrack20",
        fps=Fraction(25),
        evidence=_is_of_cholectrack20,
        holds=("instances", "boxes", "repeats", "scores", "details", "partial"),
    ),
)
def read_of_cholectrack20(source: LabelFiles) -> Collection:
    """Return the tracks of the videos whose files have no error; all faults are in ``Collection.faults``."""
    return _read(source, CHOLECTRACK20)


def _read(source: LabelFiles, layout: Layout) -> Collection:
    faults = Faults()
    # Tracks are of instruments: a list of triplets says nothing of their numbers.
    source = replace(source, lists=tuple(one for one in source.lists if not one.triplets))
    recordings: dict[str, Labels] = {}
    lists: list[ClassList] = []
    unlisted: list[ClassList] = []
    first: dict[str, str] = {}
    for file, data in sorted(source.files.items()):
        path = PurePosixPath(file)
        if path.name == SEQINFO or (path.name == LABELS and str(path.with_name("gt.txt")) in source.files):
            continue
        of_file = Faults()
        name = path.parent.parent.name if (path.parent.name, path.name) == ("gt", "gt.txt") else path.stem
        if first.setdefault(name, file) != file:
            of_file.error(file, "file-repeated", f"{name} has two files", f"keep this one or {first[name]}")
        labels = _labels(source, layout, Where(of_file, file), name, data)
        if labels is not None and not of_file.errors():
            recordings[name], of_video = labels
            (lists if of_video.file else unlisted).append(replace(of_video, file=of_video.file or file))
        faults.extend(of_file.all())
    if layout is MOT and not source.predicted:
        recordings = _considered(recordings, faults)
    if source.lists and not source.lists[0].first and unlisted and not lists:
        _note_none_of_first(source, recordings, unlisted[0].file, faults)
    # Beside a list of another video, the order of the vocabulary is one, too.
    every = tuple(one for one in (*lists, *unlisted) if one.ids) if lists else ()
    return Collection(tuple(labels for _, labels in sorted(recordings.items())), faults=faults.all(), lists=every)


def _considered(recordings: Mapping[str, Labels], faults: Faults) -> dict[str, Labels]:
    """Return labels without the boxes that are marked as not considered, which are counted.

    MOTChallenge marks them by the confidence 0, others by 1, and TrackEval leaves them out, too. Where confidences are other numbers, too,
    they are those of predictions.
    """
    layers = {name: labels.instances for name, labels in recordings.items() if labels.instances is not None}
    scores = {score for layer in layers.values() for score in layer.rows["score"].dropna().tolist()}
    if not scores <= {0.0, 1.0} or 0.0 not in scores:
        return dict(recordings)
    counts = {name: int((layer.rows["score"] == 0).sum()) for name, layer in layers.items()}
    if sum(counts.values()) == sum(len(layer.rows) for layer in layers.values()):
        what = "every box of the ground truth has the confidence 0, which marks it as not considered"
        faults.error(min(layer.file for layer in layers.values()), "not-considered", what, "write 1 where a box counts")
        return dict(recordings)
    kept = dict(recordings)
    for name, layer in layers.items():
        if counts[name]:
            rows = layer.rows[layer.rows["score"].fillna(1.0) != 0].reset_index(drop=True)
            kept[name] = replace(recordings[name], instances=replace(layer, rows=rows))
            what = f"boxes with the confidence 0 are marked as not considered, and left out as by TrackEval: {counts[name]}"
            faults.warning(layer.file, "not-considered", what, "")
    return kept


def _note_none_of_first(source: LabelFiles, recordings: Mapping[str, Labels], file: str, faults: Faults) -> None:
    """Note that no predicted box is of class 0: numbers that are ids of categories from 1 are read as the class behind each."""
    found = {int(one) for of in recordings.values() if of.instances is not None for one in of.instances.rows["instrument_id"].dropna()}
    listed = source.lists[0].ids
    if not found or listed[0] in found or not found <= set(listed):
        return
    names, least = source.vocabulary.instruments, min(map(listed.index, found))
    what = f"no box has class 0, {names[listed[0]]}: classes are counted from 0, so {least} is read as {names[listed[least]]}"
    faults.warning(file, "class-first", what, "if your numbers are ids of categories, which count from 1, subtract 1")


def _stated(source: LabelFiles, where: Where) -> Where | None:
    """Return the ``seqinfo.ini`` of a video; None where there is none."""
    path = PurePosixPath(where.file)
    near = [str(folder / SEQINFO) for folder in (path.parent / path.stem, path.parent, path.parent.parent)]
    return next((Where(where.faults, file) for file in near if file in source.files), None)


def _classes(source: LabelFiles, where: Where | None, text: str, of_boxes: Where | None) -> Classes | None:
    """Return the classes by id; None after noting names that cannot be used.

    Parameters
    ----------
    where, text
        Of the ``seqinfo.ini``.
    of_boxes
        The file whose boxes have classes that the ground truth may number; None where it has none such.
    """
    listed = CLASSES.search(text)
    if where is None or listed is None:
        if source.lists and of_boxes is not None:
            return as_listed(of_boxes, source, f"a line classes= of <video>/{SEQINFO}", from_one=True)
        return Classes(source.vocabulary, False, tuple(range(len(source.vocabulary.instruments))))
    names = [name.strip() for name in listed[1].split(",")]
    if not all(names):
        where.error("classes-form", "a class has no name", "give the names of the classes by id, from 0, with commas")
        return None
    is_known = all(source.vocabulary.find("instrument", name) is not None for name in names)
    return classes_of(where.at("classes"), names, source.vocabulary if is_known else None, source.label_map)


def _classes_beside(source: LabelFiles, where: Where) -> Classes | None:
    """Return the classes of ``labels.txt`` beside a file; None where there is none, or after noting what is wrong with it."""
    file = str(PurePosixPath(where.file).with_name(LABELS))
    if PurePosixPath(where.file).name != "gt.txt" or file not in source.files:
        return None
    beside = Where(where.faults, file)
    text = documents.opened(documents.text, file, source.files[file], where.faults)
    lines = (text or "").rstrip().splitlines()
    wrong = next((number for number, line in enumerate(lines, start=1) if "," in line or not line.strip()), None)
    if wrong is not None:
        what = f"{documents.shown(lines[wrong - 1])} is no name of a class"
        beside.at(f"line {wrong}").error("classes-form", what, "give one name per line, the first is class 1")
    names = ",".join(lines)
    return None if text is None or beside.faults.errors() else _classes(source, beside, f"classes={names}", None)


def _labels(source: LabelFiles, layout: Layout, where: Where, name: str, data: bytes) -> tuple[Labels, ClassList] | None:
    """Return the labels of a video and its list of classes, whose file is "" where it has none; None after noting an error."""
    beside = _stated(source, where)
    info = "" if beside is None else documents.opened(documents.text, beside.file, source.files[beside.file], where.faults) or ""
    stated = {key: int(value) for key, value in STATED.findall(info) if int(value)}
    size = (stated["imWidth"], stated["imHeight"]) if {"imWidth", "imHeight"} <= stated.keys() else source.image_size or layout.size
    in_seqinfo = beside is not None and CLASSES.search(info) is not None
    listed = None if in_seqinfo else _classes_beside(source, where)
    text = documents.opened(documents.text, where.file, data, where.faults)
    may_be_listed = layout is MOT and text is not None and any(map(_states_class, text.splitlines()))
    classes = listed or _classes(source, beside, info, where if may_be_listed else None)
    if text is None or classes is None:
        return None
    if size is None:
        what = "boxes are in px, and nothing says the size of the images"
        where.error("image-size", what, f"give --image-size WIDTHxHEIGHT, or {SEQINFO} with imWidth and imHeight beside it")
        return None
    list_file = beside.file if beside is not None and in_seqinfo else str(PurePosixPath(where.file).with_name(LABELS)) if listed else ""
    # ``labels.txt`` numbers classes from 1, as MOTChallenge does.
    first_class = source.lists[0].first if classes.said else int(listed is not None)
    rows = []
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if lines and not any(map(NUMBER.fullmatch, _split(lines[0][1]))):
        misnamed = _misnamed(_split(lines.pop(0)[1]))
        if misnamed:
            what = (
                f"the first line has neither numbers nor the names of these columns between commas: {documents.shown(', '.join(misnamed))}"
            )
            where.error("header", what, f"write {', '.join(COLUMNS)} in this order, with or without a first line that names them")
            return None
    for number, line in lines:
        row = _row(where.at(f"line {number}"), line, layout, size, source.box_tolerance, classes, first_class=first_class)
        rows += [] if row is None else [row]
    instances = detailed_rows(sorted(rows, key=lambda row: int(row["position"])), DETAILS)
    # Messages name frames as the file does.
    as_named = instances.assign(position=instances["position"] + layout.first)
    tracks.note(where.file, tracks.ONLY, as_named, classes.vocabulary, where.faults)
    without = tracks.without_track(as_named, tracks.ONLY).tolist()
    if without:
        where.faults.warning(where.file, "track-missing", "boxes have no id, as detections do", "", frames=without, count=len(without))
    last = max((int(row["position"]) for row in rows), default=-1)
    length = stated.get("seqLength", 0)
    if 0 < length <= last:
        where.error("frame-range", f"frame {last + layout.first} is beyond the {length} of {SEQINFO}", "correct one of them")
    positions = list(range(length)) if length else sorted({int(row["position"]) for row in rows})
    frames = pd.DataFrame({"position": positions, "width": size[0], "height": size[1]})
    layer = Layer(where.file, np.array(positions, np.int64), instances)
    detail: Detail = "triplet" if classes.triplets else "instrument"
    counts = not classes.triplets and (bool(list_file) or bool(instances["instrument_id"].notna().any()))
    of_video = ClassList(list_file, classes.ids if counts else (), first_class, recordings=(name,))
    fps = _rate(info) if layout is MOT else None
    clock = SOURCE_FRAMES if fps is not None else layout.clock
    labels = Labels(name, layout.name, classes.vocabulary, clock, instances=layer, detail=detail, frames=frames, source_fps=fps)
    return replace(labels, fitting_fps=_fitting(info) if fps is not None else ()), of_video


def _rate(info: str) -> Fraction | None:
    """Return the frames per second that a ``seqinfo.ini`` states; None where it states none."""
    stated = FRAME_RATE.search(info)
    return None if stated is None else fields.rate(float(stated[1]))


def _fitting(info: str) -> fields.RateRanges:
    """Return of which rates the one that a ``seqinfo.ini`` states is the rounding: MOTChallenge has whole numbers."""
    stated = FRAME_RATE.search(info)
    text = "" if stated is None else stated[1]
    half = 0.5 / 10 ** len(text.partition(".")[2])
    return ((float(text) - half, float(text) + half),) if text else ()


def _states_class(line: str) -> bool:
    """Return whether a line has a class; of ten columns that end in a place in the world, none is."""
    cells = _split(line)
    in_world = len(cells) == MOST and not all(NUMBER.fullmatch(cell) and float(cell) == -1 for cell in cells[-2:])
    stated = cells[CLASS_AT] if len(cells) > CLASS_AT and not in_world else ""
    return NUMBER.fullmatch(stated) is not None and float(stated) != -1


def _row(
    where: Where, line: str, layout: Layout, size: tuple[int, int], tolerance: float, classes: Classes, *, first_class: int
) -> dict[str, Any] | None:
    cells = _split(line)
    if not FEWEST <= len(cells) <= MOST:
        what = f"{len(cells)} values, expected {FEWEST} to {MOST}"
        where.error("row-length", what, f"write {', '.join(COLUMNS)}, separated by commas")
        return None
    if not all(NUMBER.fullmatch(cell) for cell in cells):
        where.error("value-type", f"{documents.shown(line.strip()[:60])} is not all numbers", "write numbers, separated by commas")
        return None
    values = dict(zip(COLUMNS, map(float, cells), strict=False))
    if len(cells) == MOST and not values["visibility"] == float(cells[-1]) == -1:
        where.at("").warning("not-kept", "not kept: places in the world")
        del values["class"]
    numbers = {key: values[key] for key in ("frame", "id", "class") if key in values}
    whole: dict[str, Any] = {key: int(value) if value.is_integer() else value for key, value in numbers.items()}
    frame = fields.whole(where, whole, "frame", low=layout.first)
    id_ = fields.whole(where, whole, "id", low=-fields.LARGEST)
    box = fields.pixel_box(where, {"bbox": [values[side] for side in COLUMNS[2:6]]}, size, max(tolerance, BEYOND))
    score = None if values["confidence"] == -1 else values["confidence"]
    if score is not None and not 0 <= score <= 1:
        where.error("score-range", f"confidence {score:g} is not in 0..1", "write -1 where there is none")
        return None
    ids: Mapping[str, int] | None = {}
    if whole.get("class", -1) != -1:
        if note_beyond(where, whole["class"], classes, first_class):
            return None
        class_ = fields.whole(where, whole, "class", low=first_class, high=len(classes.ids) - 1 + first_class)
        ids = None if class_ is None else ids_of(classes, classes.ids[class_ - first_class])
    if frame is None or id_ is None or box is None or ids is None:
        return None
    visible = values.get("visibility", -1.0)
    details = {tracks.ONLY: None if id_ < 0 else id_, VISIBLE: visible if len(cells) < MOST and 0 <= visible <= 1 else None}
    return {"position": frame - layout.first, **ids, **dict(zip("xywh", box, strict=True)), "score": score, **details}


@writes(
    "mot",
    holds=("instances", "boxes", "repeats", "scores", "details", "partial", "empty frames"),
    pixels=True,
    nameless=True,
    several_rates=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<video>.txt`` and ``<video>/seqinfo.ini`` per recording, with rates where they are several; a box without an id has -1."""
    labelled = [labels for labels in collection.recordings if labels.instances is not None]
    periods = {labels.clock.period_s for labels in labelled}
    for labels in labelled:
        layer = labels.instances
        assert layer is not None
        assert labels.frames is not None
        column = tracks.written_column(layer.rows)
        out.lose_details(layer.rows, {column, VISIBLE})
        sizes = labels.frames.set_index("position")[["width", "height"]].astype(int).to_dict("index")
        per_frame = by_position(layer)
        lines = [_line(at, row, sizes[at], column) for at, rows in per_frame.items() for row in rows]
        positions = list(per_frame)
        is_whole = positions == list(range(len(positions)))
        if not is_whole:
            out.lose("frames labelled as empty", sum(not rows for rows in per_frame.values()))
        size = sizes[positions[0]]
        period_s = labels.clock.period_s
        # Of one rate somebody says it when the files are read; 1 is what nobody said.
        is_told = period_s is not None and period_s != MOT.clock.period_s and len(periods) > 1
        rate = [f"frameRate={_digits(1 / period_s)}"] if period_s is not None and is_told else []
        info = [f"name={labels.recording}", *rate, *([f"seqLength={len(positions)}"] if is_whole else [])]
        info += [f"imWidth={size['width']}", f"imHeight={size['height']}", f"classes={','.join(labels.vocabulary.instruments)}"]
        out.files[f"{labels.recording}.txt"] = "".join(lines).encode()
        out.files[f"{labels.recording}/{SEQINFO}"] = ("[Sequence]\n" + "".join(f"{line}\n" for line in info)).encode()


def _line(position: int, row: Mapping[str, Any], size: Mapping[Any, int], column: str) -> str:
    sides = (size["width"], size["height"], size["width"], size["height"])
    box = [_written(row[side] * length) for side, length in zip("xywh", sides, strict=True)]
    id_, class_ = (-1 if value is None else int(value) for value in (row.get(column), row["instrument_id"]))
    score, visible = (-1 if value is None else value for value in (row["score"], row.get(VISIBLE)))
    return ",".join(map(str, [position + MOT.first, id_, *box, _written(score), class_, _written(visible)])) + "\n"


def _digits(rate: Fraction) -> str:
    return f"{float(rate):.{RATE_DIGITS}f}".rstrip("0").rstrip(".")


def _written(value: float) -> str:
    """Return a number with as few digits as it has; boxes are rounded."""
    return f"{round(value, PX_DIGITS) + 0.0:.{PX_DIGITS}f}".rstrip("0").rstrip(".")
