"""Marks of annotators as a table: who judged is a number, the same in all recordings, that tells nobody's name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import pandas as pd

from scrubin.base.tables import io
from scrubin.base.tables.public import MARKS


def table(rows_of: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the table ``marks``.

    Parameters
    ----------
    rows_of
        By released id the marks of its frames: ``frame``, ``mark``, ``rater`` ("" for a value of nobody by name) and ``value``.
    """
    parts = [rows.assign(id=id_)[MARKS.column_names] for id_, rows in rows_of.items() if len(rows)]
    if not parts:
        return io.frame_of(MARKS, [])
    rows = pd.concat(parts, ignore_index=True)
    return io.conform(MARKS, rows.assign(rater=rows["rater"].map({"": None, **numbers_of(rows["rater"])})))


def numbers_of(raters: Iterable[str]) -> dict[str, str]:
    """Return a number from 1 for each annotator.

    Numbers keep their order; names come in that of their hashes, so that their place in the alphabet is not told.

    >>> numbers_of(["10", "2", "", "2"])
    {'2': '1', '10': '2'}
    """
    names = sorted({name for name in raters if name}, key=_order)
    return {name: str(number) for number, name in enumerate(names, start=1)}


def _order(name: str) -> tuple[bool, int, str]:
    is_number = name.isascii() and name.isdecimal()
    return not is_number, int(name) if is_number else 0, name if is_number else hashlib.sha256(name.encode()).hexdigest()
