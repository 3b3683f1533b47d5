"""A contest of teams: metric, videos, clips, tests as the organiser sets them; the scores of each team.

The paper draws N = 30 random batches of 100 consecutive frames "to simulate a video clip evaluation" and says no more. Here every
clip of that length in any video is as likely as every other one, none is drawn twice, and all teams are compared on the same clips.
Clips may share frames. A clip in which the metric is undefined, because nothing that counts is labelled in it, is never drawn.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base.errors import AnnotationError, MetricsError
from scrubin.base.faults import Fault
from scrubin.evaluate import choices, submission
from scrubin.evaluate.choices import CLIP_FRAMES, CLIPS, Correction, Test
from scrubin.evaluate.contest_tasks import CONTESTS
from scrubin.evaluate.metrics import variants
from scrubin.evaluate.metrics.variants import ONLY_INSTRUMENTS
from scrubin.evaluate.ranking import measures
from scrubin.evaluate.ranking.measures import Measure
from scrubin.evaluate.submission_truth import GroundTruth, TrueVideo
from scrubin.evaluate.tasks.phases import note_places, of_no_label
from scrubin.labels.formats.submission.content import BoolArray, Content, FloatArray
from scrubin.labels.policy import stopping


@dataclass(frozen=True, eq=False)
class Contest:
    """What teams are ranked in.

    Parameters
    ----------
    measure
        ``task``, ``component`` and ``description`` of the metric that decides, as JSON values.
    components
        All metrics that count, the one that decides first.
    videos
        Names, in order.
    ground_truth
        What else there is to say of labels, as JSON values.
    clips
        Clips that teams are compared on, as JSON values.
    clips_sharing_frames
        How many of them share frames with another one.
    lower_is_better
        Of the metrics.
    notes
        What was done to the input, one sentence each.
    annotated
        Whether anything is annotated in each video, by the labels alone; None where they do not say it.
    """

    measure: Mapping[str, Any]
    components: tuple[str, ...]
    videos: tuple[str, ...]
    ground_truth: Mapping[str, Any] = field(default_factory=dict)
    clips: tuple[Mapping[str, Any], ...] = ()
    clips_sharing_frames: int = 0
    lower_is_better: bool = False
    notes: tuple[str, ...] = ()
    annotated: tuple[bool, ...] | None = None

    @property
    def sign(self) -> float:
        """What values are multiplied by so that more is better."""
        return -1.0 if self.lower_is_better else 1.0


@dataclass(frozen=True, order=True)
class Clip:
    """Consecutive scored frames of one video.

    Parameters
    ----------
    video
        Its name.
    start, stop
        Places among the scored frames of the video, half open.
    """

    video: str
    start: int
    stop: int


def draw(truth: GroundTruth, measure: Measure, *, clips: int = CLIPS, length: int = CLIP_FRAMES, seed: int = 0) -> tuple[Clip, ...]:
    """Return clips in order of videos and frames; fewer than asked for when there are no more.

    Parameters
    ----------
    truth
        Decides which clips there are: never a submission.
    measure
        Decides in which of them something is defined.
    clips
        How many.
    length
        Of each, in frames.
    seed
        Clips are taken in the order of a hash of seed, video and place, so that they are the same everywhere.
    """
    candidates: list[tuple[bytes, Clip]] = []
    for name, video in truth.videos.items():
        counted = np.concatenate([[0], np.cumsum(measure.relevant(video))])
        for start in np.flatnonzero(counted[length:] > counted[:-length]).tolist() if len(counted) > length else []:
            key = hashlib.sha256(f"{seed}\0{name}\0{start}".encode()).digest()
            candidates.append((key, Clip(name, start, start + length)))
    return tuple(sorted(clip for _, clip in sorted(candidates)[:clips]))


def overlapping(clips: Sequence[Clip]) -> int:
    """Return how many of sorted clips share frames with another one.

    >>> overlapping([Clip("a", 0, 100), Clip("a", 50, 150), Clip("a", 150, 250), Clip("b", 50, 150)])
    2
    """
    shared = {
        clip for one, other in itertools.pairwise(clips) if one.video == other.video and other.start < one.stop for clip in (one, other)
    }
    return len(shared)


@dataclass(frozen=True)
class RankingSettings:
    """How the worth of a ranking is computed.

    Parameters
    ----------
    clips, clip_frames
        See `clips.draw`; of tests over clips.
    resamples
        Of the videos.
    alpha
        Level of significance.
    seed
        Of clips and resamples.
    test
        What two teams are compared over: videos, which are independent of each other, or clips, as CholecTriplet2021 did.
    correction
        Of the p-values for the number of comparisons.
    """

    clips: int = CLIPS
    clip_frames: int = CLIP_FRAMES
    resamples: int = variants.RESAMPLES
    alpha: float = choices.ALPHA
    seed: int = variants.SEED
    test: Test = "videos"
    correction: Correction = "holm"


@dataclass(frozen=True, eq=False)
class TeamScores:
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
    together
        What `scrubin score` gives for all videos together where that is another number than the mean over videos; else None.
    """

    team: str
    values: FloatArray
    clips: FloatArray
    parts: Mapping[str, FloatArray]
    by_class: bool
    faults: tuple[Fault, ...] = ()
    missing: BoolArray = field(default_factory=lambda: np.zeros(0, np.bool_))
    together: float | None = None

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

    def __init__(self, ways: Mapping[str, Measure], ranked: str, clips: Sequence[Clip], labelled: Collection[int] | None) -> None:
        self.ways = ways
        self.ranked = ranked
        self.by_video: dict[str, dict[str, FloatArray]] = {name: {} for name in ways}
        self.by_clip: dict[Clip, float] = {}
        self.phases: dict[int, list[str]] = {}
        """Where each phase is predicted that no labelled video has: files and frames."""
        self._clips = clips
        self._labelled = labelled

    def take(self, video: TrueVideo, content: Content, file: str) -> None:
        """Score one video."""
        if content.phases is not None and video.phase_frames is not None and self._labelled is not None:
            counts = np.isin(content.frames, video.phase_frames) & (content.phases >= 0)
            note_places(self.phases, file, content.phases[counts], content.frames[counts], self._labelled)
        for name, way in self.ways.items():
            aligned = way.aligned(video, content)
            if aligned is None:
                continue
            self.by_video[name][video.name] = way.values(aligned)
            for clip in self._clips if name == self.ranked else ():
                if clip.video == video.name:
                    values = way.values(aligned, slice(clip.start, clip.stop))
                    self.by_clip[clip] = measures.score(values[np.newaxis], way.by_class)


def evaluate(team: str, folder: Path, truth: GroundTruth, measure: Measure, clips: Sequence[Clip]) -> TeamScores | Refusal:
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
    ways = {name: replace(measure, part=name) for name in CONTESTS[measure.task].parts}
    scores = _Scores(ways, measure.part, clips, truth.labelled_phases)
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
    labelled = truth.labelled_phases
    false = () if labelled is None else of_no_label(scores.phases, truth.vocabulary.phases, labelled)
    return TeamScores(team, parts[measure.part], by_clip, parts, measure.by_class, (*false, *outcome.faults))


def scored_videos(truth: GroundTruth, measure: Measure) -> list[str]:
    """Return the names of the videos that are labelled for a measure.

    Raises
    ------
    MetricsError
        When there is none.
    """
    counted = truth.frames_of(measure.task)
    names = [name for name, of in counted.items() if len(of) and measure.frames(truth.videos[name]) is not None]
    if not names and measure.task != "phases" and any(video.only_instruments for video in truth.videos.values()):
        # In the words of a score, which has instruments alone; submissions are of triplets.
        says = f"'scrubin score {measure.task} --variant component=i' scores these, and teams are ranked by whole triplets"
        raise MetricsError(f"component {measure.part}: {ONLY_INSTRUMENTS}; {says}")
    if not names:
        raise MetricsError(f"the ground truth has no labels for {measure.task}: only frames, or instances without a whole triplet or box")
    return names
