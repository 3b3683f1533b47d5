"""A table of somebody's own as a cohort: which columns say who, where, what is balanced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from scrubin.base.csv_text import is_missing, shown
from scrubin.base.errors import SplitError
from scrubin.base.faults import Fault, within
from scrubin.stages.splits.cohort import FALSE, TRUE, Cohort, Column, column
from scrubin.stages.splits.recording_sheet import RecordingSheet
from scrubin.stages.splits.split_params import KINDS

TASK = "task"
"""A column of this name is the task; everything is then balanced within each task."""


@dataclass(frozen=True)
class Roles:
    """The columns of a table by their roles."""

    group: str
    balance: tuple[str, ...] | None
    pin_train: str | None
    difficulty: str | None


def cohort_of(sheet: RecordingSheet, roles: Roles) -> Cohort:
    """Return the cohort of a table.

    Raises
    ------
    SplitError
        Names file, row and value of what cannot be used.
    """
    from scrubin.stages.splits.cohort import cohort

    ids = sheet.ids()
    SplitError.raise_any(_repeated(sheet, ids))
    tasks = sheet.filled(TASK) if TASK in sheet.frame.columns else pd.Series("", index=ids.index)
    people = pd.DataFrame({"id": ids, "task": tasks, "participant": sheet.filled(roles.group), "pinned": _pinned(sheet, roles.pin_train)})
    return cohort(people, _columns(sheet, roles))


def _repeated(sheet: RecordingSheet, ids: pd.Series[str]) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for i, id_ in enumerate(ids):
        before = first.setdefault(id_, i)
        if before != i:
            what = f"recording '{shown(id_)}' (column '{sheet.id_column}') stands twice, first in line {sheet.lines[before]}"
            yield sheet.fault(i, "recording-repeated", what, "every recording has one row: remove one")


def _columns(sheet: RecordingSheet, roles: Roles) -> list[Column]:
    names = roles.balance if roles.balance is not None else _default(sheet, roles)
    columns = [_column(sheet, *_named(sheet, name)) for name in names]
    if roles.difficulty is not None and roles.difficulty not in {one.name for one in columns}:
        columns.append(_column(sheet, roles.difficulty, "number"))
    column_names = [one.name for one in columns]
    repeated = sorted({name for name in column_names if column_names.count(name) > 1})
    if repeated:
        msg = f"--balance names '{repeated[0]}' twice; name it once"
        raise SplitError(msg)
    return columns


def _default(sheet: RecordingSheet, roles: Roles) -> tuple[str, ...]:
    named = {sheet.id_column, roles.group, roles.pin_train, TASK}
    others = [str(name) for name in sheet.frame.columns if name not in named]
    return tuple(name for name in others if name == "GRS" or _is_flag(sheet.frame[name]))


def _is_flag(values: pd.Series[Any]) -> bool:
    # A single other word does not make it another column: it is a typo, which is said.
    return not {"true", "false"}.isdisjoint(str(value).lower() for value in values.dropna())


def _named(sheet: RecordingSheet, name: str) -> tuple[str, str | None]:
    """Return column and kind; a column may have a colon in its own name."""
    if name in sheet.frame.columns or ":" not in name:
        return name, None
    of, kind = name.rsplit(":", 1)
    if kind not in KINDS:
        msg = f"--balance: '{kind}' of '{name}' is no kind; kinds are {', '.join(f'{kind} ({means})' for kind, means in KINDS.items())}"
        raise SplitError(msg)
    return of, kind


def _column(sheet: RecordingSheet, name: str, kind: str | None) -> Column:
    values = sheet.column(name)
    if kind is None:
        _refuse_mixed(sheet, name)
        kind = "number" if name == "GRS" else None
    try:
        return column(name, values, kind)
    except SplitError as error:
        raise SplitError(within(error.faults, sheet.file)) from error


def _refuse_mixed(sheet: RecordingSheet, name: str) -> None:
    """Refuse a column of numbers, or of True and False, in which a cell is something else: it would be taken for words.

    Raises
    ------
    SplitError
        Names file, line and value.
    """
    cells = [(i, str(cell)) for i, cell in enumerate(sheet.column(name)) if cell is not None and not is_missing(str(cell))]
    for what, fits in (("True or False", _is_truth), ("a number", _is_number)):
        others = [(i, cell) for i, cell in cells if not fits(cell)]
        if 2 * len(others) < len(cells):
            fix = f"correct it, leave it empty, or balance words: {name}:category"
            SplitError.raise_any(
                sheet.fault(i, "cell-value", f"'{name}' is '{shown(cell)}', not {what} as most are", fix) for i, cell in others
            )


def _is_truth(cell: str) -> bool:
    return cell.lower() in {"true", "false"}


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _pinned(sheet: RecordingSheet, name: str | None) -> pd.Series[bool]:
    if name is None:
        return pd.Series(data=False, index=sheet.frame.index)
    marks = sheet.column(name).map(lambda cell: "false" if cell is None or is_missing(str(cell)) else str(cell).lower())
    SplitError.raise_any(
        sheet.fault(i, "cell-value", f"'{name}' is '{shown(mark)}'", "--pin-train needs a column of True and False")
        for i, mark in enumerate(marks)
        if mark not in TRUE | FALSE
    )
    return marks.isin(TRUE)
