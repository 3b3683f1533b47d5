"""Whether answers moved: the noise of repeated runs, what a changed future moved beyond it, and what is only chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from scrubin.causality.answers import Answers, distance
from scrubin.causality.runs import Run

MARGIN = 10.0
"""Noise of a changed run may be so many times the largest one of the few repeated runs."""
MOST_NOISE = 0.005
"""More noise than this share of what predictions range over leaves too little to see."""
MOST_UNSTABLE = 0.05
"""A larger share of frames with another sign at each run leaves too little to see."""


@dataclass(frozen=True)
class Noise:
    """How far answers of a program are apart when nothing is changed.

    Parameters
    ----------
    comparisons
        Pairs of runs of one video.
    exact
        Whether all were equal bit for bit.
    largest
        Largest difference of a number.
    unstable
        Per video, frames where a sign differed: they are not judged.
    answered
        Frames with an answer, of all videos.
    ranged
        Over what numbers range, largest minus smallest; None where there are no numbers.
    """

    comparisons: int
    exact: bool
    largest: float
    unstable: dict[int, frozenset[int]]
    answered: int
    ranged: float | None

    @property
    def tolerance(self) -> float:
        """A number that differs by more than this has moved; 0: every bit counts."""
        return MARGIN * self.largest

    @property
    def unstable_frames(self) -> int:
        """How many frames are not judged."""
        return sum(map(len, self.unstable.values()))

    @property
    def repeatable(self) -> bool:
        """Whether there is less noise than there is to see."""
        too_loud = self.largest > 0 and (not self.ranged or self.largest > MOST_NOISE * self.ranged)
        return not too_loud and self.unstable_frames <= MOST_UNSTABLE * self.answered


def noise(runs: Sequence[Run]) -> Noise:
    """Return the noise of unchanged runs; those of one video are compared with one another."""
    largest, exact, pairs = 0.0, True, 0
    unstable: dict[int, set[int]] = {run.future.clip: set() for run in runs}
    by_clip = {clip: [run.answers for run in runs if run.future.clip == clip] for clip in unstable}
    for clip, answers in by_clip.items():
        for one, other in combinations(answers, 2):
            pairs += 1
            for frame in sorted({*one, *other}):
                apart = distance(one, other, frame)
                exact &= apart == 0
                if math.isinf(apart):
                    unstable[clip].add(frame)
                else:
                    largest = max(largest, apart)
    numbers = [answer.numbers for run in runs for answer in run.answers.values() if answer.numbers.size]
    ranged = max(float(one.max()) for one in numbers) - min(float(one.min()) for one in numbers) if numbers else None
    answered = sum(len(set().union(*answers)) for answers in by_clip.values())
    return Noise(pairs, exact, largest, {clip: frozenset(frames) for clip, frames in unstable.items()}, answered, ranged)


@dataclass(frozen=True)
class Move:
    """Answers before a change that moved with it.

    Parameters
    ----------
    run
        Of the changed video.
    frames
        Which, increasing.
    largest
        Largest difference of a number; infinite where a sign differs or an answer is missing.
    """

    run: Run
    frames: tuple[int, ...]
    largest: float

    @property
    def look_ahead(self) -> int:
        """The least look-ahead that explains it, in frames."""
        return self.run.changed - self.frames[0]


def moved(run: Run, unchanged: Sequence[Run], of: Noise) -> Move | None:
    """Return what moved before the change of a run, None when nothing did.

    A frame moved when its answer is further than the tolerance from that of every unchanged run.
    """
    same = [one.answers for one in unchanged if one.future.clip == run.future.clip]
    frames = sorted({frame for answers in (run.answers, *same) for frame in answers if frame < run.changed} - of.unstable[run.future.clip])
    apart = {frame: _least(run.answers, same, frame) for frame in frames}
    beyond = tuple(frame for frame in frames if apart[frame] > of.tolerance)
    return Move(run, beyond, max(apart[frame] for frame in beyond)) if beyond else None


def reacts(run: Run, unchanged: Sequence[Run], of: Noise) -> bool:
    """Return whether an answer at or after the change differs from the unchanged ones: a program that looks at frames does that."""
    same = [one.answers for one in unchanged if one.future.clip == run.future.clip]
    after = {frame for answers in (run.answers, *same) for frame in answers if frame >= run.changed}
    return any(_least(run.answers, same, frame) > of.tolerance for frame in after)


def confirmed(move: Move, again: Sequence[Run], unchanged: Sequence[Run], of: Noise) -> Move | None:
    """Return what of a move is there in every repeated run of the same change; None when nothing is.

    Parameters
    ----------
    move
        What was seen once.
    again
        More runs with the same change.
    unchanged
        All unchanged runs, also new ones.
    of
        Noise of all of these.
    """
    first = moved(move.run, unchanged, of)
    if first is None:
        return None
    kept = set(first.frames)
    for run in again:
        once_more = moved(run, unchanged, of)
        kept &= set(once_more.frames) if once_more else set()
        kept = {frame for frame in kept if distance(run.answers, move.run.answers, frame) <= of.tolerance}
    if not kept:
        return None
    same = [one.answers for one in unchanged if one.future.clip == move.run.future.clip]
    frames = tuple(sorted(kept))
    return Move(move.run, frames, max(_least(move.run.answers, same, frame) for frame in frames))


def _least(answers: Answers, unchanged: Iterable[Answers], frame: int) -> float:
    return min(distance(answers, one, frame) for one in unchanged)
