"""Rules about boxes, spans and phases."""

from __future__ import annotations

import pandas as pd

from scrubin.validate.rules.registry import rule
from scrubin.validate.rules.rows import sizes
from scrubin.validate.study import Study

BOX = ("x", "y", "w", "h")
ROUNDING = 1e-6
"""A box that ends this far outside (share of the image) still ends at the edge: label files round to six digits."""


@rule("every box lies inside the image", triplets=BOX)
def box_inside_image(study: Study, table: str) -> pd.Series[bool]:
    """Find boxes that begin or end outside the image."""
    box = study.columns(table, *BOX)
    right, bottom = box["x"] + box["w"], box["y"] + box["h"]
    return (box["x"] < 0) | (box["y"] < 0) | (right > 1 + ROUNDING) | (bottom > 1 + ROUNDING)


@rule("every box has four numbers, a width and a height", triplets=BOX)
def box_not_degenerate(study: Study, table: str) -> pd.Series[bool]:
    """Find boxes of no area and boxes of which a number is missing."""
    box = study.columns(table, *BOX)
    given = box.notna()
    return (given.any(axis=1) & ~given.all(axis=1)) | (box["w"] <= 0) | (box["h"] <= 0)


@rule("every span ends after it starts", spans=("start_frame", "end_frame"))
def span_in_order(study: Study, table: str) -> pd.Series[bool]:
    """Find spans without a frame."""
    spans = study.columns(table, "start_frame", "end_frame")
    return spans["end_frame"] <= spans["start_frame"]


@rule("every frame has one phase", phases=("phase",))
def one_phase_per_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find frames with two different phases."""
    return sizes(study.columns(table, "id", "frame", "phase"), ["id", "frame"], "phase") > 1


@rule("no phase comes and goes within a few frames", phases=("phase",))
def phase_flicker(study: Study, table: str) -> pd.Series[bool]:
    """Find the frames of runs of at most ``flicker_frames``, with another phase right before and right after them."""
    rows = study.columns(table, "id", "frame", "phase").sort_values(["id", "frame"], kind="stable")
    before, after = rows.shift(1), rows.shift(-1)
    starts = (rows["id"] != before["id"]) | (rows["frame"] != before["frame"] + 1) | (rows["phase"] != before["phase"])
    # At the start or end of a recording, and beside a gap, nobody knows how long the phase really was.
    cut_start = starts & ((rows["id"] != before["id"]) | (rows["frame"] != before["frame"] + 1))
    cut_end = (rows["id"] != after["id"]) | (rows["frame"] + 1 != after["frame"])
    run = starts.cumsum()
    length = run.map(run.value_counts())
    cut = (cut_start | cut_end).groupby(run).transform("any")
    return ((length <= study.flicker_frames) & ~cut).reindex(study.tables[table].rows.index)
