"""Masks, points, tracks and marks for the instances of a study's tables, drawn by chance."""

import numpy as np
import pandas as pd

from scrubin.base.tables import io
from scrubin.base.tables.private import HIDDEN
from scrubin.base.tables.public import LABELLED, MARKS, MASKS, POINTS, TRACKS, VIDEOS
from scrubin.labels.masks import rle

LABELLED_SIZE = (160, 120)
"""Width and height of the pictures that were labelled; those of the release are twice as large."""
BLACK = (40, 60, 80, 60)
"""Left, top, width and height in px of the released picture."""


def ellipse(row, size=LABELLED_SIZE):
    """The ellipse in the box of an instance, (height, width)."""
    width, height = size
    y, x = np.mgrid[:height, :width] + 0.5
    across = (x / width - row["x"] - row["w"] / 2) / (row["w"] / 2)
    down = (y / height - row["y"] - row["h"] / 2) / (row["h"] / 2)
    return across**2 + down**2 <= 1


def with_objects(made, ids, *, black_frames=(), whole_frame=None, judged=range(0, 24, 4)):
    """Tables with masks, points and tracks of the instances of some recordings, and marks of three raters of the first one.

    Parameters
    ----------
    black_frames
        Frames of the first recording in which `BLACK` is hidden.
    whole_frame
        A frame of it that is hidden as a whole.
    judged
        Frames of it that the raters judged.
    """
    width, height = LABELLED_SIZE
    masks, points, tracks = [], [], []
    left, top, right, bottom = BLACK[0] // 2, BLACK[1] // 2, (BLACK[0] + BLACK[2]) // 2, (BLACK[1] + BLACK[3]) // 2
    for row in made["triplets"][made["triplets"]["id"].isin(ids)].to_dict("records"):
        key = {name: row[name] for name in ("id", "frame", "instance")}
        tracks.append({**key, "kind": "track", "track": row["instance"] + 1})
        first = row["id"] == ids[0]
        if first and row["frame"] == whole_frame:
            continue
        pixels = ellipse(row)
        x, y = row["x"] + row["w"] / 2, row["y"] + row["h"] / 2
        hidden = first and row["frame"] in black_frames
        if hidden:
            pixels[top:bottom, left:right] = False
        if pixels.any():
            masks.append({**key, "width": width, "height": height, "counts": rle.text_of_runs(rle.runs_of_picture(pixels))})
        covered = hidden and left <= x * width < right and top <= y * height < bottom
        seen = {"x": None, "y": None, "visibility": 0} if covered else {"x": x, "y": y, "visibility": 2}
        points += [{**key, "point": "tip", **seen}, {**key, "point": "joint", "x": row["x"], "y": row["y"], "visibility": 1}]
    marks = [
        {"id": ids[0], "frame": frame, "mark": mark, "rater": str(rater), "value": float(frame + 4 * at >= 8 + 2 * rater)}
        for frame in judged
        for at, mark in enumerate(("C1", "C2"))
        for rater in (1, 2, 3)
    ]
    labelled = [{"id": ids[0], "layer": "marks", "frame": frame, "vocabulary": "endoscapes", "detail": None} for frame in judged]
    spans = [(frame, frame, *BLACK) for frame in black_frames] + [(whole_frame, whole_frame, *[None] * 4)] * (whole_frame is not None)
    hidden_rows = [
        {"id": ids[0], "camera": "mono", "first_frame": 25 * first, "last_frame": 25 * last, **dict(zip("xywh", box, strict=True))}
        for first, last, *box in spans
    ]
    frames = made["frames"]
    black = (frames["id"] == ids[0]) & (frames["frame"] == whole_frame) if whole_frame is not None else frames["redacted"]
    sizes = {"width": 320, "height": 240, "fps": "25", "variable_rate": False, "frame_count": 600, "duration_s": 24.0, "sha256": "0" * 64}
    videos = [{"id": id_, "task": "Cholecystectomy", "camera": "mono", "path": f"{id_}.mp4", **sizes} for id_ in sorted(set(frames["id"]))]
    return {
        **made,
        "labelled": io.conform(LABELLED, pd.concat([made["labelled"], io.frame_of(LABELLED, labelled)])),
        "frames": frames.assign(redacted=black),
        **{table.name: io.frame_of(table, rows) for table, rows in ((MASKS, masks), (POINTS, points), (TRACKS, tracks), (MARKS, marks))},
        "hidden": io.frame_of(HIDDEN, hidden_rows),
        "videos": io.frame_of(VIDEOS, videos),
    }
