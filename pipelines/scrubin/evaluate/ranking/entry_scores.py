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
from scrubin.evaluate.score_tables import by_video
from scrubin.evaluate.tasks.entries import Entries, placed
from scrubin.labels.policy import stopping


def rank(
    teams: Mapping[str, Path], of: Entries, part: str | None, settings: RankingSettings, components: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a ranking of submissions as `ranking_document.document_of` has it.

    The score of a team is the mean over videos, each scored alone, per class, then over classes.

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
            msg = f"there is no component '{name}' of {of.task.name}; there are {', '.join(of.task.parts)}"
            raise MetricsError(msg)
    if settings.test == "clips":
        with_clips = ", ".join(one.name for one in CONTESTS.values() if one.has_file_per_video)
        msg = f"--test clips: {of.task.name} are compared over videos; clips are drawn of {with_clips}"
        raise MetricsError(msg)
    every = [evaluated(name, teams[name], of, decides) for name in sorted(teams)]
    says = of.task.numbers[decides].says
    contest = Contest(
        measure={"task": of.task.name, "component": decides, "description": f"{of.task.name}: {says}, per video, then over videos"},
        components=(decides, *(name for name in components if name != decides)),
        videos=of.videos,
        ground_truth={"vocabulary": of.vocabulary, "frames": sum(len(one.frames) for one in of.truth.series.values())},
    )
    ranked = [one for one in every if isinstance(one, TeamScores)]
    return ranking_document.of_evaluations(contest, ranked, [one for one in every if isinstance(one, Refusal)], settings)


def evaluated(team: str, path: Path, of: Entries, decides: str) -> TeamScores | Refusal:
    """Return the numbers of a team, or why there are none."""
    try:
        scoring, _ = of.scoring(path)
    except ScrubinError as refused:
        return Refusal(team, stopping("rank", placed(refused.faults, path)))
    faults = placed(scoring.faults, path)
    if stops := stopping("rank", faults):
        return Refusal(team, stops)
    (part,) = scoring.parts
    alone = [part.results(np.array([at])) for at in range(len(part.names))]
    whole = part.results(None)
    parts = {name: by_video(alone, whole, number) for name, number in of.task.numbers.items()}
    return TeamScores(team, parts[decides], np.zeros(0), parts, by_class=True, faults=faults)
