"""How well matches of both cameras fit a rig: rows after rectification, and which camera is which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrubin.stereo.matches import Matches
from scrubin.stereo.rectification import Rectification

GATE_SHARE = 15 / 540
"""A match that lies this share of the height off the median row is a wrong match."""
NEAR_PX = 0.5
EXCHANGES = ("swapped", "both mirrored", "both turned by half", "both upside down")


@dataclass(frozen=True)
class Fit:
    """How some matches fit.

    Parameters
    ----------
    offset_px
        Median of the row in the right picture less the row in the left one, after rectification with alpha 0; NaN: no matches.
    p95_px
        95th percentile of its size.
    ahead_share
        Share of the matches that lie before the cameras and not behind them.
    depth_mm
        Median distance of what was matched; NaN when nothing lies before the cameras.
    count
        Of the matches that are not wrong ones.
    """

    offset_px: float
    p95_px: float
    ahead_share: float
    depth_mm: float
    count: int


def fit(way: Rectification, matches: Matches) -> Fit:
    """Return how matches fit a rig."""
    if not len(matches):
        return Fit(np.nan, np.nan, np.nan, np.nan, 0)
    left, right = way.points(matches.left, "left"), way.points(matches.right, "right")
    down = right[:, 1] - left[:, 1]
    kept = np.abs(down - _mode(down, way.rig.height)) <= GATE_SHARE * way.rig.height
    down, disparity = down[kept], (left[:, 0] - right[:, 0])[kept]
    near = disparity[disparity > NEAR_PX]
    length = way.rig.baseline_mm * way.focal_px
    depth = float(np.median(length / near)) if len(near) else np.nan
    p95 = float(np.percentile(np.abs(down), 95))
    return Fit(float(np.median(down)), p95, float((disparity > 0).mean()), depth, int(kept.sum()))


def _mode(down: np.ndarray[tuple[int, ...], np.dtype[np.float64]], height: int) -> float:
    """Return where most rows lie: the median of what is left around the densest place."""
    width = GATE_SHARE * height
    ordered = np.sort(down)
    ends = np.searchsorted(ordered, ordered + width, side="right")
    start = int(np.argmax(ends - np.arange(len(ordered))))
    return float(np.median(ordered[start : ends[start]]))


def exchanged(way: Rectification, matches: Matches) -> dict[str, Fit]:
    """Return how matches would fit if the recordings were exchanged or flipped in one of `EXCHANGES`."""
    size = way.rig.size
    changed = (
        matches.swapped(),
        matches.flipped(size, across=True, down=False),
        matches.flipped(size, across=True, down=True),
        matches.flipped(size, across=False, down=True),
    )
    return {name: fit(way, one) for name, one in zip(EXCHANGES, changed, strict=True)}
