"""Boxes as shares of the image, top-left corner with size, each in 0..1: where they are judged or cut."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.faults import Fault, warning

XYWH = tuple[float, float, float, float]
PIXELS_ABOVE = 2.0
SMALLEST_IMAGE = 10
"""An image this small has boxes of less than a pixel; in others they are shares of the image."""


def check(box_xywh: XYWH, tolerance: float) -> Fault | None:
    """Return what is wrong with a box, or None: it stays as it was drawn, so that it can be written back.

    Real files leave the image by up to 1.2 %, which is drawing and not an error; anything
    beyond ``tolerance`` is more likely pixels or corner coordinates.

    >>> check((0.5, 0.5, 0.4, 0.505), tolerance=0.02) is None
    True
    >>> check((0.5, 0.5, 0.9, 0.9), tolerance=0.02).fix
    'it looks like two corners; give the width and height instead of the second corner'
    """
    x, y, w, h = box_xywh
    if 0 <= x < x + w <= 1 and 0 <= y < y + h <= 1:
        return None  # as nearly all are
    what = f"box {[round(value, 4) for value in box_xywh]} is not a top-left corner and a size in 0..1"
    if not all(math.isfinite(value) for value in box_xywh):
        return Fault("", "box-form", what, "give four finite numbers, or -1 four times where there is no box")
    if w <= 0 or h <= 0:
        return Fault("", "box-form", f"{what}: it has no area", "give a width and a height above 0, or remove the box")
    outside = max(-x, -y, x + w - 1, y + h - 1, 0.0)
    if outside > tolerance:
        rule, fix = _likely(box_xywh)
        return Fault("", rule, f"{what}: it leaves the image by {outside:.4g}", fix)
    if min(x + w, 1.0) <= max(x, 0.0) or min(y + h, 1.0) <= max(y, 0.0):
        return Fault("", "box-outside", f"{what}: nothing of it is in the image", "remove it or draw it again")
    return None


def inside(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the boxes of ``x, y, w, h`` cut to the image, without judging them; null stays null.

    >>> inside(pd.DataFrame({"x": [-0.01], "y": [0.5], "w": [0.21], "h": [0.5000000000000002]})).round(3).to_numpy().tolist()
    [[0.0, 0.5, 0.2, 0.5]]
    """
    x, y, w, h = (rows[side].to_numpy(np.float64) for side in ("x", "y", "w", "h"))
    is_outside = (x < 0) | (y < 0) | (x + w > 1) | (y + h > 1)
    left, top = np.maximum(x, 0), np.maximum(y, 0)
    right, bottom = np.minimum(x + w, 1), np.minimum(y + h, 1)
    cut = {"x": (left, x), "y": (top, y), "w": (right - left, w), "h": (bottom - top, h)}
    return rows.assign(**{side: np.where(is_outside, now, before) for side, (now, before) in cut.items()})


def outside(rows: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return by how much each box leaves the image, as a share of its side: (rows,), 0 for most, and where there is no box."""
    x, y, w, h = (rows[side].to_numpy(np.float64) for side in ("x", "y", "w", "h"))
    shares: npt.NDArray[np.float64] = np.max([-x, -y, x + w - 1, y + h - 1, np.zeros_like(x)], axis=0)
    return np.nan_to_num(shares, nan=0.0)


def cut_warning(file: str, rows: pd.DataFrame) -> tuple[Fault, ...]:
    """Return the warning of the boxes that `inside` cuts, none when there are none."""
    shares = outside(rows)
    what = f"{int((shares > 0).sum())} boxes left the image by at most {shares.max(initial=0):.4f} and were cut to it"
    return (warning(file, "box-cut", what),) if (shares > 0).any() else ()


def _likely(box_xywh: XYWH) -> tuple[str, str]:
    """Return rule and fix of a box that leaves the image: what it probably is."""
    x, y, w, h = box_xywh
    if max(box_xywh) > PIXELS_ABOVE:
        return "box-form", "it looks like pixels; divide by the width and height of the image"
    if w > x >= 0 and h > y >= 0 and max(w, h) <= 1:
        return "box-form", "it looks like two corners; give the width and height instead of the second corner"
    return "box-outside", "draw it inside the image"
