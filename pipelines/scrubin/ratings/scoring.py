"""Raters' scores on one scale, then as one score per recording.

Source: LASANA, section Annotation process, equation 1 and footnote 2.

Source: LASANA, section Annotation process, equation 2; section LASANA benchmark, footnote 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base import faults, statistics
from scrubin.base.faults import Fault, count_text
from scrubin.ratings import TOTAL

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
        rows.append((task, rater, aspect, len(scores), statistics.mean(scores), statistics.sd(scores)))
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


def without_skill(normalised: pd.DataFrame, min_ratings: int) -> list[Fault]:
    """Return a warning for each task in which no recording has the ratings that a score needs, so that its ``skill`` is null throughout.

    Parameters
    ----------
    normalised, min_ratings
        As of `aggregate`.
    """
    totals = normalised[normalised.aspect == TOTAL]
    wrong = []
    for task, rows in totals.groupby("task"):
        most = int(rows[rows.score.notna()].id.value_counts().max()) if rows.score.notna().any() else 0
        if most < min_ratings:
            raters = count_text(int(rows.rater.nunique()), "rater")
            has = f"no recording has the {min_ratings} scores that 'scores.min_ratings' asks for ({raters}, at most {most} that count)"
            fix = "add sheets of more raters, or lower scores.min_ratings in params.yaml"
            wrong.append(faults.warning("", "skill-none", f"{has}, so its skill is null throughout", fix, place=f"task {task}"))
    return wrong


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


ROUNDING = 1e-9  # disagreements that differ by less are equal: otherwise the scale of a rater would decide between ties


def aggregate(
    normalised: pd.DataFrame, released: pd.DataFrame, aspects: Sequence[str], min_ratings: int, strong_percentile: float
) -> pd.DataFrame:
    """Return the rows of the table ``skill``: all released recordings of every rated task.

    Parameters
    ----------
    normalised
        Normalised scores: id, task, rater, aspect, score (NaN = undefined).
    released
        Released recordings: task, id.
    aspects
        The aspects beside the total.
    min_ratings
        With fewer defined scores, an aggregated score is undefined (NaN).
    strong_percentile
        Disagreement strictly above this percentile of its task is strong.

    Returns
    -------
    pd.DataFrame
        id, task, GRS, the aspects, n_ratings, disagreement, strong_disagreement. A recording
        that nobody rated has 0 ratings and no scores. Where the disagreement is undefined, nobody knows whether it is strong (null).
    """
    defined = normalised[normalised.score.notna()]
    scores = {key: group.tolist() for key, group in defined.groupby(["task", "id", "aspect"]).score}
    rows = []
    for task, id_ in _rated_tasks(released, normalised):
        of = {name: scores.get((task, id_, name), []) for name in (TOTAL, *aspects)}
        enough = len(of[TOTAL]) >= min_ratings
        rows.append(
            {
                "id": id_,
                "task": task,
                **{name: statistics.mean(values) if len(values) >= min_ratings else math.nan for name, values in of.items()},
                "n_ratings": len(of[TOTAL]),
                "disagreement": deviation(of[TOTAL]) if enough else math.nan,
            }
        )
    frame = pd.DataFrame(rows, columns=["id", "task", TOTAL, *aspects, "n_ratings", "disagreement"])
    limits = frame.groupby("task").disagreement.agg(lambda values: threshold(values, strong_percentile))
    strong = (frame.disagreement - frame.task.map(limits) > ROUNDING).astype("boolean")
    return frame.assign(strong_disagreement=strong.mask(frame.disagreement.isna()))


def deviation(scores: Sequence[float]) -> float:
    """Return the mean absolute deviation of scores from their mean (footnote 3).

    >>> deviation([0.0, 0.0, 3.0])
    1.3333333333333333
    """
    centre = statistics.mean(scores)
    return statistics.mean([abs(score - centre) for score in scores])


def threshold(disagreements: Sequence[float] | pd.Series[Any], percentile: float) -> float:
    """Return the percentile of the defined disagreements of a task; NaN without any.

    The paper names no method; this is numpy's ``linear``, its default.
    """
    values = np.asarray(disagreements, dtype=float)
    values = values[~np.isnan(values)]
    return float(np.percentile(values, percentile, method="linear")) if values.size else math.nan


def _rated_tasks(released: pd.DataFrame, normalised: pd.DataFrame) -> list[tuple[str, str]]:
    rated = released[released.task.isin(set(normalised.task))].sort_values(["task", "id"])
    return list(zip(rated.task, rated.id, strict=True))
