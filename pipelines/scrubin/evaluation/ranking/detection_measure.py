"""Teams ranked by detection: average precision of boxes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scrubin.core.errors import MetricsError
from scrubin.evaluation.ranking.prediction import PredictedVideo
from scrubin.evaluation.submission.truth import TrueVideo
from scrubin.labels.formats.submission.content import BoolArray, Content, FloatArray, IntArray
from scrubin.labels.formats.submission.detections import Boxes
from scrubin.labels.tasks import Task
from scrubin.metrics.detection.average_precision import average_precision
from scrubin.metrics.detection.rows import BoxRows, BoxStudy
from scrubin.vocabulary.vocabulary import Vocabulary

IOU = 0.5


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
        return PredictedVideo(len(frames), true_boxes=_placed(video.boxes, frames), predicted_boxes=_placed(content.boxes, frames))

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


def _placed(side: Boxes, frames: IntArray) -> Boxes:
    kept = _part(side, np.isin(side.frames, frames))
    return replace(kept, frames=np.searchsorted(frames, kept.frames))


def _between(side: Boxes, first: int, last: int) -> Boxes:
    return _part(side, (side.frames >= first) & (side.frames < last))


def _part(side: Boxes, own: BoolArray) -> Boxes:
    return Boxes(side.frames[own], side.triplets[own], side.instruments[own], side.boxes_xywh[own], side.scores[own])
