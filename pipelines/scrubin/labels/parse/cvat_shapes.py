"""Shapes of CVAT's XML as instances, and back: boxes by two corners in px, polygons, masks, key points.

A polygon is a mask, drawn as those of COCO, with the box around its corners. ``mask`` has run lengths of a part of the picture, row by
row, the first counts background (``cvat_sdk.masks``). ``points`` are numbered from 1, those of a ``skeleton`` have the names of its
elements; both have no box. A turned box is read as the box around it. Lines, ellipses and cuboids are not kept.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from scrubin.base.vocabulary.vocabulary import PARTS, Vocabulary, fold
from scrubin.labels import boxes
from scrubin.labels.label_map import LabelMap
from scrubin.labels.masks import rle
from scrubin.labels.masks.polygons import outline
from scrubin.labels.model import MASK
from scrubin.labels.parse import documents, masks, points
from scrubin.labels.parse.cvat_meta import ACTIONS, Names, attributes_of, names_of
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.xml_documents import Node
from scrubin.labels.points import HIDDEN, POINTS, VISIBLE, Point, unlabelled
from scrubin.labels.registry import Output
from scrubin.labels.tracks import ONLY

OCCLUDED = "occluded"
DETAILS = {ONLY: "Int64", OCCLUDED: "Int64", MASK: "str", POINTS: "object"}
"""Of an instance: 1 where the annotator says that something lies over it."""
NUMBER = re.compile(r"[+-]?(?:[0-9]{1,12}\.?[0-9]{0,20}|\.[0-9]{1,20})(?:[eE][+-]?[0-9]{1,2})?")
CORNERS = ("xtl", "ytl", "xbr", "ybr")
PX_DIGITS = 4
NO_BOX = {"x": None, "y": None, "w": None, "h": None}
Size = tuple[int, int]
"""Width and height in px."""


@dataclass
class Reading:
    """What shapes of a file mean, and what of them was not kept.

    Parameters
    ----------
    turned, unseen
        How many boxes are turned, and how many outlines cover no pixel.
    """

    vocabulary: Vocabulary
    tolerance: float
    label_map: LabelMap | None = None
    unkept: Counter[str] = field(default_factory=Counter)
    merged: Counter[tuple[str, str]] = field(default_factory=Counter)
    turned: int = 0
    unseen: int = 0

    def note(self, where: Where) -> None:
        """Note what was not kept, or was read otherwise than it stands."""
        if unkept := +self.unkept:
            listed = ", ".join(f"{what} ({count})" for what, count in sorted(unkept.items()))
            where.warning("not-kept", f"not kept: {listed}")
        if self.turned:
            where.warning("box-turned", f"{self.turned} boxes are turned, and read as the boxes around them")
        if self.unseen:
            where.warning("polygon", f"{self.unseen} outlines cover no pixel, so only their boxes are read")


def row_of(reading: Reading, where: Where, shape: Node, label: str, size: Size) -> dict[str, Any] | None:
    """Return the ids, box and details of a shape; None after noting what is wrong with it."""
    ids = _ids(reading, where, names_of(label, shape))
    drawn = _drawn(reading, where, shape, size)
    for name in attributes_of(shape):
        if fold(name) not in ACTIONS:
            reading.unkept[f"attribute '{name}'"] += 1
    for key in ("z_order", "group_id"):
        reading.unkept[f"{key} of shapes"] += shape.get(key, "0") not in ("", "0")
    if ids is None or drawn is None:
        return None
    return {**ids, "score": 1.0, OCCLUDED: 1 if shape.get(OCCLUDED) == "1" else None, **drawn}


def _ids(reading: Reading, where: Where, names: Names) -> dict[str, int | None] | None:
    vocabulary = reading.vocabulary
    if reading.label_map is not None and None not in names:
        to = reading.label_map.merged((names[0], str(names[1]), str(names[2])))
        if to != names:
            reading.merged[",".join(map(str, names)), ",".join(to)] += 1
            names = to
    ids = [None if name is None else where.id_of(vocabulary, part, name) for part, name in zip(PARTS, names, strict=True)]
    if any(id_ is None for id_, name in zip(ids, names, strict=True) if name is not None):
        return None
    known = [id_ for id_ in ids if id_ is not None]
    if len(known) == len(PARTS):
        return where.instance_ids(vocabulary, [str(name) for name in names], known)  # type: ignore[return-value]
    return dict(zip((f"{part}_id" for part in PARTS), ids, strict=True))


def _drawn(reading: Reading, where: Where, shape: Node, size: Size) -> dict[str, Any] | None:
    """Return the box, mask or points of a shape; None after noting what is wrong with it."""
    if shape.tag == "box":
        corners = corners_of(where, shape)
        return None if corners is None else _boxed(reading, where, _upright(reading, where, shape, corners, size), size)
    if shape.tag == "polygon":
        return _outlined(reading, where, shape, size)
    if shape.tag == "mask":
        runs = _runs_of(where, shape, size)
        return None if runs is None else {**dict(zip("xywh", masks.share_box(runs, size), strict=True)), MASK: rle.text_of_runs(runs)}
    of_shape = _points_of(reading, where, shape, size)
    return None if of_shape is None else {**NO_BOX, POINTS: of_shape}


def corners_of(where: Where, shape: Node) -> tuple[float, ...] | None:
    """Return left, top, right and bottom of a box in px; None after noting that they are no numbers."""
    stated = [shape.get(side, "") for side in CORNERS]
    if not all(map(NUMBER.fullmatch, stated)):
        where.error("box-form", f"{', '.join(CORNERS)} are {documents.shown(stated)}", "give four numbers in px")
        return None
    return tuple(map(float, stated))


def _upright(reading: Reading, where: Where, shape: Node, corners: Sequence[float], size: Size) -> Sequence[float]:
    """Return the corners of the box around a turned one, within the picture; those of any other as they are."""
    stated = shape.get("rotation", "0")
    if not NUMBER.fullmatch(stated):
        where.error("box-form", f"rotation is {documents.shown(stated)}", "give degrees")
        return corners
    angle = math.radians(float(stated) % 360)
    if not is_turned(shape):
        return corners
    reading.turned += 1
    left, top, right, bottom = corners
    across, up = (right - left) / 2, (bottom - top) / 2
    half = (abs(across * math.cos(angle)) + abs(up * math.sin(angle)), abs(across * math.sin(angle)) + abs(up * math.cos(angle)))
    centre = ((left + right) / 2, (top + bottom) / 2)
    return [min(max(centre[at] + sign * half[at], 0.0), float(size[at])) for sign in (-1, 1) for at in (0, 1)]


def is_turned(shape: Node) -> bool:
    """Return whether a box is turned; CVAT also writes that it is by 0.00 degrees."""
    stated = shape.get("rotation", "0")
    return not NUMBER.fullmatch(stated) or float(stated) % 360 != 0


def _boxed(reading: Reading, where: Where, corners: Sequence[float], size: Size) -> dict[str, Any] | None:
    left, top, right, bottom = corners
    shares = (left / size[0], top / size[1], (right - left) / size[0], (bottom - top) / size[1])
    wrong = boxes.check(shares, reading.tolerance)
    if wrong is None:
        return dict(zip("xywh", shares, strict=True))
    what = f"the box from {left:g},{top:g} to {right:g},{bottom:g} in a picture of {size[0]}x{size[1]} px"
    if shares[2] <= 0 or shares[3] <= 0:
        where.error("box-form", f"{what} has no area", "give the left top corner first, or remove the box")
    else:
        where.error("box-outside", f"{what} leaves it", "draw it inside the picture, or correct the size")
    return None


def _pairs(where: Where, shape: Node, fewest: int) -> list[tuple[float, float]] | None:
    text = shape.get("points", "")
    pairs = [pair.split(",") for pair in text.split(";")]
    if len(pairs) < fewest or not all(len(pair) == 2 and all(NUMBER.fullmatch(side.strip()) for side in pair) for pair in pairs):
        what = f"points are {documents.shown(text)}"
        where.error(
            "points-form", what, f"give x,y of {'three corners or more' if fewest > 1 else 'every point'} in px, with ; between them"
        )
        return None
    return [(float(x), float(y)) for x, y in pairs]


def _outlined(reading: Reading, where: Where, shape: Node, size: Size) -> dict[str, Any] | None:
    corners = _pairs(where, shape, 3)
    if corners is None:
        return None
    ends = [edge(pair[at] for pair in corners) for edge in (min, max) for at in (0, 1)]
    box = _boxed(reading, where, ends, size)
    runs = None if box is None else masks.of_polygons(where, [corners], size)
    if box is None or runs is None:
        return None
    if not rle.area(runs):
        reading.unseen += 1
        return box
    return {**box, MASK: rle.text_of_runs(runs)}


def _runs_of(where: Where, shape: Node, size: Size) -> rle.IntArray | None:
    """Return the run lengths of a mask in the whole picture; None after noting what is wrong with it."""
    place = [documents.frame_number(shape.get(key, "")) for key in ("left", "top", "width", "height")]
    lengths = [documents.frame_number(part.strip()) for part in shape.get("rle", "").split(",")]
    left, top, width, height = (-1 if one is None else one for one in place)
    if None in place or None in lengths or min(width, height) < 1:
        where.error("mask-form", "rle, left, top, width and height are no whole numbers", "export the labels again")
    elif left + width > size[0] or top + height > size[1] or size[0] * size[1] > rle.MOST_PIXELS:
        what = f"a mask of {width}x{height} px at {left},{top} is not inside of a picture of {size[0]}x{size[1]} px"
        where.error("mask-outside", what, "correct the mask, or the size of the picture")
    elif sum(one or 0 for one in lengths) != width * height:
        what = f"the runs of a mask cover {sum(one or 0 for one in lengths)} px, its part of the picture has {width * height}"
        where.error("mask-size", what, "export the labels again")
    else:
        runs = np.array(lengths, np.int64)
        pixels = np.repeat(np.arange(len(runs)) % 2 == 1, runs).reshape(height, width)
        if pixels.any():
            return rle.runs_of_part(pixels, (left, top), size[1], size[0])
        where.error("mask-empty", "the mask has no pixel", "draw it again, or remove it")
    return None


def _points_of(reading: Reading, where: Where, shape: Node, size: Size) -> tuple[Point, ...] | None:
    """Return the points of a shape; None after noting what is wrong with them. One of a skeleton that is outside is not labelled."""
    named: list[tuple[str, tuple[float, float] | None, Node]] = []
    if shape.tag == "points":
        named = [(str(at), pair, shape) for at, pair in enumerate(_pairs(where, shape, 1) or [], start=1)]
    for part in shape.nodes("points"):
        outside = part.get("outside") == "1"
        named += [(part.get("label", ""), pair, part) for pair in ([None] if outside else _pairs(where.at(part.place), part, 1) or [])]
    # Older exports have the points of a skeleton as tracks beside it, where nothing says of which instance they are.
    reading.unkept["skeletons without points inside of them"] += shape.tag == "skeleton" and next(shape.nodes("points"), None) is None
    reading.unkept["elements of skeletons that are no points"] += sum(part.tag not in ("points", "attribute") for part in shape.nodes())
    if len({name for name, _, _ in named}) < len(named):
        where.error("point-repeated", "a point of the skeleton stands twice", "keep one of them")
        return None
    found = []
    for name, pair, part in named:
        if pair is None:
            found.append(unlabelled(name))
            continue
        visibility = HIDDEN if part.get(OCCLUDED) == "1" else VISIBLE
        place = points.checked(where.at(part.place), (pair[0] / size[0], pair[1] / size[1]), visibility, reading.tolerance)
        found += [] if place is None else [Point(name, *place)]
    return tuple(found) if found else None


def written(row: Mapping[str, Any], size: Size) -> tuple[str, dict[str, str], list[str]]:
    """Return how a shape is called, where it is, and the elements inside: an outline along the pixels of a mask, a box, or points."""
    if row.get(MASK) is not None:
        corners = outline(rle.runs_of_text(row[MASK], size[1], size[0]), size[1], size[0])
        return "polygon", {"points": ";".join(f"{x},{y}" for x, y in corners.tolist())}, []
    if row["x"] is None:
        return _written_points(row[POINTS], size)
    left, top = row["x"] * size[0], row["y"] * size[1]
    ends = (left, top, left + row["w"] * size[0], top + row["h"] * size[1])
    return "box", {key: number(value) for key, value in zip(CORNERS, ends, strict=True)}, []


def _written_points(of: Sequence[Point], size: Size) -> tuple[str, dict[str, str], list[str]]:
    """Return points as one shape where they are only numbered, else as a skeleton."""
    places = [f"{number(point.x * size[0])},{number(point.y * size[1])}" for point in of]
    plain = {point.visibility for point in of} in ({HIDDEN}, {VISIBLE})
    if plain and tuple(point.name for point in of) == points.numbered(len(of)):
        return "points", {"points": ";".join(places)}, []
    inside = [
        f'<points label={quoteattr(point.name)} outside="{int(not point.labelled)}" '
        f'occluded="{int(point.visibility == HIDDEN)}" points="{place}"/>'
        for point, place in zip(of, places, strict=True)
    ]
    return "skeleton", {}, inside


def lose_points(rows: Iterable[Mapping[str, Any]], out: Output) -> None:
    """Count the points that a shape cannot have beside its box or mask."""
    drawn = [row for row in rows if row["x"] is not None]
    out.lose("points of instances that have a box or a mask", sum(row.get(POINTS) is not None for row in drawn))


def number(value: float) -> str:
    """Return a number of px with as few digits as it has, at most four; CVAT itself writes two."""
    return f"{round(value, PX_DIGITS) + 0.0:.{PX_DIGITS}f}".rstrip("0").rstrip(".")


def actions_of(row: Mapping[str, Any], vocabulary: Vocabulary) -> list[str]:
    """Return the elements that say what an instrument does."""
    said = (("verb", vocabulary.verbs, row["verb_id"]), ("target", vocabulary.targets, row["target_id"]))
    return [f'<attribute name="{name}">{escape(names[id_])}</attribute>' for name, names, id_ in said if id_ is not None]


def differs_from_mask(row: Mapping[str, Any], size: Size) -> bool:
    """Return whether the box of an instance is not the one around its mask, which is all that CVAT keeps."""
    if row.get(MASK) is None:
        return False
    around = masks.share_box(rle.runs_of_text(row[MASK], size[1], size[0]), size)
    return any(abs(row[side] - of) * max(size) > 10**-PX_DIGITS for side, of in zip("xywh", around, strict=True))
