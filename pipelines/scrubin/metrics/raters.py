"""What raters reach among themselves: each rater against the mean of the others, as a ceiling for what is predicted.

Of every rater the recordings count that somebody else has rated, too. The statistic is taken of the rater's scores and the mean of the
others', then the mean over raters where it is defined. Whoever predicts is held against the mean of all raters, which is less noisy than
the mean of the others: the ceiling is a little low, the more so the fewer raters there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from scrubin.metrics.inputs import FloatArray
from scrubin.metrics.phases.averaging import mean_of
from scrubin.metrics.result import Result, Value, Variant
from scrubin.metrics.skill_levels import kendall
from scrubin.statistics.association import Form, concordance, spearman

Statistic = Callable[[FloatArray, FloatArray], float]


def ceiling(scores: FloatArray, raters: Sequence[str], form: Form) -> list[Result]:
    """Return Lin's concordance, Spearman's correlation and Kendall's tau-b of raters with the mean of the others.

    Parameters
    ----------
    scores
        (recordings, raters), NaN where undefined.
    raters
        Names.
    form
        Of Lin's concordance.

    Returns
    -------
    list of Result
        Overall: mean over raters, with their number. Classes: per rater, with the number of recordings.

    >>> [one.overall.n for one in ceiling(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 5.0]]), ["0", "1"], "bessel")]
    [2, 2, 2]
    """
    statistics: dict[str, tuple[dict[str, str], Statistic]] = {
        "raters Lin CCC": ({"form": form}, lambda x, y: concordance(x.tolist(), y.tolist(), form)),
        "raters Spearman": ({"ties": "mean rank"}, lambda x, y: spearman(x.tolist(), y.tolist())),
        "raters Kendall tau-b": ({"ties": "tau-b"}, kendall),
    }
    pairs = {name: _held_out(scores, at) for at, name in enumerate(raters)}
    results = []
    for metric, (options, statistic) in statistics.items():
        by_rater = {name: Value(statistic(own, others), len(own)) for name, (own, others) in pairs.items()}
        overall = mean_of([one.value for one in by_rater.values()])
        results.append(Result(Variant(metric, "paper", {"of": "each rater and the mean of the others", **options}), overall, by_rater))
    return results


def _held_out(scores: FloatArray, at: int) -> tuple[FloatArray, FloatArray]:
    """Return a rater's scores and the mean of the others' where both are defined."""
    own, others = scores[:, at], np.delete(scores, at, axis=1)
    means = np.array([mean_of(row).value for row in others])
    both = ~np.isnan(own) & ~np.isnan(means)
    return own[both], means[both]
