"""What instances have beyond their box, as rows of tables, without what the released picture hides.

Masks, tracks and points are in the pixels of the pictures that were labelled: no mask and no point may show what is hidden.

The rule
--------
1. A label stands for the picture it was drawn on and for that of our frame, which may be another one. What is hidden in either of them,
   or in a picture between the two, is hidden for the label.
2. A rectangle is scaled outwards: a labelled pixel of which any part is hidden is hidden.
3. What a released picture lacks at its right and bottom edge, as the sides of a video are even, is hidden with what touches that edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.labels import tracks
from scrubin.labels.masks import rle
from scrubin.labels.masks.blackened import Rectangle, Size, scaled_outwards
from scrubin.labels.model import MASK, SOURCE_FRAMES, Clock, IntArray
from scrubin.labels.points import POINTS, UNLABELLED, Point
from scrubin.stages.annotations.placing import TIE_NS, PlacedLayer, Timeline, source_times_ns

Row = dict[str, Any]


@dataclass
class Details:
    """The rows of one recording, and what was taken out of them.

    Parameters
    ----------
    masks, tracks, points
        Rows of these tables.
    masks_cut
        Masks of which a part is hidden.
    masks_hidden
        Masks that are hidden as a whole, and have no row.
    points_hidden
        Points that are hidden: in a picture that is hidden as a whole they have no row, else no place.
    """

    masks: list[Row] = field(default_factory=list)
    tracks: list[Row] = field(default_factory=list)
    points: list[Row] = field(default_factory=list)
    masks_cut: int = 0
    masks_hidden: int = 0
    points_hidden: int = 0

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each table, and of what was taken out, without what is 0."""
        rows = {name: len(getattr(self, name)) for name in ("masks", "tracks", "points")}
        taken = {name: getattr(self, name) for name in ("masks_cut", "masks_hidden", "points_hidden")}
        return {name: count for name, count in (rows | taken).items() if count}

    def sentences(self) -> Iterator[str]:
        """Yield what a curator should know of it."""
        if self.masks_cut or self.masks_hidden:
            yield f"hidden in the release: {self.masks_hidden} masks as a whole, a part of {self.masks_cut}"
        if self.points_hidden:
            yield f"hidden in the release: {self.points_hidden} points"


def of_layer(id_: str, placed: PlacedLayer, line: Timeline, hidden: HiddenAreas, redacted: IntArray) -> Details:
    """Return the details of the instances of a recording.

    Parameters
    ----------
    id_
        Released id of the recording.
    placed
        Its instances on their frames.
    line
        The frames.
    hidden
        What is hidden in the released video.
    redacted
        Frames that are hidden as a whole, as the table ``frames`` says.

    Raises
    ------
    AnnotationError
        When a mask is not of the size of its picture.
    """
    rows = placed.rows.assign(instance=placed.rows.groupby("frame").cumcount())
    details = Details(tracks=list(tracks.rows_of(id_, rows)))
    of_picture = [name for name in (MASK, POINTS) if name in rows]
    rows = rows[rows[of_picture].notna().any(axis=1)] if of_picture else rows.iloc[:0]
    first, last = pictures_of(placed.positions, placed.frames, placed.clock, line)
    where = {
        frame: (position, None if frame in black else hidden.between(low, high))
        for black in [frozenset(redacted.tolist())]
        for frame, position, low, high in zip(placed.frames.tolist(), placed.positions.tolist(), first.tolist(), last.tolist(), strict=True)
    }
    for row in rows.to_dict("records"):
        position, areas = where[row["frame"]]
        key = {"id": id_, "frame": row["frame"], "instance": row["instance"]}
        if isinstance(row.get(MASK), str):
            _add_mask(details, key, row[MASK], placed.sizes[position], areas, hidden)
        if isinstance(row.get(POINTS), tuple):
            _add_points(details, key, row[POINTS], placed.sizes.get(position, hidden.source_size), areas, hidden)
    return details


def _add_mask(
    details: Details, key: Mapping[str, Any], text: str, size: Size, areas: Sequence[Rectangle] | None, hidden: HiddenAreas
) -> None:
    width, height = size
    labelled = rle.runs_of_text(text, height, width)
    # Equal masks have equal text: runs of no length, which a file may have, are joined.
    runs = rle.union([labelled], width * height)
    if areas is None:
        details.masks_hidden += 1
        return
    shown = cleared(runs, size, [hidden.scaled(area, size) for area in areas]) if areas else runs
    if rle.area(shown) < rle.area(runs):
        details.masks_cut += rle.area(shown) > 0
        details.masks_hidden += rle.area(shown) == 0
    if rle.area(shown):
        details.masks.append({**key, "width": width, "height": height, "counts": rle.text_of_runs(shown)})


def _add_points(
    details: Details,
    key: Mapping[str, Any],
    points: Sequence[Point],
    size: Size,
    areas: Sequence[Rectangle] | None,
    hidden: HiddenAreas,
) -> None:
    if areas is None:
        details.points_hidden += sum(point.labelled for point in points)
        return
    scaled = [hidden.scaled(area, size) for area in areas]
    for point in points:
        is_hidden = point.labelled and is_inside(point.x, point.y, size, scaled)
        details.points_hidden += is_hidden
        has_place = point.labelled and not is_hidden
        place = {name: min(max(value, 0.0), 1.0) if has_place else None for name, value in (("x", point.x), ("y", point.y))}
        details.points.append({**key, "point": point.name, **place, "visibility": point.visibility if has_place else UNLABELLED})


ROUNDING_PX = 0.01
"""A point that is this near to a rectangle is in it: label files round."""


@dataclass(frozen=True)
class HiddenAreas:
    """What is hidden in one released video.

    Parameters
    ----------
    source_size
        Width and height in px of the source picture, which is the one that was labelled in whatever size.
    video_size
        Those of the released picture: its pixels are those of the source, without an odd row or column at its end.
    first_frames, last_frames
        First and last frame of each hidden span, numbers in the released video, shape (n,).
    rectangles
        Left, top, right and bottom in px of the released picture, shape (n, 4).
    is_whole
        Whether the whole picture is hidden, shape (n,).
    """

    source_size: tuple[int, int]
    video_size: tuple[int, int]
    first_frames: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    last_frames: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    rectangles: IntArray = field(default_factory=lambda: np.zeros((0, 4), np.int64))
    is_whole: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    def between(self, first: int, last: int) -> list[Rectangle] | None:
        """Return the rectangles that are hidden in any of these frames of the released video; None where a whole picture is."""
        at = (self.first_frames <= last) & (self.last_frames >= first)
        if self.is_whole[at].any():
            return None
        return [(left, top, right, bottom) for left, top, right, bottom in self.rectangles[at].tolist()]

    def scaled(self, rectangle: Rectangle, to_size: tuple[int, int]) -> Rectangle:
        """Return a rectangle in the pixels of a labelled picture of this width and height, scaled outwards.

        >>> HiddenAreas((101, 50), (100, 50)).scaled((33, 10, 100, 20), (50, 25))
        (16, 5, 50, 10)
        """
        return scaled_outwards(rectangle, self.source_size, to_size, shown=self.video_size)


def areas_of(hidden: pd.DataFrame, source_size: tuple[int, int], video_size: tuple[int, int]) -> HiddenAreas:
    """Return what is hidden in one video; ``hidden`` are its rows of the table of this name, the sizes as of `HiddenAreas`."""
    whole = hidden["x"].isna().to_numpy(np.bool_)
    x, y, w, h = (hidden[name].fillna(0).to_numpy(np.int64) for name in "xywh")
    first, last = (hidden[name].to_numpy(np.int64) for name in ("first_frame", "last_frame"))
    return HiddenAreas(source_size, video_size, first, last, np.stack([x, y, x + w, y + h], axis=1), whole)


def pictures_of(positions: IntArray, frames: IntArray, clock: Clock, line: Timeline) -> tuple[IntArray, IntArray]:
    """Return the first and last picture that each label stands for, as numbers in the released video, (n,) each.

    Where the time of a label is that of an extracted frame, or its number is known, that picture is exact. Else it is one of those
    between the extracted frames before and after it.

    Parameters
    ----------
    positions, clock
        Of the labels, (n,).
    frames
        Where each one was placed, (n,), all of them among those of the line.
    """
    placed = line.source_frames[np.searchsorted(line.frames, frames)]
    if clock == SOURCE_FRAMES:
        low = high = np.asarray(positions, np.int64)
    else:
        times_ns = source_times_ns(positions, clock, line)
        before = np.searchsorted(line.times_ns, times_ns + TIE_NS, side="right") - 1
        after = np.searchsorted(line.times_ns, times_ns - TIE_NS, side="left")
        low = np.where(before < 0, line.start_source_frame, line.source_frames[before.clip(0)])
        high = np.where(
            after == len(line.times_ns), line.end_source_frame - 1, line.source_frames[after.clip(None, len(line.times_ns) - 1)]
        )
    first, last = np.minimum(np.minimum(low, high), placed), np.maximum(np.maximum(low, high), placed)
    return first - line.start_source_frame, last - line.start_source_frame


def cleared(runs: IntArray, size: tuple[int, int], rectangles: Sequence[Rectangle]) -> IntArray:
    """Return a mask without its pixels in the rectangles.

    Parameters
    ----------
    runs
        Run lengths of the mask.
    size
        Width and height of its picture in px.
    rectangles
        In px of that picture.

    >>> cleared(np.array([0, 6]), (3, 2), [(1, 0, 3, 1)]).tolist()
    [0, 2, 1, 1, 1, 1]
    """
    width, height = size
    pixels = rle.picture(runs, height, width).copy()
    for left, top, right, bottom in rectangles:
        pixels[top:bottom, left:right] = False
    return rle.runs_of_picture(pixels)


def is_inside(x: float, y: float, size: tuple[int, int], rectangles: Sequence[Rectangle]) -> bool:
    """Return whether a point is in a rectangle or on its edge; ``x`` and ``y`` are shares of the picture's width and height."""
    x_px, y_px = x * size[0], y * size[1]
    return any(
        left - ROUNDING_PX <= x_px <= right + ROUNDING_PX and top - ROUNDING_PX <= y_px <= bottom + ROUNDING_PX
        for left, top, right, bottom in rectangles
    )
