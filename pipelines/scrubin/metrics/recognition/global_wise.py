"""Global average precision: the frames of all videos in one pool, then the mean over classes.

A class is defined when it has a positive in any video. Long videos weigh more than short ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.errors import MetricsError
from scrubin.metrics.recognition.average_precision import by_class
from scrubin.metrics.recognition.components import COMPONENTS, Component, TripletMap, components_named
from scrubin.metrics.recognition.results import paper_variant, result
from scrubin.metrics.recognition.steps import Steps, average_precision, steps_of
from scrubin.metrics.recognition.videos import FloatArray, IntArray, Rows, Video, checked
from scrubin.metrics.result import Result, Variant

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
        rows = self.rows(members)
        return Rows(np.concatenate([one.labels for one in rows], axis=1), np.concatenate([one.scores for one in rows], axis=1))

    def rows(self, members: IntArray) -> list[Rows]:
        """Return the row (1, frames) of the class that these triplets make up, video by video."""
        found = []
        for bits, scores in self._videos:
            labels = np.unpackbits(np.bitwise_or.reduce(bits[members], axis=0), count=scores.shape[1]).view(np.bool_)
            found.append(Rows(labels[np.newaxis], np.maximum.reduce(scores[members], axis=0)[np.newaxis]))
        return found

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
    videos: Iterable[Video], triplets: TripletMap, components: Sequence[str] | str = COMPONENTS, *, ignore_null: bool = False
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
    pool = Pool()
    for _, rows in checked(videos, len(triplets)):
        pool.add(rows)
    return {name: of_pool(pool, triplets, name, ignore_null) for name in wanted}


def of_pool(pool: Pool, triplets: TripletMap, component: Component, ignore_null: bool) -> Result:
    """Return the global average precision of one component."""
    kept, grouping = triplets.kept(component, ignore_null), triplets.grouping(component)
    values, positives = pool.average_precision([grouping.members[position] for position in kept])
    return result(paper_variant(triplets, component, SCOPE, ignore_null), grouping.ids[kept], values, positives)


@dataclass(frozen=True, eq=False)
class Table:
    """What the global average precision of any draw of videos is made of.

    It takes at most 8 bytes per class and frame, and 8 per positive.

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
        values, positives = average_precision(self.steps, draw)
        return result(self.variant, self.ids, values, positives)


def tables(
    videos: Iterable[Video], triplets: TripletMap, components: Sequence[str] | str = COMPONENTS, *, ignore_null: bool = False
) -> dict[Component, Table]:
    """Return per component what the bootstrap of the global average precision needs; parameters and errors as `pooled`."""
    wanted = components_named(components)
    kept = {name: triplets.kept(name, ignore_null) for name in wanted}
    pool, names = Pool(), []
    for video, rows in checked(videos, len(triplets)):
        names.append(video)
        pool.add(rows)
    found = {}
    for name in wanted:
        grouping = triplets.grouping(name)
        steps = tuple(one for position in kept[name] for one in steps_of(pool.rows(grouping.members[position])))
        found[name] = Table(tuple(names), paper_variant(triplets, name, SCOPE, ignore_null), grouping.ids[kept[name]], steps)
    return found
