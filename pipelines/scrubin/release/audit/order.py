"""Order of rows: ids are random, so rows sorted by id say nothing about the order of recordings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

MANY = 3  # fewer ids have no order worth hiding
_WORD = re.compile(r"[^\W_]+")
_NAME_GAPS = re.compile(r"[./\\]")


def _is_sorted(values: pd.Series) -> bool:
    """Whether values never go down."""
    return bool(values.is_monotonic_increasing)


def id_in(name: Any, ids: frozenset[str]) -> str:
    """Return the released id that a text is, or that it names as a file or folder; "" when it is none."""
    if not isinstance(name, str):
        return ""
    return name if name in ids else next((part for part in _NAME_GAPS.split(name) if part in ids), "")


def fault(rows: pd.DataFrame, ids: frozenset[str]) -> str:
    """Return what is wrong with the order of ids in a table, "" when nothing is.

    Rows must be sorted by a column of ids, or by other columns first and by the ids among equal
    values, such as by fold and subset. Columns that tell rows apart on their own, such as a row
    number, do not count: they could be the order of recordings. A column of ids is one whose
    values all are released ids or files called after them, and any that is called ``id``.
    """
    columns = [(name, of_column) for name in rows.columns if (of_column := _ids_of(rows, name, ids)) is not None]
    faults = [_fault(rows.drop(columns=name).assign(id=of_column), ids) for name, of_column in columns]
    return faults[0] if faults and all(faults) else ""


def _ids_of(rows: pd.DataFrame, name: Any, ids: frozenset[str]) -> pd.Series | None:
    """Return the ids that a column is about; None when it is about anything else."""
    values: pd.Series = rows[name].where(rows[name].notna(), "")
    known = {value: id_in(value, ids) for value in values.unique()}
    empty = {value for value in known if isinstance(value, str) and not value.strip()}
    named = [known[value] for value in known if value not in empty]
    if name == "id" and any(named):
        return values
    return values.map(known) if named and all(named) else None


def _fault(rows: pd.DataFrame, ids: frozenset[str]) -> str:
    # One row per run of the same id: frames of a recording stand together.
    rows = rows.loc[(rows["id"] != rows["id"].shift()).to_numpy()].reset_index(drop=True)
    if rows["id"].nunique() < MANY or not set(rows["id"].dropna()) & ids or _is_sorted(rows["id"]):
        return ""
    group = pd.Series(0, index=rows.index)
    for column in (name for name in rows.columns if name != "id"):
        finer = _refined(rows[column], group)
        if finer is not None and 2 * finer.nunique() <= len(rows):
            group = finer
    sorted_inside = rows["id"].groupby(group, sort=False).apply(_is_sorted).all()
    return "" if sorted_inside else "rows are not sorted by id; sort them, because their order could be that of the recordings"


def _refined(values: pd.Series, group: pd.Series) -> pd.Series | None:
    """Return the groups split by a column whose equal values stand together within each; None when they do not."""
    if values.isna().any():
        return None
    block = ((values != values.shift()) | (group != group.shift())).cumsum()
    blocks = pd.DataFrame({"group": group, "value": values, "block": block}).drop_duplicates()
    return None if blocks.duplicated(["group", "value"]).any() else block


def names_fault(names: Sequence[str], ids: frozenset[str]) -> str:
    """Return what is wrong with the order of ids in a list or among keys, "" when nothing is."""
    known = [name for name in names if name in ids]
    if len(set(known)) < MANY or known == sorted(known):
        return ""
    return "ids are not sorted; sort them, because their order could be that of the recordings"


def text_fault(text: str, ids: frozenset[str]) -> str:
    """Return what is wrong with the order of ids that follow each other in a text, "" when nothing is."""
    return next((message for run in _runs(text, ids) if (message := names_fault(run, ids))), "")


def _runs(text: str, ids: frozenset[str]) -> Iterator[list[str]]:
    """Yield ids with no other word between them; numbers, bullets and commas are none."""
    run: list[str] = []
    for word in _WORD.findall(text):
        if word in ids:
            run.append(word)
        elif not word.isdecimal():
            if len(run) >= MANY:
                yield run
            run = []
    yield run
