"""What the phases of a video cost in keys and seconds in VIA 3, by the scripted annotator of `label_times.py`.

    python benchmarks/label_times_in_via.py PAGE VIDEO [SPEED ...]

PAGE is ``src/html/_via_video_annotator.html`` of a copy of VIA (https://gitlab.com/vgg/via, or its mirror ox-vgg/via), VIDEO has 25 frames
a second and a codec that Chromium plays. A project with one timeline for each phase is loaded beforehand, so that naming them costs
nothing. The keys are those of ``src/js/_via_temporal_segmenter.js``: ``+`` plays a tenth faster, a digit pauses and goes back so many
seconds, ``N`` and ``P`` move by a tenth of a second and the arrows by a fiftieth, ``a`` begins a segment in the chosen timeline, ``A``
ends the last one here, the arrow down chooses the next timeline, ``E`` and a digit with Ctrl go to the end. At each change the annotator
plays, sees it a reaction later, goes to its first frame by few of these keys, ends the phase and begins the next.
"""

from __future__ import annotations

import math
import shutil
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

FPS = 25
REACTION_S = 0.5
PHASES = (0.05, 0.35, 0.45, 0.7, 0.8, 0.9)
"""Where phases change, as shares of the recording; the same as in `label_times.py`."""
FASTER, TENTH, FINE = 0.1, Fraction(1, 10), Fraction(1, 50)


def main() -> int:
    """Print keys and seconds at each speed, and how many edges are on their frame."""
    source, video = (Path(argument).resolve() for argument in sys.argv[1:3])
    with sync_playwright() as playwright:
        program = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"])
        for speed in map(float, sys.argv[3:] or ("1", "8")):
            page = chromium.new_page(viewport={"width": 1280, "height": 720})
            page.set_default_timeout(60_000)
            page.goto(source.as_uri())
            page.evaluate("store => { via.d.project_load_json(store); }", project(video))
            page.wait_for_function(f"() => via.va.temporal_segmenter && {MEDIA}.readyState >= 3")
            page.wait_for_timeout(1000)
            label(page, speed)
            page.close()
        chromium.close()
    return 0


MEDIA = "via.va.temporal_segmenter.m"


def project(video: Path) -> dict[str, Any]:
    """Return a VIA project of one video, whose timelines are seven phases."""
    names = {str(number): f"phase {number}" for number in range(1, len(PHASES) + 2)}
    attribute = {"aname": "phase", "anchor_id": "FILE1_Z2_XY0", "type": 4, "desc": "", "options": names, "default_option_id": ""}
    about = {"pid": "__VIA_PROJECT_ID__", "rev": "__VIA_PROJECT_REV_ID__", "rev_timestamp": "__VIA_PROJECT_REV_TIMESTAMP__"}
    about |= {"pname": "timed", "creator": "", "created": 0, "data_format_version": "3.1.1", "vid_list": ["1"]}
    ui = {"file_content_align": "center", "file_metadata_editor_visible": True, "spatial_metadata_editor_visible": True}
    ui |= {"spatial_region_label_attribute_id": "", "gtimeline_visible_row_count": "8"}
    return {
        "project": about,
        "config": {"file": {"loc_prefix": {"1": "", "2": "", "3": "", "4": ""}}, "ui": ui},
        "attribute": {"1": attribute},
        "file": {"1": {"fid": "1", "fname": video.name, "type": 4, "loc": 3, "src": video.as_uri()}},
        "metadata": {},
        "view": {"1": {"fid_list": ["1"]}},
    }


def label(page: Page, speed: float) -> None:
    """Label the phases, and print what it took."""
    duration_s = float(page.evaluate(f"() => {MEDIA}.duration"))
    changes = [round(share * round(duration_s * FPS)) for share in PHASES]
    keys = {"speed": 0, "play": 0, "back": 0, "label": 0}

    def press(kind: str, key: str) -> None:
        page.keyboard.press(key)
        keys[kind] += 1

    started_s = time.monotonic()
    for _ in range(round((speed - 1) / FASTER)):
        press("speed", "+")
    press("label", "a")
    for change in changes:
        press("play", "Space")
        while now(page) * FPS < change:
            page.wait_for_timeout(20)
        page.wait_for_timeout(REACTION_S * 1000)
        to_frame(page, press, change)
        for key in ("Shift+A", "ArrowDown", "a"):
            press("label", key)
            page.wait_for_timeout(50)
    # The last phase ends with the video: a second before its end, and that second.
    for key in ("Shift+E", "Control+1", "Shift+A"):
        press("label", key)
        page.wait_for_timeout(200)
    took_s = time.monotonic() - started_s
    spans: list[list[float]] = page.evaluate("() => Object.values(via.d.store.metadata).map(one => one.z)")
    frames = {math.floor(first * FPS + 1e-6) for first, _ in spans} - {0}
    ended = {math.floor(last * FPS + 1e-6) for _, last in spans}
    every = sum(keys.values())
    print(f"at {speed:g}: {len(spans)} phases: {every} keys ({keys}), {took_s:.0f} s of {duration_s:.0f} s")
    print(f"of {len(changes)} changes {len(frames & set(changes))} begin and {len(ended & set(changes))} end on their frame")


def now(page: Page) -> float:
    """Return the second that is shown."""
    return float(page.evaluate(f"() => {MEDIA}.currentTime"))


def to_frame(page: Page, press: Any, change: int) -> None:
    """Pause and go to a frame: whole seconds by a digit, then tenths and fiftieths, to the nearest each."""
    wanted = Fraction(2 * change + 1, 2 * FPS)  # the middle of the frame
    over = max(round(now(page) - float(wanted)), 1)
    while over > 0:
        press("back", str(min(over, 9)))
        over -= min(over, 9)
    page.wait_for_timeout(150)
    for step, on, back in ((float(TENTH), "Shift+N", "Shift+P"), (float(FINE), "ArrowRight", "ArrowLeft")):
        count = round((float(wanted) - now(page)) / step)
        for _ in range(abs(count)):
            if step == float(FINE) and math.floor(now(page) * FPS + 1e-6) == change:
                break
            press("back", on if count > 0 else back)
            page.wait_for_timeout(60)


if __name__ == "__main__":
    sys.exit(main())
