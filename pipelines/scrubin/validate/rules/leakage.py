"""Rules about what recordings show: the same scenes in training and test are a leak, whatever their names."""

from __future__ import annotations

import pandas as pd

from scrubin.validate.registry import rule
from scrubin.validate.rules.splits import FOLD
from scrubin.validate.study import Study

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
