"""What recognition metrics take: per video a matrix of labels and one of scores, frames by classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.core.errors import MetricsError
from scrubin.metrics.inputs import each_once

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.int64]
# Whole numbers up to here are float64 exactly.
EXACT = 1 << 53


@dataclass(frozen=True, eq=False)
class TripletVideo:
    """Labels and predictions of one video.

    Parameters
    ----------
    name
        Its id; results by video are named after it.
    targets
        (frames, classes), 0 or 1.
    scores
        (frames, classes), any finite numbers: only their order within a class counts, so logits will do.
    """

    name: str
    targets: npt.ArrayLike
    scores: npt.ArrayLike


@dataclass(frozen=True, eq=False)
class ClassRows:
    """A checked video with one contiguous row per class.

    Parameters
    ----------
    labels
        (classes, frames).
    scores
        (classes, frames), float32 or float64 as given.
    """

    labels: BoolArray
    scores: FloatArray

    @property
    def frames(self) -> int:
        """How many frames it has."""
        return int(self.labels.shape[1])


def rows_of(video: TripletVideo, classes: int | None = None, place: str | None = None) -> ClassRows:
    """Check a video and lay it out by class.

    Parameters
    ----------
    video
        Labels and scores; no frames at all is legal here.
    classes
        How many classes there must be; None takes what comes.
    place
        What messages call it; None: ``video`` and its name.

    Returns
    -------
    Rows
        Copies: later changes to the arrays given do not reach it.

    Raises
    ------
    MetricsError
        When a matrix has not two axes, the two differ in shape, the classes are not that many, a label is neither 0 nor 1,
        or a score is not finite; names the video, the first frame and class.
    """
    where = place or f"video {video.name}"
    targets, scores = _matrix(video.targets, where, "targets"), _matrix(video.scores, where, "scores")
    if targets.shape != scores.shape:
        msg = (
            f"{where}: targets are {_size(targets)} but scores are {_size(scores)}; give one row per frame and one column per class in both"
        )
        raise MetricsError(msg)
    if classes is not None and targets.shape[1] != classes:
        msg = f"{where}: {targets.shape[1]} classes, expected {classes}; the columns must be the triplets of the map, in its order"
        raise MetricsError(msg)
    # Always a copy: a caller may fill the same buffer again with the next frames.
    return ClassRows(np.array(_labels(targets, where).T, order="C"), np.array(_finite(scores, where).T, order="C"))


def checked(videos: Iterable[TripletVideo], classes: int | None) -> Iterator[tuple[str, ClassRows]]:
    """Yield name and rows of every video, one at a time.

    Parameters
    ----------
    videos
        Any iterable, so that only one video needs to be in memory.
    classes
        How many classes each must have; None: as many as the first.

    Yields
    ------
    tuple[str, Rows]
        Name and rows, in the order given.

    Raises
    ------
    MetricsError
        As `rows_of`; also when a name comes twice, or there is no video at all.
    """
    for video in each_once(videos):
        rows = rows_of(video, classes)
        classes = rows.labels.shape[0]
        yield video.name, rows


def _matrix(values: npt.ArrayLike, where: str, what: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError as error:
        msg = f"{where}: {what} have rows of different lengths; give a matrix of frames by classes"
        raise MetricsError(msg) from error
    if array.ndim != 2 or array.shape[1] == 0:
        msg = f"{where}: {what} have the shape {array.shape}; give a matrix of frames by classes"
        raise MetricsError(msg)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        msg = f"{where}: {what} are of type {array.dtype}; give numbers of at most 64 bits"
        raise MetricsError(msg)
    return array


def _labels(targets: npt.NDArray[Any], where: str) -> BoolArray:
    if targets.dtype == np.bool_:
        return targets
    labels: BoolArray = targets == 1
    wrong = ~labels & (targets != 0)
    if wrong.any():
        frame, column = np.argwhere(wrong)[0]
        msg = f"{where}: the label of frame {frame}, class {column} is {targets[frame, column]}; labels are 0 or 1"
        raise MetricsError(msg)
    return labels


def _finite(scores: npt.NDArray[Any], where: str) -> FloatArray:
    if scores.dtype.kind in "iu" and scores.dtype.itemsize == 8 and scores.size and max(-int(scores.min()), int(scores.max())) > EXACT:
        msg = f"{where}: the scores are whole numbers beyond ±2**53, of which some could not be told apart; give floating-point scores"
        raise MetricsError(msg)
    # The order of all float16 is kept by float32; whole numbers become float64.
    kept = scores if scores.dtype.kind == "f" and scores.dtype.itemsize >= 4 else scores.astype("f4" if scores.dtype.kind == "f" else "f8")
    if not np.isfinite(kept).all():
        frame, column = np.argwhere(~np.isfinite(kept))[0]
        msg = f"{where}: the score of frame {frame}, class {column} is {kept[frame, column]}; scores must be finite numbers"
        raise MetricsError(msg)
    # A foreign byte order would be sorted slowly.
    return kept.astype(kept.dtype.newbyteorder("="), copy=False)


def _size(array: npt.NDArray[Any]) -> str:
    return f"{array.shape[0]} frames by {array.shape[1]} classes"
