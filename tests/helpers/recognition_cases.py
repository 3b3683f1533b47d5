"""Triplet recognition: the map, the golden files, and slow literal evaluations to compare with."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np

from scrubin.evaluate.metrics.recognition import TripletMap, TripletVideo, triplet_map

DATA = Path(__file__).parents[1] / "data"
GOLDEN = DATA / "metrics/recognition"
CASES = ("basic", "ties", "edge", "nonull")


def cholect50() -> TripletMap:
    with (DATA / "vocabulary/ivt_map.csv").open(encoding="utf-8") as file:
        return triplet_map([[int(row["instrument"]), int(row["verb"]), int(row["target"])] for row in csv.DictReader(file)])


def golden(case: str) -> dict:
    return json.loads((GOLDEN / f"ivt_recognition_{case}.json").read_text(encoding="utf-8"))


def golden_videos(case: str) -> list[TripletVideo]:
    with np.load(GOLDEN / f"ivt_recognition_{case}.npz") as held:
        ends = np.cumsum(held["video_lengths"])[:-1]
        targets, scores = np.split(held["targets"], ends), np.split(held["predictions"], ends)
    return [TripletVideo(str(number), labels, own) for number, (labels, own) in enumerate(zip(targets, scores, strict=True))]


def numbers(values: list) -> np.ndarray:
    """JSON values with null for undefined."""
    return np.array([math.nan if value is None else value for value in values], dtype=float)


def literal_ap(labels: np.ndarray, scores: np.ndarray) -> float:
    """Equation 1, threshold by threshold, in exact fractions."""
    positives = int(np.sum(labels))
    if not positives:
        return math.nan
    area, before = Fraction(0), Fraction(0)
    for threshold in sorted(set(scores.tolist()), reverse=True):
        chosen = scores >= threshold
        hits = int(np.sum(labels[chosen]))
        recall = Fraction(hits, positives)
        area += (recall - before) * Fraction(hits, int(np.sum(chosen)))
        before = recall
    return float(area)


def small_map() -> TripletMap:
    """Five triplets of two instruments, three verbs and three targets; the last is null."""
    return triplet_map([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [1, 2, 2]], null=[4])
