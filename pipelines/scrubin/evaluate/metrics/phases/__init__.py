"""What phase metrics take: per video one phase per frame, annotated against predicted, counted in confusion matrices.

Source: section 3.2, C(v): rows are annotated, columns predicted phases; section 3.3.4: pooled over the videos hardly anything is undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.bootstrap import drawn_names
from scrubin.evaluate.metrics.inputs import each_once, unmasked

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PhaseVideo:
    """Annotation and predictions of one video.

    Parameters
    ----------
    name
        Its id; results by video are named after it.
    annotation
        (frames,), phase ids from 0.
    predictions
        (frames,), or (runs, frames) when the experiment was repeated.
    numbers
        (frames,), increasing: which frames of the video these are; None: all of them, from 0.
    """

    name: str
    annotation: npt.ArrayLike
    predictions: npt.ArrayLike
    numbers: npt.ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class Sequences:
    """A checked video.

    Parameters
    ----------
    name
        Its id.
    annotation
        (frames,).
    predictions
        (runs, frames).
    numbers
        (frames,), increasing.
    """

    name: str
    annotation: IntArray
    predictions: IntArray
    numbers: IntArray


def named(phases: int | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the phases, ``0``, ``1`` ... when only their number is given.

    Raises
    ------
    MetricsError
        When there is none, or one comes twice.

    >>> named(3)
    ('0', '1', '2')
    """
    if isinstance(phases, bool | float):
        raise MetricsError(f"the number of phases is {phases}; give a whole number from 1, or the names")
    names = tuple(str(number) for number in range(phases)) if isinstance(phases, int | np.integer) else tuple(phases)
    if not names or len(set(names)) != len(names):
        raise MetricsError(f"the phases are {list(names)}; give at least one, each with a name of its own")
    return names


def checked(videos: Iterable[PhaseVideo], phases: int) -> Iterator[Sequences]:
    """Yield every video checked, one at a time.

    Parameters
    ----------
    videos
        Any iterable, so that only one video needs to be in memory.
    phases
        How many there are: ids are 0 to ``phases - 1``.

    Yields
    ------
    Sequences
        In the order given.

    Raises
    ------
    MetricsError
        When there is no video, a name comes twice, a video has no frames, lengths or numbers of runs differ, or an id is no whole
        number or out of range; names video, run and frame.
    """
    runs: int | None = None
    for video in each_once(videos):
        one = sequences_of(video, phases)
        if runs is not None and len(one.predictions) != runs:
            msg = (
                f"video {video.name} has predictions of {len(one.predictions)} runs, the videos before have {runs}; "
                "every run must hold every video"
            )
            raise MetricsError(msg)
        runs = len(one.predictions)
        yield one


def sequences_of(video: PhaseVideo, phases: int) -> Sequences:
    """Check one video; raises `MetricsError` as `checked`."""
    annotation = _ids(video.annotation, f"video {video.name}: the annotation", phases)
    predictions = np.atleast_2d(_ids(video.predictions, f"video {video.name}: the prediction", phases))
    if annotation.ndim != 1 or predictions.ndim != 2 or len(predictions) == 0:
        msg = (
            f"video {video.name}: the annotation has the shape {annotation.shape} and the predictions {predictions.shape}; "
            "give one id per frame, and predictions of at least one run"
        )
        raise MetricsError(msg)
    if not len(annotation):
        raise MetricsError(f"video {video.name} has no annotated frame; leave it out, or give its annotation")
    if len(annotation) != predictions.shape[1]:
        msg = (
            f"video {video.name}: {len(annotation)} frames are annotated but {predictions.shape[1]} predicted; "
            "predict every annotated frame, at the same rate"
        )
        raise MetricsError(msg)
    given = unmasked(video.numbers, f"video {video.name}: the numbers")
    numbers = np.arange(len(annotation)) if given is None else np.asarray(given, np.int64)
    if numbers.shape != annotation.shape or (np.diff(numbers) <= 0).any():
        raise MetricsError(f"video {video.name}: give the number of every annotated frame, increasing, or none")
    return Sequences(video.name, annotation, predictions, numbers)


def _ids(ids: npt.ArrayLike, what: str, phases: int) -> IntArray:
    try:
        array: npt.NDArray[Any] = np.asarray(unmasked(ids, what))
    except ValueError as error:
        raise MetricsError(f"{what} has rows of different lengths; every run must predict every frame") from error
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iuf":
        raise MetricsError(f"{what} is of type {array.dtype}; give phase ids as whole numbers from 0")
    # The negation catches NaN, which is smaller than nothing.
    wrong = ~((array >= 0) & (array < phases))
    if array.dtype.kind == "f":
        wrong |= array != np.floor(array)
    if wrong.any():
        place = np.argwhere(wrong)[0]
        run = f" of run {place[0]}" if array.ndim == 2 else ""
        msg = (
            f"{what}{run} is {array[tuple(place)]} at frame {place[-1]}; ids are whole numbers from 0 to {phases - 1} "
            "(subtract 1 from a file that counts from 1)"
        )
        raise MetricsError(msg)
    return array.astype(np.int64, copy=False)


@dataclass(frozen=True, eq=False)
class Confusions:
    """Confusion matrices of all runs and videos.

    They do not grow with the length of the videos.

    Parameters
    ----------
    counts
        (runs, videos, phases annotated, phases predicted), frames.
    videos
        Names of the videos; empty when the frames of all are pooled, the axis then has length 1.
    phases
        Names of the phases.
    further
        How many of them, the last ones, no truth has: what is predicted as one is false, and they are none of the phases that there are.
    """

    counts: IntArray
    videos: tuple[str, ...]
    phases: tuple[str, ...]
    further: int = 0

    @property
    def known(self) -> int:
        """How many phases the truth has."""
        return len(self.phases) - self.further

    @property
    def scope(self) -> str:
        """``video-wise`` or ``frame-wise``."""
        return "video-wise" if self.videos else "frame-wise"

    def take(self, draw: Sequence[int] | IntArray) -> Confusions:
        """Return the videos at these positions, which may repeat: a resample for the bootstrap.

        >>> two = Confusions(np.zeros((1, 2, 1, 1), np.int64), ("a", "b"), ("0",))
        >>> two.take([1, 1]).videos
        ('b#0', 'b#1')
        """
        positions = np.asarray(draw, dtype=np.int64)
        return replace(self, counts=self.counts[:, positions], videos=drawn_names(self.videos, positions))


def confusions_of_videos(videos: Iterable[PhaseVideo], phases: int | Sequence[str]) -> Confusions:
    """Count all videos, one at a time.

    Parameters
    ----------
    videos
        Any iterable; only one video needs to be in memory.
    phases
        Their number or their names.

    Raises
    ------
    MetricsError
        As `videos.checked`.

    >>> confusions_of_videos([PhaseVideo("v", [0, 0, 1], [0, 1, 1])], 2).counts[0, 0].tolist()
    [[1, 1], [0, 1]]
    """
    names = named(phases)
    size = len(names)
    video_names: list[str] = []
    counts: list[IntArray] = []
    for video in checked(videos, size):
        cells = video.annotation * size + video.predictions
        runs = [np.bincount(row, minlength=size * size).reshape(size, size) for row in cells]
        counts.append(np.stack(runs).astype(np.int64, copy=False))
        video_names.append(video.name)
    return Confusions(np.stack(counts, axis=1), tuple(video_names), names)


def pooled_confusions(confusions: Confusions) -> Confusions:
    """Return the confusion matrices summed over the videos, run by run.

    >>> pooled_confusions(confusions_of_videos([PhaseVideo("v", [0, 1], [0, 1]), PhaseVideo("w", [0, 1], [0, 0])], 2)).counts[0, 0].tolist()
    [[2, 0], [1, 1]]
    """
    return replace(confusions, counts=confusions.counts.sum(axis=1, keepdims=True), videos=())
