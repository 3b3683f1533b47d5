"""How black is black, measured on a noisy moving picture that x264 encodes (crf 18 to 28, presets ultrafast to medium).

Whole frames decode to exactly 0 when a group of pictures starts with them; predicted from a
shown frame they keep up to 11, so anything but 0 is refused. Beside the edge of a hidden
rectangle the codec mixes in up to 163 of what is shown beside it. 8 px inside, the reach of its
largest transform, up to 20 is left in single pixels and 0.5 on average. Faint text would be seen
in the average: its strokes cover a fifth of a rectangle, so at contrast 12 it adds 2.4.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scrubin.release.audit.plan import Box

FRAME_MAX = 0
EDGE_PX = 8
INNER_MAX = 48
INNER_MEAN = 2.0
RECTANGLE_MEAN = 8.0
Picture = npt.NDArray[np.uint8]


def not_black(picture: Picture, box_xywh: Box | None) -> str:
    """Return how a picture breaks the promise to be black, "" when it keeps it.

    Parameters
    ----------
    picture
        Shape (height, width, 3), 0 to 255.
    box_xywh
        Hidden rectangle in px; None: the whole picture.
    """
    if box_xywh is None:
        brightest = int(picture.max(initial=0))
        return f"hidden, but its brightest value is {brightest}; render it again" if brightest > FRAME_MAX else ""
    x, y, w, h = box_xywh
    hidden = picture[y : y + h, x : x + w]
    inner = hidden[EDGE_PX:-EDGE_PX, EDGE_PX:-EDGE_PX]
    if hidden.size == 0:
        return ""
    values = (float(hidden.mean()), float(inner.mean()) if inner.size else 0.0, float(inner.max(initial=0)))
    if all(value <= limit for value, limit in zip(values, (RECTANGLE_MEAN, INNER_MEAN, INNER_MAX), strict=True)):
        return ""
    return f"rectangle {box_xywh} is hidden, but its mean is {values[0]:.1f}, inside {values[1]:.1f} (at most {values[2]:.0f})"
