"""Raters' scores on one scale: z-scores per task, rater and aspect.

Source: LASANA, section Annotation process, equation 1 and footnote 2.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from scrubin.core import faults
from scrubin.core.faults import Fault
from scrubin.core.ranges import count_text
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

    Where a rater has fewer than two scores of an aspect in a task, or only equal ones, there is
    nothing to normalise by, and the paper is silent: all of that rater's scores of that aspect
    are undefined (NaN), and take no part in any mean; `without_scale` names them. A failed
    recording keeps its total: it does not depend on the scale.
    """
    both = ratings.merge(rater_moments(ratings), on=GROUP, how="left", validate="many_to_one")
    scores = (both.score - both["mean"]) / both.sd.where(both.sd > 0)
    both["score"] = scores.mask(both.failed & (both.aspect == TOTAL), failed_grs)
    return both[ratings.columns]


def without_scale(ratings: pd.DataFrame) -> list[Fault]:
    """Return a warning for each rater and task in which some of the rater's scores cannot be normalised.

    Parameters
    ----------
    ratings
        As of `normalise`.

    Returns
    -------
    list of Fault
        ``scores-few`` and ``scores-equal``: who, which aspects, and of how many recordings. They name no file.
    """
    stats = rater_moments(ratings)
    return [fault for (task, rater), rows in stats.groupby(["task", "rater"]) for fault in _of_rater(str(task), str(rater), rows)]


def _of_rater(task: str, rater: str, rows: pd.DataFrame) -> Iterator[Fault]:
    place = f"task {task}, rater {rater}"
    few, equal = rows[rows.n < 2], rows[rows.sd == 0]
    if len(few):
        # Aspects are scored together, so their counts are the same.
        rated = count_text(int(few.n.max()), "scored recording")
        what = f"{rated}, and normalising needs 2: undefined, and in no mean"
        yield faults.warning("", "scores-few", what, "let the rater score more recordings", place=place)
    if len(equal):
        shown = ", ".join(f"{aspect} {mean:g}" for aspect, mean in zip(equal.aspect, equal["mean"], strict=True))
        what = f"all {equal.n.max()} scores are the same ({shown}), so they cannot be normalised: undefined, and in no mean"
        yield faults.warning("", "scores-equal", what, "correct the sheet, if that is not what the rater meant", place=place)
