"""A table given by hand as a cohort: which columns say who, where and what is balanced."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import pandas as pd

from scrubin.errors import SplitError
from scrubin.splits.cohort import Cohort, cohort
from scrubin.splits.columns import FALSE, KINDS, TRUE, Column, column
from scrubin.splits.sheet import Sheet

TASK = "task"
"""A column of this name is the task; everything is then balanced within each task."""


@dataclass(frozen=True)
class Wanted:
    """What is asked of a table: the columns by their roles."""

    group: str
    balance: tuple[str, ...] | None
    pin_train: str | None
    difficulty: str | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that name columns."""
    parser.add_argument("--group", required=True, metavar="COLUMN", help="the participant, patient or procedure that stays whole")
    parser.add_argument(
        "--balance",
        metavar="COLUMNS",
        help="what is balanced beside the number of recordings, separated by commas; a kind may follow after a colon "
        f"({', '.join(KINDS)}), as in sutures:count; otherwise it is found from the values. "
        "Default: GRS and every True/False column",
    )
    parser.add_argument("--pin-train", metavar="COLUMN", help="True/False: recordings that may only be in the first subset")


def wanted(given: argparse.Namespace) -> Wanted:
    """Return what the options ask for."""
    names = None if given.balance is None else tuple(name.strip() for name in given.balance.split(",") if name.strip())
    return Wanted(given.group, names, given.pin_train, getattr(given, "difficulty", None))


def cohort_of(sheet: Sheet, asked: Wanted) -> Cohort:
    """Return the cohort of a table.

    Raises
    ------
    SplitError
        Names file, row and value of what cannot be used.
    """
    ids = sheet.ids()
    twice = ids.duplicated().to_numpy()
    if twice.any():
        i = int(twice.argmax())
        first = sheet.row(int((ids == ids.iloc[i]).to_numpy().argmax()))
        msg = (
            f"{sheet.path}, row {sheet.row(i)}: recording '{ids.iloc[i]}' (column '{sheet.id_column}') stands twice, first in row {first}; "
            "every recording has one row: remove one"
        )
        raise SplitError(msg)
    tasks = sheet.filled(TASK) if TASK in sheet.frame.columns else pd.Series("", index=ids.index)
    people = pd.DataFrame({"id": ids, "task": tasks, "participant": sheet.filled(asked.group), "pinned": _pinned(sheet, asked.pin_train)})
    return cohort(people, _columns(sheet, asked))


def _columns(sheet: Sheet, asked: Wanted) -> list[Column]:
    names = asked.balance if asked.balance is not None else _default(sheet, asked)
    found = [_column(sheet, *_named(sheet, name)) for name in names]
    if asked.difficulty is not None and asked.difficulty not in {one.name for one in found}:
        found.append(_column(sheet, asked.difficulty, "number"))
    names_found = [one.name for one in found]
    repeated = sorted({name for name in names_found if names_found.count(name) > 1})
    if repeated:
        msg = f"--balance names '{repeated[0]}' twice; name it once"
        raise SplitError(msg)
    return found


def _default(sheet: Sheet, asked: Wanted) -> tuple[str, ...]:
    roles = {sheet.id_column, asked.group, asked.pin_train, TASK}
    others = [str(name) for name in sheet.frame.columns if name not in roles]
    return tuple(name for name in others if name == "GRS" or _is_flag(sheet.frame[name]))


def _is_flag(values: pd.Series[Any]) -> bool:
    # A single other word does not make it another column: it is a typo, which is told.
    words = {str(value).lower() for value in values.dropna()}
    return bool(words & {"true", "false"})


def _named(sheet: Sheet, name: str) -> tuple[str, str | None]:
    """Return column and kind; a column may have a colon in its own name."""
    if name in sheet.frame.columns or ":" not in name:
        return name, None
    of, kind = name.rsplit(":", 1)
    if kind not in KINDS:
        msg = f"--balance: '{kind}' of '{name}' is no kind; kinds are {', '.join(f'{kind} ({means})' for kind, means in KINDS.items())}"
        raise SplitError(msg)
    return of, kind


def _column(sheet: Sheet, name: str, kind: str | None) -> Column:
    values = sheet.column(name)
    if kind is None:
        _refuse_mixed(sheet, name)
        kind = "number" if name == "GRS" else None
    try:
        return column(name, values, kind)
    except SplitError as error:
        msg = f"{sheet.path}: {error}"
        raise SplitError(msg) from error


def _refuse_mixed(sheet: Sheet, name: str) -> None:
    """Refuse a column of numbers, or of True and False, in which a cell is something else: it would be taken for words.

    Raises
    ------
    SplitError
        Names file, row and value.
    """
    cells = [(i, str(cell)) for i, cell in enumerate(sheet.column(name)) if cell is not None]
    for what, fits in (("True or False", _is_truth), ("a number", _is_number)):
        strange = [(i, cell) for i, cell in cells if not fits(cell)]
        if strange and 2 * len(strange) < len(cells):
            i, cell = strange[0]
            msg = (
                f"{sheet.path}, row {sheet.row(i)}: '{name}' is '{cell}', not {what} as most are; correct it, leave it empty, "
                f"or balance words: {name}:category"
            )
            raise SplitError(msg)


def _is_truth(cell: str) -> bool:
    return cell.lower() in {"true", "false"}


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _pinned(sheet: Sheet, name: str | None) -> pd.Series[bool]:
    if name is None:
        return pd.Series(data=False, index=sheet.frame.index)
    words = sheet.column(name).map(lambda cell: "false" if cell is None else str(cell).lower())
    wrong = (~words.isin(TRUE | FALSE)).to_numpy()
    if wrong.any():
        i = int(wrong.argmax())
        msg = f"{sheet.path}, row {sheet.row(i)}: '{name}' is '{words.iloc[i]}'; --pin-train needs a column of True and False"
        raise SplitError(msg)
    return words.isin(TRUE)
