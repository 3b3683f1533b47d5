"""Phase metrics of 80 videos and 3 runs, against scikit-learn's confusion matrices and the same formulae, in one run.

    python benchmarks/phase_metrics.py [--rounds 3]

Times are of one process and alternate; the ratio is of medians. The numbers of both are compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median

import numpy as np
from sklearn.metrics import confusion_matrix

from scrubin.evaluate.metrics.phases import PhaseVideo, compat, confusions_of_videos, rates, relaxed
from scrubin.evaluate.metrics.phases.averaging import mean

VIDEOS, RUNS, PHASES, OMEGA = 80, 3, 7, 10
# Median length of a video of Cholec80 at 1 frame per second is about 2,100 s.
FRAMES = (1200, 3600)


def study(seed: int = 0) -> list[PhaseVideo]:
    """Videos in the order of the workflow; predictions follow with shifted boundaries and 10 % random frames."""
    rng = np.random.default_rng(seed)
    out = []
    for number in range(VIDEOS):
        frames = int(rng.integers(*FRAMES))
        ends = np.sort(rng.choice(np.arange(1, frames), PHASES - 1, replace=False))
        annotation = np.searchsorted(ends, np.arange(frames), side="right")
        runs = []
        for _ in range(RUNS):
            run = np.roll(annotation, int(rng.integers(-15, 15)))
            noise = rng.random(frames) < 0.1
            run[noise] = rng.integers(0, PHASES, int(noise.sum()))
            runs.append(run)
        out.append(PhaseVideo(f"video{number:02d}", annotation, np.stack(runs)))
    return out


def ours(videos: list[PhaseVideo]) -> float:
    """All numbers of the recommended choice; returns the mean F1."""
    found = rates.results_of_choice(confusions_of_videos(videos, PHASES))
    return next(result.overall.value for result in found if result.variant.metric.endswith(" f1"))


def with_scikit_learn(videos: list[PhaseVideo]) -> float:
    """Return the mean F1 from its matrices; nothing else."""
    values = []
    for video in videos:
        for run in np.asarray(video.predictions):
            cells = confusion_matrix(video.annotation, run, labels=range(PHASES))
            both = cells.sum(axis=0) + cells.sum(axis=1)
            values += [2 * cells[phase, phase] / both[phase] for phase in range(PHASES) if both[phase]]
    return float(np.mean(values))


def every_variant(videos: list[PhaseVideo]) -> float:
    """Every variant there is."""
    return float(len(list(rates.results_of_every_choice(confusions_of_videos(videos, PHASES)))))


def relaxed_definition(videos: list[PhaseVideo]) -> float:
    """Relaxed metrics by definition, all runs."""
    counted = relaxed.count(videos, OMEGA)
    return [mean(relaxed.elements(counted, rate)).overall.value for rate in relaxed.RELAXED_RATES][-1]


def relaxed_script(videos: list[PhaseVideo]) -> float:
    """Compute what the published script returns, run by run."""
    for number in range(RUNS):
        one_run = [PhaseVideo(video.name, video.annotation, np.asarray(video.predictions)[number]) for video in videos]
        found = compat.main(one_run, OMEGA).jaccard.mean
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="repetitions, alternating (default 3)")
    rounds = parser.parse_args().rounds
    videos = study()
    steps: dict[str, Callable[[list[PhaseVideo]], float]] = {
        "ours, recommended choice": ours,
        "scikit-learn + formulae": with_scikit_learn,
        "ours, every variant": every_variant,
        "relaxed, definition": relaxed_definition,
        "relaxed, published script": relaxed_script,
    }
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    found: dict[str, float] = {}
    for _ in range(rounds):
        for name, step in steps.items():
            started = time.perf_counter()
            found[name] = step(videos)
            seconds[name].append(time.perf_counter() - started)
    print(f"{VIDEOS} videos, {RUNS} runs, {sum(len(np.asarray(video.annotation)) for video in videos):,} frames")
    for name in steps:
        print(f"{name:<28} {median(seconds[name]):8.4f} s")
    middle = {name: median(taken) for name, taken in seconds.items()}
    print(f"scikit-learn / ours: {middle['scikit-learn + formulae'] / middle['ours, recommended choice']:.1f} x")
    assert abs(found["ours, recommended choice"] - found["scikit-learn + formulae"]) < 1e-12


if __name__ == "__main__":
    main()
