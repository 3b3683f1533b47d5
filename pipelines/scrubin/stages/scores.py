"""Scores."""

from __future__ import annotations

from typing import Any

import pandas as pd

from scrubin.base.statistics import without_nan
from scrubin.ratings.score_statistics import PRIVATE, _of_task, _trial


def development(skill: pd.DataFrame, recordings: pd.DataFrame, linkage: pd.DataFrame) -> dict[str, Any]:
    """Return how the GRS develops over the trials of each task.

    Parameters
    ----------
    skill, recordings, linkage
        The tables of these names.

    Returns
    -------
    dict
        ``tasks``: per task a list with one entry per trial, in order, and a last one for recordings
        without a trial (null) if there are any: ``trial``, ``recordings``, and of those with a GRS, in sd:
        ``n``, ``mean``, ``sd`` (n - 1), the quartiles (numpy's linear method); null where undefined.
    """
    trial_of = recordings.drop_duplicates("recording").set_index("recording").trial
    trials = dict(zip(linkage.id, linkage.recording.map(trial_of), strict=True))
    known = skill.assign(trial=[_trial(trials.get(id_)) for id_ in skill.id])
    tasks = {str(task): _of_task(group) for task, group in known.groupby("task")}
    value = {"audience": PRIVATE, "tasks": tasks}
    plain: dict[str, Any] = without_nan(value)
    return plain
