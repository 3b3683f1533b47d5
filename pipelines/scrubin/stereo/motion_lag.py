"""The lag between both cameras from what moves up and down: a late camera shows it lower or higher than it should be.

Where the right camera is ``tau`` frames late, a point that moves down by ``v`` rows a frame lies ``tau * v`` rows too high
in its picture. The rig's own errors depend on where a point lies, and not on how it moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.stereo.epipolar import GATE_SHARE
from scrubin.stereo.matches import Matches
from scrubin.stereo.rectification import Rectification, opencv
from scrubin.stereo.rig import Matrix

Picture = npt.NDArray[np.uint8]
FEWEST, FEWEST_PAIRS = 60, 4
LEAST_SPEED_PX = 0.1
"""When points move up and down by less than this per frame, pictures do not say which frame they are of."""
TRIMS, TRIM_SIGMAS = 4, 3.0


@dataclass(frozen=True)
class MotionLag:
    """How far the right camera is behind, as what moves up and down has it.

    Parameters
    ----------
    frames
        As `scrubin.stereo.timing.Lag`; NaN when too little moves up and down.
    error
        Standard error, by leaving out one pair after the other.
    """

    frames: float
    error: float


UNKNOWN = MotionLag(np.nan, np.nan)


def speeds(way: Rectification, now: Picture, then: Picture, points: Matrix) -> Matrix:
    """Return by how many rectified rows points of the left picture move down until the next frame; NaN where they are lost.

    Parameters
    ----------
    now, then
        Two consecutive pictures of the left camera, (height, width, 3).
    points
        (n, 2), column and row in the first one.
    """
    if not len(points):
        return np.zeros(0)
    cv2 = opencv()
    greys = [cv2.cvtColor(one, cv2.COLOR_BGR2GRAY) for one in (now, then)]
    start = points[:, None].astype(np.float32)
    moved, kept, _ = cv2.calcOpticalFlowPyrLK(*greys, start, None, winSize=(15, 15), maxLevel=3)
    end = np.asarray(moved, dtype=np.float64).reshape(-1, 2)
    down: Matrix = way.points(end, "left")[:, 1] - way.points(points, "left")[:, 1]
    return np.where(np.ravel(kept) == 1, down, np.nan)


def motion_lag(way: Rectification, pairs: list[tuple[Matches, Matrix]]) -> MotionLag:
    """Return the lag of the right camera from the matches of some pairs, and how fast each of their points moves."""
    rows = [_rows(way, matches, speed, place) for place, (matches, speed) in enumerate(pairs) if len(matches)]
    if not rows:
        return UNKNOWN
    table = np.concatenate(rows)
    table = table[np.isfinite(table).all(axis=1)]
    places = np.unique(table[:, 0])
    if len(table) < FEWEST or len(places) < FEWEST_PAIRS or np.median(np.abs(table[:, 2])) < LEAST_SPEED_PX:
        return UNKNOWN
    left_out = np.array([_slope(table[table[:, 0] != place]) for place in places])
    count = len(places)
    error = np.sqrt((count - 1) / count * ((left_out - left_out.mean()) ** 2).sum())
    return MotionLag(-_slope(table), float(error))


def _rows(way: Rectification, matches: Matches, speed: Matrix, place: int) -> Matrix:
    """Return pair, rows too low, speed, and where the point is; shape (n, 6)."""
    left, right = way.points(matches.left, "left"), way.points(matches.right, "right")
    down = right[:, 1] - left[:, 1]
    size = np.array(way.rig.size)
    kept = np.abs(down - np.median(down)) <= GATE_SHARE * way.rig.height
    table = np.column_stack([np.full(len(down), place), down, speed, left / size - 0.5, (left[:, 0] - right[:, 0]) / size[0]])
    return table[kept]


def _slope(table: Matrix) -> float:
    """Return by how many rows a point is too low for each row of its speed, the same for all places of the picture."""
    down, speed, x, y, near = table[:, 1], *table[:, 2:].T
    design = np.column_stack([speed, np.ones(len(x)), x, y, near, x * y, x * x, y * y])
    kept = np.ones(len(down), np.bool_)
    solution = np.zeros(design.shape[1])
    for _ in range(TRIMS):
        solution = np.linalg.lstsq(design[kept], down[kept], rcond=None)[0]
        off = np.abs(down - design @ solution)
        kept = off <= TRIM_SIGMAS * 1.4826 * np.median(off) + 1e-9
    return float(solution[0])
