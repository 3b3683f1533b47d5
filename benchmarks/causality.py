"""12 kinds of programs, honest and not: what `scrubin submission causality` says of each, again and again with other videos and seeds.

    python benchmarks/causality.py [--repetitions 20] [--runs 12] [--kinds per-frame,off-by-one]

The programs are really run, those of tests/causality/programs. Nothing of the table depends on a clock, unless a run takes longer than
its limit. The last row shows the stated power: a look-ahead that shows at a tenth of the frames.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from scrubin.evaluate.causality.clips import write
from scrubin.evaluate.causality.trial import RULINGS, TrialOutcome, TrialRequest, tried

PROGRAM = Path(__file__).parents[1] / "tests/causality/programs/program.py"
EXPECTED = {
    "per-frame": "causal",
    "smoothed": "causal",
    "running-normalised": "causal",
    "float-noise": "causal",
    "length-counted": "causal",
    "off-by-one": "not causal",
    "ahead-by-5": "not causal",
    "centred": "not causal",
    "whole-normalised": "not causal",
    "remembered-by-content": "not causal",
    "length-used": "not causal",
    "by-chance": "not repeatable",
    "rarely-ahead": "not causal",
}
"""By kind of program; the last one is beyond the power of so few runs now and then."""
VIDEOS, FRAMES = 2, 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--kinds", default=",".join(EXPECTED))
    args = parser.parse_args()
    print("| program | " + " | ".join(RULINGS) + " | look-ahead (frames) |\n" + "| --- " * (len(RULINGS) + 2) + "|", flush=True)
    wrong = 0
    for kind in args.kinds.split(","):
        outcomes = [trial(kind, repetition, args.runs) for repetition in range(args.repetitions)]
        counts = Counter(outcome.verdict.ruling for outcome in outcomes)
        ahead = sorted({outcome.verdict.look_ahead for outcome in outcomes if outcome.verdict.look_ahead is not None})
        ranged = "-" if not ahead else str(ahead[0]) if len(ahead) == 1 else f"{ahead[0]} to {ahead[-1]}"
        print(f"| {kind} | " + " | ".join(str(counts[ruling]) for ruling in RULINGS) + f" | {ranged} |", flush=True)
        if kind != "rarely-ahead":
            for outcome in outcomes:
                if outcome.verdict.ruling != EXPECTED[kind]:
                    wrong += 1
                    print(f"  {kind}: {outcome.verdict.ruling}: {outcome.verdict.reason}", file=sys.stderr)
    return int(wrong > 0)


def trial(kind: str, repetition: int, runs: int) -> TrialOutcome:
    """Try a program on videos of its own."""
    rng = np.random.default_rng(repetition)
    with tempfile.TemporaryDirectory() as folder:
        for video in range(VIDEOS):
            (Path(folder) / str(video)).mkdir()
            for frame in range(FRAMES):
                grey = int(rng.integers(20, 200))
                write(Path(folder) / f"{video}/{frame:06d}.png", rng.integers(grey, grey + 40, (4, 6, 3), np.uint8))
        command = (sys.executable, "-S", "-E", str(PROGRAM), kind, "{input}", "{output}")
        return tried(TrialRequest(Path(folder), command, runs=runs, seed=repetition))


if __name__ == "__main__":
    sys.exit(main())
