"""How stable ranks are: other draws of the videos, one video less, other ways to rank, several metrics.

The names are those of Wiesenfarth et al. (2021), "Methods and open-source toolkit for analyzing and visualizing challenge results",
Scientific Reports 11, 2369, and Maier-Hein et al. (2018): aggregate, then rank; rank, then aggregate; test, then rank. Equal values
share the better rank. A team that gave nothing for a video gets the rank after all others, also where these share ranks: who gives
nothing never has a better one than with the worst value. Where nothing is annotated the value of a video is undefined for who is right,
and 0 for who invents something: nobody is ranked on such a video.

- Mean of the scores, then rank: says something only where the metrics are on one scale.
- Rank by each metric, mean of the ranks, then rank: any metrics, but by how much a team is better counts for nothing, and a team that
  enters or leaves can swap two others.

A team without a defined score of one of the metrics has no mean of scores; it has the rank after all others by that metric. A metric
that is undefined for all teams ranks nobody.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.evaluate.metrics import bootstrap, variants
from scrubin.evaluate.metrics.result import defined_of
from scrubin.evaluate.ranking import measures, significance
from scrubin.evaluate.ranking.measures import mean
from scrubin.evaluate.ranking.significance import largest_of, rounding
from scrubin.labels.formats.submission.content import BoolArray, FloatArray

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Stability:
    """What resamples of the videos make of a ranking.

    Parameters
    ----------
    ranks
        (defined resamples, teams).
    scores
        (defined resamples, teams).
    taus
        (defined resamples,), Kendall's tau-b with the ranking by all videos; NaN where one of the two ties all teams.
    """

    ranks: FloatArray
    scores: FloatArray
    taus: FloatArray

    def share_of_ranks(self) -> FloatArray:
        """Return (teams, ranks), the share of resamples in which a team has rank 1, 2, ...; NaN without resamples."""
        teams = self.ranks.shape[1]
        if not len(self.ranks):
            return np.full((teams, teams), np.nan)
        return np.stack([np.count_nonzero(self.ranks == rank + 1, axis=0) / len(self.ranks) for rank in range(teams)], axis=1)

    def share_among(self, best: int) -> FloatArray:
        """Return (teams,), the share of resamples in which a team has one of the best ranks; NaN without resamples."""
        if not len(self.ranks):
            return np.full(self.ranks.shape[1], np.nan)
        shares: FloatArray = np.count_nonzero(self.ranks <= best, axis=0) / len(self.ranks)
        return shares


def ranks_of(scores: FloatArray, largest: FloatArray | None = None) -> FloatArray:
    """Return ranks from 1: one more than the number of better scores, so that equal scores share the better rank.

    Parameters
    ----------
    scores
        (teams,); those that differ by rounding only are equal, NaN has no rank.
    largest
        (teams,), of the values that each is a mean of, as of `significance.largest_of`; None: of the score itself.

    >>> ranks_of(np.array([0.3, 0.5, 0.5, np.nan, 0.1])).tolist()
    [3.0, 1.0, 1.0, nan, 4.0]
    """
    return np.where(np.isnan(scores), np.nan, _above(scores, largest).sum(axis=0) + 1.0)


def _above(scores: FloatArray, largest: FloatArray | None) -> BoolArray:
    """Return (teams, teams), whether the first has a larger score than the second, by more than rounding of either makes.

    Of two teams nothing else counts: whether others have values that round more, or are between them.
    """
    wrong = rounding(scores if largest is None else largest)
    with np.errstate(invalid="ignore"):  # Infinite ones are equal.
        above: BoolArray = np.subtract.outer(scores, scores) > np.maximum.outer(wrong, wrong)
    return above


def tau_b(one: FloatArray, other: FloatArray, largest: tuple[FloatArray | None, FloatArray | None] = (None, None)) -> float:
    """Return Kendall's tau-b of two sets of scores of the same teams; NaN when one ties all of them.

    Parameters
    ----------
    largest
        As of `ranks_of`, of each set.

    >>> round(tau_b(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])), 12)
    0.333333333333
    >>> tau_b(np.array([2.0, 2.0, 1.0]), np.array([np.inf, np.inf, 1.0]))
    1.0
    """
    above = [_above(scores, of) for scores, of in zip((one, other), largest, strict=True)]
    signs = [of.astype(np.int64) - of.T for of in above]
    untied = [int(np.count_nonzero(sign)) for sign in signs]
    return float((signs[0] * signs[1]).sum()) / math.sqrt(untied[0] * untied[1]) if all(untied) else math.nan


def resample(
    values: Sequence[FloatArray],
    by_class: bool,
    *,
    resamples: int = variants.RESAMPLES,
    seed: int = variants.SEED,
    lower_is_better: bool = False,
) -> Stability:
    """Return how the ranking changes when videos are drawn with replacement.

    Parameters
    ----------
    values
        Per team (videos, classes), videos in order of their names.
    by_class
        As of the measure.
    resamples, seed
        As of `bootstrap.draws`.
    lower_is_better
        Of the scores.
    """
    sign = -1.0 if lower_is_better else 1.0
    draws = bootstrap.draws(len(values[0]), resamples, seed)
    scores = np.stack([_resampled(of_team, draws, by_class) for of_team in values], axis=1)
    kept = ~np.isnan(scores).any(axis=1)
    defined = scores[kept]
    largest = np.stack([_sizes(of_team)[draws].max(axis=1) for of_team in values], axis=1)[kept]
    whole = np.array([_means(of_team[np.newaxis], by_class)[0] for of_team in values])
    of_whole = np.array([largest_of(of_team) for of_team in values])
    ranks = np.array([ranks_of(sign * row, of_row) for row, of_row in zip(defined, largest, strict=True)]).reshape(defined.shape)
    taus = np.array([tau_b(whole, row, (of_whole, of_row)) for row, of_row in zip(defined, largest, strict=True)])
    return Stability(ranks, defined, taus)


def interval(values: FloatArray, level: float = LEVEL) -> tuple[float, float]:
    """Return the percentiles of the defined values that hold the share ``level`` between them; NaN when there is none."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return math.nan, math.nan
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _sizes(values: FloatArray) -> FloatArray:
    """Return the largest size of each row, (rows,); 0 where none is defined."""
    sizes: FloatArray = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=1, initial=0.0)
    return sizes


def _resampled(values: FloatArray, draws: np.ndarray[tuple[int, int], np.dtype[np.int64]], by_class: bool) -> FloatArray:
    # One draw after the other: all at once would be draws x videos x classes in memory.
    return np.array([_means(values[draw][np.newaxis], by_class)[0] for draw in draws])


def _means(values: FloatArray, by_class: bool) -> FloatArray:
    """Return the scores (sets,) of (sets, videos, classes)."""
    flat = values if by_class else values.reshape(len(values), -1, 1)
    means = _mean(flat, axis=1)
    return _mean(means, axis=1)


def _mean(values: FloatArray, axis: int) -> FloatArray:
    counts = np.count_nonzero(~np.isnan(values), axis=axis)
    sums = np.where(np.isnan(values), 0.0, values).sum(axis=axis)
    means: FloatArray = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return means


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


def every(
    values: FloatArray,
    missing: BoolArray,
    beaten: Sequence[int],
    *,
    annotated: Sequence[bool] | None = None,
    lower_is_better: bool = False,
) -> list[Ranking]:
    """Return the ranking of every way, in the order of `DESCRIPTIONS`.

    Parameters
    ----------
    values
        (teams, videos); a video that is undefined for all teams counts for nothing.
    missing
        (teams, videos), where a team gave nothing and its value was filled in.
    beaten
        (teams,), how many others each is significantly better than.
    annotated
        As of `significance.comparable`: on other videos nobody is ranked.
    lower_is_better
        Of the values.
    """
    comparable = significance.comparable(values, annotated)
    counted = ~np.isnan(values).all(axis=0)
    values, missing, comparable = values[:, counted], missing[:, counted], comparable[counted]
    sign = -1.0 if lower_is_better else 1.0
    by_video = ranks_by_column(sign * np.where(missing, np.nan, values))[:, comparable]
    won = np.where(np.isnan(values).all(axis=1), np.nan, np.array(beaten, np.float64))
    return [
        _ranking("mean_then_rank", _each(mean, values), sign, _sizes(values)),
        _ranking("median_then_rank", _each(median, values), sign, _each(_middle, values)),
        _ranking("rank_then_mean", _each(mean, by_video), -1.0),
        _ranking("rank_then_median", _each(median, by_video), -1.0),
        _ranking("test_then_rank", won, 1.0),
    ]


def ranks_by_column(values: FloatArray, largest: FloatArray | None = None) -> FloatArray:
    """Return the ranks within every column of (teams, videos), more is better; NaN ranks after all others.

    Parameters
    ----------
    largest
        (teams, videos), as of `ranks_of`.

    >>> ranks_by_column(np.array([[0.5, 0.1, 0.5], [0.5, np.nan, 0.5], [0.2, np.nan, np.nan]])).T.tolist()
    [[1.0, 1.0, 3.0], [1.0, 2.0, 2.0], [1.0, 1.0, 3.0]]
    """
    columns = []
    for at, column in enumerate(values.T):
        ranks = ranks_of(column, None if largest is None else largest[:, at])
        columns.append(np.where(np.isnan(ranks), np.count_nonzero(~np.isnan(ranks)) + 1.0, ranks))
    return np.array(columns).reshape(values.shape[::-1]).T


def median(values: Sequence[float]) -> float:
    """Return the median of the defined values, NaN without any."""
    defined = defined_of(values)
    return float(np.median(defined)) if defined else math.nan


def _middle(values: Sequence[float]) -> float:
    """Return the larger size of the two values that a median is between; 0 without any."""
    defined = sorted(defined_of(values))
    return max((abs(value) for value in defined[(len(defined) - 1) // 2 : len(defined) // 2 + 1]), default=0.0)


def _each(of: Callable[[Sequence[float]], float], rows: FloatArray) -> FloatArray:
    return np.array([of(row) for row in rows.tolist()])


def _ranking(name: str, values: FloatArray, sign: float, largest: FloatArray | None = None) -> Ranking:
    return Ranking(name, values, ranks_of(sign * values, largest))


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The ranking without one video.

    Parameters
    ----------
    video
        Its place.
    scores, ranks
        (teams,); NaN where nothing else is defined.
    """

    video: int
    scores: FloatArray
    ranks: FloatArray


def each(values: Sequence[FloatArray], by_class: bool, *, lower_is_better: bool = False) -> list[LeftOut]:
    """Return the ranking without each video; none where there is only one.

    Parameters
    ----------
    values
        Per team (videos, classes).
    by_class, lower_is_better
        As of the measure.
    """
    videos = len(values[0])
    sign = -1.0 if lower_is_better else 1.0
    found = []
    for video in range(videos) if videos > 1 else ():
        rest = [np.delete(of_team, video, axis=0) for of_team in values]
        scores = np.array([measures.score(of_team, by_class) for of_team in rest])
        found.append(LeftOut(video, scores, ranks_of(sign * scores, np.array([largest_of(of_team) for of_team in rest]))))
    return found


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


def combined(scores: FloatArray, *, lower_is_better: bool = False, largest: FloatArray | None = None) -> Combined:
    """Return both rankings of (teams, metrics).

    Parameters
    ----------
    largest
        (teams, metrics), as of `ranks_of`.

    >>> found = combined(np.array([[0.9, 0.1], [0.5, 0.3], [0.4, 0.2]]))
    >>> found.by_scores.tolist(), found.by_ranks.tolist()
    ([1.0, 2.0, 3.0], [2.0, 1.0, 3.0])
    """
    sign = -1.0 if lower_is_better else 1.0
    ranks = ranks_by_column(sign * scores, largest)
    undefined = np.isnan(scores)
    ranks = np.where(undefined.all(axis=0), np.nan, ranks)
    mean_scores = np.where(undefined.any(axis=1), np.nan, [mean(row) for row in scores.tolist()])
    mean_ranks = np.array([mean(row) for row in ranks.tolist()])
    # Who has no score at all has no rank.
    mean_ranks = np.where(undefined.all(axis=1), np.nan, mean_ranks)
    by_scores = ranks_of(sign * mean_scores, _sizes(scores if largest is None else largest))
    return Combined(ranks, mean_scores, by_scores, mean_ranks, ranks_of(-mean_ranks))
