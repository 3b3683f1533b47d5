"""What metrics of points take: instances of both sides, one per row, each with the points of its class in pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.bootstrap import drawn_names

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PointRows:
    """Instances of one side, one per row, in order of frames.

    Parameters
    ----------
    places
        (rows,), frame counted through all videos, not falling.
    classes
        By component, which is ``i``: (rows,), class ids from 0.
    places_px
        (rows, points, 2), x and y; of classes with fewer points the last ones do not count.
    known
        (rows, points), which points are annotated and count, or are predicted.
    boxes_px
        (rows, 4), left, top, width, height; NaN where there is no box.
    areas_px2
        (rows,), of the instance; NaN where nothing but its points says it.
    scores
        (rows,), confidences; 1 throughout for annotations.
    crowds
        (rows,), annotated instances around several that nobody drew one by one.
    """

    places: IntArray
    classes: Mapping[str, IntArray]
    places_px: FloatArray
    known: BoolArray
    boxes_px: FloatArray
    areas_px2: FloatArray
    scores: FloatArray
    crowds: BoolArray

    def __len__(self) -> int:
        """How many instances there are."""
        return len(self.places)

    def taken(self, which: BoolArray | IntArray) -> PointRows:
        """Return some of the rows."""
        classes = {name: ids[which] for name, ids in self.classes.items()}
        own = (self.places_px[which], self.known[which], self.boxes_px[which], self.areas_px2[which])
        return PointRows(self.places[which], classes, *own, self.scores[which], self.crowds[which])


@dataclass(frozen=True, eq=False)
class PointStudy:
    """Annotated and predicted points of some videos.

    Parameters
    ----------
    names
        Ids of the videos.
    starts
        (videos + 1,), where the frames of each video begin among all of them.
    points
        Names of the points of each class, in order; none for a class that has none.
    images
        (frames, 2), width and height of each picture in px.
    truth, predictions
        Both sides.
    """

    names: tuple[str, ...]
    starts: IntArray
    points: tuple[tuple[str, ...], ...]
    images: FloatArray
    truth: PointRows
    predictions: PointRows

    @property
    def videos(self) -> IntArray:
        """The video of each frame, (frames,)."""
        return np.repeat(np.arange(len(self.names)), np.diff(self.starts))

    def drawn(self, draw: IntArray) -> PointStudy:
        """Return the study of drawn videos, by their positions, which may repeat."""
        lengths = np.diff(self.starts)[draw]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        frames = np.concatenate([np.arange(self.starts[at], self.starts[at + 1]) for at in draw.tolist()])
        return PointStudy(
            drawn_names(self.names, draw),
            starts,
            self.points,
            self.images[frames],
            self._drawn(self.truth, draw, starts),
            self._drawn(self.predictions, draw, starts),
        )

    def _drawn(self, side: PointRows, draw: IntArray, starts: IntArray) -> PointRows:
        firsts, lasts = (np.searchsorted(side.places, self.starts[draw + more]) for more in (0, 1))
        which = np.concatenate([np.arange(first, last) for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True)])
        shifts = np.repeat(starts[:-1] - self.starts[draw], lasts - firsts)
        taken = side.taken(which.astype(np.int64))
        return replace(taken, places=taken.places + shifts)

    @property
    def most_points(self) -> int:
        """How many points the class with the most has."""
        return max(map(len, self.points), default=0)


def check(study: PointStudy) -> None:
    """Raise `MetricsError` where arrays do not fit each other, frames fall, or a known point is not finite."""
    for what, side in (("annotations", study.truth), ("predictions", study.predictions)):
        count, most = len(side.places), study.most_points
        shapes = {
            "classes": (side.classes["i"].shape, (count,)),
            "places_px": (side.places_px.shape, (count, most, 2)),
            "known": (side.known.shape, (count, most)),
            "boxes_px": (side.boxes_px.shape, (count, 4)),
            "areas_px2": (side.areas_px2.shape, (count,)),
            "scores": (side.scores.shape, (count,)),
            "crowds": (side.crowds.shape, (count,)),
        }
        for name, (found, expected) in shapes.items():
            if found != expected:
                raise MetricsError(f"{what}: '{name}' has the shape {found}, expected {expected}; give one row per instance")
        if (np.diff(side.places) < 0).any() or (count and not 0 <= side.places[0] <= side.places[-1] < study.starts[-1]):
            raise MetricsError(f"{what}: frames are not in 0 to {int(study.starts[-1]) - 1} and in order; sort the rows")
        if not np.isfinite(side.places_px[side.known]).all():
            raise MetricsError(f"{what}: a point that counts is not finite; leave it out of 'known'")
