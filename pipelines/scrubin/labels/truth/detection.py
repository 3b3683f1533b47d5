"""Detection: boxes per labelled frame, in the layouts of ivtmetrics, ivtdmetrics, COCO, YOLO.

Only frames whose every instance has a whole triplet and a box can be scored: a missing box would
count a right detection as a false alarm. A frame labelled as "no instrument" is such a frame, but
only in a recording that has such boxes at all: its empty frames alone would say that nothing is in view.

``yolo`` rows are ``class cx cy w h`` with the triplet as class, ``yolo4`` rows are ``triplet instrument
verb target cx cy w h``; centre and size in 0..1 with six digits, ids from 0. An empty file is a frame
that is labelled as "no instrument". Labels lie as the pictures do, because YOLO looks for them beside.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.rows import complete_frames
from scrubin.labels.truth import Recording

BOX = ["x", "y", "w", "h"]
SCORE = 1.0  # of ground truth
PIXEL_DIGITS = 4


@dataclass(frozen=True)
class BoxedFrames:
    """The frames of a recording that detection can be scored on.

    Parameters
    ----------
    frames
        Frame numbers, increasing.
    rows
        Per frame: triplet id, instrument id, and the box x, y, w, h in 0..1.
    left_out
        Labelled frames with an instance without box or without whole triplet.
    hidden
        Per frame, whether its picture is black.
    """

    id: str
    frames: list[int]
    rows: list[list[tuple[int, int, tuple[float, float, float, float]]]]
    left_out: int
    hidden: list[bool]


def boxed(recording: Recording) -> BoxedFrames | None:
    """Return the frames that can be scored, or None for a recording without boxes of whole triplets."""
    layer = recording.instances
    if layer is None:
        return None
    complete = layer.rows[[*BOX, "triplet_id"]].notna().all(axis=1)
    frames = complete_frames(layer.frames, layer.rows["frame"].to_numpy(np.int64), complete.to_numpy())
    by_frame: dict[int, list[tuple[int, int, tuple[float, float, float, float]]]] = {frame: [] for frame in frames.tolist()}
    for row in layer.rows[complete].sort_values(["frame", "instance"]).to_dict("records"):
        if row["frame"] in by_frame:
            box = (float(row["x"]), float(row["y"]), float(row["w"]), float(row["h"]))
            by_frame[row["frame"]].append((int(row["triplet_id"]), int(row["instrument_id"]), box))
    if not any(by_frame.values()):
        return None
    hidden = recording.is_hidden(list(by_frame)).tolist()
    return BoxedFrames(recording.id, list(by_frame), list(by_frame.values()), len(layer.frames) - len(by_frame), hidden)


def layouts(boxed: BoxedFrames, vocabulary: Vocabulary) -> dict[str, Any]:
    """Return a recording as ivtmetrics and ivtdmetrics take it, boxes as top-left corner and size in 0..1.

    ``list`` has per frame rows of ``[triplet, instrument, score, x, y, w, h]``, ``dict`` the same
    as ``{"triplet": id, "instrument": [id, score, x, y, w, h]}``: both are for ivtmetrics. ``list_9`` has
    rows of ``[triplet, instrument, score, verb, target, x, y, w, h]``, for ivtdmetrics. ``frame`` numbers
    the frames, ``hidden`` says which of them are black.
    """
    return {
        "id": boxed.id,
        "frame": boxed.frames,
        "hidden": boxed.hidden,
        "list": [[[triplet, tool, SCORE, *box] for triplet, tool, box in rows] for rows in boxed.rows],
        "list_9": [[[triplet, tool, SCORE, *vocabulary.triplets[triplet][1:], *box] for triplet, tool, box in rows] for rows in boxed.rows],
        "dict": [[{"triplet": triplet, "instrument": [tool, SCORE, *box]} for triplet, tool, box in rows] for rows in boxed.rows],
    }


def coco(vocabulary: Vocabulary, recordings: Sequence[BoxedFrames], images: pd.DataFrame) -> dict[str, Any]:
    """Return all recordings as one COCO data set; category ids are triplet ids + 1.

    Parameters
    ----------
    recordings
        Recordings of this vocabulary, sorted by id.
    images
        Extracted frames with ``id``, ``frame``, ``path``, ``width`` and ``height`` in px.

    Notes
    -----
    Image and annotation ids start at 1 and are unique over the study, so a subset of
    recordings (field ``recording``) keeps its ids.
    """
    where = {(row["id"], row["frame"]): row for row in images[images["id"].isin({one.id for one in recordings})].to_dict("records")}
    image_list: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for one in recordings:
        for frame, rows, hidden in zip(one.frames, one.rows, one.hidden, strict=True):
            image = _image(len(image_list) + 1, where[one.id, frame], hidden=hidden)
            image_list.append(image)
            for triplet, _, box in rows:
                annotations.append(_annotation(len(annotations) + 1, image, vocabulary, triplet, box))
    return {"images": image_list, "annotations": annotations, "categories": _categories(vocabulary)}


def only(data: Mapping[str, Any], ids: Set[str]) -> dict[str, Any]:
    """Return the part of a COCO data set that is of some recordings; ids and categories stay."""
    images = [image for image in data["images"] if image["recording"] in ids]
    kept = {image["id"] for image in images}
    return {**data, "images": images, "annotations": [row for row in data["annotations"] if row["image_id"] in kept]}


def _image(number: int, row: Mapping[Any, Any], *, hidden: bool) -> dict[str, Any]:
    return {
        "id": number,
        "file_name": row["path"],
        "width": int(row["width"]),
        "height": int(row["height"]),
        "recording": row["id"],
        "frame": int(row["frame"]),
        "hidden": hidden,
    }


def _annotation(number: int, image: Mapping[str, Any], vocabulary: Vocabulary, triplet: int, box: tuple[float, ...]) -> dict[str, Any]:
    sides = (image["width"], image["height"], image["width"], image["height"])
    bbox = [round(share * side, PIXEL_DIGITS) for share, side in zip(box, sides, strict=True)]
    instrument, verb, target = vocabulary.triplets[triplet]
    return {
        "id": number,
        "image_id": image["id"],
        "category_id": triplet + 1,
        "bbox": bbox,
        "area": round(bbox[2] * bbox[3], PIXEL_DIGITS),
        "iscrowd": 0,
        "instrument": vocabulary.instruments[instrument],
        "verb": vocabulary.verbs[verb],
        "target": vocabulary.targets[target],
    }


def _categories(vocabulary: Vocabulary) -> list[dict[str, Any]]:
    return [
        {"id": triplet + 1, "name": vocabulary.triplet_name(triplet), "supercategory": vocabulary.instruments[instrument]}
        for triplet, (instrument, _, _) in enumerate(vocabulary.triplets)
    ]


LAYOUTS = ("yolo", "yolo4")
NAMES = "data.yaml"


def _picture(path: str) -> str:
    """Return where a picture lies once its archive, if it is in one, is unpacked into a folder of the same name.

    >>> _picture("frames/Task/mono/abelo.tar/000001.jpg")
    'frames/Task/mono/abelo/000001.jpg'
    """
    return path.replace(".tar/", "/")


def label_files(boxed: BoxedFrames, vocabulary: Vocabulary, pictures: Mapping[int, str], layout: str) -> dict[str, str]:
    """Return the label files of a recording: name to text, one per frame that detection can be scored on.

    Parameters
    ----------
    boxed
        Its frames and boxes.
    pictures
        Path of the picture of each frame.
    layout
        ``yolo`` or ``yolo4``.
    """
    names = [PurePosixPath(_picture(pictures[frame])).with_suffix(".txt").as_posix() for frame in boxed.frames]
    return {name: "".join(_row(vocabulary, layout, *row) for row in rows) for name, rows in zip(names, boxed.rows, strict=True)}


def names(vocabulary: Vocabulary) -> str:
    """Return the text of ``data.yaml``: the names of the classes, which are the triplets."""
    listed = "".join(f"  {k}: {json.dumps(vocabulary.triplet_name(k), ensure_ascii=False)}\n" for k in range(len(vocabulary.triplets)))
    return f"nc: {len(vocabulary.triplets)}\nnames:\n{listed}"


def picture_list(recordings: Sequence[BoxedFrames], pictures: Mapping[str, Mapping[int, str]]) -> str:
    """Return one line per frame of some recordings, as a YOLO program takes it for a subset."""
    return "".join(f"./{_picture(pictures[one.id][frame])}\n" for one in recordings for frame in one.frames)


def _row(vocabulary: Vocabulary, layout: str, triplet: int, instrument: int, box: tuple[float, float, float, float]) -> str:
    _, verb, target = vocabulary.triplets[triplet]
    ids = [triplet] if layout == "yolo" else [triplet, instrument, verb, target]
    x, y, w, h = box
    return " ".join([*map(str, ids), *(f"{side:.6f}" for side in (x + w / 2, y + h / 2, w, h))]) + "\n"
