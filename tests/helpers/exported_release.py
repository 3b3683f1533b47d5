"""A small release with everything that an export must not lose: labels that are missing, empty and whole, hidden and dropped frames."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np

from scrubin.base.tables import io
from scrubin.base.tables.public import public_tables
from scrubin.stages.frames.extract import shard as writing

ASPECTS = ("efficiency",)
CAMERAS = {"abelo": ("left", "right"), "borunga": ("mono",), "cimeto": ("mono",)}
TASKS = {"abelo": "PegTransfer", "borunga": "Cholecystectomy", "cimeto": "Cholecystectomy"}
HIDDEN, DROPPED, UNLABELLED, NO_INSTRUMENT = ("borunga", 2), ("borunga", 3), ("borunga", 4), ("borunga", 1)
N_FRAMES = {"abelo": 2, "borunga": 5, "cimeto": 2}
SUBSETS = {
    ("balanced", 0): {"abelo": "train", "borunga": "train", "cimeto": "in-domain test"},
    ("five", 0): {"abelo": "train", "borunga": "test", "cimeto": "train"},
    ("five", 1): {"abelo": "test", "borunga": "train"},
}
Rows = dict[str, list[dict[str, object]]]
NOT_LABELLED = dict.fromkeys(("verb", "verb_id", "target", "target_id", "triplet", "triplet_id", "x", "y", "w", "h", "score"))


def rows() -> Rows:
    """The rows of all tables."""
    labelled = [("borunga", frame, "triplet") for frame in (0, 1, 2, 3)] + [("cimeto", 0, "instrument"), ("abelo", 0, "triplet")]
    layers = [(id_, "instances", frame, detail) for id_, frame, detail in labelled] + [
        ("borunga", "phases", frame, None) for frame in (0, 1, 2)
    ]
    layers += [("borunga", "marks", frame, None) for frame in (0, 1)]
    drawn = [{"id": id_, "frame": 0, "instance": 0} for id_ in ("abelo", "borunga")]
    point = {"x": 0.25, "y": 0.5, "visibility": 2}
    marks = [{"id": "borunga", "frame": 1, "mark": "C1", "rater": rater, "value": float(rater == "2")} for rater in ("1", "2")]
    phase = {"id": "borunga", "vocabulary": "cholect50", "phase": "preparation", "phase_id": 0}
    skill = {"id": "abelo", "task": "PegTransfer", "GRS": 0.1 + 0.2, "efficiency": None, "n_ratings": 3}
    without_box = dict.fromkeys(("x", "y", "w", "h", "score"))
    return {
        "videos": [video(id_, camera) for id_, cameras in CAMERAS.items() for camera in cameras],
        "frames": [frame(id_, camera, number) for id_, own in CAMERAS.items() for camera in own for number in range(N_FRAMES[id_])],
        "labelled": [
            {"id": id_, "layer": layer, "frame": number, "vocabulary": "cholect50", "detail": detail}
            for id_, layer, number, detail in layers
        ],
        "triplets": [
            instance("borunga", 0),
            instance("borunga", 1) | without_box,
            instance("cimeto", 0) | NOT_LABELLED,
            instance("abelo", 0),
        ],
        "phases": [phase | {"frame": number} for number in (0, 1, 2)],
        "skill": [skill | {"disagreement": 0.5, "strong_disagreement": True}],
        "errors": [{"id": "abelo", "task": "PegTransfer", "error": name, "occurred": name == "dropped"} for name in ("cut", "dropped")],
        "splits": [
            {"scheme": scheme, "fold": fold, "subset": subset, "id": id_}
            for (scheme, fold), of_id in SUBSETS.items()
            for id_, subset in of_id.items()
        ],
        "ratings": [],
        "spans": [],
        "masks": [one | {"width": 8, "height": 4, "counts": "5360"} for one in drawn],
        "points": [one | {"point": "tip"} | point for one in drawn]
        + [drawn[1] | {"point": "hinge", "x": None, "y": None, "visibility": 0}],
        "tracks": [one | {"kind": kind, "track": 4} for one in drawn for kind in ("track", "visibility_track")],
        "marks": marks,
        "gaps": [],
    }


def video(id_: str, camera: str) -> dict[str, object]:
    row = {"id": id_, "task": TASKS[id_], "camera": camera, "path": f"videos/{TASKS[id_]}/{camera}/{id_}.mkv", "width": 32, "height": 16}
    return row | {"fps": "20", "variable_rate": False, "frame_count": 20, "duration_s": 1.0, "sha256": "0" * 64}


def frame(id_: str, camera: str, number: int) -> dict[str, object]:
    """A row of frames; those of cimeto lie in a shard."""
    inside = ".tar" if id_ == "cimeto" else ""
    row = {"id": id_, "camera": camera, "frame": number, "source_frame": 20 * number, "time_s": float(number), "width": 32, "height": 16}
    row |= {"path": f"frames/{TASKS[id_]}/{camera}/{id_}{inside}/{number:06d}.jpg", "redacted": (id_, number) == HIDDEN}
    row |= {"dropped": False, "dropped_why": None, "sharpness": 1.0, "brightness": 1.0, "contrast": 1.0, "saturated_share": 0.0}
    row |= {"difference": None, "perceptual_hash": "0" * 16}
    return row | {"dropped": True, "dropped_why": "dark", "path": None} if (id_, number) == DROPPED else row


def instance(id_: str, number: int) -> dict[str, object]:
    """A whole triplet with a box, in frame 0."""
    row = {"id": id_, "frame": 0, "instance": number, "vocabulary": "cholect50", "instrument": "grasper", "instrument_id": 0}
    row |= {"verb": "grasp", "verb_id": 0, "target": "gallbladder", "target_id": 0, "triplet": "grasper,grasp,gallbladder", "triplet_id": 7}
    return row | {"x": 0.1, "y": 0.2, "w": 0.25, "h": 0.5, "score": 1.0}


def write(folder: Path, tables: Rows) -> Path:
    """Write a release: its tables, its pictures and what it says of itself."""
    for name, table in public_tables(ASPECTS).items():
        io.write(table, io.frame_of(table, tables[name]), folder / f"tables/{name}.parquet")
    members: dict[Path, list[tuple[dict[str, object], bytes]]] = {}
    for number, row in enumerate(row for row in tables["frames"] if row["path"]):
        path = folder / str(row["path"])
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        data = cv2.imencode(".jpg", np.full((16, 32, 3), 5 * number, np.uint8))[1].tobytes()
        if path.parent.suffix == ".tar":
            members.setdefault(path.parent, []).append((row, data))
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
    for shard, own in members.items():
        with writing(shard, "jpg") as add:
            for row, data in own:
                add(row, data)
    says = {
        "name": "a-study",
        "alternateName": "A study: of two tasks",
        "version": "1.2.3",
        "citeAs": "@misc{a-study}",
        "description": "Short.",
    }
    (folder / "croissant.json").write_text(json.dumps(says))
    (folder / "SHA256SUMS").touch()
    return folder
