"""Teams by rank: submissions are scored, or scores are taken as they are, and what the ranking is worth is computed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.evaluation.ranking import clips as clip_drawing
from scrubin.evaluation.ranking import evaluation
from scrubin.evaluation.ranking.clips import Clip
from scrubin.evaluation.ranking.contest import Contest
from scrubin.evaluation.ranking.evaluation import Evaluation, Refusal
from scrubin.evaluation.ranking.measures import Measure
from scrubin.evaluation.ranking.ranking_document import document_of
from scrubin.evaluation.ranking.ranking_settings import Settings
from scrubin.evaluation.ranking.stability import ranks_of
from scrubin.evaluation.submission.truth import GroundTruth


def rank(
    teams: Mapping[str, Path], truth: GroundTruth, measure: Measure, settings: Settings, components: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a ranking of submissions as JSON values; null is undefined.

    Parameters
    ----------
    teams
        Submissions by name.
    truth
        Labels.
    measure
        What counts.
    settings
        The rest.
    components
        Other components or rates of the task that count in a ranking by several metrics.

    Returns
    -------
    dict
        As `ranking_document.document_of`.

    Raises
    ------
    MetricsError
        When the ground truth has no labels for the measure.
    """
    videos = evaluation.scored_videos(truth, measure)
    drawn: tuple[Clip, ...] = ()
    if settings.test == "clips":
        drawn = clip_drawing.draw(truth, measure, clips=settings.clips, length=settings.clip_frames, seed=settings.seed)
    every = [evaluation.evaluate(name, teams[name], truth, measure, drawn) for name in sorted(teams)]
    contest = Contest(
        measure={"task": measure.task, "component": measure.part, "description": measure.description},
        components=(measure.part, *(name for name in components if name != measure.part)),
        videos=tuple(videos),
        ground_truth={
            "vocabulary": truth.vocabulary.name,
            "videos_not_scored": sorted(set(truth.videos) - set(videos)),
            "frames": sum(len(_frames(truth, measure, name)) for name in videos),
        },
        clips=tuple(_clip(truth, measure, clip) for clip in drawn),
        clips_sharing_frames=clip_drawing.overlapping(drawn),
    )
    ranked = [one for one in every if isinstance(one, Evaluation)]
    return of_evaluations(contest, ranked, [one for one in every if isinstance(one, Refusal)], settings)


def of_evaluations(contest: Contest, teams: Sequence[Evaluation], refused: Sequence[Refusal], settings: Settings) -> dict[str, Any]:
    """Return the ranking of teams that were scored, as JSON values."""
    ranks = ranks_of(contest.sign * np.array([one.score for one in teams]))
    # Teams without a defined score come last.
    order = sorted(range(len(teams)), key=lambda at: (math.isnan(ranks[at]), ranks[at], teams[at].team))
    return document_of(contest, [teams[at] for at in order], ranks[order], refused, settings)


def _clip(truth: GroundTruth, measure: Measure, clip: Clip) -> dict[str, Any]:
    frames = _frames(truth, measure, clip.video)[clip.start : clip.stop]
    return {"video": clip.video, "first_frame": int(frames[0]), "last_frame": int(frames[-1])}


def _frames(truth: GroundTruth, measure: Measure, name: str) -> Any:
    return measure.frames(truth.videos[name])
