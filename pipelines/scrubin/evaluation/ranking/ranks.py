"""Teams by rank, with what the ranking is worth: one document, of which page, table and files are views."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.core.faults import Fault
from scrubin.evaluation.ranking import clips as clip_drawing
from scrubin.evaluation.ranking import evaluation, measures, significance, stability
from scrubin.evaluation.ranking.clips import Clip
from scrubin.evaluation.ranking.evaluation import Evaluation, Refusal
from scrubin.evaluation.ranking.measures import Measure
from scrubin.evaluation.ranking.significance import Comparison
from scrubin.evaluation.ranking.stability import Stability
from scrubin.evaluation.submission.truth import GroundTruth
from scrubin.labels.formats.submission.content import FloatArray
from scrubin.metrics import bootstrap

DIGITS = 12
REASONS = 10


@dataclass(frozen=True)
class Settings:
    """How the worth of a ranking is computed.

    Parameters
    ----------
    clips, clip_frames
        See `clips.draw`.
    resamples
        Of the videos.
    alpha
        Level of significance.
    seed
        Of clips and resamples.
    """

    clips: int = clip_drawing.CLIPS
    clip_frames: int = clip_drawing.CLIP_FRAMES
    resamples: int = bootstrap.RESAMPLES
    alpha: float = significance.ALPHA
    seed: int = bootstrap.SEED


def rank(teams: Mapping[str, Path], truth: GroundTruth, measure: Measure, settings: Settings) -> dict[str, Any]:
    """Return a ranking as JSON values; null is undefined.

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

    Returns
    -------
    dict
        ``teams`` in order of rank and name, ``not_ranked`` with reasons, ``significance`` and ``stability``.

    Raises
    ------
    MetricsError
        When the ground truth has no labels for the measure.
    """
    videos = evaluation.scored_videos(truth, measure)
    drawn = clip_drawing.draw(truth, measure, clips=settings.clips, length=settings.clip_frames, seed=settings.seed)
    every = [evaluation.evaluate(name, teams[name], truth, measure, drawn) for name in sorted(teams)]
    ranked = [one for one in every if isinstance(one, Evaluation)]
    refused = [one for one in every if isinstance(one, Refusal)]
    scores = np.array([measures.score(one.values, measure.by_class) for one in ranked])
    ranks = stability.ranks_of(scores)
    # Teams without a defined score come last.
    order = sorted(range(len(ranked)), key=lambda at: (math.isnan(ranks[at]), ranks[at], ranked[at].team))
    ranked, scores, ranks = [ranked[at] for at in order], scores[order], ranks[order]
    document: dict[str, Any] = {
        "measure": {"task": measure.task, "component": measure.part, "description": measure.description},
        "ground_truth": {
            "vocabulary": truth.vocabulary.name,
            "videos": videos,
            "videos_not_scored": sorted(set(truth.videos) - set(videos)),
            "frames": sum(len(_frames(truth, measure, name)) for name in videos),
        },
        "teams": [],
        "not_ranked": [{"team": one.team, "problems": len(one.errors), "reasons": _sentences(one.errors[:REASONS])} for one in refused],
    }
    if not ranked:
        return document
    tests = significance.matrix([one.clips for one in ranked])
    resampled = stability.resample([one.values for one in ranked], measure.by_class, resamples=settings.resamples, seed=settings.seed)
    return {
        **document,
        "teams": _teams(ranked, scores, ranks, tests, resampled, settings),
        "significance": _significance(tests, drawn, truth, measure, settings),
        "stability": _stability(resampled, settings),
    }


def _sentences(faults: Sequence[Fault]) -> list[str]:
    return [fault.sentence for fault in faults]


def _frames(truth: GroundTruth, measure: Measure, name: str) -> Any:
    return measure.frames(truth.videos[name])


def _teams(
    ranked: Sequence[Evaluation],
    scores: FloatArray,
    ranks: FloatArray,
    tests: Sequence[Sequence[Comparison | None]],
    resampled: Stability,
    settings: Settings,
) -> list[dict[str, Any]]:
    shares = resampled.share_of_ranks()
    names = [one.team for one in ranked]
    rows = []
    for at, one in enumerate(ranked):
        low, high = stability.interval(resampled.scores[:, at])
        rank_low, rank_high = stability.interval(resampled.ranks[:, at])
        rows.append(
            {
                "team": one.team,
                "rank": None if math.isnan(ranks[at]) else int(ranks[at]),
                "score": _number(scores[at]),
                "score_low": _number(low),
                "score_high": _number(high),
                "components": {name: _number(value) for name, value in one.parts.items()},
                "rank_low": _number(rank_low),
                "rank_high": _number(rank_high),
                "mean_rank": _number(_mean(resampled.ranks[:, at])),
                "share_of_ranks": [_number(share) for share in shares[at]],
                "better_than": _beaten(names, [test.better(settings.alpha) if test else False for test in tests[at]]),
                "worse_than": _beaten(names, [row[at] is not None and row[at].better(settings.alpha) for row in tests]),  # type: ignore[union-attr]
                "clip_scores": [_number(value) for value in one.clips],
                "warnings": _sentences(one.faults),
            }
        )
    return rows


def _significance(
    tests: Sequence[Sequence[Comparison | None]], drawn: Sequence[Clip], truth: GroundTruth, measure: Measure, settings: Settings
) -> dict[str, Any]:
    clips = []
    for clip in drawn:
        frames = _frames(truth, measure, clip.video)[clip.start : clip.stop]
        clips.append({"video": clip.video, "first_frame": int(frames[0]), "last_frame": int(frames[-1])})
    return {
        "test": "Wilcoxon signed-rank, two-sided, differences of 0 dropped, p-values not corrected for the number of comparisons",
        "alpha": settings.alpha,
        "clips_asked": settings.clips,
        "clips_drawn": len(drawn),
        "clips_sharing_frames": clip_drawing.overlapping(drawn),
        "clip_frames": settings.clip_frames,
        "seed": settings.seed,
        "clips": clips,
        "p": [[_number(test.p) if test else None for test in row] for row in tests],
        "differences": [[test.differences if test else None for test in row] for row in tests],
        "method": [[test.method if test else None for test in row] for row in tests],
        "better": [[test.better(settings.alpha) if test else None for test in row] for row in tests],
    }


def _stability(resampled: Stability, settings: Settings) -> dict[str, Any]:
    low, high = stability.interval(resampled.taus)
    return {
        "resamples": settings.resamples,
        "defined": len(resampled.ranks),
        "seed": settings.seed,
        "level": stability.LEVEL,
        "kendall_tau": {
            "mean": _number(_mean(resampled.taus)),
            "low": _number(low),
            "high": _number(high),
            "defined": int(np.count_nonzero(~np.isnan(resampled.taus))),
        },
    }


def _beaten(names: Sequence[str], better: Sequence[bool]) -> list[str]:
    return [name for name, one in zip(names, better, strict=True) if one]


def _mean(values: FloatArray) -> float:
    defined = values[~np.isnan(values)].tolist()
    return math.fsum(defined) / len(defined) if defined else math.nan


def _number(value: float) -> float | None:
    """Return a number without the digits that differ between processors; null is undefined."""
    return None if math.isnan(value) else round(float(value), DIGITS)
