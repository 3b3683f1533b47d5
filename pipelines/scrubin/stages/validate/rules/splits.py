"""Rules about subsets: what a benchmark's numbers stand on, so nothing in training that is in test."""

from __future__ import annotations

import pandas as pd

from scrubin.stages.validate.registry import rule
from scrubin.stages.validate.study_tables import Study, among, looked_up, sizes

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


def participants(study: Study) -> pd.DataFrame:
    """Return the participant by released id. For comparing only: no result may name one."""
    people = study.private("recordings")[["recording", "participant"]].drop_duplicates()
    return study.private("linkage").merge(people, on="recording")[["id", "participant"]]


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


BESIDE = ["like", "cameras", "shift_s", "shift_frames", "matching_frames", "compared_frames"]
"""What is named beside a near-duplicate.

Which other recording, which camera of this one looks like which of the other, when frame 0 of this one is
seen in the other (in seconds and in extracted frames), how many frames agree, and of how many.
"""


def _both_ways(study: Study) -> pd.DataFrame:
    """Return each pair from both sides: id and the columns beside; the most alike first."""
    pairs = study.near_duplicates
    there = pairs.rename(columns={"one": "id", "other": "like"}).assign(cameras=pairs.camera + ", " + pairs.other_camera)
    back = pairs.rename(columns={"one": "like", "other": "id"}).assign(
        cameras=pairs.other_camera + ", " + pairs.camera,
        # Zero minus, so that no shift is -0.0.
        shift_s=0 - pairs.shift_s,
        shift_frames=-pairs.shift_frames,
    )
    both = pd.concat([there, back], ignore_index=True)[["id", *BESIDE]]
    return both.sort_values(["id", "matching_frames", "like"], ascending=[True, False, True], ignore_index=True)


def _apart(study: Study, table: str) -> pd.DataFrame:
    """Return for each row of the splits its near-duplicate in another subset of the fold; missing where there is none."""
    rows = study.columns(table, *FOLD, "id", "subset")
    pairs = rows.reset_index(names="row").merge(_both_ways(study), on="id")
    others = rows.rename(columns={"id": "like", "subset": "its_subset"})
    leaks = pairs.merge(others, on=[*FOLD, "like"]).query("subset != its_subset")
    return leaks.drop_duplicates("row").set_index("row")[[*BESIDE, "its_subset"]].reindex(rows.index)


def _nearest(study: Study, table: str) -> pd.DataFrame:
    """Return for each video its nearest near-duplicate; missing where there is none."""
    rows = study.columns(table, "id")
    nearest = _both_ways(study).drop_duplicates("id").set_index("id")
    return nearest.reindex(rows["id"]).set_axis(rows.index, axis=0)


@rule("error", "no recording shows the same as one in another subset", _apart, splits=("subset",))
def near_duplicate_in_two_subsets(study: Study, table: str) -> pd.Series[bool]:
    """Find recordings with a near-duplicate in another subset of the same fold."""
    return _apart(study, table)["like"].notna()


@rule("warning", "no two recordings show the same", _nearest, videos=("id",))
def near_duplicate_recording(study: Study, table: str) -> pd.Series[bool]:
    """Find recordings with a near-duplicate, in whatever subset: perhaps a recording was copied twice."""
    return _nearest(study, table)["like"].notna()
