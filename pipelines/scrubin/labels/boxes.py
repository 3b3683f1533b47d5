"""Boxes as shares of the image: top-left corner and size, each in 0..1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scrubin.core.faults import Fault, warning

XYWH = tuple[float, float, float, float]
PIXELS_ABOVE = 2.0


@dataclass(frozen=True)
class Checked:
    """A box that was looked at.

    Parameters
    ----------
    box_xywh
        The box inside the image; None when it cannot be used.
    outside
        By how much it left the image, as a share of its side.
    fault, mend
        What is wrong, or "".
    """

    box_xywh: XYWH | None
    outside: float = 0.0
    fault: str = ""
    mend: str = ""


def check(box_xywh: XYWH, tolerance: float) -> Checked:
    """Return the box cut to the image, or what is wrong with it.

    Real files leave the image by up to 1.2 %, which is drawing and not an error; anything
    beyond ``tolerance`` is more likely pixels or corner coordinates.

    >>> check((0.5, 0.5, 0.4, 0.505), tolerance=0.02).box_xywh
    (0.5, 0.5, 0.4, 0.5)
    >>> check((0.5, 0.5, 0.9, 0.9), tolerance=0.02).mend
    'it looks like two corners; give the width and height instead of the second corner'
    """
    x, y, w, h = box_xywh
    fault = f"box {[round(value, 4) for value in box_xywh]} is not a top-left corner and a size in 0..1"
    if not all(math.isfinite(value) for value in box_xywh):
        return Checked(None, fault=fault, mend="give four finite numbers, or -1 four times where there is no box")
    if w <= 0 or h <= 0:
        return Checked(None, fault=f"{fault}: it has no area", mend="give a width and a height above 0, or remove the box")
    outside = max(-x, -y, x + w - 1, y + h - 1, 0.0)
    if outside > tolerance:
        return Checked(None, fault=f"{fault}: it leaves the image by {outside:.4g}", mend=_mend(box_xywh))
    left, top, right, bottom = max(x, 0.0), max(y, 0.0), min(x + w, 1.0), min(y + h, 1.0)
    if outside > 0:
        return _inside(left, top, right, bottom, outside, fault)
    return Checked(box_xywh)


def inside(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the boxes of ``x, y, w, h`` cut to the image by the rule of `check`, without judging them; null stays null.

    >>> inside(pd.DataFrame({"x": [-0.01], "y": [0.5], "w": [0.21], "h": [0.5000000000000002]})).round(3).to_numpy().tolist()
    [[0.0, 0.5, 0.2, 0.5]]
    """
    x, y, w, h = (rows[side].to_numpy(np.float64) for side in ("x", "y", "w", "h"))
    outside = (x < 0) | (y < 0) | (x + w > 1) | (y + h > 1)
    left, top = np.maximum(x, 0), np.maximum(y, 0)
    right, bottom = np.minimum(x + w, 1), np.minimum(y + h, 1)
    cut = {"x": (left, x), "y": (top, y), "w": (right - left, w), "h": (bottom - top, h)}
    return rows.assign(**{side: np.where(outside, now, before) for side, (now, before) in cut.items()})


def cut_warning(file: str, outside: Sequence[float]) -> tuple[Fault, ...]:
    """Return the warning of boxes that were cut to the image; ``outside`` are the shares by which they left it."""
    what = f"{len(outside)} boxes left the image by at most {max(outside, default=0):.4f} and were cut to it"
    return (warning(file, "box-cut", what),) if outside else ()


def _inside(left: float, top: float, right: float, bottom: float, outside: float, fault: str) -> Checked:
    if right <= left or bottom <= top:
        return Checked(None, fault=f"{fault}: nothing of it is in the image", mend="remove it or draw it again")
    return Checked((left, top, right - left, bottom - top), outside)


def _mend(box_xywh: XYWH) -> str:
    x, y, w, h = box_xywh
    if max(box_xywh) > PIXELS_ABOVE:
        return "it looks like pixels; divide by the width and height of the image"
    if w > x >= 0 and h > y >= 0 and max(w, h) <= 1:
        return "it looks like two corners; give the width and height instead of the second corner"
    return "draw it inside the image"
