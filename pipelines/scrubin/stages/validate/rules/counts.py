"""Rules about numbers of rows: declared totals, or the classes of the version before.

Rows are counted first; what Great Expectations judges is a small frame, one row per total or class.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
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
KEPT = Expectation("ExpectColumnValuesToBeInSet", {"column": "kept", "value_set": [True]})
"""What Great Expectations judges: one row per thing that is counted, of which all columns but ``kept`` name it."""
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
    """Return the declared totals of a table, what there is (``found``), and whether that is the same (``kept``).

    Raises
    ------
    NotApplicableError
        When none is declared.
    """
    declared = [total for total in study.expected.totals if total.table == table]
    if not declared:
        raise NotApplicableError("no total is declared for this table (validate.totals in params.yaml)")
    rows = [
        {
            "count": total.count,
            "where": ", ".join(f"{name} = {value}" for name, value in sorted(total.where.items())) or "everywhere",
            "declared": total.total,
            "found": _number(study, total),
        }
        for total in declared
    ]
    return pd.DataFrame(rows).assign(kept=lambda counted: counted["declared"] == counted["found"])


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
        raise NotApplicableError("no version before this one is declared (validate.previous in params.yaml)")
    before = previous.get(table, {}).get(column)
    if before is None:
        raise NotApplicableError(f"the version before has no counts of '{column}' in table '{table}'")
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


def batches_of_counts(study: Study, table: str) -> Batches:
    """Return the checks of this module for a table, each of what it counted; and those for which nothing can be counted."""
    limit = f"total variation distance at most {study.expected.drift_limit:g}"
    alike = f"classes are distributed as in the version before ({limit}), and none is gone"
    planned = [(TOTAL, "count", TOTAL.says, "totals", partial(totals, study, table))]
    planned += [(DRIFT, column, alike, "classes", partial(drift, study, table, column)) for column in CLASSES.get(table, ())]
    ready, skipped = [], []
    for rule, column, says, things, count in planned:
        try:
            counted = count()
        except (NotApplicableError, NotCheckableError) as error:
            skipped.append(SkippedCheck(rule.name, (column,), says, things, error))
            continue
        named = counted.drop(columns="kept")
        check = Check(rule.name, (column,), says, KEPT, partial(operator.inv, counted["kept"]))
        ready.append(Batch(f"{table} {rule.name} {column}", counted, named, tuple(map(str, named.columns)), [check], things))
    return ready, skipped
