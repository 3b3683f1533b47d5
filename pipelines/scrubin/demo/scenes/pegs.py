"""The scene of the peg transfer: six objects go from the left pegs to the right ones."""

from __future__ import annotations

import cv2
import numpy as np

from scrubin.demo.plan import MS, Recording
from scrubin.demo.scenes import instruments
from scrubin.demo.scenes.canvas import Image, filled, texture, textured, yuv
from scrubin.demo.scenes.curves import Way, generator
from scrubin.demo.scenes.instruments import Pose

BOARD = yuv(84, 100, 122)
PEG, PEG_TOP = yuv(150, 146, 120), yuv(196, 190, 150)
OBJECTS = tuple(yuv(*rgb) for rgb in ((196, 60, 50), (60, 150, 70), (60, 80, 190), (200, 180, 60), (170, 70, 160), (220, 130, 50)))
LEFT_PEGS = ((62, 50), (100, 44), (56, 88), (96, 82), (62, 126), (102, 120))
RIGHT_PEGS = tuple((320 - x, y) for x, y in LEFT_PEGS)
MIDDLE = (160, 84)
REST = ((70, 168), (250, 168))
ENTRIES = ((-14, 214), (334, 214))
# Shares of one transfer: seized, handed over, let go.
SEIZED, HANDED, RELEASED = 0.30, 0.55, 0.90
BOARD_SHIFT_PX, TOOL_SHIFT_PX = 4, 9
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
        near = -TOOL_SHIFT_PX if right else 0
        tips = self._left.at(time_s), self._right.at(time_s)
        for number in range(len(LEFT_PEGS)):
            x, y, lifted = self._object_at(number, time_s, tips)
            _draw_object(image, x + (near if lifted else -BOARD_SHIFT_PX if right else 0), y, OBJECTS[number])
        for entry, tip in zip(ENTRIES, tips, strict=True):
            opened = int(time_s * 2.5) % 3 == 0
            instruments.draw(image, Pose("grasper", (entry[0] + near, entry[1]), (tip[0] + near, tip[1]), opened), 7, 70)
        return image

    def _left_keys(self) -> tuple[tuple[float, int, int], ...]:
        keys = [(self._start_s, *REST[0])]
        for number, peg in enumerate(LEFT_PEGS):
            start = self._start_s + number * self._step_s
            keys += [(start + SEIZED * self._step_s, *peg), (start + HANDED * self._step_s, MIDDLE[0] - 4, MIDDLE[1])]
        return (*keys, (self._start_s + len(LEFT_PEGS) * self._step_s, *REST[0]))

    def _right_keys(self, rng: np.random.Generator) -> tuple[tuple[float, int, int], ...]:
        keys = [(self._start_s, *REST[1])]
        for number, peg in enumerate(RIGHT_PEGS):
            start = self._start_s + number * self._step_s
            waiting = MIDDLE[0] + 40 + int(rng.integers(-8, 9)), MIDDLE[1] + int(rng.integers(-12, 13))
            keys += [(start + 0.35 * self._step_s, *waiting), (start + HANDED * self._step_s, MIDDLE[0] + 4, MIDDLE[1])]
            keys += [(start + RELEASED * self._step_s, *peg)]
        return (*keys, (self._start_s + len(RIGHT_PEGS) * self._step_s + 0.3, *REST[1]))

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
