"""Rectangles of a picture, in pixels."""

from __future__ import annotations

Box = tuple[int, int, int, int]
"""Left, top, width and height."""


def shared_px(a: Box, b: Box) -> int:
    """Return how many pixels two rectangles share.

    >>> shared_px((0, 0, 10, 10), (8, 5, 10, 10))
    10
    """
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return max(width, 0) * max(height, 0)
