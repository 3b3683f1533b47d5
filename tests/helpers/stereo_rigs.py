"""Where the cameras of a rig see points, and the corners of a board."""

from __future__ import annotations

import cv2
import numpy as np

from scrubin.stages.stereo.board import Board, Corners
from scrubin.stages.stereo.calibration import BoardPair

BOARD = Board("chessboard", 9, 6, 4.0)


def seen(rig, side, points_mm):
    """Where points, as the left camera has them, lie in a picture."""
    camera = rig.left if side == "left" else rig.right
    motion = (np.eye(3), np.zeros(3)) if side == "left" else (rig.rotation, rig.translation)
    pixels, _ = cv2.projectPoints(
        np.asarray(points_mm, dtype=float), cv2.Rodrigues(motion[0])[0], motion[1], camera.matrix, camera.distortion
    )
    return pixels.reshape(-1, 2)


def board_pairs(rig, count=16, noise_px=0.05, seed=5, spread=1.0):
    """Pairs in which a chessboard is seen, corners off by some noise."""
    rng = np.random.default_rng(seed)
    pairs = []
    for number in range(count):
        away = rng.uniform(55, 90)
        turn = cv2.Rodrigues(np.radians(rng.uniform(-30, 30, 3)))[0]
        middle = np.array([rng.uniform(-0.3, 0.3), rng.uniform(-0.12, 0.12), 1 / spread]) * spread * away
        points = (BOARD.points_mm - BOARD.points_mm.mean(axis=0)) @ turn.T + middle
        sides = [
            Corners(np.arange(len(points)), seen(rig, side, points) + rng.normal(0, noise_px, (len(points), 2)))
            for side in ("left", "right")
        ]
        pairs.append(BoardPair(f"{number:02}", *sides))
    return pairs
