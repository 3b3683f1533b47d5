"""Krippendorff's alpha: agreement of any number of raters, also where each rated only some recordings.

Source: Krippendorff, Computing Krippendorff's alpha-reliability (2011), with its metrics for
nominal, ordinal and interval data.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import krippendorff
import pandas as pd
from scipy.stats import rankdata

from scrubin.statistics import moments
from scrubin.statistics.undefined import settled

Level = Literal["nominal", "ordinal", "interval"]


def alpha(values: pd.DataFrame, level: Level) -> dict[str, float]:
    """Return alpha over all raters.

    Undefined (NaN) when no recording has two values, and when all paired values are equal.

    Parameters
    ----------
    values
        One row per rater and recording: rater, id, value (a defined number).
    level
        Level of measurement.

    Returns
    -------
    dict
        ``n`` recordings with at least two values, ``values`` in them, ``left_out`` recordings with one
        value, ``alpha``.
    """
    several = values[values.id.duplicated(keep=False)]
    n = several.id.nunique()
    counts = {"n": n, "values": len(several), "left_out": values.id.nunique() - n}
    if several["value"].nunique() < 2:
        return {**counts, "alpha": math.nan}
    if level == "nominal":
        matrix = several.pivot_table(index="rater", columns="id", values="value").astype(float)
        return {**counts, "alpha": settled(krippendorff.alpha(reliability_data=matrix.to_numpy(), level_of_measurement="nominal"))}
    if level == "ordinal":
        # The ordinal distance of two values, the ranks between them, is the difference of their mean ranks.
        several = several.assign(value=rankdata(several["value"]))
    return {**counts, "alpha": settled(_interval(several))}


def _interval(several: pd.DataFrame) -> float:
    """Return alpha with squared differences, from sums of squares.

    The library holds recordings times distinct values squared in memory: gigabytes on a
    fine scale, and each rater's normalised scores are distinct values of their own.
    """
    groups: list[Any] = [group.tolist() for _, group in several.groupby("id")["value"]]
    within = math.fsum(len(group) * moments.squares(group) / (len(group) - 1) for group in groups)
    everything = several["value"].tolist()
    return 1 - (len(everything) - 1) / len(everything) * within / moments.squares(everything)
