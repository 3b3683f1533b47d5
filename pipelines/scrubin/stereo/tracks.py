"""How points that both cameras of a rig see move through some consecutive frames, row and column after rectification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.stereo.matches import Matches, Picture
from scrubin.stereo.rectification import Rectification, Side, opencv

Paths = npt.NDArray[np.float64]
ENOUGH_POINTS, MOST_POINTS = 120, 200
WINDOW, LEVELS = (15, 15), 3
MOST_DIFFERENCE = 14.0
"""Mean difference of grey levels beyond which a point is not the one that was followed."""


@dataclass(frozen=True, eq=False)
class Tracks:
    """Where points lie in consecutive frames.

    Parameters
    ----------
    left, right
        (points, frames, 2), column and row in rectified pictures of each camera; NaN where a point is lost.
    """

    left: Paths
    right: Paths


def tracks(way: Rectification, greys: tuple[Sequence[Picture], Sequence[Picture]], own: Mapping[int, Matches]) -> Tracks:
    """Follow what both cameras see in some frames to the frames before and behind them, in each camera by itself.

    Parameters
    ----------
    greys
        Consecutive pictures of the left and of the right camera, (height, width).
    own
        Matches of some of these pictures, by their place; those of the middle are taken first, the others while points lack.
    """
    count, paths = len(greys[0]), [(np.zeros((0, len(greys[0]), 2)), np.zeros((0, len(greys[0]), 2)))]
    for start in sorted(own, key=lambda place: abs(2 * place - count)):
        have = sum(len(left) for left, _ in paths)
        if have < ENOUGH_POINTS:
            chosen = np.unique(np.linspace(0, len(own[start]) - 1, min(len(own[start]), MOST_POINTS)).astype(np.int64))
            left = _rectified(way, "left", _followed(greys[0], own[start].left[chosen], start))
            paths.append((left, _rectified(way, "right", _followed(greys[1], own[start].right[chosen], start))))
    return Tracks(np.concatenate([left for left, _ in paths]), np.concatenate([right for _, right in paths]))


def _rectified(way: Rectification, side: Side, paths: Paths) -> Paths:
    flat = paths.reshape(-1, 2)
    known = np.isfinite(flat).all(axis=1)
    flat[known] = way.points(flat[known], side)
    return flat.reshape(paths.shape)


def _followed(pictures: Sequence[Picture], points: npt.NDArray[np.float64], start: int) -> Paths:
    """Return the points in all pictures, each found by what it looks like in the first one: errors do not add up."""
    paths = np.full((len(points), len(pictures), 2), np.nan)
    if not len(points):
        return paths
    cv2 = opencv()
    paths[:, start] = points
    origin = points[:, None].astype(np.float32)
    for way in (range(start + 1, len(pictures)), range(start - 1, -1, -1)):
        last, alive = origin.copy(), np.ones(len(points), np.bool_)
        for number in way:
            found, kept, off = cv2.calcOpticalFlowPyrLK(
                pictures[start],
                pictures[number],
                origin,
                last.copy(),
                winSize=WINDOW,
                maxLevel=LEVELS,
                flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
            )
            alive &= (np.ravel(kept) == 1) & (np.ravel(off) <= MOST_DIFFERENCE)
            if not alive.any():
                break
            last = np.asarray(found, dtype=np.float32)
            paths[alive, number] = last.reshape(-1, 2)[alive]
    return paths
