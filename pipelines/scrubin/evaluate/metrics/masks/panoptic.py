"""Panoptic quality: one number for finding instances and for drawing them.

Source: Kirillov et al., *Panoptic Segmentation* (CVPR 2019), equation 1; *Metrics Reloaded* has it for instances with an outline. In a
frame, an annotated and a predicted instance of one class belong together when their IoU is above 0.5. Over all frames of a class:

- segmentation quality (SQ) is the mean IoU of these pairs;
- recognition quality (RQ) is their number over itself, half of the false detections and half of the missed instances: F1;
- panoptic quality (PQ) is SQ times RQ: the sum of the IoUs over the same.

Detections have no confidence any more: those below ``confidence`` are left out. Where masks of a side overlap, an instance could have two
partners above 0.5; the pair of the largest IoU comes first, and each instance is in one. Without overlaps that is the paper's rule.

A crowd is no instance: it need not be found, and a detection of its class that is in no pair and lies inside by more than half is not
false. (Of several crowds of a class in a frame the program of the paper's authors knows the last one only; here all count together.)

**Not counted.** Pixels that the ground truth says are not counted are void, as in the paper: they are taken out of both masks before
their IoU, and a detection that is in no pair and lies by more than half in them, or in them and in crowds of its class, is not false. An
annotated instance of which nothing else is left need not be found.

**Empty.** A class that is neither annotated nor predicted is undefined and not in a mean. A class with instances but without a pair has PQ
and RQ 0; its SQ is a mean of nothing, so undefined. (The program of the paper's authors counts it as 0 there.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scrubin.evaluate.metrics.masks import BoolArray, FloatArray, Frame, IntArray, MaskStudy, frames_of
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Value, Variant, exact, mean_over
from scrubin.labels.masks import rle

SOURCE = "Kirillov et al. 2019"
QUALITY = declare(
    "panoptic quality", task="detection", kinds=["masks"], says="segmentation quality times recognition quality", source=SOURCE
)
SEGMENTATION = declare(
    "segmentation quality", task="detection", kinds=["masks"], says="mean IoU of instances that were found", source=SOURCE, column=False
)
RECOGNITION = declare(
    "recognition quality",
    task="detection",
    kinds=["masks"],
    says="F1 of instances, found at an IoU above 0.5",
    source=SOURCE,
    column=False,
)
LEAST = 0.5


@dataclass(frozen=True, eq=False)
class Counted:
    """What was counted, by video and class, (videos, classes) each.

    Parameters
    ----------
    pairs, missed, false
        Numbers of instances.
    overlap
        Sum of the IoUs of pairs.
    component, confidence
        Of which classes, from which confidence on.
    names
        Of the videos.
    further
        Classes that are only predicted: no label has them.
    """

    pairs: IntArray
    missed: IntArray
    false: IntArray
    overlap: FloatArray
    component: str
    confidence: float
    names: tuple[str, ...]
    further: tuple[int, ...] = ()

    def results(self, draw: IntArray | None = None) -> list[Result]:
        """Return PQ, SQ and RQ; n is the number of instances behind a class, of classes behind a mean; ``videos`` has their means.

        Parameters
        ----------
        draw
            Positions of videos, which may repeat; None: all.
        """
        videos = np.arange(len(self.names)) if draw is None else draw
        every = [of.sum(axis=0) for of in (self.pairs[videos], self.missed[videos], self.false[videos], self.overlap[videos])]
        options = {"component": self.component, "confidence": exact(self.confidence), "iou": "above 0.5", "scope": "global"}
        found = []
        for metric in (QUALITY, SEGMENTATION, RECOGNITION):
            classes = dict(enumerate(_values(metric, *every)))
            own: dict[str, Value] = {}
            if draw is None:
                rows = zip(self.pairs, self.missed, self.false, self.overlap, strict=True)
                own = {name: mean_over(_values(metric, *row)) for name, row in zip(self.names, rows, strict=True)}
            variant = Variant(metric, "paper", {**options, "classes": str(len(classes))})
            found.append(Result(variant, mean_over(classes.values()), {str(at): one for at, one in classes.items()}, own))
        return found


def counted(study: MaskStudy, component: str, confidence: float) -> Counted:
    """Count pairs, missed and false instances of a component.

    Parameters
    ----------
    confidence
        Detections below do not count.

    Raises
    ------
    MetricsError
        When the runs of a mask do not cover its picture.
    """
    shape = (len(study.names), study.sizes[component])
    pairs, missed, false = (np.zeros(shape, np.int64) for _ in range(3))
    overlap = np.zeros(shape)
    videos = study.videos
    for frame in frames_of(study):
        of_truth, of_found = study.truth.classes[component][frame.truth], study.predictions.classes[component][frame.found]
        counts = study.predictions.scores[frame.found] >= confidence
        true_masks = frame.counted(frame.true_masks)
        is_void = (rle.areas(true_masks) == 0) & (rle.areas(frame.true_masks) > 0)
        crowds = study.truth.crowds[frame.truth] | is_void
        ious = rle.ious(frame.counted(frame.found_masks), true_masks)
        found, true, ious = _pairs(ious, of_truth, of_found, counts, crowds)
        at = videos[frame.place]
        np.add.at(pairs[at], of_truth[true], 1)
        np.add.at(overlap[at], of_truth[true], ious)
        is_missed, is_false = ~crowds, counts & ~_inside_crowds(frame, of_truth, of_found, crowds)
        is_missed[true] = is_false[found] = False
        np.add.at(missed[at], of_truth[is_missed], 1)
        np.add.at(false[at], of_found[is_false], 1)
    further = np.setdiff1d(np.flatnonzero(false.any(axis=0)), study.truth.classes[component]).tolist()
    return Counted(pairs, missed, false, overlap, component, confidence, study.names, tuple(further))


def _pairs(
    ious: FloatArray, of_truth: IntArray, of_found: IntArray, counts: BoolArray, crowds: BoolArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return positions of paired detections and annotated instances of a frame, and their IoUs."""
    possible = (of_found[:, None] == of_truth) & counts[:, None] & ~crowds & (ious > LEAST)
    found, true = np.nonzero(possible)
    best_first = np.argsort(-ious[found, true], kind="stable")
    kept: list[int] = []
    taken: tuple[set[int], set[int]] = set(), set()
    for at in best_first.tolist():
        pair = int(found[at]), int(true[at])
        if pair[0] not in taken[0] and pair[1] not in taken[1]:
            kept.append(at)
            taken[0].add(pair[0])
            taken[1].add(pair[1])
    return found[kept], true[kept], ious[found[kept], true[kept]]


def _inside_crowds(frame: Frame, of_truth: IntArray, of_found: IntArray, crowds: BoolArray) -> BoolArray:
    """Return which detections lie by more than half inside of crowds of their class and of what is not counted."""
    inside = np.zeros(len(of_found), np.bool_)
    void = [] if frame.ignored is None else [frame.ignored]
    for class_ in np.unique(of_found if void else of_truth[crowds]).tolist():
        own = np.flatnonzero(of_found == class_)
        masks = [*(frame.true_masks[at] for at in np.flatnonzero(crowds & (of_truth == class_)).tolist()), *void]
        together = rle.union(masks, frame.height * frame.width)
        found = [frame.found_masks[at] for at in own.tolist()]
        inside[own] = 2 * rle.intersections(found, [together])[:, 0] > rle.areas(found)
    return inside


def _values(metric: str, pairs: IntArray, missed: IntArray, false: IntArray, overlap: FloatArray) -> list[Value]:
    """Return the value of each class."""
    values = []
    for hits, misses, alarms, sum_ in zip(pairs.tolist(), missed.tolist(), false.tolist(), overlap.tolist(), strict=True):
        every, weighed = hits + misses + alarms, hits + 0.5 * misses + 0.5 * alarms
        if metric == SEGMENTATION:
            values.append(Value(sum_ / hits if hits else math.nan, hits))
        else:
            values.append(Value((sum_ if metric == QUALITY else hits) / weighed if every else math.nan, every))
    return values
