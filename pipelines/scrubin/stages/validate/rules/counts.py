"""Rules about numbers of rows: declared totals, or the classes of the version before.

Rows are counted first; what Great Expectations judges is a small frame, one row per total or class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd

from scrubin.stages.validate.expected import ClassCounts, Total, value_of
from scrubin.stages.validate.registry import Batch, Batches, Check, Expectation, SkippedCheck, generated
from scrubin.stages.validate.study_tables import NotApplicableError, NotCheckableError, Study

CLASSES: Mapping[str, tuple[str, ...]] = {
    "triplets": ("instrument", "verb", "target", "triplet"),
    "phases": ("phase",),
    "errors": ("error",),
}
"""By table the columns whose values are classes; of errors, those that occurred."""
DIGITS = 6

TOTAL = generated("declared_total", "error", "there is as much as was declared")
DRIFT = generated("class_drift", "warning", "classes are distributed as in the version before, and none is gone")


def class_counts(study: Study) -> ClassCounts:
    """Return the number of rows by table, column and class, sorted; columns that cannot be counted are left out."""
    counts: dict[str, dict[str, dict[str, int]]] = {}
    for table, columns in CLASSES.items():
        for column in columns:
            try:
                counts.setdefault(table, {})[column] = _classes(study, table, column)
            except (NotApplicableError, NotCheckableError):
                continue  # the rule about its type says so
    return counts


def _classes(study: Study, table: str, column: str) -> dict[str, int]:
    rows = study.columns(table, column, "occurred") if table == "errors" else study.columns(table, column)
    values = rows.loc[rows["occurred"].astype(bool), column] if table == "errors" else rows[column]
    return {str(name): int(count) for name, count in sorted(values.value_counts().items())}


def totals(study: Study, table: str) -> pd.DataFrame:
    """Return the declared totals of a table, and what there is (``found``).

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
            "found": _number(study, total),
        }
        for total in declared
    ]
    return pd.DataFrame(rows)


def _number(study: Study, total: Total) -> int:
    key = {"rows": [], "recordings": ["id"], "frames": ["id", "frame"]}[total.count]
    rows = study.columns(total.table, *dict.fromkeys([*total.where, *key]))
    of = {column.name: column for column in study.tables[total.table].table.columns}
    for name, text in total.where.items():
        # By value: as a text, the same number is another one where a missing value makes the column one of floats.
        rows = rows[rows[name] == value_of(of[name], text)]
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
class CountCheck:
    """One check of numbers of rows.

    Parameters
    ----------
    rule, columns, says, things
        As in ``Outcome``.
    count
        Counts: one row per thing, of which all columns but ``kept`` name it.
    expectation
        What Great Expectations judges of that frame.
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

    def check(self, counted: pd.DataFrame) -> Check:
        """Return the check of what was counted."""
        return Check(self.rule, self.columns, self.says, self.expectation, partial(self.broken, counted))


def batches_of_counts(study: Study, table: str) -> Batches:
    """Return the checks of this module for a table, each of what it counted; and those for which nothing can be counted."""
    ready, skipped = [], []
    for one in count_checks(study, table):
        try:
            counted = one.count()
        except (NotApplicableError, NotCheckableError) as error:
            skipped.append(SkippedCheck(one.rule, one.columns, one.says, one.things, error))
            continue
        named = counted.drop(columns="kept", errors="ignore")
        name = f"{table} {one.rule} {' '.join(one.columns)}"
        ready.append(Batch(name, counted, named, tuple(map(str, named.columns)), [one.check(counted)], one.things))
    return ready, skipped


def count_checks(study: Study, table: str) -> list[CountCheck]:
    """Return the checks of this module for a table."""
    limit = f"total variation distance at most {study.expected.drift_limit:g}"
    total = CountCheck(
        TOTAL.name,
        ("count",),
        TOTAL.says,
        "totals",
        partial(totals, study, table),
        Expectation("ExpectColumnPairValuesToBeEqual", {"column_A": "declared", "column_B": "found"}),
        lambda counted: counted["declared"] != counted["found"],
    )
    return [total] + [
        CountCheck(
            DRIFT.name,
            (column,),
            f"classes are distributed as in the version before ({limit}), and none is gone",
            "classes",
            partial(drift, study, table, column),
            Expectation("ExpectColumnValuesToBeInSet", {"column": "kept", "value_set": [True]}),
            lambda counted: ~counted["kept"],
        )
        for column in CLASSES.get(table, ())
    ]
