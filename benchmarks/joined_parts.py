"""Recordings cut into files in eight ways, rendered with random cuts and redactions: how many released frames are wrong.

``python benchmarks/joined_parts.py FOLDER [--cases 40] [--seed 1]`` makes films whose frames carry their number, cuts
each into 2 to 9 files, joins and renders them, and compares every released frame with the one that it should be.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/helpers"))

from coded_films import FPS, film, numbers_of
from scrubin.ingest import joining
from scrubin.ingest.manifest import Row
from scrubin.ingest.params import ClockParams
from scrubin.render import rendering
from scrubin.render.params import RenderParams
from scrubin.render.plan import Redaction
from scrubin.render.preparation import FileToRender

WAYS = (
    "exact",
    "overlapping",
    "lost seconds",
    "between key frames",
    "other parameter sets",
    "other codec",
    "shuffled names",
    "clocks go on",
)
START = "op_20240131_1405{:02d}"


@dataclass(frozen=True)
class Case:
    """Files in order, the numbers of the frames that the recording then has, and their times in seconds."""

    paths: list[Path]
    numbers: list[int]
    times_s: list[float]
    clock: ClockParams


def case(raw: Path, way: str, random: np.random.Generator) -> Case:
    """Make the files of one recording."""
    count = int(random.integers(2, 10))
    lengths = [int(length) for length in random.integers(30, 120, count)]
    if way == "lost seconds":  # clocks in names count whole seconds
        lengths = [FPS * int(length) for length in random.integers(2, 5, count)]
    names = [f"{number:02d}" for number in range(count)]
    if way == "shuffled names":
        names = [str(name) for name in random.permutation(names)]
    paths, numbers, times_s = [], [], []
    first = second = 0
    for place, (name, length) in enumerate(zip(names, lengths, strict=True)):
        lost = int(random.integers(2, 6)) * FPS if way == "lost seconds" and place and random.random() < 0.6 else 0
        first += lost
        second += lost // FPS
        doubled = int(random.integers(1, 26)) if way == "overlapping" and place else 0
        options, suffix = {"g": str(random.integers(5, 60))}, "mp4"
        if way == "between key frames":
            options["g"] = "250"
        if way == "other parameter sets" and random.random() < 0.5:
            options |= {"profile": "baseline", "bf": "0", "coder": "0"}
        if way == "other codec" and (place == 1 or random.random() < 0.2):
            options, suffix = {"codec": "mpeg2video"}, "ts"
        if way == "clocks go on":
            options["start"], suffix = first, "ts"
        stem = START.format(second) if way == "lost seconds" else name
        paths.append(film(raw / f"videos/{stem}.{suffix}", range(first - doubled, first + length), **options))
        numbers += range(first, first + length)
        times_s += [(second * FPS + frame) / FPS for frame in range(length)] if way == "lost seconds" else []
        first, second = first + length, second + length // FPS
    clock = ClockParams("%Y%m%d_%H%M%S", "file_name" if way == "lost seconds" else "none")
    return Case(paths, numbers, times_s or [frame / FPS for frame in range(len(numbers))], clock)


def wrong_frames(folder: Path, way: str, random: np.random.Generator) -> tuple[int, int, int, int]:
    """Return files, wrong frames, released frames, and copied ones of a case."""
    raw = folder / "raw"
    one = case(raw, way, random)
    rows = tuple(
        Row(n, "r", "p", "", "", "T", "mono", path.relative_to(raw).as_posix(), None, None, "", n)
        for n, path in enumerate(one.paths, start=1)
    )
    source = joining.read(raw, joining.CameraRecording(rows), one.clock).source
    end_s = one.times_s[-1] + 1 / FPS
    cut_s = sorted(float(value) for value in random.uniform(0, end_s, 2))
    start_s, stop_s = (0.0, end_s) if cut_s[1] - cut_s[0] < 2 else (cut_s[0], cut_s[1])
    hidden = [
        (float(at), float(at) + float(random.uniform(0.04, 1.0))) for at in random.uniform(start_s, stop_s, int(random.integers(0, 4)))
    ]
    file = FileToRender("r", "mono", source, "T", "id", start_s, stop_s, "25", False, tuple(Redaction(a, b, None) for a, b in hidden))
    done = rendering.render(raw, file, RenderParams("smart", 18, "ultrafast", 0.0))
    shown = numbers_of(done.entry.folder / rendering.FILE_NAME)
    behind_s = [*one.times_s[1:], end_s]
    wanted = [
        None if any(a < behind and at < b for a, b in hidden) else number
        for number, at, behind in zip(one.numbers, one.times_s, behind_s, strict=True)
        if start_s <= at < stop_s
    ]
    wrong = sum(a != b for a, b in zip(shown, wanted, strict=False)) + abs(len(shown) - len(wanted))
    return len(one.paths), wrong, len(wanted), done.copied_frames


def main() -> int:
    """Print a line per case, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    total: Counter[str] = Counter()
    for number in range(arguments.cases):
        way, folder = WAYS[number % len(WAYS)], arguments.folder.absolute() / str(number)
        folder.mkdir(parents=True)
        os.chdir(folder)
        files, wrong, frames, copied = wrong_frames(folder, way, random)
        total.update(bad=wrong > 0, wrong=wrong, frames=frames, copied=copied)
        print(f"{number:3} {way:22} {files} files: {wrong} of {frames} frames wrong, {copied} copied", flush=True)
    print(f"{total['bad']} of {arguments.cases} cases with wrong frames; {total['wrong']} of {total['frames']}; copied {total['copied']}")
    return int(total["bad"] > 0)


if __name__ == "__main__":
    sys.exit(main())
