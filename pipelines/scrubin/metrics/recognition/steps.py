"""Global average precision of any draw of videos, from what each video has at the thresholds of a class.

The frames at or above a score, and the positives among them, add up over videos. Counted once per video, they give the average precision
of a pool in which videos repeat or are missing without sorting frames again: to the last bit what `average_precision` returns of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.metrics.recognition.videos import IntArray, Rows


@dataclass(frozen=True, eq=False)
class Steps:
    """One class in every video.

    Parameters
    ----------
    reached
        (videos, thresholds), frames at or above each distinct score of a positive, scores rising.
    found
        (videos, thresholds), positives among them.
    """

    reached: npt.NDArray[np.int32]
    found: npt.NDArray[np.int32]

    def average_precision(self, times: IntArray) -> tuple[float, int]:
        """Return average precision and positives of a pool that holds each video so many times (videos,); NaN without positives."""
        if not self.reached.shape[1]:
            return float("nan"), 0
        reached, found = times @ self.reached, times @ self.found
        new = found - np.append(found[1:], 0)
        there = new > 0
        positives = int(found[0])
        if not positives:
            return float("nan"), 0
        return float(np.repeat(found[there] / reached[there], new[there]).sum() / positives), positives


def steps_of(rows: Sequence[Rows]) -> list[Steps]:
    """Return the steps of every class of some videos, whose rows are of the same classes."""
    return [_of_class([one.labels[at] for one in rows], [one.scores[at] for one in rows]) for at in range(len(rows[0].labels))]


def average_precision(steps: Sequence[Steps], draw: IntArray) -> tuple[npt.NDArray[np.float64], IntArray]:
    """Return average precision and positives (classes,) of the videos at these positions, which may repeat."""
    if not len(steps):
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    times = np.bincount(draw, minlength=len(steps[0].reached)).astype(np.int64)
    found = [one.average_precision(times) for one in steps]
    return np.array([value for value, _ in found]), np.array([positives for _, positives in found], dtype=np.int64)


def _of_class(labels: Sequence[npt.NDArray[np.bool_]], scores: Sequence[npt.NDArray[np.floating]]) -> Steps:
    own = [np.sort(score[label]) for label, score in zip(labels, scores, strict=True)]
    thresholds = np.unique(np.concatenate(own))
    return Steps(
        np.stack([_at_or_above(np.sort(score), thresholds) for score in scores]), np.stack([_at_or_above(one, thresholds) for one in own])
    )


def _at_or_above(ordered: npt.NDArray[np.floating], thresholds: npt.NDArray[np.floating]) -> npt.NDArray[np.int32]:
    return (len(ordered) - ordered.searchsorted(thresholds)).astype(np.int32)
