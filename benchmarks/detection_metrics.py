"""Detection of triplets: how much faster than ivtmetrics 0.1.5, and whether the numbers are the same.

From the repository root, with a Python that has ivtmetrics 0.1.5:

    .venv/bin/python benchmarks/detection_metrics.py --reference PYTHON [--videos 5] [--frames 2000]

Both sides are processes of their own that hold the same frames in memory: 5 videos of 2,000 frames with 2 or 3 annotated boxes
and as many predictions. They take turns, three times; medians count. The reference is timed for updating (nested lists, its
format) and computing what it can: video-wise AP of i and ivt, and the association. Ours is timed for checking and computing from
flat arrays; a row with the conversion from nested lists tells what that costs. ivtdmetrics is in no package registry: its time is
taken as that of ivtmetrics in the same run times 2.85 / 0.88, as both were measured on one machine, and our rows compute what
it computes: i, v, t, ivt, video-wise and global, AP at 0.5 and 50:95, best confidence, and the association. Threads are held to one.
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
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

MAP = Path(__file__).parents[1] / "tests/data/vocabulary/ivt_map.csv"
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
SIZES = {"ivt": 100, "i": 6, "v": 10, "t": 15}
IVTD_TO_IVT = 2.85 / 0.88
RUNS = 3


def study(videos: int, frames: int, seed: int = 1) -> np.ndarray:
    """Return rows [side, video, frame, ivt, i, v, t, score, x, y, w, h]: common classes first, predictions shifted by 2 % of the image."""
    rng = np.random.default_rng(seed)
    parts = np.loadtxt(MAP, delimiter=",", skiprows=1, usecols=(1, 2, 3), dtype=np.int64, quotechar='"')
    weights = 1 / np.arange(1, 101) ** 0.9
    counts = rng.integers(2, 4, videos * frames)
    place = np.repeat(np.arange(videos * frames), counts)
    ids = rng.choice(100, len(place), p=weights / weights.sum())
    boxes = np.concatenate([rng.uniform(0, 0.6, (len(place), 2)), rng.uniform(0.1, 0.4, (len(place), 2))], axis=1)
    shifted = boxes + rng.normal(0, 0.02, boxes.shape)
    shared = np.column_stack([place // frames, place % frames, ids, parts[ids]])
    truth = np.column_stack([np.zeros(len(place)), shared, np.ones(len(place)), boxes])
    found = np.column_stack([np.ones(len(place)), shared, rng.uniform(0, 1, len(place)), shifted])
    return np.concatenate([truth, found])


def nested(rows: np.ndarray, videos: int, frames: int, columns: list[int]) -> list[list[list[list[list[float]]]]]:
    """Return rows by side, video and frame, with some of their columns."""
    sides: list[Any] = [[[[] for _ in range(frames)] for _ in range(videos)] for _ in range(2)]
    for row in rows.tolist():
        sides[int(row[0])][int(row[1])][int(row[2])].append([row[column] for column in columns])
    return sides


class Reference:
    """The published package."""

    def __init__(self, rows: np.ndarray, videos: int, frames: int) -> None:
        self.truth, self.found = nested(rows, videos, frames, [3, 4, 7, 8, 9, 10, 11])

    def ivtmetrics(self) -> dict[str, float]:
        """Return what it computes."""
        from ivtmetrics.detection import Detection

        one = Detection(100, 6)
        for truth, found in zip(self.truth, self.found, strict=True):
            one.update(truth, found)
            one.video_end()
        ivt, i = one.compute_video_AP("ivt"), one.compute_video_AP("i")
        return {"ivt": float(ivt["mAP"]), "i": float(i["mAP"]), "lm": float(ivt["lm"])}


class Ours:
    """What scrubin returns."""

    def __init__(self, rows: np.ndarray, videos: int, frames: int) -> None:
        self.nested = nested(rows, videos, frames, [3, 4, 5, 6, 7, 8, 9, 10, 11])
        self.lengths = [frames] * videos
        self.flat = self.study_of(rows)

    def study_of(self, rows: np.ndarray) -> Any:
        """Return rows as the library takes them."""
        from scrubin.evaluate.metrics.detection import BoxRows, BoxStudy

        def side(own: np.ndarray) -> BoxRows:
            return BoxRows(own[:, 1], own[:, 2], {name: own[:, 3 + at] for at, name in enumerate(SIZES)}, own[:, 8:], own[:, 7])

        names = [str(number) for number in range(len(self.lengths))]
        return BoxStudy(names, self.lengths, SIZES, side(rows[rows[:, 0] == 0]), side(rows[rows[:, 0] == 1]))

    def ivtmetrics(self) -> dict[str, float]:
        """Return the same numbers, paper semantics."""
        return self._paper(self.flat)

    def ivtmetrics_nested(self) -> dict[str, float]:
        """Return the same numbers from nested lists."""
        sides = []
        for which, side in enumerate(self.nested):
            counts = np.array([len(own) for video in side for own in video])
            place = np.repeat(np.arange(len(counts)), counts)
            rows = np.array(list(chain.from_iterable(chain.from_iterable(side))))
            frames = self.lengths[0]
            sides.append(np.column_stack([np.full(len(place), which), place // frames, place % frames, rows]))
        return self._paper(self.study_of(np.concatenate(sides)))

    def _paper(self, given: Any) -> dict[str, float]:
        from scrubin.evaluate.metrics.detection import checked
        from scrubin.evaluate.metrics.detection.association import association
        from scrubin.evaluate.metrics.detection.average_precision import average_precision

        scene = checked(given)
        numbers = {name: average_precision(scene, name, interpolation="11-point").overall.value for name in ("ivt", "i")}
        return {**numbers, "lm": association(scene)["LM"].overall.value}

    def ivtmetrics_compat(self) -> dict[str, float]:
        """Return the same numbers, quirks included."""
        from scrubin.evaluate.metrics.detection import compat_ivtmetrics

        one = compat_ivtmetrics.of_videos(self.flat)
        ivt, i = one.compute_video_ap("ivt"), one.compute_video_ap("i")
        return {"ivt": ivt["AP"].overall.value, "i": i["AP"].overall.value, "lm": ivt["lm"].overall.value}

    def ivtdmetrics(self) -> dict[str, float]:
        """Return what ivtdmetrics computes, paper semantics."""
        from scrubin.evaluate.metrics.detection import checked
        from scrubin.evaluate.metrics.detection.association import association
        from scrubin.evaluate.metrics.detection.average_precision import at_best_confidence, average_precision, average_precision_range
        from scrubin.evaluate.metrics.variants import BOX_SCOPES

        scene = checked(self.flat)
        numbers: dict[str, float] = {}
        for name in SIZES:
            for scope in BOX_SCOPES:
                numbers[f"{name} {scope}"] = average_precision(scene, name, interpolation="101-point linear", scope=scope).overall.value
                numbers[f"{name} {scope} range"] = average_precision_range(
                    scene, name, interpolation="101-point linear", scope=scope
                ).overall.value
                numbers[f"{name} {scope} F1"] = at_best_confidence(scene, name, scope=scope).f1.overall.value
        return {**numbers, "lm": association(scene)["LM"].overall.value}

    def ivtdmetrics_compat(self) -> dict[str, float]:
        """Return what ivtdmetrics computes, quirks included."""
        from scrubin.evaluate.metrics.detection import compat_ivtdmetrics

        one = compat_ivtdmetrics.of_videos(self.flat)
        numbers = {name: one.compute_video_ap(name)["AP"].overall.value for name in SIZES}
        return {**numbers, **{f"{name} global": one.compute_global_ap(name)["AP"].overall.value for name in SIZES}}


def serve(side: str, file: Path, videos: int, frames: int) -> None:
    """Answer each line with the name of a step by [seconds, numbers]."""
    import warnings

    warnings.simplefilter("ignore")
    worker: Any = {"ours": Ours, "reference": Reference}[side](np.load(file), videos, frames)
    for line in sys.stdin:
        begin = time.perf_counter()
        numbers = getattr(worker, line.strip())()
        print(json.dumps([time.perf_counter() - begin, numbers]), flush=True)


def started(python: str, side: str, file: Path, videos: int, frames: int) -> Callable[[str], list[Any]]:
    """Return a question to a new process."""
    command = [python, __file__, "--serve", side, "--file", str(file), "--videos", str(videos), "--frames", str(frames)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **ONE_THREAD})
    assert process.stdin is not None
    assert process.stdout is not None
    to, back = process.stdin, process.stdout

    def ask(step: str) -> list[Any]:
        to.write(step + "\n")
        to.flush()
        answer = back.readline()
        if not answer:
            sys.exit(f"the process of {side} ended; see its message above")
        return json.loads(answer)

    return ask


def main() -> None:
    """Print one row per step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", default=sys.executable, help="a Python with ivtmetrics 0.1.5 (default: this one)")
    parser.add_argument("--videos", type=int, default=5)
    parser.add_argument("--frames", type=int, default=2000, help="frames of a video (default 2000)")
    parser.add_argument("--serve", choices=["ours", "reference"], help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve, given.file, given.videos, given.frames)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "rows.npy")
        np.save(file, study(given.videos, given.frames))
        theirs = started(given.reference, "reference", file, given.videos, given.frames)
        ours = started(sys.executable, "ours", file, given.videos, given.frames)
        steps = ("ivtmetrics", "ivtmetrics_nested", "ivtmetrics_compat", "ivtdmetrics", "ivtdmetrics_compat")
        theirs("ivtmetrics")  # imports, as below
        for step in steps:
            ours(step)
        times: dict[str, list[float]] = {step: [] for step in ("theirs", *steps)}
        numbers: dict[str, dict[str, float]] = {}
        for _ in range(RUNS):
            for step in steps:
                seconds, numbers[step] = ours(step)
                times[step].append(seconds)
                if step == "ivtmetrics":
                    seconds, numbers["theirs"] = theirs(step)
                    times["theirs"].append(seconds)
    reference = median(times["theirs"])
    print(f"ivtmetrics 0.1.5: {reference:.3f} s {spread(times['theirs'])}; ivtdmetrics by ratio: {reference * IVTD_TO_IVT:.3f} s")
    titles = (
        "ivtmetrics' numbers, paper",
        "the same from nested lists",
        "ivtmetrics' numbers, compat",
        "ivtdmetrics' numbers, paper",
        "compat",
    )
    for step, title in zip(steps, titles, strict=True):
        base = reference * (IVTD_TO_IVT if step.startswith("ivtd") else 1)
        print(f"{title:30}{median(times[step]):>8.4f} s {spread(times[step]):20}{base / median(times[step]):>7.1f}x")
    apart = max(abs(numbers["theirs"][key] - numbers["ivtmetrics_compat"][key]) for key in numbers["theirs"])
    print(f"largest difference of compat to ivtmetrics: {apart:.1e}")


def spread(seconds: list[float]) -> str:
    """Return the range of times."""
    return f"({min(seconds):.3f} to {max(seconds):.3f})"


if __name__ == "__main__":
    main()
