"""Pictures in whole numbers: colours, textures, sensor noise, blur, smoke.

A picture is drawn as Y, U, V at full resolution and thinned out to yuv420p by leaving out
every second chroma sample, so that no converter with rounding of its own lies between.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

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
