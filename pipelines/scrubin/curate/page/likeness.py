"""Which stills of a study fold, and in which order they are unusual, from what was stored when its files were screened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import VideoError
from scrubin.curate.page.folds import Fold, SecondsOfFile, folds, seconds_of_file, unusual_first
from scrubin.curate.page.stills import FileKey
from scrubin.stages.review.desk import Desk
from scrubin.stages.review.status import alone_seconds, asked
from scrubin.stages.review.study import StudyFile
from scrubin.stages.screen import features
from scrubin.stages.screen.pass_over_file import noted


@dataclass(frozen=True)
class Looks:
    """How the seconds of a recording look: what folds, and all of them, the unusual ones first; None where that is not stored.

    Parameters
    ----------
    stills
        By camera, the frame that the sheet shows of each second, -1 for none.
    """

    folds: tuple[Fold, ...] = ()
    order: tuple[int, ...] | None = None
    stills: Mapping[str, npt.NDArray[np.int64]] = field(default_factory=dict)


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
        looks = self.of(file[0])
        return next((one for one in looks.folds if looks.stills[file[1]][one.shown] == frame), None)

    def _read(self, number: int) -> Looks:
        files = [self.desk.file(number, one.camera) for one in self.desk.recording(number).files]
        seconds = [one for one in map(self._seconds, files) if one is not None]
        if not files or len(seconds) < len(files):
            return Looks()
        interval_s = max(one.interval_s[0] for one in files), min(one.interval_s[1] for one in files)
        alone = {second for file in files for second in self._asked_about(file)}
        stills = {file.key[1]: one.stills for file, one in zip(files, seconds, strict=True)}
        return Looks(tuple(folds(seconds, self.limit, interval_s, alone)), tuple(unusual_first(seconds)), stills)

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

    def _asked_about(self, file: StudyFile) -> frozenset[int]:
        # What detectors propose and the audit asks stays as it is while people decide. What comes and goes with decisions, as in the
        # other camera, is counted as unseen by `file_status` when it falls into a fold.
        times_s, reviewed = self.desk.times_s[file.key], self.desk.reviewed
        intervals_s = [one.interval_s for one in reviewed.proposals.get(file.key, ())]
        intervals_s += [asked(one, times_s).interval_s for one in reviewed.questions.get(file.key, ())]
        return alone_seconds(intervals_s)
