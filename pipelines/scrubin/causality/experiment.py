"""The experiment: unchanged runs for the noise, runs with a changed future at random points, and once more what moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.causality.clips import Clip
from scrubin.causality.futures import KEEPS_LENGTH, Future, Kind, last_point, possible
from scrubin.causality.movement import Move, Noise, confirmed, moved, noise, reacts
from scrubin.causality.runs import Run, Runner

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

    kinds: tuple[Kind, ...]
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
    clips: Sequence[Clip], kinds: Sequence[Kind], answered: Sequence[list[int]], runs: int, rng: np.random.Generator
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
    runner: Runner, seen: Sequence[Move], unchanged: list[Run], first: Noise, kinds: Sequence[Kind], step: Callable[[str], None]
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
