"""What screening costs beyond decoding, and how much memory it takes.

From the repository root:  .venv/bin/python benchmarks/screen_speed.py [VIDEO ...]

Without arguments: 3 min of 960x540 at 20 fps. Each case is run three times, in turn with the others; medians
count. Screening is everything that `scrubin screen` does to a file: probing, the one decode with
features and text, and faces in what was found. Loading the text reader is done once per process
and stands apart. CPU seconds are of all threads: what counts when recordings are screened side by
side. `--memory` screens each file once, in a process of its own, and prints that process's peak.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import imageio_ffmpeg
import numpy as np

import clips
from scrubin.media.decode import decoded
from scrubin.media.networks import reading
from scrubin.stages.screen import screening
from scrubin.stages.screen.detector import DEFAULTS

RUNS = 3


def decode_pyav(path: Path) -> None:
    for _ in decoded(path, path.name):
        pass


def decode_ffmpeg(path: Path) -> None:
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", str(path), "-map", "0:v:0", "-f", "null", "-"]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def screen(path: Path) -> None:
    screening.proposals(path, DEFAULTS)


CASES: dict[str, Callable[[Path], None]] = {"decode, PyAV": decode_pyav, "decode, ffmpeg -f null": decode_ffmpeg, "screen": screen}


def timed(work: Callable[[Path], None], path: Path) -> tuple[float, float]:
    """Return wall and CPU seconds, those of child processes included."""
    cpu, wall = cpu_s(), time.perf_counter()
    work(path)
    return time.perf_counter() - wall, cpu_s() - cpu


def cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def compare(path: Path) -> None:
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in CASES}
    for _ in range(RUNS):
        for name, work in CASES.items():
            runs[name].append(timed(work, path))
    medians = {name: [statistics.median(column) for column in zip(*times, strict=True)] for name, times in runs.items()}
    base = medians["decode, PyAV"]
    print(f"\n{path.name}\n{'':<24}{'wall s':>8}{'ratio':>8}{'CPU s':>8}{'ratio':>8}")
    for name, (wall, cpu) in medians.items():
        print(f"{name:<24}{wall:8.2f}{wall / base[0]:8.3f}{cpu:8.2f}{cpu / base[1]:8.3f}")


def memory(path: Path) -> None:
    """Screen in a process of its own and print its peak."""
    code = (
        "import resource, sys, time; from pathlib import Path; "
        "from scrubin.stages.screen import screening; from scrubin.stages.screen.detector import DEFAULTS;"
        "start = time.perf_counter(); found = screening.proposals(Path(sys.argv[1]), DEFAULTS);"
        "print(f'{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB peak, {len(found)} proposals, "
        "{time.perf_counter() - start:.1f} s')"
    )
    said = subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True).stdout
    print(f"{path.name}: {said.strip()}")


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:] if not name.startswith("--")] or [clips.three_minutes()]
    if "--memory" not in sys.argv:
        start = time.perf_counter()
        reading.read(np.zeros((64, 64, 3), np.uint8))
        print(f"loading the text reader, once per process: {time.perf_counter() - start:.2f} s")
        for path in paths:
            compare(path)
    for path in paths:
        memory(path)


if __name__ == "__main__":
    main()
