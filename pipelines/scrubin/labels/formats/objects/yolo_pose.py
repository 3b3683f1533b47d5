"""YOLO text of poses: one file per frame, a row per instance; the class, the box as of YOLO's boxes, the points ``x y visibility ...``.

Points are shares of the image; ``0 0 0`` is not labelled. ``data.yaml`` says how many there are and whether they have a visibility
(``kpt_shape``), and may name those of each class (``kpt_names``); without names they are numbered. Predictions have the confidence behind
the points, of trackers also the id of the track, and may have confidences in place of visibilities. An empty file is labelled as "no
instrument".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from scrubin.base.faults import Faults
from scrubin.labels import tracks
from scrubin.labels.formats.objects import yolo
from scrubin.labels.formats.objects.coco import class_of, one_list, points_by_class
from scrubin.labels.model import Collection, LabelFiles
from scrubin.labels.parse import documents, points, yolo_rows
from scrubin.labels.parse.columns import Classes
from scrubin.labels.parse.fields import Where
from scrubin.labels.points import POINTS, UNLABELLED, VISIBLE, Point, unlabelled
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

WITH_VISIBILITY = yolo_rows.OF_POINT
ASK = "say it in data.yaml, such as kpt_shape: [7, 3]"


@dataclass
class _Shape:
    """How many points an instance has, None as long as nothing says it, and of how many numbers each is.

    ``names`` are, by class as rows number them, those of its points; None where no file names any.
    """

    count: int | None = None
    width: int = WITH_VISIBILITY
    names: Mapping[int, tuple[str, ...]] | None = None

    def names_of(self, class_: int) -> tuple[str, ...]:
        return points.numbered(self.count or 0) if self.names is None else self.names.get(class_, ())


@dataset_format(
    "yolo-pose",
    pattern=yolo.PATTERN,
    expected=yolo.EXPECTED,
    title="YOLO txt of poses: class cx cy w h, then x y visibility of each point",
    by_hand=ByHand(fps=yolo.BY_HAND.fps, fps_unstated=True, evidence=lambda path: "points" in yolo_rows.kinds(path)),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of the recordings whose files have no error; all faults are in ``Collection.faults``."""
    faults = Faults()
    shape = _shape_of(source, faults)
    if shape is None:
        return Collection(faults=faults.all())
    read = yolo.collection_of(source, "yolo-pose", partial(_row, source, shape))
    points = None if shape.count is None else (shape.count, shape.width)
    return replace(read, lists=tuple(replace(one, points=points) for one in read.lists))


def _shape_of(source: LabelFiles, faults: Faults) -> _Shape | None:
    """Return what data.yaml says of points, else the ground truth; None after noting why it cannot be used.

    What it says of classes is read elsewhere.
    """
    named = next((file for file in sorted(source.files) if file.endswith((".yaml", ".yml"))), None)
    text = None if named is None else documents.opened(documents.text, named, source.files[named], Faults())
    root = {} if text is None or named is None else yolo_rows.pairs_of_text(Where(Faults(), named), text) or {}
    stated, of_names = yolo_rows.shape_of(root.get(yolo_rows.SHAPE)), yolo_rows.plain(root.get("kpt_names"))
    where = Where(faults, named or "")
    if stated == (0, 0):
        what = f"{yolo_rows.SHAPE} is {documents.shown(yolo_rows.plain(root[yolo_rows.SHAPE]))}"
        where.error("points-form", what, "give the number of points, and 2 or 3 numbers of each")
        return None
    if stated is None:
        of_truth = {one.points for one in source.lists}
        stated = of_truth.pop() if len(of_truth) == 1 else None
        if stated is not None and not _have_width(source, *stated) and _have_width(source, stated[0], WITH_VISIBILITY):
            stated = (stated[0], WITH_VISIBILITY)  # confidences of points whose labels have none
    shape = _Shape() if stated is None else _Shape(*stated)
    if of_names is not None:
        listed = {str(at): one for at, one in enumerate(of_names)} if isinstance(of_names, list) else of_names
        sound = isinstance(listed, dict) and all(_are_names(one) and documents.frame_number(key) is not None for key, one in listed.items())
        most = max((len(one) for one in listed.values()), default=0) if isinstance(listed, dict) and sound else 0
        if not sound or not isinstance(listed, dict) or (shape.count is not None and most > shape.count):
            what = f"kpt_names are {documents.shown(of_names)}"
            where.error("points-names", what, "give different names by class, at most as many as kpt_shape says")
            return None
        shape = _Shape(
            most if shape.count is None else shape.count,
            shape.width,
            {documents.frame_number(key) or 0: tuple(one) for key, one in listed.items()},
        )
    return shape


def _have_width(source: LabelFiles, count: int, width: int) -> bool:
    """Return whether every row has so many points of so many numbers."""
    return all(yolo_rows.has_shape(row, count * width) for row in yolo.rows_of(source))


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) and name for name in value) and len(set(value)) == len(value)


def _row(source: LabelFiles, shape: _Shape, where: Where, line: str, classes: Classes | None) -> dict[str, Any] | None:
    values = yolo.numbers_of(where, line)
    if values is None:
        return None
    if shape.count is None and len(values) >= yolo_rows.OF_BOX + shape.width:
        shape.count = (len(values) - yolo_rows.OF_BOX) // shape.width
    expected = yolo_rows.OF_BOX + (shape.count or 0) * shape.width
    track = int(values.pop()) if len(values) == expected + 2 and yolo_rows.is_whole(line.split()[-1]) else None
    if shape.count is None or len(values) not in (expected, expected + 1):
        count = "some" if shape.count is None else shape.count
        what = f"{len(values)} values, expected {yolo_rows.OF_BOX} and {count} points of {shape.width} numbers, perhaps a confidence"
        where.error("row-length", what, yolo.OTHER_FORMAT.get(len(values), f"export it again, or {ASK}"))
        return None
    is_predicted = len(values) > expected
    score = values.pop() if is_predicted else 1.0
    if not 0 <= score <= 1:
        where.error("score-range", f"confidence {score:g} is not in 0..1", "export it again")
        return None
    ids = None if classes is None else yolo.single(where, values, classes)
    box = yolo.centred_box(where, (values[1], values[2], values[3], values[4]), source.box_tolerance)
    if ids is None or box is None:
        return None
    found = _points(source, shape, where, values, is_predicted=is_predicted)
    return (
        None if found is None else {**ids, **dict(zip("xywh", box, strict=True)), "score": score, POINTS: found or None, tracks.ONLY: track}
    )


def _points(source: LabelFiles, shape: _Shape, where: Where, values: list[float], *, is_predicted: bool) -> tuple[Point, ...] | None:
    """Return the points of a row, none for a class without; None after noting what is wrong with one."""
    names, found, is_sound = shape.names_of(int(values[0])), [], True
    for at in range(shape.count or 0):
        first = yolo_rows.OF_BOX + at * shape.width
        x, y, *rest = values[first : first + shape.width]
        visibility = rest[0] if rest else float(VISIBLE if (x, y) != (0, 0) else UNLABELLED)
        if is_predicted or (source.predicted and 0 < visibility < 1):  # without confidences of rows there may be some of points
            visibility = VISIBLE if any((x, y, *rest)) else UNLABELLED
        name = names[at] if at < len(names) else str(at + 1)
        of_point = where.at(f"{where.place}, point {name}")
        tolerance = max(source.box_tolerance, points.FARTHEST) if is_predicted else source.box_tolerance
        place = points.checked(of_point, (x, y), visibility, tolerance)
        if at >= len(names):
            if place is not None and place[2]:
                of_point.error("points-number", f"the class has {len(names)} points", "name all points of the class in kpt_names")
                is_sound = False
            continue
        is_sound &= place is not None
        if place is not None:
            found.append(Point(name, *place))
    return tuple(found) if is_sound else None


@writes("yolo-pose", holds=("instances", "boxes", "points", "repeats", "scores", "empty frames"))
def write(collection: Collection, out: Output) -> None:
    """Write ``labels/<recording>_<frame>.txt`` per labelled frame and ``data.yaml``; what a class lacks of points is ``0 0 0``."""
    labelled = [labels for labels in collection.recordings if labels.instances is not None]
    classes = one_list(labelled)
    values, of_classes = points_by_class(labelled, classes)
    most = max(map(len, of_classes.values()), default=0)
    out.lose(
        "instances without points of classes with points", sum(of.count(None) for class_, of in values.items() if class_ in of_classes)
    )

    def line(_: Classes, at: tuple[str, int], row: Mapping[str, Any], scored: bool) -> str:
        return _line(class_of(classes, row), row, of_classes, most, scored=scored)

    yolo.write_rows(collection, out, line)
    listed = "".join(f"  {class_}: {json.dumps(list(names), ensure_ascii=False)}\n" for class_, names in sorted(of_classes.items()))
    of_points = f"kpt_shape: [{most}, {WITH_VISIBILITY}]\n" + (f"kpt_names:\n{listed}" if listed else "")
    out.files["data.yaml"] += of_points.encode()


def _line(class_: int, row: Mapping[str, Any], of_classes: Mapping[int, tuple[str, ...]], most: int, *, scored: bool) -> str:
    by_name = {point.name: point for point in row.get(POINTS) or ()}
    own = [by_name.get(name, unlabelled(name)) for name in of_classes.get(class_, ())]
    filled = [*own, *[unlabelled("")] * (most - len(own))]
    written = [f"{point.x:.6f} {point.y:.6f} {point.visibility}" if point.labelled else "0 0 0" for point in filled]
    score = [] if not scored else [f"{1.0 if row['score'] is None else row['score']:.6f}"]
    return " ".join([yolo.line_of_box([class_], row), *written, *score]) + "\n"
