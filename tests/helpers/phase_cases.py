"""Phase recognition: the golden files, and slow literal evaluations to compare with."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np

from scrubin.evaluate.metrics.phases import PhaseVideo

GOLDEN = Path(__file__).parents[1] / "data/metrics/phases"


def golden(case: str) -> dict:
    return json.loads((GOLDEN / f"phase_{case}.json").read_text(encoding="utf-8"))


def ids(digits: str) -> list[int]:
    return [int(digit) for digit in digits]


def golden_videos(videos: list[dict]) -> list[PhaseVideo]:
    """Videos of a golden file; ``pred`` is one run, or a list of runs."""
    return [
        PhaseVideo(one["id"], ids(one["gt"]), [ids(run) for run in one["pred"]] if isinstance(one["pred"], list) else ids(one["pred"]))
        for one in videos
    ]


def number(value: object) -> float:
    """A JSON value: null is undefined, Infinity a text."""
    return math.nan if value is None else float(value)


def numbers(values: list) -> np.ndarray:
    """JSON values, nested to any depth."""
    return np.array([numbers(value) if isinstance(value, list) else number(value) for value in values], dtype=float)


def literal_acceptance(annotation, prediction, start, end, omega, window) -> list[bool]:
    """Whether each prediction counts as correct: the definition, frame by frame and segment by segment."""
    frames = len(annotation)
    bounds = [0, *[t for t in range(1, frames) if annotation[t] != annotation[t - 1]], frames]
    found = []
    for t in range(frames):
        right = prediction[t] == annotation[t]
        for first, after in itertools.pairwise(bounds):
            last, phase = after - 1, annotation[first]
            if window == "segment" and not first <= t <= last:
                continue
            right |= first <= t < first + omega and bool(start[phase][prediction[t]])
            right |= last - omega < t <= last and bool(end[phase][prediction[t]])
        found.append(right)
    return found


def literal_script(annotation, prediction, omega, late, early) -> list[bool]:
    """What the published script takes for correct, one frame at a time."""
    codes = [guess - truth for guess, truth in zip(prediction, annotation, strict=True)]
    frames = len(annotation)
    bounds = [0, *[t for t in range(1, frames) if annotation[t] != annotation[t - 1]], frames]
    for first, after in itertools.pairwise(bounds):
        phase, width = annotation[first], min(omega, after - first)
        for step in range(width):
            if codes[first + step] in late[phase]:
                codes[first + step] = 0
        mask = [codes[after - width + step] in early[phase] for step in range(width)]
        for step in range(width):
            if mask[step]:
                codes[first + step] = 0
    return [code == 0 for code in codes]
