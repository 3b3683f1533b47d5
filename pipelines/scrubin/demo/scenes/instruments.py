"""Instruments seen by a camera: a shaft from the border of the picture and a tip of its own."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import cv2
import numpy as np

from scrubin.demo.scenes.canvas import Image, Plane, yuv

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


def draw(image: Image, pose: Pose, shaft_px: int = SHAFT_PX, scale_percent: int = 100) -> None:
    """Draw an instrument into the image."""
    neck = pose.place(OUTLINES[pose.instrument][0][0][0] * scale_percent // 100 - 4, 0)
    cv2.line(image, pose.entry, neck, DARK, shaft_px + 2)
    cv2.line(image, pose.entry, neck, STEEL, shaft_px - 2)
    cv2.line(image, (pose.entry[0], pose.entry[1] - shaft_px // 4), (neck[0], neck[1] - shaft_px // 4), LIGHT, 1)
    corners = np.array(pose.outline(scale_percent), np.int32)
    cv2.fillPoly(image, [corners], TIP_COLOURS[pose.instrument])
    cv2.polylines(image, [corners], True, DARK, 1)


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
