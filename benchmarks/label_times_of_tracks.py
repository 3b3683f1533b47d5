"""How quick the label page is with many tracks of boxes, in a real Chromium: key to picture, memory, and how soon an answer is kept.

    python benchmarks/label_times_of_tracks.py PROJECT ID [--tracks 60]

PROJECT is a copy of a study with a release and the section `label` with the layer `boxes` alone, which nobody labels yet; ID is a
released id. Tracks are spread evenly over the recording, each 10 to 120 s long with a key frame every second, drawn by a seed, and are
written as the page writes them. Times are those of `label_times.py`; they are measured without tracks first, then with them. An answer is
kept when the server has said so: it is on the disk then.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from label_times import SEEKS, STEPS, clicked, enter, play, pressed, spread
from playwright.sync_api import Page, sync_playwright

from scrubin.curate.label import people
from scrubin.curate.label.events import MOST_CHANGES, Change, key_of
from scrubin.curate.label.people import Person
from scrubin.curate.label.workbench import Workbench
from scrubin.labels.keyframes import KeyFrame, rounded

LENGTHS_S = (10, 120)
LABELS = ("grasper", "bipolar", "hook", "scissors", "clipper", "irrigator")
SAVES = 30


def main() -> int:
    """Print the times without tracks and with them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("project", type=Path)
    parser.add_argument("id")
    parser.add_argument("--tracks", type=int, default=60)
    args = parser.parse_args()
    os.chdir(args.project)
    everybody = [people.add(f"somebody who is timed, {number}", "annotator") for number in (1, 2)]
    bench = Workbench.open()
    bench.assign()
    about = bench.recordings[args.id]
    frames, fps = about.pictures.end - about.pictures.first, (about.pictures.end - about.pictures.first) / about.duration_s
    print(f"{about.duration_s:.0f} s, {frames} frames")
    write(bench, everybody[1][0], args.id, args.tracks, frames, fps)
    server = subprocess.Popen([sys.executable, "-m", "scrubin", "label"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        text = ""
        while (found := re.search(r"http://\S+/enter", text)) is None:
            text += server.stdout.readline()
        with sync_playwright() as playwright:
            program = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
            chromium = playwright.chromium.launch(
                executable_path=program, args=["--no-sandbox", "--enable-precise-memory-info", "--js-flags=--expose-gc"]
            )
            for what, (_, token) in zip(("without tracks", f"with {args.tracks} tracks"), everybody, strict=True):
                page = chromium.new_context(viewport={"width": 1280, "height": 720}).new_page()
                page.set_default_timeout(60_000)
                print(f"\n{what}")
                measure(page, found[0], token, args.id)
                print(f"server: {resident_mb(server.pid):.0f} MB resident")
                page.context.close()
            chromium.close()
    finally:
        server.terminate()
        server.wait()
    return 0


def write(bench: Workbench, person: Person, id_: str, count: int, frames: int, fps: float) -> None:
    """Label tracks as the page does, a track at a time, and print how long an answer takes."""
    chance, took_s, keys = random.Random(60), [], 0
    for number in range(count):
        length = round(chance.uniform(*LENGTHS_S))
        first = round(number / count * max(frames - LENGTHS_S[1] * fps, 0))
        x, y, w, h = chance.uniform(0, 0.6), chance.uniform(0, 0.6), chance.uniform(0.1, 0.3), chance.uniform(0.1, 0.3)
        changes = []
        for second in range(length):
            at = min(first + round(second * fps), frames - 1)
            x, y = (min(max(place + chance.uniform(-0.03, 0.03), 0), 0.69) for place in (x, y))
            changes.append(Change("boxes", key_of(f"t{number}", at), KeyFrame(at, LABELS[number % len(LABELS)], rounded((x, y, w, h)))))
        keys += len(changes)
        for start in range(0, len(changes), MOST_CHANGES):
            started_s = time.monotonic()
            bench.label(person, id_, changes[start : start + MOST_CHANGES], f"n{number}.{start}")
            took_s.append(time.monotonic() - started_s)
    print(f"{count} tracks with {keys} key frames are in the ledger; an answer of one track:", spread(took_s))


def measure(page: Page, address: str, token: str, wanted: str) -> None:
    """Come in and time everything."""
    enter(page, address, token, wanted)
    print("key to picture, one frame on:", spread([pressed(page, "ArrowRight") for _ in range(STEPS)]))
    print("key to picture, one second on:", spread([pressed(page, "Shift+ArrowRight") for _ in range(STEPS)]))
    chance = random.Random(33)
    print("click to picture, anywhere:", spread([clicked(page, chance.random()) for _ in range(SEEKS)]))
    play(page, 1.0)
    play(page, 8.0)
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("1")
    print("key of a box to its answer:", spread([saved(page) for _ in range(SAVES)]))
    page.evaluate("() => window.gc && window.gc()")
    print(f"page: {page.evaluate('() => performance.memory.usedJSHeapSize') / 1e6:.1f} MB of JavaScript")


def saved(page: Page) -> float:
    """Begin a box here without a mouse, return after how many seconds the server has kept it, and go on for a second."""
    started_s = time.monotonic()
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.ok):
        page.keyboard.press("b")
    took_s = time.monotonic() - started_s
    page.keyboard.press("Escape")
    pressed(page, "Shift+ArrowRight")
    return took_s


def resident_mb(process: int) -> float:
    """Return the memory that a process holds."""
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1000


if __name__ == "__main__":
    sys.exit(main())
