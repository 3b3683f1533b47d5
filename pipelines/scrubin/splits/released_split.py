"""A released split as a file: which recording is in which subset."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from scrubin.errors import SplitError
from scrubin.splits.sheet import Sheet
from scrubin.splits.sheet import read as read_sheet

SUBSET = ("subset", "split")


def read(path: Path) -> pd.DataFrame:
    """Return id and subset of every recording of a split without folds.

    Raises
    ------
    SplitError
        When the file cannot be read, or has no column for either.
    """
    sheet = read_sheet(path)
    subset = next((name for name in SUBSET if name in sheet.frame.columns), None)
    if subset is None:
        msg = f"{path}: no column is named subset or split; it has {', '.join(sheet.frame.columns)}"
        raise SplitError(msg)
    empty = sheet.frame[subset].isna()
    if empty.any():
        msg = f"{path}, row {sheet.row(int(empty.to_numpy().argmax()))}: the cell '{subset}' is empty; name the subset"
        raise SplitError(msg)
    return _checked(path, sheet, subset)


def _checked(path: Path, sheet: Sheet, subset: str) -> pd.DataFrame:
    found = pd.DataFrame({"id": sheet.ids(), "subset": sheet.frame[subset]})
    twice = found.id.duplicated().to_numpy()
    if twice.any():
        i = int(twice.argmax())
        msg = f"{path}, row {sheet.row(i)}: recording '{found.id.iloc[i]}' stands twice; only a split without folds can be extended"
        raise SplitError(msg)
    return found
