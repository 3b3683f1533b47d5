"""Phases over time: runs of equal phases as strips, and the stretches in which a prediction is wrong or right."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.metrics.phases.videos import IntArray

COLUMNS = 1000
"""Width of a strip; a strip of more runs than half of it shows the first frame of each column."""


@dataclass(frozen=True)
class Run:
    """Neighbouring frames with one phase.

    Parameters
    ----------
    phase
        Its id.
    first, behind
        Positions of the first frame, and of the one behind the last.
    """

    phase: int
    first: int
    behind: int


@dataclass(frozen=True)
class Stretch:
    """Neighbouring frames with one annotated and one predicted phase.

    Parameters
    ----------
    video, run
        Where.
    first, last
        Numbers of its frames.
    frames
        How many.
    truth, predicted
        Phases by id.
    """

    video: str
    run: int
    first: int
    last: int
    frames: int
    truth: int
    predicted: int


def runs(phases: IntArray) -> list[Run]:
    """Return the runs of a sequence.

    >>> runs(np.array([0, 0, 2]))
    [Run(phase=0, first=0, behind=2), Run(phase=2, first=2, behind=3)]
    """
    if not len(phases):
        return []
    bounds = [0, *(np.flatnonzero(np.diff(phases)) + 1).tolist(), len(phases)]
    return [Run(int(phases[first]), first, behind) for first, behind in itertools.pairwise(bounds)]


def strip(phases: IntArray) -> dict[int, str]:
    """Return per phase a path of horizontal lines, `COLUMNS` wide, at the height 0.

    >>> strip(np.array([0, 0, 1, 0]))
    {0: 'M0 0h500M750 0h250', 1: 'M500 0h250'}
    """
    drawn = phases
    if len(runs(phases)) > COLUMNS // 2:
        drawn = phases[np.arange(COLUMNS) * len(phases) // COLUMNS]
    scale = COLUMNS / max(1, len(drawn))
    paths: dict[int, str] = {}
    for run in runs(drawn):
        first, behind = round(run.first * scale, 1), round(run.behind * scale, 1)
        paths[run.phase] = paths.get(run.phase, "") + f"M{first:g} 0h{round(behind - first, 1):g}"
    return dict(sorted(paths.items()))


def stretches(video: str, run: int, truth: IntArray, predicted: IntArray, frames: IntArray) -> list[Stretch]:
    """Return all stretches of a video."""
    both = truth * (int(max(truth.max(initial=0), predicted.max(initial=0))) + 1) + predicted
    return [
        Stretch(
            video,
            run,
            int(frames[one.first]),
            int(frames[one.behind - 1]),
            one.behind - one.first,
            int(truth[one.first]),
            int(predicted[one.first]),
        )
        for one in runs(both)
    ]


def longest(of: Sequence[Stretch], *, wrong: bool, most: int) -> list[Stretch]:
    """Return the longest stretches that are wrong, or that are right; equal ones by video and frame."""
    kept = [one for one in of if (one.truth != one.predicted) is wrong]
    return sorted(kept, key=lambda one: (-one.frames, one.video, one.run, one.first))[:most]
