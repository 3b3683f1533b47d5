"""What commands and pages cost on a study that `make repro` has released, whatever its size.

    python benchmarks/scale_commands.py PROJECT [PROJECT ...]

Commands are what a curator and a downloader run: `verify` of the project and of the release alone, `diff` of the release with itself,
`validate`, `splits check`, `preflight`, `review --verify`. The report is opened in Chromium from the disk; of the review page the time
counts from the start of `scrubin review` until all recordings stand in its list. CPU seconds and memory are of processes that
`process_cost.py` measures; a page's seconds are wall seconds without the start of the browser, "its CPU" is that of the page's main
thread, which other programs on the machine change little.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from process_cost import MB, environment, measure

COMMANDS = {
    "verify, project": ("verify",),
    "verify, release": ("verify", "data/release"),
    "diff with itself": ("diff", "data/release", "data/release"),
    "validate": ("validate", "data/release"),
    "splits check": ("splits", "check", "data/release/splits/balanced.csv"),
    "preflight": ("preflight",),
    "review --verify": ("review", "--verify"),
}
REPORT = Path("reports/index.html")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WAIT_S = 120
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/enter#\S+")


def commands(folder: Path) -> None:
    """Print CPU, memory, bytes read and exit code of every command."""
    print(f"\n{folder.name} recordings: commands\n{'command':20}{'CPU s':>8}{'wall s':>8}{'MB one':>8}{'MB read':>9}  exit code")
    for name, arguments in COMMANDS.items():
        cost = measure(folder, str(folder / ".venv/bin/python"), "-m", "scrubin", *arguments)
        read, largest = cost.read / MB, cost.largest / MB
        print(f"{name:20}{cost.cpu_s:>8.1f}{cost.wall_s:>8.1f}{largest:>8.0f}{read:>9.0f}  {cost.code}", flush=True)


def report(folder: Path, browser: Browser) -> None:
    """Print the size of the report and the seconds until Chromium has loaded and drawn it."""
    path = folder / REPORT
    page = browser.new_page()
    work = _work(page)
    begin = time.perf_counter()
    page.goto(path.as_uri(), wait_until="load", timeout=WAIT_S * 1000)
    page.evaluate("() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    seconds = time.perf_counter() - begin
    elements = page.evaluate("() => document.getElementsByTagName('*').length")
    size = f"{path.stat().st_size / MB:.2f} MB, {elements} elements"
    print(f"report: {size}, open after {seconds:.2f} s, {work():.2f} s of its CPU", flush=True)
    page.close()


def _work(page: Page) -> Callable[[], float]:
    """Return what says how many CPU seconds the page's main thread has worked since now: other programs on the machine change it little."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy_s() -> float:
        return next(one["value"] for one in session.send("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration")

    before_s = busy_s()
    return lambda: busy_s() - before_s


def review_list(folder: Path, browser: Browser) -> None:
    """Print the seconds until the review's list names every recording."""
    command = [folder / ".venv/bin/python", "-m", "scrubin", "review", "--no-browser"]
    begin = time.perf_counter()
    with (folder / ".cache/review.log").open("w+", encoding="utf-8") as out:
        server = subprocess.Popen(command, cwd=folder, env=environment(folder), stdout=out, stderr=subprocess.STDOUT)
        try:
            address = _address(server, Path(out.name))
            served_s = time.perf_counter() - begin
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            work = _work(page)
            page.goto(address, timeout=WAIT_S * 1000)
            page.wait_for_function("() => document.querySelectorAll('#list li').length > 0", timeout=WAIT_S * 1000)
            seconds = time.perf_counter() - begin
            shown = page.evaluate("() => document.querySelectorAll('#list li').length")
            busy_s = work()
            page.close()
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(WAIT_S)
    listed = f"{shown} recordings in its list after {seconds:.2f} s"
    print(f"review page: serves after {served_s:.2f} s, {listed}, {busy_s:.2f} s of its CPU", flush=True)


def _address(server: subprocess.Popen[bytes], log: Path) -> str:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until and server.poll() is None:
        printed = ADDRESS.search(log.read_text(encoding="utf-8"))
        if printed:
            return printed.group()
        time.sleep(0.02)
    sys.exit(f"scrubin review did not begin:\n{log.read_text(encoding='utf-8')}")


def of(folder: Path) -> None:
    """Print everything about one study."""
    commands(folder)
    program = next(path for path in map(shutil.which, BROWSERS) if path)
    with sync_playwright() as playwright:
        # Containers run as root, where Chromium wants no sandbox.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        report(folder, browser)
        review_list(folder, browser)
        browser.close()


def main() -> None:
    """Print everything about each study."""
    for name in sys.argv[1:]:
        of(Path(name).resolve())


if __name__ == "__main__":
    main()
