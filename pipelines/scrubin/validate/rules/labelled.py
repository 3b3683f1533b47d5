"""Rules about the frames that somebody labelled: labels lie on them, in the vocabulary and the detail that the table says."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from scrubin.tables.labelled import LayerName
from scrubin.validate.registry import rule
from scrubin.validate.row_joins import among, sizes
from scrubin.validate.study import Study

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
