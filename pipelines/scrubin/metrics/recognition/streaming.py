"""The same numbers from batches of frames, one video after the other.

What is kept: of the open video its frames; of closed videos a sum and a count per class for the video-wise scope, and their
scores only when the global scope is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scrubin.errors import MetricsError
from scrubin.metrics.recognition.components import COMPONENTS, Component, TripletMap, component_named, components_named
from scrubin.metrics.recognition.global_wise import Pool, of_pool
from scrubin.metrics.recognition.video_wise import Means, averaged, of_video
from scrubin.metrics.recognition.videos import Rows, Video, rows_of
from scrubin.metrics.result import Result

Scope = Literal["video-wise", "global"]
SCOPES: tuple[Scope, ...] = get_args(Scope)


class Frames:
    """Frames of one video that come in batches.

    Parameters
    ----------
    classes
        Of every batch.
    """

    def __init__(self, classes: int) -> None:
        self._classes = classes
        self._batches: list[Rows] = []

    def __len__(self) -> int:
        """How many frames have come."""
        return int(np.sum([batch.frames for batch in self._batches], dtype=np.int64))

    def add(self, targets: npt.ArrayLike, scores: npt.ArrayLike) -> None:
        """Take frames; raises `MetricsError` when they cannot be used."""
        place = f"frames from {len(self)} of the open video"
        self._batches.append(rows_of(Video("", targets, scores), self._classes, place))

    def rows(self) -> Rows:
        """Return all frames together."""
        empty = Rows(np.empty((self._classes, 0), dtype=np.bool_), np.empty((self._classes, 0), dtype=np.float32))
        batches = self._batches or [empty]
        return Rows(np.concatenate([one.labels for one in batches], axis=1), np.concatenate([one.scores for one in batches], axis=1))


class Accumulator:
    """Average precision of triplets and their parts, updated batch by batch.

    Parameters
    ----------
    triplets
        The map.
    components
        Some of `COMPONENTS`.
    scopes
        ``video-wise`` costs memory for one video, ``global`` for the scores of all.

    Raises
    ------
    MetricsError
        When a component or scope is unknown.

    Examples
    --------
    >>> from scrubin.metrics.recognition.components import triplet_map
    >>> running = Accumulator(triplet_map([[0, 0, 0], [0, 1, 0]]), components=["ivt", "i"])
    >>> running.update([[1, 0]], [[0.9, 0.2]])
    >>> running.update([[0, 1]], [[0.95, 0.3]])
    >>> running.end_video("a")
    >>> running.video_wise("ivt").overall, running.video_wise("i").overall
    (Value(value=0.75, n=2), Value(value=1.0, n=1))
    """

    def __init__(
        self, triplets: TripletMap, components: Sequence[str] | str = COMPONENTS, scopes: Collection[str] = ("video-wise",)
    ) -> None:
        self._triplets = triplets
        self._components = components_named(components)
        self._scopes = {_scope_named(name) for name in scopes}
        self._closed: set[str] = set()
        self._means = {name: Means(len(triplets.grouping(name).ids)) for name in self._components}
        self._pool = Pool()
        self._open = Frames(len(triplets))

    def update(self, targets: npt.ArrayLike, scores: npt.ArrayLike) -> None:
        """Take frames of the open video.

        Parameters
        ----------
        targets, scores
            (frames, triplets), as in `Video`; copied.

        Raises
        ------
        MetricsError
            When they cannot be used; what came before stays.
        """
        self._open.add(targets, scores)

    def end_video(self, name: str) -> None:
        """Close the open video.

        Parameters
        ----------
        name
            Its id. A video without frames has no defined class.

        Raises
        ------
        MetricsError
            When a video of that name was closed before.
        """
        if name in self._closed:
            msg = f"video {name} was closed before; give every video once, with all its frames"
            raise MetricsError(msg)
        self._closed.add(name)
        rows = self._open.rows()
        if "video-wise" in self._scopes:
            for component, (values, _) in of_video(rows, self._triplets, self._components).items():
                self._means[component].add(values)
        if "global" in self._scopes:
            self._pool.add(rows)
        self._open = Frames(len(self._triplets))

    def video_wise(self, component: str = "ivt", *, ignore_null: bool = False) -> Result:
        """Return the video-wise average precision of the videos so far, as `video_wise.video_wise` without values by video.

        Parameters
        ----------
        component
            One of those that the accumulator was made with.
        ignore_null
            Leave the null triplets out of ivt.

        Raises
        ------
        MetricsError
            When the component or scope was not asked for, a video is still open, or none was closed.
        """
        name = self._ready(component, "video-wise")
        return averaged(self._means[name], self._triplets, name, ignore_null)

    def pooled(self, component: str = "ivt", *, ignore_null: bool = False) -> Result:
        """Return the global average precision of the videos so far, as `pooled.pooled`; parameters and errors as `video_wise`."""
        return of_pool(self._pool, self._triplets, self._ready(component, "global"), ignore_null)

    def _ready(self, component: str, scope: Scope) -> Component:
        name = component_named(component)
        if name not in self._components or scope not in self._scopes:
            msg = (
                f"the {scope} AP of {name} is not accumulated; make the accumulator with components {name} and scopes {scope} among others"
            )
            raise MetricsError(msg)
        if len(self._open):
            msg = f"{len(self._open)} frames belong to a video that is still open; end the video first"
            raise MetricsError(msg)
        if not self._closed:
            msg = "no video is closed; at least one is needed"
            raise MetricsError(msg)
        return name


def _scope_named(name: str) -> Scope:
    if name not in SCOPES:
        msg = f"there is no scope '{name}'; there are {', '.join(SCOPES)}"
        raise MetricsError(msg)
    return name
