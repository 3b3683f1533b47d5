"""What a frame looks like, as a small vector: colours, brightness and texture of a thumbnail."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

from scrubin.video.decode import decoded

# 8x8 cells of the colour plane and 16 of brightness: coarse, so that moving instruments change little.
COLOUR_CELLS = 8
LUMA_CELLS = 16
CELLS = COLOUR_CELLS**2 + LUMA_CELLS


@dataclass(frozen=True)
class Features:
    """Features of every frame of a recording, in presentation order.

    Parameters
    ----------
    pts
        Presentation times in ticks of the file's clock, shape (n,).
    histograms
        Counts of the thumbnail's pixels: colour cells, then brightness cells; shape (n, 80).
    brightest
        Highest luma of the thumbnail, 0 to 255 in full range, shape (n,).
    pixels
        Number of pixels of a thumbnail.
    """

    pts: npt.NDArray[np.int64]
    histograms: npt.NDArray[np.int64]
    brightest: npt.NDArray[np.int64]
    pixels: int


def measure(path: Path, name: str, thumbnail_height: int) -> Features:
    """Decode a file once and return the features of its frames.

    Raises
    ------
    VideoError
        When a frame cannot be decoded.
    """
    pts, histograms, brightest = [], [], []
    reformatter = av.video.reformatter.VideoReformatter()
    width = 2
    for frame in decoded(path, name):
        width = max(2, round(Fraction(frame.width * thumbnail_height, frame.height)))
        # Sampled, not averaged: averaging needs every pixel and doubles the cost of decoding.
        thumbnail = reformatter.reformat(
            frame, width, thumbnail_height, "yuv444p", interpolation="POINT", dst_color_range="JPEG"
        ).to_ndarray()
        pts.append(int(frame.pts or 0))
        histograms.append(_histogram(thumbnail.astype(np.int64)))
        brightest.append(int(thumbnail[0].max()))
    return Features(
        np.array(pts, dtype=np.int64),
        np.array(histograms, dtype=np.int64).reshape(-1, CELLS),
        np.array(brightest, dtype=np.int64),
        width * thumbnail_height,
    )


def _histogram(yuv: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    luma, u, v = (plane.ravel() for plane in yuv)
    # Chroma of tissue and plastics lies near grey, so its middle half is resolved twice as finely.
    cell_u, cell_v = (np.clip((plane - 64) * COLOUR_CELLS // 128, 0, COLOUR_CELLS - 1) for plane in (u, v))
    colours = np.bincount(cell_u * COLOUR_CELLS + cell_v, minlength=COLOUR_CELLS**2)
    return np.concatenate([colours, np.bincount(luma * LUMA_CELLS // 256, minlength=LUMA_CELLS)])
