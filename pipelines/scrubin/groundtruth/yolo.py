"""YOLO: one text file per labelled frame, a row per box, in the two layouts of ProstaTD.

``yolo`` rows are ``class cx cy w h`` with the triplet as class, ``yolo4`` rows are ``triplet instrument
verb target cx cy w h``; centre and size in 0..1 with six digits, ids from 0. An empty file is a frame
that is labelled as "no instrument". Labels lie as the pictures do, because YOLO looks for them beside.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from scrubin.groundtruth.detection import BoxedFrames
from scrubin.vocabulary.vocabulary import Vocabulary

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
