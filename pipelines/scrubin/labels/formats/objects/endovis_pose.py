"""Joints of EndoVis 2015: ``train1_labels.json``, a list of images with points of up to four tools, as surgical-vision published them.

Pictures have 720 x 576 px, are numbered from 1 and of videos of 25 per second. ``id`` is the tool (``tool1`` to ``tool4``), ``class`` the
name of the point, ``occluded`` says that it is hidden. There are no boxes. An image without points was not labelled. A point without a
tool, and one that its tool has twice, cannot be placed: neither is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.labels import registry
from scrubin.labels.model import SOURCE_FRAMES, LabelFiles, Labels, Layer, detailed_rows
from scrubin.labels.parse import documents, fields, points
from scrubin.labels.parse.fields import Where
from scrubin.labels.points import HIDDEN, POINTS, VISIBLE, Point
from scrubin.labels.registry import ByHand, label_format

NAME = "endovis-pose"
TOOLS = {"tool1": "right clasper", "tool2": "left clasper", "tool3": "right scissor", "tool4": "left scissor"}
"""As the README of the annotations names them."""
WIDTH, HEIGHT = 720, 576
IMAGE = re.compile(r"(?:.*[/\\])?img_(?P<number>[0-9]{1,9})(?:_raw)?\.[A-Za-z]+")
KEYS = {"annotations", "class", "filename"}


def _are_images(path: Path) -> bool:
    document = registry.document(path)
    first = document[0] if isinstance(document, list) and document else None
    return isinstance(first, Mapping) and set(first) >= KEYS


@label_format(
    NAME,
    pattern=r"(?P<recording>[^/]+)_labels\.json",
    expected="<recording>_labels.json, such as train1_labels.json",
    title="joints of EndoVis 2015: points of up to four tools, without boxes; read only",
    by_hand=ByHand(
        vocabulary_of=registry.fixed_classes(tuple(TOOLS.values())),
        names_vocabulary=True,
        fps=Fraction(25),
        first=1,
        evidence=_are_images,
        holds=("instances", "boxless", "points"),
    ),
)
def read(source: LabelFiles) -> Labels:
    """Return the tools of the labelled images; raises `AnnotationError` with every fault of the file."""
    ((file, data),) = source.files.items()
    faults = Faults()
    where, document = Where(faults, file), documents.json_value(file, data)
    frames: dict[int, list[dict[str, Any]]] = {}
    for i, image in enumerate(fields.list_of_objects(where, {"images": document}, "images")):
        at, name = where.at(f"image {i}"), image.get("filename")
        match = IMAGE.fullmatch(name) if isinstance(name, str) else None
        number = 0 if match is None else int(match["number"])
        if number < 1:
            at.error("image-name", f"filename is {documents.shown(name)}", "name it img_<number>, from 1")
        elif number - 1 in frames:
            at.error("frame-repeated", f"the image {number} stands twice", "keep one of them")
        else:
            frames[number - 1] = _tools(at, image, source.box_tolerance)
    if not frames and not faults.errors():
        where.error("no-labels", "lists no image", "remove the file, or export it again")
    AnnotationError.raise_any(faults)
    labelled = {position: rows for position, rows in sorted(frames.items()) if rows}
    rows = [{"position": position, **row, "score": 1.0} for position, of in labelled.items() for row in of]
    positions = np.array(list(labelled), np.int64)
    layer = Layer(file, positions, detailed_rows(rows, {POINTS: "object"}), boxless=True)
    sizes = pd.DataFrame({"position": positions, "width": WIDTH, "height": HEIGHT})
    return Labels(
        source.recording, NAME, source.vocabulary, SOURCE_FRAMES, None, layer, detail="instrument", frames=sizes, faults=faults.all()
    )


def _tools(where: Where, image: Mapping[str, Any], tolerance: float) -> list[dict[str, Any]]:
    """Return a row for each tool of an image, with its points in the order of the file."""
    listed = fields.list_of_objects(where, image, "annotations")
    twice = {key for key, count in Counter((str(one.get("id")), str(one.get("class"))) for one in listed).items() if count > 1}
    by_tool: dict[str, list[Point]] = {}
    for i, one in enumerate(listed):
        at, tool, name = where.at(f"{where.place}, point {i}"), one.get("id"), one.get("class")
        x, y = one.get("x"), one.get("y")
        if not isinstance(name, str) or not name:
            at.error("value-type", f"class is {documents.shown(name)}, expected the name of the point", "name it")
        elif not isinstance(x, int | float) or not isinstance(y, int | float) or not fields.is_number(x) or not fields.is_number(y):
            at.error("points-form", f"x, y are {documents.shown([x, y])}", "give the place in pixels")
        elif tool is None:
            at.warning("point-alone", f"the point '{name}' is of no tool, and is not read", "say of which, such as tool1")
        elif not isinstance(tool, str) or tool not in TOOLS:
            at.error("id-unknown", f"id is {documents.shown(tool)}", f"tools are {', '.join(TOOLS)}")
        elif (tool, name) in twice:
            at.warning("point-repeated", f"{tool} has the point '{name}' twice, and neither is read", "keep one of them")
        else:
            visibility = HIDDEN if one.get("occluded") else VISIBLE
            place = points.checked(at, (x / WIDTH, y / HEIGHT), visibility, tolerance)
            by_tool.setdefault(tool, []).extend([] if place is None else [Point(name, *place)])
    return [{"instrument_id": list(TOOLS).index(tool), POINTS: tuple(of)} for tool, of in sorted(by_tool.items()) if of]
