"""What an hour of clean laparoscopy costs a reviewer in keys, sheets and seconds: a scripted reviewer at the real page, in Chromium.

    .venv/bin/python benchmarks/reviewer_hour.py PICTURES [--minutes 3] [--folds 0 0.1] [--overhead 0.15]

PICTURES is a folder of pictures of an operation, one a second, in the order of their names; each is shown for a second with a slow pan, at
640 x 360. The film is screened as ever. The reviewer reads a sheet for as long as its stills need, which is what the bar of
the page says, and `--overhead` of it more; then they press Space. They believe every proposal, after its lens. Checks are off, because who
notices one is no matter of time. Printed are keys, sheets and seconds per hour of footage, for each limit of `review.folds`.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pandas as pd
from playwright.sync_api import Page, sync_playwright

from scrubin.base import params
from scrubin.base.files import sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.private import PARTS, PROPOSALS, QUARANTINE, RECORDINGS, STOPS
from scrubin.media.source import Source
from scrubin.stages.screen import screening
from scrubin.stages.screen.detector import ScreenParams

ROOT = Path(__file__).parents[1]
FPS, SIZE_PX, SPARE_PX = 10, (640, 360), 16
WINDOW: Any = {"width": 1280, "height": 720}
NAME, VIDEO = "operation", "operation.mp4"
MOST_KEYS = 3000
SECTIONS = ("raw:", "screen:", "review:", "release:")


def film(path: Path, pictures: Sequence[Path], seconds: int) -> None:
    """Write pictures as a film, each for a second."""
    rng = np.random.default_rng(7)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=FPS, options={"preset": "veryfast", "crf": "23", "g": "100"})
        stream.width, stream.height, stream.pix_fmt = *SIZE_PX, "yuv420p"
        for second in range(seconds):
            read: Any = cv2.imread(str(pictures[second % len(pictures)]))
            large: Any = cv2.resize(read, (SIZE_PX[0] + SPARE_PX, SIZE_PX[1] + SPARE_PX), interpolation=cv2.INTER_AREA)
            at, step = rng.uniform(0, SPARE_PX, 2), rng.uniform(-0.5, 0.5, 2)
            for part in range(FPS):
                y, x = np.clip(np.rint(at + step * part), 0, SPARE_PX).astype(int)
                shown = np.ascontiguousarray(large[y : y + SIZE_PX[1], x : x + SIZE_PX[0]])
                out.mux(stream.encode(av.VideoFrame.from_ndarray(shown, format="bgr24")))
        out.mux(stream.encode())


def project(folder: Path, pictures: Sequence[Path], seconds: int) -> None:
    """Make a project with one recording, as the stages ingest and screen leave it."""
    raw, interim = folder / "data/raw", folder / "data/interim"
    raw.mkdir(parents=True)
    film(raw / VIDEO, pictures, seconds)
    text = (
        (ROOT / "params.yaml").read_text(encoding="utf-8").replace("raw: data/demo", "raw: data/raw").replace("checks: 0.02", "checks: 0")
    )
    sections = re.split(r"^(?=\w)", text, flags=re.MULTILINE)
    (folder / "params.yaml").write_text("".join(one for one in sections if one.startswith(SECTIONS)), encoding="utf-8")
    (raw / "redactions.csv").write_text("recording,camera,kind,start_s,end_s,x,y,w,h,decision\n", encoding="utf-8")
    sha256 = sha256_of(raw / VIDEO)
    row = dict.fromkeys(RECORDINGS.column_names) | {
        **{"recording": NAME, "participant": "P", "task": "Laparoscopy", "camera": "mono", "path": VIDEO, "sha256": sha256},
        **{"container": "mp4", "codec": "h264", "width": SIZE_PX[0], "height": SIZE_PX[1], "rotation_deg": 0, "fps": str(FPS)},
        **{"variable_rate": False, "frame_count": seconds * FPS, "duration_s": float(seconds), "has_audio": False},
        **{"start_s": 0.0, "end_s": float(seconds), "status": "kept"},
    }
    part = {name: row[name] for name in ("recording", "camera", "path", "sha256", "frame_count")}
    io.write(RECORDINGS, io.frame_of(RECORDINGS, [row]), interim / "recordings.parquet")
    io.write(PARTS, io.frame_of(PARTS, [part | {"part": 1, "first_frame": 0, "start_s": "0", "gap_s": "0"}]), interim / "parts.parquet")
    for stage in ("ingest", "screen"):
        io.write(QUARANTINE, io.frame_of(QUARANTINE, []), interim / f"quarantine_{stage}.parquet")
    file = screening.FileToScreen(recording=NAME, camera="mono", task="Laparoscopy", source=Source.of_file(VIDEO, sha256))
    of_screen = params.load("screen", ScreenParams, folder / "params.yaml")
    proposed, stops = screening.rows(raw, file, of_screen)
    io.write(PROPOSALS, io.frame_of(PROPOSALS, proposed), interim / "proposals.parquet")
    io.write(STOPS, io.frame_of(STOPS, stops), interim / "stops.parquet")
    kinds = Counter(f"{one['kind']} by {one['source']}" for one in proposed)
    print(f"{seconds} s: {dict(kinds) or 'nothing'} proposed, {len(stops)} stills at full size", flush=True)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the review of a project, and return its address."""
    command = [sys.executable, "-c", "from scrubin.cli import main; raise SystemExit(main())", "review", "--no-browser", "--by", "reader"]
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        text = ""
        while (found := re.search(r"http://127\.0\.0\.1:\d+/enter#\S+", text)) is None:
            text += running.stdout.readline()
        yield found.group()
    finally:
        running.terminate()
        running.wait()


def reviewed(page: Page, address: str, overhead: float) -> tuple[Counter[str], float]:
    """Review the recording, and return the keys by name, and the seconds from the first sheet to the end."""
    page.set_default_timeout(60_000)
    page.goto(address)
    page.locator("#todo li").first.wait_for()
    page.locator("#sheet .block.loaded").first.wait_for()
    keys: Counter[str] = Counter()

    def press(key: str) -> None:
        keys[key] += 1
        page.keyboard.press(key)

    started = time.monotonic()
    page.mouse.move(300, 300)
    while keys.total() < MOST_KEYS:
        if page.locator("#overview-dialog[open]").count() or page.locator("#todo li.left").count() <= 1:
            return keys, time.monotonic() - started
        began = time.monotonic()
        waits(page)
        page.wait_for_timeout(overhead * 1000 * (time.monotonic() - began))
        to_decide = page.locator("#todo li.left", has_text=re.compile("decide|closely")).count()
        if page.locator("#todo li.done", has_text="all seen").count() and to_decide:
            press("a" if page.locator("#span-text", has_text="not decided").count() else "j")
        else:
            press("Space")
        page.wait_for_timeout(150)
    raise AssertionError(page.locator("#todo").inner_text())


def waits(page: Page) -> None:
    """Look, until the bar of the page is full; a hand that rests on the pointer moves it a little."""
    for step in range(4000):
        says = page.locator(".looking").first.inner_text() if page.locator(".looking").count() else ""
        if "more for" not in says and "paused" not in says:
            return
        if step % 40 == 0:
            page.mouse.move(300 + step % 7, 300)
        page.wait_for_timeout(50)


def main() -> None:
    """Print what an hour costs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--folds", type=float, nargs="+", default=[0.0, 0.1])
    parser.add_argument("--overhead", type=float, default=0.15)
    asked = parser.parse_args()
    seconds = round(asked.minutes * 60)
    program = next(path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path)
    with tempfile.TemporaryDirectory() as name, chdir(name), sync_playwright() as playwright:
        folder = Path(name)
        project(folder, sorted(path for path in asked.pictures.iterdir() if path.suffix in (".png", ".jpg")), seconds)
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        rows = []
        for limit in asked.folds:
            text = re.sub(r"folds: \S+", f"folds: {limit:g}", (folder / "params.yaml").read_text(encoding="utf-8"))
            (folder / "params.yaml").write_text(text, encoding="utf-8")
            ledger = folder / "data/private/decisions.jsonl"
            ledger.unlink(missing_ok=True)
            with served(folder) as address:
                keys, taken_s = reviewed(chromium.new_page(viewport=WINDOW), address, asked.overhead)
            facts = [json.loads(line) for line in ledger.read_text(encoding="utf-8").splitlines()]
            looks = [one["facts"] for one in facts if one["event"] == "seen"]
            folded_s = sum(last - first + 1 for one in facts if one["event"] == "folded" for first, last in one["facts"]["seconds"])
            an_hour = 3600 / seconds
            rows.append(
                {
                    "folds": limit,
                    "keys an hour": round(keys.total() * an_hour),
                    "sheets an hour": round(sum(one["view"] == "sheet" and one["sheet"] for one in looks) * an_hour),
                    "attention an hour, s": round(sum(one["looked_s"] for one in looks) * an_hour),
                    "of it for the sheet, s": round(sum(one["looked_s"] for one in looks if one["view"] == "sheet") * an_hour),
                    "in all an hour, s": round(taken_s * an_hour),
                    "folded, share": round(folded_s / seconds, 2),
                    "keys": dict(keys),
                }
            )
        print(pd.DataFrame(rows).to_string(index=False))


if __name__ == "__main__":
    main()
