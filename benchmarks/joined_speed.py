"""What joining costs: a recording in six files against the same one in one file; and one file against an earlier checkout.

``python benchmarks/joined_speed.py FOLDER [--before CHECKOUT] [--rounds 5]``

Each step runs in a process and a store of its own, in turn. CPU seconds of the process and its children count, because
other work on the machine hardly changes them.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/helpers"))

import clips

PARTS, PART_S, SIZE, FPS = 6, 10, "1280x720", 25
STEPS = ("ingest", "screen", "render")
CLI = "import sys; from scrubin.cli import main; sys.exit(main())"
CUT = ("--start", "3.3", "--end", "55.7", "--redact", "19.5-20.5,40-43")


def films(folder: Path) -> tuple[Path, list[Path]]:
    """Make one film, and the same cut into files without coding anew."""
    whole = folder / "raw/videos/whole.mp4"
    parts = [whole.with_name(f"part_{number}.mp4") for number in range(PARTS)]
    if not all(path.exists() for path in (whole, *parts)):
        whole.parent.mkdir(parents=True, exist_ok=True)
        # The whole picture moves, as under a hand-held camera: at a seam of pictures that stand still every frame has to be compared.
        source = f"testsrc2=d={PARTS * PART_S}:s={SIZE}:r={FPS},scroll=horizontal=0.004:vertical=0.003,noise=alls=6:allf=t"
        options = ("-c:v", "libx264", "-preset", "veryfast", "-crf", "22", "-g", str(FPS), "-pix_fmt", "yuv420p")
        clips.ffmpeg("-f", "lavfi", "-i", source, *options, whole)
        cut = ("-c", "copy", "-f", "segment", "-segment_time", str(PART_S), "-reset_timestamps", "1")
        clips.ffmpeg("-i", whole, *cut, whole.with_name("part_%d.mp4"))
    return whole, parts


def step(name: str, folder: Path, paths: list[str]) -> None:
    """Do one step of the pipeline with a recording in these files; what comes before it is in the store already."""
    from scrubin.base import params
    from scrubin.stages.ingest import joining
    from scrubin.stages.ingest.manifest import ClockParams, ManifestRow
    from scrubin.stages.render import RenderParams, rendering
    from scrubin.stages.render.plan import Redaction
    from scrubin.stages.render.rendering import FileToRender
    from scrubin.stages.screen import screening
    from scrubin.stages.screen.detector import ScreenParams

    raw = folder / "raw"
    screen = params.load("screen", ScreenParams, Path(__file__).parents[1] / "params.yaml")
    rows = tuple(ManifestRow(n, "r", "p", "", "", "T", "mono", path, None, None, "", n) for n, path in enumerate(paths, start=1))
    source = joining.read(raw, joining.CameraRecording(rows), ClockParams("", "none")).source
    if name == "screen":
        screening.screen(raw, screening.FileToScreen("r", "mono", source, "T"), screen)
    if name == "render":
        hidden = (Redaction(19.5, 20.5, None), Redaction(40.0, 43.0, None))
        file = FileToRender("r", "mono", source, "T", "id", 3.3, 55.7, str(FPS), False, hidden)
        rendering.render(raw, file, RenderParams("smart", 18, "veryfast", 0.0))


def cpu_s(command: list[str], environment: dict[str, str], folder: Path) -> float:
    """Run a command and return the CPU seconds of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env={**os.environ, **environment}, cwd=folder, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def joined(folder: Path, name: str, paths: list[str]) -> float:
    """Return the CPU seconds of one step alone, in a store that has the steps before it."""
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    run = [sys.executable, str(Path(__file__)), str(folder), "--paths", *paths, "--step"]
    if name != "ingest":
        cpu_s([*run, "ingest"], {}, work)
    return cpu_s([*run, name], {}, work)


def alone(folder: Path, name: str, checkout: Path, film: Path) -> float:
    """Return the CPU seconds of a command of a checkout on one file."""
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    last = {"probe": [], "screen": [], "render": [str(work / "out.mkv"), *CUT]}[name]
    return cpu_s([sys.executable, "-c", CLI, name, str(film), *last], {"PYTHONPATH": str(checkout / "pipelines")}, checkout)


def table(title: str, names: tuple[str, ...], measures: dict[str, Callable[[str], float]], rounds: int) -> None:
    """Print the medians of all ways in every step, and the ratio of the second to the first in each round."""
    print(f"\n{title}")
    total = [dict.fromkeys(measures, 0.0) for _ in range(rounds)]
    for name in names:
        times = [{way: measure(name) for way, measure in measures.items()} for _ in range(rounds)]
        total = [{way: whole[way] + one[way] for way in measures} for whole, one in zip(total, times, strict=True)]
        row(name, times)
    row("all", total)


def row(name: str, times: list[dict[str, float]]) -> None:
    """Print the medians of two ways, and the ratio of the second to the first in each round."""
    first, second = times[0]
    shown = "  ".join(f"{way} {median(one[way] for one in times):6.2f} s" for way in (first, second))
    ratios = sorted(one[second] / one[first] for one in times)
    print(f"{name:<8}{shown}  ratio {median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--paths", nargs="+")
    parser.add_argument("--step", choices=STEPS)
    args = parser.parse_args()
    folder = args.folder.absolute()
    if args.step:
        step(args.step, folder, args.paths)
        return
    whole, parts = films(folder)
    ways = {"one file": [whole], f"{PARTS} files": parts}
    relative = {way: [path.relative_to(folder / "raw").as_posix() for path in paths] for way, paths in ways.items()}
    measures = {way: lambda name, way=way: joined(folder, name, relative[way]) for way in ways}
    table(f"joined: {PARTS * PART_S} s of {SIZE} at {FPS} fps, CPU seconds", STEPS, measures, args.rounds)
    if args.before:
        checkouts = {"before": args.before.absolute(), "now": Path(__file__).parents[1]}
        measures = {way: lambda name, way=way: alone(folder, name, checkouts[way], whole) for way in checkouts}
        table("one file, before and now", ("probe", "screen", "render"), measures, args.rounds)


if __name__ == "__main__":
    main()
