"""Semantic segmentation: Dice, IoU, normalised surface distance, Hausdorff distance of the pixels of a class in a frame.

Source: Maier-Hein et al., *Metrics Reloaded* (Nature Methods 21, 2024), which asks for an overlap (Dice or IoU) beside a distance of
boundaries (NSD, HD95), per class, with all images of a video as one case. The pixels of a class are the union of its instances in a frame,
those of crowds included.

- Dice is twice the shared pixels over the pixels of both; IoU the shared ones over those of either.
- NSD is the share of both boundaries that is at most the tolerance away from the other one (Nikolov et al. 2021), pixel by pixel.
- HD95 is the larger one of the 95th percentiles of the distances of both directions, in px.

`boundaries` says what a boundary is. The **tolerance** is in px of the pictures as they are labelled; it should be what two people would
differ by. Nobody has measured that for every data set: 10 px is what SAR-RARP50 was scored with, on pictures of 1920 x 1080.

**Not counted.** Pixels that the ground truth says are not counted (`ignore`) are taken out of both sides before anything is measured, so
that they are of no class; where both masks reach into such a region, both end at its edge.

**Empty.** A frame in which a class is neither annotated nor predicted has no value for it and is in no mean (``empty=left-out``): a class
that is rare would else look well segmented. ``empty=counted`` calls it perfect (1, and 0 px), as MetricsReloaded's program does for Dice,
if it is annotated in any frame of any video: what a vocabulary has beyond that counts nowhere, and a class that is only predicted is 0
where it is. A class on one side only has 0; its HD95 is the diagonal of the picture, the worst there is, as a mean of distances must
have one.

A class has a value in each frame. ``scope=video-wise``: the mean over the frames of a video, then over videos. ``scope=global``: the mean
over the frames of all videos. The number itself is the mean over classes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrubin.evaluate.metrics.masks import FloatArray, IntArray, MaskStudy, boundaries, frames_of
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Value, Variant, exact, mean_of
from scrubin.labels.masks import rle

SOURCE = "Maier-Hein et al. 2024"
DICE = declare(
    "pixels Dice", task="detection", kinds=["pixels"], says="shared pixels of a class over the mean of both sides", source=SOURCE
)
IOU = declare("pixels IoU", task="detection", kinds=["pixels"], says="shared pixels over those of either side", source=SOURCE)
NSD = declare(
    "pixels NSD", task="detection", kinds=["pixels"], says="share of boundaries within the tolerance of the other one", source=SOURCE
)
HD95 = declare(
    "pixels HD95",
    task="detection",
    kinds=["pixels"],
    says="the larger of the 95th percentiles of the distance of boundaries in both directions, in px",
    source=SOURCE,
    less_is_better=True,
)
METRICS = (DICE, IOU, NSD, HD95)
PERFECT = (1.0, 1.0, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class Measured:
    """What every frame says of every class.

    Parameters
    ----------
    values
        (metrics, frames of all videos, classes), in the order of `METRICS`; NaN where a class is on neither side.
    starts
        (videos + 1,), where the frames of each video begin.
    names
        Of the videos.
    component
        Of which classes.
    options
        What was chosen, by name.
    further
        Classes that have a value, and that no label has.
    """

    values: FloatArray
    starts: IntArray
    names: tuple[str, ...]
    component: str
    options: dict[str, str]
    further: tuple[int, ...] = ()

    def results(self, scopes: Sequence[str], draw: IntArray | None = None) -> list[Result]:
        """Return every metric in every scope.

        Parameters
        ----------
        scopes
            ``video-wise`` or ``global``.
        draw
            Positions of videos, which may repeat; None: all.

        Returns
        -------
        list of Result
            `classes` with the number of frames (global) or of videos; `overall` with that of classes; `videos` with the mean over the
            classes of a video.
        """
        counts, sums = self._by_video
        videos = np.arange(len(self.names)) if draw is None else draw
        found = []
        for at, metric in enumerate(METRICS):
            means = _divided(sums[at], counts[at])
            own = {} if draw is not None else {name: mean_of(of_video) for name, of_video in zip(self.names, means, strict=True)}
            for scope in scopes:
                if scope == "global":
                    number = counts[at][videos].sum(axis=0)
                    classes = _divided(sums[at][videos].sum(axis=0), number)
                else:
                    number = (counts[at][videos] > 0).sum(axis=0)
                    classes = _divided(np.nansum(means[videos], axis=0), number)
                values = {str(class_): Value(float(classes[class_]), int(number[class_])) for class_ in range(len(classes))}
                options = {**self.options, "component": self.component, "classes": str(len(classes)), "scope": scope}
                if metric != NSD:
                    del options["tolerance"]
                found.append(Result(Variant(metric, "paper", options), mean_of(classes), values, own if scope == "video-wise" else {}))
        return found

    @cached_property
    def _by_video(self) -> tuple[IntArray, FloatArray]:
        """Return how many frames have a value, and their sum, (metrics, videos, classes) each."""
        spans = list(zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True))
        defined = ~np.isnan(self.values)
        filled = np.where(defined, self.values, 0.0)
        return (
            np.stack([defined[:, start:end].sum(axis=1) for start, end in spans], axis=1),
            np.stack([filled[:, start:end].sum(axis=1) for start, end in spans], axis=1),
        )


def measured(study: MaskStudy, component: str, *, tolerance_px: float, confidence: float, empty: str) -> Measured:
    """Measure every class of a component in every frame.

    Parameters
    ----------
    tolerance_px
        Of the surface distance.
    confidence
        Detections below do not count.
    empty
        ``left-out`` or ``counted``, where a class is on neither side.

    Raises
    ------
    MetricsError
        When the runs of a mask do not cover its picture.
    """
    values = np.full((len(METRICS), len(study.images), study.sizes[component]), math.nan)
    labelled = np.zeros(study.sizes[component], np.bool_)
    for frame in frames_of(study):
        of_truth = study.truth.classes[component][frame.truth]
        counts = study.predictions.scores[frame.found] >= confidence
        of_found = study.predictions.classes[component][frame.found]
        for class_ in np.union1d(of_truth, of_found[counts]).tolist():
            true = [frame.true_masks[at] for at in np.flatnonzero(of_truth == class_).tolist()]
            found = [frame.found_masks[at] for at in np.flatnonzero((of_found == class_) & counts).tolist()]
            joined = [side[0] if len(side) == 1 else rle.union(side, frame.height * frame.width) for side in (true, found)]
            truth, prediction = frame.counted(joined)
            labelled[class_] |= rle.area(truth) > 0
            values[:, frame.place, class_] = of_class(truth, prediction, frame.height, frame.width, tolerance_px)
    further = np.flatnonzero(~np.isnan(values).all(axis=(0, 1)) & ~labelled).tolist()
    if empty == "counted":
        # A class that no label has is not there to be segmented: who invents it would have it right in all other frames.
        values = np.where(np.isnan(values) & labelled, np.array(PERFECT)[:, None, None], values)
    options = {"tolerance": f"{exact(tolerance_px)} px", "confidence": exact(confidence), "empty": empty}
    return Measured(values, study.starts, study.names, component, options, tuple(further))


def of_class(truth: IntArray, prediction: IntArray, height: int, width: int, tolerance_px: float) -> tuple[float, float, float, float]:
    """Return Dice, IoU, NSD and HD95 of two masks of a picture; four times NaN where both are empty."""
    areas = rle.area(truth), rle.area(prediction)
    if not any(areas):
        return (math.nan,) * 4
    if not all(areas):
        return 0.0, 0.0, 0.0, boundaries.diagonal(height, width)
    shared = int(rle.intersections([truth], [prediction])[0, 0])
    apart = boundaries.distances(*(rle.picture(runs, height, width) for runs in (truth, prediction)))
    near, far = boundaries.within(apart, tolerance_px), boundaries.percentile_95(apart)
    return 2 * shared / sum(areas), shared / (sum(areas) - shared), near, far


def _divided(sums: FloatArray, counts: IntArray) -> FloatArray:
    means: FloatArray = np.divide(sums, counts, out=np.full(sums.shape, math.nan), where=counts > 0)
    return means
