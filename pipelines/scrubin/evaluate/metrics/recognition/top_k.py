"""Top-k accuracy of triplets, with the classes that are recognised best.

CholecTriplet2021 challenge, section on top-k: of all positives of all frames, the part that is among the k highest scores of
its frame. Where scores of a frame tie at the k-th place, the lowest class is taken first; how far another choice could move
the number stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.recognition import ClassRows, TripletMap, TripletVideo, checked, component_named, part
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Value, Variant
from scrubin.evaluate.metrics.variants import Component

METRIC = declare(
    "triplet top-k accuracy",
    task="recognition",
    kinds=["precision"],
    says="share of positives among the k highest scores of their frame",
    source="Nwoye and Padoy 2022",
)


@dataclass(frozen=True)
class TopK:
    """Top-k accuracy.

    Parameters
    ----------
    result
        `overall` with the lowest class first among ties; its n is the number of positives. `videos` the same of each video.
    least, most
        The worst and the best that any choice among ties gives; NaN without positives.
    """

    result: Result
    least: float
    most: float


@dataclass(frozen=True)
class Hits:
    """Positives among the k highest scores: counted as ruled, at least, at most, and all positives there are."""

    ruled: int = 0
    least: int = 0
    most: int = 0
    positives: int = 0

    def __add__(self, other: Hits) -> Hits:
        """Return both together."""
        return Hits(self.ruled + other.ruled, self.least + other.least, self.most + other.most, self.positives + other.positives)

    def share(self, hits: int) -> float:
        """Return hits by positives, NaN without positives."""
        return hits / self.positives if self.positives else float("nan")


def top_k(videos: Iterable[TripletVideo], triplets: TripletMap, k: int, component: str = "ivt") -> TopK:
    """Return the top-k accuracy over all frames of all videos.

    Parameters
    ----------
    videos
        Labels and scores of triplets; taken one at a time.
    triplets
        Their parts.
    k
        How many scores of a frame are looked at, at least 1; with as many as there are classes, the accuracy is 1.
    component
        One of `COMPONENTS`.

    Returns
    -------
    TopK
        Every positive counts once, whatever its frame or video. Undefined (NaN with n = 0) without positives.

    Raises
    ------
    MetricsError
        When k is no whole number from 1, there is no video, one is given twice or cannot be used, or the component is unknown.

    Examples
    --------
    >>> from scrubin.evaluate.metrics.recognition import triplet_map
    >>> three = triplet_map([[0, 0, 0], [0, 1, 0], [1, 0, 0]])
    >>> tied = top_k([TripletVideo("a", [[0, 0, 1]], [[0.5, 0.1, 0.5]])], three, 1)
    >>> tied.result.overall.value, tied.least, tied.most
    (0.0, 0.0, 1.0)
    """
    name = component_named(component)
    return accuracy(hits_by_video(videos, triplets, [k], name)[k], k, name, len(triplets.grouping(name).ids))


def hits_by_video(
    videos: Iterable[TripletVideo], triplets: TripletMap, ks: Sequence[int], component: str = "ivt"
) -> dict[int, dict[str, Hits]]:
    """Return by k, then by video, what `accuracy` is made of; parameters and errors as `top_k`, for several k of videos read once."""
    name = component_named(component)
    by_k: dict[int, dict[str, Hits]] = {k: {} for k in ks}
    for video, rows in checked(videos, len(triplets)):
        of_part = rows if name == "ivt" else part(rows, triplets.grouping(name))
        for k, of_k in by_k.items():
            of_k[video] = hits(of_part, k)
    return by_k


def accuracy(by_video: dict[str, Hits], k: int, component: Component, classes: int) -> TopK:
    """Return the accuracy of the hits of some videos."""
    every = Hits()
    for one in by_video.values():
        every = every + one
    variant = Variant(METRIC, "paper", {"component": component, "k": str(k), "classes": str(classes), "ties": "lowest class first"})
    videos = {name: Value(one.share(one.ruled), one.positives) for name, one in by_video.items()}
    result = Result(variant, Value(every.share(every.ruled), every.positives), {}, videos)
    return TopK(result, every.share(every.least), every.share(every.most))


def hits(rows: ClassRows, k: int) -> Hits:
    """Count the positives among the k highest scores of each frame.

    Parameters
    ----------
    rows
        Labels and scores of one video.
    k
        At least 1.

    Raises
    ------
    MetricsError
        When k is no whole number from 1.
    """
    _check(k, f"top-k accuracy with k = {k!r}; k is at least 1")
    positives = int(np.count_nonzero(rows.labels))
    classes = len(rows.labels)
    if k >= classes:
        return Hits(positives, positives, positives, positives)
    # Frames without positives add nothing.
    frames = rows.labels.any(axis=0)
    labels, scores = np.ascontiguousarray(rows.labels[:, frames].T), np.ascontiguousarray(rows.scores[:, frames].T)
    lowest = np.partition(scores, classes - k, axis=1)[:, classes - k, np.newaxis]
    above, tied = scores > lowest, scores == lowest
    places = k - np.count_nonzero(above, axis=1)
    tied_count = np.count_nonzero(tied, axis=1)
    sure = np.count_nonzero(above & labels, axis=1)
    own = np.count_nonzero(tied & labels, axis=1)
    others = tied_count - own
    ruled = sure + own
    # Only where more are tied than there are places their order decides.
    crowded = tied_count > places
    first = np.cumsum(tied[crowded], axis=1) <= places[crowded, np.newaxis]
    ruled[crowded] = sure[crowded] + np.count_nonzero(tied[crowded] & labels[crowded] & first, axis=1)
    least, most = sure + np.maximum(0, places - others), sure + np.minimum(places, own)
    return Hits(int(ruled.sum()), int(least.sum()), int(most.sum()), positives)


def top_classes(result: Result, k: int) -> list[tuple[str, Value]]:
    """Return the k classes of the highest average precision, best first.

    Parameters
    ----------
    result
        Of any scope; the published package uses the global one.
    k
        At most how many, at least 1. Undefined classes are left out; of equal ones the lower class comes first.

    Raises
    ------
    MetricsError
        When k is no whole number from 1.
    """
    _check(k, f"the best {k!r} classes; ask for at least 1")
    defined = [(name, value) for name, value in result.classes.items() if value.defined]
    return sorted(defined, key=lambda one: -one[1].value)[:k]


def _check(k: int, fault: str) -> None:
    """Raise `MetricsError` when k is no whole number from 1."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise MetricsError(f"{fault}, and a whole number")
