"""Masks of 10,000 frames: processor and memory against pycocotools, in one run; the numbers of both must agree.

python benchmarks/mask_speed.py [frames [rounds]]

Pictures of 854 x 480 px with one to five instruments of 7 classes, drawn from polygons of 8 to 40 corners; of each one to two detections
near it. Each side does each task in a process of its own, in turn; imports and reading of the JSON of instances do not count. What is
timed: filling polygons; packing and unpacking masks; IoUs of all masks of a frame; the twelve numbers of COCO.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

FRAMES, ROUNDS, CLASSES = 10_000, 3, 7
HEIGHT, WIDTH = 480, 854
TASKS = ("fill polygons", "pack and unpack", "IoUs of frames", "twelve numbers")


def main() -> None:
    if sys.argv[1:2] and sys.argv[1] in SIDES:
        side, task, path = sys.argv[1:]
        sys.stdout.write(json.dumps(measured(SIDES[side], task, Path(path))))
        return
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else FRAMES
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "masks.json"
        subprocess.run([sys.executable, __file__, "write", str(frames), str(path)], check=True)
        print(f"{frames:,} frames of {WIDTH} x {HEIGHT} px; median of {rounds} alternating runs, processor time")
        print(f"{'task':<18}{'ours s':>9}{'pycocotools s':>15}{'ratio':>7}{'ours MB':>9}{'pycocotools MB':>16}{'apart':>10}")
        for task in TASKS:
            runs: dict[str, list[dict[str, Any]]] = {side: [] for side in SIDES}
            for _ in range(rounds):
                for side, found in runs.items():
                    found.append(json.loads(subprocess.check_output([sys.executable, __file__, side, task, str(path)])))
            (ours_s, theirs_s), (ours_mb, theirs_mb) = ([median(one[of] for one in found) for found in runs.values()] for of in ("s", "mb"))
            answers = [np.array(runs[side][0]["answer"], float) for side in ("ours", "pycocotools")]
            # Sums of many are apart by their roundings.
            apart = float((np.abs(answers[0] - answers[1]) / np.maximum(1, np.abs(answers[1]))).max())
            print(f"{task:<18}{ours_s:>9.2f}{theirs_s:>15.2f}{ours_s / theirs_s:>7.2f}{ours_mb:>9.0f}{theirs_mb:>16.0f}{apart:>10.1g}")
            if apart > 1e-12:
                sys.exit(f"{task}: the numbers differ by {apart:.2g}")


def measured(side: Any, task: str, path: Path) -> dict[str, Any]:
    work = side(task, json.loads(path.read_text()))
    before = memory_mb()
    started = time.process_time()
    answer = work()
    return {"s": time.process_time() - started, "mb": memory_mb() - before, "answer": answer}


def memory_mb() -> float:
    """Return the most that was in use so far."""
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(peak.split()[1]) / 1024


def ours(task: str, data: dict[str, Any]) -> Any:
    from scrubin.evaluate.metrics.masks import MaskRows, MaskStudy, average_precision
    from scrubin.labels.masks import polygons, rle

    sides = (data["truth"], data["found"])
    if task == "fill polygons":
        return lambda: [sum(rle.area(polygons.runs_of_polygons([one["polygon"]], HEIGHT, WIDTH)) for one in side) for side in sides]
    if task == "pack and unpack":

        def packed() -> list[int]:
            lengths = []
            for side in sides:
                pictures = (rle.picture(rle.runs_of_text(one["counts"], HEIGHT, WIDTH), HEIGHT, WIDTH) for one in side)
                lengths.append(sum(len(rle.text_of_runs(rle.runs_of_picture(pixels))) for pixels in pictures))
            return lengths

        return packed
    by_frame = [grouped([one["counts"] for one in side], side) for side in sides]
    if task == "IoUs of frames":

        def summed() -> list[float]:
            frames = ((rle.runs_of_texts(by_frame[1].get(at, [])), rle.runs_of_texts(of)) for at, of in by_frame[0].items())
            return [sum(float(rle.ious(found, truth).sum()) for found, truth in frames)]

        return summed
    frames = data["frames"]

    def rows(side: list[dict[str, Any]]) -> MaskRows:
        places, classes, scores = (np.array([one[key] for one in side]) for key in ("frame", "class", "score"))
        return MaskRows(
            places, {"i": classes}, [one["counts"] for one in side], scores, np.zeros(len(side), bool), np.full(len(side), np.nan)
        )

    def numbers() -> list[float]:
        images = np.tile([WIDTH, HEIGHT], (frames, 1))
        study = MaskStudy(("all",), np.array([0, frames]), {"i": CLASSES}, images, rows(sides[0]), rows(sides[1]))
        return [one.overall.value for one in average_precision.results(average_precision.matched(study, "i"))]

    return numbers


def pycocotools(task: str, data: dict[str, Any]) -> Any:
    import warnings

    from pycocotools import mask
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    warnings.simplefilter("ignore", DeprecationWarning)
    sides = (data["truth"], data["found"])
    if task == "fill polygons":
        return lambda: [
            sum(int(mask.area(mask.merge(mask.frPyObjects([one["polygon"]], HEIGHT, WIDTH)))) for one in side) for side in sides
        ]
    coded = [[{"size": [HEIGHT, WIDTH], "counts": one["counts"].encode()} for one in side] for side in sides]
    if task == "pack and unpack":
        return lambda: [sum(len(mask.encode(mask.decode(one))["counts"]) for one in side) for side in coded]
    by_frame = [grouped(of, side) for of, side in zip(coded, sides, strict=True)]
    if task == "IoUs of frames":

        def summed() -> list[float]:
            pairs = ((by_frame[1].get(at, []), of) for at, of in by_frame[0].items())
            return [sum(float(np.sum(mask.iou(found, truth, [0] * len(truth)))) for found, truth in pairs)]

        return summed

    def numbers() -> list[float]:
        annotations = [
            {"id": at + 1, "image_id": one["frame"], "category_id": one["class"], "iscrowd": 0, "segmentation": of}
            for at, (one, of) in enumerate(zip(sides[0], coded[0], strict=True))
        ]
        for one in annotations:
            one["area"], one["bbox"] = float(mask.area(one["segmentation"])), [0, 0, 1, 1]
        results = [
            {"image_id": one["frame"], "category_id": one["class"], "score": one["score"], "segmentation": of}
            for one, of in zip(sides[1], coded[1], strict=True)
        ]
        images = [{"id": at, "width": WIDTH, "height": HEIGHT} for at in range(data["frames"])]
        truth = COCO()
        truth.dataset = {"images": images, "annotations": annotations, "categories": [{"id": at} for at in range(CLASSES)]}
        with contextlib.redirect_stdout(io.StringIO()):
            truth.createIndex()
            evaluation = COCOeval(truth, truth.loadRes(results), "segm")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        return evaluation.stats.tolist()

    return numbers


def grouped(values: list[Any], side: list[dict[str, Any]]) -> dict[int, list[Any]]:
    by_frame: dict[int, list[Any]] = {}
    for value, one in zip(values, side, strict=True):
        by_frame.setdefault(one["frame"], []).append(value)
    return by_frame


def write(frames: str, path: str) -> None:
    from scrubin.labels.masks import polygons, rle

    rng = np.random.default_rng(0)
    truth: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []
    for frame in range(int(frames)):
        for _ in range(int(rng.integers(1, 6))):
            angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(8, 41))))
            lengths = rng.uniform(0.7, 1.3, len(angles))[:, None] * rng.uniform(15, 150)
            corners = rng.uniform(0, 1, 2) * (WIDTH, HEIGHT) + np.stack([np.cos(angles), np.sin(angles)], axis=1) * lengths
            class_ = int(rng.integers(0, CLASSES))
            truth.append({"frame": frame, "class": class_, "score": 1.0, "polygon": corners.round(2).ravel().tolist()})
            for _ in range(int(rng.integers(1, 3))):
                moved = (corners + rng.uniform(-15, 15, 2) + rng.uniform(-4, 4, corners.shape)).round(2)
                found.append({"frame": frame, "class": class_, "score": float(rng.random()), "polygon": moved.ravel().tolist()})
    for one in (*truth, *found):
        one["counts"] = rle.text_of_runs(polygons.runs_of_polygons([one["polygon"]], HEIGHT, WIDTH))
    Path(path).write_text(json.dumps({"frames": int(frames), "truth": truth, "found": found}))


SIDES = {"ours": ours, "pycocotools": pycocotools}

if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(*sys.argv[2:])
    else:
        main()
