"""Relaxed metrics by their definition: errors within omega frames of a boundary may be excused.

Source: section 3.3.5, Figure 3 (its crosses are transitions that the workflow allows and the published script does not consider).
The paper advises against them, above all as the published script computes them (`compat`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.bootstrap import drawn_names
from scrubin.evaluate.metrics.phases import BoolArray, FloatArray, IntArray, PhaseVideo, checked, named
from scrubin.evaluate.metrics.phases.averaging import Elements
from scrubin.evaluate.metrics.phases.rates import settled
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.variants import Strategy

XCells = Literal["left out", "accepted"]
# Phase ids of Cholec80: 0 preparation, 1 Calot triangle dissection, 2 clipping and cutting, 3 gallbladder dissection, 4 packaging,
# 5 cleaning and coagulation, 6 retraction.
CHOLEC80_CONSIDERED = ((0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5), (4, 6), (5, 6))
CHOLEC80_CROSSES = ((5, 4), (6, 5))
Window = Literal["segment", "literal"]
Counted = Literal["either", "own"]
AboveOne = Literal["kept", "clipped"]
RelaxedRate = Literal["precision", "recall", "jaccard"]
RELAXED_RATES: tuple[RelaxedRate, ...] = ("precision", "recall", "jaccard")
RELAXED = {
    rate: declare(
        f"phase recognition relaxed {rate}",
        task="phases",
        kinds=["frames"],
        says=f"{rate} where transitions may come a little early or late",
        source="Funke et al. 2023, section 3.3.5",
        column=False,
        ranks=rate == "jaccard",
    )
    for rate in (*RELAXED_RATES, "accuracy")
}


def segments(annotation: IntArray) -> list[tuple[int, int, int]]:
    """Return (phase, start, end) of every segment in order, half open: frames start to end - 1.

    >>> segments(np.array([3, 3, 4]))
    [(3, 0, 2), (4, 2, 3)]
    """
    starts = np.concatenate(([0], np.flatnonzero(np.diff(annotation)) + 1))
    ends = np.append(starts[1:], len(annotation))
    return [(int(annotation[start]), int(start), int(end)) for start, end in zip(starts, ends, strict=True)]


@dataclass(frozen=True, eq=False)
class Tolerance:
    """The matrices of accepted predictions.

    Parameters
    ----------
    name
        For the name of a variant.
    start
        (phases annotated, phases predicted): accepted within the first omega frames of a segment, as a late transition.
    end
        The same within the last omega frames, as an early transition.
    """

    name: str
    start: BoolArray
    end: BoolArray

    def __post_init__(self) -> None:
        shape = self.start.shape
        if len(shape) != 2 or shape[0] != shape[1] or shape != self.end.shape or {self.start.dtype, self.end.dtype} != {np.dtype(bool)}:
            msg = f"tolerance {self.name}: the matrices are {shape} and {self.end.shape}; give two of phases by phases, of bool"
            raise MetricsError(msg)

    @property
    def phases(self) -> int:
        """How many phases."""
        return len(self.start)

    @property
    def described(self) -> str:
        """The name, with the cells of the matrices unless they are those of `cholec80`, so that no two tolerances share a description."""
        for known in (cholec80(x_cells) for x_cells in get_args(XCells)):
            if self.name == known.name and np.array_equal(self.start, known.start) and np.array_equal(self.end, known.end):
                return self.name
        cells = [" ".join(f"{phase}:{other}" for phase, other in np.argwhere(matrix)) or "none" for matrix in (self.start, self.end)]
        return f"{self.name} (start {cells[0]}, end {cells[1]}; {self.phases} phases)"


def from_transitions(name: str, phases: int, transitions: Iterable[tuple[int, int]]) -> Tolerance:
    """Return the matrices that follow from the phases that may come right after another.

    Parameters
    ----------
    name
        For the name of a variant.
    phases
        How many there are.
    transitions
        Pairs (before, after): before is accepted at the start of after, and after at the end of before.

    Raises
    ------
    MetricsError
        When a pair names a phase that does not exist, or one phase twice.
    """
    start, end = np.zeros((phases, phases), dtype=bool), np.zeros((phases, phases), dtype=bool)
    for before, after in transitions:
        if not (0 <= before < phases and 0 <= after < phases) or before == after:
            msg = f"tolerance {name}: the transition from {before} to {after} is none between two of {phases} phases, which count from 0"
            raise MetricsError(msg)
        start[after, before] = end[before, after] = True
    return Tolerance(name, start, end)


def cholec80(x_cells: XCells = "left out") -> Tolerance:
    """Return the matrices of Figure 3, with its crosses left out as in the published script, or accepted.

    >>> [int((cholec80("accepted").start & ~cholec80().start).sum()), int((cholec80("accepted").end & ~cholec80().end).sum())]
    [2, 2]
    """
    if x_cells not in {"left out", "accepted"}:
        raise MetricsError(f"the x cells can be 'left out' or 'accepted', not {x_cells!r}")
    crosses = CHOLEC80_CROSSES if x_cells == "accepted" else ()
    return from_transitions(f"Cholec80, x cells {x_cells}", 7, (*CHOLEC80_CONSIDERED, *crosses))


@dataclass(frozen=True, eq=False)
class Relaxed:
    """Frames counted under relaxed conditions, by run, video and phase.

    Parameters
    ----------
    annotated, predicted
        (runs, videos, phases): frames annotated, and predicted, as the phase.
    true
        Frames where both are.
    annotated_correct, predicted_correct
        Those of ``annotated`` and ``predicted`` whose prediction counts as correct.
    correct
        (runs, videos): frames whose prediction counts as correct.
    frames
        (runs, videos).
    videos, phases
        Names.
    options
        Names of omega, window and tolerance.
    """

    annotated: IntArray
    predicted: IntArray
    true: IntArray
    annotated_correct: IntArray
    predicted_correct: IntArray
    correct: IntArray
    frames: IntArray
    videos: tuple[str, ...]
    phases: tuple[str, ...]
    options: dict[str, str]

    @property
    def relaxed_true(self) -> IntArray:
        """R-TP: frames annotated or predicted as the phase whose prediction counts as correct; the union counts a frame once."""
        return self.annotated_correct + self.predicted_correct - self.true

    @property
    def union(self) -> IntArray:
        """Frames annotated or predicted as the phase."""
        return self.annotated + self.predicted - self.true

    def take(self, draw: IntArray) -> Relaxed:
        """Return the videos at these positions, which may repeat, each under a name of its own: a resample for the bootstrap."""
        columns = ("annotated", "predicted", "true", "annotated_correct", "predicted_correct", "correct", "frames")
        counts: dict[str, IntArray] = {name: getattr(self, name)[:, draw] for name in columns}
        return Relaxed(**counts, videos=drawn_names(self.videos, draw), phases=self.phases, options=self.options)


def accepted(
    annotation: IntArray,
    predictions: IntArray,
    tolerance: Tolerance,
    omega: int,
    window: Window = "segment",
    numbers: IntArray | None = None,
) -> BoolArray:
    """Return which predictions count as correct.

    Parameters
    ----------
    annotation
        (frames,).
    predictions
        (runs, frames).
    tolerance
        Which wrong predictions are accepted at the start and at the end of a segment.
    omega
        Width of both windows in frames: 10 s in the published evaluations.
    window
        ``segment``: windows end with their segment. ``literal``: as the formula is printed, the window of a segment shorter than omega
        reaches into its neighbours.
    numbers
        (frames,), increasing: which frames of the video these are, as omega counts them; None: all of them.

    Returns
    -------
    BoolArray
        (runs, frames).

    >>> prediction = np.array([[3, 5, 4, 4, 3, 3, 3, 4, 6, 3, 4, 4, 6, 5, 6, 5, 4, 6]])  # Figure 4
    >>> excused = accepted(np.array([3, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 6, 6, 6]), prediction, cholec80(), 2)
    >>> "".join("FT"[int(value)] for value in excused[0])
    'TTTTTFFTTTTFFTTTTT'
    """
    correct: BoolArray = predictions == annotation
    at = np.arange(len(annotation)) if numbers is None else numbers
    # Where only every 25th frame is annotated, a segment lasts until 25 frames after the last of it.
    step = int(np.diff(at).min()) if len(at) > 1 else 1
    for phase, start, end in segments(annotation):
        head_end, tail_start = np.searchsorted(at, (at[start] + omega, at[end - 1] + step - omega)).tolist()
        if window == "segment":
            head_end, tail_start = min(head_end, end), max(tail_start, start)
        head, tail = slice(start, head_end), slice(tail_start, end)
        correct[:, head] |= tolerance.start[phase][predictions[:, head]]
        correct[:, tail] |= tolerance.end[phase][predictions[:, tail]]
    return correct


def count(
    videos: Iterable[PhaseVideo],
    omega: int,
    tolerance: Tolerance | None = None,
    *,
    window: Window = "segment",
    phases: tuple[str, ...] = (),
) -> Relaxed:
    """Count all videos under relaxed conditions, one at a time.

    Parameters
    ----------
    videos
        Any iterable.
    omega
        Width of the windows in frames of the video, also where only some are annotated; 0 relaxes nothing.
    tolerance
        Accepted predictions; None: those of Cholec80, crosses left out.
    window
        See `accepted`.
    phases
        Names; numbers when empty.

    Raises
    ------
    MetricsError
        As `videos.checked`; also when omega is no whole number from 0, or names and matrices do not fit.
    """
    allowed = cholec80() if tolerance is None else tolerance
    whole = check_omega(omega)
    names = named(phases or allowed.phases)
    if len(names) != allowed.phases or window not in {"segment", "literal"}:
        msg = (
            f"{len(names)} phases, window {window!r}; the tolerance {allowed.name} has {allowed.phases} phases, "
            "a window is 'segment' or 'literal'"
        )
        raise MetricsError(msg)
    video_names: list[str] = []
    counts: list[dict[str, IntArray]] = []
    for video in checked(videos, len(names)):
        correct = accepted(video.annotation, video.predictions, allowed, whole, window, video.numbers)
        counts.append(_counts(video.annotation, video.predictions, correct, len(names)))
        video_names.append(video.name)
    columns = {field: np.stack([one[field] for one in counts], axis=1) for field in counts[0]}
    options = {
        "scope": "video-wise",
        "omega": f"{whole} frames",
        "window": window,
        "tolerance": allowed.described,
        "phases": str(len(names)),
    }
    return Relaxed(**columns, videos=tuple(video_names), phases=names, options=options)


def check_omega(omega: float) -> int:
    """Return omega as a whole number of frames; raises `MetricsError` when it is none."""
    number = not isinstance(omega, bool) and isinstance(omega, int | float | np.number)
    if not (number and omega >= 0 and float(omega).is_integer()):
        raise MetricsError(f"omega is {omega}; give a whole number of frames from 0, such as 10 for 10 s at 1 frame per second")
    return int(omega)


def elements(
    relaxed: Relaxed, rate: RelaxedRate, strategy: Strategy = "B", *, counted: Counted = "either", above_one: AboveOne = "kept"
) -> Elements:
    """Return a relaxed rate of every run, video and phase.

    Parameters
    ----------
    relaxed
        Counts.
    rate
        Which.
    strategy
        What becomes of undefined values; the published evaluations use ``B``.
    counted
        ``either``: the definition, frames annotated or predicted as the phase, so that precision and recall may exceed 1, and precision
        is infinite for a phase never predicted but excused. ``own``: what the paper calls more reasonable, predicted frames for
        precision and annotated ones for recall; never above 1.
    above_one
        ``kept`` or ``clipped`` to 1, infinity included, before anything is averaged.

    Returns
    -------
    Elements
        Fractions of 1, not percent.
    """
    if rate not in RELAXED_RATES or counted not in {"either", "own"} or above_one not in {"kept", "clipped"}:
        raise MetricsError(f"there is no relaxed {rate!r} counted {counted!r} with values above 1 {above_one!r}")
    numerator, denominator = {
        "jaccard": (relaxed.relaxed_true, relaxed.union),
        "precision": (relaxed.relaxed_true if counted == "either" else relaxed.predicted_correct, relaxed.predicted),
        "recall": (relaxed.relaxed_true if counted == "either" else relaxed.annotated_correct, relaxed.annotated),
    }[rate]
    values = settled(_quotient(numerator, denominator), relaxed.annotated > 0, strategy)
    if above_one == "clipped":
        values = np.minimum(values, 1.0)
    options = {**relaxed.options, "undefined": strategy, "counted": counted, "above one": above_one}
    return Elements(RELAXED[rate], "paper", options, values, relaxed.videos, relaxed.phases)


def accuracy(relaxed: Relaxed) -> Elements:
    """Return the share of frames whose prediction counts as correct, of every run and video."""
    values = (relaxed.correct / relaxed.frames)[..., np.newaxis]
    return Elements(RELAXED["accuracy"], "paper", relaxed.options, values, relaxed.videos, ())


def _quotient(numerator: IntArray, denominator: IntArray) -> FloatArray:
    out = np.where(numerator > 0, np.inf, np.nan)
    np.divide(numerator, denominator, out=out, where=denominator > 0)
    return out


def _counts(annotation: IntArray, predictions: IntArray, correct: BoolArray, phases: int) -> dict[str, IntArray]:
    runs, frames = predictions.shape
    of_runs = np.arange(runs)[:, np.newaxis] * phases
    predicted, annotated = predictions + of_runs, annotation + of_runs

    def tally(cells: IntArray) -> IntArray:
        return np.bincount(cells.ravel(), minlength=runs * phases).reshape(runs, phases).astype(np.int64, copy=False)

    return {
        "annotated": tally(annotated),
        "predicted": tally(predicted),
        "true": tally(predicted[predictions == annotation]),
        "annotated_correct": tally(annotated[correct]),
        "predicted_correct": tally(predicted[correct]),
        "correct": correct.sum(axis=1, dtype=np.int64),
        "frames": np.full(runs, frames, dtype=np.int64),
    }
