"""The rendered video read again: it must be what the plan says, frame by frame."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

from scrubin.core.errors import VideoError
from scrubin.render.plan import Hidden, Plan
from scrubin.video.decode import decoded

# Matroska's clock ticks in milliseconds.
TICK_S = Fraction(1, 1000)
# Beside a rectangle's edge the codec mixes in some of what is outside of it, which is shown anyway: of colour up to a block,
# of brightness less. Inside, nothing of the source can come back; what is left is the codec's own noise.
RECTANGLE_NOISE = 64
EDGE_PX = 8
# Red, green and blue of luma, in thousandths (ITU-R BT.601).
LUMA = np.array([299, 587, 114])
FIX = "try render.preset slower, or exclude the recording; please report it with the file"


def check(path: Path, plan: Plan, name: str) -> None:
    """Decode a rendered file and hold it to its plan.

    Raises
    ------
    VideoError
        When a frame is missing, added, shifted in time, of another size, or not black where it must be.
    """
    count = 0
    for frame in decoded(path, name, ignore_edit_list=True):
        if count >= plan.frame_count:
            raise VideoError(name, f"more than the planned {plan.frame_count} frames were rendered", FIX)
        time_s = Fraction(frame.pts or 0) * Fraction(frame.time_base or 0)
        if abs(time_s - plan.times_s[count]) > TICK_S:
            reason = f"frame {count} was rendered at {float(time_s):.4f} s instead of {float(plan.times_s[count]):.4f} s"
            raise VideoError(name, reason, FIX)
        if (frame.width, frame.height) != (plan.width, plan.height):
            raise VideoError(name, f"frame {count} is {frame.width}x{frame.height}, not {plan.width}x{plan.height}", FIX)
        here = [item for item in plan.hidden if item.first <= count <= item.last]
        if here:
            refuse_visible(frame, count, here, name)
        count += 1
    if count != plan.frame_count:
        raise VideoError(name, f"{count} of {plan.frame_count} planned frames were rendered", FIX)


def refuse_visible(frame: av.VideoFrame, count: int, hidden: list[Hidden], name: str) -> None:
    """Raise a `VideoError` when a frame is not black where it is hidden."""
    picture: npt.NDArray[np.int64] = frame.to_ndarray(format="rgb24").astype(np.int64)
    for item in hidden:
        x, y, w, h = item.box_xywh or (0, 0, frame.width, frame.height)
        shown = picture[y : y + h, x : x + w]
        if item.box_xywh is None:
            brightest, limit = int(shown.max()), 0
        else:
            inner = shown[EDGE_PX:-EDGE_PX, EDGE_PX:-EDGE_PX]
            brightest, limit = max(int((shown @ LUMA).max()) // 1000, int(inner.max(initial=0))), RECTANGLE_NOISE
        if brightest > limit:
            raise VideoError(name, f"frame {count} is not black where it must be hidden (brightest value {brightest})", FIX)
