"""The same points in both pictures of a pair, by features that are compared both ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.stereo.rectification import opencv
from scrubin.stereo.rig import Matrix

Picture = npt.NDArray[np.uint8]
MOST_FEATURES = 1200
CONTRAST = 0.02
RATIO = 0.75
"""A match is taken when its features are this much nearer than the next best ones."""


@dataclass(frozen=True, eq=False)
class Matches:
    """Points of both pictures of some pairs.

    Parameters
    ----------
    left, right
        (n, 2), column and row in the recorded pictures.
    """

    left: Matrix
    right: Matrix

    def __len__(self) -> int:
        """Return the number of matches."""
        return len(self.left)

    def swapped(self) -> Matches:
        """Return the matches as if both cameras were exchanged."""
        return Matches(self.right, self.left)

    def flipped(self, size: tuple[int, int], *, across: bool, down: bool, left: bool = True, right: bool = True) -> Matches:
        """Return the matches as if pictures had not been flipped, left to right or top to bottom."""
        far = np.array(size, dtype=np.float64) - 1
        flips = np.array([across, down])

        def back(points: Matrix) -> Matrix:
            return np.where(flips, far - points, points)

        return Matches(back(self.left) if left else self.left, back(self.right) if right else self.right)

    @classmethod
    def of_all(cls, parts: list[Matches]) -> Matches:
        """Return all matches of some pairs as one."""
        if not parts:
            return cls(np.zeros((0, 2)), np.zeros((0, 2)))
        return cls(np.concatenate([one.left for one in parts]), np.concatenate([one.right for one in parts]))


@dataclass(frozen=True, eq=False)
class Features:
    """Points of a picture, (n, 2), and what each looks like."""

    points: Matrix
    looks: npt.NDArray[np.float32]


def features(picture: Picture) -> Features:
    """Return the features of a picture of shape (height, width, 3)."""
    cv2 = opencv()
    finder = cv2.SIFT_create(nfeatures=MOST_FEATURES, contrastThreshold=CONTRAST)
    keys, looks = finder.detectAndCompute(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), None)
    return Features(np.array([key.pt for key in keys], dtype=np.float64).reshape(-1, 2), looks)


def matches(left: Features, right: Features) -> Matches:
    """Return points that both pictures of a pair show."""
    if min(len(left.points), len(right.points)) < 2:
        return Matches(np.zeros((0, 2)), np.zeros((0, 2)))
    matcher = opencv().BFMatcher(opencv().NORM_L2)
    there = {one.queryIdx: one.trainIdx for one in _clear(matcher.knnMatch(left.looks, right.looks, k=2))}
    back = {one.queryIdx: one.trainIdx for one in _clear(matcher.knnMatch(right.looks, left.looks, k=2))}
    mutual = sorted((a, b) for a, b in there.items() if back.get(b) == a)
    chosen = np.array(mutual, dtype=np.int64).reshape(-1, 2)
    return Matches(left.points[chosen[:, 0]], right.points[chosen[:, 1]])


def _clear(pairs: Any) -> list[Any]:
    return [one[0] for one in pairs if len(one) == 2 and one[0].distance < RATIO * one[1].distance]
