"""Rules about subsets: what a benchmark's numbers stand on."""

from __future__ import annotations

import pandas as pd

from scrubin.validate.registry import rule
from scrubin.validate.row_joins import among, looked_up, sizes
from scrubin.validate.study import Study

FOLD = ["scheme", "fold"]


@rule("error", "a recording is in one subset per scheme and fold", splits=("subset",))
def one_subset_per_recording(study: Study, table: str) -> pd.Series[bool]:
    """Find recordings that are in two subsets of one fold."""
    return sizes(study.columns(table, *FOLD, "id", "subset"), [*FOLD, "id"], "subset") > 1


def _together_with(study: Study, table: str) -> pd.DataFrame:
    """Return for each row another recording of its participant in another subset of the fold, by id; missing where there is none."""
    rows = study.columns(table, *FOLD, "id", "subset")
    person = rows.assign(participant=looked_up(rows, participants(study), ["id"])["participant"])
    pairs = person.dropna(subset="participant").reset_index(names="row")
    others = person.rename(columns={"id": "same_participant", "subset": "its_subset"}).sort_values(["same_participant", "its_subset"])
    # One recording per participant and subset is enough to find one in another subset.
    others = others.drop_duplicates([*FOLD, "participant", "its_subset"])
    apart = pairs.merge(others, on=[*FOLD, "participant"]).query("subset != its_subset").sort_values(["row", "same_participant"])
    return apart.drop_duplicates("row").set_index("row")[["same_participant", "its_subset"]].reindex(rows.index)


@rule(
    "error",
    "all recordings of a participant (of a procedure: the patient) are in one subset per scheme and fold",
    _together_with,
    splits=("subset",),
)
def participant_in_one_subset(study: Study, table: str) -> pd.Series[bool]:
    """Find recordings whose participant is also in another subset of the fold, or is unknown.

    Nothing can be proven of a recording that nobody knows the participant of, so it counts as broken.
    """
    rows = study.columns(table, *FOLD, "id", "subset")
    participant = looked_up(rows, participants(study), ["id"])["participant"]
    leaks = sizes(rows.assign(participant=participant), [*FOLD, "participant"], "subset") > 1
    return leaks | participant.isna()


@rule("warning", "a scheme that places one recording of a task places all of them, in every fold", videos=("id",))
def missing_from_split(study: Study, table: str) -> pd.Series[bool]:
    """Find videos that a scheme leaves out although it has others of their task: it may do so on purpose."""
    rows = study.columns(table, "id", "task")
    places = study.columns("splits", *FOLD, "id").drop_duplicates()
    tasks = places.merge(rows.drop_duplicates("id"), on="id")[[*FOLD, "task"]].drop_duplicates()
    wanted = tasks.merge(rows.drop_duplicates("id"), on="task")[[*FOLD, "id"]]
    missing = wanted.loc[~among(wanted, places), "id"]
    return rows["id"].isin(missing)


def participants(study: Study) -> pd.DataFrame:
    """Return the participant by released id. For comparing only: no result may name one."""
    people = study.private("recordings")[["recording", "participant"]].drop_duplicates()
    return study.private("linkage").merge(people, on="recording")[["id", "participant"]]
