"""Burned-in text: who and when, written into the picture by the recorder."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from scrubin.demo.plan import Text
from scrubin.demo.scenes.canvas import GREY, WHITE, Frame

HEIGHT_PX = 18
BASELINE_PX = 13
SCALE = 0.42
BACKGROUND = 40


def burn(frame: Frame, text: Text, time_s: float) -> Frame:
    """Return the frame with the text and the running clock in the text's rectangle."""
    x, y, width, height = box(text)
    letters = _letters(line(text, time_s), width)
    luma, u, v = frame.y.copy(), frame.u.copy(), frame.v.copy()
    patch = luma[y : y + height, x : x + width]
    # Half transparent: the picture shows through between the letters.
    patch[:] = np.where(letters, WHITE, (patch.astype(np.uint16) + BACKGROUND) // 2)
    for chroma in (u, v):
        chroma[y // 2 : (y + height) // 2, x // 2 : (x + width) // 2] = GREY
    return Frame(luma, u, v)


def line(text: Text, time_s: float) -> str:
    """Return what stands there: the words and the time of day."""
    second = text.clock_s + int(time_s)
    return f"{text.caption} {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def box(text: Text) -> tuple[int, int, int, int]:
    """Return the rectangle that the text covers at all times: x, y, w, h in even px."""
    # The widest clock: no digit of this font is wider than an 8.
    (width, _), _ = cv2.getTextSize(f"{text.caption} 88:88:88", cv2.FONT_HERSHEY_SIMPLEX, SCALE, 1)
    return text.x, text.y, (width + 10) // 2 * 2, HEIGHT_PX


@lru_cache(maxsize=512)
def _letters(text: str, width: int) -> NDArray[np.bool_]:
    canvas = np.zeros((HEIGHT_PX, width), np.uint8)
    cv2.putText(canvas, text, (3, BASELINE_PX), cv2.FONT_HERSHEY_SIMPLEX, SCALE, 255, 1)
    return np.asarray(canvas > 110)
