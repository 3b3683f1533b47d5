"""The frames of a recording as its camera delivers them, everything planted included."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from scrubin.stages.demo.box_trainer import PegScene, SutureScene
from scrubin.stages.demo.canvas import (
    BLACK,
    GREY,
    WHITE,
    Frame,
    Image,
    Noise,
    blur,
    filled,
    generator,
    texture,
    textured,
    thin_out,
    veil,
    wave,
    yuv,
)
from scrubin.stages.demo.operation import Operation, Tool
from scrubin.stages.demo.plan import MS, Recording, Text

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


HEIGHT_PX = 18
BASELINE_PX = 13
SCALE = 0.42
BACKGROUND = 40


def burn_text(frame: Frame, text: Text, time_s: float) -> Frame:
    """Return the frame with the text and the running clock in the text's rectangle."""
    x, y, width, height = text_box(text)
    letters = _letters(text_line(text, time_s), width)
    luma, u, v = frame.y.copy(), frame.u.copy(), frame.v.copy()
    patch = luma[y : y + height, x : x + width]
    # Half transparent: the picture shows through between the letters.
    patch[:] = np.where(letters, WHITE, (patch.astype(np.uint16) + BACKGROUND) // 2)
    for chroma in (u, v):
        chroma[y // 2 : (y + height) // 2, x // 2 : (x + width) // 2] = GREY
    return Frame(luma, u, v)


def text_line(text: Text, time_s: float) -> str:
    """Return what stands there: the words and the time of day."""
    second = text.clock_s + int(time_s)
    return f"{text.caption} {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def text_box(text: Text) -> tuple[int, int, int, int]:
    """Return the rectangle that the text covers at all times: x, y, w, h in even px."""
    # The widest clock: no digit of this font is wider than an 8.
    (width, _), _ = cv2.getTextSize(f"{text.caption} 88:88:88", cv2.FONT_HERSHEY_SIMPLEX, SCALE, 1)
    return text.x, text.y, (width + 10) // 2 * 2, HEIGHT_PX


@lru_cache(maxsize=512)
def _letters(text: str, width: int) -> NDArray[np.bool_]:
    canvas = np.zeros((HEIGHT_PX, width), np.uint8)
    cv2.putText(canvas, text, (3, BASELINE_PX), cv2.FONT_HERSHEY_SIMPLEX, SCALE, 255, 1)
    return np.asarray(canvas > 110)


SMOKE, SMOKE_PERCENT = 190, 55
DARK, DARK_PERCENT = 20, 60
HIDDEN = ("out_of_body", "black")
NOISE = 3


def frames(recording: Recording, camera: str) -> Iterator[Frame]:
    """Yield the frames of one camera's file, once each, also where the file repeats them."""
    scene = _scene(recording)
    room_seen = Room(recording)
    noise = Noise(generator(*recording.key, 5, len(camera)), recording.width, recording.height, NOISE)
    planted = _planted(recording)
    for number in range(recording.drawn_count):
        time_s = float(recording.time_of(number))
        spans = planted.get(number, ())
        if "black" in spans:
            frame = thin_out(filled(recording.width, recording.height, (BLACK, GREY, GREY)))
        else:
            image = room_seen.draw(time_s, camera) if "out_of_body" in spans else _drawn(scene, time_s, camera, drape="drape" in spans)
            frame = _worsen(thin_out(image), spans)
            frame = Frame(noise.over(frame.y, number), frame.u, frame.v)
        for text in recording.texts:
            if camera in text.cameras and _text_is_on(recording, text, number):
                frame = burn_text(frame, text, time_s)
        yield frame


def _text_is_on(recording: Recording, text: Text, frame: int) -> bool:
    """Return whether the burned-in text is in this frame."""
    time_ms = recording.time_of(frame) * MS
    return (text.start_ms is None or time_ms >= text.start_ms) and (text.end_ms is None or time_ms < text.end_ms)


def seen_tools(recording: Recording, operation: Operation, frame: int) -> list[Tool]:
    """Return the instruments that can be seen in a frame: none outside the body and in the dark."""
    if any(frame in recording.frames_of(span) for span in recording.spans if span.kind in HIDDEN):
        return []
    return operation.tools_at(float(recording.time_of(frame)))


def _scene(recording: Recording) -> Operation | PegScene | SutureScene:
    if recording.phases:
        return Operation(recording)
    return PegScene(recording) if recording.task == "PegTransfer" else SutureScene(recording)


def _drawn(scene: Operation | PegScene | SutureScene, time_s: float, camera: str, *, drape: bool) -> Image:
    """Return a picture of a scene; gauze lies on tissue below the instruments, and on all of a training task."""
    image = scene.draw(time_s, tools=[]) if isinstance(scene, Operation) else scene.draw(time_s, camera)
    if drape:
        lay_gauze(image, time_s)
    return scene.draw(time_s, cover=image) if isinstance(scene, Operation) else image


def _planted(recording: Recording) -> dict[int, tuple[str, ...]]:
    by_frame: dict[int, tuple[str, ...]] = {}
    for span in recording.spans:
        for number in recording.frames_of(span):
            by_frame[number] = (*by_frame.get(number, ()), span.kind)
    return by_frame


def _worsen(frame: Frame, spans: tuple[str, ...]) -> Frame:
    if "blur" in spans:
        frame = blur(frame)
    if "smoke" in spans:
        frame = veil(frame, SMOKE, SMOKE_PERCENT)
    if "dark" in spans:
        frame = veil(frame, DARK, DARK_PERCENT)
    return frame
