"""Rectified pairs: both pictures turned so that what is seen lies in the same row of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from scrubin.core import extras
from scrubin.stereo.rig import Camera, Matrix, Rig

Side = Literal["left", "right"]
Map = npt.NDArray[np.float32]
# Strong lenses need more steps than OpenCV's five until a point is where it belongs.
STEPS, STEP_PX = 100, 1e-9


@dataclass(frozen=True, eq=False)
class Rectification:
    """How the pictures of a rig are rectified.

    Parameters
    ----------
    rig
        Whose pictures.
    alpha
        0: only what both cameras see everywhere, no black border; 1: every pixel of the pictures, with black borders.
    turns
        (3, 3) rotation of each camera by side: R1 and R2 of OpenCV.
    projections
        (3, 4) projection of each rectified camera by side, in pixels and the rig's unit: P1 and P2.
    depth
        (4, 4), from column, row and disparity to a point in the rig's unit: Q.
    """

    rig: Rig
    alpha: float
    turns: dict[Side, Matrix]
    projections: dict[Side, Matrix]
    depth: Matrix

    @property
    def focal_px(self) -> float:
        """Focal length of both rectified cameras."""
        return float(self.projections["left"][0, 0])

    def maps(self, side: Side) -> tuple[Map, Map]:
        """Return from which column and row of the recorded picture each pixel comes; each of shape (height, width)."""
        cv2 = opencv()
        camera = self.camera(side)
        turn, projection = self.turns[side], self.projections[side]
        x, y = cv2.initUndistortRectifyMap(camera.matrix, camera.distortion, turn, projection, self.rig.size, cv2.CV_32FC1)
        return np.asarray(x, dtype=np.float32), np.asarray(y, dtype=np.float32)

    def points(self, points: Matrix, side: Side) -> Matrix:
        """Return where points of a recorded picture lie in the rectified one; both of shape (n, 2), column and row."""
        if not len(points):
            return np.zeros((0, 2))
        cv2 = opencv()
        camera = self.camera(side)
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, STEPS, STEP_PX)
        moved = cv2.undistortPoints(
            np.ascontiguousarray(points[:, None, :], dtype=np.float64),
            camera.matrix,
            camera.distortion,
            R=self.turns[side],
            P=self.projections[side],
            criteria=criteria,
        )
        return np.asarray(moved, dtype=np.float64).reshape(-1, 2)

    def camera(self, side: Side) -> Camera:
        """Return the camera of a side."""
        return self.rig.left if side == "left" else self.rig.right

    def as_entries(self) -> dict[str, Matrix | float]:
        """Return it under OpenCV's names, to be written beside the rig."""
        matrices: dict[str, Matrix | float] = {"R1": self.turns["left"], "R2": self.turns["right"]}
        return matrices | {"P1": self.projections["left"], "P2": self.projections["right"], "Q": self.depth, "alpha": self.alpha}


def rectification(rig: Rig, alpha: float) -> Rectification:
    """Return how the pictures of a rig are rectified, at their own size.

    Points at infinity have disparity 0, nearer ones a positive one: column of the left picture less column of the right.

    Raises
    ------
    ValueError
        When ``alpha`` is not from 0 to 1: OpenCV's -1 differs between its versions.
    """
    if not 0 <= alpha <= 1:
        msg = f"alpha is from 0 (no black border) to 1 (no pixel lost), not {alpha:g}"
        raise ValueError(msg)
    cv2 = opencv()
    left, right, flags = rig.left, rig.right, cv2.STEREO_ZERO_DISPARITY
    cameras = (left.matrix, left.distortion, right.matrix, right.distortion)
    solved = cv2.stereoRectify(*cameras, rig.size, rig.rotation, rig.translation[:, None], flags=flags, alpha=float(alpha))
    r1, r2, p1, p2, q = (np.asarray(one, dtype=np.float64) for one in solved[:5])
    return Rectification(rig, float(alpha), {"left": r1, "right": r2}, {"left": p1, "right": p2}, q)


def rectified(picture: npt.NDArray[np.uint8], maps: tuple[Map, Map]) -> npt.NDArray[np.uint8]:
    """Return a picture rectified; where the camera saw nothing it is black.

    Parameters
    ----------
    picture
        (height, width) or (height, width, channels).
    maps
        Of its side, see `Rectification.maps`.
    """
    cv2 = opencv()
    return np.asarray(cv2.remap(picture, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), dtype=np.uint8)


def seen(maps: tuple[Map, Map]) -> npt.NDArray[np.bool_]:
    """Return which pixels of a rectified picture the camera saw; shape (height, width)."""
    x, y = maps
    height, width = x.shape
    inside: npt.NDArray[np.bool_] = (x >= 0) & (y >= 0) & (x <= width - 1) & (y <= height - 1)
    return inside


def opencv() -> Any:
    """Return OpenCV.

    Raises
    ------
    ImportError
        When it is not installed; says what to install.
    """
    extras.require("cv2", "rectifying pictures")
    import cv2

    return cv2
