"""One trial from its request to its verdict: videos, sandbox, experiment, time per frame, the document about it."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from scrubin.base import strangers
from scrubin.base.errors import MetricsError
from scrubin.base.faults import count_text, error, ranges
from scrubin.base.vocabulary import vocabulary
from scrubin.evaluate.causality import clips as clip_files
from scrubin.evaluate.causality import runs as program_runs
from scrubin.evaluate.causality.clips import DOES, KEEPS_LENGTH, Clip, FutureKind
from scrubin.evaluate.causality.experiment import MOST_NOISE, MOST_UNSTABLE, Evidence, Move, experiment
from scrubin.evaluate.causality.runs import Run, Runner, Way
from scrubin.evaluate.causality.sandbox import Limits, isolated

Ruling = Literal["causal", "not causal", "not repeatable", "not judged"]
RULINGS: tuple[Ruling, ...] = get_args(Ruling)
SURE = 0.95
ROUNDING = 1e-5
"""Differences of a number up to this can come from a batch of another size."""
FEW_RUNS = 3
NO_ISOLATION = "it ran without isolation, so that it could have kept what it saw in an earlier run: nothing moved, but that proves nothing"


@dataclass(frozen=True)
class CausalityVerdict:
    """What can be said of a program.

    Parameters
    ----------
    ruling
        In one or two words.
    reason
        In a sentence.
    look_ahead
        The smallest one that explains everything, in frames: a lower bound; None where nothing moved.
    whole_video
        Whether all that moved did so from the first answer on.
    length_only
        Whether only cutting off moved anything.
    """

    ruling: Ruling
    reason: str
    look_ahead: int | None = None
    whole_video: bool = False
    length_only: bool = False


def judge(evidence: Evidence, way: Way, *, isolated: bool) -> CausalityVerdict:
    """Return the verdict.

    Parameters
    ----------
    evidence
        What was seen.
    way
        How frames were handed out.
    isolated
        Whether nothing could stay from one run to the next.
    """
    if evidence.noise is None:
        of = evidence.failed[0]
        return CausalityVerdict("not judged", f"the program fails on a video as it is: it {of.trouble}")
    if not evidence.noise.repeatable:
        return CausalityVerdict("not repeatable", _unrepeatable(evidence))
    if evidence.moves:
        return _not_causal(evidence)
    if evidence.failed:
        of = evidence.failed[0]
        counted = (
            f"{count_text(len(evidence.failed), 'run')} failed, of {len(evidence.changed)} with a changed future and their repetitions"
        )
        return CausalityVerdict("not judged", f"{counted}; the first one ({of.future.kind} from frame {of.future.point}) {of.trouble}")
    by_chance = {(move.run.future.clip, frame) for move in evidence.seen for frame in move.frames}
    if len(by_chance) > MOST_UNSTABLE * evidence.noise.answered:
        what = f"answers for {count_text(len(by_chance), 'frame')} moved before a change, but not again when it was repeated"
        return CausalityVerdict("not repeatable", f"it cannot be judged: {what}; fix its seeds")
    capable, reacting = evidence.reacting
    if not reacting:
        return CausalityVerdict("not judged", _unmoved(capable))
    if not isolated:
        return CausalityVerdict("not judged", NO_ISOLATION)
    how = "each answer was taken back before the next frame was handed out" if way == "server" else "no answer before a change moved"
    chance = f"; what moved in {len(evidence.seen)} of them did not move again when repeated: chance" if evidence.seen else ""
    return CausalityVerdict("causal", f"{how}, in {count_text(len(evidence.changed), 'run')} with a changed future{chance}")


def _unrepeatable(evidence: Evidence) -> str:
    noise = evidence.noise
    assert noise is not None
    if noise.unstable_frames > MOST_UNSTABLE * noise.answered:
        share = noise.unstable_frames / noise.answered
        what = "the same video twice gives other phases, triplets or boxes"
        return f"it cannot be judged: {what} at {100 * share:.0f} % of the frames; fix its seeds"
    ranged = "nothing" if not noise.ranged else f"{noise.ranged:.2g}"
    return (
        f"it cannot be judged: the same video twice gives numbers that differ by up to {noise.largest:.2g}, and predictions range over "
        f"{ranged} (most that is allowed: {100 * MOST_NOISE:.1f} % of it); fix its seeds"
    )


def _unmoved(capable: int) -> str:
    if not capable:
        return "no run could show whether its answers follow the frames: ask for more --runs"
    return (
        f"its answers do not follow the frames: in all {count_text(capable, 'run')} with other pictures after the change they stayed what "
        "they were, as those of a constant or of stored answers do"
    )


def _not_causal(evidence: Evidence) -> CausalityVerdict:
    ran = {kind: sum(run.future.kind == kind for run in evidence.changed) for kind in evidence.kinds}
    kinds = {move.run.future.kind for move in evidence.moves}
    length_only = kinds == {"cut"} and all(ran[kind] >= FEW_RUNS for kind in KEEPS_LENGTH if kind in ran)
    largest = max(move.largest for move in evidence.moves)
    longest = max(move.look_ahead for move in evidence.moves)
    if length_only and largest <= ROUNDING:
        reason = f"only cutting off moved anything, by {largest:.2g} at most, as a last batch of another size does"
        return CausalityVerdict("not judged", f"{reason}; let it compute frame by frame", None, length_only=True)
    whole = len(evidence.moves) > 1 and all(move.frames[0] == min(move.run.answers, default=-1) for move in evidence.moves)
    if length_only:
        reason = "its answers depend on how long the video is, which nobody knows before its end: only cutting off moved them"
    elif whole:
        seen = "all that moved did so from the first answer on"
        reason = f"its answers depend on the whole video as far as can be seen: {seen}, up to {count_text(longest, 'frame')} ahead"
    else:
        reason = f"its answers depend on frames up to {longest} ahead, or more"
    return CausalityVerdict("not causal", reason, longest, whole, length_only)


def power(runs: int) -> float | None:
    """Return the share of frames at which a look-ahead must show to be seen with 95 % in so many runs; None without runs.

    A look-ahead that moves an answer at a share ``s`` of all points is missed by one run with probability 1 - s.

    >>> round(power(20), 3), power(0)
    (0.139, None)
    """
    return 1 - (1 - SURE) ** (1 / runs) if runs else None


def runs_needed(share: float) -> int:
    """Return how many runs see a look-ahead with 95 % that shows at such a share of frames.

    >>> [runs_needed(share) for share in (1.0, 0.5, 0.1, 0.01)]
    [1, 5, 29, 299]
    """
    return 1 if share >= 1 else math.ceil(math.log(1 - SURE) / math.log(1 - share))


def document(verdict: CausalityVerdict, evidence: Evidence, clips: Sequence[Clip], setting: dict[str, Any]) -> dict[str, Any]:
    """Return all that was seen as JSON values; nothing in it was measured by a clock.

    Parameters
    ----------
    verdict, evidence, clips
        Of one program.
    setting
        What the caller chose.
    """
    return {
        "verdict": verdict.ruling,
        "reason": verdict.reason,
        "look_ahead": _look_ahead(verdict, evidence, clips),
        "kinds": {kind: _kind(kind, evidence) for kind in evidence.kinds},
        "moves": [_move(move, clips) for move in evidence.moves],
        "failures": [_failure(run, clips) for run in evidence.failed],
        "repeatability": _repeatability(evidence),
        "reaction": {"runs": evidence.reacting[0], "reacting": evidence.reacting[1]},
        "power": {"runs": len(evidence.changed), "sure": SURE, "share_of_frames": power(_good(evidence, None))},
        "videos": [{"name": clip.name, "frames": clip.count, "fps": _number(clip.fps)} for clip in clips],
        **setting,
    }


def _look_ahead(verdict: CausalityVerdict, evidence: Evidence, clips: Sequence[Clip]) -> dict[str, Any] | None:
    if verdict.look_ahead is None:
        return None
    longest = max(evidence.moves, key=lambda move: move.look_ahead)
    seconds = [float(move.look_ahead / rate) for move in evidence.moves if (rate := clips[move.run.future.clip].fps) is not None]
    return {
        "frames": longest.look_ahead,
        "seconds": max(seconds, default=None),
        "lower_bound": True,
        "whole_video": verdict.whole_video,
        "length_only": verdict.length_only,
    }


def _kind(kind: FutureKind, evidence: Evidence) -> dict[str, Any]:
    longest = next((move.look_ahead for move in evidence.moves if move.run.future.kind == kind), None)
    good = _good(evidence, kind)
    return {
        "what": DOES[kind],
        "runs": sum(run.future.kind == kind for run in evidence.changed),
        "failed": sum(run.future.kind == kind for run in evidence.failed),
        "moved": sum(move.run.future.kind == kind for move in evidence.seen),
        "confirmed": longest is not None,
        "look_ahead_frames": longest,
        "share_of_frames": power(good),
    }


def _good(evidence: Evidence, kind: FutureKind | None) -> int:
    return sum(not run.trouble and kind in (None, run.future.kind) for run in evidence.changed)


def _move(move: Move, clips: Sequence[Clip]) -> dict[str, Any]:
    return {
        "video": clips[move.run.future.clip].name,
        "kind": move.run.future.kind,
        "first_changed_frame": move.run.changed,
        "first_moved_frame": move.frames[0],
        "moved_frames": [list(pair) for pair in ranges(move.frames)],
        "look_ahead_frames": move.look_ahead,
        "largest_difference": _number(move.largest),
    }


def _failure(run: Run, clips: Sequence[Clip]) -> dict[str, Any]:
    future = run.future
    return {"video": clips[future.clip].name, "kind": future.kind, "point": future.point if future.kind else None, "what": run.trouble}


def _repeatability(evidence: Evidence) -> dict[str, Any] | None:
    noise = evidence.noise
    if noise is None:
        return None
    return {
        "unchanged_runs": len(evidence.unchanged),
        "comparisons": noise.comparisons,
        "bit_equal": noise.exact,
        "largest_difference": noise.largest,
        "tolerance": noise.tolerance,
        "unstable_frames": noise.unstable_frames,
        "answered_frames": noise.answered,
        "predictions_range_over": noise.ranged,
    }


def _number(value: float | Fraction | None) -> float | None:
    """Return a JSON number; a sign that differs has no size."""
    return None if value is None or math.isinf(value) else float(value)


FOLDER = "scrubin-causality-"


@dataclass(frozen=True)
class TrialRequest:
    """What is asked for.

    Parameters
    ----------
    videos
        A video, a folder of frames, or a folder of these.
    command
        The program.
    way
        How it takes frames.
    runs
        With a changed future.
    sample
        So many of the videos, drawn at random.
    most_frames
        Only the first frames of each video; None: all.
    fps
        Frames per second, None: as the video says.
    seed
        Of everything random.
    vocabulary_name
        Of the program's answers.
    limits
        Of a run.
    hidden
        More files and folders that the program must not see.
    without_isolation
        Whether to go on where nothing isolates.
    """

    videos: Path
    command: tuple[str, ...]
    way: Way = "frames"
    runs: int = 20
    sample: int = 3
    most_frames: int | None = None
    fps: Fraction | None = None
    seed: int = 0
    vocabulary_name: str = "cholect50"
    limits: Limits = field(default_factory=Limits)
    hidden: tuple[Path, ...] = ()
    without_isolation: bool = False


@dataclass(frozen=True, eq=False)
class TrialOutcome:
    """What came of it.

    Parameters
    ----------
    verdict
        On the program.
    document
        All that was seen; the same for the same request.
    measured
        What a clock says, and the last words of programs that failed: not the same each time.
    """

    verdict: CausalityVerdict
    document: dict[str, Any]
    measured: dict[str, Any]


def tried(request: TrialRequest, step: Callable[[str], None] = lambda _: None) -> TrialOutcome:
    """Try a program.

    Parameters
    ----------
    request
        What is asked for.
    step
        Is called before each run with what it is for.

    Raises
    ------
    MetricsError
        When videos or command cannot be used, or nothing isolates the program and that is not allowed.
    AnnotationError
        When there is no such vocabulary.
    """
    program_runs.check(request.command, request.way)
    words = vocabulary.load(request.vocabulary_name)
    there = clip_files.listed(request.videos)
    rng = np.random.default_rng(request.seed)
    chosen = sorted(rng.permutation(len(there))[: request.sample].tolist())
    named = [list(there.items())[place] for place in chosen]
    with tempfile.TemporaryDirectory(prefix=FOLDER) as folder:
        root = strangers.real(Path(folder))
        sandbox, isolation = isolated(
            root, _hidden(request, list(there.values())), request.limits, request.command, without=request.without_isolation
        )
        step("reading videos")
        clips = [
            clip_files.read(name, path, root / f"store/clips/{number}", most=request.most_frames, fps=request.fps, rng=rng)
            for number, (name, path) in enumerate(named)
        ]
        runner = Runner(request.command, request.way, clips, sandbox, words, rng)
        evidence = experiment(runner, runs=request.runs, seed=request.seed, step=step)
    verdict = judge(evidence, request.way, isolated=isolation["means"] != "none")
    setting = {
        "command": list(request.command),
        "input": request.way,
        "seed": request.seed,
        "videos_in_all": len(there),
        "isolation": isolation,
        "limits": {"wall_s": request.limits.wall_s, "cpu_s": request.limits.cpu_s, "memory_bytes": request.limits.memory_bytes},
    }
    return TrialOutcome(verdict, document(verdict, evidence, clips, setting), _measured(evidence))


def _hidden(request: TrialRequest, videos: list[Path]) -> tuple[Path, ...]:
    """Return what the program must not see: the videos, also where they are links to elsewhere."""
    for path in request.hidden:
        if not path.exists():
            raise MetricsError([error(str(path), "hide", "there is no such file or folder to hide", "correct --hide")])
    root = strangers.real(request.videos)
    elsewhere = [target for path in videos for target in clip_files.targets(path) if not target.is_relative_to(root)]
    return (root, *dict.fromkeys(elsewhere), *request.hidden)


def _measured(evidence: Evidence) -> dict[str, Any]:
    logs = [run.log for run in evidence.failed if run.log]
    return {"latency": latency(evidence), "last_words": logs[:1]}


def latency(evidence: Evidence) -> dict[str, Any] | None:
    """Return milliseconds per frame over all runs; None where no frames were handed out one by one.

    The first frame of a run holds the start of the program and stands apart.
    """
    runs: Iterable[Run] = [run for run in (*evidence.unchanged, *evidence.changed) if run.seconds and not run.trouble]
    first = np.array([run.seconds[0] for run in runs]) * 1000
    later = np.array([second for run in runs for second in run.seconds[1:]]) * 1000
    if not len(later):
        return None
    return {
        "frames": len(later),
        "median_ms": float(np.median(later)),
        "p95_ms": float(np.quantile(later, 0.95)),
        "longest_ms": float(later.max()),
        "first_frame_median_ms": float(np.median(first)),
    }
