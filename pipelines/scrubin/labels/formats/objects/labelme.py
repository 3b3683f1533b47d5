"""LabelMe JSON as in ProstaTD: ``<recording>/<source frame number>.json`` (or with ``_``), one file per labelled frame.

``shapes`` are rectangles, polygons or masks, as `labelme_shapes` has them. A polygon is a mask with the box around its corners. Polygons
and masks of one frame with one label and one ``group_id`` are parts of one instance, as in CholecInstanceSeg; polygons are drawn as those
of COCO. A ``point`` belongs to the instance that has its ``group_id``; its ``label`` is its name, and the flag ``hidden`` says that it is
not seen. A shape with the label ``ignore`` is no instance: its pixels are not counted for or against anybody. Any other ``label`` is the
instrument, and ``attributes`` have ``Action`` and ``Target``. Without ``attributes`` only the instrument is labelled. A file without shapes
is labelled as "no instrument". A triplet that the vocabulary does not have is an error, unless a label map merges it into another. Files of
other vocabularies than ProstaTD's name theirs at ``vocabulary``; where no shape of a recording has attributes, the first known vocabulary
with all its labels counts, else they are one of their own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import PARTS, Vocabulary, fold
from scrubin.labels import registry
from scrubin.labels.masks import rle
from scrubin.labels.model import IGNORED, MASK, SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, by_position, detailed_rows
from scrubin.labels.parse import documents, fields, labelme_shapes, mask_pictures, masks, points
from scrubin.labels.parse.columns import classes_of
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.labelme_shapes import OF_FORM, PIXELS, POLYGON, RECTANGLE
from scrubin.labels.points import HIDDEN, POINTS, VISIBLE, Point
from scrubin.labels.registry import ByHand, Output, label_format, writes

DEFAULT = "prostatd"
FIELDS = ("label", "attribute Action", "attribute Target")
DOCUMENT_KEYS = {"version", "shapes", "imagePath", "imageData", "imageHeight", "imageWidth", "vocabulary"}
SHAPE_KEYS = {"label", "points", "shape_type", "attributes"}
POINT, HIDDEN_FLAG = "point", "hidden"
ATTRIBUTES = {"Action", "Target"}
GROUP, IGNORE = "group_id", "ignore"
EMPTY: tuple[Any, ...] = (None, False, "", [], {})
PIXEL_DIGITS = 6  # far below what anybody draws, and short of the digits that division leaves


@dataclass
class _Reading:
    """What was read of a recording so far."""

    source: LabelFiles
    faults: Faults = field(default_factory=Faults)
    instances: list[dict[str, Any]] = field(default_factory=list)
    sizes: dict[int, tuple[int, int]] = field(default_factory=dict)
    merged: Counter[tuple[str, str]] = field(default_factory=Counter)
    unkept: set[str] = field(default_factory=set)
    shapes: int = 0
    bare: int = 0
    unseen: int = 0
    ignored: dict[int, str] = field(default_factory=dict)

    def names_ignored(self, label: Any) -> bool:
        """Return whether the label of a shape says that its pixels are not counted; an instrument may be called so."""
        return _is_ignore(label) and self.source.vocabulary.find("instrument", label) is None


@dataclass(frozen=True)
class _Shape:
    """A rectangle, or a polygon or pixels, which may be one part of an instance.

    Parameters
    ----------
    row
        Its ids, box and score.
    corners
        Of a polygon in px, (corners, 2).
    runs
        Of pixels, run lengths.
    part_of
        What all parts of an instance share; None for what is one by itself.
    group
        Its ``group_id`` as text, by which points belong to it; None for none.
    """

    row: dict[str, Any]
    corners: list[list[float]] | None = None
    runs: rle.IntArray | None = None
    part_of: tuple[Any, ...] | None = None
    group: str | None = None


def _is_ignore(label: Any) -> bool:
    return isinstance(label, str) and fold(label) == fold(IGNORE)


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that a file names, or that of the labels where no shape has attributes.

    Raises
    ------
    AnnotationError
        For lists that are no vocabulary, and for labels that may be one class or two.
    """
    names: dict[str, None] = {}
    for file, data in sorted(files.items()):
        document = documents.peek(data)
        if "vocabulary" in document:
            return own_categories.of_reference(file, document["vocabulary"])
        listed = document.get("shapes")
        every = [shape for shape in listed if isinstance(shape, dict)] if isinstance(listed, list) else []
        shapes = [shape for shape in every if not _is_ignore(shape.get("label")) and not _is_point(shape)]
        if any(shape.get("attributes") for shape in shapes):
            return None
        names |= dict.fromkeys(str(shape["label"]) for shape in shapes if isinstance(shape.get("label"), str))
    faults = Faults()
    classes = classes_of(Where(faults, min(files)), list(names), None) if names else None
    AnnotationError.raise_any([fault for fault in faults.all() if fault.rule == "name-alike"])
    return None if classes is None else classes.vocabulary


@label_format(
    "labelme",
    pattern=r"(?P<recording>[^/]+)[/_](?P<frame>[0-9]{6,15})\.json",
    expected="<recording>/<frame>.json with the source frame number in six digits, from 000000, or <recording>_<frame>.json",
    title="LabelMe JSON as in ProstaTD and CholecInstanceSeg: a file per frame, boxes or masks with instrument, action and target",
    by_hand=ByHand(
        vocabulary=DEFAULT,
        vocabulary_of=vocabulary_of,
        fps=Fraction(1),
        fps_unstated=True,
        evidence=registry.keys(shapes=list),
    ),
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of a recording's LabelMe files.

    Raises
    ------
    AnnotationError
        With every fault of all files, each with its shape.
    """
    reading = _Reading(source)
    frames: dict[int, str] = {}
    for file in sorted(source.files):
        where, frame = Where(reading.faults, file), int(PurePosixPath(file).stem.rsplit("_", 1)[-1])
        if frame in frames:
            where.error("frame-repeated", f"frame {frame} is also in {frames[frame]}", "keep one of them")
        frames[frame] = file
        document = documents.opened(documents.json_object, file, source.files[file], reading.faults)
        if document is not None:
            _read_document(reading, where, frame, document)
    folder = PurePosixPath(min(source.files)).parent.as_posix()
    _note_forms(reading, Where(reading.faults, folder))
    AnnotationError.raise_any(reading.faults)
    sized = [(frame, *reading.sizes[frame]) for frame in sorted(frames)]
    return Labels(
        source.recording,
        "labelme",
        source.vocabulary,
        SOURCE_FRAMES,
        instances=Layer(folder, np.array(sorted(frames), np.int64), detailed_rows(reading.instances, {MASK: "str", POINTS: "object"})),
        detail="instrument" if reading.shapes and reading.bare == reading.shapes else "triplet",
        picture_files=frames,
        faults=reading.faults.all(),
        frames=mask_pictures.with_ignored(pd.DataFrame(sized, columns=["position", "width", "height"]), reading.ignored),
        merged=reading.merged,
    )


def _read_document(reading: _Reading, where: Where, frame: int, document: dict[str, Any]) -> None:
    size = _image_size(where, document)
    reading.unkept |= {f"'{key}' of files" for key in document.keys() - DOCUMENT_KEYS if document[key] not in EMPTY}
    vocabulary = reading.source.vocabulary
    if "vocabulary" in document and own_categories.of_reference(where.file, document["vocabulary"]).name != vocabulary.name:
        where.error("vocabularies-differ", f"it names another vocabulary than '{vocabulary.name}'", "read the file with its own")
    shapes = document.get("shapes")
    if not isinstance(shapes, list):
        where.at("shapes").error("value-type", f"expected a list, but got {documents.shown(shapes)}", "write [] for none")
        return
    if size is None:
        return
    reading.sizes[frame] = size
    ignored = [
        i
        for i, shape in enumerate(shapes)
        if isinstance(shape, dict) and not _is_point(shape) and reading.names_ignored(shape.get("label"))
    ]
    regions = [_region(reading, where.at(f"shape {i}"), shapes[i], size) for i in ignored]
    if runs := [one for one in regions if one is not None and rle.area(one)]:
        reading.ignored[frame] = mask_pictures.text_of(rle.union(runs, size[0] * size[1]))
    of_points = _points_by_group(reading, where, {i: shape for i, shape in enumerate(shapes) if _is_point(shape)}, size)
    read_as = {
        i: _shape_of(reading, where.at(f"shape {i}"), shape, size, of_points.keys())
        for i, shape in enumerate(shapes)
        if i not in ignored and not _is_point(shape)
    }
    parts: dict[int | tuple[Any, ...], list[_Shape]] = {}
    for i, part in read_as.items():
        if part is not None:
            parts.setdefault(i if part.part_of is None else part.part_of, []).append(part)
    groups = [of_one[0].group for of_one in parts.values()]
    for group in of_points if None not in read_as.values() else ():
        if groups.count(group) != 1:
            what = f"points of the group {group}, which {groups.count(group) or 'no'} boxes or outlines have"
            where.error("points-group", what, "give the points of an instance the group_id of its one box or outline")
    reading.instances += [
        {"position": frame, **_instance(reading, where, of_one, size), POINTS: None if group is None else of_points.get(group)}
        for group, of_one in zip(groups, parts.values(), strict=True)
    ]


def _is_point(shape: Any) -> bool:
    return isinstance(shape, dict) and shape.get("shape_type") == POINT


def _group_of(shape: Mapping[str, Any]) -> str | None:
    group = shape.get(GROUP)
    return None if group is None else json.dumps(group, sort_keys=True)


def _points_by_group(
    reading: _Reading, where: Where, shapes: Mapping[int, dict[str, Any]], size: tuple[int, int]
) -> dict[str, tuple[Point, ...]]:
    """Return the points of each group in the order of the file; those that cannot be used are noted."""
    by_group: dict[str, dict[str, Point]] = {}
    for i, shape in shapes.items():
        at, name, group, drawn = where.at(f"shape {i}"), shape.get("label"), _group_of(shape), shape.get("points")
        pair = drawn[0] if isinstance(drawn, list) and len(drawn) == 1 else None
        flags = shape.get("flags") or {}
        if not isinstance(name, str) or not name or not isinstance(flags, dict):
            at.error("value-type", f"label is {documents.shown(name)}, expected the name of the point", "name it")
        elif group is None:
            at.error("points-group", f"the point '{name}' has no {GROUP}", "give it that of the box or outline of its instance")
        elif not isinstance(pair, list) or len(pair) != 2 or not all(map(fields.is_number, pair)):
            at.error("points-form", f"points are {documents.shown(drawn)}", "give one place in pixels, [[x, y]]")
        elif name in by_group.get(group, {}):
            at.error("point-repeated", f"the point '{name}' stands twice in the group {group}", "keep one of them")
        else:
            visibility = HIDDEN if flags.get(HIDDEN_FLAG) else VISIBLE
            place = points.checked(at, (pair[0] / size[0], pair[1] / size[1]), visibility, reading.source.box_tolerance)
            by_group.setdefault(group, {}).update({} if place is None else {name: Point(name, *place)})
            reading.unkept |= {f"'{key}' of points" for key in shape.keys() - {*SHAPE_KEYS, GROUP, "flags"} if shape[key] not in EMPTY}
    return {group: tuple(of.values()) for group, of in by_group.items() if of}


def _region(reading: _Reading, where: Where, shape: dict[str, Any], size: tuple[int, int]) -> rle.IntArray | None:
    """Return the pixels of a shape that is no instance; None after noting what is wrong with it."""
    form = labelme_shapes.form_of(where, shape)
    if form == PIXELS:
        return labelme_shapes.pixels_of(where, shape, size)
    box = None if form is None else labelme_shapes.box_of(where, shape.get("points"), form, size, reading.source.box_tolerance)
    if box is None:
        return None
    left, top, right, bottom = box[0] * size[0], box[1] * size[1], (box[0] + box[2]) * size[0], (box[1] + box[3]) * size[1]
    corners = shape["points"] if form == POLYGON else [(left, top), (right, top), (right, bottom), (left, bottom)]
    return masks.of_polygons(where, [corners], size)


def _instance(reading: _Reading, where: Where, parts: list[_Shape], size: tuple[int, int]) -> dict[str, Any]:
    """Return an instance with its mask, where it has one, and the box around its parts."""
    row = parts[0].row
    if len(parts) > 1:
        left, top = (min(part.row[side] for part in parts) for side in "xy")
        right, bottom = (max(part.row[side] + part.row[length] for part in parts) for side, length in ("xw", "yh"))
        row = {**row, "x": left, "y": top, "w": right - left, "h": bottom - top}
    corners = [part.corners for part in parts if part.corners is not None]
    drawn = [masks.of_polygons(where, corners, size) if corners else None, *(part.runs for part in parts)]
    known = [one for one in drawn if one is not None]
    if not known:
        return row
    runs = known[0] if len(known) == 1 else rle.union(known, size[0] * size[1])
    if not rle.area(runs):
        reading.unseen += 1
        return row
    return {**row, MASK: rle.text_of_runs(runs)}


def _note_forms(reading: _Reading, where: Where) -> None:
    """Note what was read otherwise than it stands; the stage publishes its warnings, and keys are anybody's words."""
    if reading.unseen:
        where.warning("polygon", f"{reading.unseen} instances of polygons cover no pixel, so only their boxes are read")
    if reading.bare:
        of = "no shape has" if reading.bare == reading.shapes else f"{reading.bare} of {reading.shapes} shapes have no"
        where.warning("attributes-missing", f"{of} attributes, so only the instrument is read")
    if reading.source.sparse:
        reading.faults.extend(fields.unkept(where.file, reading.unkept))
    elif reading.unkept:
        where.warning("not-kept", f"{len(reading.unkept)} keys are not kept")


def _unkept(shape: Mapping[str, Any], groups: Container[str | None]) -> set[str]:
    """Return what a shape says beyond labels; empty values say nothing, nor does the group of a box that has no points."""
    known = SHAPE_KEYS | OF_FORM.get(shape.get("shape_type", ""), set()) | ({GROUP} if _group_of(shape) in groups else set())
    of_shape = {f"'{key}' of shapes" for key in shape.keys() - known if shape[key] not in EMPTY}
    return of_shape | {f"attribute '{key}' of shapes" for key in (shape.get("attributes") or {}).keys() - ATTRIBUTES}


def _image_size(where: Where, document: dict[str, Any]) -> tuple[int, int] | None:
    width, height = sides = (document.get("imageWidth"), document.get("imageHeight"))
    if type(width) is not int or type(height) is not int or width < 1 or height < 1:
        what = f"imageWidth, imageHeight are {documents.shown(list(sides))}"
        where.error("image-size", what, "give the size of the image in whole pixels")
        return None
    return width, height


def _shape_of(reading: _Reading, where: Where, shape: Any, size: tuple[int, int], groups: Container[str | None]) -> _Shape | None:
    """Return a shape; None after noting what is wrong with it."""
    attributes = (shape.get("attributes") or {}) if isinstance(shape, dict) else None
    if not isinstance(attributes, dict):
        got = documents.shown(shape)
        where.error("value-type", f"expected a shape with label, points and attributes, but got {got}", "export the file again")
        return None
    form = labelme_shapes.form_of(where, shape)
    if form is None:
        return None
    ids = _ids(reading, where, shape)
    runs = labelme_shapes.pixels_of(where, shape, size) if form == PIXELS else None
    box = None
    if runs is not None:
        box = masks.share_box(runs, size)
    elif form != PIXELS:
        box = labelme_shapes.box_of(where, shape.get("points"), form, size, reading.source.box_tolerance)
    reading.unkept |= _unkept(shape, groups)
    reading.shapes += 1
    reading.bare += not attributes
    if ids is None or box is None:
        return None
    row = {**ids, **dict(zip("xywh", box, strict=True)), "score": 1.0}
    group = _group_of(shape)
    if form not in OF_FORM:
        return _Shape(row, group=group)
    part_of = None if group is None else (*ids.items(), group)
    return _Shape(row, shape["points"] if form == POLYGON else None, runs, part_of, group)


def _ids(reading: _Reading, where: Where, shape: dict[str, Any]) -> dict[str, int] | None:
    """Return the ids of instrument, action and target after the label map; None after a fault."""
    source, vocabulary, attributes = reading.source, reading.source.vocabulary, shape.get("attributes")
    stated = (shape.get("label"), attributes.get("Action"), attributes.get("Target")) if attributes else (shape.get("label"),)
    for part, of_shape, name in zip(PARTS, FIELDS, stated, strict=False):
        if not isinstance(name, str):
            what = f"{of_shape} is {documents.shown(name)}, expected the name of the {part}"
            where.error("value-type", what, "name it")
    if not all(isinstance(name, str) for name in stated):
        return None
    names = tuple(map(str, stated))
    if len(names) == len(PARTS) and source.label_map is not None:
        to = source.label_map.merged((names[0], names[1], names[2]))
        if to != names:
            reading.merged[",".join(names), ",".join(to)] += 1
            names = to
    known = [
        where.at(f"{where.place}, {of_shape}").id_of(vocabulary, part, name, _other_vocabulary(vocabulary))
        for part, of_shape, name in zip(PARTS, FIELDS, names, strict=False)
    ]
    ids = [id_ for id_ in known if id_ is not None]
    if len(ids) < len(names):
        return None
    return where.instance_ids(vocabulary, names, ids)


def _other_vocabulary(vocabulary: Vocabulary) -> str:
    mapped = ", or merge it by a label map" if vocabulary.name == DEFAULT else ""
    return f"choose another vocabulary (in params.yaml, by hand --vocabulary){mapped}"


@writes(
    "labelme",
    holds=("instances", "actions", "boxes", "masks", "points", "ignored", "repeats", "empty frames"),
    pixels=True,
    needs=("instrument_id",),
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>/<position>.json``, one file per labelled frame.

    A mask is a polygon along the edges of its pixels. One of several parts, or with holes, is a PNG: LabelMe draws the outline of a
    polygon, too, so that the lines between parts would show. Points have the ``group_id`` of their instance: its place in the frame.
    """
    for labels in collection.recordings:
        of_frames = {} if labels.frames is None else labels.frames.set_index("position").to_dict("index")
        vocabulary = {} if labels.vocabulary.name == DEFAULT else {"vocabulary": own_categories.reference(labels.vocabulary)}
        for position, rows in by_position(labels.instances).items():
            width, height = int(of_frames[position]["width"]), int(of_frames[position]["height"])
            ignored = of_frames[position].get(IGNORED)
            regions = [] if pd.isna(ignored) else [labelme_shapes.drawn(IGNORE, str(ignored), width, height)]
            document: dict[str, Any] = {
                "version": "5.0.1",
                "flags": {},
                **vocabulary,
                "shapes": [
                    *(shape for at, row in enumerate(rows) for shape in _shapes(at, row, labels.vocabulary, (width, height), out)),
                    *regions,
                ],
                "imagePath": f"{position:06d}.jpg",
                "imageData": None,
                "imageHeight": height,
                "imageWidth": width,
            }
            out.files[f"{labels.recording}/{position:06d}.json"] = (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _shapes(at: int, row: dict[str, Any], vocabulary: Vocabulary, size: tuple[int, int], out: Output) -> Iterator[dict[str, Any]]:
    """Yield the box or outline of an instance and its points."""
    of_points = row.get(POINTS) or ()
    labelled = [point for point in of_points if point.labelled]
    out.lose("points that are not labelled", len(of_points) - len(labelled))
    yield _shape(row, vocabulary, *size, out) | ({GROUP: at} if labelled else {})
    for point in labelled:
        place = [round(share * length, PIXEL_DIGITS) for share, length in zip((point.x, point.y), size, strict=True)]
        flags = {HIDDEN_FLAG: True} if point.visibility == HIDDEN else {}
        yield {"label": point.name, "points": [place], "group_id": at, "shape_type": POINT, "flags": flags}


def _shape(row: dict[str, Any], vocabulary: Vocabulary, width: int, height: int, out: Output) -> dict[str, Any]:
    corners = [
        [round(x * width, PIXEL_DIGITS), round(y * height, PIXEL_DIGITS)]
        for x, y in ((row["x"], row["y"]), (row["x"] + row["w"], row["y"] + row["h"]))
    ]
    name = vocabulary.instruments[row["instrument_id"]]
    if row.get(MASK) is None:
        shape = labelme_shapes.named(name, corners, RECTANGLE)
    else:
        shape = labelme_shapes.drawn(name, row[MASK], width, height)
        around = rle.box_xywh_px(rle.runs_of_text(row[MASK], height, width), height)
        out.lose(
            "boxes that are not those around the mask",
            int(corners != [[around[0], around[1]], [around[0] + around[2], around[1] + around[3]]]),
        )
    if row["verb_id"] is None or row["target_id"] is None:
        out.lose("verbs without target, or targets without verb", int(row["verb_id"] is not None or row["target_id"] is not None))
        return shape
    return {**shape, "attributes": {"Action": vocabulary.verbs[row["verb_id"]], "Target": vocabulary.targets[row["target_id"]]}}
