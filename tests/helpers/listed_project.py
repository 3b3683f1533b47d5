"""A project whose raw study is lists, sheets and labels only: its videos hold a few bytes, because nobody decodes them."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

from scrubin.curate.lists import empty_study

ROOT = Path(__file__).parents[2]
COLUMNS = ("recording", "participant", "trial", "site", "task", "camera", "path", "start_s", "end_s", "exclude")
ASPECTS = "depth_perception,efficiency,bimanual_dexterity,tissue_handling"
ERRORS = "object_dropped_within_fov,object_dropped_outside_of_fov"
PEGS = 12
OPERATIONS = ("operation 1", "operation 2")


def make(folder: Path, pegs: int = PEGS) -> Path:
    """Make the project and return its raw folder."""
    text = (ROOT / "params.yaml").read_text(encoding="utf-8").replace("raw: data/demo", "raw: data/raw")
    text = text.replace("scrub-in-demo", "a-study").replace("A synthetic surgical-video study", "A study")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "params.yaml").write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "dvc.yaml", folder / "dvc.yaml")
    raw = folder / "data/raw"
    empty_study.create(raw)
    rows = []
    for number in range(pegs):
        files = {camera: f"videos/peg {number} {camera}.mkv" for camera in ("left", "right")}
        rows += [(f"peg {number}", f"P{number // 2}", "", "", "PegTransfer", camera, path, "", "", "") for camera, path in files.items()]
    rows += [(name, name, "", "", "Cholecystectomy", "mono", f"videos/{name}.mp4", "", "", "") for name in OPERATIONS]
    with (raw / "recordings.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    for row in rows:
        (raw / row[6]).write_bytes(row[6].encode())
    for rater in range(2):
        scores = [f"peg {number},{','.join(str(1 + (number + rater + place) % 5) for place in range(4))}" for number in range(pegs)]
        marks = [f"peg {number},{number % 2 == 0},False" for number in range(pegs)]
        (raw / f"ratings/PegTransfer_rater{rater}.csv").write_text("\n".join([f"id,{ASPECTS}", *scores]) + "\n")
        (raw / f"ratings/PegTransfer_rater{rater}_errors.csv").write_text("\n".join([f"id,{ERRORS}", *marks]) + "\n")
    labels = raw / "annotations/cholec80"
    labels.mkdir()
    for name in OPERATIONS:
        rows_text = "".join(f"{frame}\t{'Preparation' if frame < 50 else 'CalotTriangleDissection'}\n" for frame in range(100))
        (labels / f"{name}-phase.txt").write_text(f"Frame\tPhase\n{rows_text}")
    return raw


def change(path: Path, old: str, new: str) -> None:
    """Replace text of a file, which must have it."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def remember_release(folder: Path, *recordings: str) -> None:
    """Let a release have been made of these recordings."""
    (folder / "data/private").mkdir(parents=True, exist_ok=True)
    ids = {name: f"id{number}" for number, name in enumerate(recordings)}
    text = json.dumps({"name": "a-study", "version": "1.0.0", "recordings": ids})
    (folder / "data/private/released.json").write_text(text)
