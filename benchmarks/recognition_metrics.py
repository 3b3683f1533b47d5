"""Average precision of triplets: how much faster than ivtmetrics 0.1.5, and whether the numbers are the same.

From the repository root, with a Python that has ivtmetrics 0.1.5 (and the scikit-learn and NumPy to compare with):

    .venv/bin/python benchmarks/recognition_metrics.py --reference PYTHON [--videos 45] [--slow-videos 3] [--full]

Both sides are processes of their own that hold the same frames in memory: 45 videos of 2,000 frames and 100 classes. Per
step they take turns, three times; medians count. Our time includes checking the arrays and laying them out by class; theirs
begins after its videos are closed. The components are slow there, so that all six are timed on a few videos (the time of both
grows with the videos) and, with --full, once more on all. The difference is that of the compat semantics for the reference's
scikit-learn. Threads are held to one on both sides.
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
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

COMPONENTS = ("i", "v", "t", "iv", "it", "ivt")
MAP = Path(__file__).parents[1] / "tests/data/vocabulary/ivt_map.csv"
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
RUNS = 3


def study(videos: int, frames: int, dtype: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores (videos, frames, 100): two lanes of segments of 5 to 59 frames, 85 % occupied, common classes first."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 101) ** 0.9
    labels = np.zeros((videos, frames, 100), dtype=np.int64)
    for video in range(videos):
        for _ in range(2):
            begin = 0
            while begin < frames:
                end = begin + int(rng.integers(5, 60))
                if rng.random() < 0.85:
                    labels[video, begin:end, rng.choice(100, p=weights / weights.sum())] = 1
                begin = end
    scores = 1 / (1 + np.exp(-(rng.normal(-3, 1.2, labels.shape) + 2.5 * labels)))
    return labels, scores.astype(dtype)


class Reference:
    """The published package."""

    def __init__(self, labels: np.ndarray, scores: np.ndarray) -> None:
        self.labels, self.scores = labels, scores

    def prepare(self, videos: int) -> None:
        """Take the first videos."""
        from ivtmetrics.recognition import Recognition

        self.recognition = Recognition(100)
        for labels, scores in zip(self.labels[:videos], self.scores[:videos], strict=True):
            self.recognition.update(labels, scores)
            self.recognition.video_end()

    def video(self, components: list[str]) -> dict[str, float]:
        """Return the video-wise mAP of each."""
        return {name: float(self.recognition.compute_video_AP(name)["mAP"]) for name in components}

    def pooled(self, components: list[str]) -> dict[str, float]:
        """Return the global mAP of each."""
        return {name: float(self.recognition.compute_global_AP(name)["mAP"]) for name in components}

    def top_k(self, components: list[str]) -> dict[str, float]:
        """Return the top-5 accuracy of each."""
        return {name: float(self.recognition.topK(5, name)) for name in components}


class Ours:
    """What scrubin returns, paper semantics."""

    release: Any = os.environ.get("REFERENCE_SCIKIT_LEARN")

    def __init__(self, labels: np.ndarray, scores: np.ndarray) -> None:
        from scrubin.evaluate.metrics.recognition import triplet_map

        self.labels, self.scores = labels, scores
        self.triplets = triplet_map(np.loadtxt(MAP, delimiter=",", skiprows=1, usecols=(1, 2, 3), dtype=np.int64, quotechar='"'))

    def prepare(self, videos: int) -> None:
        """Take the first videos."""
        from scrubin.evaluate.metrics.recognition import TripletVideo

        pairs = zip(self.labels[:videos], self.scores[:videos], strict=True)
        self.videos = [TripletVideo(str(number), labels, scores) for number, (labels, scores) in enumerate(pairs)]

    def video(self, components: list[str]) -> dict[str, float]:
        """Return the video-wise mAP of each."""
        from scrubin.evaluate.metrics.recognition.average_precision import video_wise

        return {name: result.overall.value for name, result in video_wise(self.videos, self.triplets, components).items()}

    def pooled(self, components: list[str]) -> dict[str, float]:
        """Return the global mAP of each."""
        from scrubin.evaluate.metrics.recognition.average_precision import pooled

        return {name: result.overall.value for name, result in pooled(self.videos, self.triplets, components).items()}

    def top_k(self, components: list[str]) -> dict[str, float]:
        """Return the top-5 accuracy of each."""
        from scrubin.evaluate.metrics.recognition.top_k import top_k

        return {name: top_k(self.videos, self.triplets, 5, name).result.overall.value for name in components}

    def published_video(self, components: list[str]) -> dict[str, float]:
        """Return what the package returns with the scikit-learn of the reference, not timed."""
        from scrubin.evaluate.metrics.recognition.compat import of_videos

        published = of_videos(self.videos, self.triplets, scikit_learn=self.release)
        return {name: published.compute_video_ap(name).overall.value for name in components}

    def published_pooled(self, components: list[str]) -> dict[str, float]:
        """Return the same of the pooled frames."""
        from scrubin.evaluate.metrics.recognition.compat import of_videos

        published = of_videos(self.videos, self.triplets, scikit_learn=self.release)
        return {name: published.compute_global_ap(name).overall.value for name in components}

    published_top_k = top_k


def serve(side: str, folder: Path) -> None:
    """Answer each line [step, videos, components] with [seconds, numbers]."""
    import warnings

    warnings.simplefilter("ignore")
    labels, scores = np.load(folder / "labels.npy"), np.load(folder / "scores.npy")
    worker: Any = {"ours": Ours, "reference": Reference}[side](labels, scores)
    for line in sys.stdin:
        step, videos, components = json.loads(line)
        worker.prepare(videos)
        begin = time.perf_counter()
        numbers = getattr(worker, step)(components)
        print(json.dumps([time.perf_counter() - begin, numbers]), flush=True)


def started(python: str, side: str, folder: Path, release: str) -> Callable[[list[Any]], list[Any]]:
    """Return a question to a new process."""
    environment = {**os.environ, **ONE_THREAD, "REFERENCE_SCIKIT_LEARN": release}
    command = [python, __file__, "--serve", side, "--folder", str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdin is not None
    assert process.stdout is not None
    to, back = process.stdin, process.stdout

    def ask(question: list[Any]) -> list[Any]:
        to.write(json.dumps(question) + "\n")
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
    parser.add_argument("--videos", type=int, default=45)
    parser.add_argument("--slow-videos", type=int, default=3, help="videos on which all six components are timed three times (default 3)")
    parser.add_argument("--frames", type=int, default=2000, help="frames of a video (default 2000)")
    parser.add_argument("--dtype", default="float32", choices=["float32", "float64"], help="of the scores (default float32)")
    parser.add_argument("--full", action="store_true", help="all six on all videos too, the reference once (minutes)")
    parser.add_argument("--serve", choices=["ours", "reference"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve, given.folder)
        return
    versions = "import numpy, sklearn; print('NumPy', numpy.__version__, 'scikit-learn', sklearn.__version__)"
    found = subprocess.check_output([given.reference, "-c", versions], text=True).strip()
    release = ">=1.6" if tuple(int(part) for part in found.split()[-1].split(".")[:2]) >= (1, 6) else "<=1.5"
    with tempfile.TemporaryDirectory() as folder:
        labels, scores = study(given.videos, given.frames, given.dtype, 0)
        np.save(Path(folder, "labels.npy"), labels)
        np.save(Path(folder, "scores.npy"), scores)
        print(f"reference: {found}; ours: NumPy {np.__version__}")
        print(f"{given.videos} videos of {given.frames} frames, {labels.mean():.2%} of labels positive, {scores.dtype}")
        theirs, ours = started(given.reference, "reference", Path(folder), release), started(sys.executable, "ours", Path(folder), release)
        few = min(given.slow_videos, given.videos)
        print(f"{'':34}{'videos':>7}{'runs':>5}{'theirs s':>10}{'ours s':>9}{'ratio':>9}{'least':>8}{'difference':>12}")
        row("video-wise, ivt alone", theirs, ours, ["video", given.videos, ["ivt"]])
        row("global, ivt alone", theirs, ours, ["pooled", given.videos, ["ivt"]])
        row("video-wise, all six", theirs, ours, ["video", few, COMPONENTS])
        row("global, all six", theirs, ours, ["pooled", few, COMPONENTS])
        row("top-5, ivt alone", theirs, ours, ["top_k", given.videos, ["ivt"]])
        if given.full:
            row("video-wise, all six, theirs once", theirs, ours, ["video", given.videos, COMPONENTS], 1)
            row("global, all six, theirs once", theirs, ours, ["pooled", given.videos, COMPONENTS], 1)


def row(
    name: str, theirs: Callable[[list[Any]], list[Any]], ours: Callable[[list[Any]], list[Any]], question: list[Any], runs: int = RUNS
) -> None:
    """Time one step on both sides in turn; ours at least three times."""
    times: tuple[list[float], list[float]] = ([], [])
    published = ours([f"published_{question[0]}", *question[1:]])[1]
    apart = 0.0
    for turn in range(RUNS):
        mine, _ = ours(question)
        times[1].append(mine)
        if turn < runs:
            other, expected = theirs(question)
            times[0].append(other)
            apart = max(apart, *(abs(published[key] - expected[key]) for key in expected))
    ratio, least = median(times[0]) / median(times[1]), min(times[0]) / max(times[1])
    print(
        f"{name:34}{question[1]:>7}{runs:>5}{median(times[0]):>10.3f}{median(times[1]):>9.3f}{ratio:>8.0f}x{least:>7.0f}x{apart:>12.1e}",
        flush=True,
    )


if __name__ == "__main__":
    main()
