"""Semantic segmentation: Dice, IoU, normalised surface distance, Hausdorff distance of the pixels of a class in a frame.

Source: Maier-Hein et al., *Metrics Reloaded* (Nature Methods 21, 2024), which asks for an overlap (Dice or IoU) beside a distance of
boundaries (NSD, HD95), per class, with all images of a video as one case. The pixels of a class are the union of its instances in a frame,
those of crowds included.

- Dice is twice the shared pixels over the pixels of both; IoU the shared ones over those of either.
- NSD is the share of both boundaries that is at most the tolerance away from the other one (Nikolov et al. 2021), pixel by pixel.
- HD95 is the larger one of the 95th percentiles of the distances of both directions, in px.

**Boundaries.** A pixel of a mask is on its boundary when one of its four neighbours is none of the mask; beyond the picture is none. The
distance of a boundary pixel to the other boundary is that between the centres of pixels, to the nearest one. That is what
MetricsReloaded's and MONAI's programs take with their first kind of neighbours; surface-distance of DeepMind weighs pieces of an outline
between pixels instead, which gives other numbers. The **tolerance** is in px of the pictures as they are labelled; it should be what two
people would differ by. Nobody has measured that for every data set: 10 px is what SAR-RARP50 was scored with, on pictures of 1920 x 1080.

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
import numpy.typing as npt

from scrubin.evaluate.metrics.masks import FloatArray, IntArray, MaskStudy, frames_of
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
BoolArray = npt.NDArray[np.bool_]
Squares = npt.NDArray[np.int32]
FAR = 1 << 15
"""Larger than any picture in px; its square twice fits into 32 bits, which are quicker than 64."""
AT_ONCE = 100_000
"""Distances computed together: so many stay near the processor."""


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
        return 0.0, 0.0, 0.0, diagonal(height, width)
    shared = int(rle.intersections([truth], [prediction])[0, 0])
    apart = boundary_distances(*(rle.picture(runs, height, width) for runs in (truth, prediction)))
    near, far = share_within(apart, tolerance_px), percentile_95(apart)
    return 2 * shared / sum(areas), shared / (sum(areas) - shared), near, far


def _divided(sums: FloatArray, counts: IntArray) -> FloatArray:
    means: FloatArray = np.divide(sums, counts, out=np.full(sums.shape, math.nan), where=counts > 0)
    return means


def boundary(pixels: BoolArray) -> BoolArray:
    """Return which pixels of a mask are on its boundary, (height, width).

    >>> boundary(np.ones((3, 4), bool)).astype(int).tolist()
    [[1, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]]
    """
    inner = np.zeros_like(pixels)
    middle = pixels[1:-1, 1:-1]
    inner[1:-1, 1:-1] = middle & pixels[:-2, 1:-1] & pixels[2:, 1:-1] & pixels[1:-1, :-2] & pixels[1:-1, 2:]
    edge: BoolArray = pixels & ~inner
    return edge


def boundary_distances(truth: BoolArray, found: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return how far each boundary pixel of either mask is from the boundary of the other, in px.

    Parameters
    ----------
    truth, found
        Masks of one picture, (height, width), neither empty.

    Returns
    -------
    tuple of FloatArray
        (boundary pixels of the truth,) and (boundary pixels of the prediction,).
    """
    both = truth | found
    rows, columns = np.flatnonzero(both.any(axis=1)), np.flatnonzero(both.any(axis=0))
    # What is cut off is none of either mask, as is what lies beyond the picture.
    part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    ones, others = (boundary(np.ascontiguousarray(mask[part])) for mask in (truth, found))
    return _to_nearest(ones, others), _to_nearest(others, ones)


def share_within(distances_px: tuple[FloatArray, FloatArray], tolerance_px: float) -> float:
    """Return the share of both boundaries that is at most so far from the other: the normalised surface distance."""
    near = sum(int((one <= tolerance_px).sum()) for one in distances_px)
    return near / sum(len(one) for one in distances_px)


def percentile_95(distances_px: tuple[FloatArray, FloatArray]) -> float:
    """Return the larger one of the 95th percentiles of both directions in px, between two values on the line through them."""
    return max(float(np.percentile(one, 95)) for one in distances_px)


def diagonal(height: int, width: int) -> float:
    """Return the length of the diagonal of a picture in px: no two pixels are as far apart."""
    return math.hypot(height, width)


def _to_nearest(ones: BoolArray, others: BoolArray) -> FloatArray:
    """Return the distance of each pixel of one set to the nearest of the other, which has some."""
    rows, columns = (numbers.astype(np.int32) for numbers in np.nonzero(ones))
    own = np.flatnonzero(others.any(axis=0)).astype(np.int32)
    upright = _in_columns(others[:, own])
    nearest = np.empty(len(rows), np.int32)
    at_once = max(1, AT_ONCE // len(own))
    for first in range(0, len(rows), at_once):
        part = slice(first, first + at_once)
        aside = columns[part, None] - own[None, :]
        aside *= aside
        aside += upright[rows[part]]
        nearest[part] = aside.min(axis=1)
    lengths: FloatArray = np.sqrt(nearest)
    return lengths


def _in_columns(pixels: BoolArray) -> Squares:
    """Return the squared distance of every pixel to the nearest one that is set in its column, (height, columns)."""
    numbers = np.arange(len(pixels), dtype=np.int32)[:, None]
    above = np.maximum.accumulate(np.where(pixels, numbers, np.int32(-FAR)), axis=0)
    below = np.minimum.accumulate(np.where(pixels, numbers, np.int32(FAR))[::-1], axis=0)[::-1]
    away: Squares = np.minimum(numbers - above, below - numbers)
    return np.ascontiguousarray(away * away)
