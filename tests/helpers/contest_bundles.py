"""Bundles of small contests, and what a platform does with a submission."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contest_cases import CASES, VIDEOS, dumps, put
from scrubin import cli
from scrubin.evaluate import challenge as challenges
from scrubin.evaluate.challenge import codabench, evalai, grand_challenge

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


def codabench_run(bundled: Path, submitted: Path, place: Path) -> int:
    """As CodaBench's worker lays it out: /app/input/ref, /app/input/res, /app/output, /app/program."""
    shutil.copytree(bundled / "competition/reference_data", place / "input/ref")
    shutil.copytree(submitted, place / "input/res", symlinks=True)
    return codabench.run(str(bundled / PROGRAM["codabench"]), str(place / "input"), str(place / "output"))


def on_codabench(bundled: Path, submitted: Path, place: Path) -> dict[str, float]:
    assert codabench_run(bundled, submitted, place) == 0
    return json.loads((place / "output/scores.json").read_text())


def on_evalai(bundled: Path, submitted: Path) -> dict[str, Any]:
    return evalai.scored(bundled / PROGRAM["evalai"], bundled / "challenge" / evalai.ANNOTATIONS, submitted, "test")


def grand_challenge_run(bundled: Path, inputs: Path, place: Path) -> int:
    program = bundled / PROGRAM["grand-challenge"]
    return grand_challenge.run(str(program), str(inputs), str(place), str(program / "ground_truth"))


def on_grand_challenge(bundled: Path, inputs: Path, place: Path) -> dict[str, float | None]:
    assert grand_challenge_run(bundled, inputs, place) == 0
    return json.loads((place / "metrics.json").read_text())["aggregates"]


def zipped(folder: Path) -> Path:
    return Path(shutil.make_archive(str(folder), "zip", folder))


def jobs(inputs: Path, values: Mapping[str, Any]) -> Path:
    """As Grand Challenge hands over what an algorithm predicted: a job per video."""
    listed = []
    for number, (video, value) in enumerate(values.items()):
        put(inputs / f"pk-{number}/output", {"predictions.json": dumps(value)})
        source = {"interface": {"slug": "video"}, "file": f"https://storage/{video}.mp4?key=1"}
        listed.append({"pk": f"pk-{number}", "inputs": [source], "outputs": [{"interface": {"relative_path": "predictions.json"}}]})
    return put(inputs, {"predictions.json": dumps(listed)})


def columns(bundled: Path) -> list[str]:
    """Return the keys of the leaderboard of a bundle for CodaBench."""
    return [one.key for one in challenges.read(bundled / PROGRAM["codabench"]).columns]


def on_every_platform(
    bundled: Mapping[str, Path], submitted: Path, place: Path, values: Mapping[str, Any] | None = None
) -> dict[str, float]:
    """Return all defined numbers, which every platform gives of every form that it takes; ``values`` are by video."""
    scores = on_codabench(bundled["codabench"], submitted, place / "codabench")
    documents = [put(place, {"submission.json": dumps(values)}) / "submission.json"] if values else []
    for given in (zipped(Path(shutil.copytree(submitted, place / "team"))), *documents):
        output = on_evalai(bundled["evalai"], given)
        assert output["result"] == [{"test_split": {key: scores[key] for key in columns(bundled["codabench"])}}], output
        assert defined(output["submission_result"]["scores"]) == scores
    for number, inputs in enumerate((submitted, *([jobs(place / "jobs", values)] if values else []))):
        assert defined(on_grand_challenge(bundled["grand-challenge"], inputs, place / f"metrics{number}")) == scores
    return scores


def defined(numbers: Mapping[str, float | None]) -> dict[str, float]:
    return {key: value for key, value in numbers.items() if value is not None}
