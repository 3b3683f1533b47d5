"""The labels of a recording as a sequence: which phase and which classes each labelled position has, in order of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from scrubin.labels.model import ClassesOf, IntArray, Labels
from scrubin.labels.rows import ID_OF, detected_classes, number_of_classes, phase_vector
from scrubin.labels.suspects.suspect import OfLayer

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
UNKNOWN = -1
MOST_POSITIONS = 5000
"""Phases of every source frame are taken at so many positions at most, and where one begins."""

GOES_ON = 0.5
"""Share of an independent observation that a label is which goes on."""


@dataclass(frozen=True, eq=False)
class LabelSequence:
    """Labels at positions that increase.

    Parameters
    ----------
    recording
        Its name.
    positions
        As numbered by the label files, shape (n,).
    ends
        Half-open end of what each position stands for, shape (n,): the next one, where labels in between are the same.
    phases
        Id of the phase of each position, `UNKNOWN` where there is none, shape (n,).
    is_looked_at
        Whether instances were labelled at a position, shape (n,).
    present
        Whether a class is there, shape (n, classes).
    classes_of
        Whether classes are triplets or instruments.
    period_s
        Seconds of a position; None where nobody says it.
    """

    recording: str
    positions: IntArray
    ends: IntArray
    phases: IntArray
    is_looked_at: Bools
    present: Bools
    classes_of: ClassesOf
    period_s: Fraction | None

    @property
    def layer(self) -> OfLayer:
        """How a layer of its classes is called."""
        return "triplets" if self.classes_of == "ivt" else "instruments"

    def time_s(self, position: int) -> float | None:
        """Return when a position is; None where nobody says it."""
        return None if self.period_s is None else float(position * self.period_s)


def of_labels(labels: Labels, source_fps: Fraction | None, classes_of: ClassesOf | None = None) -> LabelSequence:
    """Return the labels of a recording in order of time.

    Parameters
    ----------
    labels
        Phases and instances by frame, any of them or none.
    source_fps
        Frames per second of the source, where labels are numbered by its frames.
    classes_of
        Which classes are looked at; None: those that the labels have.
    """
    classes_of = classes_of or detected_classes(labels)
    looked_at = np.empty(0, np.int64) if labels.instances is None else labels.instances.positions
    of_phases, phase_ids = np.empty(0, np.int64), np.empty(0, np.int64)
    if labels.phases is not None:
        of_phases, phase_ids = phase_vector(labels.phases)
    positions = np.union1d(looked_at, _some(of_phases, phase_ids, len(looked_at))).astype(np.int64)
    is_looked_at = np.isin(positions, looked_at)
    present = np.zeros((len(positions), number_of_classes(labels.vocabulary, classes_of)), np.bool_)
    if labels.instances is not None:
        known = labels.instances.rows[["position", ID_OF[classes_of]]].dropna().to_numpy(np.int64)
        present[np.searchsorted(positions, known[:, 0]), known[:, 1]] = True
    phases = np.full(len(positions), UNKNOWN, np.int64)
    if len(of_phases):
        at = np.minimum(np.searchsorted(of_phases, positions), len(of_phases) - 1)
        phases = np.where(of_phases[at] == positions, phase_ids[at], UNKNOWN)
    every = np.union1d(of_phases, looked_at)
    # The last labelled position before the next one that is taken.
    following = np.append(positions[1:], every[-1:] + 1)
    ends = every[np.maximum(np.searchsorted(every, following) - 1, 0)] + 1 if len(every) else positions
    period_s = labels.clock.period_s or (None if source_fps is None else 1 / source_fps)
    return LabelSequence(labels.recording, positions, ends, phases, is_looked_at, present, classes_of, period_s)


def gaps_of(positions: IntArray) -> Floats:
    """Return the distance of each position from the one before in the usual step of the recording, at least 1; the first has 1.

    >>> gaps_of(np.array([0, 25, 50, 150])).tolist()
    [1.0, 1.0, 1.0, 4.0]
    """
    distances = np.diff(positions, prepend=positions[:1] - 1)
    usual = float(np.median(distances[1:])) if len(distances) > 1 else 1.0
    return np.asarray(np.maximum(distances / max(usual, 1.0), 1.0))


def weights_of_labels(labels: IntArray | Bools) -> Floats:
    """Return how much each label counts as an observation of its own: 1 where it changes, less where it goes on, of the same shape.

    People label spans: when a label is wrong, the next one is probably wrong, too.

    >>> weights_of_labels(np.array([4, 4, 5])).tolist()
    [1.0, 0.5, 1.0]
    """
    goes_on = np.zeros(labels.shape, np.bool_)
    goes_on[1:] = labels[1:] == labels[:-1]
    return np.where(goes_on, GOES_ON, 1.0)


def _some(positions: IntArray, ids: IntArray, looked_at: int) -> IntArray:
    """Return the positions at which phases are taken."""
    begins = np.flatnonzero(np.diff(ids, prepend=UNKNOWN) != 0)
    if looked_at and len(positions) > 2 * looked_at:
        return positions[begins]
    stride = -(-len(positions) // MOST_POSITIONS)
    return positions if stride <= 1 else positions[np.union1d(begins, np.arange(0, len(positions), stride))]


def runs(keys: Sequence[object]) -> Iterator[tuple[int, int]]:
    """Yield the runs of equal keys that follow each other, half open.

    >>> list(runs(["a", "a", "b"]))
    [(0, 2), (2, 3)]
    """
    first = 0
    for at in range(1, len(keys) + 1):
        if at == len(keys) or keys[at] != keys[first]:
            yield first, at
            first = at
