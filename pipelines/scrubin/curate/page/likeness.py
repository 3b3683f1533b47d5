"""Which stills of a study fold, and in which order they are unusual, from what was stored when its files were screened."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from scrubin.base.errors import VideoError
from scrubin.curate.page.folds import Fold, SecondsOfFile, folds, seconds_of_file, unusual_first
from scrubin.curate.page.stills import FileKey
from scrubin.stages.review.desk import Desk
from scrubin.stages.review.study import StudyFile
from scrubin.stages.screen import features
from scrubin.stages.screen.pass_over_file import noted
from scrubin.stages.screen.proposals import SAME_S

AROUND_S = 1.0
"""So long before and after what a detector proposes every second has a still of its own."""


@dataclass(frozen=True)
class Looks:
    """How the seconds of a recording look: what folds, and all of them, the unusual ones first; None where that is not stored."""

    folds: tuple[Fold, ...] = ()
    order: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Likeness:
    """Reads how recordings look, each once.

    Parameters
    ----------
    desk
        The study.
    limit
        Parameter ``review.folds``.
    thumbnail_height, black_level
        As the files were screened.
    """

    desk: Desk
    limit: float
    thumbnail_height: int
    black_level: int
    _known: dict[int, Looks] = field(default_factory=dict)

    def of(self, number: int) -> Looks:
        """Return how the seconds of a recording look."""
        if number not in self._known:
            self._known[number] = self._read(number)
        return self._known[number]

    def fold_of(self, file: FileKey, frame: int) -> Fold | None:
        """Return the fold for which a frame stands when the sheet shows it; None when it stands for none."""
        time_s = float(self.desk.boundaries_s(*file)[frame])
        return next((one for one in self.of(file[0]).folds if one.shown == math.floor(time_s + SAME_S)), None)

    def _read(self, number: int) -> Looks:
        files = [self.desk.file(number, one.camera) for one in self.desk.recording(number).files]
        seconds = [one for one in map(self._seconds, files) if one is not None]
        if not files or len(seconds) < len(files):
            return Looks()
        interval_s = max(one.interval_s[0] for one in files), min(one.interval_s[1] for one in files)
        alone = {second for file in files for second in self._proposed(file)}
        return Looks(tuple(folds(seconds, self.limit, interval_s, alone)), tuple(unusual_first(seconds)))

    def _seconds(self, file: StudyFile) -> SecondsOfFile | None:
        try:
            observed = noted(file.path, file.sha256, features.observer(self.thumbnail_height))
        except VideoError:
            return None
        if observed is None:
            return None
        measured = features.features(observed)
        times_s = self.desk.times_s[file.key][:-1]
        return seconds_of_file(measured.histograms, measured.brightest <= self.black_level, times_s)

    def _proposed(self, file: StudyFile) -> Iterator[int]:
        # What detectors propose stays as it is while people decide.
        for one in self.desk.reviewed.proposals.get(file.key, ()):
            yield from range(math.floor(one.interval_s[0] - AROUND_S), math.ceil(one.interval_s[1] + AROUND_S))
