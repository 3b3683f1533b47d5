"""What teams are ranked by: values per video by class, the same for whole videos as for short clips of them.

The score of a team is the mean over videos per class, then over classes (recognition and detection, as in CholecTriplet2021,
section 5.2), or the mean over everything that is defined (phases, M of Metrics Matter, section 3.2). A value that is undefined is
left out: whether one is depends on the labels alone for recognition and detection.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.evaluate.contest_tasks import CONTESTS, IOU
from scrubin.evaluate.metrics import phases
from scrubin.evaluate.metrics.detection import BoxRows, BoxStudy, in_px
from scrubin.evaluate.metrics.detection.average_precision import average_precision
from scrubin.evaluate.metrics.phases import PhaseVideo, rates
from scrubin.evaluate.metrics.recognition import (
    ClassRows,
    TripletMap,
    TripletVideo,
    component_named,
    disentangle,
    part,
    rows_of,
    triplet_map,
)
from scrubin.evaluate.metrics.recognition.average_precision import by_class
from scrubin.evaluate.submission_truth import GroundTruth, TrueVideo
from scrubin.labels.choices import Task
from scrubin.labels.formats.submission.content import BoolArray, Content, FloatArray, IntArray
from scrubin.labels.formats.submission.detections import Boxes


@dataclass(frozen=True, eq=False)
class PredictedVideo:
    """Labels and predictions of one video in the order of its labelled frames; aligned once, cut into clips often.

    Parameters
    ----------
    frames
        How many there are.
    rows
        Recognition.
    true_boxes, predicted_boxes
        Detection, with frames counted from 0; in px where the labels state the sizes of images.
    true_phases, predicted_phases
        Phases.
    """

    frames: int
    rows: ClassRows | None = None
    true_boxes: Boxes | None = None
    predicted_boxes: Boxes | None = None
    true_phases: IntArray | None = None
    predicted_phases: IntArray | None = None


@dataclass(frozen=True, eq=False)
class Recognition:
    """Average precision of triplets or their parts."""

    component: str
    triplets: TripletMap
    ignore_null: bool
    task: Task = "recognition"
    by_class: bool = True

    @property
    def part(self) -> str:
        """The component."""
        return self.component

    @property
    def description(self) -> str:
        """What the number is."""
        null = " without the null triplets" if self.ignore_null and self.component == "ivt" else ""
        return f"triplet recognition: mean average precision of {self.component}{null}, per video, then over videos, then over classes"

    def frames(self, video: TrueVideo) -> IntArray | None:
        """Return the labelled frames."""
        return video.frames if video.targets is not None else None

    def relevant(self, video: TrueVideo) -> BoolArray:
        """Return the frames with a positive of a class that counts."""
        if video.targets is None:
            return np.zeros(0, np.bool_)
        parts = disentangle(video.targets, self.triplets, self.component)
        kept = parts[:, self.triplets.kept(component_named(self.component), self.ignore_null)]
        return np.asarray(kept.any(axis=1), np.bool_)

    def aligned(self, video: TrueVideo, content: Content) -> PredictedVideo | None:
        """Return labels and probabilities by class."""
        frames = self.frames(video)
        if frames is None or content.recognition is None or not np.isin(frames, content.frames).all():
            return None
        scores = content.recognition[np.searchsorted(content.frames, frames)]
        if video.targets is None or not np.isfinite(scores).all():
            return None
        whole = rows_of(TripletVideo(video.name, video.targets, scores), len(self.triplets))
        return PredictedVideo(len(frames), rows=part(whole, self.triplets.grouping(self.component)))

    def values(self, of: PredictedVideo, clip: slice | None = None) -> FloatArray:
        """Return the average precision of every class that counts."""
        if of.rows is None:
            msg = "there is nothing to score; align the video first"
            raise MetricsError(msg)
        own = clip or slice(None)
        by_triplet, _ = by_class(ClassRows(of.rows.labels[:, own], of.rows.scores[:, own]))
        return by_triplet[self.triplets.kept(component_named(self.component), self.ignore_null)]


@dataclass(frozen=True, eq=False)
class Detection:
    """Average precision of boxes."""

    component: str
    vocabulary: Vocabulary
    iou: float = IOU
    task: Task = "detection"
    by_class: bool = True

    @property
    def part(self) -> str:
        """The component."""
        return self.component

    @property
    def description(self) -> str:
        """What the number is."""
        of = f"{self.component} at IoU {self.iou:g}"
        return f"triplet detection: mean average precision of {of}, per video, then over videos, then over classes"

    def frames(self, video: TrueVideo) -> IntArray | None:
        """Return the frames with whole boxes."""
        return video.boxed_frames if video.boxes is not None else None

    def relevant(self, video: TrueVideo) -> BoolArray:
        """Return the frames with a box."""
        if video.boxed_frames is None or video.boxes is None:
            return np.zeros(0, np.bool_)
        return np.isin(video.boxed_frames, video.boxes.frames)

    def aligned(self, video: TrueVideo, content: Content) -> PredictedVideo | None:
        """Return both sides' boxes, frames by their place."""
        frames = self.frames(video)
        if frames is None or video.boxes is None or content.boxes is None:
            return None
        true, predicted = (_placed(side, frames, video.boxed_px) for side in (video.boxes, content.boxes))
        return PredictedVideo(len(frames), true_boxes=true, predicted_boxes=predicted)

    def values(self, of: PredictedVideo, clip: slice | None = None) -> FloatArray:
        """Return the average precision of every class."""
        if of.true_boxes is None or of.predicted_boxes is None:
            msg = "there is nothing to score; align the video first"
            raise MetricsError(msg)
        first, last = (0, of.frames) if clip is None else (clip.start, clip.stop)
        sides = [self._rows(_between(side, first, last), first) for side in (of.true_boxes, of.predicted_boxes)]
        study = BoxStudy(("video",), [last - first], {self.component: self._size()}, *sides)
        scored = average_precision(study, self.component, threshold=self.iou, scope="global")
        return np.array([scored.classes[str(id_)].value for id_ in range(self._size())])

    def _rows(self, side: Boxes, first: int) -> BoxRows:
        # A model may name another instrument than that of the triplet: it counts as named.
        classes = side.instruments if self.component == "i" else self._classes()[side.triplets]
        return BoxRows(np.zeros(len(classes), np.int64), side.frames - first, {self.component: classes}, side.boxes_xywh, side.scores)

    def _classes(self) -> IntArray:
        at = {"v": 1, "t": 2}.get(self.component)
        ids = np.array(self.vocabulary.triplets, np.int64).reshape(-1, 3)
        return np.arange(len(ids)) if at is None else ids[:, at]

    def _size(self) -> int:
        vocabulary = self.vocabulary
        sizes = {"i": vocabulary.instruments, "v": vocabulary.verbs, "t": vocabulary.targets}
        return len(sizes.get(self.component, vocabulary.triplets))


def _placed(side: Boxes, frames: IntArray, sizes_px: FloatArray | None) -> Boxes:
    """Return the boxes of some frames, by the place of these; as in a score in px where the sizes of images are stated."""
    kept = _part(side, np.isin(side.frames, frames))
    places = np.searchsorted(frames, kept.frames)
    boxes = kept.boxes_xywh if sizes_px is None else in_px(kept.boxes_xywh, sizes_px[places])
    return replace(kept, frames=places, boxes_xywh=boxes)


def _between(side: Boxes, first: int, last: int) -> Boxes:
    return _part(side, (side.frames >= first) & (side.frames < last))


def _part(side: Boxes, own: BoolArray) -> Boxes:
    return Boxes(side.frames[own], side.triplets[own], side.instruments[own], side.boxes_xywh[own], side.scores[own])


@dataclass(frozen=True, eq=False)
class Phases:
    """A rate of phases."""

    rate: str
    names: tuple[str, ...]
    task: Task = "phases"
    by_class: bool = False

    @property
    def part(self) -> str:
        """The rate."""
        return self.rate

    @property
    def description(self) -> str:
        """What the number is."""
        of = "over videos" if self.rate == "accuracy" else "over every video and phase where it is defined (strategy A)"
        return f"phase recognition: mean {self.rate} {of}"

    def frames(self, video: TrueVideo) -> IntArray | None:
        """Return the labelled frames."""
        return video.phase_frames if video.phases is not None else None

    def relevant(self, video: TrueVideo) -> BoolArray:
        """Return all frames: every one has a phase."""
        frames = self.frames(video)
        return np.ones(0 if frames is None else len(frames), np.bool_)

    def aligned(self, video: TrueVideo, content: Content) -> PredictedVideo | None:
        """Return both sequences."""
        frames = self.frames(video)
        if frames is None or content.phases is None or not np.isin(frames, content.frames).all():
            return None
        predicted = content.phases[np.searchsorted(content.frames, frames)]
        return PredictedVideo(len(frames), true_phases=video.phases, predicted_phases=predicted) if (predicted >= 0).all() else None

    def values(self, of: PredictedVideo, clip: slice | None = None) -> FloatArray:
        """Return the rate of every phase, or the accuracy."""
        if of.true_phases is None or of.predicted_phases is None:
            msg = "there is nothing to score; align the video first"
            raise MetricsError(msg)
        own = clip or slice(None)
        counted = phases.confusions_of_videos([PhaseVideo("video", of.true_phases[own], of.predicted_phases[own])], self.names)
        by_phase: FloatArray = (
            rates.rate_elements(counted, _rate(self.rate)).values[0, 0] if self.rate != "accuracy" else rates.accuracy(counted).values[0, 0]
        )
        return by_phase


def _rate(name: str) -> rates.Rate:
    return next(rate for rate in rates.RATES if rate == name)


class Measure(Protocol):
    """One way to rank."""

    @property
    def task(self) -> Task:
        """What is predicted."""

    @property
    def part(self) -> str:
        """Component or rate."""

    @property
    def by_class(self) -> bool:
        """Whether the mean over videos comes before that over classes."""

    @property
    def description(self) -> str:
        """What the number is, in one line."""

    def frames(self, video: TrueVideo) -> IntArray | None:
        """Return the frames that can be scored, None when the video is not labelled for it."""

    def relevant(self, video: TrueVideo) -> BoolArray:
        """Return which of these frames have something that makes a value defined."""

    def aligned(self, video: TrueVideo, content: Content) -> PredictedVideo | None:
        """Return what a submission says of them, None when it says nothing."""

    def values(self, of: PredictedVideo, clip: slice | None = None) -> FloatArray:
        """Return the value of every class, NaN where undefined; of some of the frames where there is a clip."""


def measure(task: Task, component: str | None, truth: GroundTruth, *, count_null: bool = False) -> Measure:
    """Return a way to rank.

    Parameters
    ----------
    task
        What is predicted.
    component
        One of the parts of the task; None: what it is ranked by.
    truth
        For its vocabulary.
    count_null
        Whether the null triplets count; the challenge left them out.

    Raises
    ------
    MetricsError
        When there is no such component, or the vocabulary has no classes for it.
    """
    vocabulary, name = truth.vocabulary, component or CONTESTS[task].primary
    if name not in CONTESTS[task].parts:
        msg = f"there is no component '{name}' of {task}; there are {', '.join(CONTESTS[task].parts)}"
        raise MetricsError(msg)
    if not (vocabulary.phases if task == "phases" else vocabulary.triplets):
        msg = f"the vocabulary {vocabulary.name} has no {'phases' if task == 'phases' else 'triplets'}; rank by another task"
        raise MetricsError(msg)
    if task == "phases":
        return Phases(name, vocabulary.phases)
    if task == "detection":
        return Detection(name, vocabulary)
    null = () if count_null else vocabulary.null_triplets
    triplets = triplet_map(np.array(vocabulary.triplets), verbs=len(vocabulary.verbs), targets=len(vocabulary.targets), null=null)
    return Recognition(name, triplets, ignore_null=bool(null))


def score(values: FloatArray, by_class: bool) -> float:
    """Return the mean of (videos, classes), NaN when nothing is defined.

    >>> import numpy as np
    >>> values = np.array([[0.2, 0.6], [np.nan, 1.0]])
    >>> score(values, by_class=True), round(score(values, by_class=False), 12)
    (0.5, 0.6)
    """
    columns = [_mean(column) for column in values.T.tolist()] if by_class else values.ravel().tolist()
    return _mean(columns)


def _mean(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan
