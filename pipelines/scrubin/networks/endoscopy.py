"""Whether a picture shows what an endoscope sees inside a body, or anything else: a small network fitted for this project.

Three planes of 48 x 64 go through seven convolutions, the mean over the picture and one sum:
60,000 numbers, fitted by `benchmarks/fit_endoscopy.py` on public pictures of real operations,
rooms, people and screens; `endoscopy.json` beside this file names the sources and says how well
it does on those that it was not fitted on.

All weights and activations are whole numbers and no sum reaches 2 to the power of 24, so that
float32 holds each exactly: any processor gives the same scores, whatever the order of its sums.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Any

import av
import numpy as np
import numpy.typing as npt

from scrubin.networks.sessions import session

CODE = ("networks/endoscopy.py", "networks/endoscopy.onnx", "networks/sessions.py")
PACKAGES = ("numpy", "onnxruntime")
HEIGHT, WIDTH = 48, 64
UNIT = 16
"""Scores are log odds in sixteenths: 16 stands for odds of e to 1."""
LEVELS = np.arange(256)
# 16 to 235 (luma) and 16 to 240 (colour) stretched to 0 to 255 (ITU-R BT.601, section 2.5.3).
LUMA = np.clip(np.rint((LEVELS - 16) * 255 / 219), 0, 255).astype(np.uint8)
COLOUR = np.clip(np.rint((LEVELS - 128) * 255 / 224 + 128), 0, 255).astype(np.uint8)
Planes = npt.NDArray[np.uint8]


def planes(small: av.VideoFrame) -> Planes:
    """Return what the network sees of a picture in 4:2:0 of limited range: luma, blue and red difference, shape (3, 48, 64)."""
    return np.stack([table[_reduced(plane)] for table, plane in zip((LUMA, COLOUR, COLOUR), small.planes, strict=True)])


def log_odds(pictures: Planes) -> npt.NDArray[np.int16]:
    """Return how much speaks for "outside the body" in planes of shape (n, 3, 48, 64): log odds in sixteenths, shape (n,)."""
    (sixteenths,) = _network().run(None, {"planes": pictures.astype(np.float32)})
    scores: npt.NDArray[np.int16] = sixteenths[:, 0].astype(np.int16)
    return scores


def _reduced(plane: av.video.plane.VideoPlane) -> npt.NDArray[np.uint8]:
    """Return the mean of each of 48 x 64 cells of a plane, rounded down; cells of a smaller plane repeat its points."""
    points = np.frombuffer(memoryview(plane), np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width]
    sums = points
    for axis, (length, cells) in enumerate(((plane.height, HEIGHT), (plane.width, WIDTH))):
        sums = np.add.reduceat(sums, _edges(length, cells), axis=axis, dtype=np.uint32)
    return (sums // _sizes(plane.height, plane.width)).astype(np.uint8)


@lru_cache(maxsize=64)
def _edges(length: int, cells: int) -> npt.NDArray[np.int64]:
    return np.arange(cells) * length // cells


@lru_cache(maxsize=64)
def _sizes(height: int, width: int) -> npt.NDArray[np.uint32]:
    """Return how many points each cell holds; one where neighbouring cells begin at the same point."""
    rows, columns = (
        np.maximum(np.diff(np.append(_edges(length, cells), length)), 1) for length, cells in ((height, HEIGHT), (width, WIDTH))
    )
    return np.outer(rows, columns).astype(np.uint32)


@lru_cache(maxsize=1)
def _network() -> Any:
    return session(resources.files("scrubin.networks").joinpath("endoscopy.onnx").read_bytes())
