"""One label per recording and error, from the marks of several raters.

In LASANA one rater reviewed all marks (section Annotation process); without a reviewer the
marks are combined by a rule.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from scrubin.core import faults
from scrubin.core.errors import RatingsError


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
