"""One team's submission to the numbers that a ranking is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.core.errors import AnnotationError, MetricsError
from scrubin.core.faults import Fault
from scrubin.evaluation.ranking import measures
from scrubin.evaluation.ranking.clips import Clip
from scrubin.evaluation.ranking.measures import PARTS, Measure
from scrubin.evaluation.submission import submission
from scrubin.evaluation.submission.truth import GroundTruth, TrueVideo
from scrubin.labels.formats.submission.content import BoolArray, Content, FloatArray
from scrubin.labels.policy import stopping


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A team that can be ranked.

    Parameters
    ----------
    team
        Its name.
    values
        (videos, classes), videos in order of their names.
    clips
        (clips,), the score of each clip.
    parts
        (videos, classes) of every component or rate of the task.
    by_class
        By component or rate, as of its measure.
    faults
        What is not as specified in the submission, but was read.
    missing
        (videos,), where the team gave nothing and what it gets for that was filled in; a submission that was read is whole.
    """

    team: str
    values: FloatArray
    clips: FloatArray
    parts: Mapping[str, FloatArray]
    by_class: bool
    faults: tuple[Fault, ...] = ()
    missing: BoolArray = field(default_factory=lambda: np.zeros(0, np.bool_))

    @property
    def score(self) -> float:
        """The score of all videos."""
        return measures.score(self.values, self.by_class)

    @property
    def scores(self) -> Mapping[str, float]:
        """The score of all videos by component or rate."""
        return {name: measures.score(values, self.by_class) for name, values in self.parts.items()}

    @property
    def by_video(self) -> FloatArray:
        """(videos,), the score of each video: the mean over what is defined in it."""
        return np.array([measures.score(values[np.newaxis], self.by_class) for values in self.values])

    @property
    def not_given(self) -> BoolArray:
        """(videos,), where the team gave nothing."""
        return self.missing if len(self.missing) else np.zeros(len(self.values), np.bool_)


@dataclass(frozen=True)
class Refusal:
    """A team that cannot be ranked.

    Parameters
    ----------
    team
        Its name.
    errors
        Why: every fault that stops it.
    """

    team: str
    errors: tuple[Fault, ...]


class _Scores:
    """What is kept of the videos that were read: a row of values each, never their frames."""

    def __init__(self, ways: Mapping[str, Measure], ranked: str, clips: Sequence[Clip]) -> None:
        self.ways = ways
        self.ranked = ranked
        self.by_video: dict[str, dict[str, FloatArray]] = {name: {} for name in ways}
        self.by_clip: dict[Clip, float] = {}
        self._clips = clips

    def take(self, video: TrueVideo, content: Content) -> None:
        """Score one video."""
        for name, way in self.ways.items():
            aligned = way.aligned(video, content)
            if aligned is None:
                continue
            self.by_video[name][video.name] = way.values(aligned)
            for clip in self._clips if name == self.ranked else ():
                if clip.video == video.name:
                    values = way.values(aligned, slice(clip.start, clip.stop))
                    self.by_clip[clip] = measures.score(values[np.newaxis], way.by_class)


def evaluate(team: str, folder: Path, truth: GroundTruth, measure: Measure, clips: Sequence[Clip]) -> Evaluation | Refusal:
    """Return the numbers of a team, or why there are none.

    Parameters
    ----------
    team, folder
        Name and submission.
    truth
        Labels.
    measure
        What is ranked by; the other components or rates of its task are computed beside it.
    clips
        On which it is compared with others.
    """
    ways = {name: _part(measure, name) for name in PARTS[measure.task]}
    scores = _Scores(ways, measure.part, clips)
    try:
        outcome = submission.check(folder, truth, tasks=[measure.task], take=scores.take)
    except AnnotationError as error:
        # Where a folder lies on this machine is nothing for a leaderboard.
        return Refusal(team, tuple(replace(fault, file="") if fault.file == str(folder) else fault for fault in error.faults))
    if stops := stopping("rank", outcome.faults):
        return Refusal(team, stops)
    wanted = scored_videos(truth, measure)
    parts = {name: np.stack([of[video] for video in wanted]) for name, of in scores.by_video.items()}
    by_clip = np.array([scores.by_clip[clip] for clip in clips])
    return Evaluation(team, parts[measure.part], by_clip, parts, measure.by_class, outcome.faults)


def scored_videos(truth: GroundTruth, measure: Measure) -> list[str]:
    """Return the names of the videos that are labelled for a measure.

    Raises
    ------
    MetricsError
        When there is none.
    """
    frames = {name: measure.frames(video) for name, video in truth.videos.items()}
    names = [name for name, of in frames.items() if of is not None and len(of)]
    if not names:
        msg = f"the ground truth has no labels for {measure.task}: only frames, or instances without a whole triplet or box"
        raise MetricsError(msg)
    return names


def _part(measure: Measure, name: str) -> Measure:
    dataclass: Any = measure
    return replace(dataclass, **{"rate" if measure.task == "phases" else "component": name})  # type: ignore[no-any-return]
