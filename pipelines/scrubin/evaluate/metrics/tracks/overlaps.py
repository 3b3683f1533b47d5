"""Which annotated and predicted boxes of a frame overlap: what all metrics of tracks are counted from.

Boxes that overlap nothing are never matched, so that pairs that overlap are all there is to keep. Where no box of a frame has a choice,
the best assignment is known without a search; only crowded frames are searched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scrubin.evaluate.metrics.detection.matching import corners, of_corners
from scrubin.evaluate.metrics.tracks import BoolArray, FloatArray, IntArray, Tracked
from scrubin.evaluate.metrics.tracks.assignment import assigned


@dataclass(frozen=True, eq=False)
class Overlaps:
    """Both sides of a video, or of one class in it, by frame.

    Parameters
    ----------
    truth_frames, predicted_frames
        (boxes,) each, increasing.
    truth_ids, predicted_ids
        (boxes,) each, numbered from 0 without a gap.
    truths, predictions
        (pairs,), rows of the two sides that overlap, by frame, then by row of the truth.
    shares
        (pairs,), IoU, above 0.
    """

    truth_frames: IntArray
    predicted_frames: IntArray
    truth_ids: IntArray
    predicted_ids: IntArray
    truths: IntArray
    predictions: IntArray
    shares: FloatArray

    @property
    def truth_lengths(self) -> IntArray:
        """How many boxes each annotated track has, (tracks,)."""
        return np.bincount(self.truth_ids)

    @property
    def predicted_lengths(self) -> IntArray:
        """How many boxes each predicted track has, (tracks,)."""
        return np.bincount(self.predicted_ids)


def overlaps(truth: Tracked, predictions: Tracked) -> Overlaps:
    """Return what overlaps in the frames of a video."""
    first = np.searchsorted(predictions.frames, truth.frames)
    counts = np.searchsorted(predictions.frames, truth.frames, side="right") - first
    truths = np.repeat(np.arange(len(truth)), counts)
    predicted = np.repeat(first, counts) + np.arange(len(truths)) - np.repeat(np.cumsum(counts) - counts, counts)
    shares = of_corners(corners(truth.boxes)[truths], corners(predictions.boxes)[predicted])
    kept = np.flatnonzero(shares > 0)
    ids = (_numbered(truth.ids), _numbered(predictions.ids))
    return Overlaps(truth.frames, predictions.frames, *ids, truths[kept], predicted[kept], shares[kept])


def of_class(every: Overlaps, of_truth: BoolArray, of_predictions: BoolArray) -> Overlaps:
    """Return what is left of the boxes of one class.

    Parameters
    ----------
    of_truth, of_predictions
        (boxes,) each, which boxes are of the class.
    """
    kept = of_truth[every.truths] & of_predictions[every.predictions]
    rows = (np.cumsum(of_truth) - 1, np.cumsum(of_predictions) - 1)
    return Overlaps(
        every.truth_frames[of_truth],
        every.predicted_frames[of_predictions],
        _numbered(every.truth_ids[of_truth]),
        _numbered(every.predicted_ids[of_predictions]),
        rows[0][every.truths[kept]],
        rows[1][every.predictions[kept]],
        every.shares[kept],
    )


def alone(pairs: Overlaps, eligible: BoolArray) -> BoolArray:
    """Return which pairs are of two boxes that can be matched with each other only, (pairs,).

    Parameters
    ----------
    eligible
        (pairs,), which pairs can be matched at all.
    """
    truths, predictions = pairs.truths[eligible], pairs.predictions[eligible]
    is_alone = np.zeros(len(eligible), np.bool_)
    choices = (np.bincount(truths, minlength=len(pairs.truth_ids)), np.bincount(predictions, minlength=len(pairs.predicted_ids)))
    is_alone[eligible] = (choices[0][truths] == 1) & (choices[1][predictions] == 1)
    return is_alone


@dataclass(frozen=True, eq=False)
class Crowd:
    """The boxes of a frame in which some have a choice.

    Parameters
    ----------
    frame
        Of the video.
    truths, predictions
        First and last row plus one of each side.
    pairs
        Positions of the frame's pairs.
    """

    frame: int
    truths: tuple[int, int]
    predictions: tuple[int, int]
    pairs: IntArray

    def matched(self, of: Overlaps, scores: FloatArray) -> list[int]:
        """Return the positions of pairs that the best assignment has, those of score 0 left out.

        Parameters
        ----------
        scores
            (pairs of the frame,), 0 for what must not be matched.
        """
        (first, last), (begin, end) = self.truths, self.predictions
        matrix = [[0.0] * (end - begin) for _ in range(last - first)]
        rows, columns = (of.truths[self.pairs] - first).tolist(), (of.predictions[self.pairs] - begin).tolist()
        position = {}
        for at, row, column, score in zip(self.pairs.tolist(), rows, columns, scores.tolist(), strict=True):
            matrix[row][column] = score
            position[row, column] = at
        return [position[pair] for pair in assigned(matrix) if matrix[pair[0]][pair[1]] > 0]


def crowds(pairs: Overlaps, eligible: BoolArray, is_alone: BoolArray) -> Iterator[Crowd]:
    """Yield the frames in which a box has a choice, in their order; parameters as of `alone`, and what that returned."""
    frames = pairs.truth_frames[pairs.truths]
    crowded = np.unique(frames[eligible & ~is_alone])
    edges = [np.searchsorted(rows, (crowded, crowded + 1)).T.tolist() for rows in (pairs.truth_frames, pairs.predicted_frames, frames)]
    for frame, truths, predictions, (first, last) in zip(crowded.tolist(), *edges, strict=True):
        yield Crowd(frame, tuple(truths), tuple(predictions), np.arange(first, last))


def _numbered(ids: IntArray) -> IntArray:
    return np.unique(ids, return_inverse=True)[1].reshape(-1).astype(np.int64)
