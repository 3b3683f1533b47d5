"""Recordings cut into files in eight ways, rendered with random cuts and redactions: how many released frames are wrong.

``python benchmarks/joined_parts.py FOLDER [--cases 40] [--seed 1]`` makes films whose frames carry their number, cuts
each into 2 to 9 files, joins and renders them, and compares every released frame with the one that it should be.

``python benchmarks/joined_parts.py FOLDER --planted`` plants mistakes instead (wrong order, missing, doubled and foreign files, overlaps
of any length), and counts how many are said; beside them sound recordings, none of which may be refused.
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

import wandering_films
from coded_films import FPS, film, numbers_of
from scrubin.base.errors import RecordingError
from scrubin.stages.ingest import joining
from scrubin.stages.ingest.manifest import ClockParams, ManifestRow
from scrubin.stages.render import RenderParams, rendering
from scrubin.stages.render.plan import Redaction
from scrubin.stages.render.rendering import FileToRender
from wandering_films import Scene

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
        ManifestRow(n, "r", "p", "", "", "T", "mono", path.relative_to(raw).as_posix(), None, None, "", n)
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


SCENES = {"wanders": Scene(1), "slow": Scene(3, 0.15), "stands": Scene(4, 0.3, stands=True), "fast": Scene(5, 2.0)}
OTHER = Scene(2)
Piece = tuple[str, Scene, int, int]
"""Name of a file, and which frames of what it holds."""


def mistakes(scene: Scene) -> dict[str, list[Piece]]:
    """Return recordings that are put together wrongly."""
    return {
        "order 2 1 3": [("a", scene, 100, 200), ("b", scene, 0, 100), ("c", scene, 200, 300)],
        "order 3 2 1": [("a", scene, 200, 300), ("b", scene, 100, 200), ("c", scene, 0, 100)],
        "order 1 3 2": [("a", scene, 0, 100), ("b", scene, 200, 300), ("c", scene, 100, 200)],
        "missing by names": [("op_001", scene, 0, 100), ("op_003", scene, 220, 320)],
        "missing": [("a", scene, 0, 100), ("b", scene, 220, 320)],
        "12 s twice": [("a", scene, 0, 500), ("b", scene, 200, 600)],
        "12 s twice, coded anew": [("a", scene, 0, 500), ("b poor", scene, 200, 600)],
        "a copy under another name": [("a", scene, 0, 100), ("b", scene, 100, 200), ("c poor", scene, 0, 100)],
        "a copy, cut": [("a", scene, 0, 100), ("b", scene, 100, 200), ("c poor", scene, 20, 90)],
        "another recording between": [("a", scene, 0, 100), ("b", OTHER, 0, 80), ("c", scene, 100, 200)],
        "another recording at the end": [("a", scene, 0, 100), ("b", scene, 100, 200), ("c", OTHER, 0, 80)],
    }


def sound(scene: Scene) -> dict[str, list[Piece]]:
    """Return recordings as recorders make them; where the camera was out between two files a question is right."""
    return {
        "sound": [("op_9", scene, 0, 100), ("op_10", scene, 100, 200), ("op_11", scene, 200, 300)],
        "sound, poor": [("op_9 poor", scene, 0, 100), ("op_9-2 poor", scene, 100, 200)],
        "sound, counter begins anew": [("op_999", scene, 0, 100), ("op_001", scene, 100, 200)],
        "sound, half a second twice": [("op_1", scene, 0, 100), ("op_2", scene, 88, 200)],
        "camera out": [("op_1", scene, 0, 100), ("op_2", scene, 600, 700)],
    }


def planted(folder: Path) -> int:
    """Print what is said of every recording; return how many mistakes pass in silence, and sound ones are refused."""
    bad = 0
    for pace, scene in SCENES.items():
        for name, pieces in (mistakes(scene) | sound(scene)).items():
            raw = folder / f"{pace}, {name}"
            paths = [f"videos/{piece[0]}.mp4" for piece in pieces]
            for path, (stem, of, first, end) in zip(paths, pieces, strict=True):
                poor = {"crf": "30", "g": "33"} if "poor" in stem else {"g": "250"}
                wandering_films.film(raw / path, of.frames(first, end), **poor)
            os.chdir(raw)
            rows = tuple(ManifestRow(n, "r", "p", "", "", "T", "mono", path, None, None, "", n) for n, path in enumerate(paths, start=1))
            try:
                read = joining.read(raw, joining.CameraRecording(rows), ClockParams("", "none"))
                said, refused = list(read.doubts), False
            except RecordingError as error:
                said, refused = [str(error)], True
            wrong = refused if name in sound(scene) else not said
            bad += wrong
            print(f"{'WRONG' if wrong else 'ok':5} {pace}, {name}: {said or 'nothing is said'}", flush=True)
    print(f"{bad} of {len(SCENES) * (len(mistakes(OTHER)) + len(sound(OTHER)))} are wrong")
    return bad


def main() -> int:
    """Print a line per case, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--planted", action="store_true")
    arguments = parser.parse_args()
    if arguments.planted:
        return int(planted(arguments.folder.absolute()) > 0)
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
