"""How well the cores are used: each stage that maps over recordings with one worker on one core and with several, and its timeline.

    .venv/bin/python benchmarks/workers.py [--workers 2] [--project .] [--items 60]

The project is a finished one, such as the synthetic study; nothing in it is changed, results go to a store of their own. For 64 cores
and 1,270 recordings the measured times are dealt out as the engine does it (who is free takes the next one), with the measured
start of a worker.
"""

from __future__ import annotations

import argparse
import heapq
import os
import random
import resource
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import workers

from scrubin.audit.pictures.stored import examine_stored
from scrubin.base import params
from scrubin.base.store import store
from scrubin.base.tables import io
from scrubin.base.tables.private import HIDDEN, LINKAGE, PARTS, RECORDINGS, REDACTIONS
from scrubin.base.tables.public import GAPS, VIDEOS
from scrubin.curate.engine import Piece
from scrubin.curate.engine.engines import Processes
from scrubin.stages.frames import frame_store
from scrubin.stages.frames.frame_params import FramesParams
from scrubin.stages.release import audited_project
from scrubin.stages.render import RenderParams, rendering
from scrubin.stages.screen import screening
from scrubin.stages.screen.detector import ScreenParams
from scrubin.stages.screen.private_words import private_words

WIDTH = 100


def timed(work: Callable[[Any], Any], item: Any) -> tuple[int, float, float]:
    """Do a piece of work; return who did it, from when to when."""
    began = time.monotonic()
    work(item)
    return os.getpid(), began, time.monotonic()


def stages(root: Path) -> dict[str, tuple[Callable[[Any], Any], list[Any]]]:
    """Return what each stage does for which items."""
    interim, raw = root / "data/interim", root / params.raw_folder(root / "params.yaml")
    load = partial(params.load, path=root / "params.yaml")
    recordings, linkage = io.read(RECORDINGS, interim / "recordings.parquet"), io.read(LINKAGE, root / "data/private/linkage.parquet")
    redactions, hidden = io.read(REDACTIONS, interim / "redactions.parquet"), io.read(HIDDEN, interim / "hidden.parquet")
    videos = frame_store.videos_of(io.read(VIDEOS, root / "data/tables/videos.parquet"))
    parts = io.read(PARTS, interim / "parts.parquet")
    files = rendering.to_render(recordings, parts, linkage, redactions, pd.Series(dtype=str), 0.0)
    shown = {video.id for video in videos}
    gaps = frame_store.frames_after_gaps(io.read(GAPS, root / "data/tables/gaps.parquet"))
    media, spans = root / "data/unreleased", frame_store.hidden_spans(hidden)
    screen = partial(screening.screen, raw, params=load("screen", ScreenParams), private_words=private_words(recordings))
    return {
        "screen": (screen, screening.to_screen(recordings, parts)),
        "render": (partial(rendering.render, raw, params=load("render", RenderParams)), [file for file in files if file.id in shown]),
        "frames": (partial(frame_store.extract_stored, media, params=load("frames", FramesParams), hidden=spans, gaps=gaps), videos),
        "audit": (partial(examine_stored, media), list(audited_project.load(root).plan.videos)),
    }


def measured(work: Callable[[Any], Any], items: list[Any], count: int) -> tuple[float, float, list[tuple[int, float, float]]]:
    """Return wall and CPU seconds, and what was done when by whom."""
    with tempfile.TemporaryDirectory() as folder:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        processes = Processes(count)
        with ThreadPoolExecutor(count) as threads:
            piece = partial(Piece, partial(workers.timed, work), store_path=Path(folder, store.STORE_PATH), run=None)
            done = list(threads.map(lambda item: processes.do(piece(item)), items))
        wall_s = time.monotonic() - began
        processes.close()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall_s, cpu_s, [(who, start - began, end - began) for who, start, end in done]


def timeline(done: list[tuple[int, float, float]], wall_s: float) -> list[str]:
    """Return a line for each worker: its recordings as alternating letters, idle time as dots."""
    lines = []
    for who in sorted({one[0] for one in done}):
        line = ["."] * WIDTH
        for number, (_, start, end) in enumerate(sorted(one for one in done if one[0] == who)):
            for place in range(int(start / wall_s * WIDTH), max(int(end / wall_s * WIDTH), int(start / wall_s * WIDTH) + 1)):
                line[min(place, WIDTH - 1)] = "oX"[number % 2]
        lines.append("".join(line))
    return lines


def on_paper(lengths_s: list[float], start_s: float, cores: int, recordings: int) -> float:
    """Return the share of the cores' time that is used when measured lengths are dealt out to many workers."""
    drawn = random.Random(0).choices(lengths_s, k=recordings)
    free = [start_s] * cores
    for length in drawn:
        heapq.heappush(free, heapq.heappop(free) + length)
    return sum(drawn) / (cores * max(free))


def main() -> None:
    # A worker looks for this file by its name, too.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--project", type=Path, default=Path())
    parser.add_argument("--items", type=int, default=60, help="so many files of each stage (default: %(default)s)")
    args = parser.parse_args()
    every_core = os.sched_getaffinity(0)
    for name, (work, every) in stages(args.project.resolve()).items():
        items = every[: args.items]
        os.sched_setaffinity(0, {min(every_core)})
        one_s, one_cpu_s, alone = measured(work, items, 1)
        os.sched_setaffinity(0, every_core)
        many_s, many_cpu_s, done = measured(work, items, args.workers)
        one_start_s, many_start_s = (min(start for _, start, _ in pieces) for pieces in (alone, done))
        lengths = [end - start for _, start, end in alone]
        gain, started_gain = one_s / many_s, (one_s - one_start_s) / (many_s - many_start_s)
        print(
            f"{name}: {len(items)} files; 1 worker on 1 core {one_s:.1f} s ({one_cpu_s:.1f} CPU s), {args.workers} workers {many_s:.1f} s"
            f" ({many_cpu_s:.1f} CPU s): {gain:.2f} times as fast, {gain / args.workers:.2f} of the cores,"
            f" {started_gain / args.workers:.2f} once the workers have started;"
            f" on paper, 64 workers and 1,270 such files: {on_paper(lengths, one_start_s, 64, 1270):.2f}",
            flush=True,
        )
        for line in timeline(done, many_s):
            print(f"  |{line}|")


if __name__ == "__main__":
    main()
