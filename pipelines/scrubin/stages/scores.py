"""How skill develops over the trials of each task, which only a private file may tell.

Trial numbers are private, as in LASANA (section Annotation process): with the published score of
every recording, exact means per trial would tell which recordings belong to which trial. So
these numbers stand in a private file of their own and not in the report of the stage, which
may be shown.

Source: LASANA, section Statistical analysis, Figure 8.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base import statistics
from scrubin.base.statistics import without_nan
from scrubin.ratings import TOTAL

PRIVATE = "private: with the published scores, these numbers tell which recording belongs to which trial"
QUARTILES = {"lower_quartile": 25, "median": 50, "upper_quartile": 75}


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
    plain: dict[str, Any] = without_nan({"audience": PRIVATE, "tasks": tasks})
    return plain


def _trial(value: Any) -> str:
    return "" if value is None or pd.isna(value) else str(value)


def _of_task(group: pd.DataFrame) -> list[dict[str, Any]]:
    by_trial = {str(trial): rows[TOTAL] for trial, rows in group.groupby("trial")}
    return [{"trial": trial or None, **_summary(by_trial[trial])} for trial in sorted(by_trial, key=_order)]


def _order(trial: str) -> tuple[bool, list[tuple[bool, int, str]]]:
    """Sort 2 before 10, and recordings without a trial last."""
    parts = re.findall(r"[0-9]+|[^0-9]+", trial)
    return not trial, [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def _summary(grs: pd.Series[float]) -> dict[str, Any]:
    defined = grs.dropna().tolist()
    # Sorted, because interpolation of numpy starts from a partition of the values.
    quartiles = {name: float(np.percentile(sorted(defined), q)) if defined else float("nan") for name, q in QUARTILES.items()}
    return {"recordings": len(grs), "n": len(defined), "mean": statistics.mean(defined), "sd": statistics.sd(defined), **quartiles}
