"""How near predicted points are to annotated ones: the share within a distance, the mean error in px, the share that is found at all.

The share within a distance is the percentage of correct key points (PCK; Yang and Ramanan, "Articulated human detection with flexible
mixtures of parts", IEEE Transactions on Pattern Analysis and Machine Intelligence 35, 2013): the distance is a share of the longer side of
the box of the annotated instance, a share of the diagonal of the picture, or a number of px.

In a frame, the instances of a class on both sides are put together one to one, so that the points of all of them lie as near as they can:
the sum over pairs of the mean closeness of annotated points is greatest, 1 where both lie on each other, 0 for a point that is a diagonal
of the picture away or is not predicted. Every annotated point that counts is in the share: one that is not predicted, or of an instance
that has no partner, is not within. Predictions without a partner do not count; average precision counts them. The error in px is of the
points that are found, so it says nothing without their share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.points import FloatArray, IntArray, PointRows, PointStudy, check
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Value, Variant, exact, mean_over
from scrubin.evaluate.metrics.tracks.assignment import assigned

Reference = Literal["box", "image", "px"]
SAID: Mapping[Reference, str] = {"box": "the longer side of the box", "image": "the diagonal of the picture", "px": "px"}
SOURCE = "Yang and Ramanan 2013"
WITHIN = declare(
    "points PCK", task="points", kinds=["distances"], says="share of annotated points that are predicted within a distance", source=SOURCE
)
FOUND = declare("points found", task="points", kinds=["distances"], says="share of annotated points that are predicted anywhere")
ERROR = declare(
    "points error px", task="points", kinds=["distances"], says="mean distance of found points, in px of the picture", less_is_better=True
)


@dataclass(frozen=True, eq=False)
class Distances:
    """What is counted of every video, class and point.

    Parameters
    ----------
    names, points
        As of `PointStudy`.
    annotated, found, sums_px
        (videos, classes, points): annotated points that count, those of them that are found, and the sum of their distances.
    within
        (thresholds, videos, classes, points), those within each distance.
    thresholds, reference
        Distances, and of what they are shares.
    """

    names: tuple[str, ...]
    points: tuple[tuple[str, ...], ...]
    annotated: FloatArray
    found: FloatArray
    sums_px: FloatArray
    within: FloatArray
    thresholds: tuple[float, ...]
    reference: Reference

    def results(self, options: Mapping[str, str], draw: IntArray | None = None) -> list[Result]:
        """Return every number three times: of all points together, the mean over classes, the mean over names of points.

        Parameters
        ----------
        options
            What else is to be said of the variants.
        draw
            Positions of videos, which may repeat; None: all.
        """
        which = slice(None) if draw is None else draw
        annotated, found, sums_px = (part[which] for part in (self.annotated, self.found, self.sums_px))
        every: list[Result] = []
        for number, threshold in enumerate(self.thresholds):
            of = f"{exact(threshold)} of {SAID[self.reference]}" if self.reference != "px" else f"{exact(threshold)} px"
            every += self._three(WITHIN, {**options, "within": of}, self.within[number][which], annotated, by_video=draw is None)
        every += self._three(FOUND, dict(options), found, annotated, by_video=draw is None)
        return [*every, *self._three(ERROR, dict(options), sums_px, found, by_video=draw is None)]

    def _three(self, metric: str, options: dict[str, str], parts: FloatArray, of: FloatArray, *, by_video: bool) -> Iterator[Result]:
        classes = {str(class_): _ratio(parts[:, class_], of[:, class_]) for class_ in range(len(self.points)) if self.points[class_]}
        by_name = self._by_name(parts, of)
        videos = {name: _ratio(parts[at], of[at]) for at, name in enumerate(self.names)} if by_video else {}
        yield Result(Variant(metric, "paper", {**options, "averaged": "no, all points together"}), _ratio(parts, of), {}, videos)
        yield Result(
            Variant(metric, "paper", {**options, "averaged": "over classes", "component": "i"}), mean_over(classes.values()), classes
        )
        yield Result(Variant(metric, "paper", {**options, "averaged": "over points"}), mean_over(by_name.values()), by_name)

    def _by_name(self, parts: FloatArray, of: FloatArray) -> dict[str, Value]:
        """Return the value of each point, of all classes that have one of its name."""
        at: dict[str, list[tuple[int, int]]] = {}
        for class_, names in enumerate(self.points):
            for place, name in enumerate(names):
                at.setdefault(name, []).append((class_, place))
        columns = {name: tuple(np.array(places).T) for name, places in at.items()}
        return {name: _ratio(parts[:, rows, places], of[:, rows, places]) for name, (rows, places) in columns.items()}


def _ratio(parts: FloatArray, of: FloatArray) -> Value:
    count = round(float(of.sum()))
    return Value(float(parts.sum()) / count if count else float("nan"), count)


def measured(study: PointStudy, thresholds: Sequence[float], reference: Reference, confidence: float) -> Distances:
    """Measure how far the predicted points are from the annotated ones.

    Parameters
    ----------
    thresholds
        Distances up to which a point is right.
    reference
        Of what they are shares: ``box``, ``image``; or ``px``.
    confidence
        Predictions below do not count.

    Raises
    ------
    MetricsError
        When arrays do not fit each other, or an annotated instance lacks the box that distances are a share of.
    """
    check(study)
    truth = study.truth.taken(~study.truth.crowds & study.truth.known.any(axis=1))
    found = study.predictions.taken(study.predictions.scores >= confidence)
    diagonals = np.hypot(*study.images.T)
    units = {
        "box": truth.boxes_px[:, 2:].max(axis=1, initial=0),
        "image": diagonals[truth.places],
        "px": np.ones(len(truth)),
    }[reference]
    if not (units > 0).all():
        what = f"{int((~(units > 0)).sum())} annotated instances have no box, and distances are shares of it"
        raise MetricsError(f"{what}; draw every box, or choose --variant reference=image or reference=px")
    apart = np.full(truth.known.shape, np.nan)
    for true_rows, found_rows in _groups(truth, found, len(study.points)):
        distances = _distances(truth.taken(true_rows), found.taken(found_rows))
        closeness = np.clip(1 - np.nan_to_num(distances / diagonals[truth.places[true_rows[0]]], nan=1.0), 0, None)
        counts = truth.known[true_rows].sum(axis=1)
        for true, other in assigned((closeness.sum(axis=2) / counts[:, None]).tolist()):
            apart[true_rows[true]] = distances[true, other]
    shape = (len(study.names), len(study.points), study.most_points)
    at = (study.videos[truth.places], truth.classes["i"])

    def counted(values: FloatArray) -> FloatArray:
        total = np.zeros(shape)
        np.add.at(total, at, values)
        return total

    is_found = truth.known & ~np.isnan(apart)
    within = [counted((is_found & (np.nan_to_num(apart, nan=np.inf) <= one * units[:, None])).astype(np.float64)) for one in thresholds]
    own = (counted(truth.known.astype(np.float64)), counted(is_found.astype(np.float64)), counted(np.where(is_found, apart, 0.0)))
    stacked = np.array(within).reshape(len(thresholds), *shape)
    return Distances(study.names, study.points, *own, stacked, tuple(thresholds), reference)


def _groups(truth: PointRows, found: PointRows, classes: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield rows of both sides of each frame and class that both have."""
    keys, others = (side.places * classes + side.classes["i"] for side in (truth, found))
    order, ranked = np.argsort(keys, kind="stable"), np.argsort(others, kind="stable")
    shared = np.intersect1d(keys, others)
    starts, ends = (np.searchsorted(keys[order], shared, side=side) for side in ("left", "right"))
    firsts, lasts = (np.searchsorted(others[ranked], shared, side=side) for side in ("left", "right"))
    for start, end, first, last in zip(starts.tolist(), ends.tolist(), firsts.tolist(), lasts.tolist(), strict=True):
        yield order[start:end], ranked[first:last]


def _distances(truth: PointRows, found: PointRows) -> FloatArray:
    """Return the distances in px of points that both sides have, else NaN, (annotated, predicted, points)."""
    apart = np.hypot(*np.moveaxis(found.places_px[None] - truth.places_px[:, None], 3, 0))
    distances: FloatArray = np.where(truth.known[:, None] & found.known[None], apart, np.nan)
    return distances
