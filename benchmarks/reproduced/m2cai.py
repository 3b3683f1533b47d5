"""Predictions of five M2CAI videos by four methods in Cadene/torchnet-m2caiworkflow, the challenge's `Main.m`, and their report.

The labels of M2CAI are not in the repository and not public without a form. Its figure of these predictions draws them: at one
picture element per 2.15 s, but a line of 7 elements has its middle exactly between two seconds, so every transition is known to the
second. Within that second, 25 frames, it is set in the middle.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import comparison
import cv2
import numpy as np
import octave
import scoring
from snapshot import Snapshot

COMMIT = "79bb1123d5ceb21ba9299e60ff209b17ed7aac7e"
PREDICTIONS = "experiments/hmm/hmm0"
METHODS = ("cnn", "cnn_smooth", "hmm", "hmm_off")
VIDEOS = ("02", "09", "10", "13", "27")
PHASES = (
    "TrocarPlacement",
    "Preparation",
    "CalotTriangleDissection",
    "ClippingCutting",
    "GallbladderDissection",
    "GallbladderPackaging",
    "CleaningCoagulation",
    "GallbladderRetraction",
)
FPS = 25
BACKGROUND, GREEN = np.array([0xEA, 0xEA, 0xF2], dtype=float), np.array([85.0, 168.0, 104.0])
LEFT, WIDTH, TOP, HEIGHT, SECONDS = 187.5, 1162.5, 150.0, 1200 / 5.8, 2500
"""Of the five drawings, in picture elements of a figure of 1500 x 1500 with the margins that matplotlib gives it."""


def crossings(picture: np.ndarray, drawing: int) -> list[tuple[float, int]]:
    """Return where the green line goes from a level to the next: time in seconds, and the lower level."""
    bottom = TOP + (1.2 * drawing + 1) * HEIGHT
    across = GREEN - BACKGROUND
    found = []
    for level in range(len(PHASES) - 1):
        first, last = (bottom - (level + part) / 7 * HEIGHT for part in (0.62, 0.38))
        rows = picture[int(np.ceil(first)) : int(last), int(LEFT) : int(LEFT + WIDTH)].astype(float)
        share = ((rows - BACKGROUND) @ across) / (across @ across)
        other = np.abs(rows - BACKGROUND - share[..., None] * across).sum(axis=2)
        green = np.where(other < 40, np.clip(share, 0, 1), 0).mean(axis=0)
        solid = np.flatnonzero(green > 0.9)
        for line in np.split(solid, np.flatnonzero(np.diff(solid) > 2) + 1):
            if line.size >= 4:
                start = line[0] - 2
                weights = green[start : line[-1] + 3]
                middle = float((weights * (np.arange(start, start + weights.size) + 0.5)).sum() / weights.sum()) + int(LEFT) - LEFT
                found.append((middle / WIDTH * SECONDS, level))
    return sorted(found)


def phases_of(picture: np.ndarray, drawing: int, frames: int) -> list[int]:
    """Return the phase of each frame at 25 per second."""
    phase, starts = 0, [(0, 0)]
    for time_s, level in crossings(picture, drawing):
        phase = level + 1 if phase <= level else level
        start = (int(time_s) + 1) * FPS - FPS // 2
        if starts[-1][0] == start:  # over two levels at once
            starts.pop()
        starts.append((start, phase))
    ends = [start for start, _ in starts[1:]] + [frames]
    return [phase for (start, phase), end in zip(starts, ends, strict=True) for _ in range(end - start)]


def write_truth(work: Path) -> Path:
    """Write the labels of the figure in the form of the challenge."""
    picture = cv2.imread(str(work / "theirs/fig/pred.png"))[:, :, ::-1]
    out = work / "raw/annotations"
    out.mkdir(parents=True)
    for drawing, video in enumerate(VIDEOS):
        frames = len((work / f"theirs/hmm/workflow_video_{video}_pred.txt").read_text(encoding="utf-8").splitlines()) - 1
        rows = (f"{frame}\t{PHASES[phase]}\n" for frame, phase in enumerate(phases_of(picture, drawing, frames)))
        (out / f"workflow_video_{video}.txt").write_text("Frame\tPhase\n" + "".join(rows), encoding="utf-8")
    return out


def each_second(source: Path, out: Path) -> Path:
    """Write every 25th row of the files of a folder, as CSV."""
    out.mkdir(parents=True)
    for path in sorted(source.iterdir()):
        rows = [line.split("\t")[1] for line in path.read_text(encoding="utf-8").splitlines()[1:]][::FPS]
        text = "".join(f"{second},{PHASES.index(phase)}\n" for second, phase in enumerate(rows))
        (out / f"{path.stem.removesuffix('_pred')}.csv").write_text(f"frame,phase_id\n{text}", encoding="utf-8")
    return out


def pairs(found: scoring.Scores, theirs: dict[str, np.ndarray]) -> Iterator[tuple[float | None, float]]:
    """Yield numbers of ours beside those of the program's variables."""
    jaccard = found.one("phase recognition relaxed jaccard", statistic="mean over phases")
    yield from zip((jaccard["classes"][phase]["value"] for phase in PHASES), theirs["meanPerPhase"].ravel().tolist(), strict=True)
    yield jaccard["overall"]["value"], float(theirs["meanJacc"].item())
    yield found.value("phase recognition relaxed jaccard", statistic="SD over phases"), float(theirs["stdJacc"].item())
    accuracy = found.one("phase recognition relaxed accuracy", statistic="mean over videos")
    in_their_order = (accuracy["videos"][f"workflow_video_{video}"]["value"] for video in ("02", "10", "27", "09", "13"))
    yield from zip(in_their_order, theirs["acc"].ravel().tolist(), strict=True)
    yield accuracy["overall"]["value"], float(theirs["meanAcc"].item())
    yield found.value("phase recognition relaxed accuracy", statistic="SD over videos"), float(theirs["stdAcc"].item())


def measure(repository: Path, work: Path) -> dict[str, object]:
    """Score the predictions with our program and with theirs, and beside their report."""
    snapshot = Snapshot(repository, COMMIT)
    snapshot.write(PREDICTIONS, work / "theirs")
    snapshot.write("src/main/eval", work / "eval")
    truth = write_truth(work)
    seconds = each_second(truth, work / "seconds/truth")
    figures: dict[str, float] = {}
    both: list[tuple[float | None, float]] = []
    for method in METHODS:
        predictions = work / "theirs" / method
        found = scoring.score(truth, predictions, work / f"{method}.json", "--semantics", "compat")
        place = work / "experiments/hmmval/dirname/hmm"  # where Main.m looks
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(predictions)
        names = ("meanPerPhase", "meanJacc", "stdJacc", "acc", "meanAcc", "stdAcc")
        both += pairs(found, octave.run(work / "eval", "Main", names, work))
        jaccard = found.one("phase recognition relaxed jaccard", statistic="mean over phases")
        figures |= {f"{method} jaccard {phase}": float(jaccard["classes"][phase]["value"]) for phase in PHASES}
        figures[f"{method} jaccard"] = float(jaccard["overall"]["value"])
        figures[f"{method} jaccard sd"] = found.value("phase recognition relaxed jaccard", statistic="SD over phases")
        figures[f"{method} accuracy"] = found.value("phase recognition relaxed accuracy", statistic="mean over videos")
        figures[f"{method} accuracy sd"] = found.value("phase recognition relaxed accuracy", statistic="SD over videos")
        strict = scoring.score(
            seconds,
            each_second(predictions, work / f"seconds/{method}"),
            work / f"{method}_seconds.json",
            *scoring.PLAIN,
            "--vocabulary",
            "m2cai",
        )
        videos = strict.one("phase recognition accuracy", statistic="mean")["videos"]
        figures |= {f"{method} error of video {video}": 100 - 100 * float(videos[f"workflow_video_{video}"]["value"]) for video in VIDEOS}
    return {"figures": figures, "program": comparison.agreement(both), "videos": len(VIDEOS)}
