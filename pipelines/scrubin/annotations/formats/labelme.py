"""LabelMe JSON as in ProstaTD: ``<recording>/<source frame number>.json``, one file per labelled frame.

``shapes`` are rectangles by two corners in pixels; ``label`` is the instrument and ``attributes``
have ``Action`` and ``Target``. A file without shapes is labelled as "no instrument".
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import numpy as np

from scrubin.annotations import boxes, documents
from scrubin.annotations.labels import SOURCE_FRAMES, LabelFiles, Labels, Layer, instance_rows
from scrubin.annotations.problems import AnnotationProblems, Problems
from scrubin.annotations.registry import label_format
from scrubin.errors import AnnotationError
from scrubin.vocabulary.vocabulary import Kind, Vocabulary

KINDS: tuple[Kind, ...] = ("instrument", "verb", "target")


@label_format(
    "labelme",
    pattern=r"(?P<recording>[^/]+)/[0-9]{6,}\.json",
    expected="<recording>/<frame>.json with the source frame number in six digits, from 000000",
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of a recording's LabelMe files.

    Raises
    ------
    AnnotationProblems
        Names file, shape and value of every fault.
    """
    problems = Problems()
    instances: list[dict[str, Any]] = []
    sizes: dict[str, tuple[int, int]] = {}
    outside: list[float] = []
    frames: dict[int, str] = {}
    for file in sorted(source.files):
        frame = int(PurePosixPath(file).stem)
        if frame in frames:
            problems.add(file, "", f"frame {frame} is also in {frames[frame]}", "keep one of them")
        frames[frame] = file
        try:
            document = documents.json_object(file, source.files[file])
            sizes[file] = _image_size(file, document)
        except AnnotationProblems as error:
            problems.include(error)
            continue
        shapes = document.get("shapes")
        if not isinstance(shapes, list):
            problems.add(file, "shapes", f"expected a list, but got {documents.shown(shapes)}", "write [] for none")
            continue
        for i, shape in enumerate(shapes):
            row = _instance(source, file, f"shape {i}", shape, sizes[file], outside, problems)
            instances.append({"position": frame, **row})
    problems.raise_any()
    cut = (f"labelme: {len(outside)} boxes left the image by at most {max(outside):.4f} and were cut to it",) if outside else ()
    folder = PurePosixPath(min(source.files)).parent.as_posix()
    layer = Layer(folder, np.array(sorted(frames), np.int64), instance_rows(instances))
    return Labels(source.recording, "labelme", source.vocabulary, SOURCE_FRAMES, instances=layer, image_sizes=sizes, warnings=cut)


def _image_size(file: str, document: dict[str, Any]) -> tuple[int, int]:
    sides = (document.get("imageWidth"), document.get("imageHeight"))
    width, height = sides
    if type(width) is not int or type(height) is not int or width < 1 or height < 1:
        fault = f"imageWidth, imageHeight are {documents.shown(list(sides))}"
        raise AnnotationProblems([f"{file}: {fault}; give the size of the image in whole pixels"])
    return width, height


def _instance(
    source: LabelFiles, file: str, place: str, shape: Any, size: tuple[int, int], outside: list[float], problems: Problems
) -> dict[str, Any]:
    if not isinstance(shape, dict) or not isinstance(shape.get("attributes"), dict):
        problems.add(file, place, f"expected a shape with attributes, but got {documents.shown(shape)}", "give label, points, attributes")
        return {}
    if shape.get("shape_type", "rectangle") != "rectangle":
        problems.add(file, place, f"shape_type is {documents.shown(shape['shape_type'])}", "only rectangles can be read")
        return {}
    before = len(problems)
    ids = _ids(file, place, shape, source.vocabulary, problems)
    box = _box(file, place, shape.get("points"), size, problems)
    if len(problems) > before:
        return {}
    checked = boxes.check(box, source.box_tolerance)
    if checked.box_xywh is None:
        problems.add(file, place, f"points {documents.shown(shape['points'])} in an image of {size[0]}x{size[1]}", _corner_mend(checked))
        return {}
    if checked.outside > 0:
        outside.append(checked.outside)
    return {**ids, **dict(zip("xywh", checked.box_xywh, strict=True)), "score": 1.0}


def _ids(file: str, place: str, shape: dict[str, Any], vocabulary: Vocabulary, problems: Problems) -> dict[str, int]:
    names = (shape.get("label"), shape["attributes"].get("Action"), shape["attributes"].get("Target"))
    ids: list[int] = []
    for kind, field, name in zip(KINDS, ("label", "attribute Action", "attribute Target"), names, strict=True):
        if not isinstance(name, str):
            problems.add(file, place, f"{field} is {documents.shown(name)}, expected the name of the {kind}", "name it")
            continue
        try:
            ids.append(vocabulary.id_of(kind, name))
        except AnnotationError as error:
            problems.add(file, f"{place}, {field}", str(error), "correct it, or choose another vocabulary in params.yaml")
    if len(ids) < len(KINDS):
        return {}
    triplet = vocabulary.triplet_id(ids[0], ids[1], ids[2])
    if triplet is None:
        problems.add(file, place, f"'{','.join(map(str, names))}' is no triplet of '{vocabulary.name}'", "correct one of the three")
        return {}
    return {"instrument_id": ids[0], "verb_id": ids[1], "target_id": ids[2], "triplet_id": triplet}


def _box(file: str, place: str, points: Any, size: tuple[int, int], problems: Problems) -> boxes.XYWH:
    pairs = points if isinstance(points, list) else []
    flat = [value for pair in pairs for value in (pair if isinstance(pair, list) else [None])]
    if len(pairs) != 2 or len(flat) != 4 or any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in flat):
        problems.add(file, place, f"points are {documents.shown(points)}", "give two corners in pixels, [[x, y], [x, y]]")
        return 0.0, 0.0, 1.0, 1.0
    (x1, y1), (x2, y2) = pairs
    left, right, top, bottom = min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
    return left / size[0], top / size[1], (right - left) / size[0], (bottom - top) / size[1]


def _corner_mend(checked: boxes.Checked) -> str:
    return "they enclose nothing; draw the box again" if "no area" in checked.fault else "draw the box inside the image"
