"""The rectangle that hides a text."""

from __future__ import annotations

from scrubin.core.pixels import Box

GRID_PX = 8
MARGIN_SHARE = 0.25


def covering(box_xywh: Box, scale: tuple[float, float], size_px: tuple[int, int]) -> Box:
    """Return the rectangle to hide: in pixels of the video, with a margin, on a grid of 8 px, inside the picture.

    The grid keeps small differences between processors out of the table.
    """
    x, y, w, h = box_xywh
    margin = max(2.0, MARGIN_SHARE * h)
    sides = []
    for start, length, factor, limit in ((x, w, scale[0], size_px[0]), (y, h, scale[1], size_px[1])):
        low = int((start - margin) * factor // GRID_PX) * GRID_PX
        high = -int(-(start + length + margin) * factor // GRID_PX) * GRID_PX
        sides.append((max(low, 0), min(high, limit)))
    (left, right), (top, bottom) = sides
    return left, top, right - left, bottom - top
