"""Predictions of 40 test videos of Cholec80 in the history of YuemingJin/TMRNet, and the program `Main.m` beside them.

`Main.m` takes the first line of every file for a header. Its own files have none, so it never sees the first frame. Both are
measured: the files whole, and as the program reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import comparison
import numpy as np
import octave
import scoring
from snapshot import Snapshot

COMMIT = "ab1b51ca01bc3254696a60a65c6c2352a6fe3be4"
"""The later commits have no labels and no predictions."""
FOLDER = "code/eval/matlab-phase"
RATES = {"jaccard": "Jacc", "precision": "Prec", "recall": "Rec"}
OPTIONS = (*scoring.PLAIN, "--vocabulary", "cholec80", "--semantics", "compat")
PHASES = (
    "Preparation",
    "CalotTriangleDissection",
    "ClippingCutting",
    "GallbladderDissection",
    "GallbladderPackaging",
    "CleaningCoagulation",
    "GallbladderRetraction",
)


def without_first_line(source: Path, out: Path) -> Path:
    """Write the files of a folder without their first lines."""
    out.mkdir(parents=True)
    for path in sorted(source.iterdir()):
        (out / path.name).write_text(path.read_text(encoding="utf-8").split("\n", 1)[1], encoding="utf-8")
    return out


def summary(found: scoring.Scores) -> dict[str, float]:
    """Return what `Main.m` prints, unrounded."""
    out = {}
    for rate in RATES:
        metric = f"phase recognition relaxed {rate}"
        mean = found.one(metric, statistic="mean over phases")
        out |= {f"{rate} {phase}": float(mean["classes"][phase]["value"]) for phase in PHASES}
        out[f"{rate} mean"] = float(mean["overall"]["value"])
        out[f"{rate} sd"] = found.value(metric, statistic="SD over phases")
    out["accuracy mean"] = found.value("phase recognition relaxed accuracy", statistic="mean over videos")
    out["accuracy sd"] = found.value("phase recognition relaxed accuracy", statistic="SD over videos")
    return out


def pairs(found: scoring.Scores, theirs: dict[str, np.ndarray]) -> Iterator[tuple[float | None, float]]:
    """Yield numbers of ours beside those of the program's variables: per phase, per video and over all."""
    for rate, short in RATES.items():
        metric = f"phase recognition relaxed {rate}"
        mean = found.one(metric, statistic="mean over phases")
        yield from zip((mean["classes"][phase]["value"] for phase in PHASES), theirs[f"mean{short}PerPhase"].ravel().tolist(), strict=True)
        yield from zip(
            (mean["videos"][video]["value"] for video in sorted(mean["videos"])),
            theirs[f"mean{short}PerVideo"].ravel().tolist(),
            strict=True,
        )
        yield mean["overall"]["value"], float(theirs[f"mean{short}"].item())
        yield found.value(metric, statistic="SD over phases"), float(theirs[f"std{short}"].item())
    accuracy = found.one("phase recognition relaxed accuracy", statistic="mean over videos")
    yield from zip(
        (accuracy["videos"][video]["value"] for video in sorted(accuracy["videos"])), theirs["accPerVideo"].ravel().tolist(), strict=True
    )
    yield accuracy["overall"]["value"], float(theirs["meanAcc"].item())
    yield found.value("phase recognition relaxed accuracy", statistic="SD over videos"), float(theirs["stdAcc"].item())


def measure(repository: Path, work: Path) -> dict[str, object]:
    """Score the predictions with our program and with theirs."""
    Snapshot(repository, COMMIT).write(FOLDER, work / "theirs")
    truth, predictions = work / "theirs/gt-phase", work / "theirs/phase"
    whole = scoring.score(truth, predictions, work / "whole.json", *OPTIONS)
    cut = [without_first_line(folder, work / "cut" / folder.name) for folder in (truth, predictions)]
    as_read = scoring.score(*cut, work / "cut.json", *OPTIONS)
    names = [f"mean{short}{of}" for short in RATES.values() for of in ("PerPhase", "PerVideo", "")] + [
        f"std{short}" for short in RATES.values()
    ]
    variables = octave.run(work / "theirs/code", "Main", (*names, "accPerVideo", "meanAcc", "stdAcc"), work / "theirs/code")
    return {
        "figures": summary(as_read),
        "figures with the first frame": summary(whole),
        "program": comparison.agreement(pairs(as_read, variables)),
        "videos": len(list(truth.iterdir())),
    }
