"""Frames of the raw files for the report: when each is on screen, a small picture of it, and how unlike the others it looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from scrubin.screen import features, reel
from scrubin.screen.detectors import registry
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observed, noted, observe_stored
from scrubin.screen.typical_picture import distance
from scrubin.video.frame_times import boundaries_s
from scrubin.video.source import Source

FileKey = tuple[str, str]
"""Recording and camera."""
Numbers = npt.NDArray[np.float64]


class SourceFrames(Protocol):
    """The frames of every raw file that was screened. All raise VideoError when a file cannot be read or decoded."""

    def times_s(self, key: FileKey) -> Numbers:
        """Return the presentation time of every frame in source seconds, then the end of the last; shape (n + 1,)."""

    def pictures(self, key: FileKey, frames: Sequence[int]) -> list[npt.NDArray[np.uint8]]:
        """Return small pictures, each blue, green and red of shape (height, width, 3), in the order of ``frames``."""

    def distance(self, key: FileKey) -> Numbers | None:
        """Return how far every frame is from the file's typical picture, 0 to 1, black ones 0, shape (n,); None: not measured."""


@dataclass(frozen=True)
class RawFiles:
    """What the stage screen has stored of the raw files. What is no longer in the store is made again, so the page is the same.

    Parameters
    ----------
    raw
        Folder of the raw study.
    files
        By recording and camera.
    screen
        With which the files were screened.
    """

    raw: Path
    files: Mapping[FileKey, Source]
    screen: ScreenParams

    def times_s(self, key: FileKey) -> Numbers:
        """See `SourceFrames`."""
        return boundaries_s(self.files[key].probe(self.raw))

    def pictures(self, key: FileKey, frames: Sequence[int]) -> list[npt.NDArray[np.uint8]]:
        """See `SourceFrames`."""
        return reel.Reel(self.files[key].path, self._observed(key, reel.NAME)).pictures(frames)

    def distance(self, key: FileKey) -> Numbers | None:
        """See `SourceFrames`. It is measured when one of the detectors compares whole pictures."""
        if features.NAME not in {observer.name for observer in registry.observers(self.screen)}:
            return None
        measured = features.features(self._observed(key, features.NAME))
        black = measured.brightest <= self.screen.black_level
        return np.where(black, 0.0, distance(measured.histograms, black)) if len(black) else np.zeros(0)

    def _observed(self, key: FileKey, name: str) -> Observed:
        source = self.files[key]
        observers = {one.name: one for one in (*registry.observers(self.screen), reel.OBSERVER)}
        known = noted(source.path, source.sha256, observers[name])
        if known is None:
            # In one decode, whatever else is no longer there: the rest of the page needs it as well.
            times_s = self.times_s(key)[:-1]
            known = observe_stored(self.raw, source, list(observers.values()), times_s)[name]
        return known
