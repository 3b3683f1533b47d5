"""Average precision per class, the area under the steps of the precision-recall curve, and the results made of it.

CholecT50 splits and ivtmetrics paper, section 3.1, equation 1: AP = sum over the distinct scores of a class, from the
highest down, of (R_n - R_(n-1)) P_n. Equal scores are one threshold, so the order of frames never matters. A frame with a
positive raises the recall by one of all positives; hence the sum equals the mean, over the positive frames, of the precision
at the score of that frame. That is what is computed: the scores of a class are sorted once, without their labels.

What is undefined for a class is left out of the mean over the classes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.metrics.recognition.components import Component, TripletMap
from scrubin.metrics.recognition.videos import BoolArray, ClassRows, FloatArray, IntArray, TripletVideo, rows_of
from scrubin.metrics.result import Result, Semantics, Value, Variant

# Elements sorted at once: bounds the copy beside the scores.
BLOCK = 1 << 21
METRIC = "triplet recognition AP"


def average_precision(targets: npt.ArrayLike, scores: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], IntArray]:
    """Return the average precision of every column.

    Parameters
    ----------
    targets
        (frames, classes), 0 or 1.
    scores
        (frames, classes), finite; float32 and float64 are compared as they are.

    Returns
    -------
    tuple
        AP (classes,) as float64, NaN where a class has no positive, and the positives (classes,).

    Raises
    ------
    MetricsError
        On wrong shapes, labels that are not 0 or 1, scores that are not finite.

    Examples
    --------
    >>> ap, positives = average_precision([[1, 0], [0, 0], [1, 0]], [[0.9, 0.1], [0.5, 0.2], [0.5, 0.3]])
    >>> ap.round(4).tolist(), positives.tolist()
    ([0.8333, nan], [2, 0])
    """
    return by_class(rows_of(TripletVideo("", targets, scores), place="the matrices given"))


def by_class(rows: ClassRows) -> tuple[npt.NDArray[np.float64], IntArray]:
    """Return the average precision of checked rows, as `average_precision` does."""
    labels, scores = rows.labels, rows.scores
    positives = np.count_nonzero(labels, axis=1).astype(np.int64)
    values = np.full(len(labels), np.nan)
    present = np.flatnonzero(positives)
    step = max(1, BLOCK // max(1, rows.frames))
    for begin in range(0, len(present), step):
        block = present[begin : begin + step]
        values[block] = _of_present(labels[block], scores[block])
    return values, positives


def _of_present(labels: BoolArray, scores: FloatArray) -> npt.NDArray[np.float64]:
    """Return AP of rows that have a positive each; overwrites `scores`."""
    hits = np.split(scores[labels], np.cumsum(np.count_nonzero(labels, axis=1))[:-1])
    scores.sort(axis=1)
    return np.array([_mean_precision(np.sort(own), row) for own, row in zip(hits, scores, strict=True)])


def _mean_precision(hits: npt.NDArray[Any], row: npt.NDArray[Any]) -> float:
    """Return the mean precision at sorted scores of positives among the sorted scores of all frames."""
    ahead = len(hits) - hits.searchsorted(hits)
    reached = len(row) - row.searchsorted(hits)
    return float((ahead / reached).sum() / len(hits))


def variant(
    semantics: Semantics, component: Component, scope: str, classes: int, left_out: Sequence[int] | None, **further: str
) -> Variant:
    """Return the name of an average precision: component, scope, how many classes, and for triplets which are left out as null, if any."""
    options = {"component": component, "scope": scope, "classes": str(classes), **further}
    if component == "ivt":
        options["null"] = "counted" if left_out is None else f"left out ({', '.join(map(str, left_out))})"
    return Variant(METRIC, semantics, options)


def paper_variant(triplets: TripletMap, component: Component, scope: str, ignore_null: bool) -> Variant:
    """Return the name of an average precision of the paper semantics."""
    left_out = (triplets.null or ()) if ignore_null else None
    return variant("paper", component, scope, len(triplets.kept(component, ignore_null)), left_out)


def mean(values: npt.NDArray[np.float64]) -> Value:
    """Return the mean of the defined values and how many they are; NaN with 0 when there is none."""
    defined = values[~np.isnan(values)]
    return Value(math.fsum(defined) / len(defined), len(defined)) if len(defined) else Value(math.nan, 0)


def result(
    name: Variant, ids: IntArray, values: npt.NDArray[np.float64], counts: IntArray, videos: Mapping[str, Value] | None = None
) -> Result:
    """Return a result.

    Parameters
    ----------
    name
        Its variant.
    ids, values, counts
        (classes,): what names each class, its value, and how many positives or videos are behind it.
    videos
        Values by video.
    """
    classes = {str(id_): Value(float(value), int(n)) for id_, value, n in zip(ids, values, counts, strict=True)}
    return Result(name, mean(values), classes, dict(videos or {}))
