"""Reading text in pictures: where lines stand, what they say.

Two networks of PP-OCRv6 do it, whose weights `scrubin.media.networks.weights` names. Where lines stand is
differentiable binarisation (Liao, Wan, Yao, Chen, Bai 2020, "Real-time scene text detection with
differentiable binarization", section 3.3: a line's shrunken shape is grown by its area over its
length). What they say is connectionist temporal classification (Graves et al. 2006), decoded greedily.
The second network is loaded when the first one sees a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.base.pixels import Box
from scrubin.media.networks.weights import proven, session, weights

# Text is looked for at this many pixels along the longer side. On real clips text 14 px high in 960 was then always read when
# opaque; at 736 one in three of 10 px was missed, at 960 one in twelve. See benchmarks/screen_text.py.
SIDE_PX = 960
STEP_PX = 32
LEAST = 0.5
"""Usual limit: lines that the reader is less sure of are no readings."""
SHRUNKEN_LIMIT, LINE_LIMIT = 0.3, 0.5
GROWTH = 1.6
THINNEST_PX = 3
LINE_PX = 48
NARROWEST_PX, WIDEST_PX = 32, 3200
Picture = npt.NDArray[np.uint8]
Corners = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Reading:
    """A line of text in one picture.

    Parameters
    ----------
    confidence
        How sure the reader is of what it says, 0 to 1, in hundredths.
    is_line
        How sure it is that a line stands there, whatever it says, 0 to 1, in hundredths.
    height_px
        Of the line, across its direction.
    """

    box_xywh: Box
    text: str
    confidence: float
    is_line: float = 1.0
    height_px: int = 0


@dataclass(frozen=True)
class _Line:
    """Corners of a line, along its upper edge from its beginning, then back, shape (4, 2); and how sure it is that it is one."""

    corners: Corners
    is_line: float


def read(bgr: Picture, least: float = LEAST, side_px: int = SIDE_PX, unread_least: float | None = None) -> list[Reading]:
    """Return the lines of text in a picture of shape (height, width, 3), from top to bottom.

    Parameters
    ----------
    bgr
        Blue, green and red.
    least
        Lines that the reader is less sure of are not among them.
    side_px
        The longer side at which lines are looked for; a smaller picture is not made larger.
    unread_least
        Lines that surely are lines are among them as well, whatever the reader makes of them: from this value of ``is_line`` on.
        It knows Latin, Chinese and Japanese letters and some Greek; where a line stands is seen in any script.

    Raises
    ------
    StageError
        When a network is not there, is another one, or gives other scores on this processor.
    """
    readings = []
    for line in _lines(bgr, side_px):
        text, confidence = _said(_straightened(bgr, line.corners))
        if (text.strip() and confidence >= least) or (unread_least is not None and line.is_line >= unread_least):
            height_px = round(min(float(np.linalg.norm(line.corners[0] - line.corners[one])) for one in (1, 3)))
            readings.append(Reading(_around(line.corners, bgr.shape), text.strip(), confidence, line.is_line, height_px))
    return sorted(readings, key=lambda one: (one.box_xywh[1], one.box_xywh[0], one.text))


def _lines(bgr: Picture, side_px: int) -> list[_Line]:
    """Return each line of text."""
    height, width = bgr.shape[:2]
    scale = min(1.0, side_px / max(height, width))
    size = tuple(max(STEP_PX, round(side * scale / STEP_PX) * STEP_PX) for side in (width, height))
    shrunken = _judged("text-detection", cv2.resize(bgr, size, interpolation=cv2.INTER_LINEAR))[0, 0]
    # Dilated by a pixel, so that letters far apart are one line.
    shapes = cv2.dilate((shrunken > SHRUNKEN_LIMIT).astype(np.uint8), np.ones((2, 2), np.uint8))
    outlines, _ = cv2.findContours(shapes, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    lines = [line for outline in outlines if (line := _grown(outline, shrunken)) is not None]
    scale_xy = np.array([width / size[0], height / size[1]])
    return [_Line((line.corners * scale_xy).astype(np.float32), line.is_line) for line in lines]


def _grown(outline: npt.NDArray[Any], shrunken: npt.NDArray[np.float32]) -> _Line | None:
    """Return the line around a shape of the map; None when it is too thin or not sure enough."""
    middle, (along, across), degrees = cv2.minAreaRect(outline)
    if min(along, across) < THINNEST_PX:
        return None
    x, y, w, h = cv2.boundingRect(outline)
    mask = np.zeros((h, w), np.uint8)
    corners = cv2.boxPoints((middle, (along, across), degrees))
    cv2.fillPoly(mask, [np.rint(corners - (x, y)).astype(np.int32)], 1)
    if cv2.mean(shrunken[y : y + h, x : x + w], mask)[0] < LINE_LIMIT:
        return None
    # Of its own points, not of the corners of the rectangle around it.
    part = shrunken[y : y + h, x : x + w]
    is_line = round(float(part[part > SHRUNKEN_LIMIT].mean()), 2)
    more = 2 * GROWTH * along * across / (2 * (along + across))
    return _Line(_in_order(cv2.boxPoints((middle, (along + more, across + more), degrees))), is_line)


def _in_order(corners: npt.NDArray[Any]) -> Corners:
    """Return four corners from the upper left one on, clockwise."""
    left, right = np.split(corners[np.argsort(corners[:, 0], kind="stable")], 2)
    left, right = left[np.argsort(left[:, 1])], right[np.argsort(right[:, 1])]
    return np.array([left[0], right[0], right[1], left[1]], np.float32)


def _straightened(bgr: Picture, corners: Corners) -> Picture:
    """Return the line as a picture of its own, upright; what is much taller than wide is turned."""
    width, height = (max(2, round(float(np.linalg.norm(corners[0] - corners[one])))) for one in (1, 3))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    turned = cv2.getPerspectiveTransform(corners, target)
    line = cv2.warpPerspective(bgr, turned, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    upright = np.rot90(line) if 2 * height >= 3 * width else line
    return np.ascontiguousarray(upright, dtype=np.uint8)


def _said(line: Picture) -> tuple[str, float]:
    """Return what a line says, and how sure the reader is: 0 to 1, in hundredths, because last digits differ between processors."""
    width = min(max(NARROWEST_PX, round(line.shape[1] * LINE_PX / line.shape[0])), WIDEST_PX)
    scores = _judged("text-recognition", cv2.resize(line, (width, LINE_PX), interpolation=cv2.INTER_LINEAR))[0]
    best = scores.argmax(axis=1)
    # A letter counts where it begins; between two equal ones stands a blank, which is number 0.
    begins = (best != 0) & (best != np.append(0, best[:-1]))
    if not begins.any():
        return "", 0.0
    alphabet = _alphabet()
    return "".join(alphabet[letter] for letter in best[begins]), round(float(scores[begins, best[begins]].mean()), 2)


def _judged(name: str, bgr: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return a network's first output for a picture whose sides fit; colours are -1 to 1."""
    return _scores(_network(name), bgr)


def _scores(network: Any, bgr: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    picture = (bgr.astype(np.float32) * np.float32(2 / 255) - np.float32(1)).transpose(2, 0, 1)[None]
    output: npt.NDArray[np.float32] = network.run(None, {"x": np.ascontiguousarray(picture)})[0]
    return output


@lru_cache(maxsize=2)
def _network(name: str) -> Any:
    network = session(weights(name))
    proven(name, lambda bgr: _scores(network, bgr))
    return network


@lru_cache(maxsize=1)
def _alphabet() -> Sequence[str]:
    letters = _network("text-recognition").get_modelmeta().custom_metadata_map["character"].splitlines()
    return ("", *letters, " ")


def _around(corners: Corners, shape: tuple[int, ...]) -> Box:
    """Return the upright rectangle around four corners, inside the picture."""
    left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0).tolist()
    right, bottom = np.minimum(np.ceil(corners.max(axis=0)).astype(int), (shape[1], shape[0])).tolist()
    return left, top, max(right - left, 1), max(bottom - top, 1)
