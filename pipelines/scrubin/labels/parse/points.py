"""Points in label files: read with every fault at its place, and written as COCO's key points.

COCO has the names of points, in order, and the lines between them (``keypoints`` and ``skeleton``) at each category, and at each annotation
three numbers per point: x and y in px and the visibility. Predictions, which have a score, may have anything as third number: pycocotools
does not look at it, and programs write confidences there. They may also leave the image, as predicted boxes may.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scrubin.labels.model import Labels
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where
from scrubin.labels.points import UNLABELLED, VISIBLE, Point, names_of, unlabelled

KEY, COUNT, LINES = "keypoints", "num_keypoints", "skeleton"
PIXEL_DIGITS = 4
FARTHEST = 1.0
"""A predicted point further outside, as a share of the side of the image, is of another image."""
Place = tuple[float, float, int]
"""x and y as shares of the image, visibility."""


def numbered(count: int) -> tuple[str, ...]:
    """Return the names of points that nobody named: their places, from 1.

    >>> numbered(3)
    ('1', '2', '3')
    """
    return tuple(str(place) for place in range(1, count + 1))


def names_of_category(where: Where, category: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the names of the points of a category, none where it says nothing of points; None after noting what is wrong."""
    names = category.get(KEY)
    if names in (None, []):
        return ()
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        where.error("points-names", f"'{KEY}' are {documents.shown(names)}", "give a list of different names")
        return None
    lines = category.get(LINES) or []
    ends = [end for line in lines if isinstance(line, list) for end in line] if isinstance(lines, list) else [None]
    if not all(isinstance(end, int) and fields.is_whole(end) and 1 <= end <= len(names) for end in ends):
        what = f"'{LINES}' has lines between other points than 1 to {len(names)}"
        where.deviation("points-skeleton", what, "it is only drawn, and not kept; number points from 1")
    return tuple(names)


def lines_of_category(category: Mapping[str, Any]) -> list[list[int]]:
    """Return the lines between points of a category, by numbers from 1; none where they cannot be used."""
    lines, count = category.get(LINES), len(category.get(KEY) or ())
    sound = isinstance(lines, list) and all(
        isinstance(line, list)
        and len(line) == 2
        and all(isinstance(end, int) and fields.is_whole(end) and 1 <= end <= count for end in line)
        for line in lines
    )
    return lines if sound and isinstance(lines, list) else []


def of_annotation(
    where: Where, one: Mapping[str, Any], names: Sequence[str], size: tuple[int, int], tolerance: float
) -> tuple[Point, ...] | None:
    """Return the points of an annotation of COCO; None where it says nothing, or after noting what is wrong.

    Parameters
    ----------
    names
        Of its category; none where that names no points: then they are numbered.
    size
        Width and height of the image in px.
    tolerance
        An annotated point may leave the image by this share of its side.
    """
    numbers = one.get(KEY)
    if numbers in (None, [], 0):
        return None
    if not isinstance(numbers, list) or len(numbers) % 3 or not all(map(fields.is_number, numbers)):
        where.error("points-form", f"'{KEY}' are {documents.shown(numbers)}", "give x, y in px and visibility of every point")
        return None
    if names and len(numbers) != 3 * len(names):
        what = f"{len(numbers) // 3} points, the category names {len(names)}"
        where.error("points-number", what, "give all of them; one that is not labelled is 0, 0, 0")
        return None
    is_predicted = "score" in one
    places = [
        _place(where.at(f"{where.place}, point {name}"), numbers[3 * at : 3 * at + 3], size, tolerance, is_predicted=is_predicted)
        for at, name in enumerate(names or numbered(len(numbers) // 3))
    ]
    if None in places:
        return None
    points = tuple(Point(name, *place) for name, place in zip(names or numbered(len(places)), places, strict=True) if place is not None)
    stated, labelled = one.get(COUNT), sum(point.labelled for point in points)
    if not is_predicted and COUNT in one and stated != labelled:
        where.deviation("points-count", f"'{COUNT}' is {documents.shown(stated)}, labelled are {labelled}", "they are counted; correct it")
    return points


def area_px2(one: Mapping[str, Any]) -> float | None:
    """Return the area of a predicted annotation with sound points: of the box around all of them, as pycocotools takes results.

    There one that is 0, 0, 0 counts as well. None where all are predicted: then it is that of the box around them.
    """
    numbers = one[KEY]
    if all(any(numbers[at : at + 3]) for at in range(0, len(numbers), 3)):
        return None
    (left, top), (right, bottom) = ((edge(numbers[0::3]), edge(numbers[1::3])) for edge in (min, max))
    return float((right - left) * (bottom - top))


def _place(where: Where, numbers: Sequence[float], size: tuple[int, int], tolerance: float, *, is_predicted: bool) -> Place | None:
    x, y, visibility = numbers
    if is_predicted:
        visibility = VISIBLE if any(numbers) else UNLABELLED
    return checked(where, (x / size[0], y / size[1]), visibility, max(tolerance, FARTHEST) if is_predicted else tolerance)


def checked(where: Where, shares: tuple[float, float], visibility: float, tolerance: float) -> Place | None:
    """Return a point whose visibility and place can be used; None after noting what is wrong.

    Parameters
    ----------
    shares
        x and y as shares of the image.
    """
    if visibility not in (0, 1, 2):
        where.error("point-visibility", f"visibility {visibility:g}", "0 is not labelled, 1 hidden, 2 seen")
        return None
    if not visibility:
        if any(shares):
            where.deviation("point-unlabelled", "it has a place, but visibility 0", "it is read as not labelled; give 1 or 2, or 0, 0, 0")
        return 0.0, 0.0, UNLABELLED
    outside = max(-min(shares), max(shares) - 1)
    if outside > tolerance:
        what = f"it lies outside of the image by {100 * outside:.1f} % of its side"
        where.error("point-outside", what, "draw it inside the image, or say that it is not labelled")
        return None
    return shares[0], shares[1], int(visibility)


def known_names(recordings: Iterable[Labels]) -> dict[int, tuple[str, ...]]:
    """Return, by class, the names of points in the order of the COCO files that were read."""
    return {class_: names for labels in recordings for class_, names in labels.about.get("coco", {}).get("points", {}).items()}


def by_class(values: Mapping[int, Sequence[Any]], known: Mapping[int, Sequence[str]]) -> dict[int, tuple[str, ...]]:
    """Return the names of the points of each class that has any, in one order for all its instances.

    Parameters
    ----------
    values
        By class, the points of its instances; null where one has none.
    known
        By class, names in the order of the file that was read.
    """
    return {class_: names for class_, of in values.items() if (names := tuple(dict.fromkeys([*known.get(class_, ()), *names_of(of)])))}


def of_class(names: Sequence[str], lines: list[list[int]]) -> dict[str, Any]:
    """Return what a category of COCO says of its points; nothing where there are none."""
    return {KEY: list(names), LINES: lines} if names else {}


def written(points: Any, names: Sequence[str], size: tuple[int, int]) -> dict[str, Any]:
    """Return what an annotation of COCO says of points, all of its category; nothing for an instance without.

    Parameters
    ----------
    points
        Of the column ``points``; null for none.
    names
        Of the points of the category, in order.
    size
        Width and height of the image in px.
    """
    if not isinstance(points, tuple):
        return {}
    by_name = {point.name: point for point in points}
    of_category = [by_name.get(name, unlabelled(name)) for name in names]
    numbers = [
        number
        for point in of_category
        for number in (round(point.x * size[0], PIXEL_DIGITS), round(point.y * size[1], PIXEL_DIGITS), point.visibility)
    ]
    return {KEY: numbers, COUNT: sum(point.labelled for point in of_category)}
