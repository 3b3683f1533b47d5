"""Rules about boxes and spans."""

from __future__ import annotations

import pandas as pd

from scrubin.validate.registry import rule
from scrubin.validate.study import Study

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
