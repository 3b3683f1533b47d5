"""How stable a ranking is when other videos had been taken: the bootstrap over videos."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.evaluation.ranking.significance import DIGITS
from scrubin.labels.formats.submission.content import FloatArray
from scrubin.metrics import bootstrap

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


def ranks_of(scores: FloatArray) -> FloatArray:
    """Return ranks from 1: one more than the number of better scores, so that equal scores share the better rank.

    Parameters
    ----------
    scores
        (teams,); those closer than 1e-12 are equal, NaN has no rank.

    >>> ranks_of(np.array([0.3, 0.5, 0.5, np.nan, 0.1])).tolist()
    [3.0, 1.0, 1.0, nan, 4.0]
    """
    rounded = np.round(scores, DIGITS)
    better = (rounded[np.newaxis, :] > rounded[:, np.newaxis]).sum(axis=1)
    return np.where(np.isnan(scores), np.nan, better + 1.0)


def tau_b(one: FloatArray, other: FloatArray) -> float:
    """Return Kendall's tau-b of two sets of scores of the same teams; NaN when one ties all of them.

    >>> round(tau_b(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])), 12)
    0.333333333333
    """
    signs = [np.sign(np.round(scores, DIGITS)[:, np.newaxis] - np.round(scores, DIGITS)) for scores in (one, other)]
    untied = [int(np.count_nonzero(sign)) for sign in signs]
    return float((signs[0] * signs[1]).sum()) / math.sqrt(untied[0] * untied[1]) if all(untied) else math.nan


def resample(
    values: Sequence[FloatArray],
    by_class: bool,
    *,
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
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
    defined = scores[~np.isnan(scores).any(axis=1)]
    whole = np.array([_means(of_team[np.newaxis], by_class)[0] for of_team in values])
    ranks = np.array([ranks_of(sign * row) for row in defined]).reshape(defined.shape)
    return Stability(ranks, defined, np.array([tau_b(whole, row) for row in defined]))


def interval(values: FloatArray, level: float = LEVEL) -> tuple[float, float]:
    """Return the percentiles of the defined values that hold the share ``level`` between them; NaN when there is none."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return math.nan, math.nan
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


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
