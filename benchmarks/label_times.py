"""How quick the label page is in a real Chromium, and what the phases of one recording cost in keys and seconds.

    python benchmarks/label_times.py PROJECT ID

PROJECT is a copy of a study with a release and the section `label`, which nobody labels yet: somebody is added to it and given ID, a
released id. Keys are pressed one at a time, each when the picture of the one before is there; times are from the key to the picture, in
the page itself. The scripted annotator knows where the phases change. They play at the highest speed, press the key of the phase a
reaction after they see the change, pause, go back by seconds and frames to the frame itself, and press the key there.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

STEPS, SEEKS, PLAY_S = 60, 25, 15
SPEEDS = (1.0, 2.0, 8.0)
REACTION_S = 0.5
PHASES = (0.05, 0.35, 0.45, 0.7, 0.8, 0.9)
"""Where phases change, as shares of the recording."""
WATCH = """() => {
  const where = document.getElementById("where");
  window.shown = [];
  window.pressed = null;
  const number = () => Number(where.textContent.split(" ").at(-1));
  const note = () => window.shown.push([performance.now(), number()]);
  new MutationObserver(note).observe(where, {childList: true, characterData: true, subtree: true});
  const press = () => { window.pressed = performance.now(); };
  for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, press, true);
}"""


def main() -> int:
    """Print the times."""
    project, wanted = Path(sys.argv[1]).resolve(), sys.argv[2]
    os.chdir(project)
    from scrubin.curate.label import people
    from scrubin.curate.label.workbench import Workbench

    person, token = people.add("somebody who is timed", "annotator")
    bench = Workbench.open()
    bench.assign()
    recording = bench.recordings[wanted]
    print(f"{recording.duration_s:.0f} s, {recording.pictures.end - recording.pictures.first} frames")
    server = subprocess.Popen([sys.executable, "-m", "scrubin", "label"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        text, started_s = "", time.monotonic()
        while (found := re.search(r"http://\S+/enter", text)) is None:
            text += server.stdout.readline()
        print(f"server ready after {time.monotonic() - started_s:.1f} s")
        with sync_playwright() as playwright:
            program = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
            chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            page = chromium.new_page(viewport={"width": 1280, "height": 720})
            page.set_default_timeout(60_000)
            changes = measure(page, found[0], token, wanted)
            chromium.close()
        spans = Workbench.open().standing().of(recording.about, person.number).spans("phases")
        edges = {span.first - recording.pictures.first for span in spans} - {0}
        print(
            f"of {len(changes)} changes {len(edges & set(changes))} are in the ledger on their frame, {len(edges - set(changes))} elsewhere"
        )
    finally:
        server.terminate()
        server.wait()
    return 0


def enter(page: Page, address: str, token: str, wanted: str) -> None:
    """Come in, open a recording, and print how long its first picture took."""
    started_s = time.monotonic()
    page.goto(address)
    page.fill("#token", token)
    page.keyboard.press("Enter")
    page.locator("#list button", has_text=wanted).click()
    page.locator("#where", has_text="frame 0").wait_for()
    print(f"from the token to the first picture: {time.monotonic() - started_s:.2f} s")
    page.evaluate(WATCH)


def measure(page: Page, address: str, token: str, wanted: str) -> list[int]:
    """Come in, and time everything; return the frames where phases were to change."""
    enter(page, address, token, wanted)
    print("key to picture, one frame on:", spread([pressed(page, "ArrowRight") for _ in range(STEPS)]))
    print("key to picture, one frame back:", spread([pressed(page, "ArrowLeft") for _ in range(STEPS // 2)]))
    print("key to picture, one second on:", spread([pressed(page, "Shift+ArrowRight") for _ in range(STEPS)]))
    chance = random.Random(33)
    print("click to picture, anywhere:", spread([clicked(page, chance.random()) for _ in range(SEEKS)]))
    for speed in SPEEDS:
        play(page, speed)
    return label(page)


def spread(times_s: Sequence[float]) -> str:
    """Return the middle and the slowest of many times."""
    ordered = sorted(times_s)
    most = ordered[int(0.95 * (len(ordered) - 1))], ordered[-1]
    return f"median {statistics.median(ordered) * 1000:.0f} ms, 95 % {most[0] * 1000:.0f} ms, most {most[1] * 1000:.0f} ms"


def pressed(page: Page, key: str) -> float:
    """Press a key and return after how many seconds its picture was there."""
    page.evaluate("() => { window.shown.length = 0; }")
    page.keyboard.press(key)
    return waited(page)


def clicked(page: Page, share: float) -> float:
    """Click into the lanes at a share of the recording."""
    page.evaluate("() => { window.shown.length = 0; }")
    box = page.locator(".lane:first-child .track").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    return waited(page)


def waited(page: Page) -> float:
    while not (shown := page.evaluate("() => window.shown")):
        page.wait_for_timeout(5)
    ended: float = shown[-1][0] - page.evaluate("() => window.pressed")
    return ended / 1000


def play(page: Page, speed: float) -> None:
    """Play for a while and print how true that was."""
    page.select_option("#speed", f"{speed:g}")
    page.evaluate("() => { document.activeElement.blur(); window.shown.length = 0; }")
    page.keyboard.press("Space")
    page.wait_for_timeout(PLAY_S * 1000)
    page.keyboard.press("Space")
    shown: list[Any] = page.evaluate("() => window.shown")
    frames = [frame for _, frame in shown]
    gaps = sorted({b - a for a, b in itertools.pairwise(frames)})
    wall_s = (shown[-1][0] - shown[0][0]) / 1000
    rate = (frames[-1] - frames[0]) / wall_s
    print(f"play at {speed:g}: {len(frames)} pictures in {wall_s:.1f} s, {rate:.1f} frames a second, steps of {gaps}")


def label(page: Page) -> list[int]:
    """Label the phases of the recording, print keys and seconds, and return where they change."""
    count = int(re.findall(r"of (\d+)", page.get_attribute("#picture", "aria-label") or "")[0])
    page.keyboard.press("Home")
    page.locator("#where", has_text=re.compile("frame 0$")).wait_for()
    started_s, keys = time.monotonic(), 0

    def press(key: str) -> None:
        nonlocal keys
        pressed(page, key)
        keys += 1

    def say(key: str) -> None:
        nonlocal keys
        page.keyboard.press(key)
        keys += 1

    say("1")
    changes = [round(share * count) for share in PHASES]
    for number, change in enumerate(changes, start=2):
        say("Space")
        # What is seen of the change is seen a reaction later.
        while frame_of(page) < change:
            page.wait_for_timeout(20)
        page.wait_for_timeout(REACTION_S * 1000)
        say("Space")
        page.wait_for_timeout(200)
        while frame_of(page) - change > 12:
            press("Shift+ArrowLeft")
        while (behind := frame_of(page) - change) != 0:
            press("ArrowLeft" if behind > 0 else "ArrowRight")
        say(str(number % 10))
    took_s = time.monotonic() - started_s
    print(f"{len(PHASES) + 1} phases: {keys} keys, {took_s:.0f} s of {count} frames")
    return changes


def frame_of(page: Page) -> int:
    """Return the frame that is shown."""
    return int(page.inner_text("#where").rpartition(" ")[2])


if __name__ == "__main__":
    sys.exit(main())
