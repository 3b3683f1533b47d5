"""What recognition metrics take: per video a matrix of labels with one of scores, of triplets or of their parts.

CholecT50 splits and ivtmetrics paper, section 3.2, equation 3. Only parts that occur in a triplet are there, in increasing
order of their ids: of 60 products of instrument and verb in CholecT50, 26.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.inputs import each_once, unmasked
from scrubin.evaluate.metrics.variants import COMPONENTS, Component

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


def joined(rows: Sequence[ClassRows]) -> ClassRows:
    """Return the frames of several videos as those of one."""
    return ClassRows(np.concatenate([one.labels for one in rows], axis=1), np.concatenate([one.scores for one in rows], axis=1))


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
        array = np.asarray(unmasked(values, f"{where}: {what}"))
    except ValueError as error:
        raise MetricsError(f"{where}: {what} have rows of different lengths; give a matrix of frames by classes") from error
    if array.ndim != 2 or array.shape[1] == 0:
        raise MetricsError(f"{where}: {what} have the shape {array.shape}; give a matrix of frames by classes")
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise MetricsError(f"{where}: {what} are of type {array.dtype}; give numbers of at most 64 bits")
    return array


def _labels(targets: npt.NDArray[Any], where: str) -> BoolArray:
    if targets.dtype == np.bool_:
        return targets
    labels: BoolArray = targets == 1
    wrong = ~labels & (targets != 0)
    if wrong.any():
        frame, column = np.argwhere(wrong)[0]
        raise MetricsError(f"{where}: the label of frame {frame}, class {column} is {targets[frame, column]}; labels are 0 or 1")
    return labels


def _finite(scores: npt.NDArray[Any], where: str) -> FloatArray:
    if scores.dtype.kind in "iu" and scores.dtype.itemsize == 8 and scores.size and max(-int(scores.min()), int(scores.max())) > EXACT:
        msg = f"{where}: the scores are whole numbers beyond ±2**53, of which some could not be told apart; give floating-point scores"
        raise MetricsError(msg)
    # The order of all float16 is kept by float32; whole numbers become float64.
    kept = scores if scores.dtype.kind == "f" and scores.dtype.itemsize >= 4 else scores.astype("f4" if scores.dtype.kind == "f" else "f8")
    if not np.isfinite(kept).all():
        frame, column = np.argwhere(~np.isfinite(kept))[0]
        raise MetricsError(f"{where}: the score of frame {frame}, class {column} is {kept[frame, column]}; scores must be finite numbers")
    # A foreign byte order would be sorted slowly.
    return kept.astype(kept.dtype.newbyteorder("="), copy=False)


def _size(array: npt.NDArray[Any]) -> str:
    return f"{array.shape[0]} frames by {array.shape[1]} classes"


CHOLECT50_TRIPLETS, CHOLECT50_NULL = 100, 6


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which triplets make up each class of a component.

    Parameters
    ----------
    ids
        (classes,), increasing: the id of the part; of iv ``verbs * instrument + verb``, of it ``targets * instrument + target``.
    members
        Per class the triplets that share it, increasing.
    """

    ids: IntArray
    members: tuple[IntArray, ...]


@dataclass(frozen=True, eq=False)
class TripletMap:
    """The triplets of a vocabulary by their parts; made by `triplet_map`.

    Parameters
    ----------
    ids
        (triplets, 3): instrument, verb, target of triplet 0, 1, ...
    verbs
        How many verbs the vocabulary has: the step of iv ids.
    targets
        How many targets it has: the step of it ids.
    null
        Triplets that mean no action; None when unknown.
    there
        Triplets that take part where classes without labels count; None: all.
    """

    ids: IntArray
    verbs: int
    targets: int
    null: tuple[int, ...] | None
    there: tuple[int, ...] | None = None

    def __len__(self) -> int:
        """How many triplets."""
        return len(self.ids)

    @cached_property
    def groupings(self) -> dict[Component, Grouping]:
        """The classes of all components."""
        instrument, verb, target = self.ids.T
        keys: dict[Component, IntArray] = {
            "i": instrument,
            "v": verb,
            "t": target,
            "iv": self.verbs * instrument + verb,
            "it": self.targets * instrument + target,
            "ivt": np.arange(len(self.ids)),
        }
        return {name: _grouped(key) for name, key in keys.items()}

    def grouping(self, component: str) -> Grouping:
        """Return the classes of a component; raises `MetricsError` when it is none of `COMPONENTS`."""
        return self.groupings[component_named(component)]

    def takes_part(self, component: Component) -> BoolArray:
        """Return whether each class of a component takes part, (classes,): any of its triplets does; (1,) where all do."""
        return np.ones(1, np.bool_) if self.there is None else self._there[component]

    @cached_property
    def _there(self) -> dict[Component, BoolArray]:
        is_there = np.isin(np.arange(len(self)), self.there or ())
        return {name: np.array([is_there[of].any() for of in one.members], np.bool_) for name, one in self.groupings.items()}

    def kept(self, component: Component, ignore_null: bool) -> IntArray:
        """Return the positions of the classes that count.

        Parameters
        ----------
        component
            One of `COMPONENTS`.
        ignore_null
            Leave out the null triplets. They stay inside the maxima of the other components always, where this does nothing.

        Raises
        ------
        MetricsError
            When the map does not say which triplets are null.
        """
        everything = np.arange(len(self.grouping(component).ids))
        if component != "ivt" or not ignore_null:
            return everything
        if self.null is None:
            raise MetricsError(f"which of the {len(self)} triplets are null is not known; make the map with `null`")
        return np.setdiff1d(everything, np.array(self.null, dtype=np.int64))


def component_named(name: str) -> Component:
    """Return the component of that name; raises `MetricsError` when there is none."""
    if name not in COMPONENTS:
        raise MetricsError(f"there is no component '{name}'; there are {', '.join(COMPONENTS)}")
    return name


def components_named(names: Sequence[str] | str) -> tuple[Component, ...]:
    """Return the components of these names; a text alone is one name, never its letters; raises `MetricsError` for any other."""
    return tuple(component_named(name) for name in ([names] if isinstance(names, str) else names))


def triplet_map(
    ids: npt.ArrayLike, *, verbs: int | None = None, targets: int | None = None, null: Sequence[int] | None = None
) -> TripletMap:
    """Return a map of triplets to their parts.

    Parameters
    ----------
    ids
        (triplets, 3), whole numbers from 0: instrument, verb, target of triplet 0, 1, ...
    verbs, targets
        How many the vocabulary has; None: the largest id in the map + 1.
    null
        The null triplets; None: the last six of a map with 100 triplets, as in CholecT50, else unknown.

    Raises
    ------
    MetricsError
        When the array has another shape, holds anything but whole numbers from 0, or repeats a triplet, or a number given
        does not fit it.

    Examples
    --------
    >>> small = triplet_map([[0, 0, 1], [0, 1, 0], [1, 1, 0]])
    >>> small.grouping("iv").ids.tolist(), small.grouping("v").members
    ([0, 1, 3], (array([0]), array([1, 2])))
    """
    try:
        table = np.asarray(ids)
    except ValueError as error:
        raise MetricsError("the rows of the map of triplets are of different lengths; give instrument, verb and target of each") from error
    if table.ndim != 2 or table.shape[1] != 3 or not len(table) or table.dtype.kind not in "iu" or table.min() < 0:
        msg = f"a map of triplets is a matrix (triplets, 3) of whole numbers from 0, not {table.dtype} of the shape {table.shape}"
        raise MetricsError(msg)
    own = table.astype(np.int64)
    _, first = np.unique(own, axis=0, return_index=True)
    if len(first) < len(own):
        again = int(np.setdiff1d(np.arange(len(own)), first)[0])
        raise MetricsError(f"triplet {again} of the map has the same instrument, verb and target as another one; list each once")
    largest = own.max(axis=0)
    sizes = []
    for name, count, least in (("verbs", verbs, int(largest[1]) + 1), ("targets", targets, int(largest[2]) + 1)):
        if count is not None and count < least:
            msg = f"the map holds {name} up to id {least - 1}, which does not fit {count} {name}; there must be at least {least}"
            raise MetricsError(msg)
        sizes.append(least if count is None else count)
    if null is None:
        none = tuple(range(len(own) - CHOLECT50_NULL, len(own))) if len(own) == CHOLECT50_TRIPLETS else None
    else:
        if any(isinstance(one, bool) or not isinstance(one, int | np.integer) or not 0 <= one < len(own) for one in null):
            raise MetricsError(f"null triplets {list(null)} are not all among the {len(own)} triplets of the map, 0 to {len(own) - 1}")
        none = tuple(sorted({int(one) for one in null}))
    return TripletMap(own, sizes[0], sizes[1], none)


def disentangle(matrix: npt.ArrayLike, triplets: TripletMap, component: str) -> npt.NDArray[Any]:
    """Return labels or scores of a component.

    Parameters
    ----------
    matrix
        (frames, triplets).
    triplets
        The map.
    component
        One of `COMPONENTS`.

    Returns
    -------
    numpy.ndarray
        (frames, classes) of the type given; the classes are ``triplets.grouping(component).ids``.

    Raises
    ------
    MetricsError
        When there are not as many columns as triplets, or the component is unknown.
    """
    values = np.asarray(unmasked(matrix, "the matrix"))
    if values.ndim != 2 or values.shape[1] != len(triplets):
        msg = f"a matrix of the shape {values.shape} does not fit a map of {len(triplets)} triplets; give (frames, {len(triplets)})"
        raise MetricsError(msg)
    if component_named(component) == "ivt":
        return values.copy()
    groups = triplets.grouping(component).members
    return np.stack([values[:, members].max(axis=1) for members in groups], axis=1)


def part(rows: ClassRows, grouping: Grouping) -> ClassRows:
    """Return the rows of a component; those of single triplets are copied."""
    labels = np.empty((len(grouping.ids), rows.frames), dtype=np.bool_)
    scores = np.empty((len(grouping.ids), rows.frames), dtype=rows.scores.dtype)
    for position, members in enumerate(grouping.members):
        np.logical_or.reduce(rows.labels[members], axis=0, out=labels[position])
        np.maximum.reduce(rows.scores[members], axis=0, out=scores[position])
    return ClassRows(labels, scores)


def _grouped(keys: IntArray) -> Grouping:
    ids = np.unique(keys)
    return Grouping(ids, tuple(np.flatnonzero(keys == one) for one in ids))
