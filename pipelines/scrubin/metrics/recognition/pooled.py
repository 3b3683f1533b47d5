"""Global average precision: the frames of all videos in one pool, then the mean over classes.

A class is defined when it has a positive in any video. Long videos weigh more than short ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from scrubin.errors import MetricsError
from scrubin.metrics.recognition.average_precision import by_class
from scrubin.metrics.recognition.components import COMPONENTS, Component, TripletMap, component_named
from scrubin.metrics.recognition.results import result, variant
from scrubin.metrics.recognition.videos import FloatArray, IntArray, Rows, Video, checked
from scrubin.metrics.result import Result

SCOPE = "global"


class Pool:
    """Frames of videos: the scores as given, the labels as bits, and nothing that grows beside them."""

    def __init__(self) -> None:
        self._videos: list[tuple[npt.NDArray[np.uint8], FloatArray]] = []

    def __len__(self) -> int:
        """How many videos are in it."""
        return len(self._videos)

    def add(self, rows: Rows) -> None:
        """Take one more video."""
        self._videos.append((np.packbits(rows.labels, axis=1), rows.scores))

    def row(self, members: IntArray) -> Rows:
        """Return the row (1, frames) of the class that these triplets make up."""
        labels = [np.unpackbits(np.bitwise_or.reduce(bits[members], axis=0), count=scores.shape[1]) for bits, scores in self._videos]
        scores = [np.maximum.reduce(scores[members], axis=0) for _, scores in self._videos]
        return Rows(np.concatenate(labels).view(np.bool_)[np.newaxis], np.concatenate(scores)[np.newaxis])

    def average_precision(self, members: Sequence[IntArray]) -> tuple[npt.NDArray[np.float64], IntArray]:
        """Return AP and positives of classes, each made up of some triplets.

        Raises
        ------
        MetricsError
            When the pool holds no video.
        """
        if not self._videos:
            msg = "no video is in the pool; at least one is needed"
            raise MetricsError(msg)
        found = [by_class(self.row(one)) for one in members]
        return np.concatenate([values for values, _ in found]), np.concatenate([positives for _, positives in found])


def pooled(
    videos: Iterable[Video], triplets: TripletMap, components: Sequence[str] = COMPONENTS, *, ignore_null: bool = False
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
    wanted = tuple(component_named(name) for name in components)
    for name in wanted:
        triplets.kept(name, ignore_null)
    pool = Pool()
    for _, rows in checked(videos, len(triplets)):
        pool.add(rows)
    return {name: of_pool(pool, triplets, name, ignore_null) for name in wanted}


def of_pool(pool: Pool, triplets: TripletMap, component: Component, ignore_null: bool) -> Result:
    """Return the global average precision of one component."""
    kept = triplets.kept(component, ignore_null)
    grouping = triplets.grouping(component)
    values, positives = pool.average_precision([grouping.members[position] for position in kept])
    return result(variant("paper", component, SCOPE, len(kept), ignore_null), grouping.ids[kept], values, positives)
