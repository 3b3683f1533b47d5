"""What every frame looks like: its histogram, its brightest point, whether it stands still; and faces in unlike ones."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.networks import faces
from scrubin.screen.decoded_picture import DecodedPicture
from scrubin.screen.histograms import CELLS, Histograms, histogram
from scrubin.screen.pass_over_file import Observed, Observer
from scrubin.screen.proposals import Numbers
from scrubin.screen.thumbnail_store import Look, ThumbnailStore
from scrubin.screen.thumbnails import Thumbnailer
from scrubin.screen.typical_picture import distance

NAME = "features"
CODE = (
    *faces.CODE,
    *(f"screen/{name}.py" for name in ("features", "histograms", "thumbnail_store", "thumbnails", "typical_picture")),
)
PACKAGES = ("av", *faces.PACKAGES)
# A frozen picture that was encoded again (x264 up to crf 30, MPEG-4, fixed bitrate) moved by more than 12 levels in up to
# 2 of 100 points, the most at a new key frame. Real and synthetic footage stayed within these limits for at most 0.7 s.
STILL_LEVELS = 12
STILL_SHARE = 0.03
STILL_MAX_LEVELS = 64
# Too dark for a face; whatever a curator calls black.
DARK = 32


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
    return Observer(NAME, CODE, PACKAGES, {"height": thumbnail_height}, lambda times_s: _Measuring(thumbnail_height, times_s))


def features(observed: Observed) -> Features:
    """Return the features that `observer` has measured."""
    return Features(observed.arrays["histograms"], observed.arrays["brightest"], observed.arrays["still_since"])


def looks(observed: Observed) -> list[Look]:
    """Return the faces that `observer` has seen."""
    return [Look(**one) for one in observed.value or ()]


class _Measuring:
    def __init__(self, thumbnail_height: int, times_s: Numbers) -> None:
        self._thumbnailer = Thumbnailer(thumbnail_height)
        # Whole at once: a list of small arrays takes twice the memory for a recording of hours.
        self._histograms = np.zeros((len(times_s), CELLS), dtype=np.uint16)
        self._brightest = np.zeros(len(times_s), dtype=np.uint8)
        self._still_since = np.zeros(len(times_s), dtype=np.uint32)
        self._still: tuple[int, npt.NDArray[np.int16]] | None = None
        self._thumbnails = ThumbnailStore(times_s)

    def see(self, number: int, decoded: DecodedPicture) -> None:
        frame = decoded.frame
        thumbnail = self._thumbnailer.of(frame)
        luma = thumbnail.y.astype(np.int16)
        if number == 0 and luma.size > np.iinfo(self._histograms.dtype).max:
            self._histograms = self._histograms.astype(np.uint32)
        counts = histogram(thumbnail, luma)
        self._histograms[number] = counts
        self._brightest[number] = thumbnail.y.max()
        if self._still is None or not _same(luma, self._still[1]):
            self._still = number, luma
        self._still_since[number] = self._still[0]
        self._thumbnails.consider(number, frame, counts)

    def finish(self) -> Observed:
        far = distance(self._histograms, self._brightest <= DARK) if len(self._brightest) else np.zeros(0)
        looks = [asdict(look) for look in self._thumbnails.looks(far)]
        arrays: dict[str, npt.NDArray[Any]] = {
            "histograms": self._histograms,
            "brightest": self._brightest,
            "still_since": self._still_since,
        }
        return Observed(arrays, looks)


def _same(luma: npt.NDArray[np.int16], before: npt.NDArray[np.int16]) -> bool:
    """Whether two thumbnails show the same picture, up to the noise of a codec."""
    moved = np.abs(luma - before)
    return bool(moved.max() <= STILL_MAX_LEVELS) and np.count_nonzero(moved > STILL_LEVELS) <= STILL_SHARE * moved.size
