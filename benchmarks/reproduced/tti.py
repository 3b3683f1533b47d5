"""Confusion matrices that Carlo1109/TTI_Detection prints beside rates: tool-tissue interaction or none, in surgical videos.

A matrix says all about predictions that these rates ask: it is written out again as that many labels and predictions, one video.
"""

from __future__ import annotations

import re
from pathlib import Path

import scoring
from snapshot import Snapshot

COMMIT = "85146d02d9132c5e70f626c88d8702b1a8ecfa0c"
FILE = "Carlo/results.md"
MODELS = ("oracle", "end to end", "fold 1", "fold 2", "fold 3", "fold 4")
MATRIX = re.compile(r"\[\[\s*(\d+)\s+(\d+)\\?\][^\[]*\[\s*(\d+)\s+(\d+)\\?\]")
OPTIONS = (*scoring.PLAIN, "--variant", "scope=frame-wise")
POSITIVE = "1"


def write(matrix: list[int], out: Path) -> tuple[Path, Path]:
    """Write labels and predictions that have a matrix: labelled and predicted 0 and 0, 0 and 1, 1 and 0, 1 and 1."""
    cells = [(labelled, predicted) for labelled in (0, 1) for predicted in (0, 1)]
    sides = out / "truth", out / "predictions"
    for side, folder in enumerate(sides):
        folder.mkdir(parents=True)
        classes = [cell[side] for cell, count in zip(cells, matrix, strict=True) for _ in range(count)]
        rows = "".join(f"{number},{of_frame}\n" for number, of_frame in enumerate(classes))
        (folder / "all.csv").write_text(f"frame,phase_id\n{rows}", encoding="utf-8")
    return sides


def rates(found: scoring.Scores) -> dict[str, float]:
    """Return the rates by the names that they have there."""
    by_class = {rate: found.one(f"phase recognition {rate}", statistic="mean") for rate in ("precision", "recall", "f1")}
    return {
        "accuracy": found.value("phase recognition accuracy", statistic="mean"),
        "precision": float(by_class["precision"]["classes"][POSITIVE]["value"]),
        "recall": float(by_class["recall"]["classes"][POSITIVE]["value"]),
        "F1": float(by_class["f1"]["classes"][POSITIVE]["value"]),
        "F1 macro": float(by_class["f1"]["overall"]["value"]),
        "balanced accuracy": float(by_class["recall"]["overall"]["value"]),
    }


def measure(repository: Path, work: Path) -> dict[str, object]:
    """Compute the rates of all matrices, and of the four folds together."""
    text = (Snapshot(repository, COMMIT).read(FILE) or b"").decode()
    matrices = [[int(cell) for cell in found] for found in MATRIX.findall(text.replace("\\[", "[").replace("\\]", "]"))]
    figures = {}
    folds = []
    for model, matrix in zip(MODELS, matrices, strict=True):
        truth, predictions = write(matrix, work / model)
        figures |= {
            f"{model}, {rate}": value for rate, value in rates(scoring.score(truth, predictions, work / f"{model}.json", *OPTIONS)).items()
        }
        if model.startswith("fold"):
            folds.append(predictions.rename(work / f"run {model}"))
    together = scoring.score(work / "fold 1/truth", folds, work / "folds.json", *OPTIONS)
    figures |= {f"all folds, {rate}": value for rate, value in rates(together).items()}
    figures["all folds, accuracy sd"] = together.value("phase recognition accuracy", statistic="SD over runs")
    return {"figures": figures}
