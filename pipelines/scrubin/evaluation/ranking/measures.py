"""What teams are ranked by: values per video and class, the same for whole videos and for short clips of them.

The score of a team is the mean over videos per class, then over classes (recognition and detection, as in CholecTriplet2021,
section 5.2), or the mean over everything that is defined (phases, M of Metrics Matter, section 3.2). A value that is undefined is
left out: whether one is depends on the labels alone for recognition and detection.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

import numpy as np

from scrubin.core.errors import MetricsError
from scrubin.evaluation.ranking.detection_measure import Detection
from scrubin.evaluation.ranking.phase_measure import Phases
from scrubin.evaluation.ranking.prediction import PredictedVideo
from scrubin.evaluation.ranking.recognition_measure import Recognition
from scrubin.evaluation.submission.truth import GroundTruth, TrueVideo
from scrubin.labels.formats.submission.content import BoolArray, Content, FloatArray, IntArray
from scrubin.labels.tasks import Task
from scrubin.metrics.recognition.components import COMPONENTS, triplet_map

PARTS: Mapping[Task, tuple[str, ...]] = {
    "recognition": COMPONENTS,
    "detection": ("i", "v", "t", "ivt"),
    "phases": ("accuracy", "precision", "recall", "f1", "jaccard"),
}
PRIMARY: Mapping[Task, str] = {"recognition": "ivt", "detection": "ivt", "phases": "accuracy"}


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
    vocabulary, name = truth.vocabulary, component or PRIMARY[task]
    if name not in PARTS[task]:
        msg = f"there is no component '{name}' of {task}; there are {', '.join(PARTS[task])}"
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
