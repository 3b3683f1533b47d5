"""Masks in label files: read with every fault at its place, and written as COCO's compressed run lengths.

Polygons are drawn as pycocotools draws them, whatever the format. What lies outside of the image is cut off, as there; so much outside
that it can hardly be meant is a deviation, and what lies further than one more image away is an error. Polygons may cross themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import AnnotationError
from scrubin.labels.masks import polygons, rle
from scrubin.labels.masks.rle import IntArray
from scrubin.labels.parse.fields import Where

KEY = "segmentation"
NOTHING = (*polygons.NOTHING, 0)
FARTHEST = 1.0
"""A point further outside, as a share of the side of the image, is of another image."""


def runs_of(where: Where, value: Any, size: tuple[int, int], tolerance: float) -> IntArray | None:
    """Return the run lengths of a ``segmentation`` of COCO; None where it says nothing, or after noting what is wrong.

    Parameters
    ----------
    value
        Polygons ``[[x1, y1, x2, y2, ...], ...]`` in px, or ``size`` (height, width) and ``counts``.
    size
        Width and height of the image in px.
    tolerance
        A polygon may leave the image by this share of its side.
    """
    if value in NOTHING:
        return None
    width, height = size
    if isinstance(value, dict) and value.get("size") == [width, height] != [height, width]:
        what = f"a mask has the size {[width, height]}, its picture is {height} px high and {width} px wide"
        where.error("mask-size", what, "give the height first, then the width")
        return None
    runs = _noted(where, size, lambda: polygons.runs_of_segmentation(value, height, width))
    if runs is None:
        return None
    if not rle.area(runs):
        where.error("mask-empty", "the mask has no pixel of the image", "draw it again, or remove it")
        return None
    corners = [polygons.corners_of(one) for one in (value if isinstance(value[0], list) else [value])] if isinstance(value, list) else []
    return runs if _is_inside(where, corners, size, tolerance) else None


def text_of(value: Any, runs: IntArray) -> str:
    """Return the compressed counts of a ``segmentation`` that was read as run lengths: its own text, where it has a plain one."""
    text = value.get("counts") if isinstance(value, dict) else None
    return text if isinstance(text, str) and runs[1:].all() else rle.text_of_runs(runs)


def of_polygons(where: Where, corners: Sequence[npt.ArrayLike], size: tuple[int, int]) -> IntArray | None:
    """Return the run lengths of polygons together, each (corners, 2) in px of an image of a size; None after noting what is wrong."""
    return _noted(where, size, lambda: polygons.runs_of_polygons(corners, size[1], size[0]))


def _noted(where: Where, size: tuple[int, int], draw: Callable[[], IntArray | None]) -> IntArray | None:
    """Return what is drawn in an image; None after noting why that cannot be."""
    if size[0] * size[1] > rle.MOST_PIXELS:
        what = f"a mask is of an image of {size[0]}x{size[1]}"
        where.error("mask-size", what, "correct the size of the image")
        return None
    try:
        return draw()
    except AnnotationError as wrong:
        for fault in wrong.faults:
            where.error(fault.rule, fault.what, fault.fix)
        return None


def _is_inside(where: Where, corners: Sequence[polygons.FloatArray], size: tuple[int, int], tolerance: float) -> bool:
    """Return whether polygons are of an image; what they leave it by is noted.

    Parameters
    ----------
    corners
        Of each polygon, (corners, 2), in px.
    size, tolerance
        As of `runs_of`.
    """
    outside = max((float(np.max([-one, one - size] / np.array(size))) for one in corners), default=0.0)
    what = f"the mask leaves the image of {size[0]}x{size[1]} by {100 * outside:.1f} % of its side"
    if outside > FARTHEST:
        where.error("mask-outside", what, "draw it inside the image, or correct the size of the image")
        return False
    if outside > tolerance:
        where.deviation("mask-outside", what, "it is cut to the image, as pycocotools does; draw it inside")
    return True


def written(text: str | None, size: tuple[int, int]) -> dict[str, Any]:
    """Return what an annotation of COCO says of a mask: its area and, in compressed run lengths, its pixels; nothing for no mask.

    Parameters
    ----------
    text
        Of the column ``mask``.
    size
        Width and height of the image in px.
    """
    if text is None:
        return {}
    width, height = size
    return {"area": rle.area(rle.runs_of_text(text, height, width)), KEY: {"size": [height, width], "counts": text}}


def share_box(runs: IntArray, size: tuple[int, int]) -> tuple[float, float, float, float]:
    """Return the smallest box around a mask as shares of the image: left, top, width, height."""
    width, height = size
    x, y, w, h = rle.box_xywh_px(runs, height)
    return x / width, y / height, w / width, h / height
