"""What the published packages have in common: differences from the definition, orders of frames, slots for videos, associations.

Each entry of `QUIRKS` has a test of the same name in ``tests/metrics/test_detection_quirks.py`` that shows it on a minimal example. Unless
another program is named, ivtmetrics is the release 0.1.5 and its later repository ("0.1.2"), ivtdmetrics is 0.1.

The association has five stages over the detections of a frame, of which three have faults: row number 0 is taken for "not found",
detections of triplets that are not annotated vanish when no other is left, and an identity miss uses up no box.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Self

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.detection import BoolArray, Boxes, BoxStudy, FloatArray, IntArray, Scene, checked
from scrubin.evaluate.metrics.detection.matching import Pairs, corners, joined, keys, occurring, of_corners, pairs_of, turns_of
from scrubin.evaluate.metrics.registry import Quirk, declare

QUIRKS = (
    Quirk(
        "boxes-in-place",
        "bug",
        "ivtmetrics turns width and height into right and bottom in the stored rows, at every comparison: a box that is compared twice has "
        "grown. Perfect predictions score 0.73 where frames hold two boxes of a class; in the association only annotated boxes grow.",
        "Boxes never change.",
        "As published; in_place=False is the same program without the growth. ivtdmetrics copies.",
    ),
    Quirk(
        "ranked-within-frames",
        "bug",
        "ivtmetrics ranks detections by confidence within a frame only and then goes by the order of frames.",
        "Ranked over the whole scope.",
        "As published. ivtdmetrics ranks over the scope.",
    ),
    Quirk(
        "interpolation",
        "choice",
        "ivtmetrics averages the best precision at 11 recalls; equation 1 is an area.",
        "The steps of equation 1; 11-point, 101-point and 101-point linear on request.",
        "As published.",
    ),
    Quirk(
        "best-precision",
        "choice",
        "Pre of ivtmetrics is the highest point of the precision curve, not the precision of all detections.",
        "Precision is read at the best confidence, with recall and F1.",
        "As published.",
    ),
    Quirk(
        "detected-not-annotated",
        "choice",
        "In ivtmetrics a class with detections and no annotated box has AP 0 and lowers the mean; ivtdmetrics calls that an error.",
        "Undefined, NaN with n = 0.",
        "As published.",
    ),
    Quirk(
        "first-fit",
        "choice",
        "A detection takes the first annotated box that reaches the threshold, the last given first, instead of the best one.",
        "The box of largest IoU that is free.",
        "As published, in both programs.",
    ),
    Quirk(
        "order-of-ties",
        "bug",
        "Equal confidences in a frame come in the order of a sort that is not stable: the number depends on the processor.",
        "Equal confidences are one threshold, in one frame as in several; of their boxes the pair of the largest IoU is first.",
        "The last given first, as the published programs do with a stable sort.",
    ),
    Quirk(
        "empty-frames",
        "bug",
        "ivtmetrics 0.1.2 takes an empty side of a frame for a box of class -1, which is the last class.",
        "Nothing is annotated, nothing detected.",
        "As published; 0.1.5 skips empty sides.",
    ),
    Quirk(
        "global-fails",
        "bug",
        "compute_global_AP of ivtmetrics 0.1.5 always ends with KeyError: 'fp'.",
        "Global is a scope like the other.",
        "MetricsError; program='0.1.2' works.",
    ),
    Quirk(
        "other-components",
        "bug",
        "ivtmetrics returns the numbers of the instrument for v, t, iv and it, without a word.",
        "Components that the boxes have; others are refused.",
        "As published; the variant says so. ivtdmetrics refuses, MetricsError.",
    ),
    Quirk(
        "reset-keeps-videos",
        "bug",
        "reset and reset_global go back to slot 1 and delete nothing: compute_global_AP counts earlier videos until their slot is reused.",
        "There is no state.",
        "As published.",
    ),
    Quirk(
        "nothing-yet",
        "choice",
        "compute_AP before the first update ends with KeyError: 0.",
        "There is no state.",
        "MetricsError.",
    ),
    Quirk(
        "shorter-list",
        "bug",
        "Lists of annotated and predicted frames of different length are cut to the shorter.",
        "A frame that the video does not have is refused.",
        "The same as paper: cut before.",
    ),
    Quirk(
        "unsorted-axis",
        "bug",
        "ivtdmetrics sorts hits by confidence but interpolates precision and recall over the confidences as they came.",
        "Sorted.",
        "As published; sorted_confidence=True is the program fed with sorted detections.",
    ),
    Quirk(
        "linear-envelope",
        "definition",
        "ivtdmetrics adds precision 1 at recall 0 and 0 at recall 1 and interpolates linearly: a perfect class is 0.995, 1 of 10 0.55.",
        "interpolation='101-point linear'; not comparable with COCO, which is '101-point'.",
        "The same.",
    ),
    Quirk(
        "eleven-points-fail",
        "bug",
        "The style 11point of ivtdmetrics keeps classes that are not annotated: it fails when one has a detection, and counts their "
        "precision, recall and F1 as 0 otherwise.",
        "Undefined classes are left out in every interpolation.",
        "MetricsError where it fails, zeros otherwise.",
    ),
    Quirk(
        "open-video-counts",
        "bug",
        "For the same reason the open video without frames that video_end leaves lowers precision, recall and F1 of the style 11point.",
        "There is no state.",
        "As published.",
    ),
    Quirk(
        "matched-once",
        "choice",
        "ivtdmetrics matches at its threshold and tests the same pairs at 0.5 to 0.95; above 0.5 the low ones inherit it.",
        "Matched anew at every threshold.",
        "As published.",
    ),
    Quirk(
        "raw-thresholds",
        "bug",
        "The thresholds of ivtdmetrics are running sums: IoU 0.6 fails at 0.6000000000000001.",
        "Exact.",
        "As published.",
    ),
    Quirk(
        "f1-of-classes",
        "definition",
        "mF1 of ivtdmetrics is the mean of the F1 of classes, not the harmonic mean of mean precision and mean recall.",
        "The same.",
        "The same.",
    ),
    Quirk(
        "first-row-lost",
        "bug",
        'In the association, row number 0 is taken for "not found": IDS and MIL of the first box are lost.',
        "Counted.",
        "As published, in both programs.",
    ),
    Quirk(
        "unknown-vanish",
        "bug",
        "When no detection of an annotated triplet is left for the IDM stage, detections of other triplets are neither IDM nor false.",
        "Counted.",
        "As published, in both programs.",
    ),
    Quirk(
        "idm-takes-nothing",
        "bug",
        "IDM removes no box, which is counted as missed too, and several detections may claim one.",
        "A box is used up; that is our reading.",
        "As published, in both programs.",
    ),
    Quirk(
        "exclusive-theta",
        "bug",
        "The threshold is inclusive for LM and exclusive for IDS and IDM.",
        "Inclusive throughout.",
        "As published, in both programs.",
    ),
    Quirk(
        "no-association",
        "choice",
        "ivtmetrics 0.1.2 has no association scores; the others return the same ones for every component.",
        "They are of triplets.",
        "As published.",
    ),
)

ASSOCIATION = ("lm", "plm", "ids", "idm", "mil", "fp", "fn")
for _name in ASSOCIATION:
    declare(
        f"triplet detection {_name}",
        task="detection",
        says=f"share of {_name.upper()} among all cases of the association",
        source="Nwoye and Padoy 2022",
        less_is_better=_name != "lm",
    )
# Identity and numbers: of an annotated box left, top, width, height; of a detection left, top, right, bottom, area.
_Row = tuple[int, list[float]]


@dataclass(frozen=True, eq=False)
class Tally:
    """Detections of one component in the order in which a package lists them.

    Parameters
    ----------
    classes
        (detections,).
    hits
        (thresholds, detections).
    scores
        (detections,).
    positives
        (classes,), annotated boxes.
    """

    classes: IntArray
    hits: BoolArray
    scores: FloatArray
    positives: IntArray

    def by_class(self) -> Iterator[tuple[int, BoolArray, FloatArray]]:
        """Yield class, hits and scores of every class with detections, keeping their order."""
        order = np.argsort(self.classes, kind="stable")
        hits, scores = self.hits[:, order], self.scores[order]
        bounds = np.searchsorted(self.classes[order], np.arange(len(self.positives) + 1)).tolist()
        for id_, (begin, end) in enumerate(itertools.pairwise(bounds)):
            if end > begin:
                yield id_, hits[:, begin:end], scores[begin:end]


@dataclass(frozen=True, eq=False)
class UpdateCounts:
    """What an update adds: a tally per component, and the seven counts of the association."""

    tallies: Mapping[str, Tally]
    cases: IntArray


def nothing(size: int, thresholds: int) -> Tally:
    """Return a tally without detections and annotated boxes."""
    return Tally(np.zeros(0, np.int64), np.zeros((thresholds, 0), np.bool_), np.zeros(0), np.zeros(size, np.int64))


def together(tallies: Sequence[Tally]) -> Tally:
    """Return tallies one after the other."""
    classes, scores = (np.concatenate(parts) for parts in zip(*((one.classes, one.scores) for one in tallies), strict=True))
    hits = np.concatenate([one.hits for one in tallies], axis=1)
    return Tally(classes, hits, scores, np.sum([one.positives for one in tallies], axis=0))


def with_sizes(study: BoxStudy | Scene, sizes: Mapping[str, int]) -> Scene:
    """Return a checked study; raises `MetricsError` when it has not these numbers of classes."""
    scene = checked(study)
    for name, size in sizes.items():
        if scene.size(name) != size:
            msg = f"the boxes have {scene.size(name)} classes of {name}, but {size} were announced; give the same numbers to both"
            raise MetricsError(msg)
    return scene


def in_order(scene: Scene) -> Scene:
    """Return the scene with both sides of a frame by falling score, of equal ones the last given first."""

    def sorted_(side: Boxes) -> Boxes:
        return side.taken(np.lexsort((-np.arange(len(side)), -side.scores, side.places)))

    return Scene(scene.names, scene.sizes, scene.starts, sorted_(scene.truth), sorted_(scene.predictions))


def first_fit(scene: Scene, component: str) -> Pairs:
    """Return pairs of one frame and class, for each detection by the order of boxes; the scene must be `in_order`."""
    size = scene.size(component)
    of_detections = keys(scene.predictions, component, size)
    ones, others = joined(of_detections, keys(scene.truth, component, size))
    overlaps = of_corners(corners(scene.truth.boxes)[others], corners(scene.predictions.boxes)[ones])
    return pairs_of(ones, others, overlaps, turns_of(of_detections))


def positives_of(scene: Scene, component: str) -> IntArray:
    """Return annotated boxes per class (classes,)."""
    return np.bincount(scene.truth.classes[component], minlength=scene.size(component)).astype(np.int64)


class _Slots:
    """Videos as the packages number them: a slot is opened when the one before is closed, and reset goes back to slot 1.

    >>> slots = _Slots()
    >>> slots.close(); slots.reset(); slots.numbers, slots.count
    ([1, 2], 1)
    """

    def __init__(self) -> None:
        self._held: dict[int, list[UpdateCounts]] = {}
        self.reset()

    @property
    def numbers(self) -> list[int]:
        """All slots, those that a reset has left behind included."""
        return list(self._held)

    def reset(self) -> None:
        """Begin at slot 1 again; later slots stay until they are opened again."""
        self.count = 0
        self.close()

    def close(self) -> None:
        """Open the next slot."""
        self.count += 1
        self._held[self.count] = []
        self._closed = True

    def add(self, counted: UpdateCounts) -> None:
        """Add to the open slot."""
        self._held[self.count].append(counted)
        self._closed = False

    def taken(self, draw: IntArray) -> _Slots:
        """Return the closed slots at these positions from 0, in slots of their own; raises `MetricsError` when the open one is in use."""
        if self._held[self.count]:
            raise MetricsError("a video is still open; end it before videos are drawn")
        slots = _Slots()
        for at in draw.tolist():
            slots._held[slots.count] = self._held[at + 1]
            slots.close()
        return slots

    def last(self) -> list[UpdateCounts]:
        """Return the open slot, or the one closed last; raises `MetricsError` when there is none."""
        number = self.count - 1 if self._closed else self.count
        if number not in self._held:
            msg = "no frames were given since the start or the last reset, so that the published program ends with KeyError: 0"
            raise MetricsError(msg)
        return self._held[number]

    def videos(self) -> list[list[UpdateCounts]]:
        """Return the slots up to the open one."""
        return [self._held[number] for number in range(1, self.count + 1)]

    def everything(self) -> list[UpdateCounts]:
        """Return what is in any slot."""
        return [counted for slot in self._held.values() for counted in slot]


class Accumulator:
    """What the published accumulators have in common: their slots."""

    def __init__(self) -> None:
        self._slots = _Slots()
        self._known: dict[tuple[Hashable, ...], tuple[FloatArray, IntArray]] = {}

    @property
    def video_count(self) -> int:
        """The slot that is open."""
        return self._slots.count

    @property
    def accumulators(self) -> list[int]:
        """All slots; those beyond the open one are left from before a reset."""
        return self._slots.numbers

    def reset(self) -> None:
        """Go back to slot 1; later slots keep counting in `compute_global_ap` until they are opened again."""
        self._slots.reset()

    def reset_global(self) -> None:
        """Do the same as `reset`, as published."""
        self._slots.reset()

    def video_end(self) -> None:
        """Close the video."""
        self._slots.close()

    def association_counts(self) -> list[dict[str, int]]:
        """Return the seven counts of each video up to the open one."""
        return [dict(zip(ASSOCIATION, cases_of(slot).tolist(), strict=True)) for slot in self._slots.videos()]

    def take(self, draw: IntArray) -> Self:
        """Return an accumulator of the closed videos at these positions from 0, which may repeat: a resample for the bootstrap.

        Raises
        ------
        MetricsError
            When the open video has frames.
        """
        drawn = copy(self)
        drawn._slots = self._slots.taken(draw)
        return drawn

    def _once(self, key: tuple[Hashable, ...], compute: Callable[[], tuple[FloatArray, IntArray]]) -> tuple[FloatArray, IntArray]:
        """Return numbers of a video, computed once for all accumulators that were drawn from one another."""
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]


def cases_of(slot: Iterable[UpdateCounts]) -> IntArray:
    """Return the summed counts of the association (7,)."""
    cases: IntArray = np.sum([counted.cases for counted in slot] or [np.zeros(len(ASSOCIATION), dtype=np.int64)], axis=0)
    return cases


def shares_of(cases: IntArray) -> FloatArray:
    """Return counts as shares of their sum (7,), NaN when it is 0."""
    total = int(cases.sum())
    return cases / total if total else np.full(len(ASSOCIATION), np.nan)


def cases(scene: Scene, localised: BoolArray, threshold: float, *, in_place: bool) -> IntArray:
    """Return the seven counts (7,) of all frames.

    Parameters
    ----------
    scene
        As `in_order` returns it.
    localised
        (detections,), which of them the first stage serves.
    threshold
        IoU of a localisation: inclusive in the first stage, exclusive later.
    in_place
        Whether annotated boxes grow at every comparison.
    """
    truth, detected_boxes = scene.truth, scene.predictions
    frames = int(scene.starts[-1])
    annotated, detected = np.bincount(truth.places, minlength=frames), np.bincount(detected_boxes.places, minlength=frames)
    known = occurring(_keys(detected_boxes.places, detected_boxes.classes["ivt"], scene), _keys(truth.places, truth.classes["ivt"], scene))
    served = np.bincount(detected_boxes.places[localised], minlength=frames)
    # Where the first stage serves all that are known, the rest vanish, and nothing is left to decide.
    settled = served == np.bincount(detected_boxes.places[known], minlength=frames)
    both = (annotated > 0) & (detected > 0)
    total = np.zeros(len(ASSOCIATION), dtype=np.int64)
    total[0] = served[both & settled].sum()
    total[5] = detected[annotated == 0].sum()
    total[6] = annotated[detected == 0].sum() + (annotated - served)[both & settled].sum()
    unsettled = both & ~settled
    truth, detected_boxes = truth.taken(unsettled[truth.places]), detected_boxes.taken(unsettled[detected_boxes.places])
    edges = corners(detected_boxes.boxes)
    areas = np.prod(edges[:, 2:] - edges[:, :2], axis=1)
    truth_rows, detection_rows = _rows_of(truth, truth.boxes), _rows_of(detected_boxes, np.column_stack([edges, areas]))
    begin, truth_begin, sums = 0, 0, [total.tolist()]
    for of_truth, of_detections in zip(annotated[unsettled].tolist(), detected[unsettled].tolist(), strict=True):
        left, detections = truth_rows[truth_begin : truth_begin + of_truth], detection_rows[begin : begin + of_detections]
        sums.append(_Frame(left, threshold, in_place).counted(detections))
        begin, truth_begin = begin + of_detections, truth_begin + of_truth
    counted: IntArray = np.sum(np.array(sums, dtype=np.int64), axis=0)
    return counted


def _keys(places: IntArray, ids: IntArray, scene: Scene) -> IntArray:
    return places * scene.size("ivt") + ids


def _rows_of(side: Boxes, numbers: FloatArray) -> list[_Row]:
    return list(zip(side.classes["ivt"].tolist(), numbers.tolist(), strict=True))


@dataclass
class _Frame:
    """One frame, with the boxes that are left."""

    left: list[_Row]
    threshold: float
    in_place: bool

    def counted(self, detections: list[_Row]) -> list[int]:
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
        served = [len(one) - len(other) for one, other in itertools.pairwise(stages)]
        return [*served, len(missed) - len(anywhere), len(anywhere) - len(false), len(false), len(self.left)]

    def _remaining(self, detections: list[_Row], serves: Callable[[_Row], bool]) -> list[_Row]:
        return [row for row in detections if not serves(row)]

    def _localised(self, detection: _Row) -> bool:
        return self._takes(next((at for at in self._own(detection) if self._overlap(at, detection) >= self.threshold), None))

    def _overlapping(self, detection: _Row) -> bool:
        return self._takes(next((at for at in self._own(detection) if self._overlap(at, detection) > 0), None))

    def _own(self, detection: _Row) -> list[int]:
        return [at for at, (id_, _) in enumerate(self.left) if id_ == detection[0]]

    def _takes(self, at: int | None) -> bool:
        if at is None:
            return False
        del self.left[at]
        return True

    def _switched(self, detection: _Row) -> bool:
        # Nothing is taken before the loop ends, but boxes may grow in it.
        return any(self._overlap(at, detection) > self.threshold and self._anywhere(detection) for at in range(len(self.left)))

    def _missed(self, detection: _Row) -> bool:
        return any(self._overlap(at, detection) > self.threshold for at in range(len(self.left)))

    def _anywhere(self, detection: _Row) -> bool:
        own = self._own(detection)
        # The published mistake: number 0 is "not found".
        return self._takes(own[0]) if own and own[0] else False

    def _overlap(self, at: int, detection: _Row) -> float:
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
