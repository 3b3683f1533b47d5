"""The experiment: unchanged runs for the noise, then what a changed future moves beyond it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from scrubin.evaluate.causality.clips import KEEPS_LENGTH, Clip, Future, FutureKind, last_point, possible
from scrubin.evaluate.causality.runs import Answers, Run, Runner, distance

UNCHANGED = 3
"""Unchanged runs per video: two first, one among the changed ones."""
CONFIRMING_EXACT, CONFIRMING_NOISY = (6, 4), (11, 7)
"""Unchanged and changed runs in all that must agree before a move counts. A frame whose sign flips by chance with
probability f in each run passes with (1-f)^6 f^4 < 0.0012, and where flips were seen with (1-f)^11 f^7 < 0.00001."""
LARGEST_SEED = 2**31


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that was seen.

    Parameters
    ----------
    kinds
        Changes that could be made.
    unchanged, changed
        Runs.
    failed
        Runs that failed, unchanged or changed.
    noise
        Of the unchanged runs; None when one of them failed.
    seen
        Moves at first sight, one per run at most.
    moves
        Those of them that were there again; of each kind the one with the longest look-ahead that is.
    reacting
        Runs with a changed future of the same length, and how many of them answer otherwise after the change.
    """

    kinds: tuple[FutureKind, ...]
    unchanged: tuple[Run, ...]
    changed: tuple[Run, ...] = ()
    failed: tuple[Run, ...] = ()
    noise: Noise | None = None
    seen: tuple[Move, ...] = ()
    moves: tuple[Move, ...] = ()
    reacting: tuple[int, int] = (0, 0)


def experiment(runner: Runner, *, runs: int, seed: int, step: Callable[[str], None] = lambda _: None) -> Evidence:
    """Try a program.

    Parameters
    ----------
    runner
        Runs it.
    runs
        How many runs with a changed future, over all videos and kinds of changes.
    seed
        Of points and order.
    step
        Is called before each run with what it is for.
    """
    rng = np.random.default_rng([seed, runs])
    clips = runner.clips
    kinds = possible(clips)

    def done(futures: Sequence[Future], what: str) -> list[Run]:
        order = rng.permutation(len(futures)).tolist()
        outcomes: dict[int, Run] = {}
        for place in order:
            step(what)
            outcomes[place] = runner.run(futures[place])
            if futures[place].kind is None and outcomes[place].trouble:
                break  # what fails on a video as it is fails everywhere
        return [outcomes[place] for place in sorted(outcomes)]

    as_it_is = [Future(clip) for clip in range(len(clips))]
    unchanged = done(as_it_is * (UNCHANGED - 1), "unchanged")
    if failed := [run for run in unchanged if run.trouble]:
        return Evidence(kinds, tuple(unchanged), failed=tuple(failed))
    before = noise(unchanged)
    if not before.repeatable:
        return Evidence(kinds, tuple(unchanged), noise=before)
    futures = _futures(clips, kinds, _answered(unchanged, clips), runs, rng)
    mixed = done([*as_it_is, *futures], "changed future")
    unchanged += [run for run in mixed if run.future.kind is None]
    changed = [run for run in mixed if run.future.kind is not None]
    failed = [run for run in mixed if run.trouble]
    if any(run.future.kind is None for run in failed):
        return Evidence(kinds, tuple(unchanged), tuple(changed), tuple(failed))
    good = [run for run in changed if not run.trouble]
    now = noise(unchanged)
    seen = [move for run in good if (move := moved(run, unchanged, now))] if now.repeatable else []
    moves: list[Move] = []
    if seen:
        moves, unchanged, now, broken = _confirmed(runner, seen, unchanged, now, kinds, step)
        failed += broken
    judged = [run for run in good if run.future.kind in KEEPS_LENGTH and run.changed < clips[run.future.clip].count]
    reacting = (len(judged), sum(reacts(run, unchanged, now) for run in judged))
    return Evidence(kinds, tuple(unchanged), tuple(changed), tuple(failed), now, tuple(seen), tuple(moves), reacting)


def _answered(unchanged: Sequence[Run], clips: Sequence[Clip]) -> list[list[int]]:
    """Return per video the frames that a program answers for."""
    answered: list[set[int]] = [set() for _ in clips]
    for run in unchanged:
        answered[run.future.clip] |= set(run.answers)
    return [sorted(frames) for frames in answered]


def _futures(
    clips: Sequence[Clip], kinds: Sequence[FutureKind], answered: Sequence[list[int]], runs: int, rng: np.random.Generator
) -> list[Future]:
    """Return so many futures: kinds and videos in turn, the point always just after a random frame that has an answer.

    So a look-ahead of one frame has a chance at every run, also where only some frames are answered for.
    """
    futures = []
    first = rng.permutation(len(clips)).tolist()
    for number in range(runs):
        kind = kinds[number % len(kinds)]
        clip = first[(number // len(kinds)) % len(clips)]
        points = [frame + 1 for frame in answered[clip] if frame + 1 <= last_point(clips[clip], kind)]
        point = int(rng.choice(points)) if points else last_point(clips[clip], kind)
        futures.append(Future(clip, kind, point, int(rng.integers(0, LARGEST_SEED))))
    return futures


def _confirmed(
    runner: Runner, seen: Sequence[Move], unchanged: list[Run], first: Noise, kinds: Sequence[FutureKind], step: Callable[[str], None]
) -> tuple[list[Move], list[Run], Noise, list[Run]]:
    """Return, per kind, the longest look-ahead that is there again each time, with all unchanged runs, their noise, and failed ones."""
    most_unchanged, most_changed = CONFIRMING_EXACT if first.exact else CONFIRMING_NOISY
    moves: list[Move] = []
    failed: list[Run] = []
    for kind in kinds:
        of_kind = [move for move in seen if move.run.future.kind == kind]
        for move in sorted(of_kind, key=lambda one: -one.look_ahead):
            same = move.run.future.unchanged
            missing = most_unchanged - sum(run.future == same for run in unchanged)
            again = []
            for future in [same] * missing + [move.run.future] * (most_changed - 1):
                step("once more")
                again.append(runner.run(future))
            failed += [run for run in again if run.trouble]
            unchanged = unchanged + [run for run in again if run.future == same and not run.trouble]
            repeated = [run for run in again if run.future != same]
            now = noise(unchanged)
            kept = confirmed(move, repeated, unchanged, now) if not any(run.trouble for run in repeated) else None
            if kept:
                moves.append(kept)
                break
    return moves, unchanged, noise(unchanged), failed


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
