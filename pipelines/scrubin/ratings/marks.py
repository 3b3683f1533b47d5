"""Marked errors of several raters: one label, the rules of the task that it breaks, what it has to do with skill.

In LASANA one rater reviewed all marks (section Annotation process); without a reviewer the
marks are combined by a rule.

LASANA, section Skill annotation: suture & knot is failed when fewer than three throws were
completed, balloon resection when the inner balloon was opened with the first cut.

Source: LASANA, section Statistical analysis, equation 3 and footnote 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from scrubin.base import faults, statistics
from scrubin.base.errors import RatingsError
from scrubin.ratings import TOTAL, FailureRule


def any_of(marks: pd.Series[bool]) -> bool:
    """Return whether at least one rater saw the error."""
    return bool(marks.any())


def majority_of(marks: pd.Series[bool]) -> bool:
    """Return whether at least half of the raters saw the error.

    A tie counts as occurred: an event in a long video is missed more easily than invented.
    """
    return 2 * int(marks.sum()) >= len(marks)


RULES: dict[str, Callable[[pd.Series[bool]], bool]] = {"any": any_of, "majority": majority_of}


def harmonise(marks: pd.DataFrame, rule: str, reviewer: str) -> pd.DataFrame:
    """Return the rows of the table ``errors``: id, task, error, occurred.

    Parameters
    ----------
    marks
        One row per recording, rater and error: id, task, rater, error, marked.
    rule
        ``majority`` (a tie counts as occurred), ``any``, or ``reviewer``: only the marks of
        that rater count, and a recording that the reviewer did not mark has no label.

    Raises
    ------
    RatingsError
        When a task has marks but none of the reviewer's.
    """
    if rule == "reviewer":
        for task, group in marks.groupby("task"):
            if reviewer not in set(group.rater):
                what = f"reviewer '{reviewer}' marked no errors, only raters {', '.join(sorted(set(group.rater)))} did"
                files = f"{task}_rater{reviewer}_errors.csv, or rows of rater {reviewer} to errors.csv"
                fix = f"add {files}, or change 'scores.error_rule'"
                raise RatingsError([faults.error("", "reviewer-missing", what, fix, place=f"task {task}")])
        labels = marks[marks.rater == reviewer].rename(columns={"marked": "occurred"})
    else:
        labels = marks.groupby(["task", "id", "error"]).marked.agg(RULES[rule]).rename("occurred").reset_index()
    ordered = labels[["id", "task", "error", "occurred"]].sort_values(["task", "id", "error"], ignore_index=True)
    return ordered.astype({"occurred": bool})


def changes(marks: pd.DataFrame, errors: pd.DataFrame) -> pd.DataFrame:
    """Return the marks that the harmonised label overrules: id, task, error, rater, marked, occurred."""
    both = marks.merge(errors, on=["task", "id", "error"], validate="many_to_one")
    changed = both[both.marked != both.occurred].sort_values(["task", "id", "error", "rater"], ignore_index=True)
    return changed[["id", "task", "error", "rater", "marked", "occurred"]]


def unlabelled(marks: pd.DataFrame, errors: pd.DataFrame, released: pd.DataFrame) -> pd.DataFrame:
    """Return the released recordings of marked tasks that have no label: task, id, raters (who marked them all the same).

    With a reviewer these are the recordings that the reviewer did not mark; with any rule those
    that nobody marked. Tasks without any marks are left out: in them nobody looked for errors.
    """
    labelled = set(zip(errors.task, errors.id, strict=True))
    raters = {key: sorted(set(group)) for key, group in marks.groupby(["task", "id"]).rater}
    marked_tasks = set(marks.task)
    rows = [
        (task, id_, raters.get((task, id_), []))
        for task, id_ in sorted(zip(released.task, released.id, strict=True))
        if task in marked_tasks and (task, id_) not in labelled
    ]
    return pd.DataFrame(rows, columns=["task", "id", "raters"])


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


def cohens_d(without: Sequence[float], with_error: Sequence[float]) -> dict[str, float]:
    """Return the effect of an error on a score: positive when recordings with it are worse.

    Undefined (NaN) when a group has fewer than two recordings, as its variance is undefined
    then, or when the pooled standard deviation is 0. The pooled standard deviation takes the
    squares of such a group as 0.

    Parameters
    ----------
    without, with_error
        Defined scores of the recordings without (F) and with (T) the error.

    Returns
    -------
    dict
        n_without, n_with, mean_without, mean_with, pooled_sd, d.

    >>> cohens_d([1.0, 2.0, 3.0], [0.0, 0.5, 1.0])["d"]
    1.8973665961010275
    """
    n_f, n_t = len(without), len(with_error)
    mean_f, mean_t = statistics.mean(without), statistics.mean(with_error)
    pooled_sd = d = math.nan
    if n_f >= 1 and n_t >= 1 and n_f + n_t > 2:
        pooled_sd = math.sqrt((statistics.squares(without) + statistics.squares(with_error)) / (n_f + n_t - 2))
    if n_f >= 2 and n_t >= 2 and pooled_sd > 0:
        d = (mean_f - mean_t) / pooled_sd
    return {"n_without": n_f, "n_with": n_t, "mean_without": mean_f, "mean_with": mean_t, "pooled_sd": pooled_sd, "d": d}
