"""Teams by rank, as one document of which page, tables, files are views."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base.faults import Fault
from scrubin.evaluate.ranking import significance, stability
from scrubin.evaluate.ranking.contest import (
    Clip,
    Contest,
    RankingSettings,
    Refusal,
    TeamScores,
    draw,
    evaluate,
    overlapping,
    scored_videos,
)
from scrubin.evaluate.ranking.measures import Measure, mean
from scrubin.evaluate.ranking.significance import TeamTest, largest_of
from scrubin.evaluate.ranking.stability import LeftOut, Stability, ranks_of
from scrubin.evaluate.submission_truth import GroundTruth
from scrubin.labels.formats.submission.content import FloatArray


def rank(
    teams: Mapping[str, Path], truth: GroundTruth, measure: Measure, settings: RankingSettings, components: Sequence[str] = ()
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
    videos = scored_videos(truth, measure)
    drawn: tuple[Clip, ...] = ()
    if settings.test == "clips":
        drawn = draw(truth, measure, clips=settings.clips, length=settings.clip_frames, seed=settings.seed)
    every = [evaluate(name, teams[name], truth, measure, drawn) for name in sorted(teams)]
    contest = Contest(
        measure={"task": measure.task, "component": measure.part, "description": measure.description},
        components=(measure.part, *(name for name in components if name != measure.part)),
        videos=tuple(videos),
        ground_truth={
            "vocabulary": truth.vocabulary.name,
            "videos_not_scored": sorted(set(truth.videos) - set(videos)),
            "frames": sum(len(_frames(truth, measure, name)) for name in videos),
            "release": None if truth.release is None else truth.release.as_json(),
        },
        clips=tuple(_clip(truth, measure, clip) for clip in drawn),
        clips_sharing_frames=overlapping(drawn),
    )
    ranked = [one for one in every if isinstance(one, TeamScores)]
    return of_evaluations(contest, ranked, [one for one in every if isinstance(one, Refusal)], settings)


def of_evaluations(contest: Contest, teams: Sequence[TeamScores], refused: Sequence[Refusal], settings: RankingSettings) -> dict[str, Any]:
    """Return the ranking of teams that were scored, as JSON values."""
    ranks = ranks_of(contest.sign * np.array([one.score for one in teams]), np.array([largest_of(one.values) for one in teams]))
    # Teams without a defined score come last.
    order = sorted(range(len(teams)), key=lambda at: (math.isnan(ranks[at]), ranks[at], teams[at].team))
    return document_of(contest, [teams[at] for at in order], ranks[order], refused, settings)


def _clip(truth: GroundTruth, measure: Measure, clip: Clip) -> dict[str, Any]:
    frames = _frames(truth, measure, clip.video)[clip.start : clip.stop]
    return {"video": clip.video, "first_frame": int(frames[0]), "last_frame": int(frames[-1])}


def _frames(truth: GroundTruth, measure: Measure, name: str) -> Any:
    return measure.frames(truth.videos[name])


DIGITS = 12
REASONS = 10
PODIUM = 3
Tests = Sequence[Sequence[TeamTest | None]]


def document_of(
    contest: Contest, teams: Sequence[TeamScores], ranks: FloatArray, refused: Sequence[Refusal], settings: RankingSettings
) -> dict[str, Any]:
    """Return a ranking as JSON values; null is undefined.

    Parameters
    ----------
    contest
        What they are ranked in.
    teams, ranks
        In order of rank and name.
    refused
        Teams that cannot be ranked.
    settings
        How the worth of the ranking is computed.

    Returns
    -------
    dict
        ``teams`` in their order, ``not_ranked`` with reasons, ``significance``, ``groups``, ``ties``, ``stability``, ``methods``,
        ``leave_one_out``, ``several`` and ``variants``; only the first two and what they are ranked in where no team can be ranked.
    """
    document: dict[str, Any] = {
        "measure": {**contest.measure, "lower_is_better": contest.lower_is_better},
        "ground_truth": {
            **{"vocabulary": None, "videos_not_scored": [], "frames": None, "release": None},
            **contest.ground_truth,
            "videos": [*contest.videos],
        },
        "notes": [*contest.notes],
        "teams": [],
        "not_ranked": [{"team": one.team, "problems": len(one.errors), "reasons": _sentences(one.errors[:REASONS])} for one in refused],
    }
    if not teams:
        return document
    units = [contest.sign * (one.clips if settings.test == "clips" else one.by_video) for one in teams]
    tests = significance.matrix(units, settings.correction)
    better = _better(tests, settings.alpha)
    resampled = stability.resample(
        [one.values for one in teams],
        teams[0].by_class,
        resamples=settings.resamples,
        seed=settings.seed,
        lower_is_better=contest.lower_is_better,
    )
    rankings = stability.every(
        np.stack([one.by_video for one in teams]),
        np.stack([one.not_given for one in teams]),
        better.sum(axis=1).tolist(),
        annotated=contest.annotated,
        lower_is_better=contest.lower_is_better,
    )
    left_out = stability.each([one.values for one in teams], teams[0].by_class, lower_is_better=contest.lower_is_better)
    apart = significance.indistinguishable((better | better.T)[np.ix_(_placed(ranks), _placed(ranks))])
    rows = _teams(contest, teams, ranks, better, resampled)
    for at, row in enumerate(rows):
        row["groups"] = [group.letter for group in apart if at in group.teams]
        row["methods"] = {way.name: {"value": json_number(way.values[at]), "rank": json_rank(way.ranks[at])} for way in rankings}
        row["leave_one_out"] = _span([one.ranks[at] for one in left_out])
    names = [one.team for one in teams]
    return {
        **document,
        "teams": rows,
        "significance": _significance(contest, units, tests, settings),
        "groups": [{"letter": one.letter, "teams": [names[at] for at in one.teams], "neighbours": one.neighbours} for one in apart],
        "ties": [[names[at] for at in places] for places in significance.ties(ranks)],
        "stability": _stability(resampled, settings),
        "methods": {way.name: stability.DESCRIPTIONS[way.name] for way in rankings},
        "leave_one_out": [_without(contest, names, ranks, one) for one in left_out],
        "several": _several(contest, teams, names),
        # Submissions are read again for it, so only where it is asked for.
        "variants": None,
    }


def _sentences(faults: Sequence[Fault]) -> list[str]:
    return [fault.sentence for fault in faults]


def _placed(ranks: FloatArray) -> list[int]:
    """Return the places of teams with a rank; those without come last."""
    return [int(at) for at in np.flatnonzero(~np.isnan(ranks))]


def _better(tests: Tests, alpha: float) -> npt.NDArray[np.bool_]:
    return np.array([[test is not None and test.better(alpha) for test in row] for row in tests], np.bool_)


def _teams(
    contest: Contest, teams: Sequence[TeamScores], ranks: FloatArray, better: npt.NDArray[np.bool_], resampled: Stability
) -> list[dict[str, Any]]:
    shares, podium = resampled.share_of_ranks(), resampled.share_among(PODIUM)
    names = [one.team for one in teams]
    rows = []
    for at, one in enumerate(teams):
        low, high = stability.interval(resampled.scores[:, at])
        rank_low, rank_high = stability.interval(resampled.ranks[:, at])
        rows.append(
            {
                "team": one.team,
                "rank": json_rank(ranks[at]),
                "score": json_number(one.score),
                "score_low": json_number(low),
                "score_high": json_number(high),
                "components": {name: json_number(value) for name, value in one.scores.items()},
                "rank_low": json_number(rank_low),
                "rank_high": json_number(rank_high),
                "mean_rank": json_number(mean(resampled.ranks[:, at])),
                "share_of_ranks": [json_number(share) for share in shares[at]],
                "share_first": json_number(shares[at][0]),
                "share_podium": json_number(podium[at]),
                "better_than": [name for name, beaten in zip(names, better[at], strict=True) if beaten],
                "worse_than": [name for name, beats in zip(names, better[:, at], strict=True) if beats],
                "video_scores": [json_number(value) for value in one.by_video],
                "videos_missing": [name for name, missing in zip(contest.videos, one.not_given, strict=True) if missing],
                "clip_scores": [json_number(value) for value in one.clips],
                "warnings": _sentences(one.faults),
            }
        )
    return rows


def _significance(contest: Contest, units: Sequence[FloatArray], tests: Tests, settings: RankingSettings) -> dict[str, Any]:
    counted = int(np.count_nonzero(significance.comparable(np.stack(units), contest.annotated)))
    made = sum(test is not None and test.differences > 0 for row in tests for test in row) // 2
    corrected = made if settings.correction == "holm" else min(made, 1)
    smallest = significance.smallest_p(counted) if made else None
    corrections = {"holm": "p-values corrected by Holm (1979)", "none": "p-values not corrected for the number of comparisons"}
    return {
        "test": f"Wilcoxon signed-rank, two-sided, differences of 0 dropped, {corrections[settings.correction]}",
        "unit": {"videos": "video", "clips": "clip"}[settings.test],
        "units": counted,
        "comparisons": made,
        "correction": settings.correction,
        "alpha": settings.alpha,
        # What no data could fall below: all units won by one of two teams, in one comparison, with the others not as clear.
        "smallest_p": None if smallest is None else json_number(smallest),
        "smallest_p_adjusted": None if smallest is None else json_number(min(1.0, corrected * smallest)),
        "can_be_significant": None if smallest is None else corrected * smallest <= settings.alpha,
        "units_needed": significance.units_needed(corrected, settings.alpha),
        "clips": _clips(contest, settings) if settings.test == "clips" else None,
        "p": _matrix(tests, lambda test: json_number(test.p)),
        "p_adjusted": _matrix(tests, lambda test: json_number(test.adjusted)),
        "differences": _matrix(tests, lambda test: test.differences),
        "method": _matrix(tests, lambda test: test.method),
        "better": _matrix(tests, lambda test: test.better(settings.alpha)),
    }


def _matrix(tests: Tests, of: Any) -> list[list[Any]]:
    return [[None if test is None else of(test) for test in row] for row in tests]


def _clips(contest: Contest, settings: RankingSettings) -> dict[str, Any]:
    return {
        "asked": settings.clips,
        "drawn": len(contest.clips),
        "sharing_frames": contest.clips_sharing_frames,
        "frames": settings.clip_frames,
        "seed": settings.seed,
        "list": [dict(clip) for clip in contest.clips],
    }


def _stability(resampled: Stability, settings: RankingSettings) -> dict[str, Any]:
    low, high = stability.interval(resampled.taus)
    return {
        "resamples": settings.resamples,
        "defined": len(resampled.ranks),
        "seed": settings.seed,
        "level": stability.LEVEL,
        "podium": PODIUM,
        "kendall_tau": {
            "mean": json_number(mean(resampled.taus)),
            "low": json_number(low),
            "high": json_number(high),
            "defined": int(np.count_nonzero(~np.isnan(resampled.taus))),
        },
    }


def _without(contest: Contest, names: Sequence[str], ranks: FloatArray, one: LeftOut) -> dict[str, Any]:
    after = [json_rank(value) for value in one.ranks]
    return {"video": contest.videos[one.video], "ranks": after, "moved": moved(names, [json_rank(value) for value in ranks], after)}


def _several(contest: Contest, teams: Sequence[TeamScores], names: Sequence[str]) -> dict[str, Any] | None:
    if len(contest.components) < 2:
        return None
    scores = np.array([[one.scores[name] for name in contest.components] for one in teams])
    largest = np.array([[largest_of(one.parts[name]) for name in contest.components] for one in teams])
    both = stability.combined(scores, lower_is_better=contest.lower_is_better, largest=largest)
    rows = [
        {
            "team": name,
            "scores": {part: json_number(scores[at, column]) for column, part in enumerate(contest.components)},
            "ranks": {part: json_rank(both.ranks[at, column]) for column, part in enumerate(contest.components)},
            "mean_score": json_number(both.mean_scores[at]),
            "rank_by_mean_score": json_rank(both.by_scores[at]),
            "mean_rank": json_number(both.mean_ranks[at]),
            "rank_by_mean_rank": json_rank(both.by_ranks[at]),
        }
        for at, name in enumerate(names)
    ]
    ends = [(row["team"], row["rank_by_mean_score"], row["rank_by_mean_rank"]) for row in rows]
    differ = [team for team, *of_both in ends if None not in of_both and of_both[0] != of_both[1]]
    return {"components": [*contest.components], "teams": rows, "differ": differ}


def _span(ranks: Sequence[float]) -> dict[str, int | None]:
    defined = [rank for rank in ranks if not math.isnan(rank)]
    return {"rank_low": int(min(defined)) if defined else None, "rank_high": int(max(defined)) if defined else None}


def moved(names: Sequence[str], before: Sequence[int | None], after: Sequence[int | None]) -> list[dict[str, Any]]:
    """Return the teams whose rank changes, as JSON values."""
    pairs = zip(names, before, after, strict=True)
    return [{"team": name, "from": one, "to": other} for name, one, other in pairs if one != other]


def json_rank(value: float) -> int | None:
    """Return a rank; null is undefined."""
    return None if math.isnan(value) else int(value)


def json_number(value: float) -> float | None:
    """Return a number without the digits that differ between processors; null is undefined."""
    return None if math.isnan(value) else round(float(value), DIGITS)
