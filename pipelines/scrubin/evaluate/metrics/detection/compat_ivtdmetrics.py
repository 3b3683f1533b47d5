"""What the detection part of ivtdmetrics 0.1 (ProstaTD) returns.

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
from scrubin.evaluate.metrics.detection.average_precision import Curve, area
from scrubin.evaluate.metrics.detection.compat_common import ASSOCIATION, Accumulator, Tally, UpdateCounts
from scrubin.evaluate.metrics.detection.matching import Matching, check_threshold, iou, nothing_yet, taken_in_turn
from scrubin.evaluate.metrics.result import Result, Value, Variant, exact, mean_of
from scrubin.evaluate.metrics.variants import Interpolation

Style = Literal["coco", "11point"]
INTERPOLATION_OF: Mapping[Style, Interpolation] = {"coco": "101-point linear", "11point": "11-point"}
COMPONENTS = ("ivt", "i", "v", "t")
KEYS = {"AP": "AP", "Rec": "recall", "Pre": "precision", "F1": "F1", "AP_5095": "AP", "AR_5095": "recall"}
# Every threshold from 0.6 on is slightly too large: IoU 0.6 fails at "0.6".
RAW = np.arange(0.5, 1.0, 0.05)


class Detection(Accumulator):
    """The published accumulator.

    An envelope that is interpolated linearly to precision 0 at recall 1 is generous to what was not found: one of two gives
    0.75, and costs a perfect class half a percent.

    >>> from scrubin.evaluate.metrics.detection import BoxRows
    >>> two, one = (BoxRows([0] * n, list(range(n)), {"ivt": [0] * n, "i": [0] * n}, [[0, 0, 1, 1]] * n, [0.9] * n) for n in (2, 1))
    >>> for detected in (one, two):
    ...     published_ = Detection({"ivt": 1, "i": 1})
    ...     published_.update(BoxStudy(["a"], [2], {"ivt": 1, "i": 1}, two, detected))
    ...     print(round(published_.compute_video_ap()["AP"].overall.value, 4))
    0.75
    0.995

    Parameters
    ----------
    sizes
        Classes of ``ivt`` and ``i``, and of ``v`` and ``t`` where boxes have them (rows of 9 columns in the package).
    threshold
        Least IoU of a true detection, for all that is matched.
    sorted_confidence
        True: the same program fed with detections sorted by confidence beforehand, so that precision, recall and F1 are read off a sorted
        axis.

    Raises
    ------
    MetricsError
        When the threshold is none, or a component is missing or unknown.
    """

    def __init__(self, sizes: Mapping[str, int], threshold: float = 0.5, *, sorted_confidence: bool = False) -> None:
        if not {"ivt", "i"} <= set(sizes) or not set(sizes) <= set(COMPONENTS):
            msg = (
                f"numbers of classes are given for {', '.join(sorted(sizes)) or 'nothing'}; ivtdmetrics takes ivt and i, and v and t beside"
            )
            raise MetricsError(msg)
        self._sizes, self._threshold, self._sorted = dict(sizes), check_threshold(threshold), sorted_confidence
        super().__init__()

    def update(self, study: BoxStudy | Scene) -> None:
        """Take frames of the open video; parameters and errors as `compat_ivtmetrics.Detection.update`."""
        scene = compat_common.in_order(compat_common.with_sizes(study, self._sizes))
        matchings = {name: self._matched(scene, name) for name in self._sizes}
        tallies = {name: self._tally(scene, name, one) for name, one in matchings.items()}
        cases = compat_common.cases(scene, matchings["ivt"].hits, self._threshold, in_place=False)
        self._slots.add(UpdateCounts(tallies, cases))

    def compute_ap(self, component: str = "ivt", style: Style = "coco") -> dict[str, Result]:
        """Return the numbers of the open video, or of the one closed last; keys and errors as `compute_video_ap`."""
        self._check(component, style)
        return self._of_one(self._slots.last(), component, style, "last video")

    def compute_global_ap(self, component: str = "ivt", style: Style = "coco") -> dict[str, Result]:
        """Return the numbers of the frames of all slots; keys and errors as `compute_video_ap`."""
        self._check(component, style)
        return self._of_one(self._slots.everything(), component, style, "global")

    def compute_video_ap(self, component: str = "ivt", style: Style = "coco") -> dict[str, Result]:
        """Return the means over videos.

        Parameters
        ----------
        component
            ``ivt``, ``i``, ``v`` or ``t``.
        style
            ``coco``: 101 points, linear; ``11point``.

        Returns
        -------
        dict
            ``AP``, ``Rec``, ``Pre``, ``F1`` (the last three at the best confidence), ``AP_5095``, ``AR_5095`` by class with the mean over
            classes; and the shares ``lm`` ... ``fn``.

        Raises
        ------
        MetricsError
            When component or style are not there, or a class that is not annotated has a detection in the style ``11point``: the published
            program fails there.
        """
        self._check(component, style)
        slots = self._slots.videos()
        stacked = np.stack(
            [self._once((component, style, *slot), partial(self._scored, slot, component, style))[0] for slot in slots], axis=1
        )
        named = {
            name: average_precision.over_videos(self._variant(name, "video-wise", component, style), values)
            for name, values in zip(KEYS, stacked, strict=True)
        }
        shares = np.stack([compat_common.shares_of(compat_common.cases_of(slot)) for slot in slots])
        for name, column in zip(ASSOCIATION, shares.T.tolist(), strict=True):
            named[name] = Result(self._variant(name, "video-wise", component, style), mean_of(column))
        return named

    def _matched(self, scene: Scene, component: str) -> Matching:
        pairs = compat_common.first_fit(scene, component)
        return taken_in_turn(pairs, pairs.overlaps >= self._threshold, nothing_yet(scene))

    def _tally(self, scene: Scene, component: str, matching: Matching) -> Tally:
        overlaps = np.zeros(len(matching.partners))
        overlaps[matching.hits] = iou(scene.truth.boxes[matching.partners[matching.hits]], scene.predictions.boxes[matching.hits])
        # Higher thresholds test the pair that was matched at the first.
        higher = matching.hits & (overlaps >= RAW[:, np.newaxis])
        hits = np.concatenate([matching.hits[np.newaxis], higher])
        return Tally(scene.predictions.classes[component], hits, scene.predictions.scores, compat_common.positives_of(scene, component))

    def _check(self, component: str, style: str) -> None:
        if component not in COMPONENTS or style not in get_args(Style):
            msg = f"ivtdmetrics has no component {component!r} in the style {style!r}; it has ivt, i, v, t and the styles coco, 11point"
            raise MetricsError(msg)

    def _of_one(self, slot: list[UpdateCounts], component: str, style: Style, scope: str) -> dict[str, Result]:
        values, positives = self._scored(slot, component, style)
        named = {
            name: average_precision.of_classes(self._variant(name, scope, component, style), row, positives)
            for name, row in zip(KEYS, values, strict=True)
        }
        cases = compat_common.cases_of(slot)
        for name, share in zip(ASSOCIATION, compat_common.shares_of(cases).tolist(), strict=True):
            named[name] = Result(self._variant(name, scope, component, style), Value(share, int(cases.sum())))
        return named

    def _scored(self, slot: list[UpdateCounts], component: str, style: Style) -> tuple[FloatArray, IntArray]:
        """Return the six numbers (6, classes), and annotated boxes (classes,)."""
        size = self._sizes.get(component, 0)
        if not size:
            # Rows of seven columns leave v and t undefined.
            return np.full((len(KEYS), 0), np.nan), np.zeros(0, dtype=np.int64)
        tally = compat_common.together([counted.tallies[component] for counted in slot] or [compat_common.nothing(size, 1 + len(RAW))])
        values = np.where(tally.positives > 0, 0.0, np.nan) * np.ones((len(KEYS), 1))
        curves = {
            id_: average_precision.EMPTY for id_ in (np.flatnonzero(tally.positives) if style == "coco" else np.arange(size)).tolist()
        }
        for id_, hits, scores in tally.by_class():
            if id_ not in curves:
                continue
            one, falling = _ranked(hits, scores, int(tally.positives[id_]), component)
            areas = area(one, INTERPOLATION_OF[style])
            values[[0, 4, 5], id_] = areas[0], np.mean(areas[1:]), np.mean(one.recall[1:, -1])
            curves[id_] = average_precision.interpolated(falling if self._sorted else scores, one.precision[0], one.recall[0])
        if curves:
            at = _best(np.stack([values[2] for values in curves.values()]))
            values[1:4, list(curves)] = np.stack([read[[1, 0, 2], at] for read in curves.values()], axis=1)
        return values, tally.positives

    def _variant(self, name: str, scope: str, component: str, style: str) -> Variant:
        options = {
            "program": "ivtdmetrics 0.1",
            "component": component,
            "classes": str(self._sizes.get(component, 0)),
            "scope": scope,
            "style": style,
            "iou": f"0.5:0.95:0.05 of pairs at {exact(self._threshold)}" if name.endswith("_5095") else exact(self._threshold),
        }
        if name in ("Rec", "Pre", "F1"):
            options["confidence"] = f"best mean F1, {'sorted' if self._sorted else 'unsorted'} axis"
        return Variant(f"triplet detection {KEYS.get(name, name)}", "compat", options)


def of_videos(study: BoxStudy | Scene, threshold: float = 0.5, *, sorted_confidence: bool = False) -> Detection:
    """Return the published accumulator with each video closed; errors as `rows.checked`."""
    scene = checked(study)
    one = Detection(scene.sizes, threshold, sorted_confidence=sorted_confidence)
    for at in range(len(scene.names)):
        one.update(video(scene, at))
        one.video_end()
    return one


def _ranked(hits: BoolArray, scores: FloatArray, positives: int, component: str) -> tuple[Curve, FloatArray]:
    """Return the curve of every threshold by falling confidence, equal ones as listed, and those confidences."""
    if not positives:
        msg = (
            f"a class of {component} is detected but not annotated, where the style 11point of ivtdmetrics ends with ValueError: object of "
            "too small depth for desired array; use the style coco or the paper semantics"
        )
        raise MetricsError(msg)
    order = np.argsort(-scores, kind="stable")
    true = np.cumsum(hits[:, order], axis=1)
    falling = scores[order]
    return Curve(true / positives, true / (np.arange(len(scores)) + 1.0), falling), falling


def _best(f1: FloatArray) -> int:
    """Return where the smoothed mean of curves (classes, 1000) is highest, summed as the package does."""
    smoothed = np.convolve(np.mean(f1, axis=0), np.ones(average_precision.WINDOW) / average_precision.WINDOW, mode="same")
    return int(np.argmax(smoothed))
