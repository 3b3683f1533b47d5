"""How well pictures fit frames of a video, by the squared difference of their thumbnails."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from scrubin.frames.check.conventions import IntArray
from scrubin.frames.check.thumbnails import LEVEL, PIXELS, Thumbnails

FloatArray = npt.NDArray[np.float64]
SUBSET = 64  # pictures that are searched in the whole video
CHUNK = 4096
# A compressed picture is never exactly its frame: this much of the noise lies in any one direction.
MARGIN = 25.0
LEAST_NOISE = 0.01  # grey levels squared: rounding, and small differences between colour conversions
ALIKE = 0.25  # share of the pictures' variance that frames may leave unexplained
FEWEST = 3


@dataclass(frozen=True)
class Line:
    """Where pictures lie in a video: place x of the numbering shows ``slope * x + start`` (seconds, or frames).

    ``share`` of the searched pictures lie on it.
    """

    slope: float
    start: float
    share: float


class Comparison:
    """The pictures of a folder against the frames of a video.

    Parameters
    ----------
    pictures, frames
        Thumbnails, shapes (m, 576) and (n, 576).
    """

    def __init__(self, pictures: Thumbnails, frames: Thumbnails) -> None:
        self._pictures, self._frames = pictures, frames
        self._gain, self._offset = 1.0, 0.0

    def search(self) -> tuple[IntArray, IntArray, float]:
        """Look for some pictures in the whole video, and take over how grey levels differ.

        Returns
        -------
        Which pictures, the frame nearest to each, and the median share of the variance that stays unexplained.
        """
        which = np.unique(np.linspace(0, len(self._pictures) - 1, SUBSET).round().astype(np.int64))
        nearest, left = self._nearest(which)
        self._fit(which[left <= np.median(left)], nearest[left <= np.median(left)])
        nearest, left = self._nearest(which)
        # Of all pictures together, because a picture may be black.
        variance = max(LEAST_NOISE, float(self._levels(self._pictures[which]).var()))
        return which, nearest, float(np.median(left)) / (variance * PIXELS)

    def apart(self, pictures: IntArray, frames: IntArray) -> FloatArray:
        """Return the squared difference of each picture to its frame, in grey levels, summed over 576 cells."""
        result = np.empty(len(pictures))
        for start in range(0, len(pictures), CHUNK):
            part = slice(start, start + CHUNK)
            rows, where = np.unique(frames[part], return_inverse=True)
            shown = self._as_pictures(self._frames[rows])[where]
            difference = shown - self._levels(self._pictures[pictures[part]])
            result[part] = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
        return result

    def least(self, centres: IntArray, reach: int) -> FloatArray:
        """Return for each picture the least difference to a frame at most ``reach`` frames from its centre."""
        everyone = np.arange(len(self._pictures))
        best = np.full(len(everyone), np.inf)
        for offset in range(-reach, reach + 1):
            frames = np.clip(centres + offset, 0, len(self._frames) - 1)
            np.minimum(best, self.apart(everyone, frames), out=best)
        return best

    def _nearest(self, which: IntArray) -> tuple[IntArray, FloatArray]:
        wanted = self._levels(self._pictures[which])
        own = np.einsum("ij,ij->i", wanted, wanted, dtype=np.float64)
        best, nearest = np.full(len(which), np.inf), np.zeros(len(which), np.int64)
        for start in range(0, len(self._frames), CHUNK):
            shown = self._as_pictures(self._frames[start : start + CHUNK])
            apart = own[:, None] + np.einsum("ij,ij->i", shown, shown, dtype=np.float64)[None] - 2.0 * (wanted @ shown.T)
            here = apart.argmin(axis=1)
            less = apart[np.arange(len(which)), here]
            nearest = np.where(less < best, start + here, nearest)
            best = np.minimum(best, less)
        return nearest, self.apart(which, nearest)

    def _fit(self, pictures: IntArray, frames: IntArray) -> None:
        # Gain and offset: full or limited range, another matrix of colours.
        levels, shown = self._levels(self._pictures[pictures]).ravel(), self._levels(self._frames[frames]).ravel()
        variance = float(shown.var())
        if variance > LEAST_NOISE:
            self._gain = float(((shown - shown.mean()) * (levels - levels.mean())).mean()) / variance
        self._offset = float(levels.mean()) - self._gain * float(shown.mean())

    def _as_pictures(self, frames: Thumbnails) -> npt.NDArray[np.float32]:
        return self._levels(frames) * np.float32(self._gain) + np.float32(self._offset)

    @staticmethod
    def _levels(thumbnails: Thumbnails) -> npt.NDArray[np.float32]:
        return np.asarray(thumbnails, np.float32) / np.float32(LEVEL)


def margin(least: FloatArray) -> float:
    """Return by how much a picture may be nearer to another frame than to its own, from the least differences of all."""
    return MARGIN * max(LEAST_NOISE, float(np.median(least)) / PIXELS)


def line_through(places: IntArray, values: FloatArray, tolerance: float) -> Line:
    """Return the rising line that most points lie on; what is wrong with the others does not matter.

    Where the picture stands still, the nearest frame of a picture is anywhere.
    """
    best = Line(0.0, 0.0, 0.0)
    for a, b in combinations(range(len(places)), 2):
        slope = (values[b] - values[a]) / (places[b] - places[a])
        start = values[a] - slope * places[a]
        on = np.abs(values - slope * places - start) <= tolerance
        if slope > 0 and on.mean() > best.share and on.sum() >= min(FEWEST, len(places)):
            fitted = np.polyfit(places[on], values[on], 1)
            best = Line(float(fitted[0]), float(fitted[1]), float(on.mean()))
    return best
