"""Pictures of an operation or of what is outside the body: drawn, or taken from a user's own pictures, videos."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from scrubin.base import pixels
from scrubin.base.errors import VideoError
from scrubin.base.pixels import Box
from scrubin.media.decode import decoded
from scrubin.media.networks.faces import faces
from scrubin.stages.demo import footage
from scrubin.stages.demo.canvas import Frame, Image, Plane, thin_out, wave
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
            upright = np.rot90(np.asarray(frame.to_ndarray(format="bgr24"), np.uint8), round(frame.rotation / 90))
            yield planes(covering(np.ascontiguousarray(upright), *self._size))


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
