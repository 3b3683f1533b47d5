"""Rules about numbers of rows: declared totals, and the classes of the version before.

They are counted first; what Great Expectations is asked is a small frame, one row per total or class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import great_expectations.expectations as gxe
import pandas as pd
from great_expectations.expectations.expectation import Expectation

from scrubin.validate.check import Check
from scrubin.validate.expectations import ClassCounts
from scrubin.validate.params import Total
from scrubin.validate.study import NotApplicableError, NotCheckableError, Study

CLASSES: Mapping[str, tuple[str, ...]] = {
    "triplets": ("instrument", "verb", "target", "triplet"),
    "phases": ("phase",),
    "errors": ("error",),
}
"""By table the columns whose values are classes; of errors, those that occurred."""
COUNTED_RULES = ("declared_total", "class_drift")
DIGITS = 6


def class_counts(study: Study) -> ClassCounts:
    """Return the number of rows by table, column and class, sorted; columns that cannot be counted are left out."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for table, columns in CLASSES.items():
        for column in columns:
            try:
                found.setdefault(table, {})[column] = _classes(study, table, column)
            except (NotApplicableError, NotCheckableError):
                continue  # the rule about its type says so
    return found


def _classes(study: Study, table: str, column: str) -> dict[str, int]:
    rows = study.columns(table, column, "occurred") if table == "errors" else study.columns(table, column)
    values = rows.loc[rows["occurred"].astype(bool), column] if table == "errors" else rows[column]
    return {str(name): int(count) for name, count in sorted(values.value_counts().items())}


def totals(study: Study, table: str) -> pd.DataFrame:
    """Return the declared totals of a table, and what was found.

    Raises
    ------
    NotApplicableError
        When none is declared.
    """
    declared = [total for total in study.expected.totals if total.table == table]
    if not declared:
        msg = "no total is declared for this table (validate.totals in params.yaml)"
        raise NotApplicableError(msg)
    rows = [
        {
            "count": total.count,
            "where": ", ".join(f"{name} = {value}" for name, value in sorted(total.where.items())) or "everywhere",
            "declared": total.total,
            "found": _found(study, total),
        }
        for total in declared
    ]
    return pd.DataFrame(rows)


def _found(study: Study, total: Total) -> int:
    key = {"rows": [], "recordings": ["id"], "frames": ["id", "frame"]}[total.count]
    rows = study.columns(total.table, *dict.fromkeys([*total.where, *key]))
    for name, value in total.where.items():
        rows = rows[rows[name].astype("str") == value]
    return len(rows[key].drop_duplicates()) if key else len(rows)


def drift(study: Study, table: str, column: str) -> pd.DataFrame:
    """Return one row per class of this version or of the one before, the largest change first.

    ``distance`` is the total variation distance between both distributions: half the sum of the absolute
    differences of the shares, from 0 (the same) to 1 (no class in common).

    Raises
    ------
    NotApplicableError
        When there is no version before, or it does not have this column.
    """
    previous = study.expected.previous
    if previous is None:
        msg = "no version before this one is declared (validate.previous in params.yaml)"
        raise NotApplicableError(msg)
    before = previous.get(table, {}).get(column)
    if before is None:
        msg = f"the version before has no counts of '{column}' in table '{table}'"
        raise NotApplicableError(msg)
    now = _classes(study, table, column)
    classes = sorted({*before, *now})
    counts = pd.DataFrame(
        {"class": classes, "before": [before.get(name, 0) for name in classes], "now": [now.get(name, 0) for name in classes]}
    ).astype({"class": "str", "before": "int64", "now": "int64"})
    change = _shares(counts["now"]) - _shares(counts["before"])
    distance = round(math.fsum(change.abs()) / 2, DIGITS)
    ordered = counts.assign(change=change.round(DIGITS), distance=distance, size=change.abs().round(DIGITS))
    ordered = ordered.sort_values(["size", "class"], ascending=[False, True], ignore_index=True).drop(columns="size")
    gone = (ordered["before"] > 0) & (ordered["now"] == 0)
    moved = (ordered["distance"] > study.expected.drift_limit) & (ordered["change"] != 0)
    return ordered.assign(kept=~(gone | moved))


def _shares(counts: pd.Series[int]) -> pd.Series[float]:
    # Of no rows every share is 0: the distance to any other distribution is then 1/2, and every class is gone.
    return counts / max(int(counts.sum()), 1)


@dataclass(frozen=True)
class Counting:
    """One rule about numbers of rows.

    Parameters
    ----------
    rule, columns, says, things
        As in ``Outcome``.
    count
        Counts: one row per thing, of which all columns but ``kept`` name it.
    expectation
        What Great Expectations is asked of that frame.
    broken
        The same in vectorised form.
    """

    rule: str
    columns: tuple[str, ...]
    says: str
    things: str
    count: Callable[[], pd.DataFrame]
    expectation: Expectation
    broken: Callable[[pd.DataFrame], pd.Series[bool]]

    def check(self, found: pd.DataFrame) -> Check:
        """Return the check of what was counted."""
        return Check(self.rule, self.columns, self.says, self.expectation, partial(self.broken, found))


def countings(study: Study, table: str) -> list[Counting]:
    """Return the rules of this module that a table is asked."""
    limit = f"total variation distance at most {study.expected.drift_limit:g}"
    total = Counting(
        "declared_total",
        ("count",),
        "there is as much as was declared",
        "totals",
        partial(totals, study, table),
        gxe.ExpectColumnPairValuesToBeEqual(column_A="declared", column_B="found"),
        lambda found: found["declared"] != found["found"],
    )
    return [total] + [
        Counting(
            "class_drift",
            (column,),
            f"classes are distributed as in the version before ({limit}), and none is gone",
            "classes",
            partial(drift, study, table, column),
            gxe.ExpectColumnValuesToBeInSet(column="kept", value_set=[True]),
            lambda found: ~found["kept"],
        )
        for column in CLASSES.get(table, ())
    ]
