"""The canonical in-memory form for conversion by hand: what a file or folder in any format says.

Labels of frames are the stage's own ``Labels``, one per recording. Scores of whole recordings are
tables like ours. Readers make it, writers take it; so every pair of formats meets here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from scrubin.core.faults import Fault
from scrubin.labels.model import Labels

RATING_COLUMNS = ("id", "task", "rater", "aspect", "score", "failed")
ERROR_COLUMNS = ("id", "task", "error", "occurred")


@dataclass(frozen=True)
class Scores:
    """Scores of whole recordings.

    Parameters
    ----------
    ratings
        The columns of the table ``ratings``; a null score is undefined.
    facts
        ``id``, ``task`` and whatever else a format says of a recording, such as level of skill,
        duration or subset: one row per recording, or per recording and rater (column ``rater``).
    errors
        The columns of the table ``errors``.
    skill
        ``id``, ``task`` and aggregated scores as published; empty where a format has none.
    """

    ratings: pd.DataFrame
    facts: pd.DataFrame
    errors: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(ERROR_COLUMNS)))
    skill: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=["id", "task"]))


@dataclass(frozen=True)
class Collection:
    """Everything that was read.

    Parameters
    ----------
    recordings
        Labels of frames, sorted by recording.
    scores
        Scores of recordings; None where there are none.
    faults
        What the user should know of files that are of several recordings.
    """

    recordings: tuple[Labels, ...] = ()
    scores: Scores | None = None
    faults: tuple[Fault, ...] = ()


def rating_rows(rows: list[tuple[str, str, str, str, float | None, bool]]) -> pd.DataFrame:
    """Return ratings as a data frame: id, task, rater, aspect, score, failed."""
    frame = pd.DataFrame(rows, columns=list(RATING_COLUMNS))
    return frame.astype({"score": "float64", "failed": "bool", **dict.fromkeys(("id", "task", "rater", "aspect"), "str")})
