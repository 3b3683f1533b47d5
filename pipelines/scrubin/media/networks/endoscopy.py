"""Whether a picture shows what an endoscope sees inside a body, or anything else: a small network fitted for this project.

Three planes of 48 x 64 go through seven convolutions, the mean over the picture and one sum:
60,000 numbers, fitted by `benchmarks/fit_endoscopy.py` on public pictures of real operations,
rooms, people and screens; `endoscopy.json` beside this file names the sources and says how well
it does on those that it was not fitted on.

All weights and activations are whole numbers and no sum reaches 2 to the power of 24, so that
float32 holds each exactly: any processor gives the same scores, whatever the order of its sums.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from importlib import resources
from typing import Any

import av
import cv2
import numpy as np
import numpy.typing as npt

from scrubin.base.errors import StageError
from scrubin.base.pixels import STRETCHED_COLOUR, STRETCHED_LUMA
from scrubin.media.networks.weights import session

HEIGHT, WIDTH = 48, 64
UNIT = 16
"""Scores are log odds in sixteenths: 16 stands for odds of e to 1."""
Planes = npt.NDArray[np.uint8]


def planes(small: av.VideoFrame) -> Planes:
    """Return what the network sees of a picture in 4:2:0 of limited range: luma, blue and red difference, shape (3, 48, 64)."""
    tables = (STRETCHED_LUMA, STRETCHED_COLOUR, STRETCHED_COLOUR)
    return np.stack([table[reduced(_points(plane))] for table, plane in zip(tables, small.planes, strict=True)])


def log_odds(pictures: Planes) -> npt.NDArray[np.int16]:
    """Return how much speaks for "outside the body" in planes of shape (n, 3, 48, 64): log odds in sixteenths, shape (n,)."""
    (sixteenths,) = _network().run(None, {"planes": pictures.astype(np.float32)})
    scores: npt.NDArray[np.int16] = sixteenths[:, 0].astype(np.int16)
    return scores


def reduced(points: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the mean of each of 48 x 64 cells of a plane, rounded down; cells of a smaller plane repeat its points."""
    sums = cv2.integral(points)
    (tops, bottoms), (lefts, rights) = _edges(points.shape[0], HEIGHT), _edges(points.shape[1], WIDTH)
    lower, upper = sums[bottoms], sums[tops]
    cells = lower[:, rights] - lower[:, lefts] - upper[:, rights] + upper[:, lefts]
    return (cells // np.outer(bottoms - tops, rights - lefts)).astype(np.uint8)


def _points(plane: av.video.plane.VideoPlane) -> npt.NDArray[np.uint8]:
    return np.frombuffer(memoryview(plane), np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width]


@lru_cache(maxsize=256)
def _edges(length: int, cells: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return where each cell begins and ends; where there are fewer points than cells, each holds one."""
    starts = np.arange(cells) * length // cells
    return starts, np.maximum(np.append(starts[1:], length), starts + 1)


@lru_cache(maxsize=1)
def _network() -> Any:
    return session(weights())


def weights() -> bytes:
    """Return the network's file.

    Raises
    ------
    StageError
        When it cannot be read, or holds other bytes than those that were measured.
    """
    folder = resources.files("scrubin.media.networks")
    try:
        data = folder.joinpath("endoscopy.onnx").read_bytes()
    except OSError as error:
        msg = f"the network 'endoscopy', which knows what endoscopy looks like, cannot be read ({error.strerror}); install scrubin again"
        raise StageError(msg) from error
    sha256 = hashlib.sha256(data).hexdigest()
    expected = json.loads(folder.joinpath("endoscopy.json").read_text(encoding="utf-8"))["sha256"]
    if sha256 != expected:
        msg = f"the network 'endoscopy' has SHA-256 {sha256[:12]}..., not {expected[:12]}... of endoscopy.json; install scrubin again"
        raise StageError(msg)
    return data
