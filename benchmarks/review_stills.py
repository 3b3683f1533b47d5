"""How fast a reviewer gets pictures from an hour of 1080p, with and without the reel, and what making the reel costs.

From the repository root:  .venv/bin/python benchmarks/review_stills.py [--hevc]

The hour is 72 s fifty times over, joined by copying, at 25 fps with a group of pictures of 250 frames (HEVC: 36 s a hundred times,
open groups); both are made once and kept. Its reel is that of the piece as many times over, because decoding the hour would take a
quarter of it. Everything is asked of `Stills`, as the review's server asks it: JPEGs as the browser gets them. "cold" is without a
reel. The reviewer's process is a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import imageio_ffmpeg
import numpy as np

import clips
from scrubin.base.store import store
from scrubin.curate.page.stills import Stills
from scrubin.media.decode import boundaries_s
from scrubin.media.probe import probe
from scrubin.media.raw_file import stored_probe, stored_sha256
from scrubin.media.source import Source
from scrubin.stages.screen import all_detectors, pass_over_file, reel
from scrubin.stages.screen.detector import DEFAULTS
from scrubin.stages.screen.pass_over_file import Observed, observe
from scrubin.stages.screen.proposals import Numbers

FPS, HOUR_S = 25, 3600
FILE = (1, "mono")
CELL_PX, COLUMNS, CHUNK = 90, 12, 60
PLACES, COLD_PLACES = 50, 5
ROUNDS = 3


def piece(hevc: bool) -> tuple[Path, int]:
    """Return a short clip and its seconds."""
    path = clips.clip(clips.FOLDER / "72s_1920x1080_25fps.mkv", 72, "1920x1080", "25", 250, ("-preset", "veryfast"))
    if not hevc:
        return path, 72
    other = clips.FOLDER / "36s_1920x1080_25fps_hevc.mkv"
    if not other.is_file():
        x265 = ("-t", "36", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:keyint=250:open-gop=1")
        ffmpeg("-i", path, *x265, "-fflags", "+bitexact", clips.FOLDER / f".part-{other.name}")
        (clips.FOLDER / f".part-{other.name}").rename(other)
    return other, 36


def hour(short: Path, seconds: int) -> Path:
    path = short.with_name(f"{HOUR_S}{short.name.removeprefix(str(seconds))}")
    if not path.is_file():
        part = path.with_name(f".part-{path.name}")
        ffmpeg("-stream_loop", HOUR_S // seconds - 1, "-i", short, "-c", "copy", "-fflags", "+bitexact", part)
        part.rename(path)
    return path


def ffmpeg(*arguments: object) -> None:
    subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", *map(str, arguments)], check=True, stdin=subprocess.DEVNULL)


def passes(short: Path) -> Observed:
    """Time the one decode of screening with and without the reel, in turn, and return the reel."""
    times_s: Numbers = boundaries_s(probe(short, short.name))[:-1]
    detectors = all_detectors.observers(DEFAULTS)
    ways = {"without the reel": detectors, "with the reel": [*detectors, reel.OBSERVER], "decoding alone": []}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    made: dict[str, Observed] = {}
    for _ in range(ROUNDS):
        for name, observers in ways.items():
            start = time.perf_counter(), time.process_time()
            made |= observe(short, short.name, observers, times_s)
            taken[name].append((time.perf_counter() - start[0], time.process_time() - start[1]))
    # The least of each: what else runs on the machine only adds.
    wall_s, cpu_s = ({name: min(run[clock] for run in runs) for name, runs in taken.items()} for clock in (0, 1))
    for name in ways:
        per_frame = [seconds[name] / len(times_s) * 1000 for seconds in (wall_s, cpu_s)]
        print(f"screening's pass, {name:<18} {per_frame[0]:6.2f} ms per frame, {per_frame[1]:6.2f} ms of CPU")
    ratios = [seconds["with the reel"] / seconds["without the reel"] for seconds in (wall_s, cpu_s)]
    print(f"with the reel / without: {ratios[0]:.3f}, of CPU {ratios[1]:.3f}", flush=True)
    return made[reel.NAME]


def keep_reel(path: Path, once: Observed) -> None:
    """Put the reel of the hour into the store: the piece's as often as the piece is in it."""
    times = HOUR_S * FPS // len(once.arrays["ends"])
    packets, ends = once.arrays["packets"], once.arrays["ends"]
    arrays = {
        "packets": np.tile(packets, times),
        "ends": np.concatenate([ends + number * len(packets) for number in range(times)]),
        "keys": np.tile(once.arrays["keys"], times),
    }
    key = pass_over_file._key(reel.OBSERVER, stored_sha256(path, path.name))
    store.make(key, partial(pass_over_file._save, seen=Observed(arrays, once.value), refused=None))
    print(f"the reel of the hour: {len(arrays['packets']) / 1e6:.0f} MB, {len(packets) / len(ends):.0f} bytes per frame")


def timed(name: str, works: Sequence[Callable[[], object]]) -> None:
    milliseconds = []
    for work in works:
        start = time.perf_counter()
        work()
        milliseconds.append((time.perf_counter() - start) * 1000)
    count = f"{len(works)} times" if len(works) > 1 else "once"
    print(f"  {name:<52}{count:>10}  median {statistics.median(milliseconds):8.0f} ms  max {max(milliseconds):8.0f} ms", flush=True)


def review(path: Path, cold: bool) -> None:
    """Ask for what a reviewer looks at."""
    stills = Stills(path.parent, {FILE: Source.of_file(path.name, stored_sha256(path, path.name))})
    count = stored_probe(path, path.name, stored_sha256(path, path.name)).frame_count
    assert count == HOUR_S * FPS, count
    assert (stills.prepared(FILE) == 1.0) != cold
    rng = random.Random(7)
    places = [rng.randrange(count - 2000) for _ in range(COLD_PLACES if cold else PLACES)]

    def sprites(frames: Sequence[int]) -> None:
        for first in range(0, len(frames), CHUNK):
            stills.sprite(FILE, frames[first : first + CHUNK], CELL_PX, COLUMNS)

    print("cold" if cold else "prepared")
    timed("first sprite of 60, one a second, with opening", [lambda: sprites(range(0, 60 * FPS, FPS))])
    timed("first sheet of 180, one a second", [lambda: sprites(range(0, 180 * FPS, FPS))])
    if cold:
        timed("60 over the whole hour", [lambda: sprites(range(0, count, count // 60))])
    else:
        timed("180 over the whole hour", [lambda: sprites(range(0, count, count // 180))])
    timed("jump: sprite of 60, one a second", [partial(sprites, range(place, place + 60 * FPS, FPS)) for place in places])
    timed("lens: 61 frames in a row", [partial(sprites, range(place, place + 61)) for place in places])
    timed("full still somewhere", [partial(stills.full, FILE, place) for place in places])
    timed("full still, then the next frame's", [partial(stills.full, FILE, places[-1] + step) for step in range(1, 11)])
    print(f"  peak memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    stills.close()


def main() -> None:
    if sys.argv[1:2] in (["cold"], ["prepared"]):
        review(Path(sys.argv[2]), sys.argv[1] == "cold")
        return
    short, seconds = piece("--hevc" in sys.argv)
    path = hour(short, seconds).resolve()
    print(f"{path.name}: {path.stat().st_size / 1e9:.1f} GB", flush=True)
    once = passes(short)
    script, home = Path(__file__).resolve(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # the store is there
        for way in ("cold", "prepared"):
            if way == "prepared":
                keep_reel(path, once)
            subprocess.run([sys.executable, str(script), way, str(path)], check=True)
        os.chdir(home)


if __name__ == "__main__":
    main()
