"""Key points of random studies against pycocotools, which need not be installed here: the greatest difference of its ten numbers, the time.

The numbers are those of the metric and those of `scrubin score points` on files, half of them with points on one line.

python benchmarks/point_references.py [studies] [golden.json]

Studies have crowds, instances without a labelled point, several classes, points of few and of many px apart, and predictions of equal
confidence in a frame. In some, confidences are equal in different frames, too: there pycocotools lets the order of images decide, which is
printed by itself. With a name, some studies are written with the numbers of pycocotools.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import time
import tracemalloc
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.cli import main as main_of_scrubin
from scrubin.evaluate.metrics.points import PointRows, PointStudy, similarity

STUDIES, KEPT, FRAMES_TIMED = 400, 12, 4000
WIDTH, HEIGHT = 640, 480
NAMES = ("AP", "AP50", "AP75", "APM", "APL", "AR", "AR50", "AR75", "ARM", "ARL")
Rows = list[dict[str, Any]]


def main() -> None:
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else STUDIES
    apart, tied, kept = 0.0, 0.0, []
    for number in range(studies):
        case = drawn(np.random.default_rng(number), ties=number % 5 == 4)
        published = by_pycocotools(case)
        difference = float(np.abs(np.array(by_ours(case)) - np.array(published)).max())
        for flat in (False, True):
            of_files = flattened(case) if flat else case
            difference = max(difference, float(np.abs(np.array(by_files(of_files)) - np.array(by_pycocotools(of_files))).max()))
        apart, tied = (apart, max(tied, difference)) if number % 5 == 4 else (max(apart, difference), tied)
        if len(kept) < KEPT and number % 5 != 4:
            kept.append({**case, "values": published})
    print(f"pycocotools {version('pycocotools')}, {studies} studies: greatest difference {apart:.2g}; ties between frames: {tied:.2g}")
    case = drawn(np.random.default_rng(1), frames=FRAMES_TIMED, ties=False)
    study, sigmas = study_of(case), np.array(case["sigmas"])
    started = time.process_time()
    similarity.results(similarity.matched(study, sigmas), {})
    ours = time.process_time() - started
    tracemalloc.start()
    similarity.results(similarity.matched(study, sigmas), {})
    most_mb = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    evaluation = prepared(case)
    started = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation.evaluate()
        evaluation.accumulate()
    theirs = time.process_time() - started
    counts = f"{FRAMES_TIMED} frames, {len(case['truth'])} annotated, {len(case['found'])} predicted"
    print(f"processor time, {counts}: ours {ours:.2f} s, pycocotools {theirs:.2f} s; ours needs {most_mb:.0f} MB")
    if len(sys.argv) > 2:
        source = f"pycocotools {version('pycocotools')}, numpy {version('numpy')}, by benchmarks/point_references.py"
        rows = ",\n".join(f"  {json.dumps(case)}" for case in kept)
        text = f'{{\n "source": {json.dumps(source)},\n "names": {json.dumps(NAMES)},\n "studies": [\n{rows}\n ]\n}}\n'
        Path(sys.argv[2]).write_text(text, encoding="utf-8")


def drawn(rng: np.random.Generator, *, frames: int = 8, ties: bool) -> dict[str, Any]:
    """Return a study of one list of points, as pycocotools needs it: rows of both sides, sigmas by class (all the same)."""
    classes, points = int(rng.integers(1, 4)), int(rng.integers(1, 7))
    sigmas = rng.uniform(0.02, 0.3, points).round(3).tolist()
    truth: Rows = []
    found: Rows = []
    for frame in range(frames):
        confidences = iter(rng.permutation(200) // 3 / 67 if not ties else rng.integers(1, 4, 200) / 4)
        offset = 0 if ties else frame / 1e6
        for _ in range(int(rng.integers(0, 4))):
            class_ = int(rng.integers(0, classes))
            side = rng.choice([20, 31, 32, 60, 96, 97, 150], 2)
            corner = rng.integers(0, [WIDTH - 150, HEIGHT - 150])
            places = corner + rng.uniform(0, 1, (points, 2)) * side
            kind = rng.random()
            seen = np.zeros(points, int) if kind < 0.15 else rng.choice([0, 1, 2], points, p=[0.2, 0.3, 0.5])
            stated = [[*place, int(v)] if v else [0, 0, 0] for place, v in zip(places.round(2).tolist(), seen, strict=True)]
            area = float((side[0] * side[1] * (1 if rng.random() < 0.5 else rng.uniform(0.2, 1))).round(2))
            box = [*map(float, corner), *map(float, side)]
            truth.append({"frame": frame, "class": class_, "points": stated, "box": box, "area": area, "crowd": bool(rng.random() < 0.12)})
            for _ in range(int(rng.integers(0, 4))):
                near = places + rng.normal(0, rng.choice([0.5, 3, 8, 30]), places.shape)
                other = class_ if rng.random() < 0.85 else int(rng.integers(0, classes))
                found.append(_predicted(frame, other, near, float(next(confidences)) + offset))
        for _ in range(int(rng.integers(0, 3))):
            anywhere = rng.uniform(0, [WIDTH, HEIGHT], (points, 2))
            found.append(_predicted(frame, int(rng.integers(0, classes)), anywhere, float(next(confidences)) + offset))
    return {"frames": frames, "classes": classes, "sigmas": [sigmas] * classes, "truth": truth, "found": found}


def _predicted(frame: int, class_: int, places: Any, score: float) -> dict[str, Any]:
    return {"frame": frame, "class": class_, "points": places.round(2).tolist(), "score": score}


def study_of(case: dict[str, Any]) -> PointStudy:
    """Return a drawn study as metrics take it."""
    points = len(case["sigmas"][0])
    names = tuple(str(at) for at in range(points))
    images = np.tile([float(WIDTH), float(HEIGHT)], (case["frames"], 1))
    truth, found = (_rows(case[side], points) for side in ("truth", "found"))
    return PointStudy(("v",), np.array([0, case["frames"]]), (names,) * case["classes"], images, truth, found)


def _rows(rows: Rows, points: int) -> PointRows:
    places = np.array([[point[:2] for point in row["points"]] for row in rows], float).reshape(-1, points, 2)
    known = np.array([[len(point) < 3 or point[2] > 0 for point in row["points"]] for row in rows], bool).reshape(-1, points)
    boxes = np.array([row.get("box", [np.nan] * 4) for row in rows], float).reshape(-1, 4)
    areas = np.array([row.get("area", np.nan) for row in rows], float)
    return PointRows(
        np.array([row["frame"] for row in rows], np.int64),
        {"i": np.array([row["class"] for row in rows], np.int64)},
        places,
        known,
        boxes,
        areas,
        np.array([row.get("score", 1.0) for row in rows], float),
        np.array([row.get("crowd", False) for row in rows], bool),
    )


def by_ours(case: dict[str, Any]) -> list[float]:
    """Return the ten numbers, -1 where one is undefined."""
    results = similarity.results(similarity.matched(study_of(case), np.array(case["sigmas"])), {})
    return [one.overall.value if one.overall.defined else -1.0 for one in results]


def flattened(case: dict[str, Any]) -> dict[str, Any]:
    """Return a study of which all predictions have their points on a line along the picture, so that the box around them has no area."""
    flat = [{**row, "points": [[x, row["points"][0][1]] for x, _ in row["points"]]} for row in case["found"]]
    return {**case, "found": flat}


def by_files(case: dict[str, Any]) -> list[float]:
    """Return the ten numbers of `scrubin score points` on COCO files, -1 where one is undefined."""
    truth, found = documents(case)
    names = [str(at) for at in range(len(case["sigmas"][0]))]
    truth["categories"] = [{**one, "keypoints": names} for one in truth["categories"]]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("truth.json", "found.json", "scores.json")]
        for path, document in zip(paths, (truth, found), strict=False):
            path.write_text(json.dumps(document), encoding="utf-8")
        sigma = ",".join(f"{name}={value}" for name, value in zip(names, case["sigmas"][0], strict=True))
        sides = ["--ground-truth", str(paths[0]), "--predictions", str(paths[1])]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
            refused = main_of_scrubin(["score", "points", *sides, "--out", str(paths[2]), "--variant", f"sigma={sigma}"])
        if refused:
            raise SystemExit(said.getvalue())
        results = json.loads(paths[2].read_text(encoding="utf-8"))["results"]
    return [-1.0 if one["overall"]["value"] is None else one["overall"]["value"] for one in results]


def documents(case: dict[str, Any]) -> tuple[dict[str, Any], Rows]:
    """Return a study as COCO has it: the file of annotations, and the results."""
    images = [{"id": frame + 1, "file_name": f"v_{frame:06d}.jpg", "width": WIDTH, "height": HEIGHT} for frame in range(case["frames"])]
    categories = [{"id": class_ + 1, "name": str(class_)} for class_ in range(case["classes"])]
    annotations = [
        {
            "id": number + 1,
            "image_id": row["frame"] + 1,
            "category_id": row["class"] + 1,
            "keypoints": [number for point in row["points"] for number in point],
            "num_keypoints": sum(point[2] > 0 for point in row["points"]),
            "bbox": row["box"],
            "area": row["area"],
            "iscrowd": int(row["crowd"]),
        }
        for number, row in enumerate(case["truth"])
    ]
    found = [
        {
            "image_id": row["frame"] + 1,
            "category_id": row["class"] + 1,
            "keypoints": [number for point in row["points"] for number in (*point, 1)],
            "score": row["score"],
        }
        for row in case["found"]
    ]
    return {"images": images, "categories": categories, "annotations": annotations}, found


def prepared(case: dict[str, Any]) -> Any:
    """Return pycocotools' evaluation of a study, not yet run."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    truth, found = documents(case)
    with contextlib.redirect_stdout(io.StringIO()):
        data = COCO()
        data.dataset = truth
        data.createIndex()
        evaluation = COCOeval(data, data.loadRes(found), "keypoints")
        evaluation.params.kpt_oks_sigmas = np.array(case["sigmas"][0])
    return evaluation


def by_pycocotools(case: dict[str, Any]) -> list[float]:
    """Return the ten numbers that pycocotools prints, -1 where it has none."""
    evaluation = prepared(case)
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return [float(value) for value in evaluation.stats]


if __name__ == "__main__":
    main()
