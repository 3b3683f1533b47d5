"""Masks, tracks, points and marks in our own tables: to rows, then back, with every row held to its instance and its picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.tables import Table, io
from scrubin.base.tables.public import MARKS, MASKS, POINTS, TRACKS
from scrubin.labels import points, tracks
from scrubin.labels.masks import rle
from scrubin.labels.model import MASK, Labels, mark_rows
from scrubin.labels.parse.fields import Where
from scrubin.labels.points import Point

OF_INSTANCES = (MASKS, TRACKS, POINTS)
TABLES = (*OF_INSTANCES, MARKS)
INSTANCE = ["frame", "instance"]
Size = tuple[int, int]


def written(recordings: Sequence[Labels]) -> Iterator[tuple[Table, pd.DataFrame]]:
    """Yield each of the tables that has a row."""
    rows: dict[str, list[dict[str, Any]]] = {table.name: [] for table in TABLES}
    for labels in recordings:
        if labels.instances is not None:
            numbered = labels.instances.rows.rename(columns={"position": "frame"})
            numbered = numbered.assign(instance=numbered.groupby("frame").cumcount())
            rows[TRACKS.name] += tracks.rows_of(labels.recording, numbered)
            rows[MASKS.name] += _masks(labels, numbered)
            rows[POINTS.name] += _points(labels.recording, numbered)
        if labels.marks is not None:
            of_marks = labels.marks.rows.rename(columns={"position": "frame"})
            rows[MARKS.name] += [{**row, "id": labels.recording, "rater": row["rater"] or None} for row in io.records(of_marks)]
    for table in TABLES:
        if rows[table.name]:
            yield table, io.frame_of(table, rows[table.name])


def _masks(labels: Labels, numbered: pd.DataFrame) -> Iterator[dict[str, Any]]:
    if MASK not in numbered or labels.frames is None:
        return
    known = labels.frames[["position", "width", "height"]].dropna().astype(np.int64)
    size_at = {position: (width, height) for position, width, height in known.itertuples(index=False)}
    with_mask = numbered.loc[numbered[MASK].notna(), [*INSTANCE, MASK]]
    for frame, instance, text in zip(*(with_mask[name].tolist() for name in with_mask), strict=True):
        width, height = size_at[frame]
        yield {"id": labels.recording, "frame": frame, "instance": instance, "width": width, "height": height, "counts": text}


def _points(id_: str, numbered: pd.DataFrame) -> Iterator[dict[str, Any]]:
    with_points = numbered[points.have_points(numbered)]
    for row in with_points.to_dict("records"):
        for point in row[points.POINTS]:
            place = {"x": point.x, "y": point.y} if point.labelled else {"x": None, "y": None}
            key = {"id": id_, "frame": row["frame"], "instance": row["instance"]}
            yield {**key, "point": point.name, **place, "visibility": point.visibility}


def check(files: Mapping[str, str], rows: Mapping[str, pd.DataFrame], id_: str, faults: Faults) -> None:
    """Note the first row of each table that is of no instance, or does not fit its picture; parameters as `reader.check_labelled`."""
    known = set(rows["triplets"][INSTANCE].itertuples(index=False, name=None))
    for table in OF_INSTANCES:
        for row in rows[table.name].to_dict("records"):
            where = Where(faults, files.get(table.name, ""), id_, (row["frame"],))
            if (row["frame"], row["instance"]) not in known:
                what = f"the table triplets has no instance {row['instance']}"
                where.error("instance-missing", what, "number instances as triplets does")
            elif not _notes(table, row, where):
                continue
            break
    masks = rows[MASKS.name][["frame", "width", "height"]].drop_duplicates()
    if len(several := sorted(set(masks.loc[masks.duplicated("frame"), "frame"].tolist()))):
        what = "the masks of a frame are of pictures of several sizes"
        faults.error(files[MASKS.name], "mask-size", what, "give masks of one picture", place=id_, frames=several)


def _notes(table: Table, row: Mapping[Any, Any], where: Where) -> bool:
    """Return whether anything was noted of a row."""
    if table is MASKS:
        try:
            rle.runs_of_text(row["counts"], row["height"], row["width"])
        except AnnotationError as error:
            for fault in error.faults:
                where.error(fault.rule, fault.what, fault.fix)
            return True
    if table is TRACKS and not row["kind"].endswith(tracks.ONLY):
        what = f"'{row['kind']}' is no kind of track"
        where.error("track-kind", what, "name it track, or with track at its end, such as visibility_track")
        return True
    if table is POINTS and {pd.notna(row["x"]), pd.notna(row["y"])} != {row["visibility"] > points.UNLABELLED}:
        what = f"the point '{row['point']}' has the visibility {row['visibility']}, and {_given(row)}"
        where.error("point-form", what, "give x and y of points with a visibility of 1 or 2, and of no other")
        return True
    return False


def _given(row: Mapping[Any, Any]) -> str:
    return " and ".join(name for name in ("x", "y") if pd.notna(row[name])) or "neither x nor y"


def details(rows: Mapping[str, pd.DataFrame], instances: pd.DataFrame) -> dict[str, pd.Series[Any]]:
    """Return the columns that instances have beyond ours.

    Parameters
    ----------
    rows
        By table.
    instances
        Rows of the table ``triplets``, in the order of the labels.
    """
    keys = list(instances[INSTANCE].itertuples(index=False, name=None))
    found: dict[str, pd.Series[Any]] = {}
    masks = rows[MASKS.name]
    if len(masks):
        found[MASK] = _placed(keys, masks, masks["counts"].tolist(), "str")
    for kind, of_kind in rows[TRACKS.name].groupby("kind", sort=True):
        found[str(kind)] = _placed(keys, of_kind, of_kind["track"].tolist(), "Int64")
    of_points: dict[tuple[int, int], list[Point]] = {}
    for row in rows[POINTS.name].to_dict("records"):
        is_labelled = row["visibility"] > points.UNLABELLED
        point = Point(row["point"], row["x"], row["y"], row["visibility"]) if is_labelled else points.unlabelled(row["point"])
        of_points.setdefault((row["frame"], row["instance"]), []).append(point)
    if of_points:
        found[points.POINTS] = pd.Series([tuple(of_points[key]) if key in of_points else None for key in keys], dtype="object")
    return found


def _placed(keys: Sequence[tuple[int, int]], rows: pd.DataFrame, values: Sequence[Any], dtype: str) -> pd.Series[Any]:
    of_key = dict(zip(rows[INSTANCE].itertuples(index=False, name=None), values, strict=True))
    return pd.Series([of_key.get(key) for key in keys], dtype=dtype)


def sizes(rows: Mapping[str, pd.DataFrame]) -> dict[int, Size]:
    """Return width and height in px of the picture of each frame that has a mask."""
    masks = rows[MASKS.name]
    return dict(zip(masks["frame"].tolist(), zip(masks["width"].tolist(), masks["height"].tolist(), strict=True), strict=True))


def marks(rows: Mapping[str, pd.DataFrame]) -> tuple[np.ndarray, pd.DataFrame]:
    """Return the frames that somebody judged, and their marks as labels have them."""
    of_marks = rows[MARKS.name]
    raters = of_marks["rater"].fillna("").tolist()
    given = zip(of_marks["frame"].tolist(), of_marks["mark"].tolist(), raters, of_marks["value"].tolist(), strict=True)
    judged = rows["labelled"].loc[rows["labelled"]["layer"] == MARKS.name, "frame"]
    return np.unique([*judged.tolist(), *of_marks["frame"].tolist()]).astype(np.int64), mark_rows(list(given))
