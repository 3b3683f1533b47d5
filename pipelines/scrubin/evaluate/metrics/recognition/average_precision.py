"""Average precision per class, the area under the steps of the precision-recall curve: of all frames in one pool, or by video.

CholecT50 splits and ivtmetrics paper, section 3.1, equation 1: AP = sum over the distinct scores of a class, from the
highest down, of (R_n - R_(n-1)) P_n. Equal scores are one threshold, so the order of frames never matters. A frame with a
positive raises the recall by one of all positives; hence the sum equals the mean, over the positive frames, of the precision
at the score of that frame. That is what is computed: the scores of a class are sorted once, without their labels.

What is undefined for a class is left out of the mean over the classes.

A class is defined when it has a positive in any video. Long videos weigh more than short ones.

For the bootstrap, frames and positives between the thresholds of a class are counted once per video. They add up over videos, and give
the average precision of a pool in which videos repeat or are missing without sorting frames again: to the last bit what sorting gives.

CholecT50 splits and ivtmetrics paper, section 3.1, steps i to iii and equation 2. A class is defined in a video where it has
a positive; the mean over videos is of the videos where it is defined, the mean over classes of the classes that are defined
in a video. Videos weigh the same, however long.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.evaluate.metrics.bootstrap import drawn_names
from scrubin.evaluate.metrics.recognition import (
    BoolArray,
    ClassRows,
    FloatArray,
    IntArray,
    TripletMap,
    TripletVideo,
    checked,
    component_named,
    components_named,
    joined,
    part,
    rows_of,
)
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Semantics, Value, Variant, mean_of
from scrubin.evaluate.metrics.variants import COMPONENTS, Component

# Elements sorted at once: bounds the copy beside the scores.
BLOCK = 1 << 21
METRIC = declare(
    "triplet recognition AP",
    task="recognition",
    kinds=["precision"],
    says="average precision of every class, over frames",
    source="Nwoye and Padoy 2022",
    ranks=True,
)


def average_precision(targets: npt.ArrayLike, scores: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], IntArray]:
    """Return the average precision of every column.

    Parameters
    ----------
    targets
        (frames, classes), 0 or 1.
    scores
        (frames, classes), finite; float32 and float64 are compared as they are.

    Returns
    -------
    tuple
        AP (classes,) as float64, NaN where a class has no positive, and the positives (classes,).

    Raises
    ------
    MetricsError
        On wrong shapes, labels that are not 0 or 1, scores that are not finite.

    Examples
    --------
    >>> ap, positives = average_precision([[1, 0], [0, 0], [1, 0]], [[0.9, 0.1], [0.5, 0.2], [0.5, 0.3]])
    >>> ap.round(4).tolist(), positives.tolist()
    ([0.8333, nan], [2, 0])
    """
    return by_class(rows_of(TripletVideo("", targets, scores), place="the matrices given"))


def by_class(rows: ClassRows) -> tuple[npt.NDArray[np.float64], IntArray]:
    """Return the average precision of checked rows, as `average_precision` does."""
    labels, scores = rows.labels, rows.scores
    positives = np.count_nonzero(labels, axis=1).astype(np.int64)
    values = np.full(len(labels), np.nan)
    present = np.flatnonzero(positives)
    step = max(1, BLOCK // max(1, rows.frames))
    for begin in range(0, len(present), step):
        block = present[begin : begin + step]
        values[block] = _of_present(labels[block], scores[block])
    return values, positives


def _of_present(labels: BoolArray, scores: FloatArray) -> npt.NDArray[np.float64]:
    """Return AP of rows that have a positive each; overwrites `scores`."""
    hits = np.split(scores[labels], np.cumsum(np.count_nonzero(labels, axis=1))[:-1])
    scores.sort(axis=1)
    return np.array([_mean_precision(np.sort(own), row) for own, row in zip(hits, scores, strict=True)])


def _mean_precision(hits: npt.NDArray[Any], row: npt.NDArray[Any]) -> float:
    """Return the mean precision at sorted scores of positives among the sorted scores of all frames."""
    ahead = len(hits) - hits.searchsorted(hits)
    reached = len(row) - row.searchsorted(hits)
    return float((ahead / reached).sum() / len(hits))


def variant(
    semantics: Semantics, component: Component, scope: str, classes: int, left_out: Sequence[int] | None, **further: str
) -> Variant:
    """Return the name of an average precision: component, scope, how many classes, and for triplets which are left out as null, if any."""
    options = {"component": component, "scope": scope, "classes": str(classes), **further}
    if component == "ivt":
        options["null"] = "counted" if left_out is None else f"left out ({', '.join(map(str, left_out))})"
    return Variant(METRIC, semantics, options)


def paper_variant(triplets: TripletMap, component: Component, scope: str, ignore_null: bool) -> Variant:
    """Return the name of an average precision of the paper semantics."""
    left_out = (triplets.null or ()) if ignore_null else None
    return variant("paper", component, scope, len(triplets.kept(component, ignore_null)), left_out)


def result(
    name: Variant, ids: IntArray, values: npt.NDArray[np.float64], counts: IntArray, videos: Mapping[str, Value] | None = None
) -> Result:
    """Return a result.

    Parameters
    ----------
    name
        Its variant.
    ids, values, counts
        (classes,): what names each class, its value, and how many positives or videos are behind it.
    videos
        Values by video.
    """
    classes = {str(id_): Value(float(value), int(n)) for id_, value, n in zip(ids, values, counts, strict=True)}
    return Result(name, mean_of(values), classes, dict(videos or {}))


GLOBAL = "global"


class _Pool:
    """Frames of videos: the scores unchanged, the labels as bits, and nothing that grows beside them."""

    def __init__(self) -> None:
        self._videos: list[tuple[npt.NDArray[np.uint8], FloatArray]] = []

    def add(self, rows: ClassRows) -> None:
        """Take one more video."""
        self._videos.append((np.packbits(rows.labels, axis=1), rows.scores))

    def rows(self, members: IntArray) -> list[ClassRows]:
        """Return the row (1, frames) of the class that these triplets make up, video by video."""
        rows = []
        for bits, scores in self._videos:
            labels = np.unpackbits(np.bitwise_or.reduce(bits[members], axis=0), count=scores.shape[1]).view(np.bool_)
            rows.append(ClassRows(labels[np.newaxis], np.maximum.reduce(scores[members], axis=0)[np.newaxis]))
        return rows

    def average_precision(self, members: Sequence[IntArray]) -> tuple[npt.NDArray[np.float64], IntArray]:
        """Return AP and positives of classes, each made up of some triplets."""
        scored = [by_class(joined(self.rows(one))) for one in members]
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
    return result(paper_variant(triplets, "ivt", GLOBAL, ignore_null=True), ids, values, positives)


def _of_pool(pool: _Pool, triplets: TripletMap, component: Component, ignore_null: bool) -> Result:
    """Return the global average precision of one component."""
    kept, grouping = triplets.kept(component, ignore_null), triplets.grouping(component)
    values, positives = pool.average_precision([grouping.members[position] for position in kept])
    return result(paper_variant(triplets, component, GLOBAL, ignore_null), grouping.ids[kept], values, positives)


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
        by_component[name] = Table(tuple(names), paper_variant(triplets, name, GLOBAL, ignore_null), grouping.ids[kept[name]], steps)
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


VIDEO_WISE = "video-wise"


@dataclass(frozen=True, eq=False)
class PerVideo:
    """Average precision of every class in every video; `of_per_video` makes the result of it.

    Parameters
    ----------
    names
        The videos.
    values
        (videos, classes), NaN where undefined.
    positives
        (videos, classes).
    """

    names: tuple[str, ...]
    values: npt.NDArray[np.float64]
    positives: IntArray

    def take(self, draw: IntArray) -> PerVideo:
        """Return the videos at these positions, which may repeat, each under a name of its own: a resample for the bootstrap."""
        return PerVideo(drawn_names(self.names, draw), self.values[draw], self.positives[draw])


class Means:
    """Means of classes over videos, of any number of videos in the memory of one.

    Sums carry what rounding took from them, so that the order of videos does not show in the mean.

    Parameters
    ----------
    classes
        How many classes.
    """

    def __init__(self, classes: int) -> None:
        self.counts: IntArray = np.zeros(classes, dtype=np.int64)
        self._sums = np.zeros(classes)
        self._lost = np.zeros(classes)

    def add(self, values: npt.NDArray[np.float64]) -> None:
        """Take the values (classes,) of one more video; NaN is left out."""
        defined = ~np.isnan(values)
        new = np.where(defined, values, 0.0)
        total = self._sums + new
        # Exact: what the larger of two numbers loses when the smaller is added.
        back = total - self._sums
        self._lost += (self._sums - (total - back)) + (new - back)
        self._sums = total
        self.counts += defined

    def values(self) -> npt.NDArray[np.float64]:
        """Return the means (classes,), NaN where no video was defined."""
        means = np.full(len(self.counts), np.nan)
        np.divide(self._sums + self._lost, self.counts, out=means, where=self.counts > 0)
        return means


def _of_video(
    rows: ClassRows, triplets: TripletMap, components: Sequence[Component]
) -> dict[Component, tuple[npt.NDArray[np.float64], IntArray]]:
    """Return AP and positives of every class of some components in one video."""
    return {name: by_class(rows if name == "ivt" else part(rows, triplets.grouping(name))) for name in components}


def per_video(
    videos: Iterable[TripletVideo], triplets: TripletMap, components: Sequence[str] | str = COMPONENTS
) -> dict[Component, PerVideo]:
    """Return the average precision of every class in every video.

    Parameters
    ----------
    videos
        Labels and scores of triplets; taken one at a time. A video without frames has no defined class.
    triplets
        Their parts.
    components
        Some of `COMPONENTS`.

    Raises
    ------
    MetricsError
        When there is no video, one is given twice or cannot be used, or a component is unknown.
    """
    wanted = components_named(components)
    names: list[str] = []
    by_component: dict[Component, list[tuple[npt.NDArray[np.float64], IntArray]]] = {name: [] for name in wanted}
    for video, rows in checked(videos, len(triplets)):
        names.append(video)
        for name, one in _of_video(rows, triplets, wanted).items():
            by_component[name].append(one)
    return {
        name: PerVideo(tuple(names), np.stack([values for values, _ in one]), np.stack([positives for _, positives in one]))
        for name, one in by_component.items()
    }


def video_wise(
    videos: Iterable[TripletVideo], triplets: TripletMap, components: Sequence[str] | str = COMPONENTS, *, ignore_null: bool = False
) -> dict[Component, Result]:
    """Return the video-wise average precision of some components.

    Parameters
    ----------
    videos, triplets, components
        As for `per_video`.
    ignore_null
        Leave the null triplets out of ivt; nothing else changes.

    Returns
    -------
    dict
        Per component a result: `overall` the mean over classes, with the classes that are defined; `classes` by id of the
        part, with the videos in which each is defined; `videos` the mean over the classes of a video, with their number.

    Raises
    ------
    MetricsError
        As `per_video`; also when null triplets are to be left out and the map does not say which they are.
    """
    wanted = components_named(components)
    for name in wanted:
        triplets.kept(name, ignore_null)
    return {name: of_per_video(one, triplets, name, ignore_null=ignore_null) for name, one in per_video(videos, triplets, wanted).items()}


def of_per_video(one: PerVideo, triplets: TripletMap, component: str, *, ignore_null: bool = False) -> Result:
    """Return the video-wise average precision of values that `per_video` returned, or of a draw of them; as `video_wise`."""
    means, name = Means(one.values.shape[1]), component_named(component)
    for values in one.values:
        means.add(values)
    kept = triplets.kept(name, ignore_null)
    videos = {video: mean_of(values[kept]) for video, values in zip(one.names, one.values, strict=True)}
    variant = paper_variant(triplets, name, VIDEO_WISE, ignore_null)
    return result(variant, triplets.grouping(name).ids[kept], means.values()[kept], means.counts[kept], videos)
