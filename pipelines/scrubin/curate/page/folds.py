"""Runs of seconds that look alike, for which one still of the sheet stands, and how unusual each second is.

Both follow from the histograms that were stored while a file was screened. Of each second all
frames count, not only the still: what comes and goes between two stills keeps its second from being
folded, as far as it changes colours, brightness or texture of the whole picture. What is small,
faint or far away does not change them. Of a run that still is shown that is least like the usual picture of
its recording.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import VideoError
from scrubin.curate.page.stills import FileKey
from scrubin.stages.review.desk import Desk
from scrubin.stages.review.status import alone_seconds, asked
from scrubin.stages.review.study import StudyFile
from scrubin.stages.screen import features
from scrubin.stages.screen.features import Histograms
from scrubin.stages.screen.pass_over_file import noted
from scrubin.stages.screen.proposals import SAME_S, Flags, Numbers
from scrubin.stages.screen.unlikeness import BLOCK_FRAMES, WHOLE, distance_from_typical, vectors

MOST_S = 10
"""So many seconds are folded into one still at most."""


@dataclass(frozen=True)
class Fold:
    """Seconds ``first`` to ``last``, both included, for which the still of the second ``shown`` stands."""

    first: int
    last: int
    shown: int

    @property
    def others(self) -> list[tuple[int, int]]:
        """The seconds for which the still only stands, as runs ``(first, last)``."""
        runs = (self.first, self.shown - 1), (self.shown + 1, self.last)
        return [(first, last) for first, last in runs if first <= last]


@dataclass(frozen=True)
class SecondsOfFile:
    """How the seconds of one file look.

    Parameters
    ----------
    stills
        The first frame that appears in each second, as the sheet shows it; -1 where none does. Shape (s,).
    nearness
        How alike the still of second i and the least like frame of second i + j - `MOST_S` are: the scalar product of their
        `vectors`; 0 where one of them is missing. Shape (s, 2 `MOST_S` + 1).
    far
        Hellinger distance of each still to the file's typical picture, 0 to 1; 0 where there is none. Shape (s,).
    """

    stills: npt.NDArray[np.int64]
    nearness: npt.NDArray[np.float32]
    far: Numbers


def seconds_of_file(histograms: Histograms, black: Flags, times_s: Numbers) -> SecondsOfFile:
    """Return how the seconds of a file look.

    Parameters
    ----------
    histograms
        Of every frame, shape (n, 88), n > 0.
    black
        Frames that do not count for what is typical, shape (n,).
    times_s
        Presentation times, shape (n,), increasing.
    """
    of_frame = np.floor(times_s + SAME_S).astype(np.int64)
    count = int(of_frame[-1]) + 1
    stills = first_frames(times_s, count)
    there = stills >= 0
    of_stills = np.zeros((count, histograms.shape[1]), dtype=np.float32)
    of_stills[there] = vectors(histograms[stills[there]])
    nearness = np.full((count, 2 * MOST_S + 1), np.inf, dtype=np.float32)
    for at in range(0, len(times_s), BLOCK_FRAMES):
        block = slice(at, at + BLOCK_FRAMES)
        looks, second = vectors(histograms[block]), of_frame[block]
        for place in range(2 * MOST_S + 1):
            still = second - (place - MOST_S)
            inside = (still >= 0) & (still < count)
            alike = np.einsum("ij,ij->i", looks[inside], of_stills[still[inside]])
            np.minimum.at(nearness[:, place], still[inside], alike)
    nearness[~np.isfinite(nearness) | ~there[:, None]] = 0
    far = np.zeros(count)
    far[there] = distance_from_typical(histograms, black)[stills[there]]
    return SecondsOfFile(stills, nearness, far)


def first_frames(times_s: Numbers, seconds: int) -> npt.NDArray[np.int64]:
    """Return the first frame that appears in each whole second, -1 where none does; shape (seconds,).

    >>> first_frames(np.array([0.0, 0.5, 1.0, 3.2]), 4).tolist()
    [0, 2, -1, 3]
    """
    starts = np.arange(seconds)
    first = np.searchsorted(times_s, starts - SAME_S)
    known = np.minimum(first, len(times_s) - 1)
    return np.where((first < len(times_s)) & (times_s[known] < starts + 1 - SAME_S), known, -1)


def folds(files: Sequence[SecondsOfFile], limit: float, interval_s: tuple[float, float], alone: Container[int] = ()) -> list[Fold]:
    """Return the folds of a recording, in order of time.

    Parameters
    ----------
    files
        Of each camera; the seconds of a fold look alike in all of them.
    limit
        Hellinger distance from the shown still that no frame of a fold exceeds, 0 to 1; 0: nothing is folded.
    interval_s
        What of the recording is kept. Its first and its last second stand for themselves.
    alone
        Further seconds that stand for themselves.
    """
    count = min((len(one.stills) for one in files), default=0)
    if limit <= 0 or not count:
        return []
    alike = np.float32(WHOLE**2 * (1 - limit**2))
    near = np.logical_and.reduce([one.nearness[:count] >= alike for one in files])
    far = np.maximum.reduce([one.far[:count] for one in files])
    may = [bool(near[second, MOST_S]) and second not in alone for second in range(count)]
    done: list[Fold] = []
    first, end = math.floor(interval_s[0]) + 1, min(math.ceil(interval_s[1]) - 1, count)
    while first < end:
        last = shown = first
        while may[first] and last + 1 < min(end, first + MOST_S) and may[last + 1]:
            least_usual = last + 1 if far[last + 1] > far[shown] else shown
            if not near[least_usual, first - least_usual + MOST_S : last + 1 - least_usual + MOST_S + 1].all():
                break
            last, shown = last + 1, least_usual
        done += [Fold(first, last, shown)] if last > first else []
        first = last + 1
    return done


def unusual_first(files: Sequence[SecondsOfFile]) -> list[int]:
    """Return all seconds of a recording, those first whose stills are least like the usual picture of their file."""
    count = max((len(one.far) for one in files), default=0)
    far = np.maximum.reduce([np.pad(one.far, (0, count - len(one.far))) for one in files]) if files else np.zeros(0)
    return [int(second) for second in np.argsort(-far, kind="stable")]


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
    """Reads how recordings look from what was stored when their files were screened, each once.

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
