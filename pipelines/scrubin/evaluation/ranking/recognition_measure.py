"""Teams ranked by recognition: average precision of triplets or their parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrubin.core.errors import MetricsError
from scrubin.evaluation.ranking.prediction import PredictedVideo
from scrubin.evaluation.submission.truth import TrueVideo
from scrubin.labels.formats.submission.content import BoolArray, Content, FloatArray, IntArray
from scrubin.labels.tasks import Task
from scrubin.metrics.recognition.average_precision import by_class
from scrubin.metrics.recognition.components import TripletMap, component_named, disentangle, part
from scrubin.metrics.recognition.videos import ClassRows, TripletVideo, rows_of


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
