"""Values of label files, checked for their type; a fault is noted and gives None."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scrubin.core.faults import Fault, Faults, warning
from scrubin.labels import boxes, documents

LARGEST = 10**documents.LONGEST_DIGITS
FROM_ZERO = "ids are numbered from 0; these look numbered from 1"
FRAME_OF_NAME = re.compile(r"(?:.*/)?(?P<recording>[^/]+?)[_/](?P<frame>[0-9]{1,15})(?:\.[A-Za-z0-9]+)?")


def is_whole(value: Any) -> bool:
    """Return whether a JSON value is a whole number; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Return whether a JSON value is a finite number; true and false are not."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < 10**documents.LONGEST_INTEGER
    return isinstance(value, float) and math.isfinite(value)


def id_of(of: Mapping[str, Any], key: str) -> int:
    """Return a whole number, -1 for anything else: ids are looked up, and -1 is none."""
    value = of.get(key)
    return value if isinstance(value, int) and is_whole(value) else -1


def list_of_objects(file: str, document: Mapping[str, Any], key: str, faults: Faults) -> list[Mapping[str, Any]]:
    """Return the objects in a list; everything else is noted."""
    values = document.get(key)
    if not isinstance(values, list):
        faults.error(file, "format", f"expected a list, but got {documents.shown(values)}", "write [] for none", place=key)
        return []
    found = []
    for i, value in enumerate(values):
        if isinstance(value, Mapping):
            found.append(value)
        else:
            faults.error(
                file, "format", f"expected an object, but got {documents.shown(value)}", "export the file again", place=f"{key} {i}"
            )
    return found


def whole(file: str, place: str, of: Mapping[str, Any], key: str, faults: Faults, *, low: int = 0, high: int | None = None) -> int | None:
    """Return a whole number in ``low..high``."""
    value = of.get(key)
    expected = f"a whole number from {low}" if high is None else f"a whole number in {low}..{high}"
    if not is_whole(value) or abs(value or 0) > LARGEST:
        faults.error(file, "format", f"'{key}' is {documents.shown(value)}, expected {expected}", "export the file again", place=place)
        return None
    number = int(value)  # type: ignore[arg-type]
    if number < low or (high is not None and number > high):
        mend = FROM_ZERO if high is not None and number == high + 1 else "correct it"
        faults.error(file, "format", f"'{key}' is {number}, expected {expected}", mend, place=place)
        return None
    return number


def pixel_box(
    file: str, place: str, of: Mapping[str, Any], size: tuple[int, int], tolerance: float, *, cut: bool, faults: Faults
) -> boxes.XYWH | None:
    """Return the ``bbox`` of top-left corner and size in px as shares of the image.

    Two corners that happen to be a box, too, are known by ``area``, where it is theirs.

    Parameters
    ----------
    size
        Width and height of the image in px.
    """
    value = of.get("bbox")
    if not isinstance(value, list) or len(value) != 4 or not all(is_number(side) for side in value):
        faults.error(file, "format", f"'bbox' is {documents.shown(value)}", "give x, y, width and height in px", place=place)
        return None
    width, height = size
    if max(value) <= 1 and min(width, height) > 10:
        faults.error(
            file,
            "format",
            f"'bbox' {value} of an image of {width}x{height} is less than a pixel",
            "it looks like shares of the image; multiply by its size",
            place=place,
        )
        return None
    x, y, w, h = (float(side) for side in value)
    area = of.get("area")
    by_corners = (w - x) * (h - y) if w > x and h > y else -1.0
    stated = float(area) if isinstance(area, (int, float)) and is_number(area) else math.nan
    if math.isclose(stated, by_corners, rel_tol=1e-4) and not math.isclose(w * h, by_corners, rel_tol=0.01):
        faults.error(
            file,
            "format",
            f"'bbox' {value} has the area {area} as two corners only",
            "give the width and height instead of the second",
            place=place,
        )
        return None
    shares = (x / width, y / height, w / width, h / height)
    checked = boxes.check(shares, tolerance)
    if checked.box_xywh is None:
        corners = w > x >= 0 and h > y >= 0 and w <= width * (1 + tolerance) and h <= height * (1 + tolerance)
        mend = (
            "it looks like two corners; give the width and height instead of the second corner" if corners else "draw it inside the image"
        )
        fault = f"'bbox' {value} is no box inside the image of {width}x{height}"
        faults.error(
            file, "format", fault, mend if w > 0 and h > 0 else "give a width and a height above 0, or remove the box", place=place
        )
        return None
    return checked.box_xywh if cut else shares


def share_box(file: str, place: str, value: Any, tolerance: float, *, cut: bool, faults: Faults) -> boxes.XYWH | None:
    """Return a box of top-left corner and size as shares of the image."""
    if not isinstance(value, (list, tuple)) or len(value) != 4 or not all(is_number(side) for side in value):
        faults.error(file, "format", f"the box is {documents.shown(value)}", "give x, y, width and height in 0..1", place=place)
        return None
    x, y, w, h = (float(side) for side in value)
    checked = boxes.check((x, y, w, h), tolerance)
    if checked.box_xywh is None:
        faults.error(file, "format", checked.fault, checked.mend, place=place)
        return None
    return checked.box_xywh if cut else (x, y, w, h)


def shift_mend(triplets: Sequence[tuple[int, int, int]], before: int | None, parts: Sequence[int | None]) -> str:
    """Return the mend of a triplet that does not have its parts: often all ids are numbered from 1.

    Parameters
    ----------
    before
        The triplet with the id before, None when there is none.
    parts
        Instrument, verb and target as they are given, None for undefined.
    """
    if before is None or not 0 <= before < len(triplets):
        return "correct one of them"
    wanted = triplets[before]
    shifted = any(all(got is None or got - by == want for got, want in zip(parts, wanted, strict=True)) for by in (0, 1))
    return FROM_ZERO if shifted else "correct one of them"


def unkept(file: str, names: Iterable[str]) -> tuple[Fault, ...]:
    """Return the warning of keys or columns that are not kept, none when all are.

    >>> [fault.sentence for fault in unkept("a.json", ["track_id", "segmentation"])]
    ['a.json: not kept: segmentation, track_id']
    """
    listed = sorted(set(map(str, names)))
    return (warning(file, "not-kept", f"not kept: {', '.join(listed)}"),) if listed else ()


def recording_and_frame(name: str) -> tuple[str, int] | None:
    """Return what an image's name says: ``video_000012.jpg`` or ``video/000012.jpg``; None when it says nothing.

    >>> recording_and_frame("train/pwhv1_000012.jpg")
    ('pwhv1', 12)
    """
    match = FRAME_OF_NAME.fullmatch(name)
    return (match["recording"], int(match["frame"])) if match else None
