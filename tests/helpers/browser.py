"""A real headless Chromium, driven by playwright; without one the tests are skipped, unless it is required."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np
import pytest

REQUIRED = "SCRUBIN_REQUIRE_BROWSER"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START_MS = 300_000
SIZE = {"width": 1280, "height": 720}
MOST_REDRAWN = 100


@contextmanager
def chromium() -> Iterator:
    """Start the machine's Chromium; skip where there is none, and fail where one is required."""
    program = next((path for path in map(shutil.which, NAMES) if path), None)
    if program is None:
        _missing(f"there is no browser on this machine ({', '.join(NAMES)})")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright is not installed")
    with sync_playwright() as playwright:
        # The tests may run as root, where Chromium wants no sandbox.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=START_MS)
        yield browser
        browser.close()


def fingers(page: Any) -> Callable[..., None]:
    """Return what fingers do on a screen that feels them: an event such as ``touchStart``, and where each is."""
    session = page.context.new_cdp_session(page)

    def fingers(kind: str, *points: tuple[float, float]) -> None:
        where = [{"x": x, "y": y, "id": place} for place, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    return fingers


def colours(place: Any) -> set[tuple[int, ...]]:
    """Return the colours that an element has on the screen, each of at least a fiftieth of its pixels."""
    picture = cv2.imdecode(np.frombuffer(place.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    every, counts = np.unique(picture.reshape(-1, 3), axis=0, return_counts=True)
    return {tuple(map(int, one)) for one, count in zip(every, counts, strict=True) if count * 50 >= counts.sum()}


def overflow_px(page: Any) -> int:
    """Return by how much a page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


def style(place: Any, name: str) -> str:
    """Return a property of an element as the browser reckons it; one that is drawn anew just then has none, and is asked again."""
    for _ in range(MOST_REDRAWN):
        if said := place.evaluate("(one, name) => getComputedStyle(one)[name]", name):
            return str(said)
    raise AssertionError(f"{place}: it has no {name}")


def _missing(reason: str) -> None:
    if os.environ.get(REQUIRED):
        pytest.fail(f"{reason}, but {REQUIRED} is set")
    pytest.skip(reason)
