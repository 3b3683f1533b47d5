"""Average precision and recall by object keypoint similarity, all ten numbers that COCO prints of key points.

Source: COCO's keypoint challenge, *Metrics*, and pycocotools' ``COCOeval`` of ``keypoints``. The similarity of a prediction with an
annotated instance is the mean over its annotated points of exp(-d^2 / (2 (2 sigma)^2 area)): d is the distance in px, area that of the
instance, and sigma says how far apart two people would place this point. The rules are those of `detection.sizes` with this instead of the
IoU: average precision is the mean over similarities 0.50, 0.55 ... 0.95 and over classes, of the best precision at 101 levels of recall,
over the 20 most confident predictions of a class in a frame; an instance is of medium size from 32 x 32 to 96 x 96 px, and large from
there on.

An annotated instance without a point that counts is ignored: a prediction may take it, and is neither right nor wrong. Its similarity is
as if every point of it lay anywhere in its box, doubled to all sides. A prediction without a box or a mask is as large as the box around
its points: of one point, or of points on one line, that is 0, so it is of no size but "all", where it is false as any other. Predictions of
equal confidence in different frames are one threshold, as everywhere here; COCO lets the order of images decide.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.detection import sizes
from scrubin.evaluate.metrics.detection.sizes import IOUS, ROUNDING, SizedDetections
from scrubin.evaluate.metrics.points import BoolArray, FloatArray, IntArray, PointStudy, check
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result

MOST = 20
"""Predictions of a class in a frame that count."""
SOURCE = "COCO, *Metrics*"
PRECISION = declare(
    "points AP", task="points", kinds=["similarity"], says="average precision by keypoint similarity, as pycocotools has it", source=SOURCE
)
RECALL = declare(
    "points AR", task="points", kinds=["similarity"], says="average recall by keypoint similarity, as pycocotools has it", source=SOURCE
)
EVERY = tuple(range(len(IOUS)))
OF_SIMILARITY = {"0.5:0.95": EVERY, "0.5": EVERY[:1], "0.75": EVERY[5:6]}
BY_SIZE = ("medium", "large")


def matched(study: PointStudy, sigmas: FloatArray) -> SizedDetections:
    """Match the predictions at every similarity and for every size of an instance.

    Parameters
    ----------
    sigmas
        (classes, points), of each point of each class.

    Raises
    ------
    MetricsError
        When arrays do not fit each other, a sigma is not above 0, or an annotated instance has no area.
    """
    check(study)
    counts = np.array([len(names) for names in study.points], np.int64)
    is_point = np.arange(study.most_points) < counts[:, None]
    if sigmas.shape != is_point.shape or not (sigmas[is_point] > 0).all():
        msg = f"sigmas of the shape {sigmas.shape}; give one above 0 for each of {is_point.shape[1]} points of {len(counts)} classes"
        raise MetricsError(msg)
    truth, predictions = study.truth, study.predictions
    if not (np.isfinite(truth.areas_px2) & (truth.areas_px2 > 0)).all():
        raise MetricsError("an annotated instance has no area; the similarity needs one, so give its box or mask, or measure distances")
    classes = truth.classes["i"]
    nowhere: BoolArray = np.logical_not(truth.known.any(axis=1))

    def similarities(true: IntArray, found: IntArray) -> FloatArray:
        if not len(true):
            return np.zeros((len(found), 0))
        own = int(counts[classes[true[0]]])
        squares = _squares(truth.places_px[true, :own], predictions.places_px[found, :own])
        if nowhere[true].any():
            outside = _outside_of_doubled(truth.boxes_px[true], predictions.places_px[found, :own])
            squares = np.where(nowhere[true][None, :, None], outside, squares)
        variances = (2 * sigmas[classes[true[0]], :own]) ** 2
        similar = np.exp(-squares / variances / (truth.areas_px2[true] + np.spacing(1))[None, :, None] / 2)
        counted: BoolArray = truth.known[true, :own] | nowhere[true][:, None]
        means: FloatArray = np.where(counted[None], similar, 0.0).sum(axis=2) / np.maximum(counted.sum(axis=1), 1)
        return means

    around = _areas_around(predictions.places_px, is_point[predictions.classes["i"]])
    areas = (truth.areas_px2, np.where(np.isnan(predictions.areas_px2), around, predictions.areas_px2))
    ignored = truth.crowds | nowhere
    return sizes.decided(truth, predictions, "i", len(counts), study.starts, areas, similarities, ignored=ignored, most=MOST)


def _squares(truth: FloatArray, found: FloatArray) -> FloatArray:
    """Return squared distances, (predictions, annotated, points)."""
    apart = found[:, None] - truth[None]
    squares: FloatArray = (apart**2).sum(axis=3)
    return squares


def _areas_around(places_px: FloatArray, is_point: BoolArray) -> FloatArray:
    """Return the area of the box around the points of each instance in square pixels, (instances,); 0 where they lie on one line."""
    low = np.where(is_point[..., None], places_px, np.inf).min(axis=1, initial=np.inf)
    high = np.where(is_point[..., None], places_px, -np.inf).max(axis=1, initial=-np.inf)
    sides = np.round(np.clip(high - low, 0, None), ROUNDING)
    areas: FloatArray = sides[:, 0] * sides[:, 1]
    return areas


def _outside_of_doubled(boxes_px: FloatArray, found: FloatArray) -> FloatArray:
    """Return squared distances of points from boxes that are doubled to all sides, 0 inside, (predictions, annotated, points)."""
    low, high = boxes_px[:, :2] - boxes_px[:, 2:], boxes_px[:, :2] + 2 * boxes_px[:, 2:]
    places = found[:, None]
    apart = np.maximum(0, low[None, :, None] - places) + np.maximum(0, places - high[None, :, None])
    squares: FloatArray = np.nan_to_num(apart**2, nan=0.0).sum(axis=3)
    return squares


def results(decided: SizedDetections, options: Mapping[str, str], draw: IntArray | None = None) -> list[Result]:
    """Return AP, AP at similarities 0.5 and 0.75, AP by size, and the same five of AR.

    Parameters
    ----------
    decided
        As `matched` returns it.
    options
        What else is to be said of the variants.
    draw
        Positions of videos, which may repeat; None: all.

    Returns
    -------
    list of Result
        `overall` with the number of classes, `classes` with the number of annotated instances.
    """
    drawn = decided.drawn(draw)

    def precision(similarity: str, size: str) -> Result:
        at, own = OF_SIMILARITY[similarity], {**options, "similarity": similarity, "interpolation": "101-point"}
        return decided.result(PRECISION, size, own, lambda rows, size_, count: decided.average(rows, size_, count, at), drawn)

    def recall(similarity: str, size: str) -> Result:
        at, own = OF_SIMILARITY[similarity], {**options, "similarity": similarity, "predictions": str(MOST)}
        return decided.result(RECALL, size, own, lambda rows, size_, count: decided.recall(rows, size_, count, MOST, at), drawn)

    return [
        one
        for kind in (precision, recall)
        for one in (*(kind(name, "all") for name in OF_SIMILARITY), *(kind("0.5:0.95", size) for size in BY_SIZE))
    ]
