"""Teams ranked by phases: accuracy, or a rate of every phase."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrubin.core.errors import MetricsError
from scrubin.evaluation.ranking.prediction import PredictedVideo
from scrubin.evaluation.submission.truth import TrueVideo
from scrubin.labels.formats.submission.content import BoolArray, Content, FloatArray, IntArray
from scrubin.labels.tasks import Task
from scrubin.metrics.phases import confusion, rates
from scrubin.metrics.phases.videos import PhaseVideo


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
        counted = confusion.of_videos([PhaseVideo("video", of.true_phases[own], of.predicted_phases[own])], self.names)
        by_phase: FloatArray = (
            rates.elements(counted, _rate(self.rate)).values[0, 0] if self.rate != "accuracy" else rates.accuracy(counted).values[0, 0]
        )
        return by_phase


def _rate(name: str) -> rates.Rate:
    return next(rate for rate in rates.RATES if rate == name)
