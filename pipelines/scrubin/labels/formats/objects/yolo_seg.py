"""YOLO text of segmentation: one file per frame, a row per instance; the class, then the corners ``x1 y1 x2 y2 ...`` in 0..1.

Predictions have the confidence behind the corners. Classes are named as those of YOLO's boxes. The corners are shares of an image whose
size no file says: by ``--image-size`` they become masks, as polygons of COCO do; without it only the boxes around them are read.
An empty file is labelled as "no instrument".

Written are the edges of the pixels. A mask of several parts, or with holes, is one row: its outlines are joined by lines that are walked
forth and back, so that it is read as the same pixels here; programs that draw outlines, too, see these lines: so such masks are counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from scrubin.base.faults import Faults
from scrubin.labels import boxes
from scrubin.labels.formats.objects import yolo
from scrubin.labels.formats.objects.coco import class_of
from scrubin.labels.masks import polygons, rle
from scrubin.labels.model import MASK, Collection, LabelFiles
from scrubin.labels.parse import masks, yolo_rows
from scrubin.labels.parse.columns import Classes
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

SOME_SIZES = 3
OF_TRACKER = "ends with a whole number, as trackers write ids behind confidences, which would be one more corner"
WITHOUT_TRACK = "write the rows without ids; if these are corners on the edge of the image, write 1.0 instead of 1"
LEAST = 1e-5
"""Shares of an image that differ by less are the same: rows have six digits."""


@dataset_format(
    "yolo-seg",
    pattern=yolo.PATTERN,
    expected=yolo.EXPECTED,
    title="YOLO txt of segmentation: class x1 y1 x2 y2 ...; masks where the size of the images is said",
    by_hand=ByHand(
        fps=yolo.BY_HAND.fps,
        fps_unstated=True,
        evidence=lambda path: "corners" in yolo_rows.kinds(path),
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of the recordings whose files have no error; all faults are in ``Collection.faults``."""
    faults = Faults()
    of_points = yolo_rows.shape_file(source.files)
    if of_points is not None:
        what = f"{yolo_rows.SHAPE} says that the rows have points behind a box, so they are no corners"
        faults.error(of_points, "points-stated", what, f"read them as yolo-pose, or leave {yolo_rows.SHAPE} out")
    rows = [row for row in yolo.rows_of(source) if len(row) >= yolo_rows.FEWEST_WITH_CORNERS]
    if rows and all(map(yolo_rows.may_end_in_track, rows)):
        faults.error(min(source.files), "corners-tracked", f"every row {OF_TRACKER}", WITHOUT_TRACK)
    are_corners = yolo_rows.state_corners(source.files) or any(
        len(row) != yolo_rows.TRACKED and not yolo_rows.may_end_in_track(row) for row in rows
    )
    row_of = partial(_row, source, are_corners)
    return Collection(faults=faults.all()) if faults.errors() else yolo.collection_of(source, "yolo-seg", row_of)


def _row(source: LabelFiles, are_corners: bool, where: Where, line: str, classes: Classes | None) -> dict[str, Any] | None:
    values = yolo.numbers_of(where, line)
    if values is None:
        return None
    if not are_corners and len(values) == yolo_rows.TRACKED and yolo_rows.may_end_in_track(line.split()):
        where.error("corners-tracked", f"the row of 7 values {OF_TRACKER}", f"{WITHOUT_TRACK}; boxes are the format yolo")
        return None
    if len(values) < yolo_rows.FEWEST_WITH_CORNERS:
        what = f"{len(values)} values, expected a class and three or more corners"
        where.error("row-length", what, yolo.OTHER_FORMAT.get(len(values), "export it again"))
        return None
    score = 1.0 if len(values) % 2 else values.pop()
    if not 0 <= score <= 1:
        where.error("score-range", f"confidence {score:g} is not in 0..1", "export it again")
        return None
    ids = None if classes is None else yolo.single(where, values, classes)
    corners = np.array(values[1:]).reshape(-1, 2)
    (x, y), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    wrong = boxes.check((x, y, right - x, bottom - y), source.box_tolerance)
    if wrong is not None:
        where.error(wrong.rule, f"corners from {x:g} {y:g} to {right:g} {bottom:g}: {wrong.what}", wrong.fix)
        return None
    if ids is None:
        return None
    row = {**ids, "x": x, "y": y, "w": right - x, "h": bottom - y, "score": score}
    if source.image_size is None:
        where.warning("mask-size", "only the box around the corners is read", "say the size of the images: --image-size")
        return row
    runs = masks.of_polygons(where, [corners * source.image_size], source.image_size)
    if runs is not None and not rle.area(runs):
        where.warning("mask-empty", "the corners lie between the centres of pixels, so only the box is read")
        return row
    return None if runs is None else {**row, MASK: rle.text_of_runs(runs)}


@writes(
    "yolo-seg",
    holds=("instances", "actions", "boxes", "masks", "repeats", "scores", "empty frames"),
    pixels=True,
    only_masks=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``labels/<recording>_<frame>.txt`` per labelled frame and ``data.yaml``; no file says the size of the images: a note does."""
    sizes = {
        (labels.recording, int(position)): (int(width), int(height))
        for labels in collection.recordings
        if labels.frames is not None
        for position, width, height in labels.frames[["position", "width", "height"]].itertuples(index=False)
    }

    def line(classes: Classes, at: tuple[str, int], row: Mapping[str, Any], scored: bool) -> str:
        width, height = sizes[at]
        loops = polygons.outlines(rle.runs_of_text(row[MASK], height, width), height, width)
        out.lose("masks of several parts or with holes, whose outlines are joined by lines", int(len(loops) > 1))
        corners = polygons.joined_outlines(loops)
        around = [*(corners.min(axis=0) / (width, height)), *(np.ptp(corners, axis=0) / (width, height))]
        is_box = np.allclose([row[side] for side in "xywh"], around, rtol=0, atol=LEAST)
        out.lose("boxes that are not those around the mask", int(not is_box))
        shares = (corners / (width, height)).ravel().tolist()
        return yolo.line_of([class_of(classes, row)], shares, row, scored=scored)

    yolo.write_rows(collection, out, line)
    written = sorted({f"{width}x{height}" for width, height in sizes.values()})
    unstated = "yolo-seg: no file states the size of the images"
    if len(written) == 1:
        out.notes.append(f"{unstated}; to read masks back, say --image-size {written[0]}")
    else:
        some = ", ".join(written[:SOME_SIZES]) + (", ..." if len(written) > SOME_SIZES else "")
        what = f"{unstated}, and these are of {len(written)}: {some}; --image-size is one for all that is read, so"
        out.notes.append(f"{what} convert images of each size into a folder of their own")
