"""Ranks of submissions in any format that `scrubin score` reads, by its numbers of every video."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base.errors import MetricsError, ScrubinError
from scrubin.evaluate.contest_tasks import CONTESTS
from scrubin.evaluate.ranking import ranking_document
from scrubin.evaluate.ranking.contest import Contest, RankingSettings, Refusal, TeamScores
from scrubin.evaluate.ranking.ranking_text import SHOWN, moved_text, percent
from scrubin.evaluate.ranking.stability import ranks_of
from scrubin.evaluate.score_tables import by_video
from scrubin.evaluate.tasks.entries import Entries, placed
from scrubin.labels.policy import stopping


def rank(
    teams: Mapping[str, Path], of: Entries, part: str | None, settings: RankingSettings, components: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a ranking of submissions as `ranking_document.document_of` has it.

    The score of a team is the mean over videos, each scored alone, per class, then over classes. Where `scrubin score` puts all videos
    together, that number stands beside it, in a note and as ``together``: ``team``, ``score`` and ``rank``; else ``together`` is None.

    Parameters
    ----------
    part
        By what is ranked; None: what the task is ranked by.
    components
        Other parts that count in a ranking by several.

    Raises
    ------
    MetricsError
        For a part that the task does not have, or tests over clips.
    """
    decides = part or of.task.primary
    for name in (decides, *components):
        if name not in of.task.parts:
            raise MetricsError(f"there is no component '{name}' of {of.task.name}; there are {', '.join(of.task.parts)}")
    if settings.test == "clips":
        with_clips = ", ".join(one.name for one in CONTESTS.values() if one.has_file_per_video)
        msg = (
            f"--test clips: {of.task.name} are compared over videos; clips are drawn of {with_clips}, of which CholecTriplet2021 did so: "
            "a clip cuts tracks, and has too few instances of a class"
        )
        raise MetricsError(msg)
    every = [evaluated(name, teams[name], of, decides) for name in sorted(teams)]
    says = of.task.numbers[decides].says
    ranked = [one for one in every if isinstance(one, TeamScores)]
    pooled = any(one.together is not None for one in ranked)
    contest = Contest(
        measure={"task": of.task.name, "component": decides, "description": f"{of.task.name}: {says}, per video, then over videos"},
        components=(decides, *(name for name in components if name != decides)),
        videos=of.videos,
        ground_truth={
            "vocabulary": of.vocabulary,
            "frames": sum(len(one.frames) for one in of.truth.series.values()),
            "release": None if of.release is None else of.release.as_json(),
        },
        notes=(sentence_on(ranked),) if pooled else (),
        annotated=of.annotated,
    )
    document = ranking_document.of_evaluations(contest, ranked, [one for one in every if isinstance(one, Refusal)], settings)
    return document | {"together": _together(ranked) if pooled else None}


def sentence_on(teams: Sequence[TeamScores]) -> str:
    """Return what `scrubin score` gives where it puts the frames of all videos together, beside the score; who has another rank by it."""
    found = {one["team"]: one for one in _together(teams)}
    ranks = {
        one.team: ranking_document.json_rank(rank) for one, rank in zip(teams, ranks_of(np.array([t.score for t in teams])), strict=True)
    }
    scores = {one.team: ranking_document.json_number(one.score) for one in teams}
    order = sorted(scores, key=lambda team: (ranks[team] is None, ranks[team] or 0, team))
    both = [f"{team} {percent(found[team]['score'])} (here {percent(scores[team])})" for team in order[:SHOWN]]
    more = [f"and {len(order) - SHOWN} more teams"] if len(order) > SHOWN else []
    moves = [(team, ranks[team], found[team]["rank"]) for team in order if ranks[team] != found[team]["rank"]]
    return (
        "the score is the mean over videos, each scored alone; 'scrubin score' and challenge bundles put all frames together, which gives "
        f"{', '.join([*both, *more])}: {moved_text(moves)}"
    )


def _together(teams: Sequence[TeamScores]) -> list[dict[str, Any]]:
    """Return score and rank of every team by all videos together, the best first, as JSON values."""
    values = [np.nan if one.together is None else one.together for one in teams]
    rows = [
        {"team": one.team, "score": ranking_document.json_number(value), "rank": ranking_document.json_rank(rank)}
        for one, value, rank in zip(teams, values, ranks_of(np.array(values)), strict=True)
    ]
    return sorted(rows, key=lambda row: (row["rank"] is None, row["rank"] or 0, row["team"]))


def evaluated(team: str, path: Path, of: Entries, decides: str) -> TeamScores | Refusal:
    """Return the numbers of a team, or why there are none."""
    try:
        scoring, _ = of.scoring(path)
    except ScrubinError as refused:
        return Refusal(team, stopping("rank", placed(refused.faults, path, of)))
    faults = placed(scoring.faults, path, of)
    if stops := stopping("rank", faults):
        return Refusal(team, stops)
    (part,) = scoring.parts
    alone = [part.results(np.array([at])) for at in range(len(part.names))]
    whole = part.results(None)
    parts = {name: by_video(alone, whole, number) for name, number in of.task.numbers.items()}
    number = of.task.numbers[decides]
    together = None if number.is_by_video else number.of(whole).overall.value
    return TeamScores(team, parts[decides], np.zeros(0), parts, by_class=True, faults=faults, together=together)
