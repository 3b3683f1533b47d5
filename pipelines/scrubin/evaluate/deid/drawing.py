"""A recording frame by frame, twice: as it is handed out, then without anything planted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import count, islice
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from scrubin.base import pixels
from scrubin.base.errors import VideoError
from scrubin.base.pixels import Box
from scrubin.evaluate.deid.plan import SECOND_OF_DAY, RecordingPlan, Reflection, Text
from scrubin.media.decode import decoded
from scrubin.media.networks.faces import faces
from scrubin.media.upright import upright
from scrubin.stages.demo import footage
from scrubin.stages.demo.canvas import GREY, WHITE, Frame, Image, Noise, Plane, generator, thin_out, wave
from scrubin.stages.demo.operation import Operation
from scrubin.stages.demo.plan import Recording
from scrubin.stages.demo.procedures import FIRST_DAY, HEIGHT, PHASES, TASK, WIDTH

STILLS = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff")
VIDEOS = (".mp4", ".mkv", ".mov", ".avi", ".webm", ".m4v", ".mpg", ".ts")
STILL_S = 1
"""A still is shown so long, under a camera that wanders."""
VIDEO_S = 10
"""Of a video so much is shown before the next one comes."""
MARGIN = 8
"""A still is enlarged by 1 / 8, so that there is room to wander."""
LONGEST_S = 600
FACE_COLOURS = (*footage.SKINS, footage.EYE, footage.MASK, footage.CAP)
SMALLEST_FACE_PX = 10
KNOWN_FACE_PX = 16

Seen = tuple[Frame, tuple[Box, ...]]
"""A picture, and the rectangles of the faces in it."""


class Footage(Protocol):
    """Endless pictures of one place."""

    def pictures(self, start: int) -> Iterator[Seen]:
        """Yield frame after frame from a number on; the same number gives the same picture."""


class DrawnOperation:
    """The synthetic study's operation."""

    def __init__(self, seed: int, number: int, width: int, height: int, fps: Fraction) -> None:
        self._operation = Operation(_recording(seed, number, fps))
        self._size, self._fps = (width, height), fps

    def pictures(self, start: int) -> Iterator[Seen]:
        """Yield frame after frame."""
        for frame in count(start):
            yield enlarged(thin_out(self._operation.draw(float(frame / self._fps))), *self._size), ()


class DrawnRoom:
    """The synthetic study's room, with two people whose faces are known."""

    def __init__(self, seed: int, number: int, width: int, height: int, fps: Fraction, camera: str) -> None:
        self._room = footage.Room(_recording(seed, number, fps))
        self._size, self._fps, self._camera = (width, height), fps, camera

    def pictures(self, start: int) -> Iterator[Seen]:
        """Yield frame after frame."""
        for frame in count(start):
            image = self._room.draw(float(frame / self._fps), self._camera)
            yield enlarged(thin_out(image), *self._size), tuple(self._scaled(box) for box in _drawn_faces(image))

    def _scaled(self, box: Box) -> Box:
        width, height = self._size
        x, y, w, h = box
        return x * width // WIDTH, y * height // HEIGHT, w * width // WIDTH, h * height // HEIGHT


class WithFaces:
    """A user's footage with the faces that a network sees in it: where people are in it, nobody has written down."""

    def __init__(self, footage: Footage) -> None:
        self._footage = footage

    def pictures(self, start: int) -> Iterator[Seen]:
        """Yield frame after frame, with the faces that are large enough to be known by."""
        for frame, _ in self._footage.pictures(start):
            boxes = [face.box_xywh for face in faces(bgr_of(frame))]
            yield frame, tuple(box for box in boxes if min(box[2:]) >= KNOWN_FACE_PX)


class OwnFootage:
    """A user's stills and videos, one after the other, in the order of their paths.

    Raises
    ------
    VideoError
        When the folder has none.
    """

    def __init__(self, folder: Path, first_share: float, width: int, height: int, fps: Fraction) -> None:
        self._files = own_files(folder)
        self._first = int(first_share * len(self._files)) % len(self._files)
        self._size, self._fps = (width, height), fps

    def pictures(self, start: int) -> Iterator[Seen]:
        """Yield frame after frame; ``start`` chooses the file to begin with, one file further per second."""
        place = self._first + int(start / self._fps)
        while True:
            path = self._files[place % len(self._files)]
            for frame in self._still(path) if path.suffix.lower() in STILLS else self._video(path):
                yield frame, ()
            place += 1

    def _still(self, path: Path) -> Iterator[Frame]:
        bgr = pixels.read_picture(path)
        if bgr is None:
            raise VideoError(str(path), "it cannot be read as a picture", "remove it from the folder")
        width, height = self._size
        wide = covering(np.asarray(bgr, np.uint8), width + width // MARGIN, height + height // MARGIN)
        for number in range(int(STILL_S * self._fps)):
            time_s = float(number / self._fps)
            x = int((wide.shape[1] - width) * (0.5 + 0.5 * wave(0.21 * time_s)))
            y = int((wide.shape[0] - height) * (0.5 + 0.5 * wave(0.17 * time_s + 0.2)))
            yield planes(wide[y : y + height, x : x + width])

    def _video(self, path: Path) -> Iterator[Frame]:
        for number, frame in enumerate(decoded(path, str(path))):
            if number >= VIDEO_S * self._fps:
                return
            yield planes(covering(upright(frame), *self._size))


def own_files(folder: Path) -> Sequence[Path]:
    """Return the pictures and videos below a folder, in the order of their paths.

    Raises
    ------
    VideoError
        When there is none.
    """
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in (*STILLS, *VIDEOS) and path.is_file())
    if not files:
        raise VideoError(str(folder), "there is no picture and no video below it", f"files end with {', '.join((*STILLS, *VIDEOS))}")
    return files


def enlarged(frame: Frame, width: int, height: int) -> Frame:
    """Return a frame at another size; whole-number arithmetic, the same on every machine."""

    def plane(values: Plane, w: int, h: int) -> Plane:
        return np.asarray(cv2.resize(values, (w, h), interpolation=cv2.INTER_LINEAR_EXACT), np.uint8)

    return Frame(plane(frame.y, width, height), plane(frame.u, width // 2, height // 2), plane(frame.v, width // 2, height // 2))


def covering(bgr: Image, width: int, height: int) -> Image:
    """Return the middle of a picture that fills a size, scaled evenly."""
    scale = max(width / bgr.shape[1], height / bgr.shape[0])
    size = max(width, round(bgr.shape[1] * scale)), max(height, round(bgr.shape[0] * scale))
    scaled = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR_EXACT)
    x, y = (size[0] - width) // 2, (size[1] - height) // 2
    return np.asarray(scaled[y : y + height, x : x + width], np.uint8)


def planes(bgr: Image) -> Frame:
    """Return a picture (height, width, 3), blue first, as yuv420p; both sides are even."""
    height, width = bgr.shape[:2]
    flat = np.asarray(cv2.cvtColor(np.ascontiguousarray(bgr), cv2.COLOR_BGR2YUV_I420), np.uint8).reshape(-1)
    luma, quarter = height * width, height * width // 4
    half = (height // 2, width // 2)
    y, u, v = flat[:luma], flat[luma : luma + quarter], flat[luma + quarter :]
    return Frame(y.reshape(height, width), u.reshape(half), v.reshape(half))


def bgr_of(frame: Frame) -> Image:
    """Return a frame as a picture (height, width, 3), blue first."""
    height, width = frame.y.shape
    flat = np.concatenate([frame.y.reshape(-1), frame.u.reshape(-1), frame.v.reshape(-1)])
    return np.asarray(cv2.cvtColor(flat.reshape(height * 3 // 2, width), cv2.COLOR_YUV2BGR_I420), np.uint8)


def _recording(seed: int, number: int, fps: Fraction) -> Recording:
    """Return a recording of the synthetic study that is only drawn."""
    return Recording(
        *(f"deid_{number}", "", None, "", TASK, FIRST_DAY, (seed, 9000 + number, 0, number), WIDTH, HEIGHT, fps),
        frame_count=int(LONGEST_S * fps),
        container="mkv",
        paths={},
        phases=PHASES,
    )


def _drawn_faces(image: Image) -> Iterator[Box]:
    """Yield the rectangles of the faces in a drawn room: nothing else has these colours."""
    mask = np.zeros(image.shape[:2], np.uint8)
    for colour in FACE_COLOURS:
        mask |= (image == np.array(colour, np.uint8)).all(axis=2).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask)
    for x, y, w, h, _ in stats[1:].tolist():
        if min(w, h) >= SMALLEST_FACE_PX:
            yield x, y, w, h


NOISE = 3
FONT = "sans"
CAPITAL = 0.7
"""Height of a capital as a share of the font's size."""
FAINT_PERCENT = 35
BACKGROUND = 40
PADDING_PX = 2
SHIFT_PX = 6
"""The right camera sees the operation so far to the side."""
CUT_S = 7
"""After a cut the operation goes on so much later."""

Alpha = NDArray[np.uint16]


@dataclass
class Drawn:
    """Where the things stood that only drawing tells: rectangles of texts and faces, by frame."""

    texts: dict[int, list[tuple[int, Box]]] = field(default_factory=dict)
    faces: list[tuple[int, tuple[Box, ...]]] = field(default_factory=list)


def frames(
    recording: RecordingPlan, seed: int, inside: Footage, outside: Footage, reflected: Frame, drawn: Drawn
) -> Iterator[tuple[Frame, Frame]]:
    """Yield each frame as planted and clean; what is known of rectangles goes into ``drawn``.

    Parameters
    ----------
    reflected
        The face that is reflected in the monitor, of any size.
    """
    noise = Noise(generator(seed, 63, recording.index), recording.width, recording.height, NOISE)
    operation = inside.pictures(0)
    rooms = {span.first: (span.end, outside.pictures(1000 * number)) for number, span in enumerate(recording.spans)}
    cuts = {span.first for span in recording.spans if span.cut}
    current: tuple[int, Iterator[Seen]] = (0, iter(()))
    for number in range(recording.frame_count):
        if number in cuts:
            operation = islice(operation, int(CUT_S * recording.fps), None)
        clean = _noisy(_seen_by(recording.camera, next(operation)[0]), noise, number)
        current = rooms.get(number, current)
        if number < current[0]:
            picture, faces = next(current[1])
            drawn.faces.append((number, faces))
            yield _noisy(picture, noise, number), clean
        else:
            yield _planted(recording, clean, number, reflected, drawn), clean


def _seen_by(camera: str, frame: Frame) -> Frame:
    if camera != "right":
        return frame
    return Frame(
        *(np.roll(plane, -shift, axis=1) for plane, shift in ((frame.y, SHIFT_PX), (frame.u, SHIFT_PX // 2), (frame.v, SHIFT_PX // 2)))
    )


def _noisy(frame: Frame, noise: Noise, number: int) -> Frame:
    return Frame(noise.over(frame.y, number), frame.u, frame.v)


def _planted(recording: RecordingPlan, clean: Frame, number: int, reflected: Frame, drawn: Drawn) -> Frame:
    frame = clean
    for reflection in recording.reflections:
        if _is_in(number, reflection.ranges):
            frame = _reflect(frame, reflection, reflected)
    for place, text in enumerate(recording.texts):
        if _is_in(number, text.ranges):
            frame, box = burn(frame, text, number, recording)
            drawn.texts.setdefault(place, []).append((number, box))
    return frame


def _is_in(number: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= number < end for first, end in ranges)


def burn(frame: Frame, text: Text, number: int, recording: RecordingPlan) -> tuple[Frame, Box]:
    """Return the frame with a text, and the rectangle of the text in it."""
    seconds = number / recording.fps
    second = SECOND_OF_DAY + 777 * recording.index + int(seconds)
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    # The widest clock, so that the rectangle of a running one stays.
    letters = _letters(text.says.format(clock=clock), text.says.format(clock="88:88:88"), text.height_px)
    height, width = letters.shape
    x, y = _corner(text, float(seconds), width, height, recording)
    letters = letters[: recording.height - y, : recording.width - x]
    height, width = letters.shape
    luma, u, v = frame.y.copy(), frame.u.copy(), frame.v.copy()
    patch = luma[y : y + height, x : x + width].astype(np.uint16)
    if text.look == "boxed":
        patch = (patch + BACKGROUND) // 2
    alpha = letters * (FAINT_PERCENT if text.look == "faint" else 100) // 100
    luma[y : y + height, x : x + width] = (patch * (255 - alpha) + WHITE * alpha) // 255
    for chroma in (u, v):
        part = chroma[y // 2 : (y + height) // 2, x // 2 : (x + width) // 2]
        small = alpha[::2, ::2][: part.shape[0], : part.shape[1]]
        part[:] = (part * (255 - small) + GREY * small) // 255
    return Frame(luma, u, v), (x, y, width, height)


def _corner(text: Text, seconds: float, width: int, height: int, recording: RecordingPlan) -> tuple[int, int]:
    """Return left and top, even: two lanes stand at the top of the picture, two at the bottom."""
    lane_px = recording.height // 8
    y = (text.lane if text.lane < 2 else text.lane + 4) * lane_px + max(lane_px - height, 0) // 2
    room = max(recording.width - width - 8, 0)
    x = 4 + int(room * text.x_share)
    if text.motion == "moving":
        x = 4 + int(room * (0.5 + 0.4 * wave(0.13 * seconds + text.x_share)))
        y += int(max(lane_px - height, 0) // 2 * wave(0.31 * seconds))
    return max(x, 0) // 2 * 2, max(min(y, recording.height - height), 0) // 2 * 2


@lru_cache(maxsize=512)
def _letters(says: str, widest: str, height_px: int) -> Alpha:
    """Return how much of each pixel is letter, 0 to 255, with even sides; ``widest`` sets the width."""
    size = round(height_px / CAPITAL)
    face = cv2.FontFace(FONT)
    wide = max(cv2.getTextSize((1, 1), one, (0, 0), face, size)[2] for one in (says, widest))
    canvas = np.zeros((size * 2, wide + 2 * PADDING_PX + 2, 3), np.uint8)
    cv2.putText(canvas, says, (PADDING_PX, size * 3 // 2), (255, 255, 255), face, size)
    # A capital with an accent reaches above, a comma below the line.
    top, bottom = size * 3 // 2 - size - PADDING_PX, size * 3 // 2 + size // 3 + PADDING_PX
    part = canvas[max(top, 0) : bottom, :, 0]
    return np.ascontiguousarray(part[: part.shape[0] // 2 * 2, : part.shape[1] // 2 * 2]).astype(np.uint16)


def _reflect(frame: Frame, reflection: Reflection, reflected: Frame) -> Frame:
    """Lay a mirrored face over the picture, the weaker the further from its middle."""
    x, y, w, h = reflection.box
    face = enlarged(reflected, w, h)
    result = []
    for base, own, half in ((frame.y, face.y, 1), (frame.u, face.u, 2), (frame.v, face.v, 2)):
        plane = base.copy()
        part = plane[y // half : (y + h) // half, x // half : (x + w) // half].astype(np.int32)
        alpha = _round(w // half, h // half) * reflection.percent // 100
        plane[y // half : (y + h) // half, x // half : (x + w) // half] = (
            part * (255 - alpha) + own[:, ::-1].astype(np.int32) * alpha
        ) // 255
        result.append(plane)
    return Frame(*result)


@lru_cache(maxsize=32)
def _round(width: int, height: int) -> NDArray[np.int32]:
    """Return a disc that fades at its edge, 0 to 255."""
    mask = np.zeros((height, width), np.uint8)
    cv2.ellipse(mask, (width // 2, height // 2), (width * 9 // 20, height * 9 // 20), 0, 0, 360, 255, -1)
    side = max(width // 16 * 2 + 1, 3)
    return cv2.boxFilter(mask, -1, (side, side)).astype(np.int32)


def boxes_of(places: list[tuple[int, Box]]) -> tuple[tuple[int, int, int, int, int], ...]:
    """Return rectangles by frame without repetitions: each holds until the next one.

    >>> boxes_of([(3, (0, 0, 4, 4)), (4, (0, 0, 4, 4)), (5, (2, 0, 4, 4))])
    ((3, 0, 0, 4, 4), (5, 2, 0, 4, 4))
    """
    kept: list[tuple[int, int, int, int, int]] = []
    for number, box in places:
        if not kept or kept[-1][1:] != box:
            kept.append((number, *box))
    return tuple(kept)
