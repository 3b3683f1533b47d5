"""Global average precision: the frames of all videos in one pool, then the mean over classes; and that of any draw of the videos.

A class is defined when it has a positive in any video. Long videos weigh more than short ones.

For the bootstrap, frames and positives between the thresholds of a class are counted once per video. They add up over videos, and give
the average precision of a pool in which videos repeat or are missing without sorting frames again: to the last bit what sorting gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.metrics.recognition.average_precision import by_class, paper_variant, result
from scrubin.metrics.recognition.components import COMPONENTS, Component, TripletMap, components_named
from scrubin.metrics.recognition.videos import BoolArray, ClassRows, FloatArray, IntArray, TripletVideo, checked
from scrubin.metrics.result import Result, Variant

SCOPE = "global"


class _Pool:
    """Frames of videos: the scores unchanged, the labels as bits, and nothing that grows beside them."""

    def __init__(self) -> None:
        self._videos: list[tuple[npt.NDArray[np.uint8], FloatArray]] = []

    def add(self, rows: ClassRows) -> None:
        """Take one more video."""
        self._videos.append((np.packbits(rows.labels, axis=1), rows.scores))

    def row(self, members: IntArray) -> ClassRows:
        """Return the row (1, frames) of the class that these triplets make up."""
        rows = self.rows(members)
        return ClassRows(np.concatenate([one.labels for one in rows], axis=1), np.concatenate([one.scores for one in rows], axis=1))

    def rows(self, members: IntArray) -> list[ClassRows]:
        """Return the row (1, frames) of the class that these triplets make up, video by video."""
        rows = []
        for bits, scores in self._videos:
            labels = np.unpackbits(np.bitwise_or.reduce(bits[members], axis=0), count=scores.shape[1]).view(np.bool_)
            rows.append(ClassRows(labels[np.newaxis], np.maximum.reduce(scores[members], axis=0)[np.newaxis]))
        return rows

    def average_precision(self, members: Sequence[IntArray]) -> tuple[npt.NDArray[np.float64], IntArray]:
        """Return AP and positives of classes, each made up of some triplets."""
        scored = [by_class(self.row(one)) for one in members]
        return np.concatenate([values for values, _ in scored]), np.concatenate([positives for _, positives in scored])


def pooled(
    videos: Iterable[TripletVideo], triplets: TripletMap, components: Sequence[str] | str = COMPONENTS, *, ignore_null: bool = False
) -> dict[Component, Result]:
    """Return the global average precision of some components.

    Parameters
    ----------
    videos
        Labels and scores of triplets; copied.
    triplets
        Their parts.
    components
        Some of `COMPONENTS`.
    ignore_null
        Leave the null triplets out of ivt; nothing else changes.

    Returns
    -------
    dict
        Per component a result: `overall` the mean over classes, with the classes that are defined; `classes` by id of the
        part, with their positive frames.

    Raises
    ------
    MetricsError
        When there is no video, one is given twice or cannot be used, a component is unknown, or null triplets are to be left
        out and the map does not say which they are.
    """
    wanted = components_named(components)
    for name in wanted:
        triplets.kept(name, ignore_null)
    pool = _Pool()
    for _, rows in checked(videos, len(triplets)):
        pool.add(rows)
    return {name: _of_pool(pool, triplets, name, ignore_null) for name in wanted}


def without_null(counted: Result, triplets: TripletMap) -> Result:
    """Return the global average precision of the triplets that are not null, from that of all.

    Parameters
    ----------
    counted
        As `pooled` returns it for ivt, null triplets counted.
    triplets
        As there.

    Raises
    ------
    MetricsError
        When the map does not say which triplets are null.
    """
    ids = triplets.grouping("ivt").ids[triplets.kept("ivt", ignore_null=True)]
    kept = [counted.classes[str(id_)] for id_ in ids]
    values, positives = np.array([one.value for one in kept]), np.array([one.n for one in kept], dtype=np.int64)
    return result(paper_variant(triplets, "ivt", SCOPE, ignore_null=True), ids, values, positives)


def _of_pool(pool: _Pool, triplets: TripletMap, component: Component, ignore_null: bool) -> Result:
    """Return the global average precision of one component."""
    kept, grouping = triplets.kept(component, ignore_null), triplets.grouping(component)
    values, positives = pool.average_precision([grouping.members[position] for position in kept])
    return result(paper_variant(triplets, component, SCOPE, ignore_null), grouping.ids[kept], values, positives)


@dataclass(frozen=True, eq=False)
class Table:
    """What the global average precision of any draw of videos is made of.

    It takes at most 12 bytes per class and frame, and 20 per positive.

    Parameters
    ----------
    names
        The videos.
    variant
        Of the result.
    ids
        (classes,), of the part.
    steps
        Per class.
    """

    names: tuple[str, ...]
    variant: Variant
    ids: IntArray
    steps: tuple[Steps, ...]

    def take(self, draw: IntArray) -> Result:
        """Return the result of the videos at these positions, which may repeat: what `pooled` returns of them."""
        values, positives = of_draw(self.steps, draw)
        return result(self.variant, self.ids, values, positives)


def tables(
    videos: Iterable[TripletVideo], triplets: TripletMap, components: Sequence[str] | str = COMPONENTS, *, ignore_null: bool = False
) -> dict[Component, Table]:
    """Return per component what the bootstrap of the global average precision needs; parameters and errors as `pooled`."""
    wanted = components_named(components)
    kept = {name: triplets.kept(name, ignore_null) for name in wanted}
    pool, names = _Pool(), []
    for video, rows in checked(videos, len(triplets)):
        names.append(video)
        pool.add(rows)
    by_component = {}
    for name in wanted:
        grouping = triplets.grouping(name)
        steps = tuple(one for position in kept[name] for one in steps_of(pool.rows(grouping.members[position])))
        by_component[name] = Table(tuple(names), paper_variant(triplets, name, SCOPE, ignore_null), grouping.ids[kept[name]], steps)
    return by_component


@dataclass(frozen=True, eq=False)
class Steps:
    """One class in every video. Its memory grows with the frames, not with videos times thresholds.

    Parameters
    ----------
    videos
        How many there are.
    frames
        From each distinct score of a positive up to the next, scores rising.
    positives
        Those among them.
    """

    videos: int
    frames: Tally
    positives: Tally

    def average_precision(self, times: IntArray) -> tuple[float, int]:
        """Return average precision and positives of a pool that holds each video so many times (videos,); NaN without positives."""
        new = self.positives.of_pool(times)
        positives = int(new.sum())
        if not positives:
            return float("nan"), 0
        reached, hits = np.cumsum(self.frames.of_pool(times)[::-1])[::-1], np.cumsum(new[::-1])[::-1]
        there = new > 0
        return float(np.repeat(hits[there] / reached[there], new[there]).sum() / positives), positives


@dataclass(frozen=True, eq=False)
class Tally:
    """How many frames of each video lie between two thresholds; where there are none, nothing stands.

    Parameters
    ----------
    starts
        (thresholds,), where the entries of each begin; each has one, the frame that made it a threshold.
    videos
        (entries,), position of a video.
    counts
        (entries,), its frames.
    """

    starts: IntArray
    videos: IntArray
    counts: npt.NDArray[np.int32]

    def of_pool(self, times: IntArray) -> IntArray:
        """Return the frames by threshold (thresholds,) of a pool that holds each video so many times (videos,)."""
        if not len(self.starts):
            return np.zeros(0, dtype=np.int64)
        return np.add.reduceat(self.counts * times[self.videos], self.starts, dtype=np.int64)


def steps_of(rows: Sequence[ClassRows]) -> list[Steps]:
    """Return the steps of every class of some videos, whose rows are of the same classes."""
    return [_of_class([one.labels[at] for one in rows], [one.scores[at] for one in rows]) for at in range(len(rows[0].labels))]


def of_draw(steps: Sequence[Steps], draw: IntArray) -> tuple[npt.NDArray[np.float64], IntArray]:
    """Return average precision and positives (classes,) of the videos at these positions, which may repeat."""
    if not len(steps):
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    times = np.bincount(draw, minlength=steps[0].videos).astype(np.int64)
    by_class = [one.average_precision(times) for one in steps]
    return np.array([value for value, _ in by_class]), np.array([positives for _, positives in by_class], dtype=np.int64)


def _of_class(labels: Sequence[BoolArray], scores: Sequence[FloatArray]) -> Steps:
    thresholds = np.unique(np.concatenate([score[label] for label, score in zip(labels, scores, strict=True)]))
    # Frames below the lowest threshold count for none.
    bins = [thresholds.searchsorted(score, side="right") - 1 for score in scores]
    own = [one[label] for one, label in zip(bins, labels, strict=True)]
    return Steps(len(scores), _counted([one[one >= 0] for one in bins], len(thresholds)), _counted(own, len(thresholds)))


def _counted(bins: Sequence[IntArray], size: int) -> Tally:
    """Return how often each bin comes in each video."""
    tallies = [np.unique(one, return_counts=True) for one in bins]
    places = np.concatenate([one for one, _ in tallies])
    order = np.argsort(places, kind="stable")
    # A video has fewer frames than would need more.
    counts = np.concatenate([count for _, count in tallies])[order].astype(np.int32)
    videos = np.repeat(np.arange(len(bins)), [len(one) for one, _ in tallies])[order]
    return Tally(np.searchsorted(places[order], np.arange(size)), videos, counts)
