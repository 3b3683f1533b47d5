"""What the detection part of ivtmetrics returns: the release 0.1.5, or the later repository, which calls itself 0.1.2.

`compat_common.QUIRKS` names each difference from the definition. Where the published program ends with an error of any kind, this
raises `MetricsError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal, get_args

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.detection import (
    BoolArray,
    BoxStudy,
    FloatArray,
    IntArray,
    Scene,
    average_precision,
    checked,
    compat_common,
    video,
)
from scrubin.evaluate.metrics.detection.compat_common import ASSOCIATION, Accumulator, Tally, UpdateCounts
from scrubin.evaluate.metrics.detection.matching import (
    check_threshold,
    corners,
    joined,
    keys,
    nothing_yet,
    of_corners,
    run_bounds,
    taken_in_turn,
)
from scrubin.evaluate.metrics.result import Result, Value, Variant, exact, mean_of

Program = Literal["0.1.5", "0.1.2"]
CURVE = {"AP": "AP", "Rec": "recall", "Pre": "precision"}


class Detection(Accumulator):
    """The published accumulator.

    Boxes grow whenever they are compared, so that perfect predictions are not perfect when a frame holds two boxes of a class:

    >>> from scrubin.evaluate.metrics.detection import BoxRows
    >>> boxes, ids = [[0, 0, 0.5, 0.25], [0.5, 0.5, 0.25, 0.25]], {"ivt": [0, 0], "i": [0, 0]}
    >>> truth, detected = BoxRows([0, 0], [0, 0], ids, boxes), BoxRows([0, 0], [0, 0], ids, boxes, [0.9, 0.8])
    >>> perfect = BoxStudy(["a"], [1], {"ivt": 1, "i": 1}, truth, detected)
    >>> for in_place in (True, False):
    ...     one = Detection({"ivt": 1, "i": 1}, in_place=in_place)
    ...     one.update(perfect)
    ...     print(round(one.compute_video_ap()["AP"].overall.value, 4))
    0.5455
    1.0

    Parameters
    ----------
    sizes
        Classes of ``ivt`` and ``i``; the package calls them num_class and num_tool.
    threshold
        Least IoU of a true detection.
    program
        ``0.1.5``, or ``0.1.2`` for the repository's later commit: it has no association scores and counts an empty side of a frame as a
        box of the last class.
    in_place
        False: the same program with boxes that do not grow.

    Raises
    ------
    MetricsError
        When the program is none of the two, the threshold is none, or a component is missing.
    """

    def __init__(self, sizes: Mapping[str, int], threshold: float = 0.5, *, program: Program = "0.1.5", in_place: bool = True) -> None:
        if program not in get_args(Program):
            raise MetricsError(f"the program ivtmetrics {program!r} is not known; there are {', '.join(get_args(Program))}")
        if not {"ivt", "i"} <= set(sizes):
            raise MetricsError(f"numbers of classes are given for {', '.join(sorted(sizes)) or 'nothing'}; ivtmetrics needs ivt and i")
        self._sizes = {name: sizes[name] for name in ("ivt", "i")}
        self._threshold, self._program, self._in_place = check_threshold(threshold), program, in_place
        super().__init__()

    def update(self, study: BoxStudy | Scene) -> None:
        """Take frames of the open video.

        Parameters
        ----------
        study
            Its frames, in their order; if it holds several videos, all their frames are taken for one.

        Raises
        ------
        MetricsError
            When it cannot be used, or has other numbers of classes.
        """
        scene = compat_common.in_order(compat_common.with_sizes(study, self._sizes))
        tallies = {name: self._tally(scene, name) for name in self._sizes}
        cases = np.zeros(len(ASSOCIATION), dtype=np.int64)
        if self._program == "0.1.5":
            localised = self._hits(scene, "ivt", detections_grow=False)
            cases = compat_common.cases(scene, localised, self._threshold, in_place=self._in_place)
        self._slots.add(UpdateCounts(tallies, cases))

    def compute_ap(self, component: str = "ivt") -> dict[str, Result]:
        """Return AP, recall (``Rec``), best precision (``Pre``) and the association of the open video, or of the one closed last.

        Raises
        ------
        MetricsError
            When no frames were given yet.
        """
        slot = self._slots.last()
        return self._results(self._of_slot(slot, component), compat_common.cases_of(slot), "last video", component)

    def compute_video_ap(self, component: str = "ivt") -> dict[str, Result]:
        """Return the means over videos.

        Parameters
        ----------
        component
            ``ivt``; anything else returns the numbers of ``i``, as published.

        Returns
        -------
        dict
            ``AP``, ``Rec`` and ``Pre`` by class with the mean over classes; of 0.1.5 also the shares ``lm`` ... ``fn``.
        """
        slots = self._slots.videos()
        stacked = np.stack([self._once((component, *slot), partial(self._of_slot, slot, component))[0] for slot in slots], axis=1)
        named = {
            name: average_precision.over_videos(self._variant(full, "video-wise", component), values)
            for (name, full), values in zip(CURVE.items(), stacked, strict=True)
        }
        if self._program == "0.1.5":
            shares = np.stack([compat_common.shares_of(compat_common.cases_of(slot)) for slot in slots])
            for name, column in zip(ASSOCIATION, shares.T.tolist(), strict=True):
                named[name] = Result(self._variant(name, "video-wise", component), mean_of(column))
        return named

    def compute_global_ap(self, component: str = "ivt") -> dict[str, Result]:
        """Return AP, recall and best precision of the frames of all slots, in their order.

        Raises
        ------
        MetricsError
            Always in 0.1.5, which fails there.
        """
        if self._program == "0.1.5":
            msg = "compute_global_AP of ivtmetrics 0.1.5 always ends with KeyError: 'fp'; use program='0.1.2' or the paper semantics"
            raise MetricsError(msg)
        return self._results(self._of_slot(self._slots.everything(), component), None, "global", component)

    def _tally(self, scene: Scene, component: str) -> Tally:
        classes, hits = scene.predictions.classes[component], self._hits(scene, component, detections_grow=True)
        scores, positives = scene.predictions.scores, compat_common.positives_of(scene, component)
        if self._program == "0.1.2":
            # A side without boxes holds one of class -1, which is the last one; its place keeps the order of frames.
            last, frames = scene.size(component) - 1, np.arange(int(scene.starts[-1]))
            positives[last] += np.count_nonzero(~np.isin(frames, scene.truth.places))
            empty = frames[~np.isin(frames, scene.predictions.places)]
            at = np.searchsorted(scene.predictions.places, empty)
            classes, hits, scores = np.insert(classes, at, last), np.insert(hits, at, False), np.insert(scores, at, -1.0)
        return Tally(classes, hits[np.newaxis], scores, positives)

    def _hits(self, scene: Scene, component: str, *, detections_grow: bool) -> BoolArray:
        if not self._in_place:
            pairs = compat_common.first_fit(scene, component)
            return taken_in_turn(pairs, pairs.overlaps >= self._threshold, nothing_yet(scene)).hits
        return _first_fit_of_growing(scene, component, self._threshold, detections_grow=detections_grow)

    def _of_slot(self, slot: list[UpdateCounts], component: str) -> tuple[FloatArray, IntArray]:
        """Return AP, recall and best precision (3, classes), and annotated boxes (classes,)."""
        name = "ivt" if component == "ivt" else "i"
        tally = compat_common.together([counted.tallies[name] for counted in slot] or [compat_common.nothing(self._sizes[name], 1)])
        values = np.where(tally.positives > 0, 0.0, np.nan) * np.ones((3, 1))
        for id_, hits, _ in tally.by_class():
            values[:, id_] = _scored(hits[0], int(tally.positives[id_]))
        return values, tally.positives

    def _results(self, scored: tuple[FloatArray, IntArray], cases: IntArray | None, scope: str, component: str) -> dict[str, Result]:
        values, positives = scored
        named = {
            name: average_precision.of_classes(self._variant(full, scope, component), row, positives)
            for (name, full), row in zip(CURVE.items(), values, strict=True)
        }
        if cases is not None and self._program == "0.1.5":
            for name, share in zip(ASSOCIATION, compat_common.shares_of(cases).tolist(), strict=True):
                named[name] = Result(self._variant(name, scope, component), Value(share, int(cases.sum())))
        return named

    def _variant(self, metric: str, scope: str, component: str) -> Variant:
        options = {
            "program": f"ivtmetrics {self._program}",
            "component": component if component in self._sizes else f"{component} (as i)",
            "classes": str(self._sizes["ivt" if component == "ivt" else "i"]),
            "scope": scope,
            "iou": exact(self._threshold),
            "boxes": "in place" if self._in_place else "copied",
        }
        return Variant(f"triplet detection {metric}", "compat", options)


def of_videos(study: BoxStudy | Scene, threshold: float = 0.5, *, program: Program = "0.1.5", in_place: bool = True) -> Detection:
    """Return the published accumulator with each video closed; errors as `rows.checked`."""
    scene = checked(study)
    one = Detection(scene.sizes, threshold, program=program, in_place=in_place)
    for at in range(len(scene.names)):
        one.update(video(scene, at))
        one.video_end()
    return one


def _scored(hits: BoolArray, positives: int) -> tuple[float, float, float]:
    """Return AP of 11 points, last recall and best precision of detections in the order given; 0 without annotated boxes."""
    if not positives:
        return 0.0, 0.0, 0.0
    true = np.cumsum(hits)
    recall, precision = true / positives, true / (np.arange(len(hits)) + 1.0)
    best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    reached = best[np.searchsorted(recall, np.arange(11) / 10.0)]
    return float(np.sum(reached / 11.0)), float(recall[-1]), float(best[0])


def _first_fit_of_growing(scene: Scene, component: str, threshold: float, *, detections_grow: bool) -> BoolArray:
    """Return which detections are true when width and height grow by left and top at every comparison.

    Parameters
    ----------
    scene
        As `compat_common.in_order` returns it.
    component
        Only boxes of equal class are compared.
    threshold
        Least IoU.
    detections_grow
        Whether detections grow too, or annotated boxes only, as in the association.
    """
    of_detections = keys(scene.predictions, component, scene.size(component))
    of_truth = keys(scene.truth, component, scene.size(component))
    by_key, truth_by_key = np.argsort(of_detections, kind="stable"), np.argsort(of_truth, kind="stable")
    groups, truth_groups = run_bounds(of_detections[by_key]), run_bounds(of_truth[truth_by_key])
    own, others = joined(of_detections[by_key][groups[:-1]], of_truth[truth_by_key][truth_groups[:-1]])
    begins, truth_begins = groups[own], truth_groups[others]
    counts, truth_counts = groups[own + 1] - begins, truth_groups[others + 1] - truth_begins
    boxes, truth = scene.predictions.boxes[by_key], scene.truth.boxes[truth_by_key]
    served, free = np.zeros(len(boxes), dtype=np.bool_), np.ones(len(truth), dtype=np.bool_)
    # Groups of one frame and class do not touch each other: the same comparison is made in all of them at once.
    for turn in range(counts.max(initial=0)):
        active = np.flatnonzero(counts > turn)
        for other in range(truth_counts[active].max(initial=0)):
            group = active[truth_counts[active] > other]
            one, box = begins[group] + turn, truth_begins[group] + other
            open_ = free[box] & ~served[one]
            one, box = one[open_], box[open_]
            truth[box, 2:] += truth[box, :2]
            if detections_grow:
                boxes[one, 2:] += boxes[one, :2]
            overlaps = of_corners(truth[box], boxes[one] if detections_grow else corners(boxes[one]))
            fits = overlaps >= threshold
            served[one[fits]] = True
            free[box[fits]] = False
    hits = np.zeros(len(boxes), dtype=np.bool_)
    hits[by_key] = served
    return hits
