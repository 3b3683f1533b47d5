"""Average precision per class: the area under the steps of the precision-recall curve.

CholecT50 splits and ivtmetrics paper, section 3.1, equation 1: AP = sum over the distinct scores of a class, from the
highest down, of (R_n - R_(n-1)) P_n. Equal scores are one threshold, so the order of frames never matters. A frame with a
positive raises the recall by one of all positives; hence the sum equals the mean, over the positive frames, of the precision
at the score of that frame. That is what is computed: the scores of a class are sorted once, without their labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.metrics.recognition.videos import BoolArray, FloatArray, IntArray, Rows, Video, rows_of

# Elements sorted at once: bounds the copy beside the scores.
BLOCK = 1 << 21


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
    return by_class(rows_of(Video("", targets, scores), place="the matrices given"))


def by_class(rows: Rows) -> tuple[npt.NDArray[np.float64], IntArray]:
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
    found = len(hits) - hits.searchsorted(hits)
    reached = len(row) - row.searchsorted(hits)
    return float((found / reached).sum() / len(hits))
