"""What the recognition part of ivtmetrics 0.1.5 returns, its state included.

Each entry of `QUIRKS` has a test of the same name in ``tests/metrics/test_recognition_quirks.py`` that shows it on a minimal example.

`QUIRKS` names each difference from the definition. Where the published program ends with an error of any kind, or
ends the whole process, this raises `MetricsError`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.recognition import (
    CHOLECT50_NULL,
    ClassRows,
    IntArray,
    TripletMap,
    TripletVideo,
    checked,
    component_named,
    joined,
    part,
    rows_of,
    top_k,
)
from scrubin.evaluate.metrics.recognition.average_precision import Means, Steps, by_class, of_draw, result, steps_of, variant
from scrubin.evaluate.metrics.recognition.top_k import Hits, hits
from scrubin.evaluate.metrics.registry import Quirk
from scrubin.evaluate.metrics.result import Result, Value, Variant, taking_part
from scrubin.evaluate.metrics.variants import Component

QUIRKS = (
    Quirk(
        "undefined-class",
        "bug",
        "A class without positives is found by the text -0.0, which scikit-learn returned up to 1.5; from 1.6 on it returns 0.0, "
        "so the class counts as 0 and the mean collapses (0.71 to 0.10 on identical data).",
        "Positives are counted: without any, NaN with n = 0, left out of every mean.",
        "Both: scikit_learn='<=1.5' or '>=1.6'.",
    ),
    Quirk(
        "tied-scores",
        "definition",
        "Equal scores of a class are one threshold; all scores equal give the share of positives.",
        "The same.",
        "The same.",
    ),
    Quirk(
        "videos-weigh-the-same",
        "definition",
        "Video-wise: mean over the videos where a class is defined, then over classes. Global: frames of all videos pooled.",
        "The same.",
        "The same.",
    ),
    Quirk(
        "null-triplets-last",
        "choice",
        "ignore_null drops the last six positions of ivt, whatever they are, and changes no other component: null triplets stay in "
        "the maxima of the parts.",
        "The null triplets of the map are left out of ivt; of 100 triplets without further word the last six.",
        "The last six positions.",
    ),
    Quirk(
        "ignore-null-of-the-constructor",
        "bug",
        "Recognition(ignore_null=True) is stored and never used.",
        "Only functions that compute take it.",
        "Stored and never used.",
    ),
    Quirk(
        "top-k-ties",
        "bug",
        "The k highest scores come from a sort that is not stable: with ties the number depends on processor and NumPy.",
        "The lowest class first; the least and the most of any choice are told.",
        "The lowest class first; the published number lies between the bounds.",
    ),
    Quirk(
        "top-k-without-positives",
        "choice",
        "Top-k accuracy without any positive is 0.",
        "NaN with n = 0.",
        "0.",
    ),
    Quirk(
        "top-class-undefined",
        "choice",
        "Undefined classes are listed last, with NaN, when fewer than k are defined; equal ones come in any order.",
        "Undefined classes are left out; of equal ones the lower first.",
        "Listed last; of equal ones the lower first.",
    ),
    Quirk(
        "pending-frames",
        "bug",
        "compute_video_AP, compute_global_AP, topK and topClass append the frames of the open video to the closed videos at every "
        "call, and video_end appends them once more.",
        "Computing while a video is open is refused.",
        "Appended.",
    ),
    Quirk(
        "reset-keeps-closed-videos",
        "choice",
        "reset() drops the frames of the open video only, not what earlier calls made of them.",
        "A new accumulator is a new start.",
        "The same as published.",
    ),
    Quirk(
        "no-open-video",
        "choice",
        "compute_AP sees the open video only: after video_end it fails with an IndexError or ValueError.",
        "Closed videos are what counts.",
        "MetricsError.",
    ),
    Quirk(
        "empty-video",
        "choice",
        "A video closed without frames makes compute_video_AP fail; compute_global_AP works.",
        "It has no defined class and changes nothing.",
        "MetricsError from compute_video_ap.",
    ),
    Quirk(
        "unknown-component",
        "bug",
        "An unknown component ends the process in the functions for all videos, after the open frames were appended; vt, which the "
        "documentation names, is one.",
        "MetricsError.",
        "MetricsError, after the open frames were appended.",
    ),
    Quirk(
        "positions-for-ids",
        "choice",
        "Vectors of iv and it, and the keys of topClass, are by position among the pairs that occur: position 3 of iv is id 8.",
        "Classes are named by their ids.",
        "By position.",
    ),
    Quirk(
        "other-class-counts",
        "bug",
        "The map of CholecT50 is fixed: with fewer than 100 classes only ivt works, with more the further ones are in no part; a single "
        "class fails.",
        "The map is given, and matrices must have as many columns as it has triplets.",
        "As published, errors being MetricsError; the map is given. 'scrubin score' gives that of the vocabulary: parts of ProstaTD's 89 "
        "triplets have numbers, which are ours by these rules; ivtmetrics ends with IndexError.",
    ),
    Quirk(
        "map-of-90-rows",
        "bug",
        "ivtdmetrics carries a map of 90 triplets: fed with 100 classes, its parts are silently wrong.",
        "The map is given, and matrices must fit it.",
        "Not reproduced as such; give its map and num_class=100.",
    ),
    Quirk(
        "unchecked-frames",
        "bug",
        "Targets and predictions with different numbers of frames are taken and fail only when AP is computed; topK then counts the "
        "frames of the shorter one. Labels other than 0 and 1 give NaN without a word, and topK takes NaN scores.",
        "MetricsError at once.",
        "MetricsError at once.",
    ),
    Quirk(
        "precision-of-scores",
        "choice",
        "Scores are held as float64, in the later repository as float32, which can make ties of float64 scores.",
        "Scores are compared as given.",
        "Scores are compared as given, as in 0.1.5.",
    ),
)

ScikitLearn = Literal["<=1.5", ">=1.6"]
Scored = tuple[npt.NDArray[np.float64], IntArray]
Known = TypeVar("Known")


class Recognition:
    """The published accumulator.

    A class without positives is recognised by the value that scikit-learn returns for it. Up to 1.5 that is -0.0, whose text the
    package takes for "undefined"; from 1.6 on it is 0.0, which then counts as the worst value possible:

    >>> from scrubin.evaluate.metrics.recognition import triplet_map
    >>> two = triplet_map([[0, 0, 0], [0, 1, 0]])
    >>> for release in ("<=1.5", ">=1.6"):
    ...     published = Recognition(two, scikit_learn=release)
    ...     published.update([[1, 0]], [[0.9, 0.1]])
    ...     print(published.compute_video_ap().overall)
    Value(value=1.0, n=1)
    Value(value=0.5, n=2)

    Every call that looks at all videos takes the frames of the open one for a closed video, and keeps it so:

    >>> published.closed_frames, published.pending_frames
    ([1], 1)
    >>> _ = published.compute_video_ap()
    >>> published.closed_frames
    [1, 1]

    Parameters
    ----------
    triplets
        The parts of the triplets; the package holds those of CholecT50.
    num_class
        Columns of the matrices; None: as many as triplets in the map. With more, the further columns count for ``ivt`` only; with
        fewer, only ``ivt`` works.
    ignore_null
        Accepted and never used, as published.
    scikit_learn
        The release that the package would have found. The package's later repository (0.1.2 by its own account) gives the
        numbers of ``<=1.5`` with every release.

    Raises
    ------
    MetricsError
        When the release is none of the two.
    """

    def __init__(
        self, triplets: TripletMap, num_class: int | None = None, ignore_null: bool = False, *, scikit_learn: ScikitLearn = "<=1.5"
    ) -> None:
        if scikit_learn not in get_args(ScikitLearn):
            msg = f"the behaviour with scikit-learn '{scikit_learn}' is not known; there are {', '.join(get_args(ScikitLearn))}"
            raise MetricsError(msg)
        self.ignore_null = ignore_null
        self._triplets = triplets
        self._classes = len(triplets) if num_class is None else num_class
        self._scikit_learn = scikit_learn
        self.reset_global()

    @property
    def closed_frames(self) -> list[int]:
        """Frames of each closed video, those of open videos that calls have added included."""
        return [rows.frames for rows in self._closed]

    @property
    def pending_frames(self) -> int:
        """Frames of the open video."""
        return len(self._open)

    def reset(self) -> None:
        """Forget the open video; closed ones stay, also those that calls made of it."""
        self._open = _Frames(self._classes)

    def reset_global(self) -> None:
        """Forget everything."""
        self._closed: list[ClassRows] = []
        self._drawn_from: _Source | None = None
        self.reset()

    def update(self, targets: npt.ArrayLike, predictions: npt.ArrayLike) -> None:
        """Take frames of the open video.

        Parameters
        ----------
        targets, predictions
            (frames, `num_class`).

        Raises
        ------
        MetricsError
            When they cannot be used. The package finds most of that only when it computes, and never in `top_k`.
        """
        self._open.add(targets, predictions)

    def video_end(self) -> None:
        """Close the open video, also one without frames, which then makes `compute_video_ap` fail."""
        self._closed.append(self._open.rows())
        self.reset()

    def compute_ap(self, component: str = "ivt", ignore_null: bool = False) -> Result:
        """Return the average precision of the open video alone; after `video_end` there is none, and it fails."""
        name = component_named(component)
        values, positives = self._scored(self._open.rows(), name)
        return self._result("open video", name, values, positives, ignore_null)

    def compute_video_ap(self, component: str = "ivt", ignore_null: bool = False) -> Result:
        """Return the video-wise average precision.

        Parameters
        ----------
        component
            One of the six.
        ignore_null
            Drops the last six classes of ``ivt`` after computing; no effect on the others.

        Returns
        -------
        Result
            `classes` by position in the published vector, not by the id of the part.

        Raises
        ------
        MetricsError
            When there is no video, one has no frames, or the component is not there.
        """
        # The frames of the open video are added before the component is looked at, also below.
        videos = self._everything()
        name = component_named(component)
        means: Means | None = None
        for rows in videos:
            values, _ = self._once((rows, name), partial(self._scored, rows, name))
            means = means or Means(len(values))
            means.add(values)
        assert means is not None
        return self._result("video-wise", name, means.values(), means.counts, ignore_null)

    def compute_global_ap(self, component: str = "ivt", ignore_null: bool = False) -> Result:
        """Return the global average precision; parameters and errors as `compute_video_ap`, but single videos may be empty."""
        videos = self._everything()
        name = component_named(component)
        if self._drawn_from and (of_pool := self._drawn_from.pooled(videos, name, self._of)):
            values, positives = self._published(name, *of_pool)
        else:
            values, positives = self._scored(joined(videos), name)
        return self._result("global", name, values, positives, ignore_null)

    def take(self, draw: IntArray) -> Recognition:
        """Return an accumulator of the closed videos at these positions from 0, which may repeat: a resample for the bootstrap.

        Raises
        ------
        MetricsError
            When a video is open.
        """
        if self.pending_frames:
            raise MetricsError(f"{self.pending_frames} frames belong to a video that is still open; end it before videos are drawn")
        self._drawn_from = self._drawn_from or _Source(self._closed)
        drawn = copy(self)
        drawn._closed = [self._closed[at] for at in draw.tolist()]
        drawn.reset()
        return drawn

    def top_k(self, k: int = 5, component: str = "ivt") -> Result:
        """Return the top-k accuracy, 0 without positives.

        The package breaks ties by a sort that is not stable, so that its number depends on the processor; here the lowest class
        is first, and ``top_k.top_k`` returns the bounds.

        Raises
        ------
        MetricsError
            When k is below 1, there is no video, or the component is not there.
        """
        videos = self._everything()
        name = component_named(component)
        counted = Hits()
        for rows in videos:
            counted = counted + self._once((rows, name, k), partial(self._hits, rows, name, k))
        options = {"component": name, "k": str(k), "classes": str(self._classes), "ties": "lowest class first"}
        value = counted.share(counted.ruled) if counted.positives else 0.0
        return Result(Variant(top_k.METRIC, "compat", options), Value(value, counted.positives))

    def top_class(self, k: int = 10, component: str = "ivt") -> list[tuple[int, float]]:
        """Return position and global average precision of the k best classes, undefined ones last; of equal ones the lower first."""
        pool = joined(self._everything())
        name = component_named(component)
        values, _ = self._scored(pool, name)
        order = np.argsort(-values, kind="stable")[: max(0, k)]
        return [(int(position), float(values[position])) for position in order]

    def _everything(self) -> list[ClassRows]:
        """Return the closed videos, to which the open one is added for good."""
        if self.pending_frames:
            self._closed.append(self._open.rows())
        if not self._closed:
            raise MetricsError("no video is closed and none is open; at least one is needed")
        return self._closed

    def _once(self, key: tuple[Hashable, ...], compute: Callable[[], Known]) -> Known:
        """Return what a closed video gives; computed once where videos were drawn."""
        return self._drawn_from.once(key, compute) if self._drawn_from else compute()

    def _hits(self, rows: ClassRows, component: Component, k: int) -> Hits:
        return hits(self._of(rows, component), k)

    def _of(self, rows: ClassRows, component: Component) -> ClassRows:
        if component == "ivt":
            return rows
        if len(rows.labels) < len(self._triplets):
            msg = f"{component} is made of all {len(self._triplets)} triplets of the map, but there are {len(rows.labels)} classes"
            raise MetricsError(msg)
        return part(rows, self._triplets.grouping(component))

    def _scored(self, rows: ClassRows, component: Component) -> Scored:
        if not rows.frames:
            raise MetricsError("a video has no frames, so that the published program fails; use the paper semantics, where it is left out")
        if len(rows.labels) == 1:
            raise MetricsError("the published program fails with a single class; use the paper semantics")
        return self._published(component, *by_class(self._of(rows, component)))

    def _published(self, component: Component, values: npt.NDArray[np.float64], positives: IntArray) -> Scored:
        is_zero = np.isnan(values) & self._triplets.takes_part(component) & (self._scikit_learn == ">=1.6")
        return np.where(is_zero, 0.0, values), positives

    def _result(self, scope: str, component: Component, values: npt.NDArray[np.float64], counts: IntArray, ignore_null: bool) -> Result:
        last = len(values) - CHOLECT50_NULL if ignore_null and component == "ivt" else len(values)
        kept = np.arange(max(0, last))
        left_out = range(len(kept), len(values)) if ignore_null and component == "ivt" else None
        name = variant("compat", component, scope, len(kept), left_out, scikit_learn=self._scikit_learn)
        if self._scikit_learn == ">=1.6":
            # Only then a class that nobody labels has a value.
            is_there = np.broadcast_to(self._triplets.takes_part(component), len(values))[kept]
            name = replace(name, stated=taking_part(kept[is_there].tolist(), len(kept)))
        return result(name, kept, values[kept], counts[kept])


def of_videos(videos: Iterable[TripletVideo], triplets: TripletMap, *, scikit_learn: ScikitLearn = "<=1.5") -> Recognition:
    """Return the published accumulator with each video closed, from which calls are repeatable; errors as `videos.checked`."""
    published = Recognition(triplets, scikit_learn=scikit_learn)
    published._closed.extend(rows for _, rows in checked(videos, len(triplets)))
    return published


class _Source:
    """Closed videos that others are drawn from: what each gives is computed once for all draws.

    Parameters
    ----------
    videos
        Closed videos.
    """

    def __init__(self, videos: Sequence[ClassRows]) -> None:
        self._places = {rows: place for place, rows in enumerate(videos)}
        self._known: dict[tuple[Hashable, ...], Any] = {}

    def once(self, key: tuple[Hashable, ...], compute: Callable[[], Known]) -> Known:
        """Return what has that key, computed at the first call."""
        if key not in self._known:
            self._known[key] = compute()
        known: Known = self._known[key]
        return known

    def pooled(
        self, videos: Sequence[ClassRows], component: Component, part_of: Callable[[ClassRows, Component], ClassRows]
    ) -> tuple[npt.NDArray[np.float64], IntArray] | None:
        """Return average precision and positives of the pool of videos; None when one is none of the source, or makes the program fail."""
        if not all(rows in self._places and rows.frames and len(rows.labels) > 1 for rows in videos):
            return None
        steps: list[Steps] = self.once((component,), lambda: steps_of([part_of(rows, component) for rows in self._places]))
        return of_draw(steps, np.array([self._places[rows] for rows in videos], dtype=np.int64))


class _Frames:
    """Frames of one video that come in batches.

    Parameters
    ----------
    classes
        Of every batch.
    """

    def __init__(self, classes: int) -> None:
        self._classes = classes
        self._batches: list[ClassRows] = []

    def __len__(self) -> int:
        """How many frames have come."""
        return int(np.sum([batch.frames for batch in self._batches], dtype=np.int64))

    def add(self, targets: npt.ArrayLike, scores: npt.ArrayLike) -> None:
        """Take frames; raises `MetricsError` when they cannot be used."""
        place = f"frames from {len(self)} of the open video"
        self._batches.append(rows_of(TripletVideo("", targets, scores), self._classes, place))

    def rows(self) -> ClassRows:
        """Return all frames together."""
        empty = ClassRows(np.empty((self._classes, 0), dtype=np.bool_), np.empty((self._classes, 0), dtype=np.float32))
        return joined(self._batches or [empty])
