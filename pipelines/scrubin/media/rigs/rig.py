"""A stereo rig: how the right camera stands to the left one, how pairs are rectified by it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from scrubin.base import machine
from scrubin.base.pixels import Box

Matrix = npt.NDArray[np.float64]
CONVENTION = "X_right = R X_left + t"
MODELS = {4: "radial-tangential", 5: "radial-tangential", 8: "rational", 12: "thin-prism", 14: "tilted"}
"""OpenCV's models of a lens, by the number of their coefficients: k1 k2 p1 p2 [k3 [k4 k5 k6 [s1 s2 s3 s4 [tx ty]]]]."""
MM_PER_UNIT = {"mm": 1.0, "cm": 10.0, "m": 1000.0}
BEST_ASPECT_SHARE = 0.01
FEWEST_PX = 16
"""Of the shorter side of pictures: of smaller ones rows and shapes say nothing."""
# Strong lenses need more steps than OpenCV's five until a point is where it belongs.
STEPS, STEP_PX = 100, 1e-9
MOST_OFF_PX = 0.5
"""A point that comes back from the scene further off than this has no place there: the lens model folds before it."""
MOST_FOLDED_SHARE = 0.01
"""Of a picture: where its lens model folds in less, in the last corners, it serves; labels there are left out."""
WAY_STEPS, NEWTON_STEPS, MOST_MISSING = 32, 10, 1e-7
"""From the middle to a place, and how far from its goal a ray may end, at distance 1."""
LOOKS = 128
"""At so many places between the middle and a ray it is looked whether the lens model folds: what does between two of them moves nothing."""
GRID = (49, 37)
"""Places along and across a picture at which its lens model is looked at."""


@dataclass(frozen=True, eq=False)
class Camera:
    """One camera.

    Parameters
    ----------
    matrix
        (3, 3), in pixels; the centre of the first pixel is (0, 0).
    distortion
        (4,), (5,), (8,), (12,) or (14,), see `MODELS`.
    """

    matrix: Matrix
    distortion: Matrix

    def scaled(self, x: float, y: float) -> Camera:
        """Return the camera of pictures that are ``x`` times as wide and ``y`` times as high.

        Pictures are resized from edge to edge, as OpenCV and ffmpeg do: the outer edge of the first pixel, at -0.5, stays.
        """
        scale = np.array([[x, 0.0, (x - 1) / 2], [0.0, y, (y - 1) / 2], [0.0, 0.0, 1.0]])
        return replace(self, matrix=scale @ self.matrix)

    def cropped(self, left: int, top: int) -> Camera:
        """Return the camera of pictures from which ``left`` columns and ``top`` rows were cut off."""
        shift = np.array([[0.0, 0.0, left], [0.0, 0.0, top], [0.0, 0.0, 0.0]])
        return replace(self, matrix=self.matrix - shift)

    def rays(self, points: Matrix) -> Matrix:
        """Return where points of the picture lie at distance 1; both of shape (n, 2). NaN for those before which the lens model folds.

        From the middle, where nothing is bent, to each ray nothing is mirrored; the steps to it may have jumped over a shallow fold.
        """
        goals = _through(np.asarray(np.linalg.inv(self.matrix @ self._tilt), np.float64), points)
        rays = np.zeros(goals.shape)
        with np.errstate(all="ignore"):
            for share in np.linspace(0, 1, WAY_STEPS + 1)[1:]:
                for _ in range(NEWTON_STEPS):
                    missing = self._missing(rays, share * goals)
                    rays = rays + missing
                    if not (np.abs(missing) > MOST_MISSING).any():
                        break
                is_there = (np.abs(missing) <= MOST_MISSING).all(axis=1)
                rays[~is_there | (self._areas(rays) <= 0)] = np.nan
            for share in np.linspace(0, 1, LOOKS, endpoint=False)[1:]:
                rays[self._areas(share * rays) <= 0] = np.nan
        return rays

    def recorded(self, rays: Matrix) -> Matrix:
        """Return where points at distance 1 lie in the picture; both of shape (n, 2)."""
        with np.errstate(all="ignore"):
            bent, _ = self._bent(rays)
            return _through(self.matrix @ self._tilt, bent)

    def folded_share(self, size: tuple[int, int]) -> float:
        """Return in what share of pictures of this size the lens model folds: places there have no ray, or several; 0 where it does not."""
        places = (np.linspace(0, 1, count) for count in GRID)
        grid = np.stack(np.meshgrid(*places, indexing="ij"), axis=-1).reshape(-1, 2)
        # What lies at the border stands for half as much of the picture as what lies inside.
        weights = np.where((grid == 0) | (grid == 1), 0.5, 1.0).prod(axis=1)
        is_folded = np.isnan(self.rays(grid * np.array(size, dtype=np.float64) - 0.5)).any(axis=1)
        return math.fsum(weights[is_folded]) / math.fsum(weights)

    def _missing(self, rays: Matrix, goals: Matrix) -> Matrix:
        """Return by how much rays, (n, 2), are to be changed, so that they are bent to their goals: a step of Newton's method."""
        bent, ((xx, xy), (yx, yy)) = self._bent(rays)
        x, y = (goals - bent).T
        return np.column_stack([yy * x - xy * y, xx * y - yx * x]) / (xx * yy - xy * yx)[:, None]

    def _areas(self, rays: Matrix) -> Matrix:
        """Return how large the surroundings of each ray are once they are bent, (n,): 1 in the middle, negative where they are mirrored."""
        _, ((xx, xy), (yx, yy)) = self._bent(rays)
        areas: Matrix = xx * yy - xy * yx
        return areas

    def _bent(self, rays: Matrix) -> tuple[Matrix, tuple[tuple[Matrix, Matrix], tuple[Matrix, Matrix]]]:
        """Return where the lens bends rays, (n, 2), and how x and y of that change with x and y of the ray; OpenCV's polynomial."""
        k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4, *_ = np.pad(self.distortion, (0, max(MODELS) - len(self.distortion)))
        x, y = rays.T
        r = x * x + y * y
        below = 1 + r * (k4 + r * (k5 + r * k6))
        radial = (1 + r * (k1 + r * (k2 + r * k3))) / below
        slope = (k1 + r * (2 * k2 + 3 * r * k3) - radial * (k4 + r * (2 * k5 + 3 * r * k6))) / below
        bent_x = x * radial + 2 * p1 * x * y + p2 * (r + 2 * x * x) + r * (s1 + r * s2)
        bent_y = y * radial + p1 * (r + 2 * y * y) + 2 * p2 * x * y + r * (s3 + r * s4)
        mixed = 2 * (x * y * slope + p1 * x + p2 * y)
        prism_x, prism_y = 2 * (s1 + 2 * r * s2), 2 * (s3 + 2 * r * s4)
        by_x = radial + 2 * x * x * slope + 2 * p1 * y + 6 * p2 * x + x * prism_x, mixed + y * prism_x
        by_y = mixed + x * prism_y, radial + 2 * y * y * slope + 6 * p1 * y + 2 * p2 * x + y * prism_y
        return np.column_stack([bent_x, bent_y]), (by_x, by_y)

    @property
    def _tilt(self) -> Matrix:
        """How a sensor that is not upright, of 14 coefficients, shows what was bent: (3, 3)."""
        tx, ty = self.distortion[-2:] if len(self.distortion) == max(MODELS) else (0.0, 0.0)
        about_x = np.array([[1, 0, 0], [0, np.cos(tx), np.sin(tx)], [0, -np.sin(tx), np.cos(tx)]])
        about_y = np.array([[np.cos(ty), 0, -np.sin(ty)], [0, 1, 0], [np.sin(ty), 0, np.cos(ty)]])
        turn: Matrix = about_y @ about_x
        onto = np.array([[turn[2, 2], 0, -turn[0, 2]], [0, turn[2, 2], -turn[1, 2]], [0, 0, 1]])
        return np.asarray(onto @ turn, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Rig:
    """A calibrated stereo rig; a point of the left camera lies at ``rotation @ point + translation`` for the right one.

    Parameters
    ----------
    left, right
        The cameras.
    rotation, translation
        (3, 3) and (3,), the latter in ``unit``.
    width, height
        Of the pictures that the cameras' matrices are for, in pixels.
    unit
        A key of `MM_PER_UNIT`.
    date
        When it was calibrated, as its owner states: a year, a month or a day; "" where nobody says.
    recordings
        Which recordings it belongs to; empty where nobody says.
    """

    left: Camera
    right: Camera
    rotation: Matrix
    translation: Matrix
    width: int
    height: int
    unit: str
    date: str = ""
    recordings: tuple[str, ...] = ()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the pictures."""
        return self.width, self.height

    @property
    def model(self) -> str:
        """Model of the lenses, a value of `MODELS`."""
        return MODELS[max(len(self.left.distortion), len(self.right.distortion))]

    @property
    def baseline_mm(self) -> float:
        """Distance of both cameras."""
        return float(np.linalg.norm(self.translation)) * MM_PER_UNIT[self.unit]

    @property
    def angle_deg(self) -> float:
        """Angle by which the cameras are turned to one another."""
        return float(np.degrees(np.arccos(np.clip((np.trace(self.rotation) - 1) / 2, -1, 1))))

    @property
    def right_centre(self) -> Matrix:
        """Where the right camera stands, as the left one sees it; shape (3,), in ``unit``."""
        centre: Matrix = -self.rotation.T @ self.translation
        return centre

    def scaled(self, width: int, height: int) -> Rig:
        """Return the rig of the same pictures at another size.

        Raises
        ------
        ValueError
            When the shape differs by more than rounding: then something was cut off, which `cropped` is for; when nothing would be left.
        """
        x, y = width / self.width, height / self.height
        if abs(x / y - 1) > max(BEST_ASPECT_SHARE, 2 / min(width, height)):
            raise ValueError(f"pictures of {self.width}x{self.height} resized to {width}x{height} would be of another shape; crop first")
        if min(width, height) < FEWEST_PX:
            raise ValueError(f"pictures of {width}x{height} are too small to be rectified: each side has {FEWEST_PX} pixels or more")
        return replace(self, left=self.left.scaled(x, y), right=self.right.scaled(x, y), width=width, height=height)

    def cropped(self, box: Box) -> Rig:
        """Return the rig of a part of both pictures: left, top, width and height in pixels.

        Raises
        ------
        ValueError
            When the rectangle reaches beyond the picture, or does not hold both optical centres.
        """
        x, y, width, height = box
        if min(x, y) < 0 or min(width, height) < 1 or x + width > self.width or y + height > self.height:
            raise ValueError(f"{x},{y},{width},{height} reaches beyond pictures of {self.width}x{self.height} pixels")
        left, right = self.left.cropped(x, y), self.right.cropped(x, y)
        for side, camera in (("left", left), ("right", right)):
            own = camera.matrix[:2, 2]
            if not ((own > 0) & (own < (width, height))).all():
                centre = f"{own[0] + x:.0f}, {own[1] + y:.0f}"
                raise ValueError(f"{x},{y},{width},{height} does not hold the {side} optical centre ({centre}); crop around it")
        return replace(self, left=left, right=right, width=width, height=height)

    def inverse_motion(self) -> Rig:
        """Return the rig whose rotation and translation were stated the other way round: X_left = R X_right + t."""
        return replace(self, rotation=self.rotation.T, translation=self.right_centre)

    def swapped(self) -> Rig:
        """Return the rig with the cameras' names exchanged."""
        return replace(self.inverse_motion(), left=self.right, right=self.left)

    def key(self) -> tuple[Any, ...]:
        """Return what tells rigs apart, to compare and to order them: the numbers, and never a name."""
        numbers = (self.left.matrix, self.left.distortion, self.right.matrix, self.right.distortion, self.rotation, self.translation)
        return self.size, self.unit, tuple(tuple(map(float, np.ravel(one))) for one in numbers)


Side = Literal["left", "right"]
Map = npt.NDArray[np.float32]


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
        """Return where points of a recorded picture lie in the rectified one; both of shape (n, 2), column and row.

        NaN for those that the rectified picture does not show where they would lie: there the lens model has no inverse.
        """
        if not len(points):
            return np.zeros((0, 2))
        cv2 = opencv()
        camera, turn, projection = self.camera(side), self.turns[side], self.projections[side]
        solved = cv2.undistortPoints(_listed(points), camera.matrix, camera.distortion, R=turn, P=projection, criteria=_criteria(cv2))
        moved: Matrix = np.asarray(solved, dtype=np.float64).reshape(-1, 2)
        rays = np.column_stack([moved, np.ones(len(moved))]) @ np.linalg.inv(projection[:, :3]).T @ turn
        lost = ~_comes_back(camera.recorded(rays[:, :2] / rays[:, 2:]), points)
        # OpenCV's iteration does not arrive everywhere where there is an inverse.
        moved[lost] = _through(projection[:, :3] @ turn, camera.rays(points[lost]))
        return moved

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
        raise ValueError(f"alpha is from 0 (no black border) to 1 (no pixel lost), not {alpha:g}")
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


HALF, ROUNDING = 0.5, 1e-9


def apart(left_s: npt.NDArray[Any], right_s: npt.NDArray[Any], fps: npt.NDArray[Any] | float) -> npt.NDArray[np.bool_]:
    """Return which pairs of pictures are of two instants: half a frame of the slower camera apart, or more.

    Parameters
    ----------
    left_s, right_s
        When each was taken, on one clock, shape (n,).
    fps
        Frames a second of the slower camera, of all pairs or of each, shape (n,).

    >>> apart(np.array([0.0, 1.0, 2.0]), np.array([0.005, 1.0, 1.98]), 25).tolist()
    [False, False, True]
    """
    off: npt.NDArray[np.bool_] = np.abs(left_s - right_s) * fps >= HALF - ROUNDING
    return off


def _listed(points: Matrix) -> Matrix:
    """Return points, (n, 2), as OpenCV takes them."""
    return np.ascontiguousarray(points[:, None, :], dtype=np.float64)


def _criteria(cv2: Any) -> tuple[int, int, float]:
    return (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, STEPS, STEP_PX)


def _through(projection: Matrix, points: Matrix) -> Matrix:
    """Return points, (n, 2), projected by a matrix, (3, 3)."""
    projected = np.column_stack([points, np.ones(len(points))]) @ projection.T
    return np.asarray(projected[:, :2] / projected[:, 2:], dtype=np.float64)


def _comes_back(back: Matrix, points: Matrix) -> npt.NDArray[np.bool_]:
    """Return which points, (n, 2), came back from the scene to their places."""
    return np.asarray((np.abs(back - points) <= MOST_OFF_PX).all(axis=1), np.bool_)


def opencv() -> Any:
    """Return OpenCV.

    Raises
    ------
    ImportError
        When it is not installed; says what to install.
    """
    machine.require_package("cv2", "rectifying pictures")
    import cv2

    return cv2
