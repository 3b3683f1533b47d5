"""A stereo rig: two cameras, and how the right one stands to the left one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.core.pixels import Box

Matrix = npt.NDArray[np.float64]
CONVENTION = "X_right = R X_left + t"
MODELS = {4: "radial-tangential", 5: "radial-tangential", 8: "rational", 12: "thin-prism", 14: "tilted"}
"""OpenCV's models of a lens, by the number of their coefficients: k1 k2 p1 p2 [k3 [k4 k5 k6 [s1 s2 s3 s4 [tx ty]]]]."""
MM_PER_UNIT = {"mm": 1.0, "cm": 10.0, "m": 1000.0}
BEST_ASPECT_SHARE = 0.01


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
            When the shape differs by more than rounding: then something was cut off, which `cropped` is for.
        """
        x, y = width / self.width, height / self.height
        if abs(x / y - 1) > max(BEST_ASPECT_SHARE, 2 / min(width, height)):
            msg = f"pictures of {self.width}x{self.height} resized to {width}x{height} would be of another shape; crop first"
            raise ValueError(msg)
        return replace(self, left=self.left.scaled(x, y), right=self.right.scaled(x, y), width=width, height=height)

    def cropped(self, box: Box) -> Rig:
        """Return the rig of a part of both pictures: left, top, width and height in pixels.

        Raises
        ------
        ValueError
            When the rectangle reaches beyond the picture.
        """
        x, y, width, height = box
        if min(x, y) < 0 or min(width, height) < 1 or x + width > self.width or y + height > self.height:
            msg = f"{x},{y},{width},{height} reaches beyond pictures of {self.width}x{self.height} pixels"
            raise ValueError(msg)
        return replace(self, left=self.left.cropped(x, y), right=self.right.cropped(x, y), width=width, height=height)

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
