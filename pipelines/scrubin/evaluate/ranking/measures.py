"""What teams are ranked by: values per video by class, the same for whole videos as for short clips of them.

The score of a team is the mean over videos per class, then over classes (recognition and detection, as in CholecTriplet2021,
section 5.2), or the mean over everything that is defined (phases, M of Metrics Matter, section 3.2). A value that is undefined is
left out: whether one is depends on the labels alone for recognition and detection.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

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
from scrubin.evaluate.metrics.result import mean_of
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
    sides
        What the measure that aligned them takes: of recognition both in one, labels and scores by class; of detection and phases truth and
        prediction. Of boxes frames are counted from 0; they are in px where the labels state the sizes of images.
    """

    frames: int
    sides: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Measure(ABC):
    """One way to rank.

    Parameters
    ----------
    part
        Component or rate.
    """

    part: str
    task: ClassVar[Task]
    """What is predicted."""
    by_class: ClassVar[bool] = True
    """Whether the mean over videos comes before that over classes."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What the number is, in one line."""

    @abstractmethod
    def frames(self, video: TrueVideo) -> IntArray | None:
        """Return the frames that can be scored, None when the video is not labelled for it."""

    @abstractmethod
    def relevant(self, video: TrueVideo) -> BoolArray:
        """Return which of these frames have something that makes a value defined."""

    @abstractmethod
    def aligned(self, video: TrueVideo, content: Content) -> PredictedVideo | None:
        """Return what a submission says of them, None when it says nothing."""

    @abstractmethod
    def values(self, of: PredictedVideo, clip: slice | None = None) -> FloatArray:
        """Return the value of every class, NaN where undefined; of some of the frames where there is a clip."""


@dataclass(frozen=True, eq=False)
class Recognition(Measure):
    """Average precision of triplets or their parts."""

    triplets: TripletMap
    ignore_null: bool
    task = "recognition"

    @property
    def description(self) -> str:
        """What the number is."""
        null = " without the null triplets" if self.ignore_null and self.part == "ivt" else ""
        return f"triplet recognition: mean average precision of {self.part}{null}, per video, then over videos, then over classes"

    def frames(self, video: TrueVideo) -> IntArray | None:
        """Return the labelled frames."""
        return video.frames if video.targets is not None else None

    def relevant(self, video: TrueVideo) -> BoolArray:
        """Return the frames with a positive of a class that counts."""
        if video.targets is None:
            return np.zeros(0, np.bool_)
        parts = disentangle(video.targets, self.triplets, self.part)
        kept = parts[:, self.triplets.kept(component_named(self.part), self.ignore_null)]
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
        return PredictedVideo(len(frames), (part(whole, self.triplets.grouping(self.part)),))

    def values(self, of: PredictedVideo, clip: slice | None = None) -> FloatArray:
        """Return the average precision of every class that counts."""
        own, (rows,) = clip or slice(None), of.sides
        by_triplet, _ = by_class(ClassRows(rows.labels[:, own], rows.scores[:, own]))
        return by_triplet[self.triplets.kept(component_named(self.part), self.ignore_null)]


@dataclass(frozen=True, eq=False)
class Detection(Measure):
    """Average precision of boxes."""

    vocabulary: Vocabulary
    iou: float = IOU
    task = "detection"

    @property
    def description(self) -> str:
        """What the number is."""
        of = f"{self.part} at IoU {self.iou:g}"
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
        return PredictedVideo(len(frames), tuple(_placed(side, frames, video.boxed_px) for side in (video.boxes, content.boxes)))

    def values(self, of: PredictedVideo, clip: slice | None = None) -> FloatArray:
        """Return the average precision of every class."""
        first, last = (0, of.frames) if clip is None else (clip.start, clip.stop)
        sides = [self._rows(_part(side, (side.frames >= first) & (side.frames < last)), first) for side in of.sides]
        study = BoxStudy(("video",), [last - first], {self.part: self._size()}, *sides)
        scored = average_precision(study, self.part, threshold=self.iou, scope="global")
        return np.array([scored.classes[str(id_)].value for id_ in range(self._size())])

    def _rows(self, side: Boxes, first: int) -> BoxRows:
        # A model may name another instrument than that of the triplet: it counts as named.
        classes = side.instruments if self.part == "i" else self._classes()[side.triplets]
        return BoxRows(np.zeros(len(classes), np.int64), side.frames - first, {self.part: classes}, side.boxes_xywh, side.scores)

    def _classes(self) -> IntArray:
        at = {"v": 1, "t": 2}.get(self.part)
        ids = np.array(self.vocabulary.triplets, np.int64).reshape(-1, 3)
        return np.arange(len(ids)) if at is None else ids[:, at]

    def _size(self) -> int:
        vocabulary = self.vocabulary
        sizes = {"i": vocabulary.instruments, "v": vocabulary.verbs, "t": vocabulary.targets}
        return len(sizes.get(self.part, vocabulary.triplets))


def _placed(side: Boxes, frames: IntArray, sizes_px: FloatArray | None) -> Boxes:
    """Return the boxes of some frames, by the place of these; as in a score in px where the sizes of images are stated."""
    kept = _part(side, np.isin(side.frames, frames))
    places = np.searchsorted(frames, kept.frames)
    boxes = kept.boxes_xywh if sizes_px is None else in_px(kept.boxes_xywh, sizes_px[places])
    return replace(kept, frames=places, boxes_xywh=boxes)


def _part(side: Boxes, own: BoolArray) -> Boxes:
    return Boxes(side.frames[own], side.triplets[own], side.instruments[own], side.boxes_xywh[own], side.scores[own])


@dataclass(frozen=True, eq=False)
class Phases(Measure):
    """A rate of phases."""

    names: tuple[str, ...]
    task = "phases"
    by_class = False

    @property
    def description(self) -> str:
        """What the number is."""
        of = "over videos" if self.part == "accuracy" else "over every video and phase where it is defined (strategy A)"
        return f"phase recognition: mean {self.part} {of}"

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
        return PredictedVideo(len(frames), (video.phases, predicted)) if (predicted >= 0).all() else None

    def values(self, of: PredictedVideo, clip: slice | None = None) -> FloatArray:
        """Return the rate of every phase, or the accuracy."""
        own = clip or slice(None)
        counted = phases.confusions_of_videos([PhaseVideo("video", *(side[own] for side in of.sides))], self.names)
        found = rates.accuracy(counted) if self.part == "accuracy" else rates.rate_elements(counted, cast("rates.Rate", self.part))
        by_phase: FloatArray = found.values[0, 0]
        return by_phase


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
        raise MetricsError(f"there is no component '{name}' of {task}; there are {', '.join(CONTESTS[task].parts)}")
    if not (vocabulary.phases if task == "phases" else vocabulary.triplets):
        raise MetricsError(f"the vocabulary {vocabulary.name} has no {'phases' if task == 'phases' else 'triplets'}; rank by another task")
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
    return mean([mean(column) for column in values.T.tolist()] if by_class else values)


def mean(values: Iterable[float] | FloatArray) -> float:
    """Return the mean of the defined values, NaN without any."""
    return mean_of(values).value
