"""A small challenge: labels of a few videos as CholecT50 files, and submissions as CholecTriplet2022 files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from scrubin.base.vocabulary import vocabulary

WORDS = vocabulary.load("cholect50")
CLASSES = len(WORDS.triplets)
FRAMES = 20


def labels(seed: int, frames: int, classes: int = 12) -> np.ndarray:
    """Runs of triplets, some frames without any; (frames, 100)."""
    rng = np.random.default_rng(seed)
    made = np.zeros((frames, CLASSES), bool)
    for triplet in rng.choice(CLASSES, classes, replace=False):
        start = int(rng.integers(0, max(1, frames - frames // 4)))
        made[start : start + frames // 4, triplet] = True
    return made


def scores(seed: int, truth: np.ndarray, noise: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.round(1 / (1 + np.exp(-(2.0 * truth + rng.normal(0, noise, truth.shape) - 1))), 6)


def write_labels(
    folder: Path, videos: dict[str, np.ndarray], numbers: dict[str, list[int]] | None = None, box=(0.1, 0.2, 0.3, 0.4)
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, truth in videos.items():
        frames = (numbers or {}).get(name) or list(range(len(truth)))
        found = {
            str(frame): [vector(int(triplet), 7 * at // len(truth), box) for triplet in np.flatnonzero(row)]
            or [[-1] * 14 + [7 * at // len(truth)]]
            for at, (frame, row) in enumerate(zip(frames, truth, strict=True))
        }
        (folder / f"{name}.json").write_text(json.dumps({"fps": 1, "num_frames": len(truth), "annotations": found}))
    return folder


def vector(triplet: int, phase: int, box) -> list:
    instrument, verb, target = WORDS.triplets[triplet]
    return [triplet, instrument, 1, *box, verb, target, -1, -1, -1, -1, -1, phase]


def document(probabilities: np.ndarray, numbers: list[int] | None = None) -> dict:
    frames = numbers if numbers is not None else range(len(probabilities))
    return {str(frame): {"recognition": row.tolist()} for frame, row in zip(frames, probabilities, strict=True)}


def detected(truth: np.ndarray, shift: float = 0.0) -> dict:
    """The boxes of `write_labels` as predictions, so much further to the right."""
    boxes = [[WORDS.triplets[triplet][0], 0.9, 0.1 + shift, 0.2, 0.3, 0.4] for triplet in range(CLASSES)]
    return {
        str(frame): {"detection": [{"triplet": int(triplet), "instrument": boxes[triplet]} for triplet in np.flatnonzero(row)]}
        for frame, row in enumerate(truth)
    }


def write(folder: Path, documents: dict[str, dict]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder
