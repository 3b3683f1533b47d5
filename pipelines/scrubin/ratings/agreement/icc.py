"""Intraclass correlation of raters: how reliable one rating is, and the mean of all.

ICC(2,1) and ICC(2,k) of Shrout and Fleiss (1979): two-way random effects, absolute agreement, one
rater and the mean of k raters; ICC(A,1) and ICC(A,k) of McGraw and Wong (1996), Tables 4 and 7.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pingouin  # type: ignore[import-untyped]

from scrubin.statistics import moments
from scrubin.statistics.undefined import settled

NAMES = {"ICC(2,1)": "ICC(A,1)", "ICC(2,k)": "ICC(A,k)"}
LEAST_VALUES = 5  # fewer are refused by pingouin
NO_RESIDUAL = 1e-24  # share of the sum of squares that is only rounding


def intraclass(scores: pd.DataFrame) -> dict[str, Any]:
    """Return ICC(2,1) and ICC(2,k) with 95 % confidence intervals.

    Undefined (NaN) with fewer than two raters, two recordings or five scores, when all scores
    are equal, and when the estimated variance is not positive. The interval is also undefined
    when the raters differ by nothing but a constant, for it rests on their residual variance.

    Parameters
    ----------
    scores
        One row per rater and recording: rater, id, score (defined). Raters who share the
        recordings must be joined before (``agreement.pool``).

    Returns
    -------
    dict
        ``n`` recordings that all of the ``k`` ``raters`` scored, ``left_out`` recordings that
        only some of them scored; per coefficient its value and the ends of its interval, low and high.
    """
    wide = scores.pivot_table(index="id", columns="rater", values="score").sort_index().sort_index(axis=1)
    complete = wide.dropna()
    n, k = complete.shape
    counts = {"n": n, "k": k, "left_out": len(wide) - n, "raters": [str(rater) for rater in complete.columns]}
    if n < 2 or k < 2 or n * k < LEAST_VALUES or complete.to_numpy().min() == complete.to_numpy().max():
        return {**counts, **{name: _coefficient(math.nan, math.nan, math.nan) for name in NAMES}}
    long = complete.reset_index().melt(id_vars="id", var_name="rater", value_name="score")
    with _exact_and_quiet():
        table = pingouin.intraclass_corr(data=long, targets="id", raters="rater", ratings="score").set_index("Type")
    residual = _has_residual(complete.to_numpy().tolist())
    coefficients = {}
    for name, theirs in NAMES.items():
        low, high = table.CI95[theirs] if residual else (math.nan, math.nan)
        coefficients[name] = _coefficient(table.ICC[theirs], low, high)
    return {**counts, **coefficients}


def _coefficient(value: float, low: float, high: float) -> dict[str, float]:
    value, low, high = settled(value), settled(low), settled(high)
    # Beyond 1 the denominator was negative; on the wrong side of the value, that of the interval's end.
    if not value <= 1:
        value = low = high = math.nan
    return {"value": value, "low": low if low <= value else math.nan, "high": high if high >= value else math.nan}


def _has_residual(rows: list[list[float]]) -> bool:
    """Return whether the raters differ by more than a constant each, beyond rounding."""
    columns = list(zip(*rows, strict=True))
    by_row, by_column = [moments.mean(row) for row in rows], [moments.mean(column) for column in columns]
    everything = [value for row in rows for value in row]
    grand = moments.mean(everything)
    residuals = [(value - by_row[i] - by_column[j] + grand) ** 2 for i, row in enumerate(rows) for j, value in enumerate(row)]
    return math.fsum(residuals) > NO_RESIDUAL * moments.squares(everything)


@contextmanager
def _exact_and_quiet() -> Iterator[None]:
    """Let pingouin keep all digits of an interval, which it rounds to two, and its warnings to itself."""
    rounding = pingouin.options.get("round.column.CI95")
    pingouin.options["round.column.CI95"] = None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.filterwarnings("ignore", category=FutureWarning, module="pingouin")
            warnings.filterwarnings("ignore", category=DeprecationWarning, module="pingouin")
            yield
    finally:
        pingouin.options["round.column.CI95"] = rounding
