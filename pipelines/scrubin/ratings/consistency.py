"""Failed recordings and their errors: what contradicts the rules of the task.

LASANA, section Skill annotation: suture & knot is failed when fewer than three throws were
completed, balloon resection when the inner balloon was opened with the first cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from scrubin.ratings.params import TOTAL, FailureRule

COLUMNS = ["task", "id", "rater", "failed", "error", "occurred"]


def contradictions(ratings: pd.DataFrame, marks: pd.DataFrame, errors: pd.DataFrame, rules: Mapping[str, FailureRule]) -> pd.DataFrame:
    """Return what contradicts the failure rules, for the curator to look at.

    Each rater's failure mark is held against the same rater's error mark; and the failure
    mark of more than half of the raters against the harmonised error.

    Returns
    -------
    pd.DataFrame
        task, id, rater (null = all raters together), failed, error, occurred; sorted.
    """
    total = ratings[ratings.aspect == TOTAL]
    rows = [row for task, rule in sorted(rules.items()) for row in _of_task(task, rule, total, marks, errors)]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(["task", "id", "rater"], na_position="first", ignore_index=True)


def statements(ratings: pd.DataFrame, marks: pd.DataFrame, task: str, id_: str, error: str) -> list[dict[str, Any]]:
    """Return who said what about a recording, by rater: whether it is failed, and whether the error occurred; null when not said."""
    total = ratings[(ratings.task == task) & (ratings.id == id_) & (ratings.aspect == TOTAL)]
    seen = marks[(marks.task == task) & (marks.id == id_) & (marks.error == error)]
    failed = {rater: bool(value) for rater, value in zip(total.rater, total.failed, strict=True)}
    marked = {rater: bool(value) for rater, value in zip(seen.rater, seen.marked, strict=True)}
    return [{"rater": rater, "failed": failed.get(rater), "marked": marked.get(rater)} for rater in sorted({*failed, *marked})]


def _of_task(
    task: str, rule: FailureRule, total: pd.DataFrame, marks: pd.DataFrame, errors: pd.DataFrame
) -> Iterator[tuple[str, str, str | None, bool, str, bool]]:
    failed = total[total.task == task]
    seen = marks[(marks.task == task) & (marks.error == rule.error)]
    for row in failed.merge(seen, on=["id", "rater"]).to_dict("records"):
        if broken(rule, failed=row["failed"], occurred=row["marked"]):
            yield task, row["id"], row["rater"], row["failed"], rule.error, row["marked"]
    labels = errors[(errors.task == task) & (errors.error == rule.error)]
    mostly = (failed.groupby("id").failed.mean() > 0.5).rename("mostly").reset_index()
    for row in mostly.merge(labels, on="id").to_dict("records"):
        if broken(rule, failed=row["mostly"], occurred=row["occurred"]):
            yield task, row["id"], None, row["mostly"], rule.error, row["occurred"]


def broken(rule: FailureRule, *, failed: bool, occurred: bool) -> bool:
    """Return whether a failure and an error contradict the rule.

    >>> broken(FailureRule("balloon_opened", "implies"), failed=False, occurred=True)
    False
    >>> broken(FailureRule("fewer_than_three_throws", "iff"), failed=False, occurred=True)
    True
    """
    return (failed and not occurred) or (rule.rule == "iff" and occurred and not failed)
