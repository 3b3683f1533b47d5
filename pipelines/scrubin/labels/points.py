"""Points of instances, such as the tips of an instrument: each with its name, and whether it is seen, as COCO has key points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd

POINTS = "points"
"""A detail of instances: a tuple of `Point`, each name once; null where an instance has none."""
UNLABELLED, HIDDEN, VISIBLE = 0, 1, 2


class Point(NamedTuple):
    """A point of an instance.

    Parameters
    ----------
    name
        What it is, such as ``tip``.
    x, y
        Shares of the width and height of the picture, from its left top corner; both 0 where it is not labelled.
    visibility
        0: not labelled. 1: labelled, but hidden. 2: seen.
    """

    name: str
    x: float
    y: float
    visibility: int

    @property
    def labelled(self) -> bool:
        """Whether somebody said where it is."""
        return self.visibility > UNLABELLED


def unlabelled(name: str) -> Point:
    """Return a point of which nobody said where it is."""
    return Point(name, 0.0, 0.0, UNLABELLED)


def have_points(rows: pd.DataFrame) -> pd.Series[bool]:
    """Return which instances have points."""
    return rows[POINTS].notna() if POINTS in rows else pd.Series(data=False, index=rows.index)


def have_places(rows: pd.DataFrame) -> pd.Series[bool]:
    """Return which instances have a point of which somebody said where it is."""
    every = rows[POINTS] if POINTS in rows else pd.Series(None, index=rows.index, dtype=object)
    said = [isinstance(value, tuple) and any(point.labelled for point in value) for value in every]
    return pd.Series(said, index=rows.index, dtype=bool)


def names_of(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of points in the order in which they come.

    Parameters
    ----------
    values
        Tuples of points, or null.

    >>> names_of([(Point("tip", 0.5, 0.5, 2),), None, (unlabelled("hinge"), unlabelled("tip"))])
    ('tip', 'hinge')
    """
    return tuple(dict.fromkeys(point.name for value in values if isinstance(value, tuple) for point in value))


def box_around(points: Iterable[Point]) -> tuple[float, float, float, float] | None:
    """Return the smallest box around labelled points: left, top, width, height; None where they lie on one line or there is none."""
    places = [(point.x, point.y) for point in points if point.labelled]
    if not places:
        return None
    (left, top), (right, bottom) = (tuple(edge(place[at] for place in places) for at in (0, 1)) for edge in (min, max))
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None
