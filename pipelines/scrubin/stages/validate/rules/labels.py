"""Rules about what is labelled: frames, boxes, spans, instances, each once."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from scrubin.base.tables.public import LayerName
from scrubin.stages.validate.near_duplicates import FLAT_CONTRAST
from scrubin.stages.validate.registry import rule
from scrubin.stages.validate.study_tables import Study, among, sizes

BOX = ("x", "y", "w", "h")
ROUNDING = 1e-6
"""A box that ends this far outside (share of the image) still ends at the edge: label files round to six digits."""


@rule("error", "every box lies inside the image", triplets=BOX)
def box_inside_image(study: Study, table: str) -> pd.Series[bool]:
    """Find boxes that begin or end outside the image."""
    box = study.columns(table, *BOX)
    right, bottom = box["x"] + box["w"], box["y"] + box["h"]
    return (box["x"] < 0) | (box["y"] < 0) | (right > 1 + ROUNDING) | (bottom > 1 + ROUNDING)


@rule("error", "every box has four numbers, a width and a height", triplets=BOX)
def box_not_degenerate(study: Study, table: str) -> pd.Series[bool]:
    """Find boxes of no area and boxes of which a number is missing."""
    box = study.columns(table, *BOX)
    there = box.notna()
    return (there.any(axis=1) & ~there.all(axis=1)) | (box["w"] <= 0) | (box["h"] <= 0)


@rule("error", "every span ends after it starts", spans=("start_frame", "end_frame"))
def span_in_order(study: Study, table: str) -> pd.Series[bool]:
    """Find spans without a frame."""
    spans = study.columns(table, "start_frame", "end_frame")
    return spans["end_frame"] <= spans["start_frame"]


LAYER_OF: Mapping[str, LayerName] = {"triplets": "instances", "spans": "instances", "phases": "phases"}


@rule(
    "error",
    "every label lies on a labelled frame, and is of its vocabulary",
    triplets=("frame", "vocabulary"),
    phases=("frame", "vocabulary"),
    spans=("start_frame", "end_frame", "vocabulary"),
)
def label_in_labelled_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find labels of frames that nobody labelled, or not in this vocabulary; for spans, of their first or their last frame."""
    labelled = study.columns("labelled", "id", "layer", "frame", "vocabulary")
    known = labelled.loc[labelled["layer"] == LAYER_OF[table], ["id", "frame", "vocabulary"]]
    if table != "spans":
        return ~among(study.columns(table, *known.columns), known)
    spans = study.columns(table, "id", "start_frame", "end_frame", "vocabulary")
    first, last = (spans[["id", "vocabulary"]].assign(frame=frame) for frame in (spans["start_frame"], spans["end_frame"] - 1))
    return ~(among(first[known.columns], known) & among(last[known.columns], known))


@rule("error", "every frame of which the phase was labelled has a phase", labelled=("layer", "frame"))
def labelled_frame_has_phase(study: Study, table: str) -> pd.Series[bool]:
    """Find frames whose phase was labelled and is missing: unlike instruments, there always is one."""
    rows = study.columns(table, "id", "layer", "frame")
    return (rows["layer"] == "phases") & ~among(rows[["id", "frame"]], study.columns("phases", "id", "frame"))


@rule("error", "the vocabulary of a labelled frame is a known one, and the only one of its recording and layer", labelled=("vocabulary",))
def one_vocabulary_per_layer(study: Study, table: str) -> pd.Series[bool]:
    """Find labelled frames of layers that have several vocabularies, or one that nobody knows."""
    rows = study.columns(table, "id", "layer", "vocabulary")
    return (sizes(rows, ["id", "layer"], "vocabulary") > 1) | ~rows["vocabulary"].isin(list(study.vocabularies))


@rule(
    "error",
    "labelled frames say what was labelled of an instance, the same in a recording; of phases there is no detail",
    labelled=("detail",),
)
def one_detail_per_recording(study: Study, table: str) -> pd.Series[bool]:
    """Find labelled instances without a detail, or with several in a recording, and phases with one."""
    rows = study.columns(table, "id", "layer", "detail")
    return (rows["detail"].notna() != (rows["layer"] == "instances")) | (sizes(rows, ["id", "layer"], "detail") > 1)


PICTURE = ["perceptual_hash", "sharpness", "brightness", "contrast", "saturated_share"]
"""What is measured of a picture, to the last digit: two pictures that agree in all of it are one."""


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
