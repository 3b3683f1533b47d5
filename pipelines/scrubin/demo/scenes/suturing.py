"""The scene of the suture and knot: a needle through a drain with a slit, then three throws."""

from __future__ import annotations

import cv2
import numpy as np

from scrubin.demo.plan import MS, Recording
from scrubin.demo.scenes import instruments
from scrubin.demo.scenes.canvas import Image, texture, textured, yuv
from scrubin.demo.scenes.curves import Way, ease, generator, wave
from scrubin.demo.scenes.instruments import Pose

CLOTH = yuv(54, 112, 96)
DRAIN, SEAM, SLIT = yuv(206, 150, 132), yuv(150, 96, 84), yuv(92, 40, 40)
NEEDLE, THREAD = yuv(214, 216, 220), yuv(40, 34, 70)
KNOT = (160, 92)
RIGHT_DOT, LEFT_DOT = (186, 92), (134, 92)
REST = ((64, 164), (256, 164))
ENTRIES = ((-14, 218), (334, 218))
# Shares of the whole: the needle reaches the dot, is through, the last throw is done.
REACHED, THROUGH, KNOTTED = 0.15, 0.38, 0.94
CLOTH_SHIFT_PX, TOOL_SHIFT_PX = 5, 10
BORDER_PX = 16


class SutureScene:
    """What the two cameras see over time."""

    def __init__(self, recording: Recording) -> None:
        rng = generator(*recording.key, 2)
        self._size = recording.width, recording.height
        self._start_s = (recording.start_ms or 0) / MS
        end_s = recording.end_ms / MS if recording.end_ms is not None else float(recording.duration)
        self._long_s = min(end_s, recording.drawn_count / float(recording.fps)) - self._start_s
        self._throws = recording.throws
        tremor = (1000 - recording.skill) // 200
        phase = int(rng.integers(0, 100)) / 100
        self._left = Way(self._keys(REST[0], ((REACHED, LEFT_DOT), (THROUGH, (100, 70)), (KNOTTED, (118, 84)))), tremor, phase)
        self._right = Way(self._keys(REST[1], ((REACHED, RIGHT_DOT), (THROUGH, (150, 88)), (KNOTTED, (206, 84)))), tremor, phase / 2)
        self._cloth = self._paint_cloth(rng)

    def draw(self, time_s: float, camera: str) -> Image:
        """Return the picture of one camera at a time in s."""
        width, _ = self._size
        right = camera == "right"
        shift = BORDER_PX + (CLOTH_SHIFT_PX if right else 0)
        image = self._cloth[:, shift : shift + width].copy()
        near = -TOOL_SHIFT_PX if right else 0
        share = (time_s - self._start_s) / self._long_s
        left, driver = self._left.at(time_s), self._circling(self._right.at(time_s), share)
        left, driver = (left[0] + near, left[1]), (driver[0] + near, driver[1])
        self._draw_thread(image, share, left, driver, near // 2)
        instruments.draw(image, Pose("grasper", (ENTRIES[0][0] + near, ENTRIES[0][1]), left, share > THROUGH), 8, 75)
        instruments.draw(image, Pose("clipper", (ENTRIES[1][0] + near, ENTRIES[1][1]), driver, share > KNOTTED), 8, 60)
        if share < THROUGH:
            cv2.polylines(image, [_needle(driver)], False, NEEDLE, 2)
        return image

    def _keys(self, rest: tuple[int, int], stops: tuple[tuple[float, tuple[int, int]], ...]) -> tuple[tuple[float, int, int], ...]:
        stations = [(0.0, rest), *stops, (1.0, rest)]
        return tuple((self._start_s + share * self._long_s, x, y) for share, (x, y) in stations)

    def _circling(self, tip: tuple[int, int], share: float) -> tuple[int, int]:
        if not THROUGH < share < KNOTTED:
            return tip
        turns = (share - THROUGH) / (KNOTTED - THROUGH) * self._throws
        swing = min(ease((share - THROUGH) / 0.05), ease((KNOTTED - share) / 0.05))
        return tip[0] - 30 + int(34 * swing * wave(turns + 0.25)), tip[1] + int(24 * swing * wave(turns))

    def _draw_thread(self, image: Image, share: float, left: tuple[int, int], driver: tuple[int, int], shift: int) -> None:
        if share < REACHED:
            points = [driver, (driver[0] + 24, driver[1] + 26), (driver[0] + 10, driver[1] + 52)]
        else:
            points = [left, (LEFT_DOT[0] + shift, LEFT_DOT[1]), (RIGHT_DOT[0] + shift, RIGHT_DOT[1]), driver]
        cv2.polylines(image, [np.array(points, np.int32)], False, THREAD, 1)
        done = int((share - THROUGH) / (KNOTTED - THROUGH) * self._throws) if share > THROUGH else 0
        for throw in range(min(max(done, 0), self._throws)):
            cv2.circle(image, (KNOT[0] + shift, KNOT[1] - 3 * throw), 5, THREAD, 2)

    def _paint_cloth(self, rng: np.random.Generator) -> Image:
        width, height = self._size[0] + 2 * BORDER_PX, self._size[1]
        relief = texture(rng, width, height, (16, 5, 2))
        cloth = textured(relief, (CLOTH[0] + int(rng.integers(-12, 13)), CLOTH[1], CLOTH[2]), 26)
        tube = textured(relief, DRAIN, 12)
        middle, tilt = KNOT[1], int(rng.integers(-4, 5))
        mask = np.zeros((height, width), np.uint8)
        corners = [(0, middle - 30 + tilt), (width, middle - 30 - tilt), (width, middle + 30 - tilt), (0, middle + 30 + tilt)]
        cv2.fillConvexPoly(mask, np.array(corners, np.int32), 1)
        cloth[mask == 1] = tube[mask == 1]
        cv2.line(cloth, corners[0], corners[1], SEAM, 2)
        cv2.line(cloth, corners[3], corners[2], SEAM, 2)
        cv2.ellipse(cloth, (KNOT[0] + BORDER_PX, middle), (4, 20), 0, 0, 360, SLIT, -1)
        for dot in (LEFT_DOT, RIGHT_DOT):
            cv2.circle(cloth, (dot[0] + BORDER_PX, dot[1]), 3, (30, 128, 128), -1)
        return cloth


def _needle(tip: tuple[int, int]) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    arc = ((0, 0), (-4, 9), (-11, 14), (-20, 15), (-28, 11), (-33, 3))
    return np.array([(tip[0] + x, tip[1] + y) for x, y in arc], np.int32)
