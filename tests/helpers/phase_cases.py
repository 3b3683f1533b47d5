"""Phase recognition: the golden files."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np

from scrubin.evaluate.metrics.phases import PhaseVideo

GOLDEN = Path(__file__).parents[1] / "data/metrics/phases"


@cache
def golden(case: str) -> dict:
    return json.loads((GOLDEN / f"phase_{case}.json").read_text(encoding="utf-8"))


def ids(digits: str) -> list[int]:
    return [int(digit) for digit in digits]


def golden_videos(videos: list[dict], key: str = "id") -> list[PhaseVideo]:
    """Videos of a golden file; ``pred`` is one run, or a list of runs."""
    return [
        PhaseVideo(
            one[key],
            ids(one["gt"]),
            [ids(run) for run in one["pred"]] if isinstance(one["pred"], list) else ids(one["pred"]),
        )
        for one in videos
    ]


def number(value: object) -> float:
    """A JSON value: null is undefined, Infinity a text."""
    return math.nan if value is None else float(value)


def numbers(values: list) -> np.ndarray:
    """JSON values, nested to any depth."""
    return np.array([numbers(value) if isinstance(value, list) else number(value) for value in values], dtype=float)
