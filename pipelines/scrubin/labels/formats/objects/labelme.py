"""LabelMe JSON as in ProstaTD: ``<recording>/<source frame number>.json`` (or with ``_``), one file per labelled frame.

``shapes`` are rectangles, polygons or masks, as `labelme_shapes` has them. A polygon is a mask with the box around its corners. Polygons
and masks of one frame with one label and one ``group_id`` are parts of one instance, as in CholecInstanceSeg; polygons are drawn as those
of COCO. A shape with the label ``ignore`` is no instance: its pixels are not counted for or against anybody. Any other ``label`` is the
instrument, and ``attributes`` have ``Action`` and ``Target``. Without ``attributes`` only the instrument is labelled. A file without shapes
is labelled as "no instrument". A triplet that the vocabulary does not have is an error, unless a label map merges it into another. Files of
other vocabularies than ProstaTD's name theirs at ``vocabulary``; where no shape of a recording has attributes, the first known vocabulary
with all its labels counts, else they are one of their own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import PARTS, Vocabulary
from scrubin.labels import registry
from scrubin.labels.masks import counts, rle
from scrubin.labels.model import IGNORED, MASK, SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, by_position, detailed_rows
from scrubin.labels.parse import documents, fields, labelme_shapes, mask_pictures, masks
from scrubin.labels.parse.columns import classes_of
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.labelme_shapes import OF_FORM, PIXELS, POLYGON, RECTANGLE
from scrubin.labels.registry import ByHand, Output, label_format, writes

DEFAULT = "prostatd"
FIELDS = ("label", "attribute Action", "attribute Target")
DOCUMENT_KEYS = {"version", "shapes", "imagePath", "imageData", "imageHeight", "imageWidth", "vocabulary"}
SHAPE_KEYS = {"label", "points", "shape_type", "attributes"}
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
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)
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
    """

    row: dict[str, Any]
    corners: list[list[float]] | None = None
    runs: counts.IntArray | None = None
    part_of: tuple[Any, ...] | None = None


def _is_ignore(label: Any) -> bool:
    return isinstance(label, str) and label.casefold() == IGNORE


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that a file names, or that of the labels where no shape has attributes."""
    names: dict[str, None] = {}
    for file, data in sorted(files.items()):
        document = documents.peek(data)
        if "vocabulary" in document:
            return own_categories.of_reference(file, document["vocabulary"])
        listed = document.get("shapes")
        every = [shape for shape in listed if isinstance(shape, dict)] if isinstance(listed, list) else []
        shapes = [shape for shape in every if not _is_ignore(shape.get("label"))]
        if any(shape.get("attributes") for shape in shapes):
            return None
        names |= dict.fromkeys(str(shape["label"]) for shape in shapes if isinstance(shape.get("label"), str))
    classes = classes_of(Where(Faults(), min(files)), list(names), None) if names else None
    return None if classes is None else classes.vocabulary


@label_format(
    "labelme",
    pattern=r"(?P<recording>[^/]+)[/_][0-9]{6,15}\.json",
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
    sized = [(frame, *reading.sizes[file]) for frame, file in sorted(frames.items())]
    return Labels(
        source.recording,
        "labelme",
        source.vocabulary,
        SOURCE_FRAMES,
        instances=Layer(folder, np.array(sorted(frames), np.int64), detailed_rows(reading.instances, {MASK: "str"})),
        detail="instrument" if reading.shapes and reading.bare == reading.shapes else "triplet",
        image_sizes=reading.sizes,
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
    reading.sizes[where.file] = size
    ignored = [i for i, shape in enumerate(shapes) if isinstance(shape, dict) and reading.names_ignored(shape.get("label"))]
    regions = [_region(reading, where.at(f"shape {i}"), shapes[i], size) for i in ignored]
    if runs := [one for one in regions if one is not None and rle.area(one)]:
        reading.ignored[frame] = mask_pictures.text_of(rle.union(runs, size[0] * size[1]))
    read_as = {i: _shape_of(reading, where.at(f"shape {i}"), shape, size) for i, shape in enumerate(shapes) if i not in ignored}
    parts: dict[int | tuple[Any, ...], list[_Shape]] = {}
    for i, part in read_as.items():
        if part is not None:
            parts.setdefault(i if part.part_of is None else part.part_of, []).append(part)
    reading.instances += [{"position": frame, **_instance(reading, where, of_one, size)} for of_one in parts.values()]


def _region(reading: _Reading, where: Where, shape: dict[str, Any], size: tuple[int, int]) -> counts.IntArray | None:
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
    return {**row, MASK: counts.text_of_runs(runs)}


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


def _unkept(shape: Mapping[str, Any]) -> set[str]:
    """Return what a shape says beyond labels; empty values say nothing."""
    known = SHAPE_KEYS | OF_FORM.get(shape.get("shape_type", ""), set())
    of_shape = {f"'{key}' of shapes" for key in shape.keys() - known if shape[key] not in EMPTY}
    return of_shape | {f"attribute '{key}' of shapes" for key in (shape.get("attributes") or {}).keys() - ATTRIBUTES}


def _image_size(where: Where, document: dict[str, Any]) -> tuple[int, int] | None:
    width, height = sides = (document.get("imageWidth"), document.get("imageHeight"))
    if type(width) is not int or type(height) is not int or width < 1 or height < 1:
        what = f"imageWidth, imageHeight are {documents.shown(list(sides))}"
        where.error("image-size", what, "give the size of the image in whole pixels")
        return None
    return width, height


def _shape_of(reading: _Reading, where: Where, shape: Any, size: tuple[int, int]) -> _Shape | None:
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
    reading.unkept |= _unkept(shape)
    reading.shapes += 1
    reading.bare += not attributes
    if ids is None or box is None:
        return None
    row = {**ids, **dict(zip("xywh", box, strict=True)), "score": 1.0}
    if form not in OF_FORM:
        return _Shape(row)
    group = shape.get(GROUP)
    return _Shape(
        row,
        shape["points"] if form == POLYGON else None,
        runs,
        None if group is None else (*ids.items(), json.dumps(group, sort_keys=True)),
    )


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
    "labelme", holds=("instances", "actions", "boxes", "masks", "ignored", "repeats", "empty frames"), pixels=True, needs=("instrument_id",)
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>/<position>.json``, one file per labelled frame.

    A mask is a polygon along the edges of its pixels. One of several parts, or with holes, is a PNG: LabelMe draws the outline of a
    polygon, too, so that the lines between parts would show.
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
                "shapes": [*(_shape(row, labels.vocabulary, width, height, out) for row in rows), *regions],
                "imagePath": f"{position:06d}.jpg",
                "imageData": None,
                "imageHeight": height,
                "imageWidth": width,
            }
            out.files[f"{labels.recording}/{position:06d}.json"] = (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


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
        around = rle.box_xywh_px(counts.runs_of_text(row[MASK], height, width), height)
        out.lose(
            "boxes that are not those around the mask",
            int(corners != [[around[0], around[1]], [around[0] + around[2], around[1] + around[3]]]),
        )
    if row["verb_id"] is None or row["target_id"] is None:
        out.lose("verbs without target, or targets without verb", int(row["verb_id"] is not None or row["target_id"] is not None))
        return shape
    return {**shape, "attributes": {"Action": vocabulary.verbs[row["verb_id"]], "Target": vocabulary.targets[row["target_id"]]}}
