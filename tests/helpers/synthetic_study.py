"""A small consistent study as tables: every declared rule holds, so that a test can break one."""

from __future__ import annotations

import functools
import hashlib

import numpy as np
import pandas as pd

from scrubin.base.tables import Table, io
from scrubin.base.tables.private import HIDDEN, LINKAGE, QUARANTINE, RECORDINGS, REDACTIONS, STEREO
from scrubin.base.tables.public import (
    ERRORS,
    FRAMES,
    GAPS,
    LABELLED,
    MARKS,
    MASKS,
    PHASES,
    POINTS,
    RATINGS,
    SPANS,
    SPLITS,
    TRACKS,
    TRIPLETS,
    VIDEOS,
    skill_table,
)
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.masks.rle import runs_of_picture, text_of_runs

ASPECTS = ("depth_perception", "efficiency")
TASKS = {"PegTransfer": ("left", "right"), "SutureAndKnot": ("left", "right"), "Cholecystectomy": ("mono",)}
PARTICIPANTS = ("ann.smith", "bo", "chris", "dana")
SUBSETS = ("train", "train", "val", "test")
FPS, N_FRAMES = 25, 12
DECLARED: tuple[Table, ...] = (
    VIDEOS,
    GAPS,
    FRAMES,
    RATINGS,
    skill_table(ASPECTS),
    ERRORS,
    LABELLED,
    TRIPLETS,
    PHASES,
    SPANS,
    MASKS,
    TRACKS,
    POINTS,
    MARKS,
    SPLITS,
    RECORDINGS,
    LINKAGE,
    REDACTIONS,
    QUARANTINE,
    STEREO,
    HIDDEN,
)
BY_NAME = {table.name: table for table in DECLARED}
PUBLIC = (
    "videos",
    "gaps",
    "frames",
    "ratings",
    "skill",
    "errors",
    "labelled",
    "triplets",
    "phases",
    "spans",
    "masks",
    "tracks",
    "points",
    "marks",
    "splits",
)


def tables() -> dict[str, pd.DataFrame]:
    """Return all tables of the study by name, each as declared; they are the caller's own."""
    return {name: frame.copy() for name, frame in _tables().items()}


@functools.cache
def _tables() -> dict[str, pd.DataFrame]:
    people = [(task, who, subset) for task in TASKS for who, subset in zip(PARTICIPANTS, SUBSETS, strict=True)]
    names = {(task, who): f"Rec_{task}_{i}" for i, (task, who, _) in enumerate(people)}
    ids = {key: f"{'bcdfghklmnpr'[i]}ovi-{'kzw'[i % 3]}uma" for i, key in enumerate(names)}
    cameras = [(task, who, camera) for task, who, _ in people for camera in TASKS[task]]
    rated = [(task, who) for task, who, _ in people if task != "Cholecystectomy"]
    labelled = [ids[task, who] for task, who, _ in people if task == "Cholecystectomy"]
    rows = {
        "recordings": [_recording(names[task, who], who, task, camera) for task, who, camera in cameras],
        "linkage": [{"recording": names[key], "id": ids[key], "draw": number} for number, key in enumerate(names)],
        "videos": [_video(ids[task, who], task, camera) for task, who, camera in cameras],
        "gaps": [{"id": name, "camera": "mono", "last_frame": 99, "gap_s": 2.5} for name in labelled[:1]],
        "frames": [row for task, who, camera in cameras for row in _frames(ids[task, who], task, camera)],
        "ratings": [row for i, key in enumerate(rated) for row in _ratings(ids[key], key[0], i)],
        "skill": [_skill(ids[key], key[0], i) for i, key in enumerate(rated)],
        "errors": [{"id": ids[key], "task": key[0], "error": "object_dropped", "occurred": i % 2 == 0} for i, key in enumerate(rated)],
        "labelled": [row for name in labelled for row in _labelled(name, ("marks",) if name == labelled[0] else ())],
        "triplets": [row for i, name in enumerate(labelled) for row in _triplets(name, i)],
        "phases": [row for name in labelled for row in _phases(name)],
        "spans": [row for name in labelled for row in _spans(name)],
        "hidden": [{"id": name, "camera": "mono", "first_frame": 0, "last_frame": 299, **CORNER} for name in labelled[:1]],
        "masks": [row for name in labelled[:1] for row in _masks(name)],
        "tracks": [{"id": name, "frame": k, "instance": 0, "kind": "track", "track": 5} for name in labelled[:1] for k in range(N_FRAMES)],
        "points": [row for name in labelled[:1] for row in _points(name)],
        "marks": [row for name in labelled[:1] for row in _marks(name)],
        "splits": [{"scheme": "balanced", "fold": 0, "subset": subset, "id": ids[task, who]} for task, who, subset in people],
        "redactions": _redactions(names["Cholecystectomy", "bo"], names["PegTransfer", "chris"]),
        "quarantine": [],
        "stereo": [_stereo(ids[key]) for key in rated],
    }
    return {name: io.frame_of(BY_NAME[name], rows[name]) for name in rows}


def empty_tables() -> dict[str, pd.DataFrame]:
    """Return all tables of a study in which nothing could be used."""
    return {table.name: io.frame_of(table, []) for table in DECLARED}


def _recording(name: str, who: str, task: str, camera: str) -> dict[str, object]:
    facts = {"container": "mp4", "codec": "h264", "width": 960, "height": 540, "rotation_deg": 0, "fps": str(FPS), "variable_rate": False}
    measured = {"frame_count": 300, "duration_s": 12.0, "has_audio": True, "start_s": 0.0, "end_s": 12.0}
    who_and_where = {"recording": name, "participant": who, "trial": "1", "site": "Dresden", "task": task, "camera": camera}
    path = f"videos/{who} {task} {camera}.mp4"
    kept = {"path": path, "sha256": _hash(path), "status": "kept", "reason": None, "mend": None}
    return {**who_and_where, **facts, **measured, **kept}


def _video(name: str, task: str, camera: str) -> dict[str, object]:
    path = f"videos/{task}/{name}_{camera}.mp4"
    facts = {"width": 960, "height": 540, "fps": str(FPS), "variable_rate": False, "frame_count": 300, "duration_s": 12.0}
    return {"id": name, "task": task, "camera": camera, "path": path, "sha256": _hash(path), **facts}


def _stereo(name: str) -> dict[str, object]:
    measured = {"matches": 900, "offset_px": 0.1, "p95_px": 0.9, "lag_frames": 0.0, "lag_error_frames": 0.1, "depth_mm": 80.0}
    return {"id": name, "rig": "rig_1", **measured, "error": None, "warning": None, "undecided": None}


def _frames(name: str, task: str, camera: str) -> list[dict[str, object]]:
    rng = np.random.default_rng(int(_hash(name + camera)[:8], 16))
    return [
        {
            "id": name,
            "camera": camera,
            "frame": k,
            "source_frame": k * FPS,
            "time_s": float(k),
            "path": f"frames/{task}/{name}_{camera}/{k:06d}.jpg",
            "width": 960,
            "height": 540,
            "redacted": False,
            "dropped": False,
            "dropped_why": None,
            "sharpness": float(rng.gamma(4, 30)),
            "brightness": float(rng.normal(110, 15)),
            "contrast": float(rng.normal(48, 6)),
            "saturated_share": float(rng.beta(1, 40)),
            "difference": None if k == 0 else float(rng.gamma(3, 2)),
            "perceptual_hash": _hash(f"{name}{camera}{k}")[:16],
        }
        for k in range(N_FRAMES)
    ]


def _ratings(name: str, task: str, i: int) -> list[dict[str, object]]:
    return [
        {"id": name, "task": task, "rater": str(rater), "aspect": aspect, "score": float(1 + (i + rater + j) % 5), "failed": False}
        for rater in range(2)
        for j, aspect in enumerate(ASPECTS)
    ]


def _skill(name: str, task: str, i: int) -> dict[str, object]:
    scores = {"GRS": i * 0.4 - 1.0, **{aspect: i * 0.3 - 1.0 for aspect in ASPECTS}}
    return {"id": name, "task": task, **scores, "n_ratings": 2, "disagreement": 0.1 * i, "strong_disagreement": i == 7}


def _labelled(name: str, more: tuple[str, ...]) -> list[dict[str, object]]:
    details = {"instances": "triplet", "phases": None, **dict.fromkeys(more)}
    return [
        {"id": name, "layer": layer, "frame": k, "vocabulary": "cholect50", "detail": detail}
        for layer, detail in details.items()
        for k in range(N_FRAMES)
    ]


def _triplets(name: str, i: int) -> list[dict[str, object]]:
    words = load("cholect50")
    rows: list[dict[str, object]] = []
    for k in range(N_FRAMES):
        number = (17 * i + 3 * (k // 4)) % len(words.triplets)
        instrument, verb, target = words.triplets[number]
        named = {"instrument": words.instruments[instrument], "verb": words.verbs[verb], "target": words.targets[target]}
        by_id = {"instrument_id": instrument, "verb_id": verb, "target_id": target, "triplet_id": number}
        box = {"x": 0.2, "y": 0.3, "w": 0.25, "h": 0.2, "score": 1.0}
        rows.append(
            {
                "id": name,
                "frame": k,
                "instance": 0,
                "vocabulary": "cholect50",
                **named,
                "triplet": words.triplet_name(number),
                **by_id,
                **box,
            }
        )
    return rows


def _phases(name: str) -> list[dict[str, object]]:
    words = load("cholect50")
    return [{"id": name, "frame": k, "vocabulary": "cholect50", "phase": words.phases[k // 4], "phase_id": k // 4} for k in range(N_FRAMES)]


def _spans(name: str) -> list[dict[str, object]]:
    spans = [{"start_frame": start, "end_frame": start + 4} for start in (0, 4, 8)]
    return [
        {"id": name, "instance": 0, "vocabulary": "cholect50", "instrument": "hook", "verb": "dissect", "target": None, **s} for s in spans
    ]


CORNER = {"x": 8, "y": 8, "w": 200, "h": 24}
MASK_SIZE = (32, 18)


def mask_of(left: int, top: int, right: int, bottom: int) -> str:
    """Return the counts of a rectangle in a labelled picture."""
    pixels = np.zeros(MASK_SIZE[::-1], bool)
    pixels[top:bottom, left:right] = True
    return text_of_runs(runs_of_picture(pixels))


def _masks(name: str) -> list[dict[str, object]]:
    size = {"width": MASK_SIZE[0], "height": MASK_SIZE[1]}
    return [{"id": name, "frame": k, "instance": 0, **size, "counts": mask_of(10, 3, 20, 9)} for k in (2, 3)]


def _points(name: str) -> list[dict[str, object]]:
    places = {"tip": {"x": 0.5, "y": 0.5, "visibility": 2}, "hinge": {"x": None, "y": None, "visibility": 0}}
    return [{"id": name, "frame": k, "instance": 0, "point": point, **place} for k in (2, 3) for point, place in places.items()]


def _marks(name: str) -> list[dict[str, object]]:
    values = {"1": 1.0, "2": 0.0, None: 0.5}
    return [{"id": name, "frame": k, "mark": "C1", "rater": rater, "value": value} for k in (3, 4) for rater, value in values.items()]


def _redactions(procedure: str, exercise: str) -> list[dict[str, object]]:
    whole = {"x": None, "y": None, "w": None, "h": None}
    corner = CORNER
    found = {"start_s": 2.0, "end_s": 4.5, "decision": "unreviewed", "faces": None, "text": None, **whole}
    rejected = {"decision": "rejected", "score": 0.3, "accepted": False}
    unread = {"decision": "accepted", "faces": None, "text": None}
    decided = {"start_s": 0.0, "end_s": 12.0, "source": "curator", "score": None, **unread, **corner}
    return [
        {"recording": procedure, "camera": "mono", "kind": "out_of_body", "source": "appearance", **found, "score": 0.93, "accepted": True},
        {"recording": exercise, "camera": "left", "kind": "black", "source": "black", **found, **rejected},
        {"recording": exercise, "camera": "right", "kind": "text", **decided, "accepted": True},
    ]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
