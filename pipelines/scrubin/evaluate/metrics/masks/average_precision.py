"""Average precision and average recall of masks, all twelve numbers that COCO prints.

Source: COCO's detection challenge, *Metrics*, and pycocotools' ``COCOeval`` of ``segm``. The rules are those of `detection.sizes`, with the
IoU of masks. The size of an annotated instance is the area that its file states, else that of its mask; that of a detection is the area of
its mask. With a crowd, the overlap is the share of the detection that lies inside. Pixels that the ground truth says are not counted are
a crowd of every class.

Average recall is the largest recall that is reached by the 1, 10 or 100 most confident detections of a class in a frame, the mean over
IoU 0.50, 0.55 ... 0.95 and over classes. A class without an annotated instance of the size is undefined and not in the mean.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scrubin.evaluate.metrics.detection import sizes
from scrubin.evaluate.metrics.detection.sizes import IOUS, MOST, SIZES, SizedDetections
from scrubin.evaluate.metrics.masks import FloatArray, IntArray, MaskRows, MaskStudy, frames_of
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result
from scrubin.labels.masks import rle

SOURCE = "COCO, *Metrics*"
PRECISION = declare("mask AP", task="detection", kinds=["masks"], says="average precision of masks, as pycocotools has it", source=SOURCE)
RECALL = declare("mask AR", task="detection", kinds=["masks"], says="average recall of masks, as pycocotools has it", source=SOURCE)
EVERY_IOU = tuple(range(len(IOUS)))
OF_IOUS = {"0.5:0.95": EVERY_IOU, "0.5": EVERY_IOU[:1], "0.75": EVERY_IOU[5:6]}
DETECTIONS = (1, 10, MOST)


def matched(study: MaskStudy, component: str) -> SizedDetections:
    """Match the detections of a component at every IoU and for every size of a mask.

    Raises
    ------
    MetricsError
        When the runs of a mask do not cover its picture.
    """
    study = _with_crowds(study, component)
    true_areas, found_areas = np.full(len(study.truth), np.nan), np.zeros(len(study.predictions))
    by_place: dict[int, tuple[int, int, FloatArray]] = {}
    for frame in frames_of(study):
        true_areas[frame.truth], found_areas[frame.found] = rle.areas(frame.true_masks), rle.areas(frame.found_masks)
        if len(frame.truth) and len(frame.found):
            ious = rle.ious(frame.found_masks, frame.true_masks, study.truth.crowds[frame.truth])
            by_place[frame.place] = (int(frame.found[0]), int(frame.truth[0]), ious)

    def in_frame(truth: IntArray, found: IntArray) -> FloatArray:
        if not len(truth):
            return np.zeros((len(found), 0))
        first_found, first_true, ious = by_place[int(study.truth.places[truth[0]])]
        return ious[np.ix_(found - first_found, truth - first_true)]

    stated = study.truth.areas
    areas = (np.where(np.isnan(stated), true_areas, stated), found_areas)
    return sizes.decided(study.truth, study.predictions, component, study.sizes[component], study.starts, areas, in_frame)


def _with_crowds(study: MaskStudy, component: str) -> MaskStudy:
    """Return the study with what is not counted as a crowd of each class that is predicted in the frame."""
    if not study.ignored:
        return study
    truth, found = study.truth, study.predictions
    classes = study.sizes[component]
    keys = np.unique(found.places * classes + found.classes[component])
    keys = keys[np.isin(keys // classes, list(study.ignored))]
    places = np.concatenate([truth.places, keys // classes])
    order = np.argsort(places, kind="stable")
    added = np.ones(len(keys))
    masks = [*truth.masks, *(study.ignored[place] for place in (keys // classes).tolist())]
    rows = MaskRows(
        places[order],
        {component: np.concatenate([truth.classes[component], keys % classes])[order]},
        [masks[at] for at in order.tolist()],
        np.concatenate([truth.scores, added])[order],
        np.concatenate([truth.crowds, added > 0])[order],
        np.concatenate([truth.areas, np.nan * added])[order],
    )
    return replace(study, truth=rows)


def results(decided: SizedDetections, draw: IntArray | None = None) -> list[Result]:
    """Return AP, AP at IoU 0.5 and 0.75, AP by size, AR by number of detections and by size.

    Parameters
    ----------
    decided
        As `matched` returns it.
    draw
        Positions of videos, which may repeat; None: all.

    Returns
    -------
    list of Result
        `overall` with the number of classes, `classes` with the number of annotated instances.
    """
    drawn = decided.drawn(draw)

    def precision(iou: str, size: str) -> Result:
        options = {"iou": iou, "interpolation": "101-point"}
        return decided.result(PRECISION, size, options, lambda rows, at, count: decided.average(rows, at, count, OF_IOUS[iou]), drawn)

    def recall(most: int, size: str) -> Result:
        options = {"iou": "0.5:0.95", "detections": str(most)}
        return decided.result(RECALL, size, options, lambda rows, at, count: decided.recall(rows, at, count, most), drawn)

    by_size = [name for name in SIZES if name != "all"]
    precisions = [*(precision(iou, "all") for iou in OF_IOUS), *(precision("0.5:0.95", size) for size in by_size)]
    return [*precisions, *(recall(most, "all") for most in DETECTIONS), *(recall(MOST, size) for size in by_size)]
