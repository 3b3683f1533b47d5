"""What every frame looks like: its histogram, its brightest point, whether it stands still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.screen.decoded_picture import DecodedPicture
from scrubin.screen.histograms import CELLS, Histograms, histogram
from scrubin.screen.pass_over_file import Observed, Observer
from scrubin.screen.proposals import Numbers
from scrubin.screen.thumbnails import Thumbnailer

NAME = "features"
# A frozen picture that was encoded again (x264 up to crf 30, MPEG-4, fixed bitrate) moved by more than 12 levels in up to
# 2 of 100 points, the most at a new key frame. Real and synthetic footage stayed within these limits for at most 0.7 s.
STILL_LEVELS = 12
STILL_SHARE = 0.03
STILL_MAX_LEVELS = 64


@dataclass(frozen=True)
class Features:
    """Features of every frame of a recording, in presentation order.

    Parameters
    ----------
    histograms
        Counts of the thumbnail's points: colour, brightness and texture cells; shape (n, 88).
    brightest
        Highest luma of the thumbnail, 0 to 255 in full range, shape (n,).
    still_since
        The first frame of those up to this one that all show the same picture, shape (n,).
    """

    histograms: Histograms
    brightest: npt.NDArray[np.uint8]
    still_since: npt.NDArray[np.uint32]


def observer(thumbnail_height: int) -> Observer:
    """Return what measures the features of every frame while a file is decoded."""
    return Observer(NAME, __name__, {"height": thumbnail_height}, lambda times_s: _Measuring(thumbnail_height, times_s))


def features(observed: Observed) -> Features:
    """Return the features that `observer` has measured."""
    return Features(observed.arrays["histograms"], observed.arrays["brightest"], observed.arrays["still_since"])


class _Measuring:
    def __init__(self, thumbnail_height: int, times_s: Numbers) -> None:
        self._thumbnailer = Thumbnailer(thumbnail_height)
        # Whole at once: a list of small arrays takes twice the memory for a recording of hours.
        self._histograms = np.zeros((len(times_s), CELLS), dtype=np.uint16)
        self._brightest = np.zeros(len(times_s), dtype=np.uint8)
        self._still_since = np.zeros(len(times_s), dtype=np.uint32)
        self._still: tuple[int, npt.NDArray[np.int16]] | None = None

    def see(self, number: int, decoded: DecodedPicture) -> None:
        thumbnail = self._thumbnailer.of(decoded.frame)
        luma = thumbnail.y.astype(np.int16)
        if number == 0 and luma.size > np.iinfo(self._histograms.dtype).max:
            self._histograms = self._histograms.astype(np.uint32)
        self._histograms[number] = histogram(thumbnail, luma)
        self._brightest[number] = thumbnail.y.max()
        if self._still is None or not _same(luma, self._still[1]):
            self._still = number, luma
        self._still_since[number] = self._still[0]

    def finish(self) -> Observed:
        arrays: dict[str, npt.NDArray[Any]] = {
            "histograms": self._histograms,
            "brightest": self._brightest,
            "still_since": self._still_since,
        }
        return Observed(arrays)


def _same(luma: npt.NDArray[np.int16], before: npt.NDArray[np.int16]) -> bool:
    """Whether two thumbnails show the same picture, up to the noise of a codec."""
    moved = np.abs(luma - before)
    return bool(moved.max() <= STILL_MAX_LEVELS) and np.count_nonzero(moved > STILL_LEVELS) <= STILL_SHARE * moved.size
