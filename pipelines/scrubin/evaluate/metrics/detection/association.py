"""Triplet association scores: what became of every detection, of every annotated box.

CholecT50 splits and ivtmetrics paper, section 3.4 and equation 8. Frame by frame, on triplet ids; each detection and each
annotated box counts once. Detections take turns by confidence, in five rounds over what is left:

- LM: a box of its triplet, IoU at least theta;
- pLM: a box of its triplet, any overlap;
- IDS: a box of another triplet, IoU at least theta, while its own triplet is annotated in the frame;
- IDM: a box of another triplet, IoU at least theta, its own triplet not being annotated in the frame;
- MIL: a box of its triplet, anywhere.

Detections that remain are RFP, boxes that remain RFN. Where several boxes will do, the one of largest IoU is taken. The paper does
not say that a box is used up by a detection of another identity: that is our reading, without which a swap of two would count two
IDS and two RFN.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.detection import BoolArray, BoxStudy, IntArray, Scene, checked
from scrubin.evaluate.metrics.detection.matching import (
    Matching,
    best_first,
    by_overlap,
    check_threshold,
    joined,
    keys,
    nothing_yet,
    occurring,
    ranked,
    taken_in_turn,
    turns_of,
)
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Semantics, Value, Variant, exact, mean_over

Score = Literal["LM", "pLM", "IDS", "IDM", "MIL", "RFP", "RFN"]
SCORES: tuple[Score, ...] = get_args(Score)
METRIC = declare(
    "triplet association scores",
    task="detection",
    kinds=["boxes"],
    says="which share of boxes is localised, matched to another box or class, missed or false",
    source="Nwoye and Padoy 2022",
)


def association(
    study: BoxStudy | Scene, *, threshold: float = 0.5, scope: Literal["global", "video-wise"] = "video-wise"
) -> dict[Score, Result]:
    """Return the seven scores as shares of their sum (not percent).

    Parameters
    ----------
    study
        Annotated and predicted boxes with the component ``ivt``.
    threshold
        Theta, the IoU of a localisation.
    scope
        ``global``: counts of all frames; ``video-wise``: the mean over videos of their shares.

    Returns
    -------
    dict
        By score; `overall` the share with the number of cases (global) or of videos (video-wise), `videos` by video with its cases.
        NaN where nothing is annotated or predicted.

    Raises
    ------
    MetricsError
        When the study cannot be used, has no ``ivt``, or the threshold or scope is none.
    """
    scene = checked(study)
    cases = counts(scene, threshold)
    return _shares(cases, scene.names, scope, "paper", {"iou": exact(threshold)})


def counts(study: BoxStudy | Scene, threshold: float = 0.5) -> IntArray:
    """Return the counts (videos, 7), in the order of `SCORES`; errors as `association`."""
    check_threshold(threshold)
    scene = ranked(checked(study))
    if scene.drawn:
        return counts(scene.drawn.source, threshold)[scene.drawn.videos]
    if ("counts", threshold) not in scene.memo:
        scene.memo["counts", threshold] = _counted(scene, threshold)
    known: IntArray = scene.memo["counts", threshold]
    return known


def _counted(scene: Scene, threshold: float) -> IntArray:
    truth, detections = scene.truth, scene.predictions
    of_class = best_first(scene, "ivt")
    localised = taken_in_turn(of_class, of_class.overlaps >= threshold, nothing_yet(scene))
    partly = taken_in_turn(of_class, of_class.overlaps > 0, localised)
    known = occurring(keys(detections, "ivt", scene.size("ivt")), keys(truth, "ivt", scene.size("ivt")))
    switched = _elsewhere(scene, partly, known, threshold)
    missed = _elsewhere(scene, switched, ~known, threshold)
    anywhere = taken_in_turn(of_class, np.ones(len(of_class.overlaps), dtype=np.bool_), missed)
    stages = [localised, partly, switched, missed, anywhere]
    per_video = [np.bincount(detections.videos[new], minlength=len(scene.names)) for new in _new(stages)]
    per_video.append(np.bincount(detections.videos[~anywhere.hits], minlength=len(scene.names)))
    per_video.append(np.bincount(truth.videos[~anywhere.taken], minlength=len(scene.names)))
    return np.stack(per_video, axis=1).astype(np.int64)


def _shares(cases: IntArray, names: tuple[str, ...], scope: str, semantics: Semantics, options: dict[str, str]) -> dict[Score, Result]:
    """Return the results of counts (videos, 7); raises `MetricsError` when there is no such scope."""
    if scope not in ("global", "video-wise"):
        raise MetricsError(f"there is no scope {scope!r}; choose global or video-wise")
    results: dict[Score, Result] = {}
    totals, everything = cases.sum(axis=1).tolist(), int(cases.sum())
    sums = cases.sum(axis=0).tolist()
    for score, column, summed in zip(SCORES, cases.T.tolist(), sums, strict=True):
        videos = {name: _share(case, total) for name, case, total in zip(names, column, totals, strict=True)}
        overall = mean_over(videos.values()) if scope == "video-wise" else _share(summed, everything)
        variant = Variant(METRIC, semantics, {"score": score, "scope": scope, **options})
        results[score] = Result(variant, overall, videos=videos if scope == "video-wise" else {})
    return results


def _share(case: int, total: int) -> Value:
    return Value(case / total if total else math.nan, total)


def _new(stages: list[Matching]) -> list[BoolArray]:
    """Return which detections were served first in each stage."""
    before = [np.zeros_like(stages[0].hits), *(stage.hits for stage in stages[:-1])]
    return [stage.hits & ~earlier for stage, earlier in zip(stages, before, strict=True)]


def _elsewhere(scene: Scene, before: Matching, who: BoolArray, threshold: float) -> Matching:
    """Let detections take boxes of other triplets in their frame."""
    unserved, free = np.flatnonzero(who & ~before.hits), np.flatnonzero(~before.taken)
    places = scene.predictions.places[unserved]
    ones, others = joined(places, scene.truth.places[free])
    ones, others = unserved[ones], free[others]
    turns = np.zeros(len(scene.predictions), dtype=np.int64)
    turns[unserved] = turns_of(places)
    pairs = by_overlap(scene, ones, others, turns)
    return taken_in_turn(pairs, pairs.overlaps >= threshold, before)
