"""The ``segmentation`` of COCO: polygons, run lengths as a list, or compressed ones; whatever it is, a mask comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import error
from scrubin.labels.masks import counts, polygons
from scrubin.labels.masks.counts import IntArray

NOTHING: tuple[Any, ...] = (None, "", [], {})


def runs_of_segmentation(value: Any, height: int, width: int) -> IntArray | None:
    """Return the run lengths of what JSON says of an instance, (runs,); None where it says nothing.

    Parameters
    ----------
    value
        ``[[x, y, x, y ...], ...]`` in px, or ``{"size": [height, width], "counts": text or list}``.
    height, width
        Of the picture in px.

    Raises
    ------
    AnnotationError
        For what is none of these, or is of another size; the fault names no file and no place.

    >>> runs_of_segmentation({"size": [2, 3], "counts": "132"}, 2, 3).tolist()
    [1, 3, 2]
    """
    if value in NOTHING:
        return None
    if isinstance(value, list):
        if any(isinstance(one, Mapping) for one in value):
            what = f"there is a list of {len(value)} with run lengths"
            raise AnnotationError([error("", "mask-form", what, "give one object {size, counts} of all pixels together, in no list")])
        return polygons.runs_of_polygons(value if isinstance(value[0], list) else [value], height, width)
    if not isinstance(value, Mapping) or "counts" not in value:
        what = f"a segmentation is a {type(value).__name__}, no polygons and no counts"
        raise AnnotationError([error("", "mask-form", what, "give [[x, y, ...]], or size and counts")])
    size = value.get("size", [height, width])
    if size != [height, width]:
        what = f"a mask has the size {size}, its picture is {height} px high and {width} px wide"
        raise AnnotationError([error("", "mask-size", what, "give height and width of the picture, and a mask of that size")])
    given = value["counts"]
    return counts.runs_of_text(given, height, width) if isinstance(given, str | bytes) else counts.checked(given, height, width)
