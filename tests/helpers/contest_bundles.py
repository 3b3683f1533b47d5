"""Bundles of small contests, and what a platform does with a submission."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from contest_cases import CASES, VIDEOS, dumps
from scrubin import cli
from scrubin.evaluate.challenge import codabench

HIDDEN = VIDEOS[1:]
OF_IMAGES = ("masks", "pixels", "points")
PROGRAM = {"codabench": "competition/scoring_program", "evalai": "challenge/evaluation_script", "grand-challenge": "evaluation"}


def split(folder: Path) -> Path:
    rows = [f"{video},{'test' if video in HIDDEN else 'train'}" for video in VIDEOS]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "split.csv").write_text("\n".join(["id,subset", *rows]) + "\n")
    return folder / "split.csv"


def bundle(folder: Path, truth: Path, platform: str, task: str, *more: str) -> Path:
    order = ["--for", platform, "--task", task, "--split", str(split(folder)), "--subset", "test", "--out", str(folder / platform)]
    assert cli.main(["challenge", "bundle", str(truth), *order, *more]) == 0
    return folder / platform


def hidden_part(task: str, files) -> dict[str, bytes]:
    """What a submission has of the hidden videos alone."""
    if task in OF_IMAGES:
        document = json.loads(CASES[task]()[0]["labels.json"])
        ids = {one["id"] for one in document["images"] if one["recording"] in HIDDEN}
        return {"results.json": dumps([one for one in json.loads(files["results.json"]) if one["image_id"] in ids])}
    if task == "criteria":
        head, *rows = files["found.csv"].decode().splitlines()
        return {"found.csv": "\n".join([head, *(row for row in rows if row.split(",")[0] in HIDDEN)]).encode()}
    return {name: data for name, data in files.items() if any(video in name for video in HIDDEN)}


def on_codabench(bundled: Path, submitted: Path, place: Path) -> dict[str, float]:
    shutil.copytree(bundled / "competition/reference_data", place / "input/ref")
    shutil.copytree(submitted, place / "input/res")
    assert codabench.run(str(bundled / PROGRAM["codabench"]), str(place / "input"), str(place / "output")) == 0
    return json.loads((place / "output/scores.json").read_text())
