"""LabelMe JSON as in ProstaTD: ``<recording>/<source frame number>.json`` (or with ``_``), one file per labelled frame.

``shapes`` are rectangles by two corners in pixels; ``label`` is the instrument and ``attributes``
have ``Action`` and ``Target``. A file without shapes is labelled as "no instrument". A triplet that
the vocabulary does not have is an error, unless a label map merges it into another.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from scrubin.core.faults import Fault, Faults, warning
from scrubin.errors import AnnotationError
from scrubin.labels import boxes, documents, evidence, fields
from scrubin.labels.model import IDS, SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, by_position, instance_rows
from scrubin.labels.registry import ByHand, Output, label_format, writes
from scrubin.vocabulary.vocabulary import Kind, Vocabulary

KINDS: tuple[Kind, ...] = ("instrument", "verb", "target")
DOCUMENT_KEYS = {"version", "shapes", "imagePath", "imageData", "imageHeight", "imageWidth"}
SHAPE_KEYS = {"label", "points", "shape_type", "attributes"}
ATTRIBUTES = {"Action", "Target"}
SMALLEST_IMAGE = 10
EMPTY: tuple[Any, ...] = (None, False, "", [], {})
PIXEL_DIGITS = 6  # far below what anybody draws, and short of the digits that division leaves


@label_format(
    "labelme",
    pattern=r"(?P<recording>[^/]+)[/_][0-9]{6,15}\.json",
    expected="<recording>/<frame>.json with the source frame number in six digits, from 000000, or <recording>_<frame>.json",
    title="LabelMe JSON as in ProstaTD: a file per frame, boxes with instrument, action and target",
    by_hand=ByHand(vocabulary="prostatd", fps=Fraction(1), fps_unstated=True, evidence=evidence.keys(shapes=list)),
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of a recording's LabelMe files.

    Raises
    ------
    AnnotationError
        Names file, shape and value of every fault.
    """
    faults = Faults()
    instances: list[dict[str, Any]] = []
    sizes: dict[str, tuple[int, int]] = {}
    outside: list[float] = []
    frames: dict[int, str] = {}
    merged: Counter[tuple[str, str]] = Counter()
    unkept: set[str] = set()
    for file in sorted(source.files):
        frame = int(PurePosixPath(file).stem.rsplit("_", 1)[-1])
        if frame in frames:
            faults.error(file, "format", f"frame {frame} is also in {frames[frame]}", "keep one of them")
        frames[frame] = file
        try:
            document = documents.json_object(file, source.files[file])
            sizes[file] = _image_size(file, document)
        except AnnotationError as error:
            faults.extend(error.faults)
            continue
        shapes = document.get("shapes")
        unkept |= {f"'{key}' of files" for key in document.keys() - DOCUMENT_KEYS if document[key] not in EMPTY}
        if not isinstance(shapes, list):
            faults.error(file, "format", f"expected a list, but got {documents.shown(shapes)}", "write [] for none", place="shapes")
            continue
        for i, shape in enumerate(shapes):
            row = _instance(source, file, f"shape {i}", shape, sizes[file], outside, merged, faults)
            instances.append({"position": frame, **row})
            unkept |= _unkept(shape)
    AnnotationError.raise_any(faults)
    sized = pd.DataFrame([(frame, *sizes[file]) for frame, file in sorted(frames.items())], columns=["position", "width", "height"])
    outside = outside if source.cut_boxes else []
    folder = PurePosixPath(min(source.files)).parent.as_posix()
    layer = Layer(folder, np.array(sorted(frames), np.int64), instance_rows(instances))
    return Labels(
        source.recording,
        "labelme",
        source.vocabulary,
        SOURCE_FRAMES,
        instances=layer,
        image_sizes=sizes,
        faults=(*boxes.cut_warning(folder, outside), *_unkept_warning(folder, unkept, source)),
        frames=sized,
        merged=merged,
    )


def _unkept_warning(folder: str, unkept: set[str], source: LabelFiles) -> tuple[Fault, ...]:
    """Return the warning of what is not kept; the stage publishes its warnings, and keys are anybody's words."""
    if source.sparse:
        return fields.unkept(folder, unkept)
    return (warning(folder, "not-kept", f"{len(unkept)} keys are not kept"),) if unkept else ()


def _unkept(shape: Any) -> set[str]:
    """Return what a shape says beyond labels; empty values say nothing."""
    if not isinstance(shape, dict) or not isinstance(shape.get("attributes"), dict):
        return set()
    of_shape = {f"'{key}' of shapes" for key in shape.keys() - SHAPE_KEYS if shape[key] not in EMPTY}
    return of_shape | {f"attribute '{key}' of shapes" for key in shape["attributes"].keys() - ATTRIBUTES}


def _image_size(file: str, document: dict[str, Any]) -> tuple[int, int]:
    sides = (document.get("imageWidth"), document.get("imageHeight"))
    width, height = sides
    if type(width) is not int or type(height) is not int or width < 1 or height < 1:
        fault = f"imageWidth, imageHeight are {documents.shown(list(sides))}"
        raise AnnotationError([Fault(file, "format", f"{fault}", "give the size of the image in whole pixels")])
    return width, height


def _instance(
    source: LabelFiles,
    file: str,
    place: str,
    shape: Any,
    size: tuple[int, int],
    outside: list[float],
    merged: Counter[tuple[str, str]],
    faults: Faults,
) -> dict[str, Any]:
    if not isinstance(shape, dict) or not isinstance(shape.get("attributes"), dict):
        faults.error(
            file,
            "format",
            f"expected a shape with attributes, but got {documents.shown(shape)}",
            "give label, points, attributes",
            place=place,
        )
        return {}
    if shape.get("shape_type", "rectangle") != "rectangle":
        faults.error(file, "format", f"shape_type is {documents.shown(shape['shape_type'])}", "only rectangles can be read", place=place)
        return {}
    before = len(faults)
    ids = _ids(source, file, place, shape, merged, faults)
    box = _box(file, place, shape.get("points"), size, faults)
    if len(faults) > before:
        return {}
    checked = boxes.check(box, source.box_tolerance)
    if min(size) > SMALLEST_IMAGE and max(box[0] + box[2], box[1] + box[3]) * max(size) <= 1:
        fault = f"points {documents.shown(shape['points'])} in an image of {size[0]}x{size[1]} are less than a pixel apart"
        faults.error(file, "format", fault, "they look like shares of the image; multiply by its size", place=place)
        return {}
    if checked.box_xywh is None:
        faults.error(
            file,
            "format",
            f"points {documents.shown(shape['points'])} in an image of {size[0]}x{size[1]}",
            _corner_mend(checked),
            place=place,
        )
        return {}
    if checked.outside > 0:
        outside.append(checked.outside)
    return {**ids, **dict(zip("xywh", checked.box_xywh if source.cut_boxes else box, strict=True)), "score": 1.0}


def _ids(
    source: LabelFiles, file: str, place: str, shape: dict[str, Any], merged: Counter[tuple[str, str]], faults: Faults
) -> dict[str, int]:
    names = _names(source, file, place, shape, merged, faults)
    vocabulary = source.vocabulary
    ids: list[int] = []
    for kind, field, name in zip(KINDS, ("label", "attribute Action", "attribute Target"), names, strict=True):
        try:
            ids += [] if name is None else [vocabulary.id_of(kind, name)]
        except AnnotationError as error:
            faults.error(file, "format", str(error), _other_vocabulary(vocabulary), place=f"{place}, {field}")
    if len(ids) < len(KINDS):
        return {}
    triplet = vocabulary.triplet_id(ids[0], ids[1], ids[2])
    if triplet is None:
        faults.error(
            file, "format", f"'{','.join(map(str, names))}' is no triplet of '{vocabulary.name}'", "correct one of the three", place=place
        )
        return {}
    return {"instrument_id": ids[0], "verb_id": ids[1], "target_id": ids[2], "triplet_id": triplet}


def _names(
    source: LabelFiles, file: str, place: str, shape: dict[str, Any], merged: Counter[tuple[str, str]], faults: Faults
) -> tuple[str | None, ...]:
    """Return instrument, action and target after the label map; None for what is no name."""
    given = (shape.get("label"), shape["attributes"].get("Action"), shape["attributes"].get("Target"))
    for kind, field, name in zip(KINDS, ("label", "attribute Action", "attribute Target"), given, strict=True):
        if not isinstance(name, str):
            faults.error(file, "format", f"{field} is {documents.shown(name)}, expected the name of the {kind}", "name it", place=place)
    instrument, verb, target = (name if isinstance(name, str) else None for name in given)
    if source.label_map is None or instrument is None or verb is None or target is None:
        return instrument, verb, target
    to = source.label_map.merged((instrument, verb, target))
    if to != (instrument, verb, target):
        merged[f"{instrument},{verb},{target}", ",".join(to)] += 1
    return to


def _other_vocabulary(vocabulary: Vocabulary) -> str:
    mapped = ", or merge it by a label map" if vocabulary.name == "prostatd" else ""
    return f"correct it, or choose another vocabulary (in params.yaml, by hand --vocabulary){mapped}"


def _box(file: str, place: str, points: Any, size: tuple[int, int], faults: Faults) -> boxes.XYWH:
    pairs = points if isinstance(points, list) else []
    flat = [value for pair in pairs for value in (pair if isinstance(pair, list) else [None])]
    if len(pairs) != 2 or len(flat) != 4 or any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in flat):
        faults.error(file, "format", f"points are {documents.shown(points)}", "give two corners in pixels, [[x, y], [x, y]]", place=place)
        return 0.0, 0.0, 1.0, 1.0
    (x1, y1), (x2, y2) = pairs
    left, right, top, bottom = min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
    return left / size[0], top / size[1], (right - left) / size[0], (bottom - top) / size[1]


def _corner_mend(checked: boxes.Checked) -> str:
    return "they enclose nothing; draw the box again" if "no area" in checked.fault else "draw the box inside the image"


@writes("labelme", holds=("instances", "actions", "boxes", "repeats", "empty frames"), pixels=True, needs=IDS[:3])
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>/<position>.json``, one file per labelled frame."""
    for labels in collection.recordings:
        sizes = {} if labels.frames is None else labels.frames.set_index("position")[["width", "height"]].to_dict("index")
        for position, rows in by_position(labels.instances).items():
            width, height = int(sizes[position]["width"]), int(sizes[position]["height"])
            document: dict[str, Any] = {
                "version": "5.0.1",
                "flags": {},
                "shapes": [_shape(row, labels.vocabulary, width, height) for row in rows],
                "imagePath": f"{position:06d}.jpg",
                "imageData": None,
                "imageHeight": height,
                "imageWidth": width,
            }
            out.files[f"{labels.recording}/{position:06d}.json"] = (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _shape(row: dict[str, Any], words: Vocabulary, width: int, height: int) -> dict[str, Any]:
    corners = [
        [round(x * width, PIXEL_DIGITS), round(y * height, PIXEL_DIGITS)]
        for x, y in ((row["x"], row["y"]), (row["x"] + row["w"], row["y"] + row["h"]))
    ]
    return {
        "label": words.instruments[row["instrument_id"]],
        "points": corners,
        "group_id": None,
        "shape_type": "rectangle",
        "flags": {},
        "attributes": {"Action": words.verbs[row["verb_id"]], "Target": words.targets[row["target_id"]]},
    }
