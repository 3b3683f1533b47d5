"""Triplet detection: the golden files as flat arrays, random studies, and a slow literal matching to compare with."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np

from scrubin.evaluate.metrics.detection import BoxRows, BoxStudy

GOLDEN = Path(__file__).parents[1] / "data/metrics/detection"
CASES = ("basic", "edge", "perfect", "order_a", "order_b", "crowded")
SIZES = {"ivt": 100, "i": 6, "v": 10, "t": 15}
COLUMNS = {"ivt": 0, "i": 1, "v": 3, "t": 4}
ASSOCIATION = ("lm", "plm", "ids", "idm", "mil", "fp", "fn")


def golden(case: str) -> dict:
    return json.loads((GOLDEN / f"ivt_detection_{case}.json").read_text(encoding="utf-8"))


def flat(videos: list[list[dict]], side: str, components=tuple(SIZES)) -> BoxRows:
    """One side of nested frames with rows [triplet, instrument, score, verb, target, x, y, w, h]."""
    nested = [(at, frame, row) for at, video in enumerate(videos) for frame, both in enumerate(video) for row in both[side]]
    table = np.array([row for _, _, row in nested], dtype=float).reshape(len(nested), 9)
    return BoxRows(
        np.array([at for at, _, _ in nested], dtype=int),
        np.array([frame for _, frame, _ in nested], dtype=int),
        {name: table[:, COLUMNS[name]].astype(int) for name in components},
        table[:, 5:],
        table[:, 2],
    )


def study_of(videos: list[list[dict]], components=tuple(SIZES)) -> BoxStudy:
    lengths = [len(video) for video in videos]
    sizes = {name: SIZES[name] for name in components}
    return BoxStudy([str(at) for at in range(len(videos))], lengths, sizes, flat(videos, "gt", components), flat(videos, "pd", components))


def one_frame(gt: list[list], pd: list[list]) -> BoxStudy:
    return study_of([[{"gt": gt, "pd": pd}]])


def numbers(per_class: dict, size: int) -> np.ndarray:
    """A golden class array, in which an absent class is undefined."""
    return np.array([per_class.get(str(id_), math.nan) for id_ in range(size)], dtype=float)


def number(value: float | None) -> float:
    return math.nan if value is None else value
