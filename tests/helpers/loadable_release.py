"""A small release as a downloader has it: four recordings with every kind of label, in any storage of pictures.

``abelo`` and ``borunga`` are operations, the first with whole triplets, boxes, phases and a variable rate, the second with
instruments only; its frame 4 is dropped and its frame 5 hidden. ``cimeto`` and ``dovanu`` are stereo recordings of a
training task with skill and errors, which nobody labelled by frame.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import clips
from ground_truths import write_ground_truth
from scrubin.base.files import sha256_of, write_json, write_text
from scrubin.base.tables import io
from scrubin.base.tables.public import MARKS, MASKS, POINTS, TRACKS, public_tables
from scrubin.base.vocabulary import vocabulary
from scrubin.media.probe import probe
from scrubin.stages.frames.extract import extract
from scrubin.stages.frames.frame_params import FramesParams

WORDS = vocabulary.load("cholect50")
OPERATION, TRAINING = "Cholecystectomy", "PegTransfer"
TASK_OF = {"abelo": OPERATION, "borunga": OPERATION, "cimeto": TRAINING, "dovanu": TRAINING}
LOOSE = FramesParams(fps=Fraction(2), format="jpg", quality=95, height=None, shards="none")
STORAGES = {
    "loose": LOOSE,
    "shards": replace(LOOSE, shards="per-recording"),
    "png": replace(LOOSE, format="png"),
    "small": replace(LOOSE, format="png", height=32),
}
FRAME_COUNT, LABELLED_COUNT = 70, 6
RATE = 20
# Steps of 30 to 70 ms, so that the rate varies and no frame stands where a constant rate would have it.
VARIABLE_MS = [0, *np.cumsum([30 + (7 * n) % 41 for n in range(1, FRAME_COUNT)]).tolist()]
HIDDEN = {"borunga": (50, 59)}
DROPPED = ("borunga", 4)
SUBSET_OF = {"abelo": ("train", "test"), "borunga": ("test", "train"), "cimeto": ("train", "train"), "dovanu": ("test", "test")}


def videos_of() -> list[tuple[str, str]]:
    """Every id with each of its cameras."""
    return [(id_, camera) for id_, task in TASK_OF.items() for camera in (("left", "right") if task == TRAINING else ("mono",))]


def build(folder: Path, params: FramesParams = LOOSE, videos: Path | None = None) -> Path:
    """Write a release; ``videos`` names another release whose videos it shares, and whose ground truth it repeats."""
    rows: dict[str, list[dict[str, Any]]] = {"videos": [], "frames": []}
    for id_, camera in videos_of():
        place = f"{TASK_OF[id_]}/{camera}/{id_}"
        path = folder / f"videos/{place}.mkv"
        path.parent.mkdir(parents=True, exist_ok=True)
        if videos is None:
            levels = {"left": 73, "right": 53, "mono": 73}[camera]
            clips.numbered(path, FRAME_COUNT, fps=RATE, pts=VARIABLE_MS if id_ == "abelo" else None, levels=levels)
        else:
            os.link(videos / f"videos/{place}.mkv", path)
        rows["videos"].append(_video(path, folder, id_, camera))
        rows["frames"] += _frames(folder, place, path, params, id_, camera)
    made = {name: pd.DataFrame(of_table) for name, of_table in (rows | labels() | scores()).items()}
    write(folder, made, videos and videos / "groundtruth")
    return folder


def write(folder: Path, made: Mapping[str, pd.DataFrame], truth: Path | None = None) -> None:
    """Write tables, splits, ground truth and description; ``truth`` is a ground truth of the same labels."""
    tables = {name: io.conform(table, made[name]) for name, table in public_tables(()).items() if name in made}
    tables |= {table.name: io.frame_of(table, []) for table in (MASKS, TRACKS, POINTS, MARKS) if table.name not in made}
    for name, table in tables.items():
        io.write(public_tables(())[name], table, folder / f"tables/{name}.parquet")
    if truth:
        shutil.copytree(truth, folder / "groundtruth")
    else:
        write_ground_truth(folder / "groundtruth", tables)
        shutil.rmtree(folder / "groundtruth_tables")
    for scheme, of_scheme in tables["splits"].groupby("scheme"):
        sheet = of_scheme.assign(task=of_scheme["id"].map(TASK_OF)).sort_values(["fold", "id"])
        columns = ["fold", "id", "task", "subset"] if sheet["fold"].max() else ["id", "task", "subset"]
        write_text(folder / f"splits/{scheme}.csv", sheet[columns].to_csv(index=False))
    write_json(folder / "croissant.json", {"name": "toy", "version": "1.2.0", "citeAs": "@misc{toy}"})
    write_text(folder / "SHA256SUMS", "")


def copy(folder: Path, target: Path) -> Path:
    """Copy a release that a test is going to change; videos and frames that it does not change are shared."""
    return Path(shutil.copytree(folder, target, copy_function=_link_media))


def table_of(folder: Path, name: str) -> pd.DataFrame:
    """Return a table; numbers with gaps stay numbers."""
    return pd.read_parquet(folder / f"tables/{name}.parquet", dtype_backend="numpy_nullable")


def replace_table(folder: Path, name: str, table: pd.DataFrame) -> None:
    """Write a table as somebody does who changes a release: no declaration is asked."""
    table.to_parquet(folder / f"tables/{name}.parquet", index=False)


def labels() -> dict[str, list[dict[str, Any]]]:
    triplets = [_instance("abelo", frame, k, id_) for frame, ids in {0: [17, 12], 1: [94], 3: [57]}.items() for k, id_ in enumerate(ids)]
    triplets += [_instrument("borunga", frame, 0, id_) for frame, id_ in {0: 2, 3: 0, 4: 1}.items()]
    phases = [_phase("abelo", frame, phase) for frame, phase in enumerate([0, 0, 1, 1, 3, 3])]
    labelled = [_labelled("abelo", "instances", frame, "triplet") for frame in range(LABELLED_COUNT)]
    labelled += [_labelled("abelo", "phases", frame, None) for frame in range(LABELLED_COUNT)]
    labelled += [_labelled("borunga", "instances", frame, "instrument") for frame in (0, 2, 3, 4, 5)]
    spans: list[dict[str, Any]] = []
    return {"triplets": triplets, "phases": phases, "labelled": labelled} | ({"spans": spans} if spans else {})


def scores() -> dict[str, list[dict[str, Any]]]:
    rated = {"task": TRAINING, "disagreement": 0.1, "strong_disagreement": False}
    skill = [{"id": "cimeto", "GRS": 0.75, "n_ratings": 3, **rated}, {"id": "dovanu", "GRS": None, "n_ratings": 1, **rated}]
    errors = [
        {"id": id_, "task": TRAINING, "error": name, "occurred": (id_, name) == ("cimeto", "drop")}
        for id_ in ("cimeto", "dovanu")
        for name in ("cut", "drop")
    ]
    splits = [{"scheme": "balanced", "fold": 0, "subset": SUBSET_OF[id_][0], "id": id_} for id_ in TASK_OF]
    splits += [{"scheme": "cv", "fold": fold, "subset": SUBSET_OF[id_][fold], "id": id_} for fold in (0, 1) for id_ in TASK_OF]
    return {"skill": skill, "errors": errors, "splits": splits}


def _video(path: Path, folder: Path, id_: str, camera: str) -> dict[str, Any]:
    held = probe(path, path.name)
    place = {"id": id_, "task": TASK_OF[id_], "camera": camera, "path": path.relative_to(folder).as_posix()}
    size = {"width": held.width, "height": held.height, "fps": str(held.fps), "variable_rate": held.variable_rate}
    return {**place, **size, "frame_count": held.frame_count, "duration_s": float(held.end_s), "sha256": sha256_of(path)}


def _frames(folder: Path, place: str, video: Path, params: FramesParams, id_: str, camera: str) -> list[dict[str, Any]]:
    own = folder / f"frames/{place}"
    own.mkdir(parents=True)
    rows = extract(video, own, params, id_, [HIDDEN[id_]] if id_ in HIDDEN else [])
    inside = f"frames/{place}"
    if params.shards != "none":
        (own / "frames.tar").rename(own.with_suffix(".tar"))
        own.rmdir()
        inside += ".tar"
    for row in rows:
        path = f"{inside}/{row['frame']:06d}.{params.format}"
        dropped = (id_, row["frame"]) == DROPPED
        row |= {"id": id_, "camera": camera, "path": None if dropped else path, "dropped": dropped}
        row["dropped_why"] = "brightness 1 is below 2" if dropped else None
        if dropped and params.shards == "none":
            (folder / path).unlink()
    return rows


def _instance(id_: str, frame: int, instance: int, triplet: int) -> dict[str, Any]:
    parts = WORDS.triplets[triplet]
    names = {"instrument": WORDS.instruments[parts[0]], "verb": WORDS.verbs[parts[1]], "target": WORDS.targets[parts[2]]}
    ids = {"instrument_id": parts[0], "verb_id": parts[1], "target_id": parts[2], "triplet_id": triplet}
    key = {"id": id_, "frame": frame, "instance": instance, "vocabulary": "cholect50", "score": 1.0}
    return {**key, **names, **ids, "triplet": WORDS.triplet_name(triplet), "x": 0.25, "y": 0.125 * instance, "w": 0.5, "h": 0.25}


def _instrument(id_: str, frame: int, instance: int, instrument: int) -> dict[str, Any]:
    empty = dict.fromkeys(("verb", "target", "triplet", "verb_id", "target_id", "triplet_id", "x", "y", "w", "h"))
    named = {"instrument": WORDS.instruments[instrument], "instrument_id": instrument}
    return {"id": id_, "frame": frame, "instance": instance, "vocabulary": "cholect50", "score": 1.0, **empty, **named}


def _phase(id_: str, frame: int, phase: int) -> dict[str, Any]:
    return {"id": id_, "frame": frame, "vocabulary": "cholect50", "phase": WORDS.phases[phase], "phase_id": phase}


def _labelled(id_: str, layer: str, frame: int, detail: str | None) -> dict[str, Any]:
    return {"id": id_, "layer": layer, "frame": frame, "vocabulary": "cholect50", "detail": detail}


def _link_media(source: str, target: str) -> str:
    if Path(source).suffix in (".mkv", ".tar", ".jpg", ".png"):
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
