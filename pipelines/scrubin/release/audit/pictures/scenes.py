"""Scenes of a recording: pictures of like colours, so that a room among thousands of pictures of tissue stands out.

The measure is the overlap of two histograms (Bhattacharyya) of coarse luma and chroma values. On frames of 9 sources of real
operations and 8 of real rooms, people and screens, an operation has 1 to 13 scenes, and no picture of a room belongs to one of them.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

APART = 0.1
"""Pictures whose histograms overlap by less than 1 - APART are of two scenes."""
MOST = 64
"""Later pictures belong to the scene that is nearest: flicker shall not have every picture looked at."""
LIKE = 5.0
"""Mean difference of the samples, in levels, up to which a picture is of the scene of the one it is compared with. Noise has 2 to 4."""
LUMA_BINS, CHROMA_BINS = 8, 12
LUMA_SAMPLES, CHROMA_SAMPLES = (18, 32), (18, 24)
Plane = npt.NDArray[np.uint8]
_CHROMA_BIN = np.clip((np.arange(256) - 68) // 10, 0, CHROMA_BINS - 1).astype(np.intp)


class Scenes:
    """Counts the pictures of each scene."""

    def __init__(self) -> None:
        self._first = np.zeros((MOST, LUMA_BINS + CHROMA_BINS**2), np.float32)
        self._counts: list[int] = []
        self._samples: Plane = np.zeros(0, np.uint8)
        self._scene = 0

    def count(self, luma: Plane, blue: Plane, red: Plane) -> int:
        """Return how many pictures of its scene there have been with this one: 1 for a new scene.

        Parameters
        ----------
        luma, blue, red
            Planes of the picture, each of any size, 0 to 255.
        """
        sampled = [_sampled(luma, LUMA_SAMPLES), _sampled(blue, CHROMA_SAMPLES), _sampled(red, CHROMA_SAMPLES)]
        # A quarter of the samples says that nothing changed, as in nearly every picture; fetching them is what costs time.
        samples = np.concatenate([one[::2, ::2].ravel() for one in sampled])
        same_size = samples.size == self._samples.size
        if not same_size or cv2.norm(samples, self._samples, cv2.NORM_L1) > LIKE * samples.size:
            self._samples, self._scene = samples, self._nearest(_histogram(*sampled))
        self._counts[self._scene] += 1
        return self._counts[self._scene]

    def _nearest(self, histogram: npt.NDArray[np.float32]) -> int:
        """Return the scene that a histogram belongs to; a new one when it is unlike all and there is room."""
        there = len(self._counts)
        overlaps = self._first[:there] @ histogram
        nearest = int(overlaps.argmax()) if there else -1
        if there < MOST and (not there or overlaps[nearest] < 1 - APART):
            self._first[there] = histogram
            self._counts.append(0)
            nearest = there
        return nearest


def _histogram(luma: Plane, blue: Plane, red: Plane) -> npt.NDArray[np.float32]:
    """Return the roots of the shares of all luma and chroma values of the samples, which have length 1."""
    bright = np.bincount((luma // (256 // LUMA_BINS)).ravel(), minlength=LUMA_BINS) / luma.size
    joint = _CHROMA_BIN[blue] * CHROMA_BINS + _CHROMA_BIN[red]
    colour = np.bincount(joint.ravel(), minlength=CHROMA_BINS**2) / joint.size
    roots: npt.NDArray[np.float32] = np.sqrt(np.concatenate([bright, colour]) / 2).astype(np.float32)
    return roots


def _sampled(plane: Plane, size: tuple[int, int]) -> Plane:
    """Return about so many rows and columns of a plane."""
    return plane[:: max(1, plane.shape[0] // size[0]), :: max(1, plane.shape[1] // size[1])]
