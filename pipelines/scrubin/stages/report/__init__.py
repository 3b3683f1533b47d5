"""All that the report is made of: a study's tables, the other stages' reports, frames of the raw files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.errors import StageError
from scrubin.base.params import ranged
from scrubin.base.tables import io
from scrubin.base.tables.private import STEREO
from scrubin.media.decode import boundaries_s
from scrubin.media.source import Source
from scrubin.stages.release.release_params import ReleaseParams
from scrubin.stages.screen import all_detectors, features, reel
from scrubin.stages.screen.detector import ScreenParams
from scrubin.stages.screen.pass_over_file import Observed, noted, observe_stored
from scrubin.stages.screen.unlikeness import distance_from_typical


@dataclass(frozen=True)
class ReportParams:
    """The section ``report`` of ``params.yaml``.

    Parameters
    ----------
    worst_frames
        So many frames are shown as thumbnails.
    thumbnail_width_px
        Width of a thumbnail.
    thumbnail_quality
        JPEG quality of a thumbnail.
    much_hidden_share
        A recording of which a larger share of frames is hidden needs a look.
    top_triplets
        So many of the most frequent triplets are listed.
    """

    worst_frames: int = ranged(low=0, high=12)
    thumbnail_width_px: int = ranged(low=32, high=640)
    thumbnail_quality: int = ranged(low=1, high=100)
    much_hidden_share: float = ranged(low=0, high=1)
    top_triplets: int = ranged(low=1, high=200)


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
        if features.NAME not in {observer.name for observer in all_detectors.observers(self.screen)}:
            return None
        measured = features.features(self._observed(key, features.NAME))
        black = measured.brightest <= self.screen.black_level
        return np.where(black, 0.0, distance_from_typical(measured.histograms, black)) if len(black) else np.zeros(0)

    def _observed(self, key: FileKey, name: str) -> Observed:
        source = self.files[key]
        observers = {one.name: one for one in (*all_detectors.observers(self.screen), reel.OBSERVER)}
        known = noted(source.path, source.sha256, observers[name])
        if known is None:
            # In one decode, whatever else is no longer there: the rest of the page needs it as well.
            times_s = self.times_s(key)[:-1]
            known = observe_stored(self.raw, source, list(observers.values()), times_s)[name]
        return known


@dataclass(frozen=True)
class ReportedStudy:
    """The tables and the other stages' reports, each by its name.

    Parameters
    ----------
    recordings, redactions, quarantine, linkage, cuts
        The private tables; ``quarantine`` is that of all stages.
    videos, frames, skill, labelled, triplets, phases
        The public tables.
    review, scores, annotations, splits, validation
        What these stages say beyond their tables.
    development
        How the GRS develops over trials, as the stage scores tells it in private.
    release
        The section of ``params.yaml``, for what must have been seen.
    sources
        Frames of the raw files.
    stereo
        The private table of this name.
    """

    recordings: pd.DataFrame
    redactions: pd.DataFrame
    quarantine: pd.DataFrame
    linkage: pd.DataFrame
    cuts: pd.DataFrame
    videos: pd.DataFrame
    frames: pd.DataFrame
    skill: pd.DataFrame
    labelled: pd.DataFrame
    triplets: pd.DataFrame
    phases: pd.DataFrame
    review: Mapping[str, Any]
    scores: Mapping[str, Any]
    annotations: Mapping[str, Any]
    splits: Mapping[str, Any]
    validation: Mapping[str, Any]
    development: Mapping[str, Any]
    release: ReleaseParams
    sources: SourceFrames
    stereo: pd.DataFrame = field(default_factory=lambda: io.frame_of(STEREO, []))

    def names(self) -> dict[str, str]:
        """Return the curator's name of each recording by its released id."""
        return dict(zip(self.linkage["id"], self.linkage["recording"], strict=True))


def read_json(path: Path) -> dict[str, Any]:
    """Return what another stage says beyond its tables.

    Raises
    ------
    StageError
        When the file is not there or no JSON object.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StageError(f"{path}: cannot be read as JSON: {error}; run 'dvc repro' to make it again") from error
    if not isinstance(value, dict):
        raise StageError(f"{path}: expected an object, but got {type(value).__name__}; run 'dvc repro' to make it again")
    return value
