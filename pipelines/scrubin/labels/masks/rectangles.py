"""A hidden rectangle in a picture of another size: of all that is hidden no pixel is left over."""

from __future__ import annotations

Rectangle = tuple[int, int, int, int]
"""Left, top, right and bottom in px, half open."""
Size = tuple[int, int]
"""Width and height in px."""


def scaled_outwards(rectangle: Rectangle, size: Size, to_size: Size, *, shown: Size | None = None) -> Rectangle:
    """Return a rectangle in the pixels of another size: with every pixel of which any part is in it.

    Parameters
    ----------
    rectangle
        In px of the picture of the first size.
    size
        Width and height of the picture in which it is known.
    to_size
        Those of the other one, which has the same content.
    shown
        What of the first picture a video shows, from its left top corner, where the sides of a video are even and those of the picture
        are not: what is beyond is hidden with what touches that edge. None: all of it.

    >>> scaled_outwards((33, 10, 90, 20), (100, 50), (50, 25))
    (16, 5, 45, 10)
    >>> scaled_outwards((33, 10, 100, 20), (101, 50), (50, 25), shown=(100, 50))
    (16, 5, 50, 10)
    """
    left, top, right, bottom = rectangle
    ends = shown or size
    return (
        min(left * to_size[0] // size[0], to_size[0]),
        min(top * to_size[1] // size[1], to_size[1]),
        to_size[0] if right >= ends[0] else -(-right * to_size[0] // size[0]),
        to_size[1] if bottom >= ends[1] else -(-bottom * to_size[1] // size[1]),
    )
