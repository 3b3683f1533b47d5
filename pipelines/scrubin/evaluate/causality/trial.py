"""One trial from its request to its outcome: videos, sandbox, experiment, verdict, time per frame."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base import strangers
from scrubin.base.errors import MetricsError
from scrubin.base.faults import error
from scrubin.base.vocabulary import vocabulary
from scrubin.evaluate.causality import clips as clip_files
from scrubin.evaluate.causality import runs as program_runs
from scrubin.evaluate.causality.experiment import Evidence, experiment
from scrubin.evaluate.causality.runs import Run, Runner, Way
from scrubin.evaluate.causality.sandbox import Limits, isolated
from scrubin.evaluate.causality.verdict import CausalityVerdict, document, judge

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
