"""The offending rows that are named: the first ones by key, so that the order of a file does not matter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

SHOWN = 20
"""So many offending rows are named."""


def first_by_key(rows: pd.DataFrame, key: tuple[str, ...]) -> pd.DataFrame:
    """Return at most twenty rows, sorted by those columns of the key that are there; a missing value comes last.

    All two million rows may offend, so that they are not sorted but narrowed, column by column.
    """
    left, first = rows, rows.iloc[:0]
    for name in (name for name in key if name in rows.columns):
        wanted = SHOWN - len(first)
        if wanted <= 0 or len(left) <= wanted:
            break
        codes, _ = pd.factorize(_comparable(left[name]), sort=True)
        ranks = np.where(codes < 0, len(left), codes)
        last = np.partition(ranks, wanted - 1)[wanted - 1]
        first, left = pd.concat([first, left[ranks < last]]), left[ranks == last]
    named = pd.concat([first, left.iloc[: max(SHOWN - len(first), 0)]])
    by = [name for name in key if name in rows.columns]
    return named.sort_values(by, kind="stable", key=_comparable) if by else named


def _comparable(values: pd.Series) -> pd.Series:
    # A column of another type than declared may hold anything.
    return values.astype("str") if values.dtype == object else values


def keys_of(rows: pd.DataFrame, columns: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """Return the first rows as plain values; missing ones are None, infinite ones text."""
    names = [name for name in dict.fromkeys(columns) if name in rows.columns]
    return tuple({str(name): _plain(row[name]) for name in names} for row in rows[names].head(SHOWN).to_dict("records"))


def _plain(value: Any) -> Any:
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float) and math.isinf(plain):
        return str(plain)
    # Whole numbers of a column with gaps were read as floats.
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain
