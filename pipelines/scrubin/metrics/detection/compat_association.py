"""The association scores as the published packages count them.

Five stages over the detections of a frame, of which three have faults: row number 0 is taken for "not found", detections of
triplets that are not annotated vanish when no other is left, and an identity miss uses up no box. See `quirks`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from scrubin.metrics.detection.boxes import corners
from scrubin.metrics.detection.compat_common import ASSOCIATION
from scrubin.metrics.detection.matching import occurring
from scrubin.metrics.detection.rows import BoolArray, Boxes, FloatArray, IntArray, Scene

# Identity and numbers: of an annotated box left, top, width, height; of a detection left, top, right, bottom, area.
Row = tuple[int, list[float]]


def cases(scene: Scene, localised: BoolArray, threshold: float, *, in_place: bool) -> IntArray:
    """Return the seven counts (7,) of all frames.

    Parameters
    ----------
    scene
        As `published.in_order` returns it.
    localised
        (detections,), which of them the first stage serves.
    threshold
        IoU of a localisation: inclusive in the first stage, exclusive later.
    in_place
        Whether annotated boxes grow at every comparison.
    """
    truth, found = scene.truth, scene.predictions
    frames = int(scene.starts[-1])
    annotated, detected = np.bincount(truth.places, minlength=frames), np.bincount(found.places, minlength=frames)
    known = occurring(_keys(found.places, found.classes["ivt"], scene), _keys(truth.places, truth.classes["ivt"], scene))
    served = np.bincount(found.places[localised], minlength=frames)
    # Where the first stage serves all that are known, the rest vanish, and nothing is left to decide.
    settled = served == np.bincount(found.places[known], minlength=frames)
    both = (annotated > 0) & (detected > 0)
    total = np.zeros(len(ASSOCIATION), dtype=np.int64)
    total[0] = served[both & settled].sum()
    total[5] = detected[annotated == 0].sum()
    total[6] = annotated[detected == 0].sum() + (annotated - served)[both & settled].sum()
    unsettled = both & ~settled
    truth, found = truth.taken(unsettled[truth.places]), found.taken(unsettled[found.places])
    edges = corners(found.boxes)
    areas = np.prod(edges[:, 2:] - edges[:, :2], axis=1)
    truth_rows, found_rows = _rows(truth, truth.boxes), _rows(found, np.column_stack([edges, areas]))
    begin, truth_begin, sums = 0, 0, [total.tolist()]
    for of_truth, of_found in zip(annotated[unsettled].tolist(), detected[unsettled].tolist(), strict=True):
        left, detections = truth_rows[truth_begin : truth_begin + of_truth], found_rows[begin : begin + of_found]
        sums.append(_Frame(left, threshold, in_place).counted(detections))
        begin, truth_begin = begin + of_found, truth_begin + of_truth
    counted: IntArray = np.sum(np.array(sums, dtype=np.int64), axis=0)
    return counted


def _keys(places: IntArray, ids: IntArray, scene: Scene) -> IntArray:
    return places * scene.size("ivt") + ids


def _rows(side: Boxes, numbers: FloatArray) -> list[Row]:
    return list(zip(side.classes["ivt"].tolist(), numbers.tolist(), strict=True))


@dataclass
class _Frame:
    """One frame, with the boxes that are left."""

    left: list[Row]
    threshold: float
    in_place: bool

    def counted(self, detections: list[Row]) -> list[int]:
        annotated = {id_ for id_, _ in self.left}
        known = [row for row in detections if row[0] in annotated]
        unknown = [row for row in detections if row[0] not in annotated]
        partly = self._remaining(known, self._localised)
        switched = self._remaining(partly, self._overlapping)
        after = self._remaining(switched, self._switched)
        # Without a known detection the stage is left out, and so are the unknown ones.
        missed = unknown + after if after else []
        anywhere = self._remaining(missed, self._missed)
        false = self._remaining(anywhere, self._anywhere)
        stages = [known, partly, switched, after]
        served = [len(one) - len(other) for one, other in pairwise(stages)]
        return [*served, len(missed) - len(anywhere), len(anywhere) - len(false), len(false), len(self.left)]

    def _remaining(self, detections: list[Row], serves: Callable[[Row], bool]) -> list[Row]:
        return [row for row in detections if not serves(row)]

    def _localised(self, detection: Row) -> bool:
        return self._takes(next((at for at in self._own(detection) if self._overlap(at, detection) >= self.threshold), None))

    def _overlapping(self, detection: Row) -> bool:
        return self._takes(next((at for at in self._own(detection) if self._overlap(at, detection) > 0), None))

    def _own(self, detection: Row) -> list[int]:
        return [at for at, (id_, _) in enumerate(self.left) if id_ == detection[0]]

    def _takes(self, at: int | None) -> bool:
        if at is None:
            return False
        del self.left[at]
        return True

    def _switched(self, detection: Row) -> bool:
        # Nothing is taken before the loop ends, but boxes may grow in it.
        return any(self._overlap(at, detection) > self.threshold and self._anywhere(detection) for at in range(len(self.left)))

    def _missed(self, detection: Row) -> bool:
        return any(self._overlap(at, detection) > self.threshold for at in range(len(self.left)))

    def _anywhere(self, detection: Row) -> bool:
        own = self._own(detection)
        # The published mistake: number 0 is "not found".
        return self._takes(own[0]) if own and own[0] else False

    def _overlap(self, at: int, detection: Row) -> float:
        box = self.left[at][1]
        left, top = box[0], box[1]
        right, bottom = box[2] + left, box[3] + top
        if self.in_place:
            box[2], box[3] = right, bottom
        other_left, other_top, other_right, other_bottom, area = detection[1]
        width = (right if right < other_right else other_right) - (left if left > other_left else other_left)
        height = (bottom if bottom < other_bottom else other_bottom) - (top if top > other_top else other_top)
        if width <= 0 or height <= 0 or (shared := width * height) <= 0:
            return 0.0
        return shared / ((right - left) * (bottom - top) + area - shared)
