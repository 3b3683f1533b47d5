"""Rules about what is there twice: pictures and instances."""

from __future__ import annotations

import pandas as pd

from scrubin.validate.registry import rule
from scrubin.validate.rules.labels import BOX
from scrubin.validate.study import Study

PICTURE = ["perceptual_hash", "sharpness", "brightness", "contrast", "saturated_share"]
"""What is measured of a picture, to the last digit: two pictures that agree in all of it are one."""
FLAT_CONTRAST = 4.0
"""Pictures of less contrast (standard deviation of grey) are almost one colour, and alike without being copies."""
INSTANCE = ["id", "frame", "instrument", "verb", "target", *BOX]


VIDEO = ["id", "camera"]
TWIN = ["same_as", "its_camera", "its_frame"]


def _pictures(study: Study, table: str) -> pd.DataFrame:
    """Return the frames that can be told apart, in order, by column ``picture``: which of the different pictures each one is."""
    rows = study.columns(table, *VIDEO, "frame", "source_frame", "redacted", *PICTURE).sort_values([*VIDEO, "frame"], kind="stable")
    shown = rows[~rows["redacted"].fillna(value=True).astype(bool) & (rows["contrast"] >= FLAT_CONTRAST)]
    # Where a video pauses, the frame contract takes one source frame several times.
    shown = shown.drop_duplicates([*VIDEO, "source_frame"])
    shown = shown[shown.duplicated(PICTURE, keep=False)]
    return shown.assign(picture=shown.groupby(PICTURE, sort=False).ngroup())


def _twins(study: Study, table: str, pictures: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return for each frame the next one of its group, the last names the first; missing where it is alone."""
    several = pictures[pictures.duplicated(key, keep=False)]
    named = several.rename(columns=dict(zip([*VIDEO, "frame"], TWIN, strict=True)))[TWIN].astype({"its_frame": "Int64"})
    groups = named.groupby([several[name] for name in key], sort=False)
    return groups.shift(-1).fillna(groups.transform("first")).reindex(study.tables[table].rows.index)


def _elsewhere(study: Study, table: str) -> pd.DataFrame:
    # The first of each picture per video: the rest of a video is the other rule's.
    return _twins(study, table, _pictures(study, table).drop_duplicates([*VIDEO, "picture"]), ["picture"])


def _again(study: Study, table: str) -> pd.DataFrame:
    return _twins(study, table, _pictures(study, table), [*VIDEO, "picture"])


@rule("warning", "no picture of a video is also one of another video", _elsewhere, frames=("perceptual_hash",))
def frame_twice(study: Study, table: str) -> pd.Series[bool]:
    """Find frames whose picture is also in another recording, or seen by the other camera: a copy."""
    return _elsewhere(study, table)["same_as"].notna()


@rule("note", "no picture comes again within its video", _again, frames=("perceptual_hash",))
def frame_repeated(study: Study, table: str) -> pd.Series[bool]:
    """Find frames whose picture is also that of another source frame of their video: it stood still, or was looped."""
    return _again(study, table)["same_as"].notna()


@rule("error", "no instance with a box is there twice in a frame", triplets=("instrument", "verb", "target", *BOX))
def instance_twice(study: Study, table: str) -> pd.Series[bool]:
    """Find instances that agree with another one of their frame in everything, box included.

    Without boxes, two graspers that do the same are two equal rows, and right.
    """
    left = study.columns(table, *BOX)["x"]
    # Few boxes start at the same place, so that only those are compared in full.
    same = left.notna() & left.duplicated(keep=False)
    few = study.columns(table, *INSTANCE)[same]
    return few.duplicated(keep=False).reindex(left.index, fill_value=False)
