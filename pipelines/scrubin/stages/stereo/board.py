"""Boards that a rig is calibrated with, where their corners lie in a picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from scrubin.media.rigs.rig import Matrix, opencv

Grey = npt.NDArray[np.uint8]
SMALLEST_HALF_PX, LARGEST_HALF_PX = 2, 8
FEWEST_CORNERS = 8
"""A picture with fewer corners of the board says nothing of its tilt."""


@dataclass(frozen=True)
class Board:
    """A printed board.

    Parameters
    ----------
    kind
        A plain chessboard, or one with markers in its white squares.
    columns, rows
        Inner corners of a chessboard, squares of a ChArUco board; they differ, or the board could be read in four ways.
    square_mm
        Width of a square, as measured on the print.
    marker_mm, dictionary
        ChArUco only: width of a marker, and the name of OpenCV's list of markers, such as ``5X5_100``.
    """

    kind: Literal["chessboard", "charuco"]
    columns: int
    rows: int
    square_mm: float
    marker_mm: float = 0.0
    dictionary: str = ""

    def __post_init__(self) -> None:
        fewest = 3
        if min(self.columns, self.rows) < fewest or self.square_mm <= 0:
            raise ValueError(f"a board of {self.columns}x{self.rows} with squares of {self.square_mm:g} mm is too small")
        if self.kind == "chessboard" and self.columns == self.rows:
            msg = f"a chessboard of {self.columns}x{self.rows} corners can be read in four ways: use one with more columns than rows"
            raise ValueError(msg)
        if self.kind == "charuco" and not 0 < self.marker_mm < self.square_mm:
            raise ValueError(f"a marker ({self.marker_mm:g} mm) lies within a square ({self.square_mm:g} mm): state both as measured")
        if self.kind == "charuco" and self.dictionary not in dictionaries():
            raise ValueError(f"'{self.dictionary}' is no list of markers: use one of {', '.join(dictionaries())}")

    @property
    def points_mm(self) -> Matrix:
        """Where its corners lie on it, by their number; shape (n, 3)."""
        columns, rows = (self.columns, self.rows) if self.kind == "chessboard" else (self.columns - 1, self.rows - 1)
        y, x = np.divmod(np.arange(columns * rows), columns)
        return np.column_stack([x, y, np.zeros(len(x))]) * self.square_mm

    def corners(self, picture: Grey) -> Corners | None:
        """Return the corners in a picture; None when the board is not seen well enough."""
        return self._chessboard(picture) if self.kind == "chessboard" else self._charuco(picture)

    def _chessboard(self, picture: Grey) -> Corners | None:
        cv2 = opencv()
        flags = cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_EXHAUSTIVE
        seen, points = cv2.findChessboardCornersSB(picture, (self.columns, self.rows), flags=flags)
        if not seen:
            return None
        # That detector finds boards in bad light; this one places corners: 0.06 px off instead of 0.14 on drawn boards.
        half = _half_window_px(np.asarray(points, dtype=np.float64).reshape(self.rows, self.columns, 2))
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-4)
        points = cv2.cornerSubPix(picture, np.asarray(points, dtype=np.float32), (half, half), (-1, -1), criteria)
        grid = np.asarray(points, dtype=np.float64).reshape(self.rows, self.columns, 2)
        return Corners(np.arange(self.columns * self.rows), _from_the_front(grid).reshape(-1, 2))

    def _charuco(self, picture: Grey) -> Corners | None:
        points, numbers, _, _ = self._detector.detectBoard(picture)
        if numbers is None or len(numbers) < FEWEST_CORNERS:
            return None
        return Corners(np.ravel(numbers).astype(np.int64), np.asarray(points, dtype=np.float64).reshape(-1, 2))

    @cached_property
    def _detector(self) -> Any:
        cv2 = opencv()
        markers = cv2.aruco.getPredefinedDictionary(dictionaries()[self.dictionary])
        board = cv2.aruco.CharucoBoard((self.columns, self.rows), self.square_mm, self.marker_mm, markers)
        return cv2.aruco.CharucoDetector(board)


@dataclass(frozen=True, eq=False)
class Corners:
    """Corners of a board in one picture.

    Parameters
    ----------
    numbers
        (n,), which corners of the board, increasing.
    points
        (n, 2), column and row in pixels.
    """

    numbers: npt.NDArray[np.int64]
    points: Matrix

    def only(self, numbers: npt.NDArray[np.int64]) -> Matrix:
        """Return the points of some corners, in their order; all must be there."""
        return self.points[np.searchsorted(self.numbers, numbers)]

    def half_turned(self) -> Corners:
        """Return the corners of the same picture numbered from the other end; the whole chessboard must be seen."""
        return Corners(self.numbers, self.points[::-1])

    def mirrored(self, width: int, columns: int) -> Corners:
        """Return the corners of the mirrored picture of a whole chessboard, numbered from the front as a detector does."""
        points = np.column_stack([width - 1 - self.points[:, 0], self.points[:, 1]])
        return Corners(self.numbers, points.reshape(-1, columns, 2)[:, ::-1].reshape(-1, 2))


def dictionaries() -> dict[str, int]:
    """Return OpenCV's lists of markers by name, without its prefix."""
    aruco = opencv().aruco
    return {name.removeprefix("DICT_"): getattr(aruco, name) for name in sorted(dir(aruco)) if name.startswith("DICT_")}


def _half_window_px(grid: Matrix) -> int:
    """Return how far around a corner is looked: no neighbour may lie in the window."""
    smallest = min(float(np.linalg.norm(np.diff(grid, axis=axis), axis=-1).min()) for axis in (0, 1))
    return int(np.clip(0.4 * smallest, SMALLEST_HALF_PX, LARGEST_HALF_PX))


def _from_the_front(grid: Matrix) -> Matrix:
    """Return a grid of corners (rows, columns, 2) numbered so that its front is seen: columns to rows as x to y."""
    along, down = grid[:, -1].mean(axis=0) - grid[:, 0].mean(axis=0), grid[-1].mean(axis=0) - grid[0].mean(axis=0)
    return grid[:, ::-1] if along[0] * down[1] < along[1] * down[0] else grid
