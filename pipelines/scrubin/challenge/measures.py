"""What teams are ranked by: values per video and class, the same for whole videos and for short clips of them.

The score of a team is the mean over videos per class, then over classes (recognition and detection, as in CholecTriplet2021,
section 5.2), or the mean over everything that is defined (phases, M of Metrics Matter, section 3.2). A value that is undefined is
left out: whether one is depends on the labels alone for recognition and detection.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from scrubin.challenge.truth import BoolArray, Boxes, Content, FloatArray, GroundTruth, IntArray, Task, TrueVideo
from scrubin.errors import MetricsError
from scrubin.metrics.detection.average_precision import average_precision
from scrubin.metrics.detection.rows import Rows as BoxRows
from scrubin.metrics.detection.rows import Study
from scrubin.metrics.phases import confusion, rates
from scrubin.metrics.phases.videos import Video as PhaseVideo
from scrubin.metrics.recognition.average_precision import by_class
from scrubin.metrics.recognition.components import COMPONENTS, TripletMap, component_named, disentangle, part, triplet_map
from scrubin.metrics.recognition.videos import Rows, Video, rows_of
from scrubin.vocabulary.vocabulary import Vocabulary

PARTS: Mapping[Task, tuple[str, ...]] = {
    "recognition": COMPONENTS,
    "detection": ("i", "v", "t", "ivt"),
    "phases": ("accuracy", "precision", "recall", "f1", "jaccard"),
}
PRIMARY: Mapping[Task, str] = {"recognition": "ivt", "detection": "ivt", "phases": "accuracy"}
IOU = 0.5


@dataclass(frozen=True, eq=False)
class Predicted:
    """Labels and predictions of one video in the order of its labelled frames; made once, cut into clips often.

    Parameters
    ----------
    frames
        How many there are.
    rows
        Recognition.
    truth, found
        Detection, with frames counted from 0.
    phases, predicted
        Phases.
    """

    frames: int
    rows: Rows | None = None
    truth: Boxes | None = None
    found: Boxes | None = None
    phases: IntArray | None = None
    predicted: IntArray | None = None


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

    def aligned(self, video: TrueVideo, content: Content) -> Predicted | None:
        """Return what a submission says of them, None when it says nothing."""

    def values(self, of: Predicted, clip: slice | None = None) -> FloatArray:
        """Return the value of every class, NaN where undefined; of some of the frames when a clip is given."""


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

    def aligned(self, video: TrueVideo, content: Content) -> Predicted | None:
        """Return labels and probabilities by class."""
        frames = self.frames(video)
        if frames is None or content.recognition is None or not np.isin(frames, content.frames).all():
            return None
        scores = content.recognition[np.searchsorted(content.frames, frames)]
        if video.targets is None or not np.isfinite(scores).all():
            return None
        whole = rows_of(Video(video.name, video.targets, scores), len(self.triplets))
        return Predicted(len(frames), rows=part(whole, self.triplets.grouping(self.component)))

    def values(self, of: Predicted, clip: slice | None = None) -> FloatArray:
        """Return the average precision of every class that counts."""
        if of.rows is None:
            msg = "there is nothing to score; align the video first"
            raise MetricsError(msg)
        own = clip or slice(None)
        # Sorting works in place: what was aligned must stay.
        found, _ = by_class(Rows(of.rows.labels[:, own].copy(), of.rows.scores[:, own].copy()))
        return found[self.triplets.kept(component_named(self.component), self.ignore_null)]


@dataclass(frozen=True, eq=False)
class Detection:
    """Average precision of boxes."""

    component: str
    words: Vocabulary
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

    def aligned(self, video: TrueVideo, content: Content) -> Predicted | None:
        """Return both sides' boxes, frames by their place."""
        frames = self.frames(video)
        if frames is None or video.boxes is None or content.boxes is None:
            return None
        return Predicted(len(frames), truth=_placed(video.boxes, frames), found=_placed(content.boxes, frames))

    def values(self, of: Predicted, clip: slice | None = None) -> FloatArray:
        """Return the average precision of every class."""
        if of.truth is None or of.found is None:
            msg = "there is nothing to score; align the video first"
            raise MetricsError(msg)
        first, last = (0, of.frames) if clip is None else (clip.start, clip.stop)
        sides = [self._rows(_between(side, first, last), first) for side in (of.truth, of.found)]
        study = Study(("video",), [last - first], {self.component: self._size()}, *sides)
        found = average_precision(study, self.component, threshold=self.iou, scope="global")
        return np.array([found.classes[str(id_)].value for id_ in range(self._size())])

    def _rows(self, side: Boxes, first: int) -> BoxRows:
        classes = self._classes()[side.triplets]
        return BoxRows(np.zeros(len(classes), np.int64), side.frames - first, {self.component: classes}, side.boxes_xywh, side.scores)

    def _classes(self) -> IntArray:
        at = {"i": 0, "v": 1, "t": 2}.get(self.component)
        ids = np.array(self.words.triplets, np.int64).reshape(-1, 3)
        return np.arange(len(ids)) if at is None else ids[:, at]

    def _size(self) -> int:
        words = self.words
        sizes = {"i": words.instruments, "v": words.verbs, "t": words.targets}
        return len(sizes.get(self.component, words.triplets))


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

    def aligned(self, video: TrueVideo, content: Content) -> Predicted | None:
        """Return both sequences."""
        frames = self.frames(video)
        if frames is None or content.phases is None or content.phase_frames is None or not np.isin(frames, content.phase_frames).all():
            return None
        predicted = content.phases[np.searchsorted(content.phase_frames, frames)]
        return Predicted(len(frames), phases=video.phases, predicted=predicted) if (predicted >= 0).all() else None

    def values(self, of: Predicted, clip: slice | None = None) -> FloatArray:
        """Return the rate of every phase, or the accuracy."""
        if of.phases is None or of.predicted is None:
            msg = "there is nothing to score; align the video first"
            raise MetricsError(msg)
        own = clip or slice(None)
        counted = confusion.of_videos([PhaseVideo("video", of.phases[own], of.predicted[own])], self.names)
        found: FloatArray = (
            rates.elements(counted, _rate(self.rate)).values[0, 0] if self.rate != "accuracy" else rates.accuracy(counted).values[0, 0]
        )
        return found


def measure(task: Task, component: str | None, truth: GroundTruth, *, count_null: bool = False) -> Measure:
    """Return a way to rank.

    Parameters
    ----------
    task
        What is predicted.
    component
        One of `PARTS` of the task; None: `PRIMARY`.
    truth
        For its vocabulary.
    count_null
        Whether the null triplets count; the challenge left them out.

    Raises
    ------
    MetricsError
        When there is no such component, or the vocabulary has no classes for it.
    """
    words, name = truth.vocabulary, component or PRIMARY[task]
    if name not in PARTS[task]:
        msg = f"there is no component '{name}' of {task}; there are {', '.join(PARTS[task])}"
        raise MetricsError(msg)
    if not (words.phases if task == "phases" else words.triplets):
        msg = f"the vocabulary {words.name} has no {'phases' if task == 'phases' else 'triplets'}; rank by another task"
        raise MetricsError(msg)
    if task == "phases":
        return Phases(name, words.phases)
    if task == "detection":
        return Detection(name, words)
    null = () if count_null else words.null_triplets
    triplets = triplet_map(np.array(words.triplets), verbs=len(words.verbs), targets=len(words.targets), null=null)
    return Recognition(name, triplets, ignore_null=bool(null))


def score(values: FloatArray, by_class: bool) -> float:
    """Return the mean of (videos, classes), NaN when nothing is defined.

    >>> import numpy as np
    >>> found = np.array([[0.2, 0.6], [np.nan, 1.0]])
    >>> score(found, by_class=True), round(score(found, by_class=False), 12)
    (0.5, 0.6)
    """
    columns = [_mean(column) for column in values.T.tolist()] if by_class else values.ravel().tolist()
    return _mean(columns)


def _mean(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _rate(name: str) -> rates.Rate:
    found = [rate for rate in rates.RATES if rate == name]
    return found[0]


def _placed(side: Boxes, frames: IntArray) -> Boxes:
    kept = np.isin(side.frames, frames)
    return Boxes(np.searchsorted(frames, side.frames[kept]), side.triplets[kept], side.boxes_xywh[kept], side.scores[kept])


def _between(side: Boxes, first: int, last: int) -> Boxes:
    own = (side.frames >= first) & (side.frames < last)
    return Boxes(side.frames[own], side.triplets[own], side.boxes_xywh[own], side.scores[own])
