"""Shapes of LabelMe: rectangles by two corners in px, polygons, and masks as a PNG in base64 between two corners, both included."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np

from scrubin.base import machine, pixels
from scrubin.base.errors import FileError
from scrubin.labels import boxes
from scrubin.labels.masks import png, rle
from scrubin.labels.masks.polygons import outlines
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where

RECTANGLE, POLYGON, PIXELS = "rectangle", "polygon", "mask"
OF_FORM: Mapping[str, set[str]] = {POLYGON: {"group_id"}, PIXELS: {"group_id", PIXELS}}
"""What shapes of some kinds say beside these."""
FEWEST_CORNERS = {RECTANGLE: 2, POLYGON: 3, PIXELS: 2}


def form_of(where: Where, shape: dict[str, Any]) -> str | None:
    """Return the kind of a shape; None after noting that it cannot be read."""
    form = shape.get("shape_type", RECTANGLE)
    if isinstance(form, str) and form in FEWEST_CORNERS:
        return form
    what = f"shape_type is {documents.shown(form)}"
    where.error("shape-type", what, f"only {RECTANGLE}s, {POLYGON}s, {PIXELS}s and points can be read")
    return None


def box_of(where: Where, points: Any, form: str, size: tuple[int, int], tolerance: float) -> boxes.XYWH | None:
    """Return the box around the corners of a shape as shares of the image."""
    pairs = _corners(where, points, form)
    if pairs is None:
        return None
    (left, top), (right, bottom) = (tuple(edge(pair[i] for pair in pairs) for i in (0, 1)) for edge in (min, max))
    box = (left / size[0], top / size[1], (right - left) / size[0], (bottom - top) / size[1])
    what = f"points {documents.shown(points)} in an image of {size[0]}x{size[1]}"
    is_pixel = form == POLYGON and all(float(side).is_integer() for pair in pairs for side in pair)
    if min(size) > boxes.SMALLEST_IMAGE and max(right, bottom) <= 1 and not is_pixel:
        where.error("box-form", f"{what} are less than a pixel apart", "they look like shares of the image; multiply by its size")
        return None
    wrong = boxes.check(box, tolerance)
    if wrong is not None:
        is_empty = box[2] <= 0 or box[3] <= 0
        fix = "they enclose nothing; draw the box again" if is_empty else "draw the box inside the image"
        where.error("box-form" if is_empty else "box-outside", what, fix)
        return None
    return box


def _corners(where: Where, points: Any, form: str) -> list[list[float]] | None:
    """Return the corners of a shape, in px; None after noting that these are none."""
    pairs = points if isinstance(points, list) else []
    fewest = FEWEST_CORNERS[form]
    is_form = len(pairs) >= fewest and (form == POLYGON or len(pairs) == fewest)
    if is_form and all(isinstance(pair, list) and len(pair) == 2 and all(map(fields.is_number, pair)) for pair in pairs):
        return pairs
    fix = "give three or more corners in pixels" if form == POLYGON else "give two corners in pixels, [[x, y], [x, y]]"
    where.error("box-form", f"points are {documents.shown(points)}", fix)
    return None


def pixels_of(where: Where, shape: dict[str, Any], size: tuple[int, int]) -> rle.IntArray | None:
    """Return the run lengths of a shape that has its pixels as a PNG; None after noting what is wrong with it."""
    corners = _corners(where, shape.get("points"), PIXELS)
    if corners is None:
        return None
    (left, top), (right, bottom) = (tuple(int(side) for side in corner) for corner in corners)
    machine.require_package("cv2", where.file)
    try:
        picture = pixels.stored_png(base64.b64decode(shape.get(PIXELS) or "", validate=True), where.file)
    except (FileError, ValueError, TypeError) as wrong:
        why = wrong.strerror if isinstance(wrong, FileError) else "it is no text in base64"
        where.error("mask-form", f"'mask' cannot be decoded: {why}", "give a PNG of 8 bits per channel in base64, as LabelMe writes it")
        return None
    is_set: rle.BoolArray = picture > 0 if picture.ndim == 2 else np.any(picture[..., :3] > 0, axis=2)
    said = (right - left + 1, bottom - top + 1)
    if is_set.shape[::-1] != said:
        what = f"'mask' has {is_set.shape[1]}x{is_set.shape[0]} pixels, from corner to corner there are {said[0]}x{said[1]}"
        where.error("mask-size", what, "give the first and the last pixel as points")
    elif left < 0 or top < 0 or right >= size[0] or bottom >= size[1]:
        where.error(
            "mask-outside", f"points {documents.shown(shape['points'])} in an image of {size[0]}x{size[1]}", "draw it inside the image"
        )
    elif size[0] * size[1] > rle.MOST_PIXELS:
        where.error("mask-size", f"a mask is of an image of {size[0]}x{size[1]}", "correct the size of the image")
    elif not is_set.any():
        where.error("mask-empty", "the mask has no pixel of the image", "draw it again, or remove it")
    else:
        return rle.runs_of_part(is_set, (left, top), size[1], size[0])
    return None


def drawn(name: str, mask: str, width: int, height: int) -> dict[str, Any]:
    """Return a mask as a shape."""
    runs = rle.runs_of_text(mask, height, width)
    loops = outlines(runs, height, width)
    if len(loops) == 1:
        return named(name, loops[0].tolist(), POLYGON)
    x, y, w, h = around = rle.box_xywh_px(runs, height)
    part = rle.picture(rle.cut(runs, height, width, around), h, w).astype(np.uint8)
    return {**named(name, [[x, y], [x + w - 1, y + h - 1]], PIXELS), PIXELS: base64.b64encode(png.written(part)).decode("ascii")}


def named(name: str, points: list[list[Any]], form: str) -> dict[str, Any]:
    """Return a shape with corners."""
    return {"label": name, "points": points, "group_id": None, "shape_type": form, "flags": {}}
