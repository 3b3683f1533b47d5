"""Average precision of small, medium or large boxes, as COCO has it.

Source: COCO's detection challenge, *Metrics*, and pycocotools' ``COCOeval``: a box is small up to 32 x 32 px, medium from there up to 96 x
96 px, and large from there on; limits belong to both sides. Average precision is the mean over IoU 0.50, 0.55 ... 0.95 and over classes, of
the best precision at 101 levels of recall, over the 100 most confident detections of a class in a frame.

Annotated boxes of another size are ignored: who finds one is neither right nor wrong. A detection takes the free annotated box of its class
with the greatest IoU, and one that is ignored only when no other is left; unmatched, it counts as false only when it is of this size
itself. The size of a box is the area that is known of it, as COCO's data state that of the mask, else width times height. Of detections
pycocotools knows it of a result that has a mask and no box: it is that of the mask.

A crowd (``iscrowd``) is ignored at every size, any number of detections may take it, and its IoU is the share of the detection that lies
inside. Detections of equal confidence in different frames are one threshold, as everywhere here; COCO lets the order of images decide.
Those of one frame take turns in the order of the file, as in COCO; elsewhere here they are one threshold, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from scrubin.base import statistics
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.detection import BoolArray, Boxes, FloatArray, IntArray, Scene
from scrubin.evaluate.metrics.detection.average_precision import area, curve
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Value, Variant, mean_over

SMALL, MEDIUM = 32.0**2, 96.0**2
"""Area in square pixels up to which a box is small, and medium."""
SIZES = {"all": (0.0, math.inf), "small": (0.0, SMALL), "medium": (SMALL, MEDIUM), "large": (MEDIUM, math.inf)}
SAID = {"all": "any", "small": "up to 32 x 32 px", "medium": "32 x 32 to 96 x 96 px", "large": "from 96 x 96 px"}
IOUS = np.linspace(0.5, 0.95, 10)
"""The very numbers of COCO."""
MOST = 100
METRIC = declare(
    "triplet detection AP by size",
    task="detection",
    kinds=["sizes"],
    says="average precision of small, medium and large boxes, as pycocotools has it",
    source="COCO, *Metrics*",
)
ROUNDING = 6
"""Decimals of a pixel: boxes are fractions of the image, and what was a whole number of pixels is one again."""


OfClass = Callable[[IntArray, int, int], float]
"""Detections of a class by falling confidence, the place of a size, and how many are annotated, to a number."""


@dataclass(frozen=True, eq=False)
class SizedDetections:
    """What is decided of each detection and each annotated box of a component.

    Parameters
    ----------
    videos, classes, scores, turns, ranks
        (detections,), turns among equal confidences of a frame and class, and ranks from 0 among all of them.
    hits, ignored
        (detections, sizes, IoUs).
    positives
        (videos, classes, sizes), annotated boxes that count.
    component
        Whose class it is.
    """

    videos: IntArray
    classes: IntArray
    scores: FloatArray
    turns: IntArray
    ranks: IntArray
    hits: BoolArray
    ignored: BoolArray
    positives: IntArray
    component: str

    def results(self, draw: IntArray | None = None) -> list[Result]:
        """Return the average precision of every size, per class and its mean; n is the number of classes, of a class that of boxes.

        Parameters
        ----------
        draw
            Positions of videos, which may repeat; None: all.
        """
        drawn, options = self.drawn(draw), {"iou": "0.5:0.95", "interpolation": "101-point"}
        return [self.result(METRIC, size, options, self.average, drawn) for size in SIZES]

    def result(
        self, metric: str, size: str, options: Mapping[str, str], of_class: OfClass, drawn: tuple[list[IntArray], IntArray]
    ) -> Result:
        """Return a number of one size, per class and its mean; ``drawn`` is what `drawn` returns."""
        at = list(SIZES).index(size)
        numbers = drawn[1][:, at].tolist()
        classes = {
            str(class_): Value(of_class(rows, at, number), number)
            for class_, (rows, number) in enumerate(zip(drawn[0], numbers, strict=True))
        }
        common = {"component": self.component, "classes": str(len(classes)), "scope": "global", "size": f"{size} ({SAID[size]})"}
        return Result(Variant(metric, "paper", {**common, **options}), mean_over(classes.values()), classes)

    def drawn(self, draw: IntArray | None) -> tuple[list[IntArray], IntArray]:
        """Return the detections of each class by falling confidence, and the number of annotated ones (classes, sizes)."""
        videos = np.arange(len(self.positives)) if draw is None else draw
        times = np.bincount(videos, minlength=len(self.positives))
        positives: IntArray = self.positives[videos].sum(axis=0)
        return [np.repeat(rows, times[self.videos[rows]]) for rows in self._ranked], positives

    @cached_property
    def _ranked(self) -> list[IntArray]:
        """The detections of each class by falling confidence; a draw repeats them, and keeps their order."""
        ranked = np.lexsort((self.turns, -self.scores))
        return [ranked[self.classes[ranked] == class_] for class_ in range(self.positives.shape[1])]

    def average(self, rows: IntArray, size: int, positives: int, ious: Sequence[int] = tuple(range(len(IOUS)))) -> float:
        """Return the average precision of detections by falling confidence, the mean over some of the IoUs; NaN without annotated ones."""
        if not positives:
            return math.nan
        values = []
        for iou in ious:
            kept = rows[~self.ignored[rows, size, iou]]
            of_curve = curve(self.hits[kept, size, iou], self.scores[kept], positives, self.turns[kept])
            values.append(float(area(of_curve, "101-point")))
        return statistics.mean(values)

    def recall(self, rows: IntArray, size: int, positives: int, most: int, ious: Sequence[int] = tuple(range(len(IOUS)))) -> float:
        """Return the share that is found by so many detections of a frame, the mean over some IoUs; NaN without annotated ones."""
        if not positives:
            return math.nan
        kept = rows[self.ranks[rows] < most]
        return statistics.mean((self.hits[kept, size].sum(axis=0)[list(ious)] / positives).tolist())


class _Side(Protocol):
    """What matching takes of one side, in order of frames."""

    @property
    def places(self) -> IntArray: ...

    @property
    def classes(self) -> Mapping[str, IntArray]: ...

    @property
    def scores(self) -> FloatArray: ...

    @property
    def crowds(self) -> BoolArray: ...


OverlapsOf = Callable[[IntArray, IntArray], FloatArray]
"""Rows of annotated and of predicted instances of one frame to their IoUs, (detections, annotated)."""


def sized(scene: Scene, component: str, images: FloatArray) -> SizedDetections:
    """Match the detections of a component at every IoU and for every size.

    Parameters
    ----------
    scene
        Checked boxes, as fractions of the image.
    component
        Whose class must be right.
    images
        (frames of all videos, 2), width and height of the image in px.

    Raises
    ------
    MetricsError
        When the sizes are not one per frame, or one is not above 0.
    """
    classes = scene.size(component)
    if images.shape != (int(scene.starts[-1]), 2) or not (images > 0).all():
        msg = (
            f"the sizes of images have the shape {images.shape} for {int(scene.starts[-1])} frames; give width and height above 0 for each"
        )
        raise MetricsError(msg)
    true_px, found_px = (_in_pixels(side, images) for side in (scene.truth, scene.predictions))
    crowds, sides = scene.truth.crowds, ((scene.truth, true_px), (scene.predictions, found_px))
    true_areas, found_areas = (np.where(np.isnan(side.areas), px[:, 2] * px[:, 3], side.areas) for side, px in sides)

    def overlaps(truth: IntArray, found: IntArray) -> FloatArray:
        return _overlaps(true_px[truth], found_px[found], crowds[truth])

    return decided(scene.truth, scene.predictions, component, classes, scene.starts, (true_areas, found_areas), overlaps)


def decided(
    truth: _Side,
    predictions: _Side,
    component: str,
    classes: int,
    starts: IntArray,
    areas_px2: tuple[FloatArray, FloatArray],
    overlaps_of: OverlapsOf,
    *,
    ignored: BoolArray | None = None,
    most: int = MOST,
) -> SizedDetections:
    """Match detections at every IoU and for every size, whatever they are: boxes, masks or points.

    Parameters
    ----------
    truth, predictions
        Both sides.
    component, classes
        Whose class must be right, and how many there are.
    starts
        (videos + 1,), where the frames of each video begin among all of them.
    areas_px2
        The area of each annotated and of each predicted instance.
    overlaps_of
        Gives the IoUs in a frame, with a crowd the share of the detection that lies inside.
    ignored
        (rows,), annotated instances that do not count; None: the crowds.
    most
        So many of the most confident detections of a class in a frame count.
    """
    of_truth = _of_sizes(areas_px2[0]) & ~(truth.crowds if ignored is None else ignored)[:, None]
    of_found = _of_sizes(areas_px2[1])
    kept: list[IntArray] = []
    turns: list[int] = []
    hits: list[BoolArray] = []
    passed_over: list[BoolArray] = []
    for true_rows, found_rows in _groups(truth, predictions, component, classes, most):
        right, passed = _matched(overlaps_of(true_rows, found_rows), of_truth[true_rows], truth.crowds[true_rows], of_found[found_rows])
        kept.append(found_rows)
        turns += _turns(predictions.scores[found_rows])
        hits.append(right)
        passed_over.append(passed)
    rows = np.concatenate([*kept, np.zeros(0, np.int64)])
    ranks = np.concatenate([*(np.arange(len(of_frame)) for of_frame in kept), np.zeros(0, np.int64)])
    videos = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    positives = np.zeros((len(starts) - 1, classes, len(SIZES)), np.int64)
    np.add.at(positives, (videos[truth.places], truth.classes[component]), of_truth)
    nothing = np.zeros((0, len(SIZES), len(IOUS)), np.bool_)
    right, passed = (np.concatenate([*every, nothing]) for every in (hits, passed_over))
    own = (videos[predictions.places[rows]], predictions.classes[component][rows], predictions.scores[rows])
    return SizedDetections(*own, np.array(turns, np.int64), ranks, right, passed, positives, component)


def _in_pixels(boxes: Boxes, images: FloatArray) -> FloatArray:
    sides = images[boxes.places]
    pixels: FloatArray = np.round(boxes.boxes * np.concatenate([sides, sides], axis=1), ROUNDING)
    return pixels


def _of_sizes(areas: FloatArray) -> BoolArray:
    """Return whether each box is of each size, (boxes, sizes)."""
    limits = np.array(list(SIZES.values()))
    inside: BoolArray = (areas[:, None] >= limits[:, 0]) & (areas[:, None] <= limits[:, 1])
    return inside


def _groups(truth: _Side, found: _Side, component: str, classes: int, most: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield rows of annotated and predicted boxes of each frame and class that has predictions, these by falling confidence."""
    keys, others = (side.places * classes + side.classes[component] for side in (truth, found))
    order = np.argsort(keys, kind="stable")
    ranked = np.lexsort((-found.scores, others))
    bounds = np.flatnonzero(np.diff(others[ranked], prepend=-1, append=-1))
    starts, ends = (np.searchsorted(keys[order], others[ranked[bounds[:-1]]], side=side) for side in ("left", "right"))
    for at, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        yield order[start:end], ranked[bounds[at] : bounds[at + 1]][:most]


def _overlaps(truth: FloatArray, found: FloatArray, crowds: BoolArray) -> FloatArray:
    """Return the IoU of each detection with each annotated box, with a crowd the share inside it, (detections, boxes)."""
    low = np.maximum(found[:, None, :2], truth[None, :, :2])
    high = np.minimum(found[:, None, :2] + found[:, None, 2:], truth[None, :, :2] + truth[None, :, 2:])
    sides = np.clip(high - low, 0, None)
    shared = sides[..., 0] * sides[..., 1]
    own = (found[:, 2] * found[:, 3])[:, None]
    whole = np.where(crowds[None, :], own, own + (truth[:, 2] * truth[:, 3])[None, :] - shared)
    ious: FloatArray = np.divide(shared, whole, out=np.zeros(shared.shape), where=whole > 0)
    return ious


def _matched(overlaps: FloatArray, of_truth: BoolArray, crowds: BoolArray, of_found: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Return which detections of a frame and class are hits, and which are ignored, (detections, sizes, IoUs)."""
    shape = (len(of_found), len(SIZES), len(IOUS))
    hits, ignored = np.zeros(shape, np.bool_), np.broadcast_to(~of_found[:, :, None], shape).copy()
    free = np.ones((len(of_truth), len(SIZES), len(IOUS)), np.bool_)
    if not len(of_truth):
        return hits, ignored
    counted = of_truth[:, :, None]
    for at, own in enumerate(overlaps):
        possible = free & (own[:, None, None] >= IOUS)
        first = possible & counted
        # A box that does not count is only taken where no other is left.
        some = np.where(first.any(axis=0), first, possible)
        reach = np.where(some, own[:, None, None], -1.0)
        # Of equals COCO takes the last one.
        best = len(own) - 1 - np.argmax(reach[::-1], axis=0)
        found = some.any(axis=0)
        sizes, ious = np.nonzero(found)
        free[best[sizes, ious], sizes, ious] = crowds[best[sizes, ious]]
        right = of_truth[best[sizes, ious], sizes]
        hits[at, sizes, ious] = right
        ignored[at, sizes, ious] = ~right
    return hits, ignored


def _turns(scores: FloatArray) -> list[int]:
    """Return the turn of each among equal ones, of falling scores.

    >>> _turns(np.array([0.9, 0.5, 0.5, 0.1]))
    [0, 0, 1, 0]
    """
    turns: list[int] = []
    before = math.nan
    for score in scores.tolist():
        turns.append(turns[-1] + 1 if score == before else 0)
        before = score
    return turns
