"""One ranking of several metrics, made in two ways that need not agree.

- Mean of the scores, then rank: says something only where the metrics are on one scale.
- Rank by each metric, mean of the ranks, then rank: any metrics, but by how much a team is better counts for nothing, and a team that
  enters or leaves can swap two others.

A team without a defined score of one of the metrics has no mean of scores; it has the rank after all others by that metric. A metric
that is undefined for all teams ranks nobody.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrubin.evaluation.ranking import methods
from scrubin.evaluation.ranking.stability import ranks_of
from scrubin.labels.formats.submission.content import FloatArray


@dataclass(frozen=True, eq=False)
class Combined:
    """Ranks by several metrics.

    Parameters
    ----------
    ranks
        (teams, metrics), by each.
    mean_scores, by_scores
        (teams,), mean of the scores, and ranks by it.
    mean_ranks, by_ranks
        (teams,), mean of the ranks, and ranks by it.
    """

    ranks: FloatArray
    mean_scores: FloatArray
    by_scores: FloatArray
    mean_ranks: FloatArray
    by_ranks: FloatArray


def combined(scores: FloatArray, *, lower_is_better: bool = False) -> Combined:
    """Return both rankings of (teams, metrics).

    >>> found = combined(np.array([[0.9, 0.1], [0.5, 0.3], [0.4, 0.2]]))
    >>> found.by_scores.tolist(), found.by_ranks.tolist()
    ([1.0, 2.0, 3.0], [2.0, 1.0, 3.0])
    """
    sign = -1.0 if lower_is_better else 1.0
    ranks = methods.ranks_by_column(sign * scores)
    undefined = np.isnan(scores)
    ranks = np.where(undefined.all(axis=0), np.nan, ranks)
    mean_scores = np.where(undefined.any(axis=1), np.nan, [methods.mean(row) for row in scores.tolist()])
    mean_ranks = np.array([methods.mean(row) for row in ranks.tolist()])
    # Who has no score at all has no rank.
    mean_ranks = np.where(undefined.all(axis=1), np.nan, mean_ranks)
    return Combined(ranks, mean_scores, ranks_of(sign * mean_scores), mean_ranks, ranks_of(-mean_ranks))
