"""Order of rows: ids are random, so rows sorted by id say nothing about the order of recordings."""

from __future__ import annotations

import pandas as pd

MANY = 3  # fewer ids have no order worth hiding


def is_sorted(values: pd.Series) -> bool:
    """Whether values never go down."""
    return bool(values.is_monotonic_increasing)


def fault(rows: pd.DataFrame, ids: frozenset[str]) -> str:
    """Return what is wrong with the order of ids in a table, "" when nothing is.

    Rows must be sorted by ``id``, or by other columns first and by ``id`` among equal values,
    such as by fold and subset. Columns that tell rows apart on their own, such as a row number,
    do not count: they could be the order of recordings.
    """
    if "id" not in rows.columns:
        return ""
    # One row per run of the same id: frames of a recording stand together.
    rows = rows.loc[(rows["id"] != rows["id"].shift()).to_numpy()].reset_index(drop=True)
    if rows["id"].nunique() < MANY or not set(rows["id"].dropna()) & ids or is_sorted(rows["id"]):
        return ""
    group = pd.Series(0, index=rows.index)
    for column in (name for name in rows.columns if name != "id"):
        finer = _refined(rows[column], group)
        if finer is not None and 2 * finer.nunique() <= len(rows):
            group = finer
    sorted_inside = rows["id"].groupby(group, sort=False).apply(is_sorted).all()
    return "" if sorted_inside else "rows are not sorted by id; sort them, because their order could be that of the recordings"


def _refined(values: pd.Series, group: pd.Series) -> pd.Series | None:
    """Return the groups split by a column whose equal values stand together within each; None when they do not."""
    if values.isna().any():
        return None
    block = ((values != values.shift()) | (group != group.shift())).cumsum()
    blocks = pd.DataFrame({"group": group, "value": values, "block": block}).drop_duplicates()
    return None if blocks.duplicated(["group", "value"]).any() else block


def names_fault(names: list[str], ids: frozenset[str]) -> str:
    """Return what is wrong with the order of ids in a list or among keys, "" when nothing is."""
    known = [name for name in names if name in ids]
    if len(set(known)) < MANY or known == sorted(known):
        return ""
    return "ids are not sorted; sort them, because their order could be that of the recordings"
