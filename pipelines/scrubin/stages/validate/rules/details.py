"""Rules about what labels have beyond boxes and phases: masks, tracks, points, marks; none of it shows what is hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.tables.public import of_reference_camera
from scrubin.labels.masks import rle
from scrubin.stages.validate.registry import rule
from scrubin.stages.validate.rules.videos import labelled_frames
from scrubin.stages.validate.study_tables import Study, among, looked_up, sizes

Rectangle = tuple[int, int, int, int]
"""Left, top, right and bottom in px."""
INSTANCE = ("id", "frame", "instance")
SLACK_PX = 1
"""Of a hidden rectangle so much at each side is not asked about: a source with an odd side has a pixel more than its video."""


@rule("error", "every mask, track and point is of an instance of its frame", masks=INSTANCE, tracks=INSTANCE, points=INSTANCE)
def detail_has_instance(study: Study, table: str) -> pd.Series[bool]:
    """Find masks, tracks and points of instances that the table ``triplets`` does not have."""
    return ~among(study.columns(table, *INSTANCE), study.columns("triplets", *INSTANCE))


@rule("error", "every mark lies on a frame of which marks were labelled", marks=("frame",))
def mark_in_labelled_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find marks of frames that nobody judged."""
    labelled = study.columns("labelled", "id", "layer", "frame")
    return ~among(study.columns(table, "id", "frame"), labelled.loc[labelled["layer"] == "marks", ["id", "frame"]])


@rule("error", "the runs of a mask cover its picture, have a pixel of the instance, and are written in one way", masks=("width", "height"))
def mask_fits_picture(study: Study, table: str) -> pd.Series[bool]:
    """Find masks whose counts are none, of another size, empty, or not as they are written from their pixels."""
    rows = study.columns(table, "width", "height", "counts")
    fits = [_fits(*row) for row in zip(rows["counts"].tolist(), rows["width"].tolist(), rows["height"].tolist(), strict=True)]
    return ~pd.Series(fits, index=rows.index, dtype=bool)


def _fits(text: object, width: float, height: float) -> bool:
    try:
        runs = rle.runs_of_text(str(text), int(height), int(width))
    except (AnnotationError, ValueError):  # a missing size is no whole number
        return False
    return bool(runs[1:].all()) and rle.area(runs) > 0 and rle.text_of_runs(runs) == text


@rule("error", "the masks of a frame are of one picture", masks=("width", "height"))
def one_size_per_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find masks of frames whose masks have several sizes."""
    rows = study.columns(table, "id", "frame", "width", "height")
    return (sizes(rows, ["id", "frame"], "width") > 1) | (sizes(rows, ["id", "frame"], "height") > 1)


@rule("error", "a point that is labelled has a place, and no other has", points=("x", "y", "visibility"))
def point_has_place(study: Study, table: str) -> pd.Series[bool]:
    """Find points with half a place, labelled ones without, and others with one."""
    rows = study.columns(table, "x", "y", "visibility")
    return (rows["x"].notna() != rows["y"].notna()) | (rows["x"].notna() != (rows["visibility"] > 0))


@rule("error", "a track has one instance in a frame", tracks=("kind", "track"))
def track_once(study: Study, table: str) -> pd.Series[bool]:
    """Find instances of a frame that have the same number in the same kind of track."""
    return study.columns(table, "id", "frame", "kind", "track").duplicated(keep=False)


@rule("error", "no mask and no point lies on a frame that is hidden", masks=("frame",), points=("frame",))
def detail_in_redacted_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find masks and points of frames that are black in the release: they would show what nobody may see."""
    frames = labelled_frames(study, "redacted")
    return among(study.columns(table, "id", "frame"), frames.loc[frames["redacted"], ["id", "frame"]])


@rule("error", "no mask and no point shows what is hidden in its frame", masks=("frame",), points=("frame",))
def detail_shows_hidden(study: Study, table: str) -> pd.Series[bool]:
    """Find masks with a pixel, and points with a place, in a rectangle that is black in the released picture, or in a black picture."""
    columns = ("width", "height", "counts") if table == "masks" else ("x", "y")
    rows = study.columns(table, "id", "frame", *columns)
    there = rows.to_dict("records")
    shows = np.zeros(len(rows), np.bool_)
    for at, areas, size in _hidden_at(study, rows[["id", "frame"]].reset_index(drop=True)):
        shows[at] = _shows(there[at], areas, size) if table == "masks" else _lies_in(there[at], areas, size)
    return pd.Series(shows, index=rows.index)


def _hidden_at(study: Study, rows: pd.DataFrame) -> Iterator[tuple[int, list[Rectangle], tuple[int, int]]]:
    """Yield the number of each row in whose frame anything is hidden, with its rectangles and the size of the video in px."""
    hidden = study.private("hidden")
    frames = of_reference_camera(labelled_frames(study, "camera", "source_frame"))
    videos = study.columns("videos", "id", "camera", "width", "height")
    known = looked_up(rows, frames, ["id", "frame"])
    known = known.join(looked_up(known.assign(id=rows["id"]), videos, ["id", "camera"])).assign(id=rows["id"])
    known = known[known["width"].notna()]
    places = known.groupby(["id", "camera"]).indices
    for video, spans in hidden.groupby(["id", "camera"]):
        if video not in places:
            continue
        mine = known.iloc[places[video]]
        boxes = spans[list("xywh")].astype("float64").to_numpy()
        first, last = spans["first_frame"].to_numpy(), spans["last_frame"].to_numpy()
        numbers = mine[["source_frame", "width", "height"]].astype(np.int64)
        for at, (source_frame, width, height) in zip(mine.index.tolist(), numbers.to_numpy().tolist(), strict=True):
            is_now = (first <= source_frame) & (last >= source_frame)
            if is_now.any():
                whole = (-SLACK_PX, -SLACK_PX, width + SLACK_PX, height + SLACK_PX)
                yield (
                    at,
                    [whole if np.isnan(x) else (int(x), int(y), int(x + w), int(y + h)) for x, y, w, h in boxes[is_now].tolist()],
                    (width, height),
                )


def _shows(mask: Mapping[Any, Any], areas: list[Rectangle], video_size: tuple[int, int]) -> bool:
    if not _fits(mask["counts"], mask["width"], mask["height"]):
        return False  # another rule says so
    size = int(mask["width"]), int(mask["height"])
    pixels = rle.picture(rle.runs_of_text(mask["counts"], size[1], size[0]), size[1], size[0])
    for left, top, right, bottom in areas:
        columns, rows = _touched(left, right, size[0], video_size[0]), _touched(top, bottom, size[1], video_size[1])
        if pixels[rows, columns].any():
            return True
    return False


def _touched(low: int, high: int, side: int, video_side: int) -> slice:
    """Return the pixels of a side that the inner part of a rectangle touches."""
    low, high = low + SLACK_PX, high - SLACK_PX
    return slice(low * side // video_side, -(-high * side // video_side) if low < high else 0)


def _lies_in(point: Mapping[Any, Any], areas: list[Rectangle], video_size: tuple[int, int]) -> bool:
    if pd.isna(point["x"]) or pd.isna(point["y"]):
        return False
    x, y = point["x"] * video_size[0], point["y"] * video_size[1]
    return any(left + SLACK_PX <= x <= right - SLACK_PX and top + SLACK_PX <= y <= bottom - SLACK_PX for left, top, right, bottom in areas)
