"""The scenes of the box trainer: the peg transfer; the suture with its knot."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from scrubin.stages.demo import canvas
from scrubin.stages.demo.canvas import Image, Pose, Way, ease, filled, generator, texture, textured, wave, yuv
from scrubin.stages.demo.plan import MS, Recording

BOARD = yuv(84, 100, 122)
PEG, PEG_TOP = yuv(150, 146, 120), yuv(196, 190, 150)
OBJECTS = tuple(yuv(*rgb) for rgb in ((196, 60, 50), (60, 150, 70), (60, 80, 190), (200, 180, 60), (170, 70, 160), (220, 130, 50)))
LEFT_PEGS = ((62, 50), (100, 44), (56, 88), (96, 82), (62, 126), (102, 120))
RIGHT_PEGS = tuple((320 - x, y) for x, y in LEFT_PEGS)
MIDDLE = (160, 84)
PEG_REST = ((70, 168), (250, 168))
PEG_ENTRIES = ((-14, 214), (334, 214))
# Shares of one transfer: seized, handed over, let go.
SEIZED, HANDED, RELEASED = 0.30, 0.55, 0.90
BOARD_SHIFT_PX, PEG_TOOL_SHIFT_PX = 4, 9
BORDER_PX = 16


class PegScene:
    """What the two cameras see over time."""

    def __init__(self, recording: Recording) -> None:
        rng = generator(*recording.key, 1)
        self._size = recording.width, recording.height
        self._start_s, self._step_s = _pace(recording, len(LEFT_PEGS))
        self._dropped = int(rng.integers(2, 5)) if recording.drops else None
        self._dropped_at = (MIDDLE[0] + int(rng.integers(-20, 21)), 150 + int(rng.integers(0, 12)))
        tremor = (1000 - recording.skill) // 220
        self._left = Way(self._left_keys(), tremor, int(rng.integers(0, 100)) / 100)
        self._right = Way(self._right_keys(rng), tremor, int(rng.integers(0, 100)) / 100)
        self._board = self._paint_board(rng)

    def draw(self, time_s: float, camera: str) -> Image:
        """Return the picture of one camera at a time in s."""
        width, _ = self._size
        right = camera == "right"
        shift = BORDER_PX + (BOARD_SHIFT_PX if right else 0)
        image = self._board[:, shift : shift + width].copy()
        near = -PEG_TOOL_SHIFT_PX if right else 0
        tips = self._left.at(time_s), self._right.at(time_s)
        for number in range(len(LEFT_PEGS)):
            x, y, lifted = self._object_at(number, time_s, tips)
            _draw_object(image, x + (near if lifted else -BOARD_SHIFT_PX if right else 0), y, OBJECTS[number])
        for entry, tip in zip(PEG_ENTRIES, tips, strict=True):
            opened = int(time_s * 2.5) % 3 == 0
            canvas.draw_instrument(image, Pose("grasper", (entry[0] + near, entry[1]), (tip[0] + near, tip[1]), opened), 7, 70)
        return image

    def _left_keys(self) -> tuple[tuple[float, int, int], ...]:
        keys = [(self._start_s, *PEG_REST[0])]
        for number, peg in enumerate(LEFT_PEGS):
            start = self._start_s + number * self._step_s
            keys += [(start + SEIZED * self._step_s, *peg), (start + HANDED * self._step_s, MIDDLE[0] - 4, MIDDLE[1])]
        return (*keys, (self._start_s + len(LEFT_PEGS) * self._step_s, *PEG_REST[0]))

    def _right_keys(self, rng: np.random.Generator) -> tuple[tuple[float, int, int], ...]:
        keys = [(self._start_s, *PEG_REST[1])]
        for number, peg in enumerate(RIGHT_PEGS):
            start = self._start_s + number * self._step_s
            waiting = MIDDLE[0] + 40 + int(rng.integers(-8, 9)), MIDDLE[1] + int(rng.integers(-12, 13))
            keys += [(start + 0.35 * self._step_s, *waiting), (start + HANDED * self._step_s, MIDDLE[0] + 4, MIDDLE[1])]
            keys += [(start + RELEASED * self._step_s, *peg)]
        return (*keys, (self._start_s + len(RIGHT_PEGS) * self._step_s + 0.3, *PEG_REST[1]))

    def _object_at(self, number: int, time_s: float, tips: tuple[tuple[int, int], tuple[int, int]]) -> tuple[int, int, bool]:
        share = (time_s - self._start_s) / self._step_s - number
        if share < SEIZED:
            return *LEFT_PEGS[number], False
        if share < HANDED:
            return *tips[0], True
        if number == self._dropped:
            return *self._dropped_at, False
        if share < RELEASED:
            return *tips[1], True
        return *RIGHT_PEGS[number], False

    def _paint_board(self, rng: np.random.Generator) -> Image:
        width, height = self._size[0] + 2 * BORDER_PX, self._size[1]
        board = filled(width, height, yuv(40, 44, 48))
        relief = texture(rng, width, height, (24, 6, 2))
        light = int(rng.integers(-14, 15))
        plate = textured(relief, (BOARD[0] + light, BOARD[1], BOARD[2]), 22)
        corners = np.array([(20, 24), (width - 20, 24), (width - 4, 158), (4, 158)], np.int32)
        mask = np.zeros((height, width), np.uint8)
        cv2.fillConvexPoly(mask, corners, 1)
        board[mask == 1] = plate[mask == 1]
        for x, y in (*LEFT_PEGS, *RIGHT_PEGS):
            cv2.line(board, (x + BORDER_PX, y + 7), (x + BORDER_PX, y - 3), PEG, 5)
            cv2.circle(board, (x + BORDER_PX, y - 4), 2, PEG_TOP, -1)
        return board


def _pace(recording: Recording, steps: int) -> tuple[float, float]:
    # The work fills what the manifest says; what lies before and after is rest.
    start_s = (recording.start_ms or 0) / MS
    end_s = recording.end_ms / MS if recording.end_ms is not None else float(recording.duration)
    end_s = min(end_s, recording.drawn_count / float(recording.fps))
    return start_s, (end_s - start_s) / steps


def _draw_object(image: Image, x: int, y: int, colour: tuple[int, int, int]) -> None:
    corners = np.array([(x, y - 10), (x + 10, y + 7), (x - 10, y + 7)], np.int32)
    cv2.fillConvexPoly(image, corners, colour)
    cv2.polylines(image, [corners], True, (colour[0] // 2, 128, 128), 1)
    cv2.circle(image, (x, y + 1), 2, (36, 128, 128), -1)


CLOTH = yuv(54, 112, 96)
DRAIN, SEAM, SLIT = yuv(206, 150, 132), yuv(150, 96, 84), yuv(92, 40, 40)
NEEDLE, THREAD = yuv(214, 216, 220), yuv(40, 34, 70)
KNOT = (160, 92)
RIGHT_DOT, LEFT_DOT = (186, 92), (134, 92)
SUTURE_REST = ((64, 164), (256, 164))
SUTURE_ENTRIES = ((-14, 218), (334, 218))
# Shares of the whole: the needle reaches the dot, is through, the last throw is done.
REACHED, THROUGH, KNOTTED = 0.15, 0.38, 0.94
CLOTH_SHIFT_PX, SUTURE_TOOL_SHIFT_PX = 5, 10


@dataclass(frozen=True)
class Held:
    """An instrument in a hand, and how large it is drawn."""

    pose: Pose
    shaft_px: int
    scale_percent: int


class SutureScene:
    """What the two cameras see over time."""

    def __init__(self, recording: Recording) -> None:
        rng = generator(*recording.key, 2)
        self._size = recording.width, recording.height
        self._start_s, self._long_s = _pace(recording, 1)
        self._throws = recording.throws
        tremor = (1000 - recording.skill) // 200
        phase = int(rng.integers(0, 100)) / 100
        self._left = Way(self._keys(SUTURE_REST[0], ((REACHED, LEFT_DOT), (THROUGH, (100, 70)), (KNOTTED, (118, 84)))), tremor, phase)
        self._right = Way(self._keys(SUTURE_REST[1], ((REACHED, RIGHT_DOT), (THROUGH, (150, 88)), (KNOTTED, (206, 84)))), tremor, phase / 2)
        self._cloth = self._paint_cloth(rng)

    def draw(self, time_s: float, camera: str) -> Image:
        """Return the picture of one camera at a time in s."""
        width, _ = self._size
        right = camera == "right"
        shift = BORDER_PX + (CLOTH_SHIFT_PX if right else 0)
        image = self._cloth[:, shift : shift + width].copy()
        share = self._share(time_s)
        left, driver = tools = self.tools_at(time_s, camera)
        self._draw_thread(image, share, left.pose.tip, driver.pose.tip, -SUTURE_TOOL_SHIFT_PX // 2 if right else 0)
        for tool in tools:
            canvas.draw_instrument(image, tool.pose, tool.shaft_px, tool.scale_percent)
        self.draw_needle(image, time_s, driver)
        return image

    def tools_at(self, time_s: float, camera: str) -> tuple[Held, Held]:
        """Return the instruments in the left and the right hand, in the order in which they are drawn."""
        near = -SUTURE_TOOL_SHIFT_PX if camera == "right" else 0
        share = self._share(time_s)
        left, driver = self._left.at(time_s), self._circling(self._right.at(time_s), share)
        entries = [(x + near, y) for x, y in SUTURE_ENTRIES]
        return (
            Held(Pose("grasper", entries[0], (left[0] + near, left[1]), share > THROUGH), 8, 75),
            Held(Pose("clipper", entries[1], (driver[0] + near, driver[1]), share > KNOTTED), 8, 60),
        )

    def draw_needle(self, image: Image, time_s: float, driver: Held) -> None:
        """Draw the needle over what holds it, until it is through."""
        if self._share(time_s) < THROUGH:
            cv2.polylines(image, [_needle(driver.pose.tip)], False, NEEDLE, 2)

    def _share(self, time_s: float) -> float:
        return (time_s - self._start_s) / self._long_s

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
