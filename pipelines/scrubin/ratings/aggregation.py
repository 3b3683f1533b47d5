"""One skill score per recording and aspect, from the normalised scores of several raters.

Source: LASANA, section Annotation process, equation 2; section LASANA benchmark, footnote 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from scrubin.ratings.params import TOTAL
from scrubin.statistics import moments

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
                **{name: moments.mean(values) if len(values) >= min_ratings else math.nan for name, values in of.items()},
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
    centre = moments.mean(scores)
    return moments.mean([abs(score - centre) for score in scores])


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
