"""Rules about subsets: what a benchmark's numbers stand on."""

from __future__ import annotations

import pandas as pd

from scrubin.validate.rules.registry import rule
from scrubin.validate.rules.rows import among, looked_up, sizes
from scrubin.validate.study import Study

FOLD = ["scheme", "fold"]


@rule("a recording is in one subset per scheme and fold", splits=("subset",))
def one_subset_per_recording(study: Study, table: str) -> pd.Series[bool]:
    """Find recordings that are in two subsets of one fold."""
    return sizes(study.columns(table, *FOLD, "id", "subset"), [*FOLD, "id"], "subset") > 1


@rule("all recordings of a participant are in one subset per scheme and fold", splits=("subset",))
def participant_in_one_subset(study: Study, table: str) -> pd.Series[bool]:
    """Find recordings whose participant is also in another subset of the fold, or is unknown.

    Nothing can be proven of a recording that nobody knows the participant of, so it counts as broken.
    """
    rows = study.columns(table, *FOLD, "id", "subset")
    participant = looked_up(rows, participants(study), ["id"])["participant"]
    leaks = sizes(rows.assign(participant=participant), [*FOLD, "participant"], "subset") > 1
    return leaks | participant.isna()


@rule("a scheme that places one recording of a task places all of them, in every fold", videos=("id",))
def missing_from_split(study: Study, table: str) -> pd.Series[bool]:
    """Find videos that a scheme leaves out although it has others of their task."""
    rows = study.columns(table, "id", "task")
    places = study.columns("splits", *FOLD, "id").drop_duplicates()
    tasks = places.merge(rows.drop_duplicates("id"), on="id")[[*FOLD, "task"]].drop_duplicates()
    wanted = tasks.merge(rows.drop_duplicates("id"), on="task")[[*FOLD, "id"]]
    missing = wanted.loc[~among(wanted, places), "id"]
    return rows["id"].isin(missing)


def participants(study: Study) -> pd.DataFrame:
    """Return the participant by released id. For comparing only: no result may name one."""
    return study.linkage.merge(study.recordings[["recording", "participant"]].drop_duplicates(), on="recording")[["id", "participant"]]
