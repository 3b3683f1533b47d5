"""Raters' scores on one scale: z-scores per task, rater and aspect.

Source: LASANA, section Annotation process, equation 1 and footnote 2.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from scrubin.core import faults
from scrubin.core.errors import RatingsError
from scrubin.core.faults import Fault
from scrubin.ratings.params import TOTAL
from scrubin.statistics import moments

GROUP = ["task", "rater", "aspect"]


def rater_moments(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return n, mean and sample standard deviation (n - 1) of each rater's raw scores.

    Recordings marked as failed have no score and do not count: V^i of equation 1 can only
    hold scored recordings. Mean without scores and sd with fewer than two are NaN.

    Parameters
    ----------
    ratings
        The table ``ratings``, in points.

    Returns
    -------
    pd.DataFrame
        One row per task, rater and aspect, sorted: task, rater, aspect, n, mean, sd.
    """
    rows = []
    for (task, rater, aspect), group in ratings.groupby(GROUP):
        scores = group.score.dropna().tolist()
        rows.append((task, rater, aspect, len(scores), moments.mean(scores), moments.sd(scores)))
    return pd.DataFrame(rows, columns=[*GROUP, "n", "mean", "sd"])


def normalise(ratings: pd.DataFrame, failed_grs: float) -> pd.DataFrame:
    """Return ``ratings`` with normalised scores in place of raw ones, without unit.

    The total is normalised from the raw sum, not summed from normalised aspects. A recording
    that the rater marked as failed gets ``failed_grs`` as total, after normalisation, and
    undefined (NaN) aspects.

    Raises
    ------
    RatingsError
        With every rater who has fewer than two scores in a task, or only equal ones: then there is
        nothing to normalise by. The faults name no file.
    """
    stats = rater_moments(ratings)
    RatingsError.raise_any(_unusable(stats))
    both = ratings.merge(stats, on=GROUP, how="left", validate="many_to_one")
    scores = (both.score - both["mean"]) / both.sd
    both["score"] = scores.mask(both.failed & (both.aspect == TOTAL), failed_grs)
    return both[ratings.columns]


def _unusable(stats: pd.DataFrame) -> Iterator[Fault]:
    for (task, rater), rows in stats.groupby(["task", "rater"]):
        # What is wrong with one aspect is mostly wrong with all: the first is named.
        for row in rows[(rows.n < 2) | (rows.sd == 0)].to_dict("records")[:1]:
            place = f"task {task}, rater {rater}, {row['aspect']}"
            if row["n"] < 2:
                what = f"{row['n']} scored recordings, normalising needs 2"
                yield faults.error("", "scores-few", what, "let the rater score more recordings or remove the sheet", place=place)
            else:
                what = f"all {row['n']} scores are {row['mean']:g}, normalising needs different ones"
                yield faults.error("", "scores-equal", what, "correct or remove the sheet", place=place)
