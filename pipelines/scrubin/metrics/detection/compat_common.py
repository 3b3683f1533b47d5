"""What the published packages have in common: frames in an order of their own, and slots for videos."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Self

import numpy as np

from scrubin.errors import MetricsError
from scrubin.metrics.detection.boxes import corners, of_corners
from scrubin.metrics.detection.matching import Pairs, joined, keys, pairs_of, turns_of
from scrubin.metrics.detection.rows import BoolArray, Boxes, FloatArray, IntArray, Scene

ASSOCIATION = ("lm", "plm", "ids", "idm", "mil", "fp", "fn")


@dataclass(frozen=True, eq=False)
class Tally:
    """Detections of one component in the order in which a package lists them.

    Parameters
    ----------
    classes
        (detections,).
    hits
        (thresholds, detections).
    scores
        (detections,).
    positives
        (classes,), annotated boxes.
    """

    classes: IntArray
    hits: BoolArray
    scores: FloatArray
    positives: IntArray

    def by_class(self) -> Iterator[tuple[int, BoolArray, FloatArray]]:
        """Yield class, hits and scores of every class with detections, keeping their order."""
        order = np.argsort(self.classes, kind="stable")
        hits, scores = self.hits[:, order], self.scores[order]
        bounds = np.searchsorted(self.classes[order], np.arange(len(self.positives) + 1)).tolist()
        for id_, (begin, end) in enumerate(itertools.pairwise(bounds)):
            if end > begin:
                yield id_, hits[:, begin:end], scores[begin:end]


@dataclass(frozen=True, eq=False)
class Counted:
    """What an update adds: a tally per component, and the seven counts of the association."""

    tallies: Mapping[str, Tally]
    cases: IntArray


def nothing(size: int, thresholds: int) -> Tally:
    """Return a tally without detections and annotated boxes."""
    return Tally(np.zeros(0, np.int64), np.zeros((thresholds, 0), np.bool_), np.zeros(0), np.zeros(size, np.int64))


def together(tallies: Sequence[Tally]) -> Tally:
    """Return tallies one after the other."""
    classes, scores = (np.concatenate(parts) for parts in zip(*((one.classes, one.scores) for one in tallies), strict=True))
    hits = np.concatenate([one.hits for one in tallies], axis=1)
    return Tally(classes, hits, scores, np.sum([one.positives for one in tallies], axis=0))


def in_order(scene: Scene) -> Scene:
    """Return the scene with both sides of a frame by falling score, of equal ones the last given first."""

    def sorted_(side: Boxes) -> Boxes:
        return side.taken(np.lexsort((-np.arange(len(side)), -side.scores, side.places)))

    return Scene(scene.names, scene.sizes, scene.starts, sorted_(scene.truth), sorted_(scene.predictions))


def first_fit(scene: Scene, component: str) -> Pairs:
    """Return pairs of one frame and class, for each detection by the order of boxes; the scene must be `in_order`."""
    size = scene.size(component)
    of_detections = keys(scene.predictions, component, size)
    ones, others = joined(of_detections, keys(scene.truth, component, size))
    overlaps = of_corners(corners(scene.truth.boxes)[others], corners(scene.predictions.boxes)[ones])
    return pairs_of(ones, others, overlaps, turns_of(of_detections))


def positives_of(scene: Scene, component: str) -> IntArray:
    """Return annotated boxes per class (classes,)."""
    return np.bincount(scene.truth.classes[component], minlength=scene.size(component)).astype(np.int64)


class Slots:
    """Videos as the packages number them: a slot is opened when the one before is closed, and reset goes back to slot 1.

    >>> slots = Slots()
    >>> slots.close(); slots.reset(); slots.numbers, slots.count
    ([1, 2], 1)
    """

    def __init__(self) -> None:
        self._held: dict[int, list[Counted]] = {}
        self.reset()

    @property
    def numbers(self) -> list[int]:
        """All slots, those that a reset has left behind included."""
        return list(self._held)

    def reset(self) -> None:
        """Begin at slot 1 again; later slots stay until they are opened again."""
        self.count = 0
        self.close()

    def close(self) -> None:
        """Open the next slot."""
        self.count += 1
        self._held[self.count] = []
        self._closed = True

    def add(self, counted: Counted) -> None:
        """Add to the open slot."""
        self._held[self.count].append(counted)
        self._closed = False

    def taken(self, draw: IntArray) -> Slots:
        """Return the closed slots at these positions from 0, in slots of their own; raises `MetricsError` when the open one is in use."""
        if self._held[self.count]:
            msg = "a video is still open; end it before videos are drawn"
            raise MetricsError(msg)
        slots = Slots()
        for at in draw.tolist():
            slots._held[slots.count] = self._held[at + 1]
            slots.close()
        return slots

    def last(self) -> list[Counted]:
        """Return the open slot, or the one closed last; raises `MetricsError` when there is none."""
        number = self.count - 1 if self._closed else self.count
        if number not in self._held:
            msg = "no frames were given since the start or the last reset, so that the published program ends with KeyError: 0"
            raise MetricsError(msg)
        return self._held[number]

    def videos(self) -> list[list[Counted]]:
        """Return the slots up to the open one."""
        return [self._held[number] for number in range(1, self.count + 1)]

    def everything(self) -> list[Counted]:
        """Return what is in any slot."""
        return [counted for slot in self._held.values() for counted in slot]


class Accumulator:
    """What the published accumulators have in common: their slots."""

    def __init__(self) -> None:
        self._slots = Slots()
        self._known: dict[tuple[Hashable, ...], tuple[FloatArray, IntArray]] = {}

    @property
    def video_count(self) -> int:
        """The slot that is open."""
        return self._slots.count

    @property
    def accumulators(self) -> list[int]:
        """All slots; those beyond the open one are left from before a reset."""
        return self._slots.numbers

    def reset(self) -> None:
        """Go back to slot 1; later slots keep counting in `compute_global_ap` until they are opened again."""
        self._slots.reset()

    def reset_global(self) -> None:
        """Do the same as `reset`, as published."""
        self._slots.reset()

    def video_end(self) -> None:
        """Close the video."""
        self._slots.close()

    def association_counts(self) -> list[dict[str, int]]:
        """Return the seven counts of each video up to the open one."""
        return [dict(zip(ASSOCIATION, cases_of(slot).tolist(), strict=True)) for slot in self._slots.videos()]

    def take(self, draw: IntArray) -> Self:
        """Return an accumulator of the closed videos at these positions from 0, which may repeat: a resample for the bootstrap.

        Raises
        ------
        MetricsError
            When the open video has frames.
        """
        drawn = copy(self)
        drawn._slots = self._slots.taken(draw)
        return drawn

    def _once(self, key: tuple[Hashable, ...], compute: Callable[[], tuple[FloatArray, IntArray]]) -> tuple[FloatArray, IntArray]:
        """Return numbers of a video, computed once for all accumulators that were drawn from one another."""
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]


def cases_of(slot: Iterable[Counted]) -> IntArray:
    """Return the summed counts of the association (7,)."""
    cases: IntArray = np.sum([counted.cases for counted in slot] or [np.zeros(len(ASSOCIATION), dtype=np.int64)], axis=0)
    return cases


def shares_of(cases: IntArray) -> FloatArray:
    """Return counts as shares of their sum (7,), NaN when it is 0."""
    total = int(cases.sum())
    return cases / total if total else np.full(len(ASSOCIATION), np.nan)
