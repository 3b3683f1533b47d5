"""Joins over whole columns that the rules share; they keep the rows and the index of the left side."""

from __future__ import annotations

import pandas as pd


def among(rows: pd.DataFrame, known: pd.DataFrame) -> pd.Series[bool]:
    """Return for each row whether it stands among the known ones; both have the same columns.

    >>> among(pd.DataFrame({"id": ["a", "b"]}), pd.DataFrame({"id": ["a"]})).tolist()
    [True, False]
    """
    if len(known.columns) == 1:
        return rows.iloc[:, 0].isin(known.iloc[:, 0])
    return looked_up(rows, known.assign(found=True), list(known.columns))["found"].notna()


def looked_up(rows: pd.DataFrame, facts: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return the facts for each row by key, missing where there are none; of equal keys the first counts."""
    joined = rows[key].merge(facts.drop_duplicates(key), on=key, how="left", validate="many_to_one")
    return joined.drop(columns=key).set_axis(rows.index, axis=0)


def sizes(rows: pd.DataFrame, key: list[str], column: str) -> pd.Series[int]:
    """Return for each row how many different values the column has among the rows of the same key."""
    pairs = rows[[*key, column]].drop_duplicates()
    counts = pairs.groupby(key, sort=False, dropna=False)[column].size().rename("size").reset_index()
    return looked_up(rows, counts, key)["size"]
