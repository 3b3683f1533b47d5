"""Ways to make one ranking of the values of teams by video.

The names are those of Wiesenfarth et al. (2021), "Methods and open-source toolkit for analyzing and visualizing challenge results",
Scientific Reports 11, 2369, and Maier-Hein et al. (2018): aggregate, then rank; rank, then aggregate; test, then rank. Equal values
share the better rank. A team without a value on a video gets the rank after all teams that have one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.evaluation.ranking.stability import ranks_of
from scrubin.labels.formats.submission.content import BoolArray, FloatArray

DESCRIPTIONS: Mapping[str, str] = {
    "mean_then_rank": "mean over videos, then rank",
    "median_then_rank": "median over videos, then rank",
    "rank_then_mean": "rank in every video, mean of these ranks, then rank",
    "rank_then_median": "rank in every video, median of these ranks, then rank",
    "test_then_rank": "number of teams that it is significantly better than, then rank",
}


@dataclass(frozen=True, eq=False)
class Ranking:
    """What one way makes of the teams.

    Parameters
    ----------
    name
        One of `DESCRIPTIONS`.
    values
        (teams,), what they were ranked by.
    ranks
        (teams,), from 1; NaN without a value.
    """

    name: str
    values: FloatArray
    ranks: FloatArray


def every(values: FloatArray, missing: BoolArray, beaten: Sequence[int], *, lower_is_better: bool = False) -> list[Ranking]:
    """Return the ranking of every way, in the order of `DESCRIPTIONS`.

    Parameters
    ----------
    values
        (teams, videos); a video that is undefined for all teams counts for nothing.
    missing
        (teams, videos), where a team gave nothing and its value was filled in.
    beaten
        (teams,), how many others each is significantly better than.
    lower_is_better
        Of the values.
    """
    counted = ~np.isnan(values).all(axis=0)
    values, missing = values[:, counted], missing[:, counted]
    sign = -1.0 if lower_is_better else 1.0
    by_video = ranks_by_column(sign * np.where(missing, np.nan, values))
    won = np.where(np.isnan(values).all(axis=1), np.nan, np.array(beaten, np.float64))
    return [
        _ranking("mean_then_rank", _each(mean, values), sign),
        _ranking("median_then_rank", _each(median, values), sign),
        _ranking("rank_then_mean", _each(mean, by_video), -1.0),
        _ranking("rank_then_median", _each(median, by_video), -1.0),
        _ranking("test_then_rank", won, 1.0),
    ]


def ranks_by_column(values: FloatArray) -> FloatArray:
    """Return the ranks within every column of (teams, videos), more is better; NaN ranks after all others.

    >>> ranks_by_column(np.array([[0.5, 0.1], [0.5, np.nan], [0.2, np.nan]])).T.tolist()
    [[1.0, 1.0, 3.0], [1.0, 2.0, 2.0]]
    """
    columns = []
    for column in values.T:
        ranks = ranks_of(column)
        last = max(ranks[~np.isnan(ranks)].tolist(), default=0.0)
        columns.append(np.where(np.isnan(ranks), last + 1, ranks))
    return np.array(columns).reshape(values.shape[::-1]).T


def mean(values: Sequence[float]) -> float:
    """Return the mean of the defined values, NaN without any."""
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def median(values: Sequence[float]) -> float:
    """Return the median of the defined values, NaN without any."""
    defined = [value for value in values if not math.isnan(value)]
    return float(np.median(defined)) if defined else math.nan


def _each(of: Callable[[Sequence[float]], float], rows: FloatArray) -> FloatArray:
    return np.array([of(row) for row in rows.tolist()])


def _ranking(name: str, values: FloatArray, sign: float) -> Ranking:
    return Ranking(name, values, ranks_of(sign * values))
