"""What scenes are drawn with: pictures in whole numbers, smooth motion, instruments.

The mathematical functions of the C library differ in their last digit from machine to
machine; these four operations do not, so that every machine draws the same pixels.

A picture is drawn as Y, U, V at full resolution and thinned out to yuv420p by leaving out
every second chroma sample, so that no converter with rounding of its own lies between.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray


def ease(share: float) -> float:
    """Return how far a minimum-jerk movement has come after this share of its time.

    >>> [ease(u) for u in (-1, 0, 0.5, 1, 2)]
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    u = min(max(float(share), 0.0), 1.0)
    return u * u * u * (u * (6 * u - 15) + 10)


def wave(turns: float) -> float:
    """Return a wave much like a sine: period 1, from -1 to 1, made of parabolas.

    >>> [wave(x) for x in (0, 0.25, 0.75, 1.25)]
    [0.0, 1.0, -1.0, 1.0]
    """
    part = turns - math.floor(turns)
    if part < 0.5:
        return 16 * part * (0.5 - part)
    return -16 * (part - 0.5) * (1 - part)


@dataclass(frozen=True)
class Way:
    """A way of an instrument's tip: eased from key to key, with a tremor.

    Parameters
    ----------
    keys
        Of (time in s, x, y in px), by increasing time.
    tremor_px
        Largest deviation; unskilled hands shake more.
    phase
        Of the tremor, 0 to 1.
    """

    keys: tuple[tuple[float, int, int], ...]
    tremor_px: int = 0
    phase: float = 0.0

    def at(self, time_s: float) -> tuple[int, int]:
        """Return the position in whole px; before the first and after the last key it rests."""
        after = bisect_right(self.keys, time_s, key=lambda key: key[0])
        start = self.keys[max(after - 1, 0)]
        end = self.keys[min(after, len(self.keys) - 1)]
        share = ease((time_s - start[0]) / (end[0] - start[0])) if end[0] > start[0] else 1.0
        x = start[1] + (end[1] - start[1]) * share + self.tremor_px * wave(3.1 * time_s + self.phase)
        y = start[2] + (end[2] - start[2]) * share + self.tremor_px * wave(2.3 * time_s + 2 * self.phase)
        return math.floor(x + 0.5), math.floor(y + 0.5)


def generator(*key: int) -> np.random.Generator:
    """Return the random source of one thing of the study, independent of all others.

    Only its whole numbers are used: those are the same on every machine.
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(list(key))))


def bell(rng: np.random.Generator, spread: int) -> int:
    """Return a whole number around 0 with about this standard deviation: a sum of uniform ones."""
    # Twelve uniform numbers of variance 1/12 each have a sum of variance 1.
    return (int(rng.integers(0, 1000, 12).sum()) - 5994) * spread // 1000


Plane = NDArray[np.uint8]
Image = NDArray[np.uint8]
"""uint8, (height, width, 3): Y (16..235), U and V (128 is grey), each at full resolution."""

BLACK, WHITE, GREY = 16, 235, 128


@dataclass(frozen=True)
class Frame:
    """One yuv420p frame: Y (height, width), U and V (height / 2, width / 2), uint8."""

    y: Plane
    u: Plane
    v: Plane

    def raw(self) -> bytes:
        """Return the bytes that an encoder takes as ``rawvideo`` in ``yuv420p``."""
        return self.y.tobytes() + self.u.tobytes() + self.v.tobytes()


@lru_cache(maxsize=256)
def yuv(red: int, green: int, blue: int) -> tuple[int, int, int]:
    """Return a colour as Y, U, V (BT.601, limited range, in whole numbers).

    >>> yuv(0, 0, 0), yuv(255, 255, 255)
    ((16, 128, 128), (235, 128, 128))
    """
    y = 16 + ((66 * red + 129 * green + 25 * blue + 128) >> 8)
    u = 128 + ((-38 * red - 74 * green + 112 * blue + 128) >> 8)
    v = 128 + ((112 * red - 94 * green - 18 * blue + 128) >> 8)
    return y, u, v


def thin_out(image: Image) -> Frame:
    """Return an image of even width and height as a yuv420p frame."""
    return Frame(
        np.ascontiguousarray(image[:, :, 0]),
        np.ascontiguousarray(image[::2, ::2, 1]),
        np.ascontiguousarray(image[::2, ::2, 2]),
    )


def filled(width: int, height: int, colour: tuple[int, int, int]) -> Image:
    """Return an image of one colour, given as Y, U, V."""
    return np.full((height, width, 3), colour, np.uint8)


def texture(rng: np.random.Generator, width: int, height: int, cells_px: tuple[int, ...]) -> NDArray[np.int32]:
    """Return smooth random relief, (height, width), about -100 to 100: one layer per cell size, each weaker."""
    total = np.zeros((height, width), np.int32)
    for i, cell in enumerate(cells_px):
        coarse = rng.integers(-128, 128, (height // cell + 4, width // cell + 4)).astype(np.int32)
        fine = np.repeat(np.repeat(coarse, cell, axis=0), cell, axis=1)
        for _ in range(2):
            fine = _box(_box(fine, cell, 0), cell, 1)
        total += fine[:height, :width] >> i
    return total


def textured(relief: NDArray[np.int32], colour: tuple[int, int, int], depth: int) -> Image:
    """Return an image of one colour whose brightness follows the relief by ``depth`` / 100."""
    image = np.empty((*relief.shape, 3), np.uint8)
    image[:, :, 0] = np.clip(colour[0] + relief * depth // 100, BLACK, WHITE)
    image[:, :, 1:] = colour[1:]
    return image


def _box(values: NDArray[np.int32], width: int, axis: int) -> NDArray[np.int32]:
    sums = np.cumsum(values, axis=axis, dtype=np.int32)
    later = np.take(sums, range(width, sums.shape[axis]), axis=axis)
    earlier = np.take(sums, range(sums.shape[axis] - width), axis=axis)
    return cast("NDArray[np.int32]", (later - earlier) // width)


class Noise:
    """Sensor noise: one random tile, laid over each frame at another place, because that is cheap."""

    SHIFTS = 64

    def __init__(self, rng: np.random.Generator, width: int, height: int, amplitude: int) -> None:
        shape = (height + self.SHIFTS, width + self.SHIFTS)
        # The sum of two even distributions: small deviations are more frequent than large ones.
        tile = rng.integers(-amplitude, amplitude + 1, shape) + rng.integers(-amplitude, amplitude + 1, shape)
        self._more = np.maximum(tile, 0).astype(np.uint8)
        self._less = np.maximum(-tile, 0).astype(np.uint8)
        self._places = rng.integers(0, self.SHIFTS, (251, 2)).tolist()

    def over(self, y: Plane, number: int) -> Plane:
        """Return the luma of frame ``number`` with noise."""
        height, width = y.shape
        down, right = self._places[number % len(self._places)]
        window = np.s_[down : down + height, right : right + width]
        return cast("Plane", cv2.subtract(cv2.add(y, self._more[window]), self._less[window]))


def blur(frame: Frame) -> Frame:
    """Return a frame out of focus: 5 x 5 px means of its luma."""
    height, width = frame.y.shape
    wide = np.pad(frame.y, 2, mode="edge").astype(np.uint16)
    rows = wide[:, :width] + wide[:, 1 : width + 1] + wide[:, 2 : width + 2] + wide[:, 3 : width + 3] + wide[:, 4 : width + 4]
    rows //= 5
    both = rows[:height] + rows[1 : height + 1] + rows[2 : height + 2] + rows[3 : height + 3] + rows[4 : height + 4]
    return Frame((both // 5).astype(np.uint8), frame.u, frame.v)


def veil(frame: Frame, level: int, percent: int) -> Frame:
    """Return a frame mixed with a grey: smoke with a bright one, darkness with a dark one."""
    luma, chroma = _veil_table(level, percent), _veil_table(GREY, percent)
    return Frame(
        cast("Plane", cv2.LUT(frame.y, luma)),
        cast("Plane", cv2.LUT(frame.u, chroma)),
        cast("Plane", cv2.LUT(frame.v, chroma)),
    )


@lru_cache(maxsize=64)
def _veil_table(level: int, percent: int) -> Plane:
    return ((np.arange(256) * (100 - percent) + level * percent) // 100).astype(np.uint8)


STEEL, LIGHT, DARK = yuv(96, 100, 108), yuv(168, 172, 180), yuv(52, 54, 60)
SHAFT_PX = 11
MIN_VISIBLE_PX = 6

# Outlines of the tips: px backwards along the shaft and px across it, first for the tip closed,
# then the same number of points for the tip open.
OUTLINES: dict[str, tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]] = {
    "grasper": (
        ((46, -6), (22, -8), (0, -2), (0, 2), (22, 8), (46, 6)),
        ((46, -6), (24, -11), (0, -14), (16, 0), (0, 14), (24, 11), (46, 6)),
    ),
    "bipolar": (
        ((42, -6), (20, -9), (2, -5), (2, 5), (20, 9), (42, 6)),
        ((42, -6), (20, -13), (2, -12), (14, 0), (2, 12), (20, 13), (42, 6)),
    ),
    "hook": (
        ((44, -4), (4, -3), (0, 12), (6, 14), (10, 3), (44, 4)),
        ((44, -4), (4, -3), (0, 12), (6, 14), (10, 3), (44, 4)),
    ),
    "scissors": (
        ((44, -5), (20, -7), (-2, -1), (-2, 1), (20, 7), (44, 5)),
        ((44, -5), (24, -5), (-2, -16), (20, 0), (-2, 16), (24, 5), (44, 5)),
    ),
    "clipper": (
        ((48, -8), (18, -9), (0, -7), (0, 7), (18, 9), (48, 8)),
        ((48, -8), (18, -12), (0, -11), (16, -4), (16, 4), (0, 11), (18, 12), (48, 8)),
    ),
    "irrigator": (
        ((52, -6), (0, -6), (0, 6), (52, 6)),
        ((52, -6), (0, -6), (0, 6), (52, 6)),
    ),
}
TIP_COLOURS = {
    "grasper": yuv(176, 180, 188),
    "bipolar": yuv(120, 146, 200),
    "hook": yuv(196, 188, 150),
    "scissors": yuv(206, 208, 212),
    "clipper": yuv(150, 176, 156),
    "irrigator": yuv(210, 206, 190),
}


@dataclass(frozen=True)
class Pose:
    """Where an instrument is: its name, entry and tip in px, and whether its jaws are open."""

    instrument: str
    entry: tuple[int, int]
    tip: tuple[int, int]
    opened: bool

    def neck(self, scale_percent: int = 100) -> tuple[int, int]:
        """Return where the shaft goes over into the tip, in px."""
        return self.place(OUTLINES[self.instrument][0][0][0] * scale_percent // 100 - 4, 0)

    def outline(self, scale_percent: int = 100) -> list[tuple[int, int]]:
        """Return the corners of the tip in px."""
        corners = OUTLINES[self.instrument][self.opened]
        return [self.place(back * scale_percent // 100, side * scale_percent // 100) for back, side in corners]

    def place(self, back: int, side: int) -> tuple[int, int]:
        """Return the point so many px behind the tip along the shaft and beside it."""
        along_x, along_y = self.tip[0] - self.entry[0], self.tip[1] - self.entry[1]
        length = max(isqrt(along_x * along_x + along_y * along_y), 1)
        x = self.tip[0] - (along_x * back + along_y * side) // length
        y = self.tip[1] - (along_y * back - along_x * side) // length
        return x, y


def draw_instrument(image: Image, pose: Pose, shaft_px: int = SHAFT_PX, scale_percent: int = 100) -> None:
    """Draw an instrument into the image."""
    neck = pose.neck(scale_percent)
    cv2.line(image, pose.entry, neck, DARK, shaft_px + 2)
    cv2.line(image, pose.entry, neck, STEEL, shaft_px - 2)
    cv2.line(image, (pose.entry[0], pose.entry[1] - shaft_px // 4), (neck[0], neck[1] - shaft_px // 4), LIGHT, 1)
    corners = np.array(pose.outline(scale_percent), np.int32)
    cv2.fillPoly(image, [corners], TIP_COLOURS[pose.instrument])
    cv2.polylines(image, [corners], True, DARK, 1)


def pixels_of(pose: Pose, width: int, height: int, shaft_px: int = SHAFT_PX, scale_percent: int = 100) -> NDArray[np.bool_]:
    """Return which pixels of a picture `draw_instrument` paints, (height, width)."""
    # No colour of an instrument is 0, 0, 0.
    painted = np.zeros((height, width, 3), np.uint8)
    draw_instrument(painted, pose, shaft_px, scale_percent)
    return cast("NDArray[np.bool_]", painted.any(axis=2))


def visible_box(pose: Pose, view: Plane) -> tuple[int, int, int, int] | None:
    """Return the box of the tip where the view is 1: x, y, w, h in px; None when hardly any of it is seen."""
    mask = np.zeros_like(view)
    corners = np.array(pose.outline(), np.int32)
    cv2.fillPoly(mask, [corners], 1)
    cv2.polylines(mask, [corners], True, 1, 1)
    x, y, width, height = cv2.boundingRect(cv2.bitwise_and(mask, view))
    if width < MIN_VISIBLE_PX or height < MIN_VISIBLE_PX:
        return None
    return x, y, width, height
