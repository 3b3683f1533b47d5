"""What instances have beyond their box, as rows of tables: masks, tracks, points; what the released picture hides is taken out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrubin.labels import tracks
from scrubin.labels.masks import rle
from scrubin.labels.masks.blackened import Rectangle, Size
from scrubin.labels.model import MASK, IntArray
from scrubin.labels.points import POINTS, UNLABELLED, Point
from scrubin.stages.annotations.hiding import HiddenAreas, cleared, is_inside, pictures_of
from scrubin.stages.annotations.placing import PlacedLayer, Timeline

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
