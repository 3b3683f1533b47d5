"""Who is dealt: the released recordings with their participants, and what of them is balanced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.core.errors import SplitError
from scrubin.splits.columns import Column, measures
from scrubin.splits.measures import Measure


@dataclass(frozen=True)
class Cohort:
    """Recordings in an order that tells nothing: sorted by id.

    Parameters
    ----------
    people
        One row per recording: id, task, participant, pinned (bool: must be in the subset for training).
    columns
        What may be balanced or sorted by; values in the order of ``people``.
    """

    people: pd.DataFrame
    columns: tuple[Column, ...]

    @property
    def participants(self) -> list[str]:
        """Every participant once, sorted by the first of its released ids."""
        return [str(name) for name in self.people.drop_duplicates("participant").participant]

    def measures(self) -> list[Measure]:
        """Return what is balanced: the number of recordings, and all columns."""
        return measures(self.people.task.tolist(), self.columns)

    @property
    def features(self) -> tuple[str, ...]:
        """Every feature: the first word of each column, as in ``balancing``."""
        return tuple(sorted({column.name.split(" ")[0] for column in self.columns}))

    def balancing(self, features: Sequence[str]) -> Cohort:
        """Return the cohort with the columns of some features only: those named ``<feature>`` or ``<feature> <what>``."""
        return Cohort(self.people, tuple(column for column in self.columns if column.name.split(" ")[0] in features))

    def column(self, name: str) -> Column:
        """Return a column by its name.

        Raises
        ------
        SplitError
            When there is none.
        """
        for column in self.columns:
            if column.name == name:
                return column
        msg = f"there is no column '{name}'; there are {', '.join(column.name for column in self.columns) or 'none'}"
        raise SplitError(msg)

    def only(self, keep: npt.NDArray[np.bool_]) -> Cohort:
        """Return the recordings for which ``keep`` is True."""
        columns = [Column(column.name, column.kind, column.values[keep].reset_index(drop=True)) for column in self.columns]
        return Cohort(self.people[keep].reset_index(drop=True), tuple(columns))

    def tasks(self) -> list[str]:
        """Return every task once, sorted."""
        return sorted(set(self.people.task))


def cohort(people: pd.DataFrame, columns: Sequence[Column]) -> Cohort:
    """Return a cohort; the order of rows and columns is irrelevant.

    Parameters
    ----------
    people
        One row per recording: id, task, participant, pinned.
    columns
        Columns in the order of ``people``.

    Raises
    ------
    SplitError
        Without recordings, or when an id stands twice.
    """
    if people.empty:
        msg = "no recording is released: there is nothing to split"
        raise SplitError(msg)
    twice = people.id[people.id.duplicated()]
    if len(twice):
        msg = f"recording '{twice.iloc[0]}' stands twice; every recording is split once: remove one of the rows"
        raise SplitError(msg)
    order = np.argsort(people.id.to_numpy(dtype=object), kind="stable")
    ordered = [Column(one.name, one.kind, one.values.iloc[order].reset_index(drop=True)) for one in columns]
    rows = people.iloc[order].reset_index(drop=True).astype({"participant": "str", "task": "str", "id": "str"})
    return Cohort(rows, tuple(sorted(ordered, key=lambda one: one.name)))
