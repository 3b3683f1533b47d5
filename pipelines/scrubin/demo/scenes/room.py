"""Outside the body: a bright room with drapes and people, and what only looks like it."""

from __future__ import annotations

import cv2
import numpy as np

from scrubin.demo.plan import Recording
from scrubin.demo.scenes.canvas import Image, filled, texture, textured, yuv
from scrubin.demo.scenes.curves import generator, wave

WALL, CEILING, FLOOR = yuv(226, 228, 222), yuv(244, 244, 240), yuv(176, 180, 184)
LAMP, WINDOW, DRAPE, GOWN = yuv(255, 255, 250), yuv(236, 246, 255), yuv(116, 190, 204), yuv(90, 160, 150)
SKINS = tuple(yuv(*rgb) for rgb in ((224, 180, 154), (196, 146, 116), (150, 104, 80)))
EYE, MASK, CAP = yuv(30, 26, 28), yuv(190, 226, 236), yuv(120, 190, 140)
GAUZE = yuv(232, 230, 222)
BORDER_PX = 48


class Room:
    """The room around the table, as a camera sees it that was pulled out."""

    def __init__(self, recording: Recording) -> None:
        rng = generator(*recording.key, 3)
        self._size = recording.width, recording.height
        self._people = [(int(rng.integers(0, 100)), int(rng.integers(0, 3))) for _ in range(2)]
        self._walls = self._paint(rng)

    def draw(self, time_s: float, camera: str) -> Image:
        """Return the picture at a time in s: the camera sways, the people move."""
        width, height = self._size
        x = BORDER_PX + int(40 * wave(0.11 * time_s)) + (6 if camera == "right" else 0)
        y = BORDER_PX // 2 + int(18 * wave(0.17 * time_s + 0.3))
        image = self._walls[y : y + height, x : x + width].copy()
        for number, (place, skin) in enumerate(self._people):
            across = width * (28 + 42 * number) // 100 + int(18 * wave(0.21 * time_s + place / 100))
            down = height * 46 // 100 + int(8 * wave(0.37 * time_s + place / 50))
            _draw_person(image, across, down, height // 6, SKINS[skin])
        return image

    def _paint(self, rng: np.random.Generator) -> Image:
        width, height = self._size[0] + 2 * BORDER_PX + 8, self._size[1] + BORDER_PX
        walls = textured(texture(rng, width, height, (40, 8)), WALL, 8)
        walls[: height // 6] = CEILING
        walls[height * 5 // 6 :] = FLOOR
        left = int(rng.integers(0, width // 2))
        cv2.rectangle(walls, (left, height // 5), (left + width // 5, height // 2), WINDOW, -1)
        cv2.ellipse(walls, (width * 3 // 5, height // 9), (width // 9, height // 12), 0, 0, 360, LAMP, -1)
        cloth = [(0, height), (0, height * 3 // 4), (width // 2, height * 2 // 3), (width, height * 3 // 4), (width, height)]
        cv2.fillPoly(walls, [np.array(cloth, np.int32)], DRAPE)
        return walls


def _draw_person(image: Image, x: int, y: int, size: int, skin: tuple[int, int, int]) -> None:
    cv2.ellipse(image, (x, y + 3 * size), (size * 3 // 2, size * 2), 0, 0, 360, GOWN, -1)
    cv2.ellipse(image, (x, y), (size * 3 // 4, size), 0, 0, 360, skin, -1)
    cv2.ellipse(image, (x, y - size // 2), (size * 3 // 4, size // 2), 0, 180, 360, CAP, -1)
    cv2.ellipse(image, (x, y + size // 2), (size * 5 // 8, size // 2), 0, 0, 360, MASK, -1)
    for side in (-1, 1):
        cv2.ellipse(image, (x + side * size // 3, y - size // 8), (max(size // 8, 2), max(size // 12, 1)), 0, 0, 360, EYE, -1)


def lay_gauze(image: Image, time_s: float) -> None:
    """Cover most of the view with white gauze: bright like the room, but inside."""
    height, width = image.shape[:2]
    right = width * 88 // 100 + int(12 * wave(0.4 * time_s))
    corners = [(0, 0), (right, 0), (right - width // 8, height * 85 // 100), (0, height * 92 // 100)]
    cv2.fillPoly(image, [np.array(corners, np.int32)], GAUZE)
    for x in range(6, right - width // 8, 12):
        cv2.line(image, (x, 0), (x + int(5 * wave(0.3 * time_s + x / 90)), height * 84 // 100), (GAUZE[0] - 22, 128, 126), 1)


def black(width: int, height: int) -> Image:
    """Return a black picture."""
    return filled(width, height, (16, 128, 128))
