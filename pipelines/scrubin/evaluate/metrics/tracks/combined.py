"""Metrics of tracks over videos and classes: every number is made of sums, which are counted once and added for any draw of videos.

Classes are put together in three ways, and each has its name: ``one``, all boxes as one class, as CholecTrack20's benchmark has it;
``pooled``, the sums of all classes added; ``averaged``, the mean of the numbers of single classes. In the last two, boxes of different
classes are never matched. Videos are always added, as in TrackEval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from scrubin.evaluate.metrics.bootstrap import Draw
from scrubin.evaluate.metrics.inputs import each_once
from scrubin.evaluate.metrics.registry import Quirk
from scrubin.evaluate.metrics.result import Result, Semantics, Value, Variant, exact, taking_part
from scrubin.evaluate.metrics.tracks import BoolArray, FloatArray, TrackVideo, checked, clear, hota, identity
from scrubin.evaluate.metrics.tracks.overlaps import of_class, overlaps
from scrubin.evaluate.metrics.variants import CLASSES_TOGETHER, TRACK_CLASSES

Measures = Mapping[str, tuple[FloatArray, FloatArray]]
COUNTED = tuple(clear.COUNTS)
"""Numbers that are counts: over classes they are added."""

QUIRKS = (
    Quirk(
        "nothing-to-track",
        "choice",
        "TrackEval: where there is nothing to divide by, the number is 0, of LocA 1. A video without annotated boxes has MOTA 0; added to "
        "others, its false boxes count.",
        "Undefined, with a count of 0; at single thresholds of HOTA's numbers as published.",
        "As published.",
    ),
    Quirk(
        "absent-classes",
        "choice",
        "TrackEval: the mean over classes has every class of the data set; a class that neither side has counts as 0, of LocA as 1.",
        "The mean is over classes that take part by the labels, of which the number is defined; counts are of all that are predicted, too.",
        "As published: over all instruments of the vocabulary, or those of the labels where these alone say which there are; so are "
        "counts and what is pooled.",
    ),
    Quirk(
        "frame-before",
        "choice",
        "TrackEval: frames in which one side has no box are passed over: what was matched before them stays matched, and no track is "
        "interrupted by them.",
        "As published; but a track that is annotated in them is missed, which interrupts it.",
        "As published.",
    ),
    Quirk(
        "track-out-of-view",
        "choice",
        "TrackEval: Frag also counts a track that leaves the view and is found when it comes back, if the frames between have other boxes; "
        "py-motmetrics does not.",
        "Only a track that is missed in a frame in which it is annotated, and found again.",
        "As published.",
    ),
    Quirk(
        "thresholds-rounded",
        "choice",
        "TrackEval: an overlap may be 2e-16 less than the threshold in HOTA and CLEAR, not in IDF1.",
        "As published.",
        "As published.",
    ),
    Quirk(
        "boxes-of-other-classes",
        "choice",
        "CholecTrack20's copy of TrackEval, of one class: predictions of any class stay, but for those on annotated boxes of another.",
        "Predictions of the class only, as the data sets of TrackEval have it.",
        "As with paper. All classes as one, as the benchmark's tables are, are the same in all three.",
    ),
)


@dataclass(frozen=True, eq=False)
class Sums:
    """What is counted of every video and class.

    Parameters
    ----------
    names
        The videos.
    of_hota, of_clear, of_identity
        (videos, classes + 1, ...): of each class, and last of all classes as one.
    threshold
        Least IoU of CLEAR and identity.
    there
        (classes,): those of the labels, which take part in a mean.
    """

    names: tuple[str, ...]
    of_hota: FloatArray
    of_clear: FloatArray
    of_identity: FloatArray
    threshold: float
    there: BoolArray

    def counting(self, semantics: Semantics) -> BoolArray:
        """(classes,): those that are added: all, as what is predicted of others is false; TrackEval sees those of the labels alone."""
        return self.there if semantics == "compat" else np.ones_like(self.there)

    def measures(self, which: Draw | slice, semantics: Semantics, *, pooled: bool, added: bool) -> Measures:
        """Return every metric with the count behind it, of videos added or each by itself.

        Parameters
        ----------
        which
            Positions of videos, with repetition.
        semantics
            Fragments, and classes that the labels do not have, are counted as the paper has them, or as TrackEval.
        pooled
            Whether classes are added; else there is one number for each, and last that of all as one.
        added
            Whether videos are added.

        Returns
        -------
        dict
            By name: (videos where they are not added, classes + 1 where they are not pooled).
        """
        parts = [counted[which] for counted in (self.of_hota, self.of_clear, self.of_identity)]
        if pooled:
            parts = [part[:, :-1][:, self.counting(semantics)].sum(axis=1) for part in parts]
        if added:
            parts = [part.sum(axis=0) for part in parts]
        return {**hota.measures(parts[0]), **clear.measures(parts[1], semantics), **identity.measures(parts[2])}


def counted(videos: Sequence[TrackVideo], classes: int, threshold: float, there: Sequence[int] | None = None) -> Sums:
    """Return the sums of all videos.

    Parameters
    ----------
    classes
        How many there are.
    threshold
        Least IoU of a true box, for CLEAR and identity.
    there
        Ids of those that take part in a mean; None: all.

    Raises
    ------
    MetricsError
        When a video cannot be used, or comes twice.
    """
    of_hota, of_clear, of_identity = [], [], []
    for video in each_once(videos):
        truth = checked(video.truth, video.length, f"annotations of {video.name}")
        predictions = checked(video.predictions, video.length, f"predictions of {video.name}")
        every = overlaps(truth, predictions)
        groups = [of_class(every, truth.classes == class_, predictions.classes == class_) for class_ in range(classes)]
        of_hota.append([hota.counts(one) for one in (*groups, every)])
        of_clear.append([clear.counts(one, threshold) for one in (*groups, every)])
        of_identity.append([identity.counts(one, threshold) for one in (*groups, every)])
    names = tuple(video.name for video in videos)
    takes_part: BoolArray = np.isin(np.arange(classes), range(classes) if there is None else there)
    return Sums(names, np.array(of_hota), np.array(of_clear), np.array(of_identity), threshold, takes_part)


def results(sums: Sums, together: str, semantics: Semantics, options: Mapping[str, str], draw: Draw | None = None) -> list[Result]:
    """Return every metric of some videos.

    Parameters
    ----------
    together
        How classes are put together: ``one``, ``averaged``, ``pooled`` or ``all`` of these.
    semantics
        ``paper``: undefined where there is nothing to divide; ``compat``: as TrackEval has it.
    options
        What else is to be said of the variants.
    draw
        Positions of videos; None: all as they are.
    """
    which: Draw | slice = slice(None) if draw is None else draw
    names = sums.names if draw is None else ()

    @cache
    def measured(*, pooled: bool, added: bool) -> dict[str, tuple[FloatArray, FloatArray]]:
        of = sums.measures(which, semantics, pooled=pooled, added=added)
        return {name: (_shown(name, value, n, semantics, added=added), n) for name, (value, n) in of.items()}

    every = []
    for way in CLASSES_TOGETHER if together == TRACK_CLASSES else (together,):
        whole = measured(pooled=way == "pooled", added=True)
        single = measured(pooled=way == "pooled", added=False) if names else {}
        for name in whole:
            said = {**options, "classes": way} | ({"iou": exact(sums.threshold)} if name not in hota.SAYS else {})
            of = sums.counting(semantics) if name in COUNTED else sums.there
            # In a mean over classes, and wherever the published program sees some classes only.
            is_of_some = (way == "averaged" and name not in COUNTED) or (semantics == "compat" and way != "one")
            stated = taking_part(np.flatnonzero(sums.there).tolist(), len(sums.there)) if is_of_some else {}
            variant = Variant(f"tracks {name}", semantics, said, stated)
            overall = _over_classes(name, way, *whole[name], of)
            by_video = {video: _over_classes(name, way, single[name][0][at], single[name][1][at], of) for at, video in enumerate(names)}
            classes = _by_class(*whole[name]) if way == "averaged" and draw is None else {}
            curves = _curves(sums) if (name, way) == ("HOTA", "one") and draw is None else {}
            every.append(Result(variant, overall, classes, by_video, curves))
    return every


def _shown(name: str, value: FloatArray, n: FloatArray, semantics: Semantics, *, added: bool) -> FloatArray:
    if semantics == "paper":
        return np.where(n > 0, value, np.nan)
    # A single video without annotated boxes is left before MOTA is computed.
    return np.where(n > 0, value, 0.0) if name == "MOTA" and not added else value


def _over_classes(name: str, way: str, values: FloatArray, counts: FloatArray, classes: BoolArray) -> Value:
    """Return one number of those of these classes that have one: the sum of counts, else the mean; its count is how many it is made of."""
    if way == "pooled":
        return Value(float(values), round(float(counts)))
    if way == "one":
        return Value(float(values[-1]), round(float(counts[-1])))
    of = values[:-1][classes & ~np.isnan(values[:-1])]
    if not len(of):
        return Value(float("nan"), 0)
    return Value(float(of.sum() if name in COUNTED else of.mean()), len(of))


def _by_class(values: FloatArray, counts: FloatArray) -> dict[str, Value]:
    found = zip(values[:-1].tolist(), counts[:-1].tolist(), strict=True)
    return {str(class_): Value(value, round(n)) for class_, (value, n) in enumerate(found)}


def _curves(sums: Sums) -> dict[str, dict[str, list[float]]]:
    """Return HOTA and its parts at each threshold, of all classes as one."""
    at = hota.at_thresholds(sums.of_hota[:, -1].sum(axis=0))
    return {"all": {"threshold": hota.ALPHAS.round(2).tolist(), **{name: values.tolist() for name, values in at.items()}}}
