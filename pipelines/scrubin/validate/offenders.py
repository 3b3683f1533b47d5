"""The offending rows that are named: the first ones by key, so that the order of a file does not matter."""

from __future__ import annotations

import numpy as np
import pandas as pd

from scrubin.validate.outcomes import SHOWN


def first_by_key(rows: pd.DataFrame, key: tuple[str, ...]) -> pd.DataFrame:
    """Return at most twenty rows, sorted by those columns of the key that are there; a missing value comes last.

    All two million rows may offend, so that they are not sorted but narrowed, column by column.
    """
    left, found = rows, rows.iloc[:0]
    for name in (name for name in key if name in rows.columns):
        wanted = SHOWN - len(found)
        if wanted <= 0 or len(left) <= wanted:
            break
        codes, _ = pd.factorize(_comparable(left[name]), sort=True)
        ranks = np.where(codes < 0, len(left), codes)
        last = np.partition(ranks, wanted - 1)[wanted - 1]
        found, left = pd.concat([found, left[ranks < last]]), left[ranks == last]
    named = pd.concat([found, left.iloc[: max(SHOWN - len(found), 0)]])
    by = [name for name in key if name in rows.columns]
    return named.sort_values(by, kind="stable", key=_comparable) if by else named


def _comparable(values: pd.Series) -> pd.Series:
    # A column of another type than declared may hold anything.
    return values.astype("str") if values.dtype == object else values
