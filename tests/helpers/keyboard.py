"""A person who reviews a whole study in the browser, by keyboard alone."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, TimeoutError

PATIENCE_MS, FIRST_MS = 180_000, 120_000
MOST_KEYS, LOOK_MS = 2000, 20
CAME_MS = 500
"""A key sooner than this after a span came by itself was meant for the one before."""
LOOKED = """async () => {
  const { state } = await import("/static/state.js");
  const every = (frames) => frames.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, place) => first + place));
  const [needed, wanted, most, slept] = [0.125, every(state.span.lens), 1000, 2500];
  let [before, looked] = [null, 0];
  await new Promise((resolve) => state.on("attention", () => {
    const now = performance.now();
    const shown = new Set([...document.querySelectorAll("#lens .block.loaded .cell")].map((one) => one.cell.frame));
    const isThere = wanted.every((frame) => shown.has(frame));
    if (isThere && before !== null && now - before < slept) looked += Math.min(now - before, most);
    before = isThere ? now : null;
    if (looked > 1000 * needed * wanted.length + 60) resolve();
  }));
}"""
"""Resolves when the page has counted so much attention as the lens of the selected span needs, as slow as it may be."""
SAID = """() => {
  window.said = [];
  const status = document.getElementById("status");
  new MutationObserver(() => window.said.push(status.textContent)).observe(status, { childList: true });
}"""
"""From now on all that the page says is noted."""
IS_AWAY = "(isAway) => Object.defineProperty(document, 'hidden', { configurable: true, get: () => isAway })"
HOW_FAR = """() => JSON.stringify([document.readyState, document.body.innerText.slice(0, 300),
  performance.getEntriesByType("resource").map((one) =>
    [one.name, Math.round(one.startTime), Math.round(one.duration), one.responseStatus])])"""
NOTHING_TO_SEE = re.compile("all seen|nothing left to see")


def come_in(page: Page, address: str) -> None:
    """Open the page, and wait for the first recording; what does not open tells how far it came, and is opened once more, as people do."""
    page.set_default_timeout(PATIENCE_MS)
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.on("requestfailed", lambda request: failures.append(f"{request.url}: {request.failure}"))
    page.goto(address)
    try:
        opened(page, FIRST_MS)
    except TimeoutError:
        # Seen once in some hundreds of pages, on machines with too much to do; nobody knows yet why.
        warnings.warn(f"a page did not open at first: {page.evaluate(HOW_FAR)} {failures}", stacklevel=2)
        page.reload()
        try:
            opened(page)
        except TimeoutError as error:
            raise AssertionError(f"{page.evaluate(HOW_FAR)} {failures}") from error


def opened(page: Page, patience_ms: int = PATIENCE_MS) -> None:
    """Wait until a recording and its stills are there."""
    page.locator("#todo li").first.wait_for(timeout=patience_ms)
    page.locator("#sheet .block.loaded").first.wait_for(timeout=patience_ms)


def says(page: Page, text: str, place: str = "#status") -> None:
    """Wait until the page says something."""
    page.locator(place, has_text=text).wait_for()


def press(page: Page, *keys: str) -> None:
    """Press keys, one after the other."""
    for key in keys:
        page.keyboard.press(key)


def full_size(page: Page, *keys: str, frame: int | None = None) -> None:
    """Press keys that lead to a picture at full size, of this frame if one is given, and wait for it."""
    press(page, *keys)
    page.locator("#full-canvas[data-frame]" if frame is None else f"#full-canvas[data-frame='{frame}']").wait_for()


def until(page: Page, is_so: Callable[[], object]) -> None:
    """Wait until something is so that is not on the page, such as what the ledger says."""
    for _ in range(PATIENCE_MS // LOOK_MS):
        if is_so():
            return
        page.wait_for_timeout(LOOK_MS)
    raise AssertionError(page.locator("#status").inner_text())


def away(page: Page) -> None:
    """Nobody looks from now on, so that what waits for a look waits until they are back: a slow test would come too late for it."""
    page.evaluate(IS_AWAY, True)


def back(page: Page) -> None:
    page.evaluate(IS_AWAY, False)


def next_span(page: Page) -> None:
    """Go to the next span, and look at its lens for long enough."""
    press(page, "j")
    page.evaluate(LOOKED)


def look(page: Page) -> None:
    """See every second of the recording that is open, as far as other stills do not stand for it."""
    for _ in range(MOST_KEYS):
        if page.locator("#todo li.done", has_text=NOTHING_TO_SEE).count():
            return
        if page.locator("#check-dialog[open]").count():
            page.keyboard.press("Escape")
        page.keyboard.press("Space")
        page.wait_for_timeout(120)
    raise AssertionError(page.locator("#todo").inner_text())


def decide(page: Page, key: str = "a") -> int:
    """Decide about every span in the same way, and look at those that another decision settled; return how many were decided."""
    decided = 0
    for _ in range(MOST_KEYS):
        if page.locator("#todo li.left", has_text="to decide").count():
            if page.locator("#span-text", has_text="not decided").count() == 0:
                next_span(page)
                continue
            before = page.locator("#span-text").inner_text()
            page.keyboard.press(key)
            page.wait_for_function("(before) => document.getElementById('span-text').textContent.trim() !== before", arg=before)
            page.wait_for_timeout(CAME_MS)
            decided += 1
        elif page.locator("#todo li.left", has_text="to look at closely").count():
            next_span(page)
        else:
            return decided
    raise AssertionError(page.locator("#todo").inner_text())


def next_left(page: Page) -> bool:
    """Open the next recording that is not done; False when there is none."""
    page.wait_for_timeout(1200)  # the list follows at its leisure
    left: Any = page.evaluate(
        "async () => (await (await fetch('/api/study')).json()).recordings.filter((one) => !one.done).map((one) => one.number)"
    )
    if not left:
        return False
    press(page, "Escape", "Escape")
    name = page.locator("#name").inner_text()
    press(page, "n")
    page.wait_for_function("(name) => document.getElementById('name').textContent !== name", arg=name)
    opened(page)
    return True
