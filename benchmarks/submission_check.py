"""`scrubin submission check` of a whole submission: seconds and memory of the process.

    python benchmarks/submission_check.py [--videos 50] [--frames 2000] [--rounds 3]

The submission has 100 probabilities and two boxes per frame; the ground truth are CholecT50 labels. Both are made once, below
`.cache/benchmarks/`. The time includes starting Python and reading the labels.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from timing import once

from scrubin.base.vocabulary import vocabulary

FOLDER = Path(".cache/benchmarks")
BOX = (0.1, 0.2, 0.3, 0.4)


def made(videos: int, frames: int) -> Path:
    """Write labels and submission unless they are there."""
    folder = FOLDER / f"submission_{videos}x{frames}"
    if folder.is_dir():
        return folder
    part = folder.with_name(f".part-{folder.name}")
    for name in ("truth", "team"):
        (part / name).mkdir(parents=True, exist_ok=True)
    words, rng = vocabulary.load("cholect50"), np.random.default_rng(0)
    for number in range(1, videos + 1):
        scores = rng.random((frames, len(words.triplets)))
        labels, submission = {}, {}
        for frame in range(frames):
            chosen = rng.choice(len(words.triplets), size=2, replace=False).tolist()
            ids = [(triplet, *words.triplets[triplet]) for triplet in chosen]
            labels[str(frame)] = [[t, i, 1, *BOX, v, target, -1, -1, -1, -1, -1, 0] for t, i, v, target in ids]
            found = [{"triplet": t, "instrument": [i, 0.5, *BOX]} for t, i, _, _ in ids]
            submission[str(frame)] = {"recognition": scores[frame].tolist(), "detection": found}
        document = {"video": number, "fps": 1, "num_frames": frames, "annotations": labels}
        (part / f"truth/VID{number:02}.json").write_text(json.dumps(document))
        (part / f"team/VID{number:02}.json").write_text(json.dumps(submission))
    return part.rename(folder)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--videos", type=int, default=50)
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    folder = made(given.videos, given.frames)
    size_mb = np.sum([path.stat().st_size for path in (folder / "team").iterdir()]) / 1e6
    command = "import sys; from scrubin.cli import main; sys.exit(main())"
    check = [sys.executable, "-c", command, "submission", "check", str(folder / "team"), "--ground-truth", str(folder / "truth")]
    for _ in range(given.rounds):
        seconds, peak_mb = once(check)
        print(f"{given.videos} videos x {given.frames} frames, {size_mb:.0f} MB: {seconds:.1f} s, {peak_mb:.0f} MB")


if __name__ == "__main__":
    main()
