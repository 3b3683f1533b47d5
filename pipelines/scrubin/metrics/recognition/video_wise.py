"""Average precision per video, then over videos, then over classes.

CholecT50 splits and ivtmetrics paper, section 3.1, steps i to iii and equation 2. A class is defined in a video where it has
a positive; the mean over videos is of the videos where it is defined, the mean over classes of the classes that are defined
in a video. Videos weigh the same, however long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.metrics.bootstrap import drawn_names
from scrubin.metrics.recognition.average_precision import by_class, mean, paper_variant, result
from scrubin.metrics.recognition.components import COMPONENTS, Component, TripletMap, component_named, components_named, part
from scrubin.metrics.recognition.videos import ClassRows, IntArray, TripletVideo, checked
from scrubin.metrics.result import Result

SCOPE = "video-wise"


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
    videos = {video: mean(values[kept]) for video, values in zip(one.names, one.values, strict=True)}
    variant = paper_variant(triplets, name, SCOPE, ignore_null)
    return result(variant, triplets.grouping(name).ids[kept], means.values()[kept], means.counts[kept], videos)
