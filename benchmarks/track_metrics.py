"""Metrics of tracks: whether the numbers are those of TrackEval 1.3, and how much faster they are made.

From the repository root, with a Python that has trackeval 1.3:

    .venv/bin/python benchmarks/track_metrics.py --reference PYTHON [--cases 300] [--seconds-of 10000] [--golden tests/data/metrics/tracks]

Cases are drawn by number: videos of up to 60 frames with up to 12 instruments of up to 4 classes, of which a tracker misses some,
switches and loses ids, takes others for another class, sees some twice, and some where there is nothing; every third case has boxes on a
grid, so that overlaps are equal; sides, classes and frames may be empty. TrackEval's own classes HOTA, CLEAR and Identity compute every
video and class, put videos together by ``combine_sequences``, and classes by their two ways, ours with the semantics ``compat``.
``--golden`` writes some small ones with TrackEval's numbers. The time is that of one video with 4 instruments in every frame,
all metrics, both sides from arrays by frame, on one thread, in turns, three times; medians count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
RUNS = 3
GOLDEN = (*((number, 12) for number in range(30)), (69, 60), (351, 60))
"""Number and longest video of the golden cases; in the last two, boxes that touch overlap by a rounding error."""
THRESHOLD = 0.5
OF_TRACKEVAL = ("HOTA", "DetA", "AssA", "LocA", "DetRe", "DetPr", "AssRe", "AssPr", "HOTA(0)")
OF_CLEAR = {
    "MOTA": "MOTA",
    "MOTP": "MOTP",
    "IDSW": "IDSW",
    "Frag": "Frag",
    "MT": "MT",
    "PT": "PT",
    "ML": "ML",
    "FP": "CLR_FP",
    "FN": "CLR_FN",
}
OF_IDENTITY = ("IDF1", "IDP", "IDR")
SIDES = ("truth", "predictions")


def case(number: int, longest: int = 60) -> dict[str, Any]:
    """Return a drawn case with videos of so many frames at most: rows of a side are frame, id, class, left, top, width, height."""
    rng = np.random.default_rng(number)
    classes, grid = int(rng.integers(1, 5)), 0.1 if number % 3 == 0 else 0.0
    videos = []
    for name in range(int(rng.integers(1, 4))):
        length = int(rng.integers(1, longest + 1))
        truth = _tracks(rng, length, classes, int(rng.integers(0, 13)))
        predictions = _tracked(rng, truth, length, classes)
        sides = zip(SIDES, (truth, predictions), strict=True)
        rows = {side: [[*map(int, row[:3]), *_rounded(row[3:], grid)] for row in sorted(of)] for side, of in sides}
        videos.append({"name": f"video_{name}", "length": length, **rows})
    return {"number": number, "classes": classes, "videos": videos}


def _rounded(box: Any, grid: float) -> list[float]:
    if not grid:
        return [round(float(side), 4) for side in box]
    return [round(max(round(float(side) / grid), least) * grid, 4) for side, least in zip(box, (0, 0, 1, 1), strict=True)]


def _tracks(rng: np.random.Generator, length: int, classes: int, count: int) -> list[tuple[float, ...]]:
    rows = []
    for id_ in range(count):
        first, class_ = int(rng.integers(0, length)), int(rng.integers(0, classes))
        box = np.array([*rng.uniform(0, 0.5, 2), *rng.uniform(0.1, 0.4, 2)])
        for frame in range(first, int(rng.integers(first, length)) + 1):
            box = np.clip(box + rng.normal(0, 0.02, 4), [0, 0, 0.05, 0.05], [0.6, 0.6, 0.4, 0.4])
            if rng.random() > 0.1:
                rows.append((frame, id_, class_, *box))
    return rows


def _tracked(rng: np.random.Generator, truth: list[tuple[float, ...]], length: int, classes: int) -> list[tuple[float, ...]]:
    missed, switched, lost, mistaken, doubled, false = rng.uniform(0, (0.5, 0.2, 0.1, 0.2, 0.1, 0.5))
    noise = rng.choice([0.0, 0.01, 0.04, 0.1])
    id_of: dict[float, int] = {}
    rows, fresh = [], 0
    for frame in range(length):
        here = [row for row in truth if row[0] == frame]
        for row in here:
            if row[1] not in id_of or rng.random() < lost:
                id_of[row[1]], fresh = fresh, fresh + 1
        if len(here) > 1 and rng.random() < switched:
            one, other = (here[at][1] for at in rng.choice(len(here), 2, replace=False))
            id_of[one], id_of[other] = id_of[other], id_of[one]
        for row in here:
            class_ = int(rng.integers(0, classes)) if rng.random() < mistaken else row[2]
            box = np.maximum(np.array(row[3:]) + rng.normal(0, noise, 4), [0, 0, 0.02, 0.02])
            if rng.random() > missed:
                rows.append((frame, id_of[row[1]], class_, *box))
            if rng.random() < doubled:
                rows.append((frame, 1000 + id_of[row[1]], class_, *box))
        if rng.random() < false:
            rows.append((frame, 2000 + int(rng.integers(0, 3)), int(rng.integers(0, classes)), *rng.uniform(0.1, 0.4, 4)))
    return rows


def long_video(frames: int, tools: int = 4) -> dict[str, Any]:
    """Return a case of one video in which every instrument moves slowly, and ids are lost now and then."""
    rng = np.random.default_rng(1)
    start = rng.uniform(0.05, 0.55, (tools, 2))
    sway = 0.1 * np.sin(np.arange(frames)[:, None, None] / rng.uniform(20, 200, (tools, 2)) + rng.uniform(0, 6, (tools, 2)))
    boxes = np.concatenate([np.clip(start + sway, 0, 0.7), np.full((frames, tools, 2), 0.25)], axis=2)
    ids = np.cumsum(rng.random((frames, tools)) < 0.002, axis=0) * tools + np.arange(tools)
    frame, tool = np.repeat(np.arange(frames), tools), np.tile(np.arange(tools), frames)
    truth = np.column_stack([frame, tool, tool, boxes.reshape(-1, 4)])
    found = np.column_stack([frame, ids.reshape(-1), tool, boxes.reshape(-1, 4) + rng.normal(0, 0.01, (frames * tools, 4))])
    found = found[rng.random(len(found)) < 0.95]
    return {
        "number": -1,
        "classes": tools,
        "videos": [{"name": "long", "length": frames, "truth": truth.tolist(), "predictions": found.tolist()}],
    }


def prepared(drawn: dict[str, Any], class_: int | None, video: dict[str, Any]) -> dict[str, Any]:
    """Return what TrackEval's metrics take: ids without gaps, similarities by frame."""
    from trackeval.datasets._base_dataset import _BaseDataset

    sides = [np.array(video[side], dtype=float).reshape(-1, 7) for side in SIDES]
    sides = [rows if class_ is None else rows[rows[:, 2] == class_] for rows in sides]
    ids = [np.unique(rows[:, 1], return_inverse=True) for rows in sides]
    bounds = [np.searchsorted(rows[:, 0], np.arange(video["length"] + 1)) for rows in sides]
    parts = [[slice(a, b) for a, b in pairwise(of)] for of in bounds]
    iou = _BaseDataset._calculate_box_ious
    return {
        "num_timesteps": video["length"],
        "num_gt_ids": len(ids[0][0]),
        "num_tracker_ids": len(ids[1][0]),
        "num_gt_dets": len(sides[0]),
        "num_tracker_dets": len(sides[1]),
        "gt_ids": [ids[0][1][part] for part in parts[0]],
        "tracker_ids": [ids[1][1][part] for part in parts[1]],
        "similarity_scores": [iou(sides[0][one, 3:], sides[1][other, 3:]) for one, other in zip(*parts, strict=True)],
        "seq": video["name"],
    }


def of_trackeval(drawn: dict[str, Any]) -> dict[str, Any]:
    """Return TrackEval's numbers: of every video as one class, of every class, and of all classes in three ways."""
    from trackeval.metrics import CLEAR, HOTA, Identity

    quiet = {"THRESHOLD": THRESHOLD, "PRINT_CONFIG": False}
    metrics = [HOTA(), CLEAR(quiet), Identity(quiet)]
    groups = [None, *range(drawn["classes"])]
    by_group: dict[Any, list[Any]] = {}
    videos: dict[str, Any] = {}
    for group in groups:
        data = {video["name"]: prepared(drawn, group, video) for video in drawn["videos"]}
        single = [{name: metric.eval_sequence(of) for name, of in data.items()} for metric in metrics]
        by_group[group] = [metric.combine_sequences(of) for metric, of in zip(metrics, single, strict=True)]
        if group is None:
            videos = {name: fields([of[name] for of in single]) for name in data}
    of_classes = [{class_: by_group[class_][at] for class_ in range(drawn["classes"])} for at in range(len(metrics))]
    pairs = list(zip(metrics, of_classes, strict=True))
    return {
        "videos": videos,
        "classes": {str(class_): fields(by_group[class_]) for class_ in range(drawn["classes"])},
        "one": fields(by_group[None]),
        "averaged": fields([metric.combine_classes_class_averaged(of) for metric, of in pairs]),
        "pooled": fields([metric.combine_classes_det_averaged(of) for metric, of in pairs]),
    }


def fields(parts: list[Any]) -> dict[str, float]:
    """Return the numbers that we have, too, by our name."""
    of_hota, of_clear, of_identity = parts
    numbers = {name: float(np.mean(of_hota[name])) for name in OF_TRACKEVAL}
    numbers |= {ours: float(of_clear[theirs]) for ours, theirs in OF_CLEAR.items()}
    return numbers | {name: float(of_identity[name]) for name in OF_IDENTITY}


def ours(drawn: dict[str, Any]) -> dict[str, Any]:
    """Return our numbers in the same form."""
    from scrubin.evaluate.metrics.tracks import TrackRows, TrackVideo
    from scrubin.evaluate.metrics.tracks.combined import counted, results

    def rows(of: Any) -> TrackRows:
        table = np.array(of, dtype=float).reshape(-1, 7)
        return TrackRows(*(table[:, at].astype(np.int64) for at in range(3)), table[:, 3:])

    videos = [TrackVideo(one["name"], one["length"], *(rows(one[side]) for side in SIDES)) for one in drawn["videos"]]
    numbers: dict[str, Any] = {"videos": {}, "classes": {}}
    for result in results(counted(videos, drawn["classes"], THRESHOLD), "all", "compat", {}):
        name, way = result.variant.metric.removeprefix("tracks "), result.variant.options["classes"]
        numbers.setdefault(way, {})[name] = result.overall.value
        for of, values in (("classes", result.classes), ("videos", result.videos if way == "one" else {})):
            for key, value in values.items():
                numbers[of].setdefault(key, {})[name] = value.value
    return numbers


def differences(one: dict[str, Any], other: dict[str, Any]) -> dict[str, float]:
    """Return the largest difference of each number, over all videos, classes and ways."""
    found: dict[str, float] = {}
    for way in ("one", "averaged", "pooled"):
        for name, value in other[way].items():
            found[name] = max(found.get(name, 0.0), abs(one[way][name] - value))
    for of in ("videos", "classes"):
        for key, numbers in other[of].items():
            for name, value in numbers.items():
                found[name] = max(found.get(name, 0.0), abs(one[of][key][name] - value))
    return found


def seconds(compute: Callable[[dict[str, Any]], Any], drawn: dict[str, Any]) -> float:
    """Return how long a case takes."""
    begin = time.perf_counter()
    compute(drawn)
    return time.perf_counter() - begin


def in_reference(python: str, task: str, number: int) -> Any:
    """Return what this script says in the other Python."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        subprocess.run(
            [python, __file__, "--task", task, "--number", str(number), "--out", str(out)], check=True, env=os.environ | ONE_THREAD
        )
        return json.loads(out.read_text())


def as_reference(task: str, number: int) -> Any:
    """Return TrackEval's numbers of so many cases, or its seconds of a long video."""
    if task == "cases":
        return [of_trackeval(case(at)) for at in range(number)]
    if task == "golden":
        return [of_trackeval(case(*one)) for one in GOLDEN]
    return seconds(of_trackeval, long_video(number))


def write_golden(folder: Path, theirs: list[dict[str, Any]]) -> None:
    """Write a file per case: what was drawn, and TrackEval's numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    for at, expected in enumerate(theirs):
        text = json.dumps({**case(*GOLDEN[at]), "expected": expected}, separators=(",", ":"))
        (folder / f"case_{at:02d}.json").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference")
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seconds-of", type=int, default=10_000)
    parser.add_argument("--golden", type=Path)
    parser.add_argument("--task", choices=["cases", "golden", "seconds"])
    parser.add_argument("--number", type=int)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    if args.task:
        args.out.write_text(json.dumps(as_reference(args.task, args.number)))
        return
    if not args.reference:
        sys.exit("name a Python that has trackeval 1.3: --reference PYTHON")
    theirs = in_reference(args.reference, "cases", args.cases)
    found: dict[str, float] = {}
    for at, expected in enumerate(theirs):
        for name, value in differences(ours(case(at)), expected).items():
            if value > max(found.get(name, 0.0), 1e-9):
                print(f"case {at}: {name} differs by {value:.3g}")
            found[name] = max(found.get(name, 0.0), value)
    print(f"{len(theirs)} cases; largest difference {max(found.values(), default=0):.3g}")
    print("  ".join(f"{name} {value:.2g}" for name, value in found.items()))
    if args.golden:
        write_golden(args.golden, in_reference(args.reference, "golden", len(GOLDEN)))
    if args.seconds_of:
        drawn = long_video(args.seconds_of)
        taken = [(in_reference(args.reference, "seconds", args.seconds_of), seconds(ours, drawn)) for _ in range(RUNS)]
        reference, mine = (median(of) for of in zip(*taken, strict=True))
        print(
            f"one video of {args.seconds_of} frames: TrackEval {reference:.2f} s, ours {mine:.2f} s, {reference / mine:.1f} times as fast"
        )


if __name__ == "__main__":
    main()
