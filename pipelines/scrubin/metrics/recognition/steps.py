"""Global average precision of any draw of videos, from what each video has at the thresholds of a class.

Frames and positives between the thresholds add up over videos. Counted once per video, they give the average precision of a pool in which
videos repeat or are missing without sorting frames again: to the last bit what `average_precision` returns of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from scrubin.metrics.recognition.videos import BoolArray, FloatArray, IntArray, Rows


@dataclass(frozen=True, eq=False)
class Steps:
    """One class in every video. Its memory grows with the frames, not with videos times thresholds.

    Parameters
    ----------
    frames
        (thresholds, videos), sparse: frames from each distinct score of a positive up to the next, scores rising.
    positives
        (thresholds, videos), sparse: positives among them.
    """

    frames: csr_array
    positives: csr_array

    def average_precision(self, times: IntArray) -> tuple[float, int]:
        """Return average precision and positives of a pool that holds each video so many times (videos,); NaN without positives."""
        weights = times.astype(self.frames.dtype)
        new = np.asarray(self.positives @ weights, dtype=np.int64)
        positives = int(new.sum())
        if not positives:
            return float("nan"), 0
        reached, found = np.cumsum(np.asarray(self.frames @ weights, dtype=np.int64)[::-1])[::-1], np.cumsum(new[::-1])[::-1]
        there = new > 0
        return float(np.repeat(found[there] / reached[there], new[there]).sum() / positives), positives


def steps_of(rows: Sequence[Rows]) -> list[Steps]:
    """Return the steps of every class of some videos, whose rows are of the same classes."""
    return [_of_class([one.labels[at] for one in rows], [one.scores[at] for one in rows]) for at in range(len(rows[0].labels))]


def average_precision(steps: Sequence[Steps], draw: IntArray) -> tuple[npt.NDArray[np.float64], IntArray]:
    """Return average precision and positives (classes,) of the videos at these positions, which may repeat."""
    if not len(steps):
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    times = np.bincount(draw, minlength=steps[0].frames.shape[1]).astype(np.int64)
    found = [one.average_precision(times) for one in steps]
    return np.array([value for value, _ in found]), np.array([positives for _, positives in found], dtype=np.int64)


def _of_class(labels: Sequence[BoolArray], scores: Sequence[FloatArray]) -> Steps:
    thresholds = np.unique(np.concatenate([score[label] for label, score in zip(labels, scores, strict=True)]))
    most = len(scores) * max(len(score) for score in scores)
    dtype = np.int32 if most < np.iinfo(np.int32).max else np.int64
    # Frames below the lowest threshold count for none.
    bins = [thresholds.searchsorted(score, side="right") - 1 for score in scores]
    own = [one[label] for one, label in zip(bins, labels, strict=True)]
    return Steps(_counted([one[one >= 0] for one in bins], len(thresholds), dtype), _counted(own, len(thresholds), dtype))


def _counted(bins: Sequence[IntArray], size: int, dtype: type[np.int32 | np.int64]) -> csr_array:
    """Return how often each bin comes in each video (bins, videos)."""
    found = [np.unique(one, return_counts=True) for one in bins]
    videos = np.repeat(np.arange(len(bins)), [len(one) for one, _ in found])
    places = np.concatenate([one for one, _ in found])
    counts = np.concatenate([count for _, count in found]).astype(dtype)
    return csr_array((counts, (places, videos)), shape=(size, len(bins)))
