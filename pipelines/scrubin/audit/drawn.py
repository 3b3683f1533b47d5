"""Masks and points of a release against what is black in its pictures: none may show what is hidden.

It is read from the bytes of the released tables, and held to what the private tables say is hidden. Which picture a frame is, the plan says
by the path of its file; a frame without a file is that of the number in the table. Boxes are not asked about: they stay on hidden frames.

A source with an odd side has a pixel more than its video, and nobody tells it here: so the outermost pixels of a rectangle are not asked
about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.audit.containers.run_lengths import runs_of
from scrubin.audit.expected import Finding
from scrubin.audit.expected.plan import Box, Plan
from scrubin.base.tables.public import REFERENCE_CAMERAS

MASKS, POINTS, FRAMES = (f"tables/{name}.parquet" for name in ("masks", "points", "frames"))
EDGE_PX = 1
MEND = "make it again with the stage annotations, which takes out what is hidden"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """What is black in the picture of a frame, of a size in px of the video: rectangles, or all of it."""

    size_px: tuple[int, int]
    boxes: tuple[Box, ...]
    whole: bool


def findings(files: Mapping[str, Path], plan: Plan) -> Iterator[Finding]:
    """Yield every mask and point that shows what is hidden in its frame, and those of which it cannot be told.

    Parameters
    ----------
    files
        Of the release, by name. What its reader cannot read is a finding of the reader.
    plan
        What is hidden.
    """
    frames: dict[tuple[str, int], Shown] | None = None
    for name, judge, columns in ((MASKS, _of_mask, ("width", "height", "counts")), (POINTS, _of_point, ("point", "x", "y"))):
        for number, row in _rows(files, name, ("id", "frame", "instance", *columns)):
            frames = _frames(files, plan) if frames is None else frames
            place = f"row {number}, {row['id']}, frame {row['frame']}, instance {row['instance']}"
            shown = frames.get((row["id"], row["frame"]))
            if shown is None:
                yield Finding(name, place, "label-unproven", f"{FRAMES} has no picture of this frame in a video of the release; {MEND}")
            elif (shown.whole or shown.boxes) and (message := judge(row, shown)):
                yield Finding(name, place, "label-shows-hidden", message)


def _rows(files: Mapping[str, Path], name: str, columns: tuple[str, ...]) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a table, numbered from 1; none where it is not there or has other columns, which others find."""
    if name not in files:
        return
    try:
        file = pq.ParquetFile(files[name])
        if set(columns) <= set(file.schema_arrow.names):
            number = 0
            for batch in file.iter_batches(columns=list(columns)):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (OSError, ValueError, pa.ArrowException):
        return


def _frames(files: Mapping[str, Path], plan: Plan) -> dict[tuple[str, int], Shown]:
    """Return what is black in each frame, by id and number, in the camera that labels refer to."""
    videos = {(video.id, video.camera): video for video in plan.videos}
    camera_of = {id_: next(one for one in REFERENCE_CAMERAS if (id_, one) in videos) for id_, _ in videos}
    source_frames = {still.path: still.source_frame for video in plan.videos for still in video.stills}
    found = {}
    for _, row in _rows(files, FRAMES, ("id", "camera", "frame", "source_frame", "path")):
        video = videos.get((row["id"], row["camera"]))
        if video is None or video.size_px is None or camera_of[row["id"]] != row["camera"]:
            continue
        at = int(source_frames.get(row["path"], row["source_frame"]) or 0)
        now = [one.box_xywh for one in video.hidden if one.first <= at <= one.last]
        found[row["id"], row["frame"]] = Shown(video.size_px, tuple(box for box in now if box is not None), None in now)
    return found


def _of_mask(row: Row, shown: Shown) -> str:
    """Return what is wrong with a mask; "" is nothing."""
    runs, width, height = runs_of(row["counts"], row["width"], row["height"]), row["width"], row["height"]
    if runs is None:
        return ""  # its reader says so
    pixels = np.repeat(np.arange(len(runs)) % 2 == 1, runs).reshape(width, height)
    black = np.full((width, height), shown.whole)
    for x, y, w, h in shown.boxes:
        columns, rows = _touched(x, w, width, shown.size_px[0]), _touched(y, h, height, shown.size_px[1])
        black[columns, rows] = True
    count = int((pixels & black).sum())
    return f"{count} px of the mask lie where the released picture is black; {MEND}" if count else ""


def _touched(low: int, length: int, side: int, video_side: int) -> slice:
    """Return the pixels of a labelled side that the inside of a hidden one touches."""
    first, last = low + EDGE_PX, low + length - EDGE_PX
    return slice(first * side // video_side, -(-last * side // video_side)) if first < last else slice(0)


def _of_point(row: Row, shown: Shown) -> str:
    """Return what is wrong with a point; "" is nothing."""
    if row["x"] is None or row["y"] is None:
        return ""
    at = (row["x"] * shown.size_px[0], row["y"] * shown.size_px[1])
    is_inside = any(x + EDGE_PX <= at[0] <= x + w - EDGE_PX and y + EDGE_PX <= at[1] <= y + h - EDGE_PX for x, y, w, h in shown.boxes)
    return f"the point '{row['point']}' lies where the released picture is black; {MEND}" if shown.whole or is_inside else ""
