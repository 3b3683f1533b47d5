"""A small release without real media, and edits of it: what two versions of one may look like."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.base.files import sha256_of, write_json, write_text
from scrubin.base.tables import io
from scrubin.base.tables.public import public_tables

TABLES = public_tables(("depth_perception",))
IDS = ("abelo", "borunga", "cimeto", "dovanu", "elapi", "fistoro")
TASK, OPERATION = "PegTransfer", "Cholecystectomy"
FRAMES = 4


def build(folder: Path, ids: tuple[str, ...] = IDS, version: str = "1.0.0") -> Path:
    """Write a release of some recordings, in which each is the same whoever else is there."""
    for name, rows in rows_of(ids).items():
        io.write(TABLES[name], io.frame_of(TABLES[name], rows), folder / "tables" / f"{name}.parquet")
    for id_ in ids:
        for path in media(id_):
            write_text(folder / path, f"picture of {path}")
    repeat(folder)
    write_text(folder / "README.md", f"version {version}\n")
    write_json(folder / "croissant.json", {"name": "toy", "version": version, "license": "CC-BY-4.0", "alternateName": "A toy"})
    return seal(folder)


def media(id_: str) -> list[str]:
    """Return the video and frames of a recording."""
    return [f"videos/{TASK}/mono/{id_}.mkv", *(f"frames/{TASK}/mono/{id_}/{frame:06d}.jpg" for frame in range(FRAMES))]


def rows_of(ids: tuple[str, ...]) -> dict[str, list[dict]]:
    """Return the rows of all tables."""
    rows: dict[str, list[dict]] = {name: [] for name in TABLES}
    for id_ in ids:
        place = sum(map(ord, id_))
        video, *pictures = media(id_)
        rows["videos"].append(
            {"id": id_, "task": TASK, "camera": "mono", "path": video, "width": 64, "height": 48, "fps": "25", "variable_rate": False}
            | {"frame_count": 100, "duration_s": 4.0, "sha256": hashlib.sha256(f"picture of {video}".encode()).hexdigest()}
        )
        for frame, path in enumerate(pictures):
            measured = {"sharpness": place / 7, "brightness": 90.1, "contrast": 30.0, "saturated_share": 0.0}
            rows["frames"].append(
                {"id": id_, "camera": "mono", "frame": frame, "source_frame": 25 * frame, "time_s": float(frame), "path": path, "width": 64}
                | {"height": 48, "redacted": False, "dropped": False, "dropped_why": None, "perceptual_hash": "0" * 16}
                | {"difference": None if frame == 0 else 0.5, **measured}
            )
            named = {"id": id_, "frame": frame, "vocabulary": "cholect50"}
            rows["phases"].append({**named, "phase": "preparation", "phase_id": 0})
            rows["labelled"] += [{**named, "layer": "phases", "detail": None}, {**named, "layer": "instances", "detail": "triplet"}]
            triplet = {"instrument": "grasper", "verb": "grasp", "target": "gallbladder", "triplet": "grasper,grasp,gallbladder"}
            ids_of = {"instrument_id": 0, "verb_id": 0, "target_id": 0, "triplet_id": 7}
            box = {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4} if frame else dict.fromkeys("xywh")
            rows["triplets"].append({**named, "instance": 0, **triplet, **ids_of, **box, "score": 1.0})
        named = {"id": id_, "vocabulary": "cholect50", "instrument": "grasper"}
        rows["spans"].append({**named, "instance": 0, "start_frame": 0, "end_frame": FRAMES, "verb": "grasp", "target": "gallbladder"})
        failed = place % 3 == 0
        rows["ratings"].append(
            {"id": id_, "task": TASK, "rater": "0", "aspect": "depth_perception", "score": None if failed else 3.0, "failed": failed}
        )
        score = None if failed else place / 999
        rows["skill"].append(
            {"id": id_, "task": TASK, "GRS": score, "depth_perception": score, "n_ratings": 2, "disagreement": 0.1}
            | {"strong_disagreement": False}
        )
        rows["errors"].append({"id": id_, "task": TASK, "error": "object_dropped", "occurred": place % 2 == 0})
        rows["splits"].append({"scheme": "balanced", "fold": 0, "subset": ("train", "train", "test")[place % 3], "id": id_})
        rows["splits"] += [
            {"scheme": "folds", "fold": fold, "subset": "test" if place % 2 == fold else "train", "id": id_} for fold in range(2)
        ]
    return rows


def repeat(folder: Path) -> None:
    """Write what repeats the tables: splits as CSV, ground truth with a stamp that changes with every table."""
    splits, phases = (pd.read_parquet(folder / f"tables/{name}.parquet") for name in ("splits", "phases"))
    for scheme, rows in splits.groupby("scheme"):
        write_text(folder / f"splits/{scheme}.csv", rows[["fold", "id", "subset"]].sort_values(["fold", "id"]).to_csv(index=False))
    truth = folder / "groundtruth/cholect50"
    stamp = sha256_of(folder / "tables/phases.parquet")
    (truth / "recognition").mkdir(parents=True, exist_ok=True)
    for id_, rows in phases.groupby("id"):
        write_text(truth / f"tracks/{id_}/seqinfo.ini", f"[Sequence]\nname={id_}\n")
        write_text(truth / f"phases/{id_}.csv", rows[["frame", "phase_id", "phase"]].to_csv(index=False))
        np.savez(truth / f"recognition/{id_}.npz", frame=rows.frame.to_numpy(), ivt=np.eye(len(rows), 5, dtype=np.int8), stamp=stamp)
    images = [{"id": at, "file_name": f"{one.id}/{one.frame}.jpg"} for at, one in enumerate(phases.itertuples(), start=1)]
    boxes = [{"id": image["id"], "image_id": image["id"], "category_id": 8, "bbox": [1, 2, 3, 4]} for image in images]
    document = {"images": images, "annotations": boxes, "categories": [{"id": 8, "name": "x"}], "info": {"stamp": stamp}}
    write_text(truth / "coco.json", json.dumps(document))
    write_json(folder / "groundtruth/manifest.json", {"files": stamp})


def seal(folder: Path) -> Path:
    """List all files anew."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    write_text(folder / "SHA256SUMS", "".join(f"{sha256_of(folder / name)}  {name}\n" for name in names))
    return folder


def edited(old: Path, new: Path, edit: Callable[[Path], None], version: str = "1.0.1") -> Path:
    """Copy a release, edit it, and seal it under another version."""
    if not new.exists():
        shutil.copytree(old, new)
    edit(new)
    document = json.loads((new / "croissant.json").read_text(encoding="utf-8"))
    write_json(new / "croissant.json", {**document, "version": version})
    return seal(new)


def edit_rows(folder: Path, table: str, edit: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    """Edit the rows of a table as a data frame."""
    path = folder / f"tables/{table}.parquet"
    arrow = pq.read_table(path)
    types = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    frame = edit(arrow.to_pandas(types_mapper=types.get))
    pq.write_table(pa.Table.from_pandas(frame, schema=arrow.schema, preserve_index=False), path)


def edit_table(folder: Path, table: str, edit: Callable[[pa.Table], pa.Table]) -> None:
    """Edit a table with its schema."""
    path = folder / f"tables/{table}.parquet"
    pq.write_table(edit(pq.read_table(path)), path)
